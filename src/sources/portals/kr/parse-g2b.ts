// A bid notice of G2B to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import { type JsonObject, member } from '../../ocds/json.ts'
import { homeOf, jsonParser, wordsOf } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'kr-g2b', profile: 'g2b-bid-notices', language: 'ko', currency: 'KRW' })

export const parseG2b = jsonParser(home, (entry, text) => {
  const number = text('bidNtceNo')
  const order = text('bidNtceOrd')?.trim()
  const kind = text('ntceKindNm') ?? ''
  const isCancelled = kind.includes('취소')
  const isChange = kind.includes('변경') || kind.includes('연기')
  const method = text('cntrctCnclsMthdNm')
  // The body that needs the purchase; the publishing body may be the procurement service.
  const buyer = wordsOf(member(entry, 'dminsttNm')) ?? wordsOf(member(entry, 'ntceInsttNm'))
  return {
    id: number,
    version: order || '0',
    formType: 'competition',
    noticeType: kind || 'bid notice',
    procedureId: number,
    reference: text('refNo'),
    title: text('bidNtceNm'),
    publishedAt: text('bidNtceDt'),
    changedAt: text('chgDt'),
    deadline: text('bidClseDt'),
    buyer: { name: buyer, nationalId: text('dminsttCd', 'ntceInsttCd') },
    estimatedValue: [member(entry, 'presmptPrce'), member(entry, 'asignBdgtAmt')].find(
      (value) => wordsOf(value) !== undefined,
    ),
    procedureType: procedureOf(method ?? ''),
    nationalProcedure: method,
    nature: natureOf(entry),
    changeReasons: isCancelled ? ['cancel'] : isChange ? ['update-add'] : undefined,
    isCancelled,
    url: text('bidNtceDtlUrl', 'bidNtceUrl'),
  }
})

function procedureOf(method: string): ProcedureType | undefined {
  if (method.includes('일반경쟁')) return 'open'
  if (method.includes('제한경쟁') || method.includes('지명경쟁')) return 'restricted'
  return method.includes('수의계약') ? 'neg-wo-call' : undefined
}

/** The lists of works, services and goods differ by members that only one of them has. */
function natureOf(entry: JsonObject): string | undefined {
  if (wordsOf(member(entry, 'mainCnsttyNm')) !== undefined) return 'works'
  if (wordsOf(member(entry, 'srvceDivNm')) !== undefined) return 'services'
  return wordsOf(member(entry, 'dtilPrdctClsfcNo')) !== undefined ? 'supplies' : undefined
}

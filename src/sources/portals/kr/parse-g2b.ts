// A bid notice of G2B to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { type PortalHome, readPublishedEntry, wordsOf } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'kr-g2b',
  profile: 'g2b-bid-notices',
  language: 'ko',
  zone: 'Asia/Seoul',
  country: 'KR',
  currency: 'KRW',
}

export function parseG2b(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const number = textAt(entry, 'bidNtceNo')
  const order = textAt(entry, 'bidNtceOrd')?.trim()
  const kind = textAt(entry, 'ntceKindNm') ?? ''
  const isCancelled = kind.includes('취소')
  const isChange = kind.includes('변경') || kind.includes('연기')
  const method = textAt(entry, 'cntrctCnclsMthdNm')
  // The body that needs the thing; the one that publishes may be the procurement service.
  const buyer = wordsOf(member(entry, 'dminsttNm')) ?? wordsOf(member(entry, 'ntceInsttNm'))
  return readPublishedEntry(home, {
    id: number,
    version: order || '0',
    formType: 'competition',
    noticeType: kind || 'bid notice',
    procedureId: number,
    reference: textAt(entry, 'refNo'),
    title: textAt(entry, 'bidNtceNm'),
    publishedAt: textAt(entry, 'bidNtceDt'),
    changedAt: textAt(entry, 'chgDt'),
    deadline: textAt(entry, 'bidClseDt'),
    buyer: { name: buyer, nationalId: textAt(entry, 'dminsttCd') ?? textAt(entry, 'ntceInsttCd') },
    estimatedValue: [member(entry, 'presmptPrce'), member(entry, 'asignBdgtAmt')].find(
      (value) => wordsOf(value) !== undefined,
    ),
    procedureType: procedureOf(method ?? ''),
    nationalProcedure: method,
    nature: natureOf(entry),
    changeReasons: isCancelled ? ['cancel'] : isChange ? ['update-add'] : undefined,
    isCancelled,
    url: textAt(entry, 'bidNtceDtlUrl') ?? textAt(entry, 'bidNtceUrl'),
  })
}

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

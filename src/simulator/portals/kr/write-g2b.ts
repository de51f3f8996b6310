// Made-up bid notices of G2B.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['cpv'],
  kinds: ['call', 'change', 'cancellation'],
  procedures: ['open', 'restricted', 'restricted'],
}

const zone = 'Asia/Seoul'
const pattern = 'yyyy-MM-dd HH:mm:ss'
const kinds = {
  planning: '등록공고',
  call: '등록공고',
  change: '변경공고',
  cancellation: '취소공고',
  award: '등록공고',
} as const
const methods = { open: '일반경쟁', restricted: '제한경쟁', 'neg-w-call': '지명경쟁' } as const
const natures = {
  works: { mainCnsttyNm: '건축공사업' },
  services: { srvceDivNm: '일반용역' },
  supplies: { dtilPrdctClsfcNo: '4321150301' },
} as const

export function write(sample: PortalSample): string {
  return JSON.stringify({
    bidNtceNo: `R26BK${String(sample.number).padStart(8, '0')}`,
    bidNtceOrd: String(sample.version - 1).padStart(3, '0'),
    ntceKindNm: kinds[sample.kind],
    bidNtceNm: sample.title,
    refNo: sample.reference,
    ntceInsttNm: sample.buyer.name,
    dminsttNm: sample.buyer.name,
    dminsttCd: sample.buyer.nationalId,
    bidNtceDt: localTime(sample.publishedAt, zone, pattern),
    bidClseDt: localTimeOf(sample.deadline, zone, pattern) ?? '',
    presmptPrce: String(sample.value?.amount ?? ''),
    cntrctCnclsMthdNm: methods[sample.procedureType],
    bidNtceDtlUrl: sample.url,
    ...natures[sample.nature],
  })
}

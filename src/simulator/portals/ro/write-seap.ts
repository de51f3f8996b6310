// Made-up entries of SEAP's lists.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'

export const format: PortalFormat = { lacks: ['change', 'winner'] }

const natures = { works: 'Lucrari', services: 'Servicii', supplies: 'Furnizare' } as const
const procedures = {
  open: 'Licitatie deschisa',
  restricted: 'Licitatie restransa',
  'neg-w-call': 'Negociere competitiva',
} as const

export function write(sample: PortalSample): string {
  const isAward = sample.kind === 'award'
  const prefix = isAward ? 'CAN' : sample.kind === 'planning' ? 'PI' : 'SCN'
  const id = 100_000_000 + sample.number
  return JSON.stringify({
    [isAward ? 'caNoticeId' : 'cNoticeId']: id,
    noticeId: id + 1_000_000,
    procedureId: sample.procedureId,
    noticeNo: `${prefix}${1_000_000 + sample.number}`,
    sysNoticeTypeId: isAward ? 3 : 17,
    sysNoticeState: { id: 2, text: 'Publicat' },
    sysProcedureState:
      sample.kind === 'cancellation'
        ? { id: 4, text: 'Anulata' }
        : { id: isAward ? 5 : 2, text: isAward ? 'Atribuita' : 'In desfasurare' },
    contractingAuthorityNameAndFN: `${sample.buyer.nationalId.replace(/\D/g, '') || '1000'} - ${sample.buyer.name}`,
    contractTitle: sample.title,
    sysAcquisitionContractType: { id: 1, text: natures[sample.nature] },
    sysProcedureType: { id: 1, text: procedures[sample.procedureType] },
    cpvCodeAndName: `${sample.cpv}-0 - ${sample.title}`,
    [isAward ? 'ronContractValue' : 'estimatedValueRon']: sample.value?.amount ?? null,
    isOnline: true,
    hasLots: sample.lots.length > 1,
    noticeStateDate: sample.publishedAt,
    minTenderReceiptDeadline: sample.deadline ?? null,
    maxTenderReceiptDeadline: sample.deadline ?? null,
  })
}

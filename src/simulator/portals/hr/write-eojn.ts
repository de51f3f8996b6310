// Made-up rows of EOJN's tables.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change', 'cancellation', 'award-cpv', 'award-value'] }

const zone = 'Europe/Zagreb'
const pattern = 'yyyy-MM-ddTHH:mm:ss'
const natures = { works: 'Radovi', services: 'Usluge', supplies: 'Robe' } as const
const procedures = {
  open: 'Otvoreni postupak',
  restricted: 'Ograničeni postupak',
  'neg-w-call': 'Natjecateljski postupak uz pregovore',
} as const

export function write(sample: PortalSample): string {
  if (sample.kind === 'award') {
    return JSON.stringify({
      TenderDecisionId: sample.number,
      MainTenderId: sample.procedureId,
      TenderName: sample.title,
      PublishDate: localTime(sample.publishedAt, zone, pattern),
      DecisionDate: localTime(sample.publishedAt, zone, pattern),
      OfficialName: sample.buyer.name,
      ContractorsNames: sample.winners.map((winner) => winner.name).join('; '),
      LotTitle: sample.lots[0]?.title ?? null,
    })
  }
  return JSON.stringify({
    Id: sample.number,
    Name: sample.title,
    NameENG: null,
    ReferenceNumber: sample.reference,
    ContractingBody: sample.buyer.name,
    TypeContract: natures[sample.nature],
    ProcedureType: sample.kind === 'planning' ? 'Prethodno savjetovanje' : procedures[sample.procedureType],
    CPVExtended: `${sample.cpv}-0 - ${sample.title}`,
    EstimatedValue: sample.value?.amount ?? null,
    NoticePublishDate: localTime(sample.publishedAt, zone, pattern),
    SubmissionDeadline: localTimeOf(sample.deadline, zone, pattern) ?? null,
    Nuts: 'HR050 Grad Zagreb',
    AboveThreshold: false,
  })
}

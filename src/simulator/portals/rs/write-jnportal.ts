// Made-up rows of Serbia's tables: calls as procedures, everything else as notices.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['deadline', 'cpv', 'estimate', 'award-value', 'winner'] }

const types = {
  planning: ['Ф01', 'Претходно информативно обавештење'],
  change: ['Ф14', 'Исправка'],
  cancellation: ['Ф03', 'Обавештење о обустави поступка'],
  award: ['Ф03', 'Обавештење о додели уговора'],
} as const
const natures = { works: 'Радови', services: 'Услуге', supplies: 'Добра' } as const
const procedures = {
  open: 'Отворени поступак',
  restricted: 'Рестриктивни поступак',
  'neg-w-call': 'Конкурентни поступак са преговарањем',
} as const
const zone = 'Europe/Belgrade'
const pattern = 'yyyy-MM-ddTHH:mm:ss'

export function write(sample: PortalSample): string {
  const published = localTime(sample.publishedAt, zone, pattern)
  if (sample.kind === 'call')
    return JSON.stringify({
      Id: sample.number,
      Name: sample.title,
      ReferenceNumber: sample.reference,
      ContractingBody: `${sample.buyer.name}, ПИБ: 100000001`,
      TypeContract: natures[sample.nature],
      ProcedureType: procedures[sample.procedureType],
      CPVExtended: `${sample.cpv} - ${sample.title}`,
      EstimatedValue: sample.value?.amount ?? null,
      NoticePublishDate: published,
      SubmissionDeadline: localTimeOf(sample.deadline, zone, pattern) ?? null,
      Nuts: 'RS110',
    })
  const [form, name] = types[sample.kind]
  return JSON.stringify({
    Id: sample.number * 10 + sample.version,
    TenderId: sample.procedureId,
    TenderName: sample.title,
    NoticeNumber: sample.reference,
    ContractingBody: sample.buyer.name,
    DocumentTypeShortName: `${form}\u00a0`,
    DocumentTypeName: name,
    PublishDate: published,
  })
}

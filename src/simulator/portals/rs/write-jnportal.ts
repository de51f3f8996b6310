// Made-up rows of Serbia's table of notices.
import type { PortalSample } from '../../samples/portal-sample.ts'
import { localTime } from '../write-local-time.ts'

const types = {
  planning: ['Ф01', 'Претходно информативно обавештење'],
  call: ['Ф02', 'Јавни позив'],
  change: ['Ф14', 'Исправка'],
  cancellation: ['Ф03', 'Обавештење о обустави поступка'],
  award: ['Ф03', 'Обавештење о додели уговора'],
} as const

export function write(sample: PortalSample): string {
  const [form, name] = types[sample.kind]
  return JSON.stringify({
    Id: sample.number * 10 + sample.version,
    TenderId: sample.procedureId,
    TenderName: sample.title,
    NoticeNumber: sample.reference,
    ContractingBody: sample.buyer.name,
    DocumentTypeShortName: `${form}\u00a0`,
    DocumentTypeName: name,
    PublishDate: localTime(sample.publishedAt, 'Europe/Belgrade', 'yyyy-MM-ddTHH:mm:ss'),
  })
}

// Made-up rows of the export of eTenders.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { csvRow, localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change', 'nature', 'awarded', 'winner'] }

const zone = 'Europe/Dublin'
const pattern = 'dd/MM/yyyy HH:mm:ss'
const procedures = {
  open: 'Open',
  restricted: 'Restricted',
  'neg-w-call': 'Competitive procedure with negotiation',
} as const
const statuses = {
  planning: 'Prior Information',
  call: 'Tender Submission',
  change: 'Tender Submission',
  cancellation: 'Cancelled',
  award: 'Awarded',
} as const

export function write(notice: PortalSample): string {
  return csvRow({
    '#': 1,
    Title: notice.title,
    'Resource ID': notice.number,
    CA: notice.buyer.name,
    Info: notice.description,
    'Date published': localTime(notice.publishedAt, zone, pattern),
    'Tenders Submission Deadline': localTimeOf(notice.deadline, zone, pattern) ?? 'N/A',
    Procedure: procedures[notice.procedureType],
    Status: statuses[notice.kind],
    'Notice PDF': '',
    'Award date': notice.kind === 'award' ? localTime(notice.publishedAt, zone, 'dd/MM/yyyy') : '',
    'Estimated value': notice.value?.amount ?? '',
    Cycle: notice.version,
    CPVCODES: notice.cpv,
  })
}

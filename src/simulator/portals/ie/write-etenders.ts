// Made-up rows of the export of eTenders.
import type { PortalSample } from '../../samples/portal-sample.ts'
import { csvRow, localTimeOf } from '../write-sample-values.ts'

const zone = 'Europe/Dublin'
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
  const published = localTimeOf(notice.publishedAt, zone)
  const deadline = notice.deadline && localTimeOf(notice.deadline, zone)
  return csvRow({
    '#': 1,
    Title: notice.title,
    'Resource ID': notice.number,
    CA: notice.buyer.name,
    Info: notice.description,
    'Date published': `${published.slashed} ${published.time}`,
    'Tenders Submission Deadline': deadline ? `${deadline.slashed} ${deadline.time}` : 'N/A',
    Procedure: procedures[notice.procedureType],
    Status: statuses[notice.kind],
    'Notice PDF': '',
    'Award date': notice.kind === 'award' ? published.slashed : '',
    'Estimated value': notice.value?.amount ?? '',
    Cycle: notice.version,
    CPVCODES: notice.cpv,
  })
}

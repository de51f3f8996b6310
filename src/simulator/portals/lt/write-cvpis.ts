// Made-up procurements of CVP IS.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change', 'awarded', 'winner'] }

const zone = 'Europe/Vilnius'
const pattern = 'dd-MM-yyyy HH:mm:ss'
const statuses = {
  planning: 'Established',
  call: 'Tender Submission',
  change: 'Tender Submission',
  cancellation: 'Cancelled',
  award: 'Awarded',
} as const
const procedures = {
  open: 'Open',
  restricted: 'Restricted',
  'neg-w-call': 'Competitive procedure with negotiation',
} as const

export function write(sample: PortalSample): string {
  return JSON.stringify({
    id: 2_000_000 + sample.number,
    title: sample.title,
    description: sample.description,
    caName: sample.buyer.name,
    cftCaUniqueId: sample.procedureId,
    datePublished: localTime(sample.publishedAt, zone, pattern),
    tenderSubmissionDeadline: localTimeOf(sample.deadline, zone, pattern) ?? null,
    status: statuses[sample.kind],
    procedure: sample.kind === 'planning' ? 'Preliminary Market Consultation' : procedures[sample.procedureType],
    procurementType: sample.nature,
    cpvCodes: `${sample.cpv}-0`,
    nutsCode: sample.buyer.nuts,
    estimatedValue: sample.value?.amount ?? null,
    aboveThreshold: false,
    tedLink: null,
    euFunding: false,
  })
}

// Made-up bidding events of the Georgia Procurement Registry.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'

export const format: PortalFormat = {
  lacks: ['planning', 'change', 'cpv', 'nature', 'procedure', 'estimate', 'award-value', 'winner'],
}

const states = { planning: 'Open', call: 'Open', change: 'Open', cancellation: 'Cancelled', award: 'Awarded' } as const

export function write(sample: PortalSample): string {
  return JSON.stringify({
    sourceId: 'PE',
    esourceNumber: `48400-${sample.number}`,
    esourceNumberKey: `PE-48400-${sample.number}`,
    title: sample.title,
    agencyName: sample.buyer.name,
    status: states[sample.kind],
    governmentType: 'state',
    bidProcessType: 'RFP',
    closingDateSort: sample.deadline === undefined ? null : Date.parse(sample.deadline),
    postingDateSort: Date.parse(sample.publishedAt),
    soleSource: false,
  })
}

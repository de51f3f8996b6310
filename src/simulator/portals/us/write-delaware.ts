// Made-up open bids of Delaware.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['change', 'buyer', 'deadline-time', 'cpv', 'nature', 'procedure', 'estimate'],
  kinds: ['call', 'change'],
}

const zone = 'America/New_York'

export function write(sample: PortalSample): string {
  return JSON.stringify({
    contractnumber: `GSS${sample.number}`,
    contracttitle: sample.title,
    opendate: localTime(sample.publishedAt, zone, 'yyyy-MM-ddT00:00:00.000'),
    deadlinedate: localTimeOf(sample.deadline, zone, 'yyyy-MM-ddT00:00:00.000'),
    agencycode: sample.buyer.name,
    unspsc: '72101500',
    bidurl: { url: sample.url },
  })
}

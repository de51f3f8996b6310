// Made-up rows of the tender list of the USP.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = {
  lacks: ['planning', 'change', 'cancellation', 'cpv', 'nature', 'procedure', 'estimate', 'award-value', 'winner'],
}

const zone = 'Europe/Vienna'

export function write(notice: PortalSample): string {
  const id = `${notice.id}-${notice.version}`
  return JSON.stringify([
    notice.title,
    notice.buyer.name,
    localTime(notice.publishedAt, zone, 'yyyy-MM-dd'),
    localTimeOf(notice.deadline, zone, 'yyyy-MM-dd HH:mm') ?? null,
    id,
    false,
    null,
    null,
  ])
}

// Made-up rows of the tender list of the USP.
import type { PortalSample } from '../../samples/portal-sample.ts'
import { localTimeOf } from '../write-sample-values.ts'

const zone = 'Europe/Vienna'

export function write(notice: PortalSample): string {
  const deadline = notice.deadline && localTimeOf(notice.deadline, zone)
  const id = `${notice.id}-${notice.version}`
  return JSON.stringify([
    notice.title,
    notice.buyer.name,
    localTimeOf(notice.publishedAt, zone).date,
    deadline ? `${deadline.date} ${deadline.time.slice(0, 5)}` : null,
    id,
    false,
    null,
    null,
  ])
}

// For portals that file tenders by closing day: the coming days, each requested separately.
import { dayMs, offsetMsAt, toInstant, wallToEpochMs } from '../../domain/time.ts'
import type { Delivery } from '../delivery.ts'
import type { Fetch } from '../fetch.ts'
import { inParts, type Part } from './in-parts.ts'

/** Reads the delivery for today and this many days after it, in the source's time zone. */
export function daysAhead(days: number, delivery: Delivery): Fetch {
  return inParts(async ({ now, zone }) => {
    const today = Math.floor((now() + offsetMsAt(zone, now())) / dayMs)
    return Array.from({ length: days + 1 }, (_, ahead): Part => {
      const [from, to] = [today + ahead, today + ahead + 1].map((day) => toInstant(wallToEpochMs(day * dayMs, zone)))
      const key = toInstant((today + ahead) * dayMs).slice(0, 10)
      return { key, delivery, slot: { key, from: from!, to: to! } }
    })
  })
}

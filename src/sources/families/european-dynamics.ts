// Portals on the e-PPS platform of European Dynamics: a zip of OCDS records for every month.
import { zippedRecords } from '../ocds/entries.ts'
import type { Channel } from '../source.ts'
import { hourMs } from './card-values.ts'

/**
 * The months of such a portal. The platform also lists its months (`…/getrecordpackagelist`, `packagesPerMonth`), but
 * without dates of their making, and answers HTML while it is maintained; the addresses follow from the month alone.
 */
export function ePpsMonths(origin: string, since: string): Channel {
  return {
    name: 'months',
    slots: { kind: 'month', since, delayMs: hourMs, rereadDays: [3, 15, 45], isOpenRead: true },
    delivery: {
      kind: 'single',
      request: { url: `${origin}/ocds/services/recordpackage/getrecordpackage/{from:yyyy}/{from:M}` },
      entries: zippedRecords,
      notFound: 'empty',
    },
    timetable: '35 5 * * *',
  }
}

// Portals on the Proactis platform (Scotland, Wales): one request per month and type of notice, releases in OCDS.
import { releasesIfAny } from '../ocds/entries.ts'
import type { Channel } from '../source.ts'
import { hourMs } from './card-values.ts'

/** Forms of the Official Journal, under which the platform files what is above the threshold. */
const journalForms = [1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25]

/**
 * The months of such a portal. `host` is its API, `siteNotices` are the types of its own notices, below the threshold.
 * `outputType=0` is OCDS; a month without notices of a type comes without `releases`.
 */
export function proactisMonths(host: string, siteNotices: readonly number[]): Channel {
  return {
    name: 'months',
    slots: { kind: 'month', since: '2019-01-01', delayMs: hourMs, rereadDays: [3, 30], isOpenRead: true },
    delivery: {
      kind: 'single',
      request: { url: `https://${host}/v1/Notices?dateFrom={from:MM-yyyy}&outputType=0&noticeType={noticeType}` },
      entries: releasesIfAny,
      each: { name: 'noticeType', values: [...siteNotices, ...journalForms] },
    },
    // 21 or more requests for every reading of the open month.
    timetable: '20 */3 * * *',
  }
}

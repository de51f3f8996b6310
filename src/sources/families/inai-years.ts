// The open contracting platform that Mexico's INAI gave to its peers: one document for every fiscal year.
import type { Channel } from '../source.ts'

/**
 * The years of such a portal, by their number; `…/edca/fiscalYears` lists them, but not when their contracts changed.
 */
export function inaiYears(origin: string, since: string): Channel {
  return {
    name: 'years',
    slots: { kind: 'year', since, rereadDays: [15, 45, 90, 180], isOpenRead: true },
    delivery: {
      kind: 'single',
      request: { url: `${origin}/edca/contractingprocess/{from:yyyy}` },
      entries: { format: 'json', at: '/arrayReleasePackage/*/releases' },
      notFound: 'empty',
    },
    timetable: '45 6 * * *',
  }
}

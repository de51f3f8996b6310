// Portals that put everything into one file.
import type { Entries } from '../delivery.ts'
import type { CardChannel } from '../source.ts'

/** The file is requested with its previous ETag, at the times of `timetable`. */
export function wholeFile(url: string, entries: Entries, timetable: string): CardChannel {
  return {
    name: 'all',
    delivery: { kind: 'single', request: { url }, entries },
    timetable,
  }
}

// Pages for people that link files of data: each file is requested with its ETag of the last time.
import type { Entries } from '../delivery.ts'
import type { Channel } from '../source.ts'

/** `link` finds the addresses in the HTML, in its first group. */
export function linkedFiles(page: string, link: RegExp, files: Entries, timetable: string): Channel {
  return {
    name: 'files',
    slots: { kind: 'whole' },
    delivery: { kind: 'index', index: { url: page }, entries: { format: 'html', link }, files },
    timetable,
  }
}

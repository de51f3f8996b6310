// Pages for people that link files of data: each file is requested with its ETag of the last time.
import type { Entries } from '../delivery.ts'
import type { CardChannel } from '../source.ts'

/** `link` finds the addresses in the HTML, in its first group. `sample`: see `Entries`. */
export function linkedFiles(
  page: string,
  link: RegExp,
  files: Entries,
  timetable: string,
  sample?: string,
): CardChannel {
  return {
    name: 'files',
    delivery: {
      kind: 'index',
      index: { url: page },
      entries: { format: 'html', link, ...(sample !== undefined && { sample }) },
      files,
    },
    timetable,
  }
}

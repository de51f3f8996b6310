// Data sets on CKAN portals: files listed with format and date, each fetched once per date.
import type { Entries } from '../delivery.ts'
import type { CardChannel } from '../source.ts'

export type CkanFiles = {
  /** Name of the channel. */
  readonly name: string
  /** `https://host/api/3/action/package_show?id=…` or `…/package_search?q=…`. */
  readonly url: string
  /** As CKAN writes the format of a resource. */
  readonly format: RegExp
  /** Only resources whose address fits. */
  readonly only?: RegExp
  /** The dates are meaningless (the resources are API addresses): each file is requested with its ETag instead. */
  readonly isUndated?: boolean
  readonly files: Entries
  readonly timetable: string
}

/** The files of one data set, or of all that a search finds. */
export function ckanFiles({ name, url, format, only, isUndated, files, timetable }: CkanFiles): CardChannel {
  return {
    name,
    delivery: {
      kind: 'index',
      index: { url },
      entries: {
        format: 'json',
        at: url.includes('package_search') ? '/result/results/*/resources' : '/result/resources',
      },
      url: '/url',
      ...(!isUndated && { version: '/last_modified' }),
      where: { at: '/format', fits: format },
      ...(only && { only }),
      files,
    },
    timetable,
  }
}

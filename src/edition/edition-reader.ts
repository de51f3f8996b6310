// What the API needs of the editions: the log keeps it, tests may keep it in memory.
import type { TenderFilter } from '../domain/filter.ts'

/** One published edition (sync.md P1). */
export type EditionInfo = {
  readonly edition: number
  /** W: the largest lastModified ever published up to this edition, epoch milliseconds. */
  readonly lastModified: number
  /** Epoch milliseconds. */
  readonly publishedAt: number
  /** Records alive in it, archived ones included. */
  readonly records: number
}

/** The place of a record in the order of lists: by lastModified (epoch milliseconds), then by id. */
export type PageKey = { readonly lastModified: number; readonly id: string }

export type ContentEncoding = 'identity' | 'gzip'

/** A page: where its records lie, and the last one's key when more follow. */
export type EditionPage = {
  readonly positions: readonly number[]
  readonly next: PageKey | null
}

/**
 * Reads of the published editions. A position names one version of one record and stays valid while an edition that
 * holds it is retained (at least 25 h, R4). Everything here is answered from this process, without a database.
 */
export type EditionReader = {
  /** The newest edition that can be served; undefined before the first. */
  readonly newest: EditionInfo | undefined
  /** An edition that is still retained; undefined when it never was or is gone. */
  edition(edition: number): EditionInfo | undefined
  /** Records of `edition` that match, strictly after `after`, in order. `next` is null exactly when the list ended (D32). */
  list(query: {
    readonly filter: TenderFilter
    readonly edition: number
    readonly after?: PageKey | undefined
    readonly limit: number
  }): EditionPage
  /** The newest version of a record, archived ones too; undefined for an unknown id (lower-case UUID). */
  find(id: string): number | undefined
  meta(position: number): {
    readonly id: string
    readonly lastModified: number
    readonly mergedInto?: string | undefined
  }
  /** The whole body of a list answer, `{"data":[…],"nextCursor":…}`, encoded as asked for. */
  page(positions: readonly number[], edition: number, nextCursor: string | null, encoding: ContentEncoding): Buffer
  /** The whole body of one record, as of the newest edition. */
  record(position: number, encoding: ContentEncoding): Buffer
}

// What the API needs of the read side: editions, the list over one of them, and finished bytes of pages and records.
import type { TenderFilter } from '../../domain/filter.ts'
import type { PageBody, RecordBody } from '../format/pieces.ts'
import type { TenderQuestion, TendersFound } from './tender-question.ts'

/** A published edition (spec: data state). Times in epoch milliseconds. */
export type EditionInfo = {
  readonly edition: number
  /** The largest lastModified ever published up to this edition (W in the specification). */
  readonly lastModified: number
  readonly publishedAt: number
  /** Number of records in it, including archived ones. */
  readonly records: number
  /** Number of records that were new, changed or archived in it. */
  readonly changes: number
  /** Its digest (domain/stock-digest.ts), the value of `X-Stock-Digest`; absent where none is kept. */
  readonly checksum?: string
}

/** Position of a record in the order of the list: strictly ascending by lastModified, then id. */
export type RecordKey = { readonly lastModified: number; readonly id: string }

export type ListQuery = {
  readonly filter: TenderFilter
  /** The edition that the run is pinned to; `newest.edition` for a first page. */
  readonly edition: number
  /** The last record of the page before. */
  readonly after?: RecordKey
  /** 1 to 100. */
  readonly limit: number
}

/** `next` is null exactly when the list ended (C47); else the key of the last record of this page. */
export type ListResult = { readonly positions: readonly number[]; readonly next: RecordKey | null }

export type RecordMeta = RecordKey & { readonly mergedInto?: string }

export type Encoding = 'identity' | 'gzip'

/**
 * Every method answers synchronously from memory and the page cache. A position is valid only until control returns to
 * the event loop: read the list and its bytes without an `await` in between. Bytes that fail their checksum throw
 * DamagedLogError instead of being served.
 */
export type EditionView = {
  readonly newest: EditionInfo | undefined
  /**
   * Returns the edition if it can still be served in full: the newest one, and every other for 25 hours after its
   * successor appeared (R4). Undefined for one that is no longer held, or not yet known here (compare with
   * `newest.edition`).
   */
  edition(edition: number): EditionInfo | undefined
  /**
   * One page of an edition. For an edition that is no longer held, the newest records up to that edition's
   * lastModified are listed instead (R5). Throws RangeError for an edition that is not known here.
   */
  list(query: ListQuery): ListResult
  /** Position of the newest version of a record; the case of the ID does not matter. Undefined when there is none. */
  find(id: string): number | undefined
  meta(position: number): RecordMeta
  /** `{"data":[…],"nextCursor":…}` without the cursor, with `checkedAt` as of the edition. */
  pageBody(positions: readonly number[], edition: number, encoding: Encoding): PageBody
  /** One record with `checkedAt` as of the newest edition. */
  record(position: number, encoding: Encoding): RecordBody
}

/** What people are answered, beside the API. Synchronous; positions as those of `EditionView`. */
export type TenderFinder = {
  /**
   * Tenders that match, in an order that people choose, and how many there are of each kind. Throws RangeError for an
   * offset or limit that is too large, and before the first edition.
   */
  findTenders(question: TenderQuestion): TendersFound
  /** Resolves when the newest edition is indexed, at the latest after this time. */
  indexed(waitMs: number): Promise<void>
}

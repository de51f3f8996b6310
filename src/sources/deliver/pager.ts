// What tells the ways of walking through a list apart: where it begins, what each request carries, where it goes on.
import type { EntryPlace, Place } from '../delivery.ts'
import type { Json } from '../fetch.ts'
import type { Values } from './fill-template.ts'

/** What one answer of a list showed. */
export type PageFacts = {
  readonly status: number
  /** The address that gave it. */
  readonly url: string
  /** The same for messages, without secrets. */
  readonly address: string
  /** Entries on it. */
  readonly length: number
  /** Those that had not been met on this walk. */
  readonly fresh: number
  /** Entries met on this walk, this page included. */
  readonly count: number
  /** What the portal announces now. */
  readonly total: number | undefined
  /** Most entries that a page of this walk had. */
  readonly size: number
  readonly isFeed: boolean
  readonly at: (place: Place) => Json | undefined
  /** A value of the last entry. */
  readonly atLast: (place: EntryPlace) => string | undefined
}

/** Where a walk stands: a page number, an offset, a token, an address. Never null, which is the beginning. */
export type Position = string | number

export type Pager = {
  /** Places in answers whose values it needs. */
  readonly places: readonly Place[]
  /** Statuses that it can tell something from. */
  readonly accept?: readonly number[]
  /** What the request at this position carries. `fill` fills a text of the card. */
  readonly values: (position: Position | null, fill: (text: string) => string) => Values
  /** A whole address to ask instead of the template's. */
  readonly url?: (position: Position | null) => string | undefined
  /** Where it goes on; undefined at the end. Throws Retryable where the portal leads nowhere. */
  readonly next: (position: Position | null, page: PageFacts) => Position | undefined
  /** Whether a page without a new entry may be the last one once more. Absent: it never is. */
  readonly mayRepeatItsLast?: (page: PageFacts) => boolean
  /** Where a feed is asked again at its next turn; undefined: where it stands. */
  readonly again?: (position: Position | null, page: PageFacts) => Position | undefined
  /** Says of a walk that ended what it could not reach, though no total tells. */
  readonly missing?: (position: Position | null, page: PageFacts) => string | undefined
}

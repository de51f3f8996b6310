// The differences between the ways of walking through a list: where it begins, what each request carries, where it
// continues.
import type { AnswerPointer, EntryPointer } from '../delivery.ts'
import type { Json } from '../fetch.ts'
import type { Values } from './fill-template.ts'

/** What one answer of a list showed. */
export type PageFacts = {
  readonly status: number
  /** Its address. */
  readonly url: string
  /** The same for messages, without secrets. */
  readonly address: string
  /** Number of entries on it. */
  readonly length: number
  /** Number of those that were not seen before on this walk. */
  readonly fresh: number
  /** Number of entries seen on this walk, including this page. */
  readonly count: number
  /** The total that the portal announces now. */
  readonly total: number | undefined
  /** Maximum number of entries on a page of this walk. */
  readonly size: number
  readonly isFeed: boolean
  readonly at: (pointer: AnswerPointer) => Json | undefined
  /** A value of the last entry. */
  readonly atLast: (pointer: EntryPointer) => string | undefined
}

/** The position of a walk: a page number, an offset, a token, an address. Never null, which means the beginning. */
export type Position = string | number

export type Pager = {
  /** Pointers to the values in answers that it needs. */
  readonly pointers: readonly AnswerPointer[]
  /** Statuses that have a meaning for it. */
  readonly accept?: readonly number[]
  /** What the request at this position carries. `fill` fills a text of the card. */
  readonly values: (position: Position | null, fill: (text: string) => string) => Values
  /** A whole address to request instead of the template's. */
  readonly url?: (position: Position | null) => string | undefined
  /** Where it continues; undefined at the end. Throws Retryable if the portal leads nowhere. */
  readonly next: (position: Position | null, page: PageFacts) => Position | undefined
  /** Whether a page without a new entry may be the last one once more. Absent: it never is. */
  readonly mayRepeatItsLast?: (page: PageFacts) => boolean
  /** Where a feed continues the next time; undefined: at its current position. */
  readonly again?: (position: Position | null, page: PageFacts) => Position | undefined
  /** Reports what a finished walk could not reach, although no total shows it. */
  readonly missing?: (position: Position | null, page: PageFacts) => string | undefined
}

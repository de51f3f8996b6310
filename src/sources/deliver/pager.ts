// The differences between the ways of walking through a list: where it begins, what each request carries, where it
// continues.
import type { AnswerPointer, EntryPointer } from '../delivery.ts'
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
  readonly at: (pointer: AnswerPointer) => Json | undefined
  /** A value of the last entry. */
  readonly atLast: (pointer: EntryPointer) => string | undefined
}

/** The position of a walk: a page number, an offset, a token, an address. Never null, which is the beginning. */
export type Position = string | number

export type Pager = {
  /** Places in answers whose values it needs. */
  readonly pointers: readonly AnswerPointer[]
  /** Statuses that have a meaning for it. */
  readonly accept?: readonly number[]
  /** What the request at this position carries. `fill` fills a text of the card. */
  readonly values: (position: Position | null, fill: (text: string) => string) => Values
  /** A whole address to ask instead of the template's. */
  readonly url?: (position: Position | null) => string | undefined
  /** Where it continues; undefined at the end. Throws Retryable if the portal leads nowhere. */
  readonly next: (position: Position | null, page: PageFacts) => Position | undefined
  /** Whether a page without a new entry may be the last one once more. Absent: it never is. */
  readonly mayRepeatItsLast?: (page: PageFacts) => boolean
  /** Where a feed is read again the next time; undefined: at its present position. */
  readonly again?: (position: Position | null, page: PageFacts) => Position | undefined
  /** Reports what a finished walk could not reach, although no total shows it. */
  readonly missing?: (position: Position | null, page: PageFacts) => string | undefined
}

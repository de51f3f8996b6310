// The position of the reading of a list: what the checkpoint of each step holds.
import type { Json } from '../fetch.ts'
import type { Span, Volumes } from './halve-span.ts'
import type { Position } from './pager.ts'

export type WalkState = {
  /** Version of the checkpoint's form. */
  v: 2
  /** The current combination; null before the first. */
  combination: string | null
  /** Spans of the combination that are still to be read, the current one first; null before they were made. */
  spans: Span[] | null
  /** How full the spans were; null while none was too full. */
  volumes: Volumes | null
  /** Without key and token. Null: at the beginning. */
  position: Position | null
  /** 2: the list changed while it was read, and is read again; then at most `pageLimit` pages. */
  pass: 1 | 2
  pageLimit: number | null
  pages: number
  /** Number of entries seen on the walk through the current span. */
  count: number
  firstTotal: number | null
  lastTotal: number | null
  /** Maximum number of entries on a page. */
  size: number
  /**
   * Of an ordered list: the time of the entry that is farthest along it, in epoch milliseconds; null before the first.
   */
  reached: number | null
  /** Marks of the entries of the last page. */
  marks: string[]
  /** The portal has more entries than it delivers, and the span cannot be halved. */
  isCapped: boolean
  /** Number of entries in spans and combinations that were read to the end, and the number announced for them. */
  done: number
  announced: number | null
  /** Entries counted in steps; never more than once, although a list may be read twice. */
  counted: number
  missing: string[]
  /** How answers without documents ended, for the end of the whole reading. */
  read: number
  unchanged: number
  empty: number
  notYet: number
  isOver: boolean
  /** Marks of files without a version that were fetched since the last whole page of their index. */
  files: string[]
  /** Mark of the detail at which the portal refused the last time. */
  refused: string | null
  /** Entries of a feed whose details could not be read; the feed does not deliver them again. */
  owed: Owed[]
}

/** An entry with the address of its page, and how often its detail was requested since. */
type Owed = { readonly entry: string; readonly address: string; readonly url: string; readonly turns: number }

const newState = (): WalkState => ({
  v: 2,
  combination: null,
  spans: null,
  volumes: null,
  position: null,
  pass: 1,
  pageLimit: null,
  pages: 0,
  count: 0,
  firstTotal: null,
  lastTotal: null,
  size: 0,
  reached: null,
  marks: [],
  isCapped: false,
  done: 0,
  announced: null,
  counted: 0,
  missing: [],
  read: 0,
  unchanged: 0,
  empty: 0,
  notYet: 0,
  isOver: false,
  files: [],
  refused: null,
  owed: [],
})

/** The state that a checkpoint holds; a new one when it has another form (the card's delivery changed). */
export function stateFrom(checkpoint: Json | undefined): WalkState {
  const isOurs =
    checkpoint !== null &&
    typeof checkpoint === 'object' &&
    !Array.isArray(checkpoint) &&
    'v' in checkpoint &&
    checkpoint.v === 2
  return isOurs ? { ...newState(), ...(structuredClone(checkpoint) as unknown as WalkState) } : newState()
}

export const checkpointOf = (state: WalkState): Json => structuredClone(state) as unknown as Json

/** At the beginning of a span, or of its second pass. */
export function beginWalk(state: WalkState): void {
  state.position = null
  state.pages = 0
  state.marks = []
  state.isCapped = false
  state.pass = 1
  state.pageLimit = null
  state.count = 0
  state.firstTotal = null
  state.lastTotal = null
  state.size = 0
  state.reached = null
}

const maxSentences = 20
export function note(state: WalkState, sentences: readonly string[]): void {
  for (const sentence of sentences)
    if (state.missing.length < maxSentences) state.missing.push(sentence.slice(0, 300))
    else state.missing[maxSentences - 1] = 'and more'
}

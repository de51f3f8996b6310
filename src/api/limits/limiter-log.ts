// Sliding logs in shared memory: rings of moments at which requests stop to count. Not locked here (limiter-memory.ts).
import { bucketMs, maxExactLimit, windowMs } from './limiter.ts'

/** The same bytes as three kinds of numbers. */
export type LogViews = { readonly words: Int32Array; readonly counts: Uint32Array; readonly times: Float64Array }

/**
 * Number of slots in a ring besides those of exact stamps: all buckets that can count at once, one before the oldest,
 * one free.
 */
const bucketSlots = 64
/** Bytes of a slot: a moment (8) and a count (4). */
const slotBytes = 12

/**
 * Words of a log's head: the slot of the oldest stamp, the slot after the newest; then the time, an index into `times`.
 */
const headWord = 0
const tailWord = 1
const newestTime = 1

/**
 * Number of bytes in the ring of a log with this number of exact stamps; a multiple of 8, which its position in memory
 * requires.
 */
export const ringBytes = (exactStamps: number): number => Math.ceil((ringSlots(exactStamps) * slotBytes) / 8) * 8
const ringSlots = (exactStamps: number): number => exactStamps + bucketSlots

/**
 * One log at a time; `open` selects it. Stamps that leave at the same moment share a slot; a slot holds how many
 * requests were ever admitted up to it, so a sum is a difference. A thread that dies between two writes leaves a
 * correct log: each step takes effect with the write of one word, after everything that it needs.
 */
export class SlidingLogs {
  readonly #views: LogViews
  readonly #exactStamps: number
  readonly #slots: number
  #word = 0
  #time = 0
  #firstMoment = 0
  #firstCount = 0

  constructor(views: LogViews, exactStamps: number) {
    this.#views = views
    this.#exactStamps = exactStamps
    this.#slots = ringSlots(exactStamps)
  }

  /** Selects a log. `headByte` and `ringByte` are where its two parts begin, multiples of 8. */
  open(headByte: number, ringByte: number): void {
    this.#word = headByte / 4
    this.#time = headByte / 8 + newestTime
    this.#firstMoment = ringByte / 8
    this.#firstCount = ringByte / 4 + this.#slots * 2
  }

  /** Advances the time of this log, which never runs backwards; what has left by then no longer counts. */
  advance(clockNow: number): number {
    const { words, times } = this.#views
    const held = times[this.#time]!
    const now = clockNow > held ? clockNow : held
    if (now > held) times[this.#time] = now
    const tail = words[this.#word + tailWord]!
    let head = words[this.#word + headWord]!
    while (head !== tail && times[this.#firstMoment + head]! <= now) {
      head = this.#after(head)
      words[this.#word + headWord] = head
    }
    return now
  }

  get count(): number {
    const { words } = this.#views
    return this.#sumUpTo(words[this.#word + tailWord]!) // 0 where head and tail are the same
  }

  /** Counts one request at `now`, the time that `advance` returned. */
  push(now: number, limit: number): void {
    const { words, counts, times } = this.#views
    const head = words[this.#word + headWord]!
    const tail = words[this.#word + tailWord]!
    const newest = this.#before(tail)
    const live = tail < head ? tail - head + this.#slots : tail - head
    // Many stamps at once come only from requests that were admitted elsewhere (record): then buckets are used, too.
    const isExact = limit <= maxExactLimit && live < this.#exactStamps
    const leavesAt = isExact ? now + windowMs : Math.floor(now / bucketMs) * bucketMs + bucketMs + windowMs
    // Never before an older stamp: after a change from buckets to exact stamps the newest may leave later.
    if (live > 0 && times[this.#firstMoment + newest]! >= leavesAt) {
      counts[this.#firstCount + newest] = counts[this.#firstCount + newest]! + 1
      return
    }
    times[this.#firstMoment + tail] = leavesAt
    counts[this.#firstCount + tail] = counts[this.#firstCount + newest]! + 1
    words[this.#word + tailWord] = this.#after(tail)
  }

  /** When the stamp with `index` older ones leaves; `index` is below `count`. */
  leavesAt(index: number): number {
    const { words, times } = this.#views
    const head = words[this.#word + headWord]!
    let low = 0
    if (index > 0) {
      const tail = words[this.#word + tailWord]!
      let high = tail < head ? tail - head + this.#slots : tail - head
      while (low < high) {
        const middle = (low + high) >>> 1
        if (this.#sumUpTo((head + middle + 1) % this.#slots) > index) high = middle
        else low = middle + 1
      }
    }
    return times[this.#firstMoment + ((head + low) % this.#slots)]!
  }

  /** Whether everything that this log may still count has left at `now`. */
  isIdle(now: number): boolean {
    return this.#views.times[this.#time]! + windowMs + bucketMs <= now
  }

  /** Clears the log for a new owner; only an idle log may be cleared. */
  clear(): void {
    const { words, times } = this.#views
    words[this.#word + headWord] = words[this.#word + tailWord]!
    times[this.#time] = 0
  }

  #after(slot: number): number {
    return slot + 1 === this.#slots ? 0 : slot + 1
  }

  #before(slot: number): number {
    return slot === 0 ? this.#slots - 1 : slot - 1
  }

  /** Number of live stamps before the slot `end`, which comes after the oldest. */
  #sumUpTo(end: number): number {
    const { words, counts } = this.#views
    const gone = counts[this.#firstCount + this.#before(words[this.#word + headWord]!)]!
    return (counts[this.#firstCount + this.#before(end)]! - gone) >>> 0
  }
}

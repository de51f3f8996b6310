// The segments of the word index as a thread answers from them: each row with its place in the log.
import { mergedFlag } from '../format/entry-batch.ts'
import { buyerCode, codeGroup, identifierCode } from '../format/tender-row.ts'
import type { Segment } from '../format/word-segment.ts'
import type { HeldEdition } from './held-log.ts'
import { chunkBits, type RecordTable, rowMask } from './record-table.ts'
import { newRowBits, type RowBits } from './word-lookup.ts'

/** The place of a row whose entry the log no longer holds. */
const gone = 0xffffffff

export type PlacedSegment = Segment & {
  /** Of each row, ascending; `gone` for some. */
  readonly positions: Uint32Array
  /** The number of each code in all segments. */
  readonly numbers: Uint32Array
  readonly of: Segment
  /** Number of entries of the log that are covered with it. */
  readonly end: number
}

/** Whether the log no longer holds an entry of it: what was in it must not stay in a file. */
export const hasGone = ({ positions }: PlacedSegment): boolean => positions.includes(gone)

/** Numbers for the codes of all segments. */
class CodeBook {
  readonly #numbers = new Map<string, number>()
  readonly keys: string[] = []
  /** The groups of codes (tender-row.ts), and which one each code is of. */
  readonly groups: readonly string[] = Object.values(codeGroup)
  #groupOf = new Uint8Array(1024)

  numberOf(key: string): number {
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.keys.length
      this.#numbers.set(key, number)
      this.keys.push(key)
      if (number === this.#groupOf.length) {
        const larger = new Uint8Array(number * 2)
        larger.set(this.#groupOf)
        this.#groupOf = larger
      }
      this.#groupOf[number] = this.groups.indexOf(key[0]!)
    }
    return number
  }

  /** Index in `groups`. */
  groupOf(number: number): number {
    return this.#groupOf[number]!
  }

  /** A mark for each of these codes. */
  marks(keys: readonly string[]): Uint8Array {
    const marks = new Uint8Array(this.keys.length)
    for (const key of keys) {
      const number = this.#numbers.get(key)
      if (number !== undefined) marks[number] = 1
    }
    return marks
  }
}

export const authorityCodes = (authorities: readonly string[]): string[] =>
  authorities.flatMap((text) => [buyerCode(text), identifierCode(text)])

export class TenderIndex {
  readonly table: RecordTable
  readonly codes = new CodeBook()
  readonly segments: PlacedSegment[] = []
  /** Number of entries of the log that are in a segment, from the first one on without a gap. */
  covered = 0
  #visible = new Map<PlacedSegment, RowBits>()
  #visibleEdition = 0

  constructor(table: RecordTable) {
    this.table = table
  }

  /** Number of records of the edition that are covered. */
  records(edition: HeldEdition): number {
    let records = 0
    for (let position = 0; position < Math.min(this.covered, edition.end); position++)
      if (this.#isIn(position, edition.info.edition)) records++
    return records
  }

  /**
   * Makes these the segments, as far as they follow each other without a gap; those that were already there stay. True
   * if something changed.
   */
  take(segments: readonly Segment[], end: number): boolean {
    const before = this.segments.length
    let same = 0
    while (same < before && this.segments[same]!.of === segments[same]) same++
    this.segments.length = same
    this.covered = this.segments[same - 1]?.end ?? 0
    for (const segment of segments.slice(same)) if (!this.add(segment, end)) break
    return same < before || this.segments.length > same
  }

  /**
   * Adds the segment that follows the others. False, and nothing is added, if the log shows entries between them, or
   * none of the segment.
   */
  add(segment: Segment, end: number): boolean {
    const positions = new Uint32Array(segment.rows).fill(gone)
    let next = this.covered
    let isFound = false
    for (let row = 0; row < segment.rows; row++) {
      const time = segment.lastModified[row]!
      while (next < end && this.table.lastModified(next) < time) if (this.table.isHeld(next++)) return false
      const position = this.#sameEntry(next, end, time, segment.crc[row]!)
      if (position === undefined) continue
      positions[row] = position
      next = position + 1
      isFound = true
    }
    if (!isFound) return false
    const numbers = Uint32Array.from(segment.keys, (key) => this.codes.numberOf(key))
    this.segments.push({ ...segment, of: segment, positions, numbers, end: next })
    this.covered = next
    return true
  }

  /** The entry of this time and content, if only entries that no edition shows are before it. */
  #sameEntry(from: number, end: number, time: number, crc: number): number | undefined {
    for (let position = from; position < end && this.table.lastModified(position) === time; position++) {
      if (this.#crc(position) === crc) return position
      if (this.table.isHeld(position)) return undefined
    }
    return undefined
  }

  /** Whether an edition may still show the row. */
  isLive({ positions }: PlacedSegment, row: number): boolean {
    return positions[row]! !== gone && this.table.isHeld(positions[row]!)
  }

  liveRows(segment: PlacedSegment): number {
    let live = 0
    for (let row = 0; row < segment.rows; row++) if (this.isLive(segment, row)) live++
    return live
  }

  #crc(position: number): number {
    return this.table.chunks[position >>> chunkBits]!.plainCrc[position & rowMask]!
  }

  /** The rows that an edition shows, but for merged records; computed once for an edition. */
  visible(segment: PlacedSegment, edition: HeldEdition): RowBits {
    const { info, end } = edition
    if (info.edition !== this.#visibleEdition) {
      this.#visible = new Map()
      this.#visibleEdition = info.edition
    }
    let rows = this.#visible.get(segment)
    if (rows) return rows
    rows = newRowBits()
    for (let row = 0; row < segment.rows; row++) {
      const position = segment.positions[row]!
      if (position >= end || !this.#isIn(position, info.edition)) continue
      const { flags } = this.table.chunks[position >>> chunkBits]!
      if ((flags[position & rowMask]! & mergedFlag) === 0) rows[row >>> 5]! |= 1 << (row & 31)
    }
    this.#visible.set(segment, rows)
    return rows
  }

  #isIn(position: number, edition: number): boolean {
    const superseded = this.table.chunks[position >>> chunkBits]!.superseded[position & rowMask]!
    return superseded === 0 || superseded > edition
  }
}

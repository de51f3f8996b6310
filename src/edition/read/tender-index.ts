// The segments of the word index as a thread answers from them: each row with its place in the log.
import { mergedFlag } from '../format/entry-batch.ts'
import { buyerCode, identifierCode } from '../format/tender-row.ts'
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
}

/** Numbers for the codes of all segments. */
class CodeBook {
  readonly #numbers = new Map<string, number>()
  readonly keys: string[] = []

  numberOf(key: string): number {
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.keys.length
      this.#numbers.set(key, number)
      this.keys.push(key)
    }
    return number
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
   * Adds the segment that follows the others. False, and nothing is added, if the log has entries between them, or none
   * of the segment.
   */
  add(segment: Segment, end: number): boolean {
    const positions = new Uint32Array(segment.rows).fill(gone)
    let position = this.covered
    for (let row = 0; row < segment.rows && position < end; row++) {
      const time = this.table.lastModified(position)
      if (time !== segment.lastModified[row] || this.#crc(position) !== segment.crc[row]) continue
      positions[row] = position++
    }
    if (position === this.covered) return false
    if (position < end && this.table.lastModified(position) < segment.lastModified[segment.rows - 1]!) return false
    this.segments.push({
      ...segment,
      positions,
      numbers: Uint32Array.from(segment.keys, (key) => this.codes.numberOf(key)),
    })
    this.covered = position
    return true
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

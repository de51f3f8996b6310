// The rows of a CSV answer as their bytes are in it (RFC 4180, any delimiter of one character), and the cells of one
// row.
import type { Delimiter } from '../../delivery.ts'

/**
 * One row without its line end; of one that is larger than the limit, `bytes` is its beginning. Number 1 is the header.
 */
export type CsvRow = { readonly number: number; readonly bytes: Uint8Array; readonly isTooLarge: boolean }

/** The delimiter of a table with this header line. */
export function delimiterOf(delimiter: Delimiter, header: string): string {
  if (typeof delimiter === 'string') return delimiter
  return [...header].find((character) => delimiter.includes(character)) ?? delimiter[0] ?? ','
}

const keptBytes = 1024
const quote = 0x22
const isLineEnd = (byte: number): boolean => byte === 0x0a || byte === 0x0d

/**
 * Takes the chunks of one CSV text in an encoding that contains ASCII and returns the rows that they complete. A quote
 * opens a quoted cell only at the start of a cell, so that inches in a text do not swallow the rest. Empty lines are
 * skipped.
 */
export class CsvRows {
  /** Its last byte, and the one before where it has two (`§`); of several, the first that comes. */
  #delimiter: number | undefined
  readonly #beforeDelimiter: number | undefined
  readonly #possible: ReadonlySet<number>
  #previous = 0
  readonly #maxRowBytes: number
  #parts: Buffer[] = []
  #length = 0
  #number = 0
  #isQuoted = false
  #isCellStart = true
  #offset = 0

  constructor(delimiter: Delimiter, maxRowBytes: number) {
    const bytes = typeof delimiter === 'string' ? Buffer.from(delimiter) : Buffer.of()
    this.#delimiter = bytes.at(-1)
    this.#beforeDelimiter = bytes.at(-2)
    this.#possible = new Set(typeof delimiter === 'string' ? [] : Buffer.from(delimiter.join('')))
    this.#maxRowBytes = maxRowBytes
  }

  feed(chunk: Uint8Array): readonly CsvRow[] {
    const rows: CsvRow[] = []
    let start = 0
    let index = 0
    // A byte order mark is no part of the first cell.
    while (
      this.#offset + index < 3 &&
      index < chunk.length &&
      chunk[index] === [0xef, 0xbb, 0xbf][this.#offset + index]
    )
      start = ++index
    for (; index < chunk.length; index++) {
      const byte = chunk[index]!
      if (this.#isQuoted) {
        // Two quotes inside a cell close it and open it again at once.
        if (byte === quote) {
          this.#isQuoted = false
          this.#isCellStart = true
        }
        continue
      }
      if (byte === quote) {
        this.#isQuoted = this.#isCellStart
      } else if (isLineEnd(byte)) {
        this.#keep(chunk, start, index)
        this.#finish(rows)
        start = index + 1
        this.#isCellStart = true
      } else {
        if (this.#delimiter === undefined && this.#possible.has(byte)) this.#delimiter = byte
        this.#isCellStart =
          byte === this.#delimiter && (this.#beforeDelimiter === undefined || this.#previous === this.#beforeDelimiter)
        this.#previous = byte
      }
    }
    this.#keep(chunk, start, chunk.length)
    this.#offset += chunk.length
    return rows
  }

  /** The row that the end completes. `isCutOff` when it ends inside a quoted cell. */
  end(): { readonly rows: readonly CsvRow[]; readonly isCutOff: boolean } {
    const rows: CsvRow[] = []
    this.#finish(rows)
    return { rows, isCutOff: this.#isQuoted }
  }

  #keep(chunk: Uint8Array, from: number, to: number): void {
    if (to <= from) return
    this.#length += to - from
    if (this.#length <= this.#maxRowBytes) this.#parts.push(Buffer.from(chunk.subarray(from, to)))
    else this.#parts = [Buffer.concat(this.#parts).subarray(0, keptBytes)]
  }

  #finish(rows: CsvRow[]): void {
    const isTooLarge = this.#length > this.#maxRowBytes
    if (this.#length > 0) rows.push({ number: ++this.#number, bytes: Buffer.concat(this.#parts), isTooLarge })
    this.#parts = []
    this.#length = 0
  }
}

/** The cells of one row. */
export function csvCells(row: string, delimiter: string): string[] {
  const cells: string[] = []
  let position = 0
  for (;;) {
    if (row[position] === '"') {
      let cell = ''
      for (;;) {
        const end = row.indexOf('"', position + 1)
        if (end < 0) return [...cells, cell + row.slice(position + 1)]
        cell += row.slice(position + 1, end)
        position = end + 1
        if (row[position] !== '"') break
        cell += '"'
      }
      const end = row.indexOf(delimiter, position)
      cells.push(cell + row.slice(position, end < 0 ? undefined : end))
      if (end < 0) return cells
      position = end + 1
    } else {
      const end = row.indexOf(delimiter, position)
      cells.push(row.slice(position, end < 0 ? undefined : end))
      if (end < 0) return cells
      position = end + 1
    }
  }
}

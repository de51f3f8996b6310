// The index of a full chunk: the rows of each code, bitmaps of frequent codes, and classes of times and values. It is
// built once, when the last row has arrived, and never changed: values of a row that may change (record-table.ts) are
// not in it.
import { noProcedure } from '../format/record-columns.ts'
import { sharedFloats, sharedShorts, sharedWords } from './shared-arrays.ts'

/**
 * Offset of NUTS numbers; procedures follow. CPV codes, NUTS numbers and procedures share one space of
 * numbers.
 */
export const nutsSpace = 2 ** 27
export const procedureSpace = 2 ** 28

/**
 * Place values of the characters of a NUTS number (domain/nuts.ts): the rest of a prefix of n characters is below
 * scale[n].
 */
const nutsScale: readonly number[] = [37 ** 5, 37 ** 4, 37 ** 3, 37 ** 2, 37, 1]

/** Lengths of the prefixes that may have a bitmap: CPV digits, NUTS characters. */
const prefixSizes: readonly (readonly [space: number, size: number])[] = [
  ...[2, 3, 4, 5].map((digits) => [0, 10 ** (8 - digits)] as const),
  ...[2, 3, 4, 5].map((characters) => [nutsSpace, nutsScale[characters]!] as const),
  [procedureSpace, 1],
]

/**
 * A prefix has a bitmap when at least one row in this many has it: reading the bitmap then costs less than reading the
 * rows.
 */
const denseShare = 32

/** The quantities that have classes, in their order in `classes`. */
const quantities = ['publication', 'submission', 'eurValue'] as const
export type Quantity = 0 | 1 | 2

/** Number of classes. Class 0 is for rows without a value; the others ascend. A class has two digits of base 16. */
export const classCount = 256
export const classDigitBits = 4
export const highestDigit = 15
/** Number of bitmaps for a quantity: rows whose high digit is at least 1 to 15, then rows whose low digit is. */
export const bitmapsPerQuantity = 2 * highestDigit
/**
 * Bounds of a quantity: rows without a value; the least of each class from 1 on, Infinity for unused ones; the
 * greatest.
 */
export const boundsPerQuantity = classCount + 1

export type ChunkIndex = {
  /** Codes that occur, ascending. Empty in a chunk that is not full. */
  codes: Uint32Array
  /** Start of each code's rows in `codeRows`, and the end of the last code's rows. */
  codeStarts: Uint32Array
  /** Rows of each code, ascending. */
  codeRows: Uint16Array
  /** Ranges of codes that have a bitmap. */
  denseFrom: Uint32Array
  denseTo: Uint32Array
  denseBits: Uint32Array
  classBits: Uint32Array
  classBounds: Float64Array
}

/** The columns to index: arrays of `rows` rows, and lists of codes with the end of each row's. */
export type IndexedColumns = {
  /** Epoch milliseconds, or NaN. */
  readonly publication: Float64Array
  readonly submission: Float64Array
  readonly eurValue: Float64Array
  readonly procedure: Uint8Array
  readonly cpvEnd: Uint32Array
  readonly nutsEnd: Uint32Array
  readonly cpv: Uint32Array
  readonly nuts: Uint32Array
}

export const noIndex = (): ChunkIndex => ({
  codes: sharedWords(0),
  codeStarts: sharedWords(0),
  codeRows: sharedShorts(0),
  denseFrom: sharedWords(0),
  denseTo: sharedWords(0),
  denseBits: sharedWords(0),
  classBits: sharedWords(0),
  classBounds: sharedFloats(0),
})

export function indexOf(columns: IndexedColumns): ChunkIndex {
  return { ...codeIndexOf(columns), ...classesOf(columns) }
}

type Postings = Pick<ChunkIndex, 'codes' | 'codeStarts' | 'codeRows'>

function codeIndexOf(columns: IndexedColumns): Omit<ChunkIndex, 'classBits' | 'classBounds'> {
  const postings = postingsOf(columns)
  const words = columns.procedure.length >>> 5
  const dense = denseRanges(postings, columns.procedure.length / denseShare)
  const denseBits = sharedWords(dense.length * words)
  for (const [index, { first, last }] of dense.entries())
    addRows(postings, postings.codeStarts[first]!, postings.codeStarts[last]!, denseBits, index * words)
  const denseFrom = sharedWords(dense.length)
  denseFrom.set(dense.map(({ from }) => from))
  const denseTo = sharedWords(dense.length)
  denseTo.set(dense.map(({ to }) => to))
  return { ...postings, denseFrom, denseTo, denseBits }
}

/** Sets the bits of the rows at [from, to) of `codeRows`. */
export function addRows(
  { codeRows }: Pick<ChunkIndex, 'codeRows'>,
  from: number,
  to: number,
  bits: Uint32Array,
  offset: number,
): void {
  for (let index = from; index < to; index++) {
    const row = codeRows[index]!
    bits[offset + (row >>> 5)]! |= 1 << (row & 31)
  }
}

function postingsOf({ procedure, cpvEnd, nutsEnd, cpv, nuts }: IndexedColumns): Postings {
  const rows = procedure.length
  const counts = new Map<number, number>()
  const count = (code: number): unknown => counts.set(code, (counts.get(code) ?? 0) + 1)
  for (let index = 0; index < cpvEnd[rows - 1]!; index++) count(cpv[index]!)
  for (let index = 0; index < nutsEnd[rows - 1]!; index++) count(nutsSpace + nuts[index]!)
  for (let row = 0; row < rows; row++) if (procedure[row] !== noProcedure) count(procedureSpace + procedure[row]!)
  const codes = sharedWords(counts.size)
  codes.set(Uint32Array.from(counts.keys()).sort())
  const codeStarts = sharedWords(codes.length + 1)
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index]!
    codeStarts[index + 1] = codeStarts[index]! + counts.get(code)!
    counts.set(code, codeStarts[index]!)
  }
  const codeRows = sharedShorts(codeStarts[codes.length]!)
  const place = (code: number, row: number): void => {
    const next = counts.get(code)!
    codeRows[next] = row
    counts.set(code, next + 1)
  }
  for (let row = 0; row < rows; row++) {
    for (let index = row === 0 ? 0 : cpvEnd[row - 1]!; index < cpvEnd[row]!; index++) place(cpv[index]!, row)
    for (let index = row === 0 ? 0 : nutsEnd[row - 1]!; index < nutsEnd[row]!; index++)
      place(nutsSpace + nuts[index]!, row)
    if (procedure[row] !== noProcedure) place(procedureSpace + procedure[row]!, row)
  }
  return { codes, codeStarts, codeRows }
}

/** Ranges of codes [from, to], which are codes[first] up to before codes[last]. */
type DenseRange = { readonly from: number; readonly to: number; readonly first: number; readonly last: number }

function denseRanges({ codes, codeStarts }: Postings, minRows: number): DenseRange[] {
  const ranges: DenseRange[] = []
  for (const [space, size] of prefixSizes) {
    const spaceEnd = space === 0 ? nutsSpace : space * 2
    for (let first = 0; first < codes.length; ) {
      const code = codes[first]!
      const from = code - ((code - space) % size)
      let last = first + 1
      while (last < codes.length && codes[last]! < from + size) last++
      if (code >= space && code < spaceEnd && codeStarts[last]! - codeStarts[first]! >= minRows)
        ranges.push({ from, to: from + size - 1, first, last })
      first = last
    }
  }
  return ranges
}

function classesOf(columns: IndexedColumns): Pick<ChunkIndex, 'classBits' | 'classBounds'> {
  const words = columns.procedure.length >>> 5
  const classBits = sharedWords(quantities.length * bitmapsPerQuantity * words)
  const classBounds = sharedFloats(quantities.length * boundsPerQuantity)
  for (const [quantity, name] of quantities.entries()) {
    const bounds = classBounds.subarray(quantity * boundsPerQuantity, (quantity + 1) * boundsPerQuantity)
    setBounds(columns[name], bounds)
    const bits = classBits.subarray(quantity * bitmapsPerQuantity * words)
    for (let row = 0; row < columns.procedure.length; row++) {
      const value = columns[name][row]!
      const number = Number.isNaN(value) ? 0 : classOf(bounds, 0, value)
      const word = row >>> 5
      const bit = 1 << (row & 31)
      if (number > highestDigit) bits[((number >>> classDigitBits) - 1) * words + word]! |= bit
      if ((number & highestDigit) > 0) bits[((number & highestDigit) - 1 + highestDigit) * words + word]! |= bit
    }
    // Up to here the bitmaps hold the rows with exactly this digit; add those with a higher one.
    for (const first of [0, highestDigit])
      for (let index = (first + highestDigit - 1) * words - 1; index >= first * words; index--)
        bits[index]! |= bits[index + words]!
  }
  return { classBits, classBounds }
}

/**
 * Divides the rows into classes of about equal size. A value that fills a whole class has a class of its own: otherwise
 * all its rows would be checked one by one for a bound slightly above it.
 */
function setBounds(values: Float64Array, bounds: Float64Array): void {
  const sorted = new Float64Array(values).sort()
  let present = sorted.length
  while (present > 0 && Number.isNaN(sorted[present - 1]!)) present--
  let used: number
  for (let size = Math.ceil(present / (classCount - 1)); ; size = Math.ceil(size * 1.2)) {
    used = 0
    bounds.fill(Number.POSITIVE_INFINITY)
    for (let from = 0, filled = size; from < present && used < classCount; ) {
      let to = from + 1
      while (to < present && sorted[to] === sorted[from]) to++
      if (filled + to - from > size) {
        used++
        if (used < classCount) bounds[used] = sorted[from]!
        filled = 0
      }
      filled += to - from
      from = to
    }
    if (used < classCount) break
  }
  bounds[0] = sorted.length - present
  bounds[classCount] = present === 0 ? Number.NEGATIVE_INFINITY : sorted[present - 1]!
}

/** Returns the class of a value that is not below the minimum: the last one whose minimum is not above the value. */
export function classOf(bounds: Float64Array, offset: number, value: number): number {
  let low = 1
  let high = classCount
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (bounds[offset + middle]! <= value) low = middle
    else high = middle
  }
  return low
}

// What both ways of scanning a chunk share: the query, the part of the scan, and what one row has to meet.
import type { CodeRange } from '../../domain/cpv.ts'
import type { Chunk } from './record-table.ts'

/** A filter made ready for scanning. Bounds that do not filter are undefined. */
export type Query = {
  readonly archived: boolean
  readonly publishedSince: number | undefined
  readonly deadlineAfter: number | undefined
  readonly valueMin: number | undefined
  readonly valueMax: number | undefined
  /** Bit i is set: procedureTypes[i] is requested. */
  readonly procedures: number | undefined
  /** Sorted, disjoint, as from, to, from, to … */
  readonly cpv: Uint32Array | undefined
  readonly nuts: Uint32Array | undefined
  /** The same filters for the index of a chunk: ranges in the shared space of codes, none within another. */
  readonly codeFilters: readonly (readonly CodeRange[])[]
}

/** The part of a scan in one chunk. */
export type Part = {
  readonly chunk: Chunk
  readonly query: Query
  readonly edition: number
  readonly fromRow: number
  readonly toRow: number
  readonly limit: number
  readonly firstPosition: number
  readonly found: number[]
}

/** False only when no entry of the block can be visible in `edition`. */
export function isBlockVisible(chunk: Chunk, block: number, archived: boolean, edition: number): boolean {
  return archived
    ? Atomics.load(chunk.current, block) !== 0 || chunk.lastSuperseded[block]! > edition
    : Atomics.load(chunk.open, block) !== 0 || chunk.lastOpenSuperseded[block]! > edition
}

/** Missing values are NaN, so every comparison below is written so that NaN excludes (C97). */
export function matchesNumbers(chunk: Chunk, row: number, query: Query, edition: number): boolean {
  const { publishedSince, deadlineAfter, valueMin, valueMax } = query
  if (valueMin !== undefined && !(chunk.eurValue[row]! >= valueMin)) return false
  if (valueMax !== undefined && !(chunk.eurValue[row]! <= valueMax)) return false
  if (deadlineAfter !== undefined && !(chunk.submission[row]! > deadlineAfter)) return false
  if (publishedSince !== undefined && !(chunk.publication[row]! >= publishedSince)) return false
  const replacedBy = chunk.superseded[row]!
  return replacedBy === 0 || replacedBy > edition
}

export function matchesCodes(chunk: Chunk, row: number, { procedures, cpv, nuts }: Query): boolean {
  const procedure = chunk.procedure[row]!
  if (procedures !== undefined && (procedure > 31 || (procedures & (1 << procedure)) === 0)) return false
  if (nuts && !inRanges(chunk.nuts, row === 0 ? 0 : chunk.nutsEnd[row - 1]!, chunk.nutsEnd[row]!, nuts)) return false
  return !cpv || inRanges(chunk.cpv, row === 0 ? 0 : chunk.cpvEnd[row - 1]!, chunk.cpvEnd[row]!, cpv)
}

export function inRanges(values: Uint32Array, from: number, to: number, ranges: Uint32Array): boolean {
  for (let index = from; index < to; index++) {
    const value = values[index]!
    if (ranges.length <= 8) {
      for (let range = 0; range < ranges.length; range += 2)
        if (value >= ranges[range]! && value <= ranges[range + 1]!) return true
    } else if (inManyRanges(value, ranges)) return true
  }
  return false
}

function inManyRanges(value: number, ranges: Uint32Array): boolean {
  let low = 0
  let high = ranges.length >>> 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ranges[middle * 2 + 1]! < value) low = middle + 1
    else high = middle
  }
  return low * 2 < ranges.length && ranges[low * 2]! <= value
}

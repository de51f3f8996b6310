// The list over one edition: a scan of the columns from a position on, skipping the blocks that cannot hold a match.
import { procedureTypes } from '../domain/codes.ts'
import { type CodeRange, cpvRange } from '../domain/cpv.ts'
import type { TenderFilter } from '../domain/filter.ts'
import { nutsNumber, nutsRange } from '../domain/nuts.ts'
import { archivedFlag } from './entry-batch.ts'
import {
  blockBits,
  blockSize,
  type Chunk,
  chunkBits,
  cpvKey,
  hasCodeKey,
  nutsKey,
  nutsScale,
  type RecordTable,
  rowMask,
} from './record-table.ts'

/** A filter made ready for scanning. Bounds that do not filter are NaN (times, values) or undefined. */
export type Query = {
  readonly archived: boolean
  readonly publishedSince: number | undefined
  readonly deadlineAfter: number | undefined
  readonly valueMin: number | undefined
  readonly valueMax: number | undefined
  /** Bit i: procedureTypes[i] is asked for. */
  readonly procedures: number | undefined
  /** Sorted, disjoint, as from, to, from, to … */
  readonly cpv: Uint32Array | undefined
  readonly nuts: Uint32Array | undefined
  /** One of these is in the code filter of a block that holds a match. */
  readonly cpvKeys: readonly number[]
  readonly nutsKeys: readonly number[]
}

/** Ranges joined where they overlap or touch. */
function flatten(ranges: readonly CodeRange[]): Uint32Array {
  const joined: number[] = []
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    if (joined.length > 0 && from <= joined[joined.length - 1]! + 1)
      joined[joined.length - 1] = Math.max(joined[joined.length - 1]!, to)
    else joined.push(from, to)
  }
  return Uint32Array.from(joined)
}

function keyOfCpv(code: string): number {
  const digits = Math.max(2, code.replace(/0+$/, '').length)
  const kept = digits > 5 && digits < 8 ? 5 : digits
  return cpvKey(Number(code.slice(0, kept)), kept)
}

function keyOfNuts(code: string): number {
  return nutsKey(Math.floor(nutsNumber(code) / nutsScale[code.length]!), code.length)
}

export function compileQuery(filter: TenderFilter): Query {
  return {
    archived: filter.archived || filter.updatedSince !== undefined,
    publishedSince: filter.publishedSince,
    deadlineAfter: filter.deadlineAfter,
    valueMin: filter.valueMin,
    valueMax: filter.valueMax,
    procedures: filter.procedure?.reduce((mask, code) => mask | (1 << procedureTypes.indexOf(code)), 0),
    cpv: filter.cpv && flatten(filter.cpv.map(cpvRange)),
    nuts: filter.nuts && flatten(filter.nuts.map(nutsRange)),
    cpvKeys: filter.cpv?.map(keyOfCpv) ?? [],
    nutsKeys: filter.nuts?.map(keyOfNuts) ?? [],
  }
}

/** False only when no entry of the block can be visible in `edition` and match. */
function blockCanMatch(chunk: Chunk, block: number, query: Query, edition: number): boolean {
  const { summary } = chunk
  if (query.archived) {
    if (Atomics.load(summary.current, block) === 0 && summary.lastSuperseded[block]! <= edition) return false
  } else if (Atomics.load(summary.open, block) === 0 && summary.lastOpenSuperseded[block]! <= edition) return false
  if (query.publishedSince !== undefined && !(summary.maxPublication[block]! >= query.publishedSince)) return false
  if (query.deadlineAfter !== undefined && !(summary.maxSubmission[block]! > query.deadlineAfter)) return false
  if (query.valueMin !== undefined && !(summary.maxValue[block]! >= query.valueMin)) return false
  if (query.valueMax !== undefined && !(summary.minValue[block]! <= query.valueMax)) return false
  if (query.procedures !== undefined && (summary.procedures[block]! & query.procedures) === 0) return false
  return (
    hasOneOf(summary.codes, block, query.cpv, query.cpvKeys) &&
    hasOneOf(summary.codes, block, query.nuts, query.nutsKeys)
  )
}

function hasOneOf(
  codes: Uint32Array,
  block: number,
  ranges: Uint32Array | undefined,
  keys: readonly number[],
): boolean {
  if (ranges === undefined) return true
  for (const key of keys) if (hasCodeKey(codes, block, key)) return true
  return false
}

function inRanges(values: Uint32Array, from: number, to: number, ranges: Uint32Array): boolean {
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

/** Positions in [from, to) that are visible in `edition` and match, at most `limit`. */
export function scan(
  table: RecordTable,
  query: Query,
  edition: number,
  from: number,
  to: number,
  limit: number,
): number[] {
  const found: number[] = []
  let position = from
  while (position < to) {
    const chunk = table.chunks[position >>> chunkBits]!
    const row = position & rowMask
    const block = row >>> blockBits
    const blockEnd = Math.min(to, position - (row & (blockSize - 1)) + blockSize)
    if (blockCanMatch(chunk, block, query, edition)) {
      scanBlock(chunk, query, edition, row, row + blockEnd - position, limit, position - row, found)
      if (found.length === limit) break
    }
    position = blockEnd
  }
  return found
}

/** Missing values are NaN, so every comparison below is written so that NaN excludes (C97). */
function scanBlock(
  chunk: Chunk,
  query: Query,
  edition: number,
  fromRow: number,
  toRow: number,
  limit: number,
  firstPosition: number,
  found: number[],
): void {
  const { superseded, flags, publication, submission, eurValue, procedure, cpvEnd, nutsEnd, cpv, nuts } = chunk
  const hidden = query.archived ? 0 : archivedFlag
  const { publishedSince, deadlineAfter, valueMin, valueMax, procedures } = query
  for (let row = fromRow; row < toRow; row++) {
    if ((flags[row]! & hidden) !== 0) continue
    const replacedBy = superseded[row]!
    if (replacedBy !== 0 && replacedBy <= edition) continue
    if (publishedSince !== undefined && !(publication[row]! >= publishedSince)) continue
    if (deadlineAfter !== undefined && !(submission[row]! > deadlineAfter)) continue
    if (valueMin !== undefined && !(eurValue[row]! >= valueMin)) continue
    if (valueMax !== undefined && !(eurValue[row]! <= valueMax)) continue
    if (procedures !== undefined && (procedure[row]! > 31 || (procedures & (1 << procedure[row]!)) === 0)) continue
    if (query.nuts && !inRanges(nuts, row === 0 ? 0 : nutsEnd[row - 1]!, nutsEnd[row]!, query.nuts)) continue
    if (query.cpv && !inRanges(cpv, row === 0 ? 0 : cpvEnd[row - 1]!, cpvEnd[row]!, query.cpv)) continue
    found.push(firstPosition + row)
    if (found.length === limit) return
  }
}

// The list over one edition: the filter made ready for scanning, and the scan, chunk by chunk. A full chunk is scanned
// by its index (scan-indexed.ts), the last one, which still grows, row by row (scan-rows.ts); both find the same.
import { procedureTypes } from '../../domain/codes.ts'
import { type CodeRange, cpvRange } from '../../domain/cpv.ts'
import type { TenderFilter } from '../../domain/filter.ts'
import { nutsRange } from '../../domain/nuts.ts'
import { nutsSpace, procedureSpace } from './chunk-index.ts'
import { chunkBits, chunkSize, type RecordTable, rowMask } from './record-table.ts'
import { scanIndexed } from './scan-indexed.ts'
import type { Part, Query } from './scan-part.ts'
import { scanRows } from './scan-rows.ts'

/** Removes ranges within others: ranges of codes are nested or disjoint. */
function outermost(ranges: readonly CodeRange[]): CodeRange[] {
  const kept: CodeRange[] = []
  for (const range of [...ranges].sort((a, b) => a.from - b.from || b.to - a.to))
    if (kept.length === 0 || range.from > kept[kept.length - 1]!.to) kept.push(range)
  return kept
}

const flat = (ranges: readonly CodeRange[]): Uint32Array =>
  Uint32Array.from(ranges.flatMap(({ from, to }) => [from, to]))

const moved = (ranges: readonly CodeRange[], by: number): CodeRange[] =>
  ranges.map(({ from, to }) => ({ from: from + by, to: to + by }))

export function compileQuery(filter: TenderFilter): Query {
  const { publishedSince, updatedSince, deadlineAfter, valueMin, valueMax, archived, ...codes } = filter
  const { cpv: cpvCodes, nuts: nutsCodes, procedure, ...unanswered } = codes
  // A new filter does not compile until it is answered here.
  unanswered satisfies { readonly [member: string]: never }
  const cpv = cpvCodes && outermost(cpvCodes.map(cpvRange))
  const nuts = nutsCodes && outermost(nutsCodes.map(nutsRange))
  const procedures = procedure?.map((code) => procedureTypes.indexOf(code))
  return {
    archived: archived || updatedSince !== undefined,
    publishedSince,
    deadlineAfter,
    valueMin,
    valueMax,
    procedures: procedures?.reduce((mask, index) => mask | (1 << index), 0),
    cpv: cpv && flat(cpv),
    nuts: nuts && flat(nuts),
    codeFilters: [
      ...(cpv ? [cpv] : []),
      ...(nuts ? [moved(nuts, nutsSpace)] : []),
      ...(procedures
        ? [
            moved(
              procedures.map((index) => ({ from: index, to: index })),
              procedureSpace,
            ),
          ]
        : []),
    ],
  }
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
  for (let position = from; position < to && found.length < limit; ) {
    const chunk = table.chunks[position >>> chunkBits]!
    const first = position - (position & rowMask)
    const part: Part = {
      chunk,
      query,
      edition,
      fromRow: position - first,
      toRow: Math.min(to - first, chunkSize),
      limit,
      firstPosition: first,
      found,
    }
    if (chunk.codes.length > 0 || chunk.classBits.length > 0) scanIndexed(part)
    else scanRows(part)
    position = first + chunkSize
  }
  return found
}

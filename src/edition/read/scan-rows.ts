// The scan of a chunk that has no index: condition by condition, over the rows of a block that are left.
import { archivedFlag } from '../format/entry-batch.ts'
import { blockBits, blockSize } from './record-table.ts'
import { inRanges, isBlockVisible, type Part } from './scan-part.ts'

/** Rows of a block that passed the conditions checked so far. */
const selected = new Uint16Array(blockSize)

/** Checks condition by condition, each on the rows of a block that passed the previous ones. */
export function scanRows({ chunk, query, edition, fromRow, toRow, limit, firstPosition, found }: Part): void {
  const { publishedSince, deadlineAfter, valueMin, valueMax, procedures, cpv, nuts } = query
  for (let block = fromRow >>> blockBits; block << blockBits < toRow; block++) {
    if (!isBlockVisible(chunk, block, query.archived, edition)) continue
    const from = Math.max(fromRow, block << blockBits)
    const to = Math.min(toRow, (block + 1) << blockBits)
    let count = select(chunk.flags, query.archived ? 0 : archivedFlag, from, to)
    if (publishedSince !== undefined) count = keepFrom(chunk.publication, publishedSince, count)
    if (deadlineAfter !== undefined) count = keepAfter(chunk.submission, deadlineAfter, count)
    if (valueMin !== undefined) count = keepFrom(chunk.eurValue, valueMin, count)
    if (valueMax !== undefined) count = keepUpTo(chunk.eurValue, valueMax, count)
    if (procedures !== undefined) count = keepProcedures(chunk.procedure, procedures, count)
    if (nuts) count = keepCodes(chunk.nuts, chunk.nutsEnd, nuts, count)
    if (cpv) count = keepCodes(chunk.cpv, chunk.cpvEnd, cpv, count)
    for (let index = 0; index < count; index++) {
      const replacedBy = chunk.superseded[selected[index]!]!
      if (replacedBy !== 0 && replacedBy <= edition) continue
      found.push(firstPosition + selected[index]!)
      if (found.length === limit) return
    }
  }
}

function select(flags: Uint8Array, hidden: number, from: number, to: number): number {
  let count = 0
  for (let row = from; row < to; row++) if ((flags[row]! & hidden) === 0) selected[count++] = row
  return count
}

// One loop for each comparison: each keeps, of the first `count` rows of `selected`, those that match, and returns how
// many. A single loop that is handed the comparison takes a fifth longer: with six conditions on 4,096 rows 39 instead
// of 33 µs, as the engine cannot inline what differs from call to call.

function keepFrom(values: Float64Array, least: number, count: number): number {
  let kept = 0
  for (let index = 0; index < count; index++)
    if (values[selected[index]!]! >= least) selected[kept++] = selected[index]!
  return kept
}

function keepAfter(values: Float64Array, bound: number, count: number): number {
  let kept = 0
  for (let index = 0; index < count; index++) if (values[selected[index]!]! > bound) selected[kept++] = selected[index]!
  return kept
}

function keepUpTo(values: Float64Array, most: number, count: number): number {
  let kept = 0
  for (let index = 0; index < count; index++) if (values[selected[index]!]! <= most) selected[kept++] = selected[index]!
  return kept
}

function keepProcedures(values: Uint8Array, procedures: number, count: number): number {
  let kept = 0
  for (let index = 0; index < count; index++) {
    const value = values[selected[index]!]!
    if (value <= 31 && (procedures & (1 << value)) !== 0) selected[kept++] = selected[index]!
  }
  return kept
}

function keepCodes(codes: Uint32Array, ends: Uint32Array, ranges: Uint32Array, count: number): number {
  let kept = 0
  for (let index = 0; index < count; index++) {
    const row = selected[index]!
    if (inRanges(codes, row === 0 ? 0 : ends[row - 1]!, ends[row]!, ranges)) selected[kept++] = row
  }
  return kept
}

// The columns of all entries in memory, in chunks that never move; a full chunk has an index (chunk-index.ts).
//
// The columns are in shared memory. One thread appends and marks; others read up to the end of an edition that was
// announced to them. In that part only `superseded`, `verified`, the counts of blocks and the bits of superseded rows
// still change, and either value of these is correct.

import { archivedFlag, type EntryBatch } from '../format/entry-batch.ts'
import { readId } from '../format/record-id.ts'
import { type ChunkIndex, type IndexedColumns, indexOf, noIndex } from './chunk-index.ts'
import type { IdWords } from './id-index.ts'
import { sharedBytes, sharedCopy, sharedFloats, sharedWords } from './shared-arrays.ts'

/**
 * Base-2 logarithm of the number of entries that are counted together and whose pieces are positioned relative to the
 * first one.
 */
export const blockBits = 10
export const blockSize = 1 << blockBits
/**
 * Base-2 logarithm of the number of entries that are indexed together; the last, incomplete chunk is checked entry by
 * entry.
 */
export const chunkBits = 14
export const chunkSize = 1 << chunkBits
export const rowMask = chunkSize - 1
const blocksPerChunk = chunkSize / blockSize

type Columns = IndexedColumns & {
  readonly lastModified: Float64Array
  readonly ids: Uint32Array
  /**
   * Ends of the pieces, relative to the start of their block's first piece; a piece begins where the previous one ends.
   */
  readonly plainEnd: Uint32Array
  readonly gzipEnd: Uint32Array
  readonly plainCrc: Uint32Array
  readonly gzipCrc: Uint32Array
  readonly sourceSet: Uint32Array
  /** The edition that replaced the entry; 0 while it is the newest version. */
  readonly superseded: Uint32Array
  /** Position + 1 of the previous version; 0 for the first. Set when its edition is complete. */
  readonly previous: Uint32Array
  cpv: Uint32Array
  nuts: Uint32Array
  readonly flags: Uint8Array
  /** Pieces that were found intact since the log was opened: bit 0 plain, bit 1 gzip. */
  readonly verified: Uint8Array
  /** A bit for each entry that a held edition may show; `openRows`: those of them that are not archived. */
  readonly heldRows: Uint32Array
  readonly openRows: Uint32Array
  /**
   * For each block: entries not superseded, those of them that are not archived, and the latest editions that
   * superseded one.
   */
  readonly current: Uint32Array
  readonly open: Uint32Array
  readonly lastSuperseded: Uint32Array
  readonly lastOpenSuperseded: Uint32Array
  /** For each block: the position of its first entry's pieces in the body files. */
  readonly plainBase: Float64Array
  readonly gzipBase: Float64Array
}

export type Chunk = Columns & ChunkIndex

export function newChunk(): Chunk {
  const floats = () => sharedFloats(chunkSize)
  const words = () => sharedWords(chunkSize)
  const blockWords = () => sharedWords(blocksPerChunk)
  return {
    lastModified: floats(),
    publication: floats(),
    submission: floats(),
    eurValue: floats(),
    ids: sharedWords(4 * chunkSize),
    plainEnd: words(),
    gzipEnd: words(),
    plainCrc: words(),
    gzipCrc: words(),
    sourceSet: words(),
    superseded: words(),
    previous: words(),
    cpvEnd: words(),
    nutsEnd: words(),
    cpv: words(),
    nuts: words(),
    flags: sharedBytes(chunkSize),
    procedure: sharedBytes(chunkSize),
    verified: sharedBytes(chunkSize),
    heldRows: sharedWords(chunkSize / 32),
    openRows: sharedWords(chunkSize / 32),
    current: blockWords(),
    open: blockWords(),
    lastSuperseded: blockWords(),
    lastOpenSuperseded: blockWords(),
    plainBase: sharedFloats(blocksPerChunk),
    gzipBase: sharedFloats(blocksPerChunk),
    ...noIndex(),
  }
}

function withRoom(array: Uint32Array, length: number): Uint32Array {
  if (length <= array.length) return array
  const larger = sharedWords(Math.max(length, array.length * 2))
  larger.set(array)
  return larger
}

export class RecordTable {
  readonly chunks: Chunk[] = []
  readonly #makeChunk: () => Chunk
  /** Number of entries appended, also of an edition not yet shown. */
  count = 0
  /** Called with each chunk that is new or whose code arrays were replaced, after a batch was added. */
  onChunk: ((index: number, chunk: Chunk) => void) | undefined
  readonly idAt = (position: number): IdWords => ({
    words: this.chunks[position >>> chunkBits]!.ids,
    offset: (position & rowMask) * 4,
  })

  /** `makeChunk` provides empty ones: code that opens thousands of small tables may reuse chunks. */
  constructor(makeChunk: () => Chunk = newChunk) {
    this.#makeChunk = makeChunk
  }

  /**
   * Appends a batch, whose pieces follow those of the previous one; `sourceSets` maps its local numbers of source sets
   * to those of the log. A chunk that becomes full is indexed: some milliseconds.
   */
  append(batch: EntryBatch, sourceSets: readonly number[]): void {
    if (
      this.count > 0 &&
      (batch.plainStart !== this.plainEnd(this.count - 1) || batch.gzipStart !== this.gzipEnd(this.count - 1))
    )
      throw new Error('pieces of a batch do not follow those of the one before')
    let plain = batch.plainStart
    let gzip = batch.gzipStart
    let cpvFrom = 0
    let nutsFrom = 0
    const firstChunk = Math.max(0, this.chunks.length - 1)
    const { cpv: cpvBefore, nuts: nutsBefore, codes: codesBefore } = this.chunks[firstChunk] ?? {}
    for (let index = 0; index < batch.count; index++) {
      const row = this.count & rowMask
      if (row === 0) this.chunks.push(this.#makeChunk())
      const chunk = this.chunks[this.chunks.length - 1]!
      const block = row >>> blockBits
      if ((row & (blockSize - 1)) === 0) {
        chunk.plainBase[block] = plain
        chunk.gzipBase[block] = gzip
      }
      chunk.lastModified[row] = batch.lastModified[index]!
      chunk.publication[row] = batch.publication[index]!
      chunk.submission[row] = batch.submission[index]!
      chunk.eurValue[row] = batch.eurValue[index]!
      for (let word = 0; word < 4; word++) chunk.ids[row * 4 + word] = batch.ids[index * 4 + word]!
      plain += batch.plainLength[index]!
      gzip += batch.gzipLength[index]!
      chunk.plainEnd[row] = plain - chunk.plainBase[block]!
      chunk.gzipEnd[row] = gzip - chunk.gzipBase[block]!
      chunk.plainCrc[row] = batch.plainCrc[index]!
      chunk.gzipCrc[row] = batch.gzipCrc[index]!
      chunk.sourceSet[row] = sourceSets[batch.sourceSet[index]!]!
      chunk.flags[row] = batch.flags[index]!
      chunk.procedure[row] = batch.procedure[index]!
      const cpvTo = cpvFrom + batch.cpvCount[index]!
      const nutsTo = nutsFrom + batch.nutsCount[index]!
      appendCodes(chunk, row, batch, cpvFrom, cpvTo, nutsFrom, nutsTo)
      cpvFrom = cpvTo
      nutsFrom = nutsTo
      chunk.current[block]!++
      chunk.heldRows[row >>> 5]! |= 1 << (row & 31)
      if ((chunk.flags[row]! & archivedFlag) === 0) {
        chunk.open[block]!++
        chunk.openRows[row >>> 5]! |= 1 << (row & 31)
      }
      if (row === rowMask) finish(chunk)
      this.count++
    }
    if (!this.onChunk) return
    for (let index = firstChunk; index < this.chunks.length; index++) {
      const chunk = this.chunks[index]!
      if (index > firstChunk || chunk.cpv !== cpvBefore || chunk.nuts !== nutsBefore || chunk.codes !== codesBefore)
        this.onChunk(index, chunk)
    }
  }

  /**
   * Marks an entry as replaced by the version at `by`, in `edition`. Editions increase. Another thread may read an
   * earlier edition at the same time: it must not find a decreased count whose edition it cannot see yet.
   */
  supersede(position: number, by: number, edition: number): void {
    const chunk = this.chunks[position >>> chunkBits]!
    const row = position & rowMask
    const block = row >>> blockBits
    this.chunks[by >>> chunkBits]!.previous[by & rowMask] = position + 1
    chunk.superseded[row] = edition
    Atomics.store(chunk.lastSuperseded, block, edition)
    Atomics.sub(chunk.current, block, 1)
    if ((chunk.flags[row]! & archivedFlag) !== 0) return
    Atomics.store(chunk.lastOpenSuperseded, block, edition)
    Atomics.sub(chunk.open, block, 1)
  }

  /** Removes the entries from `end` on, which do not belong to any edition yet. */
  truncate(end: number): void {
    const kept = Math.ceil(end / chunkSize)
    this.chunks.length = Math.min(this.chunks.length, kept)
    const last = this.chunks[kept - 1]
    for (let position = end; position < Math.min(this.count, kept * chunkSize); position++) {
      const { current, open, flags } = last!
      const row = position & rowMask
      Atomics.sub(current, row >>> blockBits, 1)
      if ((flags[row]! & archivedFlag) === 0) Atomics.sub(open, row >>> blockBits, 1)
      this.hide(position)
    }
    this.count = end
    if (!last || (end & rowMask) === 0 || last.codes.length === 0) return
    // Other rows will replace those that the index refers to.
    Object.assign(last, noIndex())
    this.onChunk?.(kept - 1, last)
  }

  /** Marks an entry that no held edition can show: queries skip it. */
  hide(position: number): void {
    const chunk = this.chunks[position >>> chunkBits]!
    const row = position & rowMask
    chunk.heldRows[row >>> 5]! &= ~(1 << (row & 31))
    chunk.openRows[row >>> 5]! &= ~(1 << (row & 31))
  }

  /** Whether a held edition may show the entry. */
  isHeld(position: number): boolean {
    const row = position & rowMask
    return (this.chunks[position >>> chunkBits]!.heldRows[row >>> 5]! & (1 << (row & 31))) !== 0
  }

  /** Returns the position of the previous version of the entry at `position`. */
  previous(position: number): number | undefined {
    const stored = this.chunks[position >>> chunkBits]!.previous[position & rowMask]!
    return stored === 0 ? undefined : stored - 1
  }

  /** Returns the end of a piece in its file. */
  plainEnd(position: number): number {
    const { plainBase, plainEnd } = this.chunks[position >>> chunkBits]!
    return plainBase[(position & rowMask) >>> blockBits]! + plainEnd[position & rowMask]!
  }

  gzipEnd(position: number): number {
    const { gzipBase, gzipEnd } = this.chunks[position >>> chunkBits]!
    return gzipBase[(position & rowMask) >>> blockBits]! + gzipEnd[position & rowMask]!
  }

  plainLength(position: number): number {
    return lengthIn(this.chunks[position >>> chunkBits]!.plainEnd, position & rowMask)
  }

  gzipLength(position: number): number {
    return lengthIn(this.chunks[position >>> chunkBits]!.gzipEnd, position & rowMask)
  }

  id(position: number): string {
    return readId(this.chunks[position >>> chunkBits]!.ids, (position & rowMask) * 4)
  }

  lastModified(position: number): number {
    return this.chunks[position >>> chunkBits]!.lastModified[position & rowMask]!
  }

  /** Returns the first of the positions before `end` with lastModified >= `time`; `end` when there is none. */
  lowerBound(time: number, end: number): number {
    let low = 0
    let high = end
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.lastModified(middle) < time) low = middle + 1
      else high = middle
    }
    return low
  }
}

function appendCodes(
  chunk: Chunk,
  row: number,
  batch: EntryBatch,
  cpvFrom: number,
  cpvTo: number,
  nutsFrom: number,
  nutsTo: number,
): void {
  let cpvEnd = row === 0 ? 0 : chunk.cpvEnd[row - 1]!
  let nutsEnd = row === 0 ? 0 : chunk.nutsEnd[row - 1]!
  chunk.cpv = withRoom(chunk.cpv, cpvEnd + cpvTo - cpvFrom)
  chunk.nuts = withRoom(chunk.nuts, nutsEnd + nutsTo - nutsFrom)
  for (let index = cpvFrom; index < cpvTo; index++) chunk.cpv[cpvEnd++] = batch.cpv[index]!
  for (let index = nutsFrom; index < nutsTo; index++) chunk.nuts[nutsEnd++] = batch.nuts[index]!
  chunk.cpvEnd[row] = cpvEnd
  chunk.nutsEnd[row] = nutsEnd
}

function lengthIn(ends: Uint32Array, row: number): number {
  return (row & (blockSize - 1)) === 0 ? ends[row]! : ends[row]! - ends[row - 1]!
}

/** A full chunk needs no room for more codes; its index is built. */
function finish(chunk: Chunk): void {
  chunk.cpv = sharedCopy(chunk.cpv, chunk.cpvEnd[rowMask]!)
  chunk.nuts = sharedCopy(chunk.nuts, chunk.nutsEnd[rowMask]!)
  Object.assign(chunk, indexOf(chunk))
}

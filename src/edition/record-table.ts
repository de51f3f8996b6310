// The columns of all entries in memory, in chunks that never move, with a summary of every block to skip what cannot match.
//
// The columns lie in shared memory. One thread appends and marks; others read what lies before the end of an edition that they
// were told of. There only `superseded`, `verified` and the summary's counts still move, and either value of these is right.
import { archivedFlag, type EntryBatch } from './entry-batch.ts'
import type { IdWords } from './id-index.ts'
import { readId } from './record-id.ts'
import { sharedBytes, sharedCopy, sharedFloats, sharedWords } from './shared-arrays.ts'

/** Records summed up together: large enough that a stock of five million has 4,900 summaries, small enough to be selective. */
export const blockBits = 10
export const blockSize = 1 << blockBits
const blocksPerChunkBits = 6
export const chunkBits = blockBits + blocksPerChunkBits
export const chunkSize = 1 << chunkBits
export const rowMask = chunkSize - 1

/** Words of a block's code filter (Bloom, two hashes): 8 KB a block; 1.6 % false hits on mixed notices, 5.5 % with half. */
const codeFilterWords = 2048

/** One summary per block; infinities and zeros for an empty one. */
type Summary = {
  readonly minPublication: Float64Array
  readonly maxPublication: Float64Array
  readonly maxSubmission: Float64Array
  readonly minValue: Float64Array
  readonly maxValue: Float64Array
  readonly procedures: Uint32Array
  /** Entries not superseded. */
  readonly current: Uint32Array
  /** Entries neither archived nor superseded. */
  readonly open: Uint32Array
  /** Latest edition that superseded an entry; for `open`, an unarchived one. */
  readonly lastSuperseded: Uint32Array
  readonly lastOpenSuperseded: Uint32Array
  /** Where the pieces of the block's first entry begin in the body files. */
  readonly plainBase: Float64Array
  readonly gzipBase: Float64Array
  readonly codes: Uint32Array
}

export type Chunk = {
  readonly lastModified: Float64Array
  readonly publication: Float64Array
  readonly submission: Float64Array
  readonly eurValue: Float64Array
  readonly ids: Uint32Array
  readonly plainOffset: Uint32Array
  readonly gzipOffset: Uint32Array
  readonly plainLength: Uint32Array
  readonly gzipLength: Uint32Array
  readonly plainCrc: Uint32Array
  readonly gzipCrc: Uint32Array
  readonly sourceSet: Uint32Array
  /** Edition that replaced the entry; 0 while it is the newest version. */
  readonly superseded: Uint32Array
  /** Position + 1 of the version before this one; 0 for the first. Set when its edition is complete. */
  readonly previous: Uint32Array
  /** End of the entry's codes; they begin where those of the entry before end. */
  readonly cpvEnd: Uint32Array
  readonly nutsEnd: Uint32Array
  cpv: Uint32Array
  nuts: Uint32Array
  readonly flags: Uint8Array
  readonly procedure: Uint8Array
  /** Which pieces were found intact since the log was opened: bit 0 plain, bit 1 gzip. */
  readonly verified: Uint8Array
  readonly summary: Summary
}

export function newChunk(): Chunk {
  const floats = () => sharedFloats(chunkSize)
  const words = () => sharedWords(chunkSize)
  const blocks = 1 << blocksPerChunkBits
  return {
    lastModified: floats(),
    publication: floats(),
    submission: floats(),
    eurValue: floats(),
    ids: sharedWords(4 * chunkSize),
    plainOffset: words(),
    gzipOffset: words(),
    plainLength: words(),
    gzipLength: words(),
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
    summary: {
      minPublication: sharedFloats(blocks).fill(Number.POSITIVE_INFINITY),
      maxPublication: sharedFloats(blocks).fill(Number.NEGATIVE_INFINITY),
      maxSubmission: sharedFloats(blocks).fill(Number.NEGATIVE_INFINITY),
      minValue: sharedFloats(blocks).fill(Number.POSITIVE_INFINITY),
      maxValue: sharedFloats(blocks).fill(Number.NEGATIVE_INFINITY),
      procedures: sharedWords(blocks),
      current: sharedWords(blocks),
      open: sharedWords(blocks),
      lastSuperseded: sharedWords(blocks),
      lastOpenSuperseded: sharedWords(blocks),
      plainBase: sharedFloats(blocks),
      gzipBase: sharedFloats(blocks),
      codes: sharedWords(blocks * codeFilterWords),
    },
  }
}

function withRoom(array: Uint32Array, length: number): Uint32Array {
  if (length <= array.length) return array
  const larger = sharedWords(Math.max(length, array.length * 2))
  larger.set(array)
  return larger
}

/** Key of a CPV prefix of 2 to 5 or 8 digits in the code filters. */
export const cpvKey = (prefix: number, digits: number): number => Math.imul(prefix * 16 + digits, 0x9e3779b1)
/** Key of a NUTS prefix of 2 to 5 characters; `value` is the number of the code with the rest left away. */
export const nutsKey = (value: number, characters: number): number =>
  Math.imul(value * 16 + 8 + characters, 0x85ebca6b) ^ 0x5bd1e995

/**
 * Where a key's bits lie differs from block to block: otherwise a key whose bits happen to be those of frequent ones would
 * be found in nearly all blocks.
 */
function bitOf(key: number, block: number, turn: number): number {
  const salted = key ^ Math.imul(block + 1, 0x9e3779b1)
  const mixed = Math.imul(salted ^ (salted >>> 15), turn)
  return (mixed ^ (mixed >>> 13)) & (codeFilterWords * 32 - 1)
}

export function hasCodeKey(codes: Uint32Array, block: number, key: number): boolean {
  const first = bitOf(key, block, 0x2c1b3c6d)
  if ((codes[block * codeFilterWords + (first >>> 5)]! & (1 << (first & 31))) === 0) return false
  const second = bitOf(key, block, 0x297a2d39)
  return (codes[block * codeFilterWords + (second >>> 5)]! & (1 << (second & 31))) !== 0
}

function addCodeKey(codes: Uint32Array, block: number, key: number): void {
  const first = bitOf(key, block, 0x2c1b3c6d)
  const second = bitOf(key, block, 0x297a2d39)
  const base = block * codeFilterWords
  codes[base + (first >>> 5)]! |= 1 << (first & 31)
  codes[base + (second >>> 5)]! |= 1 << (second & 31)
}

/** Place values of the characters of a NUTS number (domain/nuts.ts): the rest of a prefix of n characters is below scale[n]. */
export const nutsScale: readonly number[] = [37 ** 5, 37 ** 4, 37 ** 3, 37 ** 2, 37, 1]

export class RecordTable {
  readonly chunks: Chunk[] = []
  readonly #makeChunk: () => Chunk
  /** Entries appended, those of an edition not yet shown included. */
  count = 0
  /** Told of each chunk that is new or got other arrays of codes, once a batch is in it. */
  onChunk: ((index: number, chunk: Chunk) => void) | undefined
  readonly idAt = (position: number): IdWords => ({
    words: this.chunks[position >>> chunkBits]!.ids,
    offset: (position & rowMask) * 4,
  })

  /** `makeChunk` gives empty ones: whoever opens thousands of small tables may use chunks again. */
  constructor(makeChunk: () => Chunk = newChunk) {
    this.#makeChunk = makeChunk
  }

  /** Appends a batch; `sourceSets` maps its local numbers of source sets to those of the log. */
  append(batch: EntryBatch, sourceSets: readonly number[]): void {
    let plain = batch.plainStart
    let gzip = batch.gzipStart
    let cpvFrom = 0
    let nutsFrom = 0
    const firstChunk = Math.max(0, this.chunks.length - 1)
    const { cpv: cpvBefore, nuts: nutsBefore } = this.chunks[firstChunk] ?? {}
    for (let index = 0; index < batch.count; index++) {
      const row = this.count & rowMask
      if (row === 0) this.#addChunk()
      const chunk = this.chunks[this.chunks.length - 1]!
      const block = row >>> blockBits
      const summary = chunk.summary
      if ((row & (blockSize - 1)) === 0) {
        summary.plainBase[block] = plain
        summary.gzipBase[block] = gzip
      }
      chunk.lastModified[row] = batch.lastModified[index]!
      chunk.publication[row] = batch.publication[index]!
      chunk.submission[row] = batch.submission[index]!
      chunk.eurValue[row] = batch.eurValue[index]!
      for (let word = 0; word < 4; word++) chunk.ids[row * 4 + word] = batch.ids[index * 4 + word]!
      chunk.plainOffset[row] = plain - summary.plainBase[block]!
      chunk.gzipOffset[row] = gzip - summary.gzipBase[block]!
      chunk.plainLength[row] = batch.plainLength[index]!
      chunk.gzipLength[row] = batch.gzipLength[index]!
      chunk.plainCrc[row] = batch.plainCrc[index]!
      chunk.gzipCrc[row] = batch.gzipCrc[index]!
      chunk.sourceSet[row] = sourceSets[batch.sourceSet[index]!]!
      chunk.flags[row] = batch.flags[index]!
      chunk.procedure[row] = batch.procedure[index]!
      const cpvTo = cpvFrom + batch.cpvCount[index]!
      const nutsTo = nutsFrom + batch.nutsCount[index]!
      appendCodes(chunk, row, batch, cpvFrom, cpvTo, nutsFrom, nutsTo)
      summarise(chunk, row, block)
      plain += batch.plainLength[index]!
      gzip += batch.gzipLength[index]!
      cpvFrom = cpvTo
      nutsFrom = nutsTo
      this.count++
    }
    if (!this.onChunk) return
    for (let index = firstChunk; index < this.chunks.length; index++) {
      const chunk = this.chunks[index]!
      if (index > firstChunk || chunk.cpv !== cpvBefore || chunk.nuts !== nutsBefore) this.onChunk(index, chunk)
    }
  }

  #addChunk(): void {
    const last = this.chunks[this.chunks.length - 1]
    if (last) {
      // A full chunk needs no room to grow.
      last.cpv = sharedCopy(last.cpv, last.cpvEnd[rowMask]!)
      last.nuts = sharedCopy(last.nuts, last.nutsEnd[rowMask]!)
    }
    this.chunks.push(this.#makeChunk())
  }

  /**
   * Marks an entry as replaced by the version at `by`, in `edition`. Editions rise. A reader of an edition before may look at
   * the same time: it must not find a count gone down whose edition it cannot see yet.
   */
  supersede(position: number, by: number, edition: number): void {
    const chunk = this.chunks[position >>> chunkBits]!
    const row = position & rowMask
    const block = row >>> blockBits
    const { summary } = chunk
    this.chunks[by >>> chunkBits]!.previous[by & rowMask] = position + 1
    chunk.superseded[row] = edition
    Atomics.store(summary.lastSuperseded, block, edition)
    Atomics.sub(summary.current, block, 1)
    if ((chunk.flags[row]! & archivedFlag) !== 0) return
    Atomics.store(summary.lastOpenSuperseded, block, edition)
    Atomics.sub(summary.open, block, 1)
  }

  /**
   * Forgets the entries from `end` on, which no edition holds yet. Bounds and codes of their blocks stay as they are: wider than
   * need be, so that readers miss nothing at any moment.
   */
  truncate(end: number): void {
    const kept = Math.ceil(end / chunkSize)
    this.chunks.length = Math.min(this.chunks.length, kept)
    for (let position = end; position < Math.min(this.count, kept * chunkSize); position++) {
      const { summary, flags } = this.chunks[position >>> chunkBits]!
      const row = position & rowMask
      Atomics.sub(summary.current, row >>> blockBits, 1)
      if ((flags[row]! & archivedFlag) === 0) Atomics.sub(summary.open, row >>> blockBits, 1)
    }
    this.count = end
  }

  /** Position of the version before the one at `position`. */
  previous(position: number): number | undefined {
    const stored = this.chunks[position >>> chunkBits]!.previous[position & rowMask]!
    return stored === 0 ? undefined : stored - 1
  }

  id(position: number): string {
    return readId(this.chunks[position >>> chunkBits]!.ids, (position & rowMask) * 4)
  }

  lastModified(position: number): number {
    return this.chunks[position >>> chunkBits]!.lastModified[position & rowMask]!
  }

  /** First of the positions before `end` with lastModified >= `time`; `end` when there is none. */
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

function summarise(chunk: Chunk, row: number, block: number): void {
  const { summary } = chunk
  const publication = chunk.publication[row]!
  if (publication < summary.minPublication[block]!) summary.minPublication[block] = publication
  if (publication > summary.maxPublication[block]!) summary.maxPublication[block] = publication
  if (chunk.submission[row]! > summary.maxSubmission[block]!) summary.maxSubmission[block] = chunk.submission[row]!
  const value = chunk.eurValue[row]!
  if (value < summary.minValue[block]!) summary.minValue[block] = value
  if (value > summary.maxValue[block]!) summary.maxValue[block] = value
  if (chunk.procedure[row]! < 32) summary.procedures[block]! |= 1 << chunk.procedure[row]!
  summary.current[block]!++
  if ((chunk.flags[row]! & archivedFlag) === 0) summary.open[block]!++
  for (let index = row === 0 ? 0 : chunk.cpvEnd[row - 1]!; index < chunk.cpvEnd[row]!; index++) {
    const code = chunk.cpv[index]!
    addCodeKey(summary.codes, block, cpvKey(Math.floor(code / 1_000_000), 2))
    addCodeKey(summary.codes, block, cpvKey(Math.floor(code / 100_000), 3))
    addCodeKey(summary.codes, block, cpvKey(Math.floor(code / 10_000), 4))
    addCodeKey(summary.codes, block, cpvKey(Math.floor(code / 1_000), 5))
    addCodeKey(summary.codes, block, cpvKey(code, 8))
  }
  for (let index = row === 0 ? 0 : chunk.nutsEnd[row - 1]!; index < chunk.nutsEnd[row]!; index++) {
    const code = chunk.nuts[index]!
    for (let characters = 2; characters <= 5; characters++)
      addCodeKey(summary.codes, block, nutsKey(Math.floor(code / nutsScale[characters]!), characters))
  }
}

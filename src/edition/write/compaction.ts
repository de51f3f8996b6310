// Copies a generation of the edition log without the entries that no held edition can show: the next generation is
// written while the present one continues to serve and to load editions.
import type { BodyKind } from '../format/body-files.ts'
import type { EntryBatch } from '../format/entry-batch.ts'
import type { HeldEdition } from '../read/held-log.ts'
import { chunkBits, rowMask } from '../read/record-table.ts'
import { pieceRuns, RunMemory } from './body-runs.ts'
import type { LogState } from './log-state.ts'

/** Number of entries copied together: loading their frame takes well under a millisecond. */
const batchSize = 256

export class Compaction {
  readonly #source: LogState
  readonly #target: LogState
  /**
   * Entries replaced by this edition or an earlier one are left out: fixed at the start, so that all copied editions
   * are consistent.
   */
  readonly #oldest: number
  readonly #memory = new RunMemory()
  /** The last edition that was copied. */
  #copied: HeldEdition | undefined

  /** `target` must be empty. */
  constructor(source: LogState, target: LogState) {
    this.#source = source
    this.#target = target
    this.#oldest = source.oldest
  }

  /**
   * Copies the editions that are not copied yet, including those that arrive meanwhile. False if `isStopped` returned
   * true before the end. Pieces that one file lost are made from the other; throws DamagedLogError for a record that
   * both lost.
   */
  async run(isStopped: () => boolean): Promise<boolean> {
    const [first] = this.#source.editions.values()
    for (let next = this.#copied?.next ?? (this.#copied ? undefined : first); next; next = next.next) {
      if (!(await this.#copyEdition(next, isStopped))) return false
      this.#copied = next
    }
    return true
  }

  async #copyEdition({ info, checks, end, isComplete, isPassed }: HeldEdition, isStopped: () => boolean) {
    const { table } = this.#source
    const number = info.edition
    let kept: number[] = []
    for (let position = this.#copied?.end ?? 0; position < end; position++) {
      const replacedBy = table.chunks[position >>> chunkBits]!.superseded[position & rowMask]!
      if (replacedBy === 0 || replacedBy > this.#oldest) kept.push(position)
      if (kept.length < batchSize) continue
      if (isStopped()) return false
      await this.#copy(number, kept)
      kept = []
    }
    if (isStopped()) return false
    if (kept.length > 0) await this.#copy(number, kept)
    // not everything that earlier editions could show is here: a file that was truncated to one of them must not be
    // shown
    const isWhole = isComplete && number >= this.#oldest
    await this.#target.endCopied({ ...info, checks: Object.fromEntries(checks) }, { isComplete: isWhole, isPassed })
    return true
  }

  async #copy(edition: number, positions: readonly number[]): Promise<void> {
    this.#memory.reset()
    const plain = await intactPieces(this.#source, 'plain', positions, this.#memory)
    const gzip = await intactPieces(this.#source, 'gzip', positions, this.#memory)
    const hashes = await this.#source.hashesAt(positions)
    const batch = batchOf(this.#source, edition, positions, this.#target.bodiesEnd)
    await this.#target.write({ batch, plain, gzip, hashes })
  }
}

/**
 * Reads the pieces of these entries. A piece that one file lost is made from the other file; throws DamagedLogError
 * when both lost it.
 */
export async function intactPieces(
  log: LogState,
  kind: BodyKind,
  positions: readonly number[],
  memory: RunMemory,
): Promise<Buffer[]> {
  const found: Buffer[] = []
  for await (const pieces of pieceRuns(log, kind, positions, memory))
    for (const { position, bytes, isIntact } of pieces) found.push(isIntact ? bytes : log.fromTheOther(kind, position))
  return found
}

/** Returns the columns of these entries as a batch whose pieces begin at `start`. */
export function batchOf(
  log: LogState,
  edition: number,
  positions: readonly number[],
  start: { readonly [kind in BodyKind]: number },
): EntryBatch {
  const { table } = log
  const numbers: number[] = []
  const places = positions.map((position) => ({
    chunk: table.chunks[position >>> chunkBits]!,
    row: position & rowMask,
  }))
  const sourceSet = Uint32Array.from(places, ({ chunk, row }) => {
    const number = chunk.sourceSet[row]!
    const known = numbers.indexOf(number)
    return known === -1 ? numbers.push(number) - 1 : known
  })
  const ids = new Uint32Array(positions.length * 4)
  const cpv: number[] = []
  const nuts: number[] = []
  const cpvCount = new Uint32Array(positions.length)
  const nutsCount = new Uint32Array(positions.length)
  for (const [index, { chunk, row }] of places.entries()) {
    ids.set(chunk.ids.subarray(row * 4, row * 4 + 4), index * 4)
    const cpvFrom = row === 0 ? 0 : chunk.cpvEnd[row - 1]!
    const nutsFrom = row === 0 ? 0 : chunk.nutsEnd[row - 1]!
    cpvCount[index] = chunk.cpvEnd[row]! - cpvFrom
    nutsCount[index] = chunk.nutsEnd[row]! - nutsFrom
    for (let at = cpvFrom; at < chunk.cpvEnd[row]!; at++) cpv.push(chunk.cpv[at]!)
    for (let at = nutsFrom; at < chunk.nutsEnd[row]!; at++) nuts.push(chunk.nuts[at]!)
  }
  return {
    edition,
    count: positions.length,
    plainStart: start.plain,
    gzipStart: start.gzip,
    lastModified: Float64Array.from(places, ({ chunk, row }) => chunk.lastModified[row]!),
    publication: Float64Array.from(places, ({ chunk, row }) => chunk.publication[row]!),
    submission: Float64Array.from(places, ({ chunk, row }) => chunk.submission[row]!),
    eurValue: Float64Array.from(places, ({ chunk, row }) => chunk.eurValue[row]!),
    ids,
    plainLength: Uint32Array.from(positions, (position) => log.lengthOf('plain', position)),
    gzipLength: Uint32Array.from(positions, (position) => log.lengthOf('gzip', position)),
    plainCrc: Uint32Array.from(places, ({ chunk, row }) => chunk.plainCrc[row]!),
    gzipCrc: Uint32Array.from(places, ({ chunk, row }) => chunk.gzipCrc[row]!),
    sourceSet,
    cpvCount,
    nutsCount,
    cpv: Uint32Array.from(cpv),
    nuts: Uint32Array.from(nuts),
    flags: Uint8Array.from(places, ({ chunk, row }) => chunk.flags[row]!),
    procedure: Uint8Array.from(places, ({ chunk, row }) => chunk.procedure[row]!),
    sourceSets: numbers.map((number) => log.sourceSets[number]!),
  }
}

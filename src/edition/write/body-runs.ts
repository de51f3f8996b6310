// Reads the pieces of many entries in large runs, each checked against its CRC-32: for copying and repair, while the
// log is served.
import type { BodyKind } from '../format/body-files.ts'
import type { LogState } from './log-state.ts'

/** Maximum bytes of one read: their checksums take about a tenth of a millisecond. */
const runLength = 1 << 19
/** Maximum gap between two pieces, in bytes, that is read needlessly to avoid a second run. */
const gapLength = 1 << 16

/** A piece as it is in the file, and whether it is intact. */
export type ReadPiece = { readonly position: number; readonly bytes: Buffer; readonly isIntact: boolean }

/** Maximum bytes of memory to keep. */
const keptLength = 4 * runLength

/**
 * Memory to read into, reused after `reset`: allocating buffers of this size each time would keep the garbage collector
 * busy. It grows with what is read, as the check of a single record each second would keep it busy too.
 */
export class RunMemory {
  #bytes: Buffer = Buffer.alloc(0)
  #used = 0

  take(length: number): Buffer {
    if (this.#used + length > this.#bytes.length) {
      if (length > keptLength || this.#bytes.length === keptLength) return Buffer.allocUnsafeSlow(length)
      this.#bytes = Buffer.allocUnsafeSlow(Math.min(keptLength, Math.max(length, 2 * this.#bytes.length)))
      this.#used = 0
    }
    this.#used += length
    return this.#bytes.subarray(this.#used - length, this.#used)
  }

  /** How many bytes are kept. */
  get size(): number {
    return this.#bytes.length
  }

  reset(): void {
    this.#used = 0
  }
}

/** Yields the pieces at these ascending positions, run by run, as bytes of `memory`; other work can run in between. */
export async function* pieceRuns(
  log: LogState,
  kind: BodyKind,
  positions: readonly number[],
  memory: RunMemory,
): AsyncGenerator<readonly ReadPiece[]> {
  for (let index = 0; index < positions.length; ) {
    const from = log.offsetOf(kind, positions[index]!)
    let to = from
    let next = index
    for (; next < positions.length; next++) {
      const begin = log.offsetOf(kind, positions[next]!)
      const end = begin + log.lengthOf(kind, positions[next]!)
      if (next > index && (end - from > runLength || begin - to > gapLength)) break
      to = end
    }
    const bytes = memory.take(to - from)
    await log.readRun(kind, bytes, from)
    yield positions.slice(index, next).map((position) => {
      const begin = log.offsetOf(kind, position) - from
      const piece = bytes.subarray(begin, begin + log.lengthOf(kind, position))
      return { position, bytes: piece, isIntact: log.isIntact(kind, position, piece) }
    })
    index = next
  }
}

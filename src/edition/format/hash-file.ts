// The file with the hash of each entry (domain/stock-digest.ts), in the order of the list: on disk, because an edition
// needs few of them and opening the log reads them once.
import type { FileHandle } from 'node:fs/promises'
import { DigestSum, recordHashLength } from '../../domain/stock-digest.ts'
import { openToAppend } from './body-files.ts'
import { GradualSync } from './gradual-sync.ts'
import { readUpTo, writeTogether } from './transfer.ts'

/** Number of hashes per read when all are read. */
const runSize = 32_768
/** Number of hashes per read when single ones are needed: 16 KB, about what the operating system reads anyway. */
const windowSize = 512
/** Maximum number of positions to sort and look up together: they take a megabyte. */
const positionsAtOnce = 262_144

export class HashFile {
  readonly #handle: FileHandle
  readonly #sync: GradualSync
  #count: number

  private constructor(handle: FileHandle, count: number) {
    this.#handle = handle
    this.#sync = new GradualSync(handle)
    this.#count = count
  }

  static async open(path: string): Promise<HashFile> {
    const handle = await openToAppend(path)
    return new HashFile(handle, Math.floor((await handle.stat()).size / recordHashLength))
  }

  /** Hashes in the file. */
  get count(): number {
    return this.#count
  }

  async append(hashes: Uint8Array): Promise<void> {
    await writeTogether(this.#handle, [hashes], this.#count * recordHashLength)
    this.#count += hashes.length / recordHashLength
    await this.#sync.wrote(hashes.length)
  }

  async truncate(count: number): Promise<void> {
    await this.#handle.truncate(count * recordHashLength)
    this.#count = count
  }

  /** Hashes from the position on, as many as the file holds and the disk can read. */
  async #read(from: number, count: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(count * recordHashLength)
    return bytes.subarray(0, await readUpTo(this.#handle, bytes, from * recordHashLength))
  }

  /** Returns the hashes at these ascending positions, one after the other; zeros for those that cannot be read. */
  async at(positions: readonly number[]): Promise<Buffer> {
    const found = Buffer.alloc(positions.length * recordHashLength)
    await this.#visit(Uint32Array.from(positions), (bytes, offset, index) =>
      bytes.copy(found, index * recordHashLength, offset, offset + recordHashLength),
    )
    return found
  }

  async #visit(ascending: Uint32Array, visit: (bytes: Buffer, offset: number, index: number) => void): Promise<void> {
    for (let index = 0; index < ascending.length; ) {
      const from = ascending[index]!
      const bytes = await this.#read(from, windowSize)
      for (; index < ascending.length && ascending[index]! < from + windowSize; index++) {
        const offset = (ascending[index]! - from) * recordHashLength
        if (offset + recordHashLength <= bytes.length) visit(bytes, offset, index)
      }
    }
  }

  /** Subtracts the hashes at these positions. */
  async subtract(sum: DigestSum, positions: Iterable<number>, isOpen: (position: number) => boolean): Promise<void> {
    let some = new Uint32Array(1024)
    let count = 0
    const subtractSome = async () => {
      const ascending = some.subarray(0, count).sort()
      await this.#visit(ascending, (bytes, offset, index) => sum.subtract(bytes, isOpen(ascending[index]!), offset))
      count = 0
    }
    for (const position of positions) {
      if (count === positionsAtOnce) await subtractSome()
      if (count === some.length) {
        const larger = new Uint32Array(some.length * 2)
        larger.set(some)
        some = larger
      }
      some[count++] = position
    }
    await subtractSome()
  }

  /** The digest of the entries before `end` that are counted. */
  async sumOf(
    end: number,
    isCounted: (position: number) => boolean,
    isOpen: (position: number) => boolean,
  ): Promise<string> {
    const sum = new DigestSum()
    for (let from = 0; from < end; from += runSize) {
      const bytes = await this.#read(from, Math.min(runSize, end - from))
      const to = from + Math.floor(bytes.length / recordHashLength)
      for (let position = from; position < to; position++)
        if (isCounted(position)) sum.add(bytes, isOpen(position), (position - from) * recordHashLength)
    }
    return sum.digest
  }

  async sync(): Promise<void> {
    await this.#sync.finish()
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

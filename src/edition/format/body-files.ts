// The two append-only files with the pieces of all records, in the order of the list: one read per run of neighbors.
import { closeSync, openSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { GradualSync } from './gradual-sync.ts'
import { readUpTo, readUpToNow, writeTogether } from './transfer.ts'

export type BodyKind = 'plain' | 'gzip'

export const bodyNames = ['plain.bin', 'gzip.bin'] as const

/** What pieces are read from. */
export type BodySource = {
  /** False when the file ends too early or cannot be read: the target is filled with zeros then. */
  readonly read: (kind: BodyKind, target: Buffer, offset: number, length: number, from: number) => boolean
}

/**
 * Reads block: they hit the page cache, where a read costs less than a turn of the event loop. Appends do not block.
 */
export class BodyFiles implements BodySource {
  readonly #handles: { readonly [kind in BodyKind]: FileHandle }
  readonly #syncs: { readonly [kind in BodyKind]: GradualSync }
  /** Position of the next piece in each file. */
  readonly end: { [kind in BodyKind]: number }

  private constructor(handles: { readonly [kind in BodyKind]: FileHandle }, end: { [kind in BodyKind]: number }) {
    this.#handles = handles
    this.#syncs = { plain: new GradualSync(handles.plain), gzip: new GradualSync(handles.gzip) }
    this.end = end
  }

  static async open(folder: string): Promise<BodyFiles> {
    const plain = await openToAppend(join(folder, bodyNames[0]))
    const gzip = await openToAppend(join(folder, bodyNames[1]))
    return new BodyFiles({ plain, gzip }, { plain: (await plain.stat()).size, gzip: (await gzip.stat()).size })
  }

  /** Cuts off what does not belong to any edition. */
  async truncate(end: { readonly [kind in BodyKind]: number }): Promise<void> {
    for (const kind of ['plain', 'gzip'] as const) {
      await this.#handles[kind].truncate(end[kind])
      this.end[kind] = end[kind]
    }
  }

  /** At most 1,000 pieces. */
  async append(kind: BodyKind, pieces: readonly Uint8Array[]): Promise<void> {
    await writeTogether(this.#handles[kind], pieces, this.end[kind])
    const begin = this.end[kind]
    for (const { length } of pieces) this.end[kind] += length
    await this.#syncs[kind].wrote(this.end[kind] - begin)
  }

  read(kind: BodyKind, target: Buffer, offset: number, length: number, from: number): boolean {
    return readPieces(this.#handles[kind].fd, target, offset, length, from)
  }

  /** Fills `target` with the bytes from `from` on; zeros where the file has ended or cannot be read. Does not block. */
  async readRun(kind: BodyKind, target: Buffer, from: number): Promise<void> {
    target.fill(0, await readUpTo(this.#handles[kind], target, from))
  }

  /** Overwrites what is there. */
  async overwrite(kind: BodyKind, from: number, piece: Buffer): Promise<void> {
    await writeAll(this.#handles[kind], piece, from)
  }

  async sync(): Promise<void> {
    await this.#syncs.plain.finish()
    await this.#syncs.gzip.finish()
  }

  async close(): Promise<void> {
    await this.#handles.plain.close()
    await this.#handles.gzip.close()
  }
}

function readPieces(fd: number, target: Buffer, offset: number, length: number, from: number): boolean {
  const read = readUpToNow(fd, target, offset, length, from)
  if (read === length) return true
  target.fill(0, offset + read, offset + length)
  return false
}

/** The body files of a log that another thread writes. */
export function openBodySource(folder: string): BodySource & { readonly close: () => void } {
  const files = { plain: openSync(join(folder, bodyNames[0]), 'r'), gzip: openSync(join(folder, bodyNames[1]), 'r') }
  return {
    read: (kind, target, offset, length, from) => readPieces(files[kind], target, offset, length, from),
    close: () => {
      closeSync(files.plain)
      closeSync(files.gzip)
    },
  }
}

/** Opens for reading and writing at any position, without truncating the file. */
export async function openToAppend(path: string): Promise<FileHandle> {
  return await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return open(path, 'w+')
  })
}

export async function writeAll(handle: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, from + done)
    done += bytesWritten
  }
}

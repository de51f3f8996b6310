// The index file: frames with a checksum each. Entries count only once the edition frame behind them is complete.
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { openToAppend, writeAll } from './body-files.ts'
import { readUpTo } from './transfer.ts'

/**
 * Version of the format; increase it when the layout of any file changes: older logs are then rebuilt from the
 * database.
 */
const formatVersion = 2

const frameTypes = { log: 1, entries: 2, edition: 3 } as const
export type FrameType = keyof typeof frameTypes
const typeNames: ReadonlyMap<number, FrameType> = new Map(
  Object.entries(frameTypes).map(([name, type]) => [type, name as FrameType]),
)

/** Bytes of a frame's header: type, length of the payload, CRC-32 of both and the payload, format version. */
const frameHeaderLength = 16

/** Maximum bytes of one read when frames are read again. */
const runLength = 1 << 20

export type Frame = {
  readonly type: FrameType
  /** Begins at a multiple of eight of its buffer. */
  readonly payload: Uint8Array
  /** Position of the next frame. */
  readonly end: number
}

/** Payloads are padded to a multiple of eight bytes in the file. */
const padded = (length: number): number => (length + 7) & ~7

export class IndexFile {
  readonly #handle: FileHandle
  #end: number

  private constructor(handle: FileHandle, end: number) {
    this.#handle = handle
    this.#end = end
  }

  static async open(path: string): Promise<IndexFile> {
    const handle = await openToAppend(path)
    return new IndexFile(handle, (await handle.stat()).size)
  }

  /**
   * Yields the frames from `from` on, up to the first one that is torn, damaged or in another format. The file is read
   * in large runs; other work can run after each.
   */
  async *frames(from = 0): AsyncGenerator<Frame> {
    let wanted = runLength
    for (let at = from; at + frameHeaderLength <= this.#end; ) {
      const run = await this.read(at, Math.min(wanted, this.#end - at))
      const first = at
      for (let offset = 0; offset + frameHeaderLength <= run.length; offset = at - first) {
        const header = run.subarray(offset, offset + frameHeaderLength)
        const length = header.readUInt32LE(4)
        const type = typeNames.get(header.readUInt32LE(0))
        const end = at + frameHeaderLength + padded(length)
        if (type === undefined || header.readUInt32LE(12) !== formatVersion || end > this.#end) return
        if (end - first > run.length) {
          wanted = Math.max(runLength, end - at)
          break
        }
        const payload = run.subarray(offset + frameHeaderLength, offset + frameHeaderLength + length)
        if (crc32(payload, crc32(header.subarray(0, 8))) !== header.readUInt32LE(8)) return
        yield { type, payload, end }
        at = end
      }
      if (at === first && run.length < Math.min(wanted, this.#end - at)) return
    }
  }

  /**
   * Reads up to `length` bytes from `from` on into a new buffer, which is shorter when the file ends or cannot be read
   * further.
   */
  async read(from: number, length: number): Promise<Buffer> {
    const bytes = Buffer.from(new ArrayBuffer(length))
    return bytes.subarray(0, await readUpTo(this.#handle, bytes, from))
  }

  async append(type: FrameType, payload: Uint8Array): Promise<void> {
    const bytes = Buffer.alloc(frameHeaderLength + padded(payload.length))
    bytes.writeUInt32LE(frameTypes[type], 0)
    bytes.writeUInt32LE(payload.length, 4)
    bytes.writeUInt32LE(crc32(payload, crc32(bytes.subarray(0, 8))), 8)
    bytes.writeUInt32LE(formatVersion, 12)
    bytes.set(payload, frameHeaderLength)
    await writeAll(this.#handle, bytes, this.#end)
    this.#end += bytes.length
  }

  get end(): number {
    return this.#end
  }

  async truncate(end: number): Promise<void> {
    await this.#handle.truncate(end)
    this.#end = end
  }

  async sync(): Promise<void> {
    await this.#handle.datasync()
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

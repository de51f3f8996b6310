// The index file: frames with a checksum each. Entries count only once the edition frame behind them is whole.
import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { openToAppend, writeAll } from './body-files.ts'

/** Raise it when the layout of any of the files changes: older logs are then rebuilt from the database. */
const formatVersion = 1

const frameTypes = { log: 1, entries: 2, edition: 3 } as const
export type FrameType = keyof typeof frameTypes
const typeNames: ReadonlyMap<number, FrameType> = new Map(
  Object.entries(frameTypes).map(([name, type]) => [type, name as FrameType]),
)

/** Type, length of the payload, CRC-32 of both and the payload, format version. */
const frameHeaderLength = 16

export type Frame = {
  readonly type: FrameType
  /** Begins at a multiple of eight of its buffer. */
  readonly payload: Uint8Array
  /** Where the next frame begins. */
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

  /** Frames from the start, up to the first that is torn, damaged or of another format. */
  async *frames(): AsyncGenerator<Frame> {
    const header = Buffer.alloc(frameHeaderLength)
    for (let at = 0; at + frameHeaderLength <= this.#end; ) {
      await this.#handle.read(header, 0, frameHeaderLength, at)
      const length = header.readUInt32LE(4)
      const type = typeNames.get(header.readUInt32LE(0))
      const end = at + frameHeaderLength + padded(length)
      if (type === undefined || header.readUInt32LE(12) !== formatVersion || end > this.#end) return
      const payload = new Uint8Array(length)
      const { bytesRead } = await this.#handle.read(payload, 0, length, at + frameHeaderLength)
      if (bytesRead !== length || crc32(payload, crc32(header.subarray(0, 8))) !== header.readUInt32LE(8)) return
      yield { type, payload, end }
      at = end
    }
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

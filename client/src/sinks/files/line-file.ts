// Reading and writing files of lines by byte offsets, in the memory of one block.
import { type FileHandle, open } from 'node:fs/promises'
import { isMissingFile } from './durable-files.ts'

const blockBytes = 1 << 20
const newline = 10

/** A line without its end, and where it begins. The bytes are valid until the next line is read. */
export type Line = { readonly bytes: Buffer; readonly offset: number }
/** The position of a piece of a file. */
export type FileRange = { readonly offset: number; readonly length: number }

/** Yields all complete lines of a file; what follows the last line's end is left out. A missing file has none. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (error) {
    if (isMissingFile(error)) return
    throw error
  }
  try {
    let rest: Buffer = Buffer.alloc(0)
    let offset = 0
    for (let position = 0; ; ) {
      const block = Buffer.allocUnsafe(blockBytes)
      const { bytesRead } = await file.read(block, 0, blockBytes, position)
      if (bytesRead === 0) return
      position += bytesRead
      const bytes =
        rest.length === 0 ? block.subarray(0, bytesRead) : Buffer.concat([rest, block.subarray(0, bytesRead)])
      let from = 0
      for (let end = bytes.indexOf(newline, rest.length); end >= 0; end = bytes.indexOf(newline, from)) {
        yield { bytes: bytes.subarray(from, end), offset: offset + from }
        from = end + 1
      }
      rest = bytes.subarray(from)
      offset += from
    }
  } finally {
    await file.close()
  }
}

/** Yields the pieces of a file at these positions, which ascend; neighbors are read together. */
export async function* readRanges(path: string, ranges: readonly FileRange[]): AsyncGenerator<Buffer> {
  if (ranges.length === 0) return
  const file = await open(path, 'r')
  try {
    for (let index = 0; index < ranges.length; ) {
      const start = ranges[index]!.offset
      let last = index
      while (last + 1 < ranges.length && ranges[last + 1]!.offset + ranges[last + 1]!.length - start <= blockBytes)
        last++
      const end = ranges[last]!.offset + ranges[last]!.length
      const block = Buffer.allocUnsafe(end - start)
      for (let read = 0; read < block.length; ) {
        const { bytesRead } = await file.read(block, read, block.length - read, start + read)
        if (bytesRead === 0) throw new Error(`${path} is shorter than it was`)
        read += bytesRead
      }
      for (; index <= last; index++) {
        const { offset, length } = ranges[index]!
        yield block.subarray(offset - start, offset - start + length)
      }
    }
  } finally {
    await file.close()
  }
}

/** Writes a new file from its start, in blocks. */
export class BlockWriter {
  readonly #file: FileHandle
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** Bytes written so far: the position of the next piece. */
  offset = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async create(path: string): Promise<BlockWriter> {
    return new BlockWriter(await open(path, 'w'))
  }

  async write(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.offset += bytes.length
    if (this.#waitingBytes >= blockBytes) await this.#flush()
  }

  /** Everything that was written can be read when it resolves. */
  async flush(): Promise<void> {
    await this.#flush()
  }

  async #flush(): Promise<void> {
    const [pieces, length] = [this.#waiting, this.#waitingBytes]
    this.#waiting = []
    this.#waitingBytes = 0
    if (length === 0) return
    const { bytesWritten } = await this.#file.writev(pieces)
    // rare, such as before a full disk
    if (bytesWritten < length) await this.#file.writeFile(Buffer.concat(pieces).subarray(bytesWritten))
  }

  /** Everything is durable when it resolves. */
  async finish(): Promise<void> {
    await this.#flush()
    await this.#file.sync()
    await this.#file.close()
  }

  /** Closes the file without regard to its content. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {})
  }
}

// The lines of a gzip file, one after the other.
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'

const newline = 10

export class GzipLineReader {
  readonly #blocks: AsyncGenerator<Buffer>
  /** What was unpacked, up to the end of a line or of the file, and where the next line begins. */
  #bytes: Buffer = Buffer.alloc(0)
  #from = 0
  #isOver = false

  constructor(path: string) {
    this.#blocks = blocksOf(path)
  }

  /** A line without its end; undefined after the last one. Its bytes stay as they are. */
  next(): Buffer | undefined | Promise<Buffer | undefined> {
    const end = this.#bytes.indexOf(newline, this.#from)
    return end < 0 ? this.#nextBlock() : this.#take(end)
  }

  #take(end: number): Buffer {
    const line = this.#bytes.subarray(this.#from, end)
    this.#from = end + 1
    return line
  }

  /** The line that ends in a later block: nothing but its parts is copied. */
  async #nextBlock(): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    while (!this.#isOver) {
      if (this.#from < this.#bytes.length) parts.push(this.#bytes.subarray(this.#from))
      const { value, done } = await this.#blocks.next()
      this.#bytes = done ? Buffer.alloc(0) : value
      this.#from = 0
      this.#isOver = done === true
      const end = this.#bytes.indexOf(newline)
      if (end < 0) continue
      if (parts.length === 0) return this.#take(end)
      parts.push(this.#take(end))
      return Buffer.concat(parts)
    }
    if (parts.length > 0) throw new Error('the last line has no end')
    return undefined
  }

  async close(): Promise<void> {
    await this.#blocks.return(undefined)
  }
}

async function* blocksOf(path: string): AsyncGenerator<Buffer> {
  const packed = createReadStream(path, { highWaterMark: 256 * 1024 })
  const plain = createGunzip({ chunkSize: 1 << 20 })
  packed.on('error', (error) => plain.destroy(error))
  packed.pipe(plain)
  try {
    yield* plain as AsyncIterable<Buffer>
  } finally {
    packed.destroy()
    plain.destroy()
  }
}

// A gzip file that is written in turns of some milliseconds, in the calling thread: what lowers the priority of that
// thread lowers that of the compression. The same lines give the same bytes on the same version of Node.
import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { gzipHeader } from '../format/pieces.ts'

/** Bytes that are compressed at once. */
const turnBytes = 1 << 20
/** An empty last block (RFC 1951, 3.2.4), after which the trailer follows. */
const lastBlock = Buffer.from([1, 0, 0, 0xff, 0xff])

export class GzipLines {
  readonly #file: FileHandle
  readonly #path: string
  readonly #sum = createHash('sha256')
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #crc = 0
  #plainBytes = 0
  #bytes = 0

  private constructor(file: FileHandle, path: string) {
    this.#file = file
    this.#path = path
  }

  static async create(path: string): Promise<GzipLines> {
    const lines = new GzipLines(await open(path, 'w', 0o600), path)
    await lines.#write(gzipHeader)
    return lines
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#sum.update(bytes)
    this.#bytes += bytes.length
    for (let done = 0; done < bytes.length; ) done += (await this.#file.write(bytes, done)).bytesWritten
  }

  /** `text`: whole lines, which the caller no longer changes. */
  async add(text: Buffer): Promise<void> {
    this.#waiting.push(text)
    this.#waitingBytes += text.length
    if (this.#waitingBytes >= turnBytes) await this.#pack()
  }

  async #pack(): Promise<void> {
    const plain = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#crc = crc32(plain, this.#crc)
    this.#plainBytes += plain.length
    await this.#write(deflateRawSync(plain, { level: 6, finishFlush: constants.Z_SYNC_FLUSH }))
  }

  /** Makes the file durable and closes it. */
  async finish(): Promise<{ readonly bytes: number; readonly sha256: string }> {
    if (this.#waitingBytes > 0) await this.#pack()
    const trailer = Buffer.alloc(8)
    trailer.writeUInt32LE(this.#crc, 0)
    trailer.writeUInt32LE(this.#plainBytes % 2 ** 32, 4)
    await this.#write(Buffer.concat([lastBlock, trailer]))
    await this.#file.sync()
    await this.#file.close()
    return { bytes: this.#bytes, sha256: this.#sum.digest('hex') }
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {})
    await rm(this.#path, { force: true })
  }
}

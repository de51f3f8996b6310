// The files of an export, with their checksums: they are written under another name, made durable, then renamed.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../platform/folders.ts'

export type ExportedFile = {
  readonly name: string
  /** Number of rows without the header. */
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

const blockLength = 1 << 20

/** Path of a file until it is whole. */
export const incomingPath = (folder: string, name: string): string => join(folder, `incoming-${name}`)

/** A file of lines that is being written, buffered in blocks. */
export class LineFile {
  readonly #file: FileHandle
  readonly #folder: string
  readonly #name: string
  #waiting = ''
  #rows = 0

  private constructor(file: FileHandle, folder: string, name: string) {
    this.#file = file
    this.#folder = folder
    this.#name = name
  }

  static async create(folder: string, name: string): Promise<LineFile> {
    return new LineFile(await open(incomingPath(folder, name), 'w'), folder, name)
  }

  writeHead(text: string): void {
    this.#waiting += text
  }

  /** Writes one row and its line end. */
  async write(text: string): Promise<void> {
    this.#waiting += text
    this.#rows += 1
    if (this.#waiting.length >= blockLength) await this.#flush()
  }

  async #flush(): Promise<void> {
    const text = this.#waiting
    this.#waiting = ''
    await this.#file.writeFile(text)
  }

  async finish(): Promise<ExportedFile> {
    await this.#flush()
    await this.#file.sync()
    await this.#file.close()
    return nameFile(this.#folder, this.#name, this.#rows)
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {})
  }
}

/** Gives a durable file its final name. */
export async function nameFile(folder: string, name: string, rows: number): Promise<ExportedFile> {
  const from = incomingPath(folder, name)
  const [{ size: bytes }, sha256] = [await stat(from), await sumOf(from)]
  await rename(from, join(folder, name))
  await syncFolder(folder)
  return { name, rows, bytes, sha256 }
}

/** Writes a small file whole and durably, replacing an existing one. */
export async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const path = incomingPath(folder, name)
  await writeFile(path, text, { flush: true })
  await rename(path, join(folder, name))
  await syncFolder(folder)
}

/** SHA-256 of a file, in hexadecimal digits. */
export async function sumOf(path: string): Promise<string> {
  const sum = createHash('sha256')
  for await (const block of createReadStream(path)) sum.update(block as Buffer)
  return sum.digest('hex')
}

// The files of an export, with their checksums: they are written under another name, made durable, then renamed.
import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sumOf } from '#flat/files/durable-files'
import { BlockWriter } from '#flat/files/line-file'
import { shareFile } from '#flat/files/own-files'
import { syncFolder } from '../platform/folders.ts'

export type ExportedFile = {
  readonly name: string
  /** Number of rows without the header. */
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** Path of a file until it is whole. */
export const incomingPath = (folder: string, name: string): string => join(folder, `incoming-${name}`)

/** A file of lines that is being written. */
export class LineFile {
  readonly #out: BlockWriter
  readonly #folder: string
  readonly #name: string
  #rows = 0

  private constructor(out: BlockWriter, folder: string, name: string) {
    this.#out = out
    this.#folder = folder
    this.#name = name
  }

  static async create(folder: string, name: string, head = ''): Promise<LineFile> {
    const out = await BlockWriter.create(incomingPath(folder, name))
    await out.write(Buffer.from(head))
    return new LineFile(out, folder, name)
  }

  /** Writes one row and its line end. */
  async write(text: string): Promise<void> {
    this.#rows += 1
    await this.#out.write(Buffer.from(text))
  }

  async finish(): Promise<ExportedFile> {
    await this.#out.finish()
    return nameFile(this.#folder, this.#name, this.#rows)
  }

  /** Removes the file; a full disk has room again. */
  async abandon(): Promise<void> {
    await this.#out.abandon()
    await rm(incomingPath(this.#folder, this.#name), { force: true })
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

/** Writes a small file whole and durably, replacing an existing one, with the rights that the umask gives. */
export async function writeWhole(folder: string, name: string, text: string, umask?: number): Promise<void> {
  const path = incomingPath(folder, name)
  try {
    await writeFile(path, text, { flush: true })
    await shareFile(path, umask)
    await rename(path, join(folder, name))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
  await syncFolder(folder)
}

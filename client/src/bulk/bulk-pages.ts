// Pages of records from the files of a whole edition: loaded into a folder, each checked by its digest, then read.
import { createReadStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import type { ClientEvent } from '../client-event.ts'
import { faultText } from '../fault-text.ts'
import { ProblemError } from '../problem-error.ts'
import { checkedRecord } from '../record-fault.ts'
import { makeFolder, sizeOf, writeWhole } from '../sinks/files/durable-files.ts'
import { parsedRecord } from '../sinks/record/record-json.ts'
import type { Sleep } from '../sleep.ts'
import { type BulkPage, type BulkSource, bulkCursor, fromFiles } from '../sync/bulk-source.ts'
import type { TenderClient } from '../tender-client.ts'
import type { TenderRecord } from '../types.ts'
import { UnreachableError } from '../unreachable-error.ts'
import { type BulkFile, type BulkManifest, isManifest, manifestPath, recordFiles } from './bulk-manifest.ts'
import { BulkLoadError, type LoadOptions, loadFiles, pathOf, StaleLinkError } from './load-files.ts'

/** Records of a page: few enough for a transaction. */
const pageRecords = 100
/** How often a manifest may name other files while they are being loaded. */
const maxManifests = 4
/** How long to wait for files that are being made. */
const maxWaitMs = 10 * 60_000
const stateName = 'manifest.json'

export type BulkOptions = {
  readonly client: TenderClient
  /** Where the API is, without `/v1`. */
  readonly baseUrl: string
  readonly folder: string
  readonly sleep: Sleep
  readonly fetch?: typeof globalThis.fetch
  readonly silenceMs?: number
  /** Called while files are being loaded, with bytes. */
  readonly onLoad?: (loaded: number, total: number) => void
  /** Called with waits for files, and their causes. */
  readonly on?: (event: ClientEvent) => void
}

export type BulkPages = BulkSource & {
  readonly page: BulkPage
  /** Why the records did not come from files; undefined while they did. */
  readonly refusal: () => string | undefined
  /** Whether records came from files. */
  readonly isUsed: () => boolean
  /** Removes the files. */
  readonly end: () => Promise<void>
}

export function bulkPages(options: BulkOptions): BulkPages {
  const { folder } = options
  let refusal: string | undefined
  let isUsed = false
  let loaded: BulkManifest | undefined
  let reading: Reading | undefined

  const refused = (reason: string): undefined => {
    refusal = reason
    return undefined
  }
  async function begin(signal: AbortSignal | undefined): Promise<BulkManifest | undefined> {
    try {
      return await load(options, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ProblemError && error.problem.status !== 401) return refused(error.problem.detail)
      if (error instanceof BulkLoadError || error instanceof UnreachableError) return refused(error.message)
      throw error
    }
  }
  const page: BulkPage = async (cursor) => {
    if (refusal !== undefined) return undefined
    if (cursor !== undefined) loaded ??= await readLoaded(folder)
    if (!loaded) return undefined
    const at = cursor === undefined ? startOf(loaded) : placeIn(cursor, loaded)
    if (!at) return refused('the files of the run before are gone')
    if (!reading?.isAt(at)) {
      await reading?.close()
      reading = new Reading(folder, loaded, at)
    }
    try {
      const data = await reading.next()
      isUsed = true
      const { edition, digest } = loaded
      const place = reading.place
      if (!place) await reading.close()
      return { data, nextCursor: place ? cursorOf(place) : null, edition, ...(digest && { digest }) }
    } catch (error) {
      await reading.close()
      // a damaged file: what was read of it before is right
      return refused(`a file cannot be read: ${faultText(error)}`)
    }
  }
  return {
    refusal: () => refusal,
    isUsed: () => isUsed,
    open: async (signal) => {
      if (refusal === undefined) loaded ??= await begin(signal)
      return refusal === undefined
    },
    page,
    over: (inner, floor, sink) => fromFiles(inner, page, floor, sink),
    end: async () => {
      await reading?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Loads the files of the newest edition that has any. Throws where that is impossible. */
async function load(options: BulkOptions, signal: AbortSignal | undefined): Promise<BulkManifest> {
  const { client, baseUrl, folder, sleep, silenceMs, onLoad, on, fetch = globalThis.fetch } = options
  await makeFolder(folder, 'owner')
  for (let attempt = 1; ; attempt++) {
    const manifest = await client.json(manifestPath, isManifest, { maxWaitMs, ...(signal && { signal }) })
    const files = recordFiles(manifest)
    if (files.length === 0) throw new BulkLoadError('the manifest names no files of records')
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    const how: LoadOptions = {
      folder,
      fetch,
      sleep,
      signal,
      onBytes: (bytes) => onLoad?.(bytes, total),
      ...(silenceMs !== undefined && { silenceMs }),
      ...(on && { on }),
    }
    try {
      await loadFiles(files, `${baseUrl}${manifestPath}`, how)
    } catch (error) {
      if (!(error instanceof StaleLinkError) || attempt === maxManifests) throw error
      continue
    }
    // from here on a run that was cut off goes on without the service
    const kept = { ...manifest, files: files.map((file) => ({ ...file, url: '' })) }
    await writeWhole(join(folder, stateName), JSON.stringify(kept))
    return manifest
  }
}

/** The manifest whose files were loaded completely. */
async function readLoaded(folder: string): Promise<BulkManifest | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, stateName), 'utf8'))
    if (!isManifest(manifest)) return undefined
    for (const file of recordFiles(manifest)) if ((await sizeOf(pathOf(folder, file))) !== file.bytes) return undefined
    return manifest
  } catch {
    return undefined
  }
}

/** A place between two lines: how many of a file were read. */
type Place = { readonly manifest: BulkManifest; readonly file: number; readonly row: number }

const startOf = (manifest: BulkManifest): Place => ({ manifest, file: 0, row: 0 })

const cursorOf = ({ manifest, file, row }: Place): string => `${bulkCursor}${printOf(manifest)}:${file}:${row}`

/** Tells the files of two manifests apart. */
const printOf = (manifest: BulkManifest): string =>
  `${manifest.edition}-${recordFiles(manifest)
    .map(({ sha256 }) => sha256.slice(0, 4))
    .join('')
    .slice(-40)}`

function placeIn(cursor: string, manifest: BulkManifest): Place | undefined {
  const [, print, file, row] = /^bulk:([\w-]+):(\d+):(\d+)$/.exec(cursor) ?? []
  return print === printOf(manifest) ? { manifest, file: Number(file), row: Number(row) } : undefined
}

/** Reads pages from a place on. */
class Reading {
  readonly #folder: string
  readonly #files: readonly BulkFile[]
  readonly #manifest: BulkManifest
  #file: number
  #row: number
  #lines: AsyncGenerator<string> | undefined

  constructor(folder: string, manifest: BulkManifest, { file, row }: Place) {
    this.#folder = folder
    this.#manifest = manifest
    this.#files = recordFiles(manifest)
    this.#file = file
    this.#row = row
  }

  isAt({ manifest, file, row }: Place): boolean {
    return manifest === this.#manifest && file === this.#file && row === this.#row
  }

  /** Where the next page begins; undefined after the last one. */
  get place(): Place | undefined {
    const { length } = this.#files
    return this.#file >= length ? undefined : { manifest: this.#manifest, file: this.#file, row: this.#row }
  }

  /** The records of a page, all of one file. */
  async next(): Promise<TenderRecord[]> {
    const file = this.#files[this.#file]
    if (!file) return []
    this.#lines ??= linesOf(pathOf(this.#folder, file), this.#row)
    const records: TenderRecord[] = []
    while (records.length < pageRecords) {
      const { value, done } = await this.#lines.next()
      if (done) break
      records.push(checkedRecord(parsedRecord(value), Number.NaN))
    }
    this.#row += records.length
    if (this.#row < file.rows && records.length === pageRecords) return records
    // the end of the gzip file holds its checksum
    const isOver = (await this.#lines.next()).done
    if (this.#row !== file.rows || !isOver)
      throw new Error(`the file has other lines than its manifest says, ${this.#row} in place of ${file.rows}`)
    this.#lines = undefined
    this.#file++
    this.#row = 0
    return records
  }

  async close(): Promise<void> {
    await this.#lines?.return(undefined)
    this.#lines = undefined
  }
}

const newline = 10

/** The lines of a gzip file, without the first ones. */
async function* linesOf(path: string, skipped: number): AsyncGenerator<string> {
  const packed = createReadStream(path, { highWaterMark: 256 * 1024 })
  const plain = createGunzip({ chunkSize: 1 << 20 })
  packed.on('error', (error) => plain.destroy(error))
  packed.pipe(plain)
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  try {
    for await (const block of plain as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? block : Buffer.concat([rest, block])
      let from = 0
      for (let end = bytes.indexOf(newline, rest.length); end >= 0; end = bytes.indexOf(newline, from)) {
        if (number++ >= skipped) yield bytes.toString('utf8', from, end)
        from = end + 1
      }
      rest = bytes.subarray(from)
    }
    if (rest.length > 0) throw new Error('the last line has no end')
  } finally {
    packed.destroy()
    plain.destroy()
  }
}

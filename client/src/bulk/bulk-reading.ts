// Reads loaded files from a place on: pages of records, or of their heads.
import { checkedRecord } from '../record-fault.ts'
import { computedHash } from '../sinks/record/record-hash.ts'
import { cameWith, headRecord } from '../sinks/record/record-json.ts'
import { bulkCursor } from '../sync/bulk-source.ts'
import type { TenderRecord } from '../types.ts'
import { type BulkFile, type BulkManifest, headFiles, recordFiles } from './bulk-manifest.ts'
import { GzipLineReader } from './gzip-line-reader.ts'
import { pathOf } from './load-files.ts'
import { parsedHead, type RecordHead } from './record-head.ts'

/** Records of a page: few enough for a transaction. */
const pageRecords = 100
/** One record in this many is hashed although its hash came with it. */
const checkedEach = 50
/** Records of a delta whose older versions are left out: more would take too much memory, and are replaced instead. */
const mostReplaced = 200_000

/** A place between two lines: how many of a file were read. */
type Place = { readonly manifest: BulkManifest; readonly file: number; readonly row: number }

export const startOf = (manifest: BulkManifest): Place => ({ manifest, file: 0, row: 0 })

export const cursorOf = ({ manifest, file, row }: Place): string => `${bulkCursor}${printOf(manifest)}:${file}:${row}`

/** Tells the files of two manifests apart. */
const printOf = (manifest: BulkManifest): string =>
  `${manifest.edition}-${recordFiles(manifest)
    .map(({ sha256 }) => sha256.slice(0, 4))
    .join('')
    .slice(-40)}`

export function placeIn(cursor: string, manifest: BulkManifest): Place | undefined {
  const [, print, file, row] = /^bulk:([\w-]+):(\d+):(\d+)$/.exec(cursor) ?? []
  return print === printOf(manifest) ? { manifest, file: Number(file), row: Number(row) } : undefined
}

/** Reads pages from a place on. */
export class Reading {
  readonly #folder: string
  readonly #files: readonly BulkFile[]
  readonly #headFiles: readonly BulkFile[] | undefined
  readonly #manifest: BulkManifest
  #file: number
  #row: number
  #lines: GzipLineReader | undefined
  #heads: GzipLineReader | undefined
  /** Ids of the records that a delta brings in a newer version. */
  #replaced: ReadonlySet<string> | undefined

  constructor(folder: string, manifest: BulkManifest, { file, row }: Place) {
    this.#folder = folder
    this.#manifest = manifest
    this.#files = recordFiles(manifest)
    this.#headFiles = headFiles(manifest)
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

  /** The records of a page; `areHeads`: only their heads, where the files have them. */
  async next(areHeads: boolean): Promise<TenderRecord[]> {
    this.#replaced ??= await this.#readReplaced()
    const records: TenderRecord[] = []
    while (records.length < pageRecords && this.#file < this.#files.length) {
      await this.#open()
      const line = await this.#lines!.next()
      if (!line) {
        await this.#endFile()
        continue
      }
      const record = await this.#read(line, areHeads)
      if (record) records.push(record)
      this.#row++
    }
    // so that the last page says that it is the last; the end of a gzip file holds its checksum
    if (this.#row > 0 && this.#row >= this.#files[this.#file]!.rows) await this.#endFile()
    return records
  }

  async #open(): Promise<void> {
    if (this.#lines) return
    this.#lines = new GzipLineReader(pathOf(this.#folder, this.#files[this.#file]!))
    const heads = this.#headFiles?.[this.#file]
    this.#heads = heads && new GzipLineReader(pathOf(this.#folder, heads))
    for (let row = 0; row < this.#row; row++) {
      await this.#lines.next()
      await this.#heads?.next()
    }
  }

  async #endFile(): Promise<void> {
    const { rows } = this.#files[this.#file]!
    const isOver = !(await this.#lines!.next()) && !(await this.#heads?.next())
    if (this.#row !== rows || !isOver)
      throw new Error(`the file has other lines than its manifest says, ${this.#row} in place of ${rows}`)
    this.#lines = undefined
    this.#heads = undefined
    this.#file++
    this.#row = 0
  }

  /** The ids that deltas bring; none where they are too many, or unknown. */
  async #readReplaced(): Promise<ReadonlySet<string>> {
    const deltas = this.#headFiles?.slice(this.#firstDelta) ?? []
    const ids = new Set<string>()
    if (deltas.reduce((sum, { rows }) => sum + rows, 0) > mostReplaced) return ids
    for (const file of deltas) {
      const reader = new GzipLineReader(pathOf(this.#folder, file))
      for (let line = await reader.next(); line; line = await reader.next()) ids.add(parsedHead(line).id)
    }
    return ids
  }

  get #firstDelta(): number {
    const found = this.#files.findIndex(({ part }) => part === 'delta')
    return found < 0 ? this.#files.length : found
  }

  /** The record of a line; undefined for one that a later file replaces. */
  async #read(line: Buffer, areHeads: boolean): Promise<TenderRecord | undefined> {
    const heads = this.#heads
    const head = heads && parsedHead(await heads.next())
    if (head && head.bytes !== line.length)
      throw new Error(`the record ${head.id} has another length than its head says`)
    if (head && this.#replaced!.has(head.id) && this.#file < this.#firstDelta) return undefined
    return head && areHeads ? this.#headRecord(head, line) : this.#record(line, head)
  }

  #record(line: Buffer, head: RecordHead | undefined): TenderRecord {
    const json = line.toString()
    const record = checkedRecord(JSON.parse(json), Number.NaN)
    cameWith(record, { json, ...(head && { hash: head.hash }) })
    if (head) this.#check(record, head)
    return record
  }

  #headRecord(head: RecordHead, line: Buffer): TenderRecord {
    if (this.#row % checkedEach === 0) this.#check(JSON.parse(line.toString()) as TenderRecord, head)
    // what waits for another record must not hold the block of its line
    return headRecord(head, { hash: head.hash, line: head.mergedInto === undefined ? line : Buffer.from(line) })
  }

  /** Whether the head is that of the record. */
  #check(record: TenderRecord, head: RecordHead): void {
    const isItsHead = (['id', 'lastModified', 'status', 'archiveReason', 'mergedInto'] as const).every(
      (name) => record[name] === head[name],
    )
    if (!isItsHead || (this.#row % checkedEach === 0 && computedHash(record) !== head.hash))
      throw new Error(`the head of the record ${record.id} is not its own`)
  }
  async close(): Promise<void> {
    await this.#lines?.close()
    await this.#heads?.close()
    this.#lines = undefined
    this.#heads = undefined
  }
}

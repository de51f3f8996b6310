// Makes the files of whole editions: a snapshot of the first edition of each day, and what changed from it to the
// newest one. Every node makes its own from its log, beside all other work; nodes with the same editions make the same
// files, whose names are their hashes.
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import { syncFolder, undefinedWhenMissing } from '../../platform/folders.ts'
import type { EditionInfo, RecordKey } from '../read/edition-view.ts'
import type { LogView } from '../read/log-view.ts'
import { type BulkFile, type BulkState, bulkName, bulkNamePattern, linkLifeMs } from './bulk-state.ts'
import { openLines, openTables } from './bulk-writers.ts'

/** Records of a file: some 30 MB as gzip. */
const usualRecords = 50_000
/** Records that are read at once. */
const turnRecords = 500
const stateName = 'state.json'

/** What is read of a log. */
export type BulkLog = Pick<LogView, 'newest' | 'edition' | 'firstSince' | 'lines' | 'stockId'>

export class BulkFiles {
  readonly #folder: string
  readonly #log: BulkLog
  readonly #clock: Clock
  readonly #records: number
  readonly #show: (state: BulkState | undefined) => void
  /** The last redaction: what was published before it may hold what must not be named any more. */
  #redactedAt = 0
  #state: BulkState | undefined

  private constructor({ folder, log, clock, show, records = usualRecords }: BulkFilesOptions) {
    this.#folder = folder
    this.#log = log
    this.#clock = clock
    this.#show = show
    this.#records = records
  }

  /** Reads what an earlier process left; `update` shows it if it still is right. */
  static async open(options: BulkFilesOptions): Promise<BulkFiles> {
    const files = new BulkFiles(options)
    await mkdir(options.folder, { recursive: true, mode: 0o700 })
    files.#state = await files.#read()
    return files
  }

  async #read(): Promise<BulkState | undefined> {
    const text = await readFile(join(this.#folder, stateName), 'utf8').catch(undefinedWhenMissing)
    try {
      const state = text === undefined ? undefined : (JSON.parse(text) as BulkState)
      for (const file of state?.files ?? [])
        if ((await stat(join(this.#folder, bulkName(file)))).size !== file.bytes) return undefined
      return state
    } catch {
      return undefined
    }
  }

  /** Withdraws at once what was made of editions before the redaction. */
  async noteRedaction(redactedAt: number): Promise<void> {
    if (redactedAt <= this.#redactedAt) return
    this.#redactedAt = redactedAt
    const first = this.#state && this.#log.edition(this.#state.base.edition)
    if (!this.#state || (first && first.publishedAt >= redactedAt)) return
    this.#state = undefined
    this.#show(undefined)
    await rm(join(this.#folder, stateName), { force: true })
    await this.#removeOld(Number.POSITIVE_INFINITY)
  }

  /** Brings the files up to the newest edition, and removes those whose last link has ended. */
  async update(): Promise<void> {
    const { newest, stockId } = this.#log
    if (!newest || stockId === undefined) return
    // its successor is published without what was redacted
    if (newest.publishedAt < this.#redactedAt) return
    const day = Math.floor(newest.publishedAt / dayMs) * dayMs
    const base = this.#log.firstSince(Math.max(day, this.#redactedAt)) ?? newest
    const known = this.#state?.stockId === stockId ? this.#state : undefined
    const isSameBase = known?.base.edition === base.edition && known.base.checksum === base.checksum
    if (isSameBase && known.edition === newest.edition && known.checksum === newest.checksum) {
      this.#show(known)
      await this.#removeOld(this.#clock() - linkLifeMs)
      return
    }
    const isStill = () =>
      newest.publishedAt >= this.#redactedAt &&
      base.publishedAt >= this.#redactedAt &&
      this.#log.stockId === stockId &&
      this.#log.edition(newest.edition)?.checksum === newest.checksum
    /** The files of a format; those of the snapshot are kept while it is the same. */
    const filesOf = async (format: BulkFile['format']): Promise<BulkFile[]> => {
      const kept = isSameBase ? known.files.filter((file) => file.part === 'snapshot' && file.format === format) : []
      const snapshot = kept.length > 0 ? kept : await this.#write(base, { part: 'snapshot', format }, undefined)
      return base === newest ? snapshot : [...snapshot, ...(await this.#write(newest, { part: 'delta', format }, base))]
    }
    const keep = async (files: readonly BulkFile[]): Promise<void> => {
      // a redaction or another stock arrived meanwhile
      if (!isStill()) return
      await this.#keep({
        stockId,
        edition: newest.edition,
        publishedAt: newest.publishedAt,
        lastModified: newest.lastModified,
        records: newest.records,
        checksum: newest.checksum ?? '',
        base: { edition: base.edition, checksum: base.checksum ?? '', lastModified: base.lastModified },
        files,
      })
    }
    const lines = await filesOf('ndjson')
    // the first files do not wait for the tables
    if (!known) await keep(lines)
    const tables = await filesOf('parquet').catch(async (error: unknown) => {
      await keep(lines)
      throw error
    })
    await keep([...lines, ...tables])
  }

  /** Writes records of an edition: all, or those that changed after `since`. */
  async #write(
    edition: EditionInfo,
    { part, format }: Pick<BulkFile, 'part' | 'format'>,
    since: EditionInfo | undefined,
  ): Promise<BulkFile[]> {
    const files: BulkFile[] = []
    let after: RecordKey | undefined = since && { lastModified: since.lastModified, id: lastId }
    let total = 0
    for (let isEnd = false; !isEnd; ) {
      const path = join(this.#folder, `incoming-${process.pid}`)
      const writer = format === 'ndjson' ? await openLines(path) : await openTables(path)
      let rows = 0
      try {
        while (rows < this.#records) {
          if (this.#redactedAt > edition.publishedAt) throw new Error('its edition was published before a redaction')
          const limit = Math.min(turnRecords, this.#records - rows)
          const found = this.#log.lines({ edition: edition.edition, after, limit })
          isEnd = found === undefined || found.count < limit
          if (!found) break
          await writer.add(found.bytes, found.count)
          after = found.last
          rows += found.count
          if (isEnd) break
          await nextTurn()
        }
        for (const { path: made, ...file } of await writer.finish()) {
          if (file.rows === 0) {
            await rm(made)
            continue
          }
          const named: BulkFile = { ...file, part, format }
          await rename(made, join(this.#folder, bulkName(named)))
          files.push(named)
        }
        total += rows
      } catch (error) {
        await writer.abandon()
        throw error
      }
    }
    if (part === 'snapshot' && total !== edition.records)
      throw new Error(`edition ${edition.edition} has ${edition.records} records, and ${total} were read`)
    return files
  }

  /** What is no longer named stays until its last link has ended: its time says since when. */
  async #keep(state: BulkState): Promise<void> {
    const named = new Set(state.files.map(bulkName))
    const now = this.#clock() / 1000
    for (const file of this.#state?.files ?? [])
      if (!named.has(bulkName(file)))
        await utimes(join(this.#folder, bulkName(file)), now, now).catch(undefinedWhenMissing)
    await syncFolder(this.#folder)
    const path = join(this.#folder, stateName)
    await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600, flush: true })
    await rename(`${path}.new`, path)
    this.#state = state
    this.#show(state)
    await this.#removeOld(this.#clock() - linkLifeMs)
  }

  /** Removes files that are not named, and were named last before this time. */
  async #removeOld(before: number): Promise<void> {
    const named = new Set(this.#state?.files.map(bulkName))
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      if (name.startsWith('incoming-') || (bulkNamePattern.test(name) && !named.has(name))) {
        const found = await stat(path).catch(undefinedWhenMissing)
        if (found && found.mtimeMs <= before) await rm(path, { force: true })
      }
    }
  }

  /** Removes all files: nobody may load them any more. */
  async clear(): Promise<void> {
    this.#state = undefined
    this.#show(undefined)
    await rm(this.#folder, { recursive: true, force: true })
  }
}

export type BulkFilesOptions = {
  readonly folder: string
  readonly log: BulkLog
  readonly clock: Clock
  /** Called with what is named now; undefined: nothing. */
  readonly show: (state: BulkState | undefined) => void
  /** Records of a file, for tests. */
  readonly records?: number
}

/** Follows every id in the order of the list. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

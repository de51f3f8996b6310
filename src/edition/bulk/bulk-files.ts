// Makes the files of whole editions: a snapshot of the first edition of each day, and what changed from it to the
// newest one. Every node makes its own from its log, beside all other work; nodes with the same editions make the same
// files, whose names are their hashes.
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeWhole } from '#flat/files/durable-files'
import { DigestSum } from '../../domain/stock-digest.ts'
import { dayMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import { freeBytes, syncFolder, undefinedWhenMissing } from '../../platform/folders.ts'
import type { EditionInfo, RecordKey } from '../read/edition-view.ts'
import type { LogView } from '../read/log-view.ts'
import {
  type BulkFile,
  type BulkState,
  bulkName,
  bulkNamePattern,
  formats,
  isBulkState,
  linkLifeMs,
  type MadeFormat,
} from './bulk-state.ts'
import { openLines, openTables } from './bulk-writers.ts'

/** Records of a file: some 30 MB as gzip. */
const usualRecords = 50_000
/** Records that are read at once. */
const turnRecords = 500
/** Free bytes without which no part is begun: editions and the database need the rest of the disk more. */
const neededBytes = 300e6
const stateName = 'state.json'
/** First words of the names of what is being written. */
const incomingName = 'incoming'

/** What is read of a log. */
export type BulkLog = Pick<LogView, 'newest' | 'edition' | 'firstSince' | 'lines' | 'stockId'>

/** What `update` works towards. */
type Aim = { readonly stockId: string; readonly newest: EditionInfo; readonly base: EditionInfo }

export class BulkFiles {
  readonly #folder: string
  readonly #log: BulkLog
  readonly #clock: Clock
  readonly #records: number
  readonly #free: (folder: string) => Promise<number>
  readonly #show: (state: BulkState | undefined) => void
  #opening: Promise<void> | undefined
  /** The last redaction: what was published before it may hold what must not be named any more. */
  #redactedAt = 0
  /** No file in the folder holds what was redacted before this time. */
  #cleanSince = 0
  #state: BulkState | undefined

  /** What an earlier process left is read when it is needed; `update` shows it if it still is right. */
  constructor({ folder, log, clock, show, records = usualRecords, free = freeBytes }: BulkFilesOptions) {
    this.#folder = folder
    this.#log = log
    this.#clock = clock
    this.#show = show
    this.#records = records
    this.#free = free
  }

  /** A failure is not remembered. */
  #open(): Promise<void> {
    this.#opening ??= this.#read().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async #read(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(this.#folder))
      if (name.startsWith(incomingName)) await rm(join(this.#folder, name), { force: true })
    const state = await this.#readState()
    this.#state = state
    this.#cleanSince = state?.redactedAt ?? 0
  }

  async #readState(): Promise<BulkState | undefined> {
    const text = await readFile(join(this.#folder, stateName), 'utf8').catch(undefinedWhenMissing)
    try {
      const state: unknown = JSON.parse(text ?? 'null')
      if (!isBulkState(state)) return undefined
      for (const file of state.files)
        if ((await stat(join(this.#folder, bulkName(file)))).size !== file.bytes) return undefined
      return state
    } catch {
      return undefined
    }
  }

  /** Withdraws at once what was made of editions before the redaction; `update` ends what is being made. */
  async noteRedaction(redactedAt: number): Promise<void> {
    if (redactedAt <= this.#redactedAt) return
    this.#redactedAt = redactedAt
    await this.#withdrawOld()
  }

  /** Files that are not named may be of any edition: they are removed too. */
  async #withdrawOld(): Promise<void> {
    await this.#open()
    if (this.#cleanSince >= this.#redactedAt) return
    if (this.#state && this.#state.base.publishedAt < this.#redactedAt) {
      this.#state = undefined
      this.#show(undefined)
    }
    if (!this.#state) await rm(join(this.#folder, stateName), { force: true })
    await this.#removeUnnamed(Number.POSITIVE_INFINITY)
  }

  /** Brings the files up to the newest edition, and removes those whose last link has ended. One at a time. */
  async update(): Promise<void> {
    const redactedAt = this.#redactedAt
    // again: what was being made when it was noted has its name now
    await this.#withdrawOld()
    this.#cleanSince = Math.max(this.#cleanSince, redactedAt)
    await this.#removeUnnamed(this.#clock() - linkLifeMs)
    const aim = this.#aim()
    if (!aim) return
    const made = new Set<string>()
    try {
      await this.#make(aim, made)
    } catch (error) {
      // what no state names would fill the disk for hours
      for (const name of made)
        if (!this.#state?.files.some((file) => bulkName(file) === name))
          await rm(join(this.#folder, name), { force: true })
      if (this.#isStill(aim)) throw error
    }
  }

  #aim(): Aim | undefined {
    const { newest, stockId } = this.#log
    // a successor is published without what was redacted
    if (!newest || stockId === undefined || newest.publishedAt < this.#redactedAt) return undefined
    const day = Math.floor(newest.publishedAt / dayMs) * dayMs
    return { stockId, newest, base: this.#log.firstSince(Math.max(day, this.#redactedAt)) ?? newest }
  }

  /** False when a redaction or another stock arrived meanwhile. */
  #isStill({ stockId, newest, base }: Aim): boolean {
    return (
      newest.publishedAt >= this.#redactedAt &&
      base.publishedAt >= this.#redactedAt &&
      this.#log.stockId === stockId &&
      this.#log.edition(newest.edition)?.checksum === newest.checksum
    )
  }

  /** `made`: receives the names of new files. */
  async #make(aim: Aim, made: Set<string>): Promise<void> {
    const { stockId, newest, base } = aim
    const known = this.#state?.stockId === stockId ? this.#state : undefined
    const isSameBase = known?.base.edition === base.edition && known.base.checksum === base.checksum
    const isSame = isSameBase && known.edition === newest.edition && known.checksum === newest.checksum
    if (isSame && known.formats.length === formats.length) return this.#show(known)
    /** The files of a format; those that are there stay. */
    const filesOf = async (format: MadeFormat): Promise<BulkFile[]> => {
      const isOf = (file: BulkFile) => (file.format === 'parquet') === (format === 'parquet')
      const held = known?.formats.includes(format) ? known.files.filter(isOf) : undefined
      if (held && isSame) return held
      const snapshot =
        held && isSameBase
          ? held.filter(({ part }) => part === 'snapshot')
          : await this.#write(base, { part: 'snapshot', format }, { made })
      if (base === newest) return snapshot
      return [...snapshot, ...(await this.#write(newest, { part: 'delta', format }, { made, since: base }))]
    }
    const keep = async (files: readonly BulkFile[], kept: BulkState['formats']): Promise<void> => {
      const { edition, publishedAt, lastModified, records, checksum = '' } = newest
      const from = {
        edition: base.edition,
        publishedAt: base.publishedAt,
        checksum: base.checksum ?? '',
        lastModified: base.lastModified,
      }
      const of = { stockId, edition, publishedAt, lastModified, records, checksum, base: from }
      await this.#keep(aim, { ...of, redactedAt: this.#cleanSince, formats: kept, files })
    }
    const lines = await filesOf('ndjson')
    // the first files do not wait for the tables
    if (!known) await keep(lines, ['ndjson'])
    const tables = await filesOf('parquet').catch(async (error: unknown) => {
      await keep(lines, ['ndjson'])
      throw error
    })
    await keep([...lines, ...tables], formats)
  }

  /** Writes records of an edition: all, or those that changed after `since`. */
  async #write(
    edition: EditionInfo,
    { part, format }: { readonly part: BulkFile['part']; readonly format: MadeFormat },
    { made, since }: { readonly made: Set<string>; readonly since?: EditionInfo },
  ): Promise<BulkFile[]> {
    const files: BulkFile[] = []
    const sum = new DigestSum()
    let after: RecordKey | undefined = since && { lastModified: since.lastModified, id: lastId }
    let total = 0
    for (let isEnd = false; !isEnd; ) {
      await this.#checkRoom(made)
      const path = join(this.#folder, incomingName)
      const writer = format === 'ndjson' ? await openLines(path, sum) : await openTables(path)
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
        for (const { path: written, ...file } of await writer.finish()) {
          if (file.rows === 0) {
            await rm(written)
            continue
          }
          const named: BulkFile = { ...file, part }
          made.add(bulkName(named))
          await rename(written, join(this.#folder, bulkName(named)))
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
    const { checksum = sum.digest } = edition
    if (part === 'snapshot' && format === 'ndjson' && sum.digest !== checksum)
      throw new Error(`the records of edition ${edition.edition} are not those of its digest`)
    return files
  }

  /** Throws where another part may fill the disk, even without files that are no longer named. */
  async #checkRoom(made: ReadonlySet<string>): Promise<void> {
    if ((await this.#free(this.#folder)) >= neededBytes) return
    await this.#removeUnnamed(Number.POSITIVE_INFINITY, made)
    const free = await this.#free(this.#folder)
    if (free < neededBytes)
      throw new Error(`the disk has ${Math.floor(free / 1e6)} MB left, and ${neededBytes / 1e6} MB are needed`)
  }

  /** What is no longer named stays until its last link has ended: its time says since when. */
  async #keep(aim: Aim, state: BulkState): Promise<void> {
    if (!this.#isStill(aim)) return
    const named = new Set(state.files.map(bulkName))
    const now = this.#clock() / 1000
    for (const file of this.#state?.files ?? [])
      if (!named.has(bulkName(file)))
        await utimes(join(this.#folder, bulkName(file)), now, now).catch(undefinedWhenMissing)
    await syncFolder(this.#folder)
    await writeWhole(join(this.#folder, stateName), JSON.stringify(state))
    // a redaction that was noted in between withdraws it with the next update
    if (!this.#isStill(aim)) return
    this.#state = state
    this.#show(state)
  }

  /** Removes files that are not named, and were named last before this time. */
  async #removeUnnamed(before: number, kept: ReadonlySet<string> = new Set()): Promise<void> {
    const named = new Set(this.#state?.files.map(bulkName))
    for (const name of await readdir(this.#folder)) {
      if (!bulkNamePattern.test(name) || named.has(name) || kept.has(name)) continue
      const path = join(this.#folder, name)
      const found = await stat(path).catch(undefinedWhenMissing)
      if (found && found.mtimeMs <= before) await rm(path, { force: true })
    }
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
  /** Free bytes of a disk, for tests. */
  readonly free?: (folder: string) => Promise<number>
}

/** Follows every id in the order of the list. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

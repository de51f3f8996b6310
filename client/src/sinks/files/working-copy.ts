// The copy that the file sinks share: a base of one record per line, and a log of the changes since. A commit is one
// durable line at the end of the log; at the end of a run the log is merged into a new base, which is renamed into
// place. If it is killed at any moment, the next begin() finds the last commit complete and finishes an interrupted
// compaction.
import { rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CopyDigest, DigestSum, isOpenRecord } from '../../sync/copy-digest.ts'
import { StagingLostError, type SyncState } from '../../sync/sink.ts'
import type { TenderRecord } from '../../types.ts'
import { SinkError } from '../faults/sink-error.ts'
import { recordHash } from '../record/record-hash.ts'
import { givenHash, wellFormed } from '../record/record-json.ts'
import { BaseLines } from './base-lines.ts'
import { makeDurable, makeFolder, putInPlace, sizeOf } from './durable-files.ts'
import { BlockWriter, type FileRange, readLines, readRanges } from './line-file.ts'
import { type IndexEntry, type IndexedFile, RecordIndex, type RecordPrint } from './record-index.ts'
import { type Mark, RecordLog, replaceLog, type StoredRecord, scanLog } from './record-log.ts'

/** Another form of the copy, rewritten at the end of each run that changed something. */
export type CopyExport = {
  add(record: Buffer): Promise<void>
  /** Makes the new file durable, beside its final name. */
  finish(): Promise<void>
  /** Puts it in place. */
  putInPlace(): Promise<void>
  abandon(): Promise<void>
}

export type WorkingCopyOptions = {
  /** The base: a file of one JSON record per line. */
  readonly base: string
  /** Folder of the log, the staging and the temporary files; on the same disk as the base. */
  readonly folder: string
  readonly openExport?: () => Promise<CopyExport>
  /** Sizes of the exported files; undefined for one that is missing. */
  readonly exportSizes?: () => Promise<readonly (number | undefined)[]>
  /** Returns the print of a stored record. Default: of a whole record. */
  readonly printOf?: (stored: StoredRecord) => RecordPrint
}

/** Where records go during a run: the log after the base, the staging of a first run, or directly the next base. */
type Target = {
  readonly index: RecordIndex
  readonly log: RecordLog | BaseLines
  readonly path: string
  readonly isStaging: boolean
  /** Entries as they were before the last commit; undefined for those that were not there. */
  readonly undo: Map<string, IndexEntry | undefined>
  hasChanges: boolean
}

/** As it is stored: without half surrogate pairs. */
const printOfRecord = (stored: StoredRecord): RecordPrint => ({
  hash: givenHash(stored) ?? recordHash(wellFormed(stored).record),
  isOpen: isOpenRecord(stored as TenderRecord),
})

export class WorkingCopy {
  readonly #options: WorkingCopyOptions
  readonly #printOf: (stored: StoredRecord) => RecordPrint
  readonly #logPath: string
  readonly #stagingPath: string
  /** The next base, into which a first load from files writes directly. */
  readonly #linesPath: string
  #target: Target | undefined
  /** Sizes of the exported files as the last run left them. */
  #exportBytes: readonly number[] | undefined
  /** What the run before left in the base: the next one need not read and hash every record again. */
  #left: { readonly index: RecordIndex; readonly base: string } | undefined

  constructor(options: WorkingCopyOptions) {
    this.#options = options
    this.#printOf = options.printOf ?? printOfRecord
    this.#logPath = join(options.folder, 'changes.log')
    this.#stagingPath = join(options.folder, 'staging.log')
    this.#linesPath = join(options.folder, 'lines.new')
  }

  /** Returns the state of the last commit. Reads only. */
  async loadState(): Promise<SyncState | undefined> {
    const staging = await scanLog(this.#stagingPath)
    const mark = staging.mark ?? (await scanLog(this.#logPath)).mark
    return mark?.state ?? undefined
  }

  /** Replaces the state between runs; what a first run staged is forgotten. */
  async saveState(state: SyncState | null): Promise<void> {
    await this.#leave()
    await makeFolder(this.#options.folder, 'owner')
    const { mark, committedBytes } = await scanLog(this.#logPath)
    const baseBytes = (await sizeOf(this.#options.base)) ?? 0
    if (mark) {
      const log = await RecordLog.open(this.#logPath, committedBytes)
      // A reset accepts the base even if it was changed: a first run will replace it.
      await log.commit({ ...mark, state, ...(state === null && { baseBytes }) })
      await log.close()
    } else await replaceLog(this.#logPath, { state, end: 'run', baseBytes })
    await this.#removeStaging()
  }

  /**
   * Prepares for writing; undoes or finishes what an interrupted run left behind. `isDirect`: a first run that keeps
   * nothing before its end.
   */
  async begin({
    isStaged,
    isResumed,
    isDirect = false,
  }: {
    readonly isStaged: boolean
    readonly isResumed: boolean
    readonly isDirect?: boolean
  }): Promise<void> {
    await this.#leave()
    await makeFolder(this.#options.folder, 'owner')
    const staging = await scanLog(this.#stagingPath)
    if (staging.mark?.end === 'run') {
      await makeDurable(this.#stagingPath)
      await this.#promote(await this.#loadStaging(), staging.mark)
      if (isStaged && isResumed) throw new StagingLostError('The staged run was already complete.')
    }
    if (!isStaged) {
      await this.#removeStaging()
      this.#target = await this.#openLive()
    } else if (isDirect) {
      await this.#removeStaging()
      const lines = await BaseLines.create(this.#linesPath)
      this.#target = { ...newTarget(new RecordIndex(), lines, this.#linesPath), isStaging: true }
    } else if (isResumed) {
      if (staging.mark === undefined) throw new StagingLostError(`${this.#stagingPath} is gone.`)
      this.#target = {
        ...newTarget(
          await this.#loadStaging(),
          await RecordLog.open(this.#stagingPath, staging.committedBytes),
          this.#stagingPath,
        ),
        isStaging: true,
      }
    } else {
      await this.#removeStaging()
      const log = await RecordLog.open(this.#stagingPath, 0)
      this.#target = { ...newTarget(new RecordIndex(), log, this.#stagingPath), isStaging: true }
    }
  }

  #entryOf(record: StoredRecord, file: IndexedFile, { offset, length }: FileRange): IndexEntry {
    const { lastModified, status } = record
    return { lastModifiedMs: Date.parse(lastModified), status, file, offset, length, print: this.#printOf(record) }
  }

  /**
   * Stores those records that are newer than the held ones, or that differ from the held ones of the same version;
   * resolves to them. `isKnownOnly` skips unknown ids.
   */
  async put<T extends StoredRecord>(records: readonly T[], isKnownOnly: boolean): Promise<T[]> {
    const target = this.#begun()
    const newest = new Map<
      string,
      { readonly record: T; readonly lastModifiedMs: number; readonly print: RecordPrint }
    >()
    for (const record of records) {
      const lastModifiedMs = Date.parse(record.lastModified)
      const held = newest.get(record.id) ?? target.index.get(record.id)
      if (held ? lastModifiedMs < held.lastModifiedMs : isKnownOnly) continue
      const print = this.#printOf(record)
      if (lastModifiedMs === held?.lastModifiedMs && print.hash === held.print.hash) continue
      newest.set(record.id, { record, lastModifiedMs, print })
    }
    const toWrite = [...newest.values()]
    if (toWrite.length === 0) return []
    const ranges = await target.log.append(toWrite.map(({ record }) => record))
    for (const [number, { record, lastModifiedMs, print }] of toWrite.entries()) {
      const { id, status } = record
      // what is written directly is kept or dropped as a whole
      if (!(target.log instanceof BaseLines) && !target.undo.has(id)) target.undo.set(id, target.index.get(id))
      target.index.set(id, { ...ranges[number]!, lastModifiedMs, status, print, file: 'log' })
    }
    target.hasChanges = true
    return toWrite.map(({ record }) => record)
  }

  async commit(state: SyncState, end: 'page' | 'run'): Promise<void> {
    const target = this.#begun()
    const baseBytes = (await sizeOf(this.#options.base)) ?? 0
    const mark: Mark = { state, end, baseBytes, ...(this.#exportBytes && { exportBytes: this.#exportBytes }) }
    const isCompacted = end === 'run' && (target.isStaging || target.hasChanges || !(await this.#isExported()))
    if (end === 'run' && !isCompacted) await replaceLog(this.#logPath, mark)
    else await target.log.commit(mark)
    target.undo.clear()
    if (end === 'page') return
    this.#target = undefined
    await target.log.close()
    if (!isCompacted) return
    if (target.log instanceof BaseLines) await this.#promoteLines(target.index, target.log, mark)
    else if (target.isStaging) await this.#promote(target.index, mark)
    else await this.#compact(target.index, mark)
  }

  /** Undoes everything after the last commit; of a staged run everything. */
  async discard(): Promise<void> {
    const target = this.#target
    if (!target) return
    if (target.isStaging) {
      await this.#leave()
      await this.#removeStaging()
      return
    }
    await target.log.rollBack()
    for (const [id, entry] of target.undo)
      if (entry) target.index.set(id, entry)
      else target.index.delete(id)
    target.undo.clear()
  }

  async held(ids: readonly string[]): Promise<Map<string, string>> {
    const index = this.#target?.index ?? (await this.#readLive()).index
    const held = new Map<string, string>()
    for (const id of ids) {
      const entry = index.get(id)
      if (entry) held.set(id, new Date(entry.lastModifiedMs).toISOString())
    }
    return held
  }

  /** The whole record, as it is held. */
  async record(id: string): Promise<StoredRecord | undefined> {
    const target = this.#begun()
    const entry = target.index.get(id)
    if (!entry) return undefined
    const path = entry.file === 'base' ? this.#options.base : target.path
    if (target.log instanceof BaseLines) await target.log.flush()
    for await (const bytes of readRanges(path, [entry])) return parseLine(bytes, path)
    return undefined
  }

  /** The result includes what the run wrote; for a staged run, only the staging. */
  async digest(): Promise<CopyDigest> {
    const index = this.#target?.index ?? (await this.#readLive()).index
    const sum = new DigestSum()
    for (const [, { print, lastModifiedMs }] of index.entries()) sum.add(print.hash, print.isOpen, lastModifiedMs)
    return sum.digest
  }

  async *all(): AsyncGenerator<StoredRecord> {
    const target = this.#target
    const index = target && !target.isStaging ? target.index : (await this.#readLive()).index
    for (const [id, { lastModifiedMs, status }] of index.entries())
      yield { id, lastModified: new Date(lastModifiedMs).toISOString(), status }
  }

  async end(): Promise<void> {
    await this.#leave()
  }

  async #leave(): Promise<void> {
    const log = this.#target?.log
    this.#target = undefined
    await log?.close()
  }

  #begun(): Target {
    if (!this.#target) throw new Error('begin() comes first')
    return this.#target
  }

  /** Whether the exported files are still as long as the last run left them; another program may have cut them. */
  async #isExported(): Promise<boolean> {
    const sizes = (await this.#options.exportSizes?.()) ?? []
    return sizes.every((bytes, file) => bytes !== undefined && bytes === (this.#exportBytes?.[file] ?? bytes))
  }

  /** The copy as last committed, from base and log. Reads only. */
  async #readLive() {
    const { base } = this.#options
    const index = new RecordIndex()
    const scanned = await scanLog(this.#logPath)
    const { mark } = scanned
    const isUnderCompaction = mark?.end === 'run' && scanned.records > 0
    const baseBytes = (await sizeOf(base)) ?? 0
    // During a compaction the base may be the old or the new one; both are correct with the log.
    if (mark && !isUnderCompaction && mark.state !== null && mark.baseBytes !== baseBytes)
      throw new SinkError(
        `${base} is not as the last run left it (${baseBytes} bytes instead of ${mark.baseBytes}): restore it, or rebuild the copy with \`tender-sync reset\`.`,
      )
    const left = this.#left
    if (left && scanned.records === 0 && left.base === (await versionOf(base)))
      return { ...scanned, index: left.index, isUnderCompaction }
    for await (const { bytes, offset } of readLines(base)) {
      const record = parseLine(bytes, base)
      index.set(record.id, this.#entryOf(record, 'base', { offset, length: bytes.length }))
    }
    await scanLog(this.#logPath, ({ record, ...range }) => {
      const held = index.get(record.id)
      if (!held || Date.parse(record.lastModified) >= held.lastModifiedMs)
        index.set(record.id, this.#entryOf(record, 'log', range))
    })
    return { ...scanned, index, isUnderCompaction }
  }

  async #openLive(): Promise<Target> {
    let live = await this.#readLive()
    if (live.isUnderCompaction) {
      // The process that wrote the mark may have been killed before it was durable; a new base must not outlive it.
      await makeDurable(this.#logPath)
      await this.#compact(live.index, live.mark!)
      live = await this.#readLive()
    }
    // from here on the run changes it
    this.#left = undefined
    this.#exportBytes = live.mark?.exportBytes
    const log = await RecordLog.open(this.#logPath, live.committedBytes)
    return { ...newTarget(live.index, log, this.#logPath), hasChanges: live.records > 0, isStaging: false }
  }

  async #loadStaging(): Promise<RecordIndex> {
    const index = new RecordIndex()
    await scanLog(this.#stagingPath, ({ record, ...range }) => {
      // In the order of writing: a record was only written when it was newer than what was held.
      index.set(record.id, this.#entryOf(record, 'log', range))
    })
    return index
  }

  async #removeStaging(): Promise<void> {
    await rm(this.#stagingPath, { force: true })
    await rm(this.#linesPath, { force: true })
  }

  /** The complete staging becomes the base; everything that the copy held before is dropped. */
  async #promote(index: RecordIndex, mark: Mark): Promise<void> {
    await this.#rewrite(index, this.#stagingPath, mark)
    await this.#removeStaging()
  }

  /** What was written becomes the base as it is, unless newer versions replaced a part of it. */
  async #promoteLines(index: RecordIndex, lines: BaseLines, mark: Mark): Promise<void> {
    const { base } = this.#options
    // killed from here on, the copy has no state, and a first run replaces it
    await replaceLog(this.#logPath, { ...mark, state: null, end: 'run' })
    if (lines.records !== index.size) {
      await this.#rewrite(index, this.#linesPath, mark)
      return this.#removeStaging()
    }
    const { ids, ranges } = index.rangesIn('log')
    await putInPlace(this.#linesPath, base, 'user')
    await replaceLog(this.#logPath, { ...mark, end: 'run', baseBytes: lines.bytes })
    for (const [at, id] of ids.entries()) index.moveToBase(id, ranges[at]!.offset)
    this.#left = { index, base: await versionOf(base) }
  }

  async #compact(index: RecordIndex, mark: Mark): Promise<void> {
    await this.#rewrite(index, this.#logPath, mark)
  }

  /**
   * Rewrites the base and the export, and begins an empty log. Each step can be repeated after a crash in any of them.
   */
  async #rewrite(index: RecordIndex, logPath: string, { state }: Mark): Promise<void> {
    const { base, folder, openExport } = this.#options
    // a base inside our folder is the working copy of another form
    const readers = dirname(base) === folder ? 'owner' : 'user'
    const temporary = join(folder, 'base.new')
    const out = await BlockWriter.create(temporary)
    const exported = await openExport?.().catch(async (error: unknown) => {
      await out.abandon()
      throw error
    })
    const moved: { readonly ids: readonly string[]; readonly offsets: number[] }[] = []
    try {
      for (const [path, file] of [
        [base, 'base'],
        [logPath, 'log'],
      ] as const) {
        const { ids, ranges } = index.rangesIn(file)
        const offsets: number[] = []
        moved.push({ ids, offsets })
        for await (const record of readRanges(path, ranges)) {
          offsets.push(out.offset)
          await out.write(record)
          await out.write(lineEnd)
          await exported?.add(record)
        }
      }
      await out.finish()
      await exported?.finish()
    } catch (error) {
      await out.abandon()
      await exported?.abandon()
      throw error
    }
    await exported?.putInPlace()
    const exportBytes = (await this.#options.exportSizes?.())?.map((bytes) => bytes ?? 0)
    const mark: Mark = { state, end: 'run', baseBytes: out.offset, ...(exportBytes && { exportBytes }) }
    await putInPlace(temporary, base, readers)
    await replaceLog(this.#logPath, mark)
    for (const { ids, offsets } of moved) for (const [at, id] of ids.entries()) index.moveToBase(id, offsets[at]!)
    this.#left = { index, base: await versionOf(base) }
  }
}

/** Tells a file from one that another program put in its place or wrote into. */
async function versionOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found ? [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ') : 'none'
}

const lineEnd = Buffer.from('\n')

const newTarget = <Log extends Target['log']>(index: RecordIndex, log: Log, path: string) => ({
  index,
  log,
  path,
  undo: new Map<string, IndexEntry | undefined>(),
  hasChanges: false,
})

function parseLine(line: Buffer, path: string): StoredRecord {
  try {
    const record = JSON.parse(line.toString()) as StoredRecord
    if (typeof record.id === 'string' && !Number.isNaN(Date.parse(record.lastModified))) return record
  } catch {
    // said below
  }
  throw new SinkError(
    `${path} holds a line that is not a tender record: restore the file, or rebuild the copy with \`tender-sync reset\`.`,
  )
}

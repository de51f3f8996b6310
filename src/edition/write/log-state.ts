// One generation of the edition log with its files: appending to it and reading it again.
//
// An edition is appended in this order: bodies and hashes of its entries, their frame in the index, the same for the
// next entries, then everything is compared with what the edition says of itself, and last the edition's frame makes
// them one. Until then nothing is seen: readers look below `newest.end`, and opening ignores what follows the last
// frame of an edition. So a failed append is rolled back to `#ends`, and a killed one is cut off at the next start.
// Only `#committing` changes what readers see; if it fails half-way, the files have to be read again (`isSpoiled`).
import { link, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { DigestSum, recordHashLength } from '../../domain/stock-digest.ts'
import { toInstant } from '../../domain/time.ts'
import { OperatorError } from '../../platform/errors.ts'
import { freeBytes, syncFile } from '../../platform/folders.ts'
import { BodyFiles, type BodyKind, bodyNames } from '../format/body-files.ts'
import { archivedFlag, type EntryBatch, encodeBatch } from '../format/entry-batch.ts'
import { HashFile } from '../format/hash-file.ts'
import { IndexFile } from '../format/index-file.ts'
import type { ReadPart } from '../format/segment.ts'
import type { EditionInfo } from '../read/edition-view.ts'
import { HeldLog, type TakenEdition, verifiedBit } from '../read/held-log.ts'
import { type Chunk, chunkBits, RecordTable, rowMask } from '../read/record-table.ts'
import { type Checkpoint, type CheckpointState, tailLength, writeCheckpoint } from './checkpoint.ts'
import { fullDisk, isFullDisk, spareBytes } from './disk-room.ts'
import type { NewEntry, PackedEntries } from './pack-entries.ts'
import { packedInOrder } from './pack-in-order.ts'
import type { Packers } from './packers.ts'

/** An edition to be loaded. `checks`: epoch milliseconds of the last check of each source, as of this edition. */
export type NewEdition = EditionInfo & { readonly checks: { readonly [sourceId: string]: number } }

export type AppendOptions = {
  /** The newest edition: it is refused unless it is whole, and durable before it can be seen. */
  readonly isTarget: boolean
  /** Readers may see it when it is whole. */
  readonly isShown: boolean
  /** Without it, entries are packed in this thread. */
  readonly packers?: Packers
}

/** The entries received are not the edition's. Nothing of it is kept. */
export class WrongEntriesError extends OperatorError {
  constructor(message: string) {
    super('wrong-editions', message)
  }
}

/** Payload of an edition frame. */
export type EditionFrame = TakenEdition & { readonly plainEnd: number; readonly gzipEnd: number }

export const hashesName = 'hashes'
const buildingName = 'index.building'
export const finishedName = 'index.log'
export const checkpointName = 'checkpoint'
export const checkpointNewName = 'checkpoint.new'

/** Maximum number of entries to commit before other work can run. */
const commitStep = 512

/** The open files of a generation. */
export type LogFiles = { readonly index: IndexFile; readonly bodies: BodyFiles; readonly hashes: HashFile }

/** Called with what other threads need to know, in order. */
export type LogWatcher = {
  readonly chunk: (index: number, chunk: Chunk) => void
  readonly shard: (index: number, slots: Int32Array) => void
  readonly sourceSet: (set: string) => void
  /**
   * Resolves when all followers have received what was sent so far: later positions may then be entered into the index.
   */
  readonly settled: () => Promise<void>
  readonly edition: (taken: TakenEdition) => void
}

export class LogState extends HeldLog {
  /** Number of IDs: the records of the newest edition. */
  records = 0
  /** An append failed: the files have to be read again before the next one. */
  isTorn = false
  /** The frame of the newest edition says that it was only passed: `endHere` writes another one. */
  isFrameLacking = false
  /** An edition was committed in part: the files have to be read again. */
  isSpoiled = false
  readonly #index: IndexFile
  readonly #bodies: BodyFiles
  readonly #hashes: HashFile
  /** Digest of the newest edition. */
  #sum = new DigestSum()
  /** Digest of the entries that do not belong to any edition yet. */
  #added = new DigestSum()
  #watcher: LogWatcher | undefined

  /** Ends of the files as of the newest edition. */
  #ends: { readonly index: number; readonly plain: number; readonly gzip: number }
  /** Bytes of disk space that the last append needed: it is not retried until they are free. */
  #lackingBytes = 0
  /** Number of entries and editions loaded since the checkpoint. */
  #sinceCheckpoint = 0

  private constructor(
    folder: string,
    stockId: string,
    index: IndexFile,
    bodies: BodyFiles,
    hashes: HashFile,
    table?: RecordTable,
    checkpoint?: Checkpoint,
  ) {
    super({ folder, stockId }, bodies, table, checkpoint?.slots, checkpoint?.used)
    this.#index = index
    this.#bodies = bodies
    this.#hashes = hashes
    this.#ends = { index: index.end, plain: 0, gzip: 0 }
    if (!checkpoint) return
    this.#ends = { index: checkpoint.indexEnd, plain: checkpoint.plainEnd, gzip: checkpoint.gzipEnd }
    for (const set of checkpoint.sourceSets) this.numberOf(set)
    for (const { replaced, ...edition } of checkpoint.editions) this.adopt(edition, replaced)
    this.#sum = new DigestSum(this.newest?.info.checksum)
    this.records = checkpoint.records
  }

  /** Restores a generation from its checkpoint. Undefined when the other files are not those that it was made with. */
  static async restore(
    folder: string,
    checkpoint: Checkpoint,
    { index, bodies, hashes }: LogFiles,
  ): Promise<LogState | undefined> {
    const { indexEnd, plainEnd, gzipEnd, tailCrc } = checkpoint
    if (index.end < indexEnd || bodies.end.plain < plainEnd || bodies.end.gzip < gzipEnd) return undefined
    if (hashes.count < checkpoint.count) return undefined
    if (crc32(await index.read(Math.max(0, indexEnd - tailLength), Math.min(indexEnd, tailLength))) !== tailCrc)
      return undefined
    const table = new RecordTable()
    table.chunks.push(...checkpoint.chunks)
    table.count = checkpoint.count
    return new LogState(folder, checkpoint.stockId, index, bodies, hashes, table, checkpoint)
  }

  watch(watcher: LogWatcher | undefined): void {
    this.#watcher = watcher
    this.table.onChunk = watcher?.chunk
    this.ids.onShard = watcher?.shard
    this.onSourceSet = watcher?.sourceSet
  }

  /** Creates an empty generation. `load` does not find it before `finish`. */
  static async create(folder: string, stockId: string): Promise<LogState> {
    await mkdir(folder, { recursive: true })
    const index = await IndexFile.open(join(folder, buildingName))
    const bodies = await BodyFiles.open(folder)
    const hashes = await HashFile.open(join(folder, hashesName))
    await index.truncate(0)
    await bodies.truncate({ plain: 0, gzip: 0 })
    await hashes.truncate(0)
    await index.append('log', Buffer.from(JSON.stringify({ stockId })))
    return new LogState(folder, stockId, index, bodies, hashes)
  }

  /**
   * Makes a generation in `target` whose files are those of the generation in `source`: a second name for each, the one
   * that makes it visible last. Throws where the file system has no second names.
   */
  static async linkFiles(source: string, target: string): Promise<void> {
    await mkdir(target, { recursive: true })
    for (const name of [...bodyNames, hashesName, finishedName]) await link(join(source, name), join(target, name))
  }

  /** Makes the generation visible to `load`. */
  async finish(): Promise<void> {
    await this.sync()
    await rename(join(this.folder, buildingName), join(this.folder, finishedName))
  }

  static async fromHeader(
    folder: string,
    header: Uint8Array,
    { index, bodies, hashes }: LogFiles,
    table?: RecordTable,
    headerEnd?: number,
  ): Promise<LogState> {
    const { stockId } = JSON.parse(Buffer.from(header).toString()) as { stockId: string }
    const state = new LogState(folder, stockId, index, bodies, hashes, table)
    if (headerEnd !== undefined) state.#ends = { index: headerEnd, plain: 0, gzip: 0 }
    return state
  }

  /**
   * Appends one edition. Readers see all of it or nothing. `entries` ascend by lastModified, then id, above everything
   * that was published before (P2). Throws WrongEntriesError when they are not those of a target.
   */
  async append(
    edition: NewEdition,
    entries: Iterable<NewEntry | ReadPart> | AsyncIterable<NewEntry | ReadPart>,
    options: AppendOptions,
  ): Promise<void> {
    // a bug of the caller, which rolls back or loads the log again first
    if (this.isTorn) throw new Error('the edition log must be loaded again after a failed append')
    if (edition.edition <= (this.newest?.info.edition ?? 0))
      throw new Error(`edition ${edition.edition} does not follow edition ${this.newest?.info.edition ?? 0}`)
    if (this.#lackingBytes > 0 && (await freeBytes(this.folder)) < this.#lackingBytes) throw fullDisk(this.folder)
    this.isTorn = true
    try {
      await this.#appendEntries(edition, entries, options)
    } catch (error) {
      if (isFullDisk(error)) this.#lackingBytes = this.bytes - this.#ends.plain - this.#ends.gzip + spareBytes
      // If the disk is gone the state stays torn, and is removed before the next edition.
      await this.rollBack().catch(() => undefined)
      throw isFullDisk(error) ? fullDisk(this.folder, error) : error
    }
    this.#lackingBytes = 0
    this.isTorn = false
  }

  /** Size of the two body files in bytes. */
  get bytes(): number {
    return this.#bodies.end.plain + this.#bodies.end.gzip
  }

  get bodiesEnd(): { readonly [kind in BodyKind]: number } {
    return this.#bodies.end
  }

  async readRun(kind: BodyKind, target: Buffer, from: number): Promise<void> {
    await this.#bodies.readRun(kind, target, from)
  }

  /** Overwrites a piece with its correct bytes. */
  async overwrite(kind: BodyKind, position: number, piece: Buffer): Promise<void> {
    await this.#bodies.overwrite(kind, this.offsetOf(kind, position), piece)
  }

  /** Makes everything that was written durable. */
  async sync(): Promise<void> {
    await this.#bodies.sync()
    await this.#hashes.sync()
    await this.#index.sync()
  }

  /** Discards what a failed append left behind; readers notice nothing. Throws if the files cannot be truncated. */
  async rollBack(): Promise<void> {
    // a bug of the caller, which reads the log again before anything else
    if (this.isSpoiled) throw new Error('the edition log must be read again')
    this.table.truncate(this.newest?.end ?? 0)
    await this.#index.truncate(this.#ends.index)
    await this.#bodies.truncate(this.#ends)
    await this.#hashes.truncate(this.newest?.end ?? 0)
    this.#added = new DigestSum()
    this.isTorn = false
  }

  /**
   * Cuts off what is behind the newest edition. If it was only passed when it was loaded, its frame is written again:
   * it is shown from now on.
   */
  async endHere(): Promise<void> {
    this.isTorn = true
    await this.rollBack()
    if (this.isFrameLacking) {
      const { info, checks, end, isComplete } = this.newest!
      const { plain, gzip } = this.#ends
      const ends = { end, plainEnd: plain, gzipEnd: gzip }
      const frame: EditionFrame = { ...info, checks: Object.fromEntries(checks), ...ends, isComplete }
      await this.#index.append('edition', Buffer.from(JSON.stringify(frame)))
      this.#ends = { ...this.#ends, index: this.#index.end }
      this.isFrameLacking = false
    }
    await this.sync()
  }

  async #appendEntries(
    edition: NewEdition,
    entries: Iterable<NewEntry | ReadPart> | AsyncIterable<NewEntry | ReadPart>,
    options: AppendOptions,
  ): Promise<void> {
    for await (const next of packedInOrder(edition, entries, options.packers)) await this.#writePacked(next)
    // the source of editions breaks its promise: a bug of the publisher, or a damaged bucket
    if (this.table.count > 0 && this.table.lastModified(this.table.count - 1) > edition.lastModified)
      throw new Error(`edition ${edition.edition} holds entries above its own lastModified`)
    const { isTarget, isShown } = options
    const { checksum, difference } = await this.#compare(edition)
    if (isTarget && difference !== undefined) throw new WrongEntriesError(difference)
    const isComplete = isShown && difference === undefined
    await this.#endEdition({ ...edition, checksum }, { isComplete, isPassed: !isTarget, isSynced: isTarget })
  }

  /** Ends an edition of a copy. A complete one must have the checksum it had; throws WrongEntriesError. */
  async endCopied(
    edition: NewEdition,
    { isComplete, isPassed }: { readonly isComplete: boolean; readonly isPassed: boolean },
  ): Promise<void> {
    const { checksum, difference } = await this.#compare(edition)
    if (isComplete && difference !== undefined) throw new WrongEntriesError(difference)
    await this.#endEdition({ ...edition, checksum }, { isComplete, isPassed, isSynced: false })
  }

  /** Compares the stored entries, including those since the last edition, with what the edition says of itself. */
  async #compare({
    edition,
    records,
    changes,
    checksum: expected,
  }: NewEdition): Promise<{ readonly checksum: string; readonly difference: string | undefined }> {
    const begin = this.newest?.end ?? 0
    const { table, ids } = this
    const sum = new DigestSum(this.#sum.digest)
    sum.addAll(this.#added)
    let added = 0
    function* replaced(): Generator<number> {
      for (let position = begin; position < table.count; position++) {
        const { words, offset } = table.idAt(position)
        const before = ids.get(words, offset)
        if (before === undefined) added++
        else yield before
      }
    }
    await this.#hashes.subtract(sum, replaced(), this.#isOpen)
    const checksum = sum.digest
    const found = [
      [table.count - begin, 'changes', changes],
      [this.records + added, 'records', records],
      [checksum, 'as digest', expected ?? checksum],
    ] as const
    const wrong = found.filter(([is, , shouldBe]) => is !== shouldBe)
    if (wrong.length === 0) return { checksum, difference: undefined }
    const differences = wrong.map(([is, name, shouldBe]) => `${is} ${name} instead of ${shouldBe}`)
    return { checksum, difference: `edition ${edition} came with ${differences.join(', ')}` }
  }

  readonly #isOpen = (position: number): boolean =>
    (this.table.chunks[position >>> chunkBits]!.flags[position & rowMask]! & archivedFlag) === 0

  /**
   * Whether the hashes of the stored entries add up to the digest of the newest edition. Reads 32 bytes for each entry.
   */
  async isWhole(): Promise<boolean> {
    if (!this.newest) return true
    const { end, info } = this.newest
    const { chunks } = this.table
    const sum = await this.#hashes.sumOf(
      end,
      (position) => chunks[position >>> chunkBits]!.superseded[position & rowMask] === 0,
      this.#isOpen,
    )
    return sum === info.checksum
  }

  /** Returns the hashes of the entries at these ascending positions, one after the other. */
  async hashesAt(positions: readonly number[]): Promise<Buffer> {
    return await this.#hashes.at(positions)
  }

  /** Writes the frame that makes the entries since the last one an edition, and commits it. */
  async #endEdition(
    edition: NewEdition & { readonly checksum: string },
    options: { readonly isComplete: boolean; readonly isPassed: boolean; readonly isSynced: boolean },
  ): Promise<void> {
    const frame: EditionFrame = {
      ...edition,
      end: this.table.count,
      plainEnd: this.#bodies.end.plain,
      gzipEnd: this.#bodies.end.gzip,
      isComplete: options.isComplete,
      ...(options.isPassed && { isPassed: true }),
    }
    if (options.isSynced) {
      await this.#bodies.sync()
      await this.#hashes.sync()
    }
    await this.#index.append('edition', Buffer.from(JSON.stringify(frame)))
    if (options.isSynced) await this.#index.sync()
    await this.#watcher?.settled()
    for (const _ of this.#committing(frame)) await nextTurn()
  }

  async #writePacked({ batch, plain, gzip, hashes }: PackedEntries): Promise<void> {
    const { plain: plainStart, gzip: gzipStart } = this.#bodies.end
    const placed = { ...batch, plainStart, gzipStart }
    this.#checkOrder(placed)
    await this.write({ batch: placed, plain, gzip, hashes })
  }

  /** Writes entries with their pieces and loads them into memory without showing them yet. */
  async write({ batch, plain, gzip, hashes }: PackedEntries): Promise<void> {
    await this.#bodies.append('plain', plain)
    await this.#bodies.append('gzip', gzip)
    await this.#hashes.append(hashes)
    for (let index = 0; index < batch.count; index++)
      this.#added.add(hashes, (batch.flags[index]! & archivedFlag) === 0, index * recordHashLength)
    await this.#index.append('entries', encodeBatch(batch))
    this.take(batch, verifiedBit.plain | verifiedBit.gzip)
  }

  #checkOrder(batch: EntryBatch): void {
    const floor = this.newest?.info.lastModified ?? Number.NEGATIVE_INFINITY
    let last = this.table.count > 0 ? this.table.lastModified(this.table.count - 1) : floor
    let lastId = this.table.count > 0 ? this.table.idAt(this.table.count - 1) : undefined
    for (let index = 0; index < batch.count; index++) {
      const time = batch.lastModified[index]!
      const tie = time === last && lastId !== undefined && isBelow(lastId.words, lastId.offset, batch.ids, index * 4)
      // the source of editions breaks its promise: a bug of the publisher, or a damaged bucket
      if (!(time > floor) || !(time > last || tie)) throw new Error(`entries out of order at ${toInstant(time)} (P2)`)
      last = time
      lastId = { words: batch.ids, offset: index * 4 }
    }
  }

  /** Loads entries into memory without showing them yet. */
  take(batch: EntryBatch, verified: number): void {
    const from = this.table.count
    this.table.append(
      batch,
      batch.sourceSets.map((set) => this.numberOf(set)),
    )
    for (let position = from; position < this.table.count; position++)
      this.table.chunks[position >>> chunkBits]!.verified[position & rowMask] = verified
  }

  /**
   * Makes the entries loaded since the last edition part of this edition. `indexEnd`: the end of its frame; the end of
   * the file by default.
   */
  commit(frame: EditionFrame, indexEnd?: number): void {
    for (const _ of this.#committing(frame, indexEnd));
  }

  /** Commits in steps of well under a millisecond: readers see the edition after the last one. */
  *#committing(frame: EditionFrame, indexEnd = this.#index.end): Generator<undefined> {
    let replaced = 0
    const begin = this.newest?.end ?? 0
    this.isSpoiled = true
    for (let position = begin; position < frame.end; position++) {
      if ((position - begin) % commitStep === commitStep - 1) yield
      const { words, offset } = this.table.idAt(position)
      const before = this.ids.get(words, offset)
      if (before === undefined) this.records++
      else if (before < begin) {
        this.table.supersede(before, position, frame.edition)
        replaced++
      } else throw new Error(`edition ${frame.edition} holds ${this.table.id(position)} twice (C3)`)
      this.ids.set(words, offset, position)
    }
    this.#ends = { index: indexEnd, plain: frame.plainEnd, gzip: frame.gzipEnd }
    this.#sinceCheckpoint += frame.end - begin + 1
    this.#sum = new DigestSum(frame.checksum)
    this.#added = new DigestSum()
    this.adopt(frame, replaced)
    this.isSpoiled = false
    this.#watcher?.edition(frame)
  }

  /** Approximate size of a checkpoint in bytes. */
  get checkpointBytes(): number {
    let bytes = 0
    for (const chunk of this.table.chunks)
      for (const array of Object.values(chunk)) bytes += (array as Uint8Array).byteLength
    for (const slots of this.ids.slots) bytes += slots.byteLength
    return bytes
  }

  /** Disk space that an edition waits for, in bytes. */
  get lackingBytes(): number {
    return this.#lackingBytes
  }

  /** Number of entries and editions that opening the log would replay. */
  get sinceCheckpoint(): number {
    return this.#sinceCheckpoint
  }

  /**
   * Writes the checkpoint of the newest edition, which `load` does not find yet; nothing may be appended meanwhile.
   * Returns a function that makes it durable and visible, during which appending is allowed; undefined if `isStopped`
   * returned true. Throws if there is no disk space.
   */
  async writeCheckpoint(isStopped: () => boolean): Promise<(() => Promise<void>) | undefined> {
    if (this.isTorn || !this.newest) return undefined
    const since = this.#sinceCheckpoint
    const { index: indexEnd, plain: plainEnd, gzip: gzipEnd } = this.#ends
    const { sourceSets, editions } = this.snapshot()
    const state: CheckpointState = {
      stockId: this.stockId,
      count: this.table.count,
      records: this.records,
      editions: editions.map((edition) => ({ ...edition, replaced: this.editions.get(edition.edition)!.replaced })),
      sourceSets,
      indexEnd,
      tailCrc: crc32(await this.#index.read(Math.max(0, indexEnd - tailLength), Math.min(indexEnd, tailLength))),
      plainEnd,
      gzipEnd,
      used: this.ids.used,
    }
    const path = join(this.folder, checkpointNewName)
    try {
      if (!(await writeCheckpoint(path, state, this.table.chunks, this.ids.slots, isStopped))) {
        await rm(path, { force: true })
        return undefined
      }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
    return async () => {
      await syncFile(path)
      await rename(path, join(this.folder, checkpointName))
      this.#sinceCheckpoint -= since
    }
  }

  async close(): Promise<void> {
    await this.#index.close()
    await this.#bodies.close()
    await this.#hashes.close()
  }
}

function isBelow(left: Uint32Array, leftOffset: number, right: Uint32Array, rightOffset: number): boolean {
  for (let word = 0; word < 4; word++) {
    const difference = left[leftOffset + word]! - right[rightOffset + word]!
    if (difference !== 0) return difference < 0
  }
  return false
}

// One generation of the edition log: its files, and what is kept of them in memory.
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import type { TenderRecord } from '../domain/tender.ts'
import { hourMs, toInstant } from '../domain/time.ts'
import { BodyFiles, type BodyKind } from './body-files.ts'
import { DamagedLogError } from './damaged-log-error.ts'
import type { EditionInfo } from './edition-reader.ts'
import { archivedFlag, decodeBatch, type EntryBatch, encodeBatch, mergedFlag } from './entry-batch.ts'
import { IdIndex } from './id-index.ts'
import { IndexFile } from './index-file.ts'
import { gzipPieceOf, type Pieces, piecesOf, plainPieceOf, type TimeStamp, timeStampOf } from './pieces.ts'
import { columnsOf, type RecordColumns } from './record-columns.ts'
import { writeId } from './record-id.ts'
import { chunkBits, RecordTable, rowMask } from './record-table.ts'

/** An edition to be taken over. `checks`: epoch milliseconds of the last check of each source, as of this edition. */
export type NewEdition = EditionInfo & { readonly checks: { readonly [sourceId: string]: number } }

/** An entry to be taken over. `body` begins with the id and lacks `checkedAt`; `sources` is a JSON array of source ids. */
export type NewEntry = { readonly lastModified: number; readonly body: string; readonly sources: string }

/** An edition in memory. */
export type HeldEdition = {
  readonly info: EditionInfo
  /** Entries up to and including this edition: since lastModified only rises, they are the first ones (sync.md, lemma 1). */
  readonly end: number
  /** Entries that it replaced. */
  readonly replaced: number
  readonly checks: Map<string, number>
  /** By source set, made when first needed; null for a set without any check. */
  readonly stamps: (TimeStamp | null)[]
}

/** R4: a cursor lives 24 hours; an edition can be served in full for this long after the next one. */
export const retentionMs = 25 * hourMs

/** Payload of an edition frame. */
type EditionFrame = NewEdition & {
  readonly end: number
  readonly plainEnd: number
  readonly gzipEnd: number
  /** False while catching up through editions whose replaced entries may be gone from the database: not to be shown. */
  readonly isComplete: boolean
}

/** Entries written together; as a frame it is taken into memory in well under a millisecond. */
const batchSize = 256
/** Records compressed before other work gets its turn: about one millisecond. */
const sliceSize = 16

const buildingName = 'index.building'
const finishedName = 'index.log'

/** The bits of `verified`. */
const verifiedBit: { readonly [kind in BodyKind]: number } = { plain: 1, gzip: 2 }

export class LogState {
  readonly folder: string
  readonly stockId: string
  readonly table: RecordTable
  readonly ids: IdIndex
  readonly editions = new Map<number, HeldEdition>()
  /** The last edition taken over. */
  newest: HeldEdition | undefined
  /** The last one that readers may see. */
  shown: HeldEdition | undefined
  /** Different ids that are held: the records of the newest edition. */
  records = 0
  /** Entries that no edition still held can show: a log built anew from the database would lack them. */
  removable = 0
  /** The oldest edition that may still be held. */
  #oldest = 1
  /** Bytes were found that are not what was written. */
  isDamaged = false
  /** An append failed: the files have to be read again before the next. */
  isTorn = false
  readonly #sourceSets: string[] = []
  readonly #setNumbers = new Map<string, number>()
  readonly #index: IndexFile
  readonly #bodies: BodyFiles

  private constructor(
    folder: string,
    stockId: string,
    index: IndexFile,
    bodies: BodyFiles,
    table: RecordTable = new RecordTable(),
  ) {
    this.table = table
    this.ids = new IdIndex(table.idAt)
    this.folder = folder
    this.stockId = stockId
    this.#index = index
    this.#bodies = bodies
  }

  /** An empty generation. It is not found by `load` before `finish`. */
  static async create(folder: string, stockId: string): Promise<LogState> {
    await mkdir(folder, { recursive: true })
    const index = await IndexFile.open(join(folder, buildingName))
    const bodies = await BodyFiles.open(folder)
    await index.truncate(0)
    await bodies.truncate({ plain: 0, gzip: 0 })
    await index.append('log', Buffer.from(JSON.stringify({ stockId })))
    return new LogState(folder, stockId, index, bodies)
  }

  /** From now on `load` finds it. */
  async finish(): Promise<void> {
    await this.#bodies.sync()
    await this.#index.sync()
    await rename(join(this.folder, buildingName), join(this.folder, finishedName))
  }

  /**
   * Reads a generation up to its last whole edition and cuts off what follows. Undefined when there is none, or none of
   * this format.
   */
  static async load(folder: string): Promise<LogState | undefined> {
    const index = await IndexFile.open(join(folder, finishedName))
    const bodies = await BodyFiles.open(folder)
    let state = await readFrames(folder, index, bodies, Number.POSITIVE_INFINITY)
    // Entries behind the last whole edition are in memory already: read again without them.
    if (state && state.loaded.table.count > (state.loaded.newest?.end ?? 0))
      state = await readFrames(folder, index, bodies, state.goodEnd)
    if (!state) {
      await index.close()
      await bodies.close()
      return undefined
    }
    await index.truncate(state.goodEnd)
    await bodies.truncate(state.bodiesEnd)
    return state.loaded
  }

  static async fromHeader(
    folder: string,
    header: Uint8Array,
    index: IndexFile,
    bodies: BodyFiles,
    table?: RecordTable,
  ): Promise<LogState> {
    const { stockId } = JSON.parse(Buffer.from(header).toString()) as { stockId: string }
    return new LogState(folder, stockId, index, bodies, table)
  }

  /**
   * Takes over one edition. Readers see all of it or nothing. `entries` ascend by lastModified, then id, above everything
   * that was published before (P2). `isComplete: false` keeps it from readers until a complete one follows.
   */
  async append(
    edition: NewEdition,
    entries: Iterable<NewEntry> | AsyncIterable<NewEntry>,
    options: { readonly isComplete: boolean; readonly isSynced: boolean },
  ): Promise<void> {
    if (this.isTorn) throw new Error('the edition log must be loaded again after a failed append')
    if (edition.edition !== (this.newest?.info.edition ?? 0) + 1)
      throw new Error(`edition ${edition.edition} does not follow edition ${this.newest?.info.edition ?? 0}`)
    this.isTorn = true
    let batch: NewEntry[] = []
    for await (const entry of entries) {
      batch.push(entry)
      if (batch.length < batchSize) continue
      await this.#appendBatch(edition, batch)
      batch = []
    }
    if (batch.length > 0) await this.#appendBatch(edition, batch)
    if (this.table.count > 0 && this.table.lastModified(this.table.count - 1) > edition.lastModified)
      throw new Error(`edition ${edition.edition} holds entries above its own lastModified`)
    const frame: EditionFrame = {
      ...edition,
      end: this.table.count,
      plainEnd: this.#bodies.end.plain,
      gzipEnd: this.#bodies.end.gzip,
      isComplete: options.isComplete,
    }
    if (options.isSynced) await this.#bodies.sync()
    await this.#index.append('edition', Buffer.from(JSON.stringify(frame)))
    if (options.isSynced) await this.#index.sync()
    this.commit(frame)
    this.isTorn = false
  }

  async #appendBatch(edition: NewEdition, entries: readonly NewEntry[]): Promise<void> {
    const pieces: Pieces[] = []
    const columns: RecordColumns[] = []
    for (const entry of entries) {
      pieces.push(piecesOf(entry.body))
      columns.push(columnsOf(JSON.parse(entry.body) as TenderRecord))
      if (pieces.length % sliceSize === 0) await nextTurn()
    }
    const batch = batchOf(edition.edition, entries, pieces, columns, this.#bodies.end)
    this.#checkOrder(batch)
    await this.#bodies.append(
      'plain',
      pieces.map(({ plain }) => plain),
    )
    await this.#bodies.append(
      'gzip',
      pieces.map(({ gzip }) => gzip),
    )
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
      if (!(time > floor) || !(time > last || tie)) throw new Error(`entries out of order at ${toInstant(time)} (P2)`)
      last = time
      lastId = { words: batch.ids, offset: index * 4 }
    }
  }

  /** Takes entries into memory, not yet shown. */
  take(batch: EntryBatch, verified: number): void {
    const from = this.table.count
    this.table.append(
      batch,
      batch.sourceSets.map((set) => this.#numberOf(set)),
    )
    for (let position = from; position < this.table.count; position++)
      this.table.chunks[position >>> chunkBits]!.verified[position & rowMask] = verified
  }

  /** Makes the entries taken since the last edition this edition's. */
  commit(frame: EditionFrame): void {
    let replaced = 0
    for (let position = this.newest?.end ?? 0; position < frame.end; position++) {
      const { words, offset } = this.table.idAt(position)
      const before = this.ids.set(words, offset, position)
      if (before === undefined) this.records++
      else if (before < (this.newest?.end ?? 0)) {
        this.table.supersede(before, frame.edition)
        replaced++
      } else throw new Error(`edition ${frame.edition} holds ${this.table.id(position)} twice (C3)`)
    }
    const { edition, lastModified, publishedAt, records, changes } = frame
    const held: HeldEdition = {
      info: { edition, lastModified, publishedAt, records, changes },
      end: frame.end,
      replaced,
      checks: new Map(Object.entries(frame.checks)),
      stamps: [],
    }
    this.editions.set(edition, held)
    this.newest = held
    if (!frame.isComplete) return
    this.shown = held
    this.#forgetOld(held.info)
  }

  /** Of editions long gone only what R5 needs is kept in memory. */
  #forgetOld(shown: EditionInfo): void {
    for (; this.#oldest < shown.edition; this.#oldest++) {
      const next = this.editions.get(this.#oldest + 1)!
      if (shown.publishedAt - next.info.publishedAt <= retentionMs) return
      const gone = this.editions.get(this.#oldest)!
      gone.checks.clear()
      gone.stamps.length = 0
      this.removable += next.replaced
    }
  }

  #numberOf(set: string): number {
    let number = this.#setNumbers.get(set)
    if (number === undefined) {
      number = this.#sourceSets.length
      this.#sourceSets.push(set)
      this.#setNumbers.set(set, number)
    }
    return number
  }

  /**
   * `checkedAt` of a record in an edition: the last check of any of its sources. Of sources that were never checked (files
   * read once), the time of take-over.
   */
  stampOf(position: number, edition: HeldEdition): TimeStamp {
    const set = this.table.chunks[position >>> chunkBits]!.sourceSet[position & rowMask]!
    let stamp = edition.stamps[set]
    if (stamp === undefined) {
      const times = (JSON.parse(this.#sourceSets[set]!) as string[]).flatMap(
        (source) => edition.checks.get(source) ?? [],
      )
      stamp = times.length === 0 ? null : timeStampOf(toInstant(Math.max(...times)))
      edition.stamps[set] = stamp
    }
    return stamp ?? timeStampOf(toInstant(this.table.lastModified(position)))
  }

  /** Reads the pieces of these positions one after the other; each is checked when it is read for the first time. */
  fill(kind: BodyKind, positions: readonly number[], target: Buffer, offset: number): void {
    let at = offset
    for (let index = 0; index < positions.length; ) {
      const first = positions[index]!
      let length = 0
      let isVerified = true
      let next = index
      for (; next < positions.length && positions[next] === first + next - index; next++) {
        const chunk = this.table.chunks[positions[next]! >>> chunkBits]!
        const row = positions[next]! & rowMask
        length += kind === 'plain' ? chunk.plainLength[row]! : chunk.gzipLength[row]!
        if ((chunk.verified[row]! & verifiedBit[kind]) === 0) isVerified = false
      }
      this.#bodies.read(kind, target, at, length, this.#offsetOf(kind, first))
      if (!isVerified) this.#verify(kind, positions.slice(index, next), target, at)
      at += length
      index = next
    }
  }

  lengthOf(kind: BodyKind, position: number): number {
    const chunk = this.table.chunks[position >>> chunkBits]!
    return (kind === 'plain' ? chunk.plainLength : chunk.gzipLength)[position & rowMask]!
  }

  #offsetOf(kind: BodyKind, position: number): number {
    const chunk = this.table.chunks[position >>> chunkBits]!
    const row = position & rowMask
    return kind === 'plain'
      ? chunk.summary.plainBase[row >>> 10]! + chunk.plainOffset[row]!
      : chunk.summary.gzipBase[row >>> 10]! + chunk.gzipOffset[row]!
  }

  #verify(kind: BodyKind, positions: readonly number[], target: Buffer, offset: number): void {
    let at = offset
    for (const position of positions) {
      const chunk = this.table.chunks[position >>> chunkBits]!
      const row = position & rowMask
      const length = this.lengthOf(kind, position)
      const piece = target.subarray(at, at + length)
      if ((chunk.verified[row]! & verifiedBit[kind]) === 0) {
        if (crc32(piece) === (kind === 'plain' ? chunk.plainCrc : chunk.gzipCrc)[row]!)
          chunk.verified[row]! |= verifiedBit[kind]
        else piece.set(this.#fromTheOther(kind, position))
      }
      at += length
    }
  }

  /** Each file holds every record: what one lost, the other gives until the log is rebuilt. */
  #fromTheOther(kind: BodyKind, position: number): Buffer {
    this.isDamaged = true
    const chunk = this.table.chunks[position >>> chunkBits]!
    const row = position & rowMask
    const other = kind === 'plain' ? 'gzip' : 'plain'
    const bytes = Buffer.allocUnsafe(this.lengthOf(other, position))
    this.#bodies.read(other, bytes, 0, bytes.length, this.#offsetOf(other, position))
    if (crc32(bytes) === (other === 'plain' ? chunk.plainCrc : chunk.gzipCrc)[row]!) {
      const piece = kind === 'plain' ? plainPieceOf(bytes) : gzipPieceOf(bytes)
      if (crc32(piece) === (kind === 'plain' ? chunk.plainCrc : chunk.gzipCrc)[row]!) return piece
    }
    throw new DamagedLogError(`record ${this.table.id(position)}`)
  }

  async close(): Promise<void> {
    await this.#index.close()
    await this.#bodies.close()
  }
}

function isBelow(left: Uint32Array, leftOffset: number, right: Uint32Array, rightOffset: number): boolean {
  for (let word = 0; word < 4; word++) {
    const difference = left[leftOffset + word]! - right[rightOffset + word]!
    if (difference !== 0) return difference < 0
  }
  return false
}

type Loading = {
  readonly loaded: LogState
  readonly goodEnd: number
  readonly bodiesEnd: { plain: number; gzip: number }
}

/** Reads frames before `limit`. An edition whose bodies are not all there is as torn as one without its frame. */
async function readFrames(
  folder: string,
  index: IndexFile,
  bodies: BodyFiles,
  limit: number,
): Promise<Loading | undefined> {
  let loaded: LogState | undefined
  let goodEnd = 0
  let bodiesEnd = { plain: 0, gzip: 0 }
  for await (const { type, payload, end } of index.frames()) {
    if (end > limit) break
    if (type === 'log') {
      loaded = await LogState.fromHeader(folder, payload, index, bodies)
      goodEnd = end
    } else if (loaded === undefined) return undefined
    else if (type === 'entries') loaded.take(decodeBatch(payload), 0)
    else {
      const frame = JSON.parse(Buffer.from(payload).toString()) as EditionFrame
      if (frame.plainEnd > bodies.end.plain || frame.gzipEnd > bodies.end.gzip) break
      if (frame.end !== loaded.table.count) break
      loaded.commit(frame)
      goodEnd = end
      bodiesEnd = { plain: frame.plainEnd, gzip: frame.gzipEnd }
    }
  }
  return loaded && { loaded, goodEnd, bodiesEnd }
}

/** The columns of entries whose pieces will stand in the body files from `start` on. */
export function batchOf(
  edition: number,
  entries: readonly NewEntry[],
  pieces: readonly Pieces[],
  columns: readonly RecordColumns[],
  start: { readonly plain: number; readonly gzip: number },
): EntryBatch {
  const sets = [...new Set(entries.map(({ sources }) => sources))]
  const ids = new Uint32Array(entries.length * 4)
  for (const [index, entry] of entries.entries()) writeId(entry.body.slice(7, 43), ids, index * 4)
  return {
    edition,
    count: entries.length,
    plainStart: start.plain,
    gzipStart: start.gzip,
    lastModified: Float64Array.from(entries, ({ lastModified }) => lastModified),
    publication: Float64Array.from(columns, ({ publication }) => publication),
    submission: Float64Array.from(columns, ({ submission }) => submission),
    eurValue: Float64Array.from(columns, ({ eurValue }) => eurValue),
    ids,
    plainLength: Uint32Array.from(pieces, ({ plain }) => plain.length),
    gzipLength: Uint32Array.from(pieces, ({ gzip }) => gzip.length),
    plainCrc: Uint32Array.from(pieces, ({ plain }) => crc32(plain)),
    gzipCrc: Uint32Array.from(pieces, ({ gzip }) => crc32(gzip)),
    sourceSet: Uint32Array.from(entries, ({ sources }) => sets.indexOf(sources)),
    cpvCount: Uint32Array.from(columns, ({ cpv }) => cpv.length),
    nutsCount: Uint32Array.from(columns, ({ nuts }) => nuts.length),
    cpv: Uint32Array.from(columns.flatMap(({ cpv }) => cpv)),
    nuts: Uint32Array.from(columns.flatMap(({ nuts }) => nuts)),
    flags: Uint8Array.from(
      columns,
      ({ isArchived, isMerged }) => (isArchived ? archivedFlag : 0) | (isMerged ? mergedFlag : 0),
    ),
    procedure: Uint8Array.from(columns, ({ procedure }) => procedure),
    sourceSets: sets,
  }
}

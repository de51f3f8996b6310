// The in-memory part of one generation of the edition log, and how its pieces are read. Any thread may hold it: the one
// that writes the log (log-state.ts), and readers, which receive what is new (log-feed.ts).
import { crc32 } from 'node:zlib'
import { hourMs, toInstant } from '../../domain/time.ts'
import type { BodyKind, BodySource } from '../format/body-files.ts'
import { multiply, shiftFactor } from '../format/crc.ts'
import { DamagedLogError } from '../format/damaged-log-error.ts'
import { gzipPieceOf, plainPieceOf, type TimeStamp, timeStampOf } from '../format/pieces.ts'
import type { EditionInfo } from './edition-view.ts'
import { IdIndex } from './id-index.ts'
import { type Chunk, chunkBits, RecordTable, rowMask } from './record-table.ts'

/** An edition as it is loaded. `end`: number of entries up to and including it. */
export type TakenEdition = EditionInfo & {
  /** Digest of what is held of it: the edition's when it is complete. */
  readonly checksum: string
  readonly checks: { readonly [sourceId: string]: number }
  readonly end: number
  /**
   * False while catching up through editions whose replaced entries may be gone from the database: it must not be
   * shown.
   */
  readonly isComplete: boolean
  /**
   * Loaded on the way to a newer edition that the database already held: the previously shown edition is served until
   * the newer one is loaded.
   */
  readonly isPassed?: boolean
}

/** An edition in memory. */
export type HeldEdition = {
  readonly info: EditionInfo & { readonly checksum: string }
  /**
   * Number of entries up to and including this edition: since lastModified only rises, they are the first ones (P2).
   */
  readonly end: number
  readonly isComplete: boolean
  readonly isPassed: boolean
  /** Number of entries that it replaced. */
  readonly replaced: number
  readonly checks: Map<string, number>
  /** The edition after it, whose number may be far above: an epoch begins there. */
  next: HeldEdition | undefined
  /** By source set, made when first needed; null for a set without any check. */
  readonly stamps: (TimeStamp | null)[]
}

/** How long an edition stays complete after its successor appeared (R4): a cursor is valid for 24 hours. */
export const retentionMs = 25 * hourMs

/** Bits of `verified`. */
export const verifiedBit: { readonly [kind in BodyKind]: number } = { plain: 1, gzip: 2 }

/** Everything that another thread needs to read the log as this one does; the arrays are shared, the rest is copied. */
export type LogSnapshot = {
  readonly folder: string
  readonly stockId: string
  readonly count: number
  readonly chunks: readonly Chunk[]
  readonly slots: readonly Int32Array[]
  readonly sourceSets: readonly string[]
  readonly editions: readonly TakenEdition[]
}

export class HeldLog {
  readonly folder: string
  readonly stockId: string
  readonly table: RecordTable
  readonly ids: IdIndex
  readonly editions = new Map<number, HeldEdition>()
  /** The last edition that was loaded. */
  newest: HeldEdition | undefined
  /** The last one that readers may see. */
  shown: HeldEdition | undefined
  /** Number of entries that no held edition can show: a rebuilt log would not contain them. */
  removable = 0
  /** The oldest edition that may still be held. */
  #oldest: HeldEdition | undefined
  /** Some bytes are not what was written. */
  isDamaged = false
  onDamage: (() => void) | undefined
  /** Called with new source sets. */
  onSourceSet: ((set: string) => void) | undefined
  /** JSON arrays of source ids, by their numbers. */
  readonly sourceSets: string[] = []
  readonly #setNumbers = new Map<string, number>()
  protected readonly bodies: BodySource

  constructor(
    { folder, stockId }: { readonly folder: string; readonly stockId: string },
    bodies: BodySource,
    table: RecordTable = new RecordTable(),
    slots?: readonly Int32Array[],
    used?: readonly number[],
  ) {
    this.folder = folder
    this.stockId = stockId
    this.table = table
    this.ids = new IdIndex(table.idAt, slots, used)
    this.bodies = bodies
  }

  /** The log of another thread, as of its snapshot. */
  static from(snapshot: LogSnapshot, bodies: BodySource): HeldLog {
    const table = new RecordTable()
    table.chunks.push(...snapshot.chunks)
    table.count = snapshot.count
    const held = new HeldLog(snapshot, bodies, table, snapshot.slots)
    for (const set of snapshot.sourceSets) held.numberOf(set)
    for (const edition of snapshot.editions) held.adopt(edition, 0)
    return held
  }

  /** As of the last edition loaded. */
  snapshot(): LogSnapshot {
    return {
      folder: this.folder,
      stockId: this.stockId,
      count: this.newest?.end ?? 0,
      chunks: this.table.chunks.map((chunk) => ({ ...chunk })),
      slots: this.ids.slots,
      sourceSets: [...this.sourceSets],
      editions: [...this.editions.values()].map(({ info, end, checks, isComplete, isPassed }) => ({
        ...info,
        end,
        checks: Object.fromEntries(checks),
        isComplete,
        ...(isPassed && { isPassed }),
      })),
    }
  }

  /**
   * Makes this edition the newest, and shows it unless a newer one is being loaded. Its entries are in the table and
   * the index. `replaced`: number of entries it replaced.
   */
  adopt(taken: TakenEdition, replaced: number): void {
    const { edition, lastModified, publishedAt, records, changes, checksum, end, isComplete, isPassed = false } = taken
    const held: HeldEdition = {
      info: { edition, lastModified, publishedAt, records, changes, checksum },
      end,
      isComplete,
      isPassed,
      replaced,
      checks: new Map(Object.entries(taken.checks)),
      next: undefined,
      stamps: [],
    }
    this.editions.set(edition, held)
    if (this.newest) this.newest.next = held
    this.#oldest ??= held
    this.newest = held
    if (!isComplete || isPassed) return
    this.shown = held
    this.#forgetOld(held.info)
  }

  /** The oldest edition that may still be requested. */
  get oldest(): number {
    return this.#oldest?.info.edition ?? 1
  }

  /** The last edition up to this number. */
  editionUpTo(edition: number): HeldEdition | undefined {
    let found = this.editions.get(edition)
    // a number that only a lost edition had
    if (!found) for (const held of this.editions.values()) if (held.info.edition < edition) found = held
    return found
  }

  /** Only what R5 needs of old editions is kept in memory. */
  #forgetOld(shown: EditionInfo): void {
    for (let gone = this.#oldest!; gone.info.edition < shown.edition; ) {
      const next = gone.next!
      if (shown.publishedAt - next.info.publishedAt <= retentionMs) return
      gone.checks.clear()
      gone.stamps.length = 0
      this.removable += next.replaced
      if (next.replaced > 0) this.#hideReplaced(gone.end, next.end)
      gone = next
      this.#oldest = next
    }
  }

  /**
   * Hides what the entries in [from, to) replaced: no held edition can show it. Called only in the thread that writes
   * the log, which counts these entries.
   */
  #hideReplaced(from: number, to: number): void {
    for (let position = from; position < to; position++) {
      const before = this.table.previous(position)
      if (before !== undefined) this.table.hide(before)
    }
  }

  /** Number of a source set, assigned when it first occurs. */
  numberOf(set: string): number {
    let number = this.#setNumbers.get(set)
    if (number === undefined) {
      number = this.sourceSets.length
      this.sourceSets.push(set)
      this.onSourceSet?.(set)
      this.#setNumbers.set(set, number)
    }
    return number
  }

  /**
   * `checkedAt` of a record in an edition: the last check of any of its sources. For sources that were never checked
   * (files read once), the time when the record was stored.
   */
  stampOf(position: number, edition: HeldEdition): TimeStamp {
    const set = this.table.chunks[position >>> chunkBits]!.sourceSet[position & rowMask]!
    let stamp = edition.stamps[set]
    if (stamp === undefined) {
      const times = (JSON.parse(this.sourceSets[set]!) as string[]).flatMap(
        (source) => edition.checks.get(source) ?? [],
      )
      stamp = times.length === 0 ? null : timeStampOf(toInstant(Math.max(...times)))
      edition.stamps[set] = stamp
    }
    return stamp ?? timeStampOf(toInstant(this.table.lastModified(position)))
  }

  /**
   * Reads the pieces of these positions one after the other. A plain piece is checked each time. A gzip piece is
   * checked when it is read for the first time: its answer ends with the checksum of what was written, so most clients
   * refuse other bytes (browsers do not check it). `isChecked`: gzip pieces are checked in any case.
   */
  fill(kind: BodyKind, positions: readonly number[], target: Buffer, offset: number, isChecked: boolean): void {
    let at = offset
    for (let index = 0; index < positions.length; ) {
      const first = positions[index]!
      let length = 0
      let isVerified = kind === 'gzip' && !isChecked
      let next = index
      for (; next < positions.length && positions[next] === first + next - index; next++) {
        const chunk = this.table.chunks[positions[next]! >>> chunkBits]!
        const row = positions[next]! & rowMask
        length += this.lengthOf(kind, positions[next]!)
        if ((chunk.verified[row]! & verifiedBit[kind]) === 0) isVerified = false
      }
      const isRead = this.bodies.read(kind, target, at, length, this.offsetOf(kind, first))
      if (!isRead || !isVerified) this.#verify(kind, positions.slice(index, next), target, at, isChecked || !isRead)
      at += length
      index = next
    }
  }

  lengthOf(kind: BodyKind, position: number): number {
    return kind === 'plain' ? this.table.plainLength(position) : this.table.gzipLength(position)
  }

  /** Position of the piece in its file. */
  offsetOf(kind: BodyKind, position: number): number {
    const end = kind === 'plain' ? this.table.plainEnd(position) : this.table.gzipEnd(position)
    return end - this.lengthOf(kind, position)
  }

  #verify(kind: BodyKind, positions: readonly number[], target: Buffer, offset: number, isChecked: boolean): void {
    if ((isChecked || kind === 'plain') && this.#isRunIntact(kind, positions, target, offset)) {
      for (const position of positions) this.#markVerified(kind, position)
      return
    }
    let at = offset
    for (const position of positions) {
      const chunk = this.table.chunks[position >>> chunkBits]!
      const length = this.lengthOf(kind, position)
      const piece = target.subarray(at, at + length)
      if (isChecked || kind === 'plain' || (chunk.verified[position & rowMask]! & verifiedBit[kind]) === 0) {
        if (this.isIntact(kind, position, piece)) this.#markVerified(kind, position)
        else {
          this.isDamaged = true
          this.onDamage?.()
          piece.set(this.fromTheOther(kind, position))
        }
      }
      at += length
    }
  }

  #markVerified(kind: BodyKind, position: number): void {
    const { verified } = this.table.chunks[position >>> chunkBits]!
    // not written again: other threads read the same memory
    if ((verified[position & rowMask]! & verifiedBit[kind]) === 0) verified[position & rowMask]! |= verifiedBit[kind]
  }

  /**
   * Compares one CRC over all of them with the one computed from those of the pieces: a sixth cheaper than one CRC for
   * each.
   */
  #isRunIntact(kind: BodyKind, positions: readonly number[], target: Buffer, offset: number): boolean {
    let crc = 0
    let end = offset
    for (const position of positions) {
      const length = this.lengthOf(kind, position)
      crc = multiply(crc, shiftFactor(length)) ^ this.#crcOf(kind, position)
      end += length
    }
    return crc32(target.subarray(offset, end)) === crc >>> 0
  }

  #crcOf(kind: BodyKind, position: number): number {
    const chunk = this.table.chunks[position >>> chunkBits]!
    return (kind === 'plain' ? chunk.plainCrc : chunk.gzipCrc)[position & rowMask]!
  }

  isIntact(kind: BodyKind, position: number, piece: Buffer): boolean {
    return crc32(piece) === this.#crcOf(kind, position)
  }

  /**
   * Each file holds every record: a piece that one lost is made from the other. Throws DamagedLogError when both lost
   * it.
   */
  fromTheOther(kind: BodyKind, position: number): Buffer {
    const other = kind === 'plain' ? 'gzip' : 'plain'
    const bytes = Buffer.allocUnsafe(this.lengthOf(other, position))
    this.bodies.read(other, bytes, 0, bytes.length, this.offsetOf(other, position))
    if (this.isIntact(other, position, bytes)) {
      const piece = kind === 'plain' ? plainPieceOf(bytes) : gzipPieceOf(bytes)
      if (this.isIntact(kind, position, piece)) return piece
    }
    throw new DamagedLogError(`record ${this.table.id(position)}`)
  }
}

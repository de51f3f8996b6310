// Keeps the word index of an edition log: segments in files beside the generations, made from the bodies, merged when
// there are many small ones, written again without the entries that the log no longer holds. Runs in a thread of its
// own (word-indexer.ts), which follows the log as readers do and is never waited for.
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TenderRecord } from '../../domain/tender.ts'
import { SegmentBuilder } from '../format/segment-builder.ts'
import { readSegment, writeSegment } from '../format/word-file.ts'
import { type Segment, segmentRows } from '../format/word-segment.ts'
import type { HeldLog } from '../read/held-log.ts'
import { FollowedLog } from '../read/log-feed.ts'
import { chunkBits, rowMask } from '../read/record-table.ts'
import { hasGone, TenderIndex } from '../read/tender-index.ts'

/** The segments from number `from` on are these now. */
export type SegmentsMessage = { readonly from: number; readonly segments: readonly Segment[] }

const filePattern = /^(\d+)\.words$/
/** Number of records read before other work can run: some milliseconds. */
const sliceRecords = 32
/** Minimum share of a segment's rows that are gone from the log before it is written again without them. */
const tolerated = 1 / 4

/** The log as this thread follows it. */
export class IndexedLog extends FollowedLog {
  get log(): HeldLog | undefined {
    return this.held
  }

  recordAt(position: number): TenderRecord {
    return this.parsed(position)
  }
}

type StoredSegment = { readonly segment: Segment; readonly path: string }

export class WordIndex {
  readonly #folder: string
  readonly #log: IndexedLog
  readonly #send: (message: SegmentsMessage) => void
  #stored: StoredSegment[] = []
  #nextNumber = 1
  #index: TenderIndex | undefined

  private constructor(folder: string, log: IndexedLog, send: (message: SegmentsMessage) => void) {
    this.#folder = folder
    this.#log = log
    this.#send = send
  }

  /** Reads the segments in the folder, which is created when it is missing. */
  static async open(folder: string, log: IndexedLog, send: (message: SegmentsMessage) => void): Promise<WordIndex> {
    const index = new WordIndex(folder, log, send)
    await index.#read()
    return index
  }

  async #read(): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const found: StoredSegment[] = []
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const number = filePattern.exec(name)?.[1]
      const segment = number === undefined ? undefined : await readSegment(path)
      if (segment) found.push({ segment, path })
      else await rm(path, { force: true })
      this.#nextNumber = Math.max(this.#nextNumber, Number(number ?? 0) + 1)
    }
    // a process that was killed while it merged left both: the larger one holds the others
    const startOf = ({ segment }: StoredSegment) => segment.lastModified[0]!
    found.sort((a, b) => startOf(a) - startOf(b) || b.segment.rows - a.segment.rows)
    this.#stored = found
  }

  /** Brings the index up to the newest edition of the log. */
  async update(): Promise<void> {
    const log = this.#log.log
    const end = log?.shown?.end
    if (!log || end === undefined) return
    await this.#place(log, end)
    while (this.#index!.covered < end && this.#isCurrent(log)) await this.#build(log, end)
    while (this.#isCurrent(log) && (await this.#tidy(end)));
  }

  #isCurrent(log: HeldLog): boolean {
    return this.#log.log === log
  }

  /** Finds the entries of the segments in the log; those that do not follow without a gap are removed. */
  async #place({ table }: HeldLog, end: number): Promise<void> {
    if (this.#index?.table === table) return
    const index = new TenderIndex(table)
    const kept: StoredSegment[] = []
    for (const stored of this.#stored) {
      if (index.add(stored.segment, end)) kept.push(stored)
      else await rm(stored.path, { force: true })
    }
    this.#index = index
    this.#stored = kept
    this.#report(0)
  }

  #report(from: number): void {
    this.#send({ from, segments: this.#stored.slice(from).map(({ segment }) => segment) })
  }

  async #build(log: HeldLog, end: number): Promise<void> {
    const { table } = log
    const builder = new SegmentBuilder()
    for (let position = this.#index!.covered; position < end && !builder.isFull; position++) {
      if (!table.isHeld(position)) continue
      const crc = table.chunks[position >>> chunkBits]!.plainCrc[position & rowMask]!
      builder.add({ record: this.#log.recordAt(position), lastModified: table.lastModified(position), crc })
      if (builder.rows % sliceRecords === 0) await nextTurn()
      // its bodies are gone
      if (!this.#isCurrent(log)) return
    }
    await this.#replace(this.#stored.length, 0, builder, end)
  }

  /** Puts what was built in the place of `count` segments. */
  async #replace(at: number, count: number, builder: SegmentBuilder, end: number): Promise<void> {
    const made: StoredSegment[] = []
    if (builder.rows > 0) {
      const path = join(this.#folder, `${this.#nextNumber++}.words`)
      const segment = builder.finish()
      await writeSegment(path, segment)
      made.push({ segment, path })
    }
    const replaced = this.#stored.splice(at, count, ...made)
    this.#index!.take(
      this.#stored.map(({ segment }) => segment),
      end,
    )
    if (this.#index!.segments.length !== this.#stored.length)
      throw new Error('a segment of the word index has no place')
    this.#report(at)
    for (const { path } of replaced) await rm(path, { force: true })
  }

  /** Merges two segments, or writes one again. False if nothing is due. */
  async #tidy(end: number): Promise<boolean> {
    const { segments } = this.#index!
    const live = segments.map((segment) => this.#index!.liveRows(segment))
    for (let at = segments.length - 1; at >= 0; at--) {
      const [own, before] = [live[at]!, live[at - 1] ?? segmentRows]
      const isLast = at === segments.length - 1
      const isMerged = own + before <= segmentRows && (!isLast || own * 2 >= before)
      const isStale = own < segments[at]!.rows * (1 - tolerated) || hasGone(segments[at]!)
      if (!isMerged && !isStale) continue
      const from = isMerged ? at - 1 : at
      const builder = new SegmentBuilder()
      for (const segment of segments.slice(from, at + 1))
        builder.addSegment(segment, (row) => this.#index!.isLive(segment, row))
      await this.#replace(from, at + 1 - from, builder, end)
      return true
    }
    return false
  }
}

// Answers from a held log: pages of an edition, records, and which editions can be served. Works in any thread that
// holds a log.
import { canonicalFilter } from '../../domain/filter.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import type { Clock } from '../../platform/clock.ts'
import { mergedFlag } from '../format/entry-batch.ts'
import {
  gzipPage,
  gzipRecord,
  type PageBody,
  type PieceRun,
  pageLength,
  pieceRun,
  plainLines,
  plainPage,
  plainRecord,
  type RecordBody,
  recordLength,
} from '../format/pieces.ts'
import { isRecordId, writeId } from '../format/record-id.ts'
import type {
  EditionInfo,
  EditionView,
  Encoding,
  ListQuery,
  ListResult,
  RecordKey,
  RecordMeta,
} from './edition-view.ts'
import { type HeldEdition, type HeldLog, retentionMs } from './held-log.ts'
import { PageBuffers } from './page-buffers.ts'
import { PageCache } from './page-cache.ts'
import { compileQuery, scan } from './query.ts'
import { chunkBits, type RecordTable, rowMask } from './record-table.ts'

/** Returns the first position after `key` in the order of the list. */
function positionAfter(table: RecordTable, { lastModified, id }: RecordKey, end: number): number {
  let position = table.lowerBound(lastModified, end)
  while (position < end && table.lastModified(position) === lastModified && table.id(position) <= id) position++
  return position
}

/** Maximum bytes of pages to keep per thread: some 450 pages of 100 records as gzip. */
const maxPageBytes = 64 * 1024 * 1024
/**
 * One page in this many is checked again: a client that requests a damaged page repeatedly soon receives it repaired,
 * at some 3 % of the cost of a page.
 */
const checkedEach = 16

export abstract class LogView implements EditionView {
  readonly #clock: Clock
  readonly #pages = new PageCache(maxPageBytes)
  readonly #buffers = new PageBuffers()
  #pagesRead = 0
  /** The log to whose positions the pages refer. */
  #pagesOf: HeldLog | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The generation to read; it changes when the log is replaced. */
  protected abstract get held(): HeldLog | undefined

  get newest(): EditionInfo | undefined {
    return this.held?.shown?.info
  }

  /** Some bytes are not what was written: the writer of the log rebuilds it. */
  get isDamaged(): boolean {
    return this.held?.isDamaged ?? false
  }

  edition(edition: number): EditionInfo | undefined {
    return this.#edition(edition)?.info
  }

  /** The stock of the log; undefined before the first edition. */
  get stockId(): string | undefined {
    return this.held?.stockId
  }

  /** The first edition published at this time or later that can be served in full, else the newest one. */
  firstSince(time: number): EditionInfo | undefined {
    const held = this.held
    for (const { info } of held?.editions.values() ?? [])
      if (info.publishedAt >= time && this.#edition(info.edition)) return info
    return held?.shown?.info
  }

  #edition(edition: number): HeldEdition | undefined {
    const state = this.held
    if (!state?.shown || edition > state.shown.info.edition) return undefined
    if (edition === state.shown.info.edition) return state.shown
    const held = state.editions.get(edition)
    const next = held?.next
    // The log itself forgets by the times of its editions, whatever the clock says.
    const now = Math.max(this.#clock(), state.shown.info.publishedAt)
    return next && held.isComplete && now - next.info.publishedAt <= retentionMs ? held : undefined
  }

  list(query: ListQuery): ListResult {
    const held = this.held
    const known = held?.editionUpTo(query.edition)
    if (!held?.shown || !known || query.edition > held.shown.info.edition)
      throw new RangeError(`edition ${query.edition} is not known here`)
    const seen = (this.#edition(query.edition) ?? held.shown).info.edition
    if (held !== this.#pagesOf) {
      this.#pages.clear()
      this.#pagesOf = held
    }
    const key = keyOf(query, seen)
    const cached = this.#pages.list(key)
    if (cached !== undefined) return cached
    const list = this.#list(held, query, seen, known.end)
    this.#pages.offer(key, list, seen)
    return list
  }

  #list({ table }: HeldLog, { filter, after, limit }: ListQuery, seen: number, end: number): ListResult {
    let from = filter.updatedSince === undefined ? 0 : table.lowerBound(filter.updatedSince, end)
    if (after !== undefined) from = Math.max(from, positionAfter(table, after, end))
    const positions = scan(table, compileQuery(filter), seen, from, end, limit + 1)
    if (positions.length <= limit) return { positions, next: null }
    positions.length = limit
    const last = positions[limit - 1]!
    return { positions, next: { lastModified: table.lastModified(last), id: table.id(last) } }
  }

  find(id: string): number | undefined {
    const held = this.held
    if (!held?.shown || !isRecordId(id)) return undefined
    const words = new Uint32Array(4)
    writeId(id, words, 0)
    let position = held.ids.get(words, 0)
    // entries of the next edition may be in the index already
    while (position !== undefined && position >= held.shown.end) position = held.table.previous(position)
    return position
  }

  meta(position: number): RecordMeta {
    const { table } = this.#known()
    const key = { id: table.id(position), lastModified: table.lastModified(position) }
    const flags = table.chunks[position >>> chunkBits]!.flags[position & rowMask]!
    if ((flags & mergedFlag) === 0) return key
    const { bytes, release } = this.record(position, 'identity')
    const { mergedInto } = JSON.parse(bytes.toString()) as { mergedInto: string }
    release?.()
    return { ...key, mergedInto }
  }

  pageBody(positions: readonly number[], edition: number, encoding: Encoding): PageBody {
    const held = this.#known()
    const seen = this.#edition(edition) ?? held.shown!
    const isOfPages = held === this.#pagesOf
    const cached = isOfPages ? this.#pages.body(positions, seen.info.edition, encoding) : undefined
    if (cached !== undefined) return cached
    const run = runOf(held, positions, seen)
    const kind = encoding === 'identity' ? 'plain' : 'gzip'
    const length = pageLength(run, kind)
    const isKept = isOfPages && this.#pages.hasRoom(positions, seen.info.edition, length)
    const room = isKept ? Buffer.allocUnsafeSlow(length) : this.#buffers.take(length)
    // a kept page is sent many times
    const isChecked = isKept || ++this.#pagesRead % checkedEach === 0
    const makePage = kind === 'plain' ? plainPage : gzipPage
    const body = makePage(run, isKept ? room : room.subarray(0, length), (target, offset) =>
      held.fill(kind, positions, target, offset, isChecked),
    )
    if (!isKept) return { ...body, release: () => this.#buffers.giveBack(room) }
    this.#pages.addBody(positions, encoding, body)
    return body
  }

  record(position: number, encoding: Encoding): RecordBody {
    const held = this.#known()
    const positions = [position]
    const run = runOf(held, positions, held.shown!)
    const kind = encoding === 'identity' ? 'plain' : 'gzip'
    const length = recordLength(run, kind)
    const room = this.#buffers.take(length)
    const makeRecord = kind === 'plain' ? plainRecord : gzipRecord
    const bytes = makeRecord(run, room.subarray(0, length), (target, offset) =>
      held.fill(kind, positions, target, offset, true),
    )
    return { bytes, release: () => this.#buffers.giveBack(room) }
  }

  /**
   * Records of an edition as lines, in the order of the list, archived ones too: those after `after`, at most `limit`,
   * and the key of the last of them. Undefined when there are none. Nothing of it is kept in memory.
   */
  lines(query: {
    readonly edition: number
    readonly after: RecordKey | undefined
    readonly limit: number
  }): { readonly bytes: Buffer; readonly count: number; readonly last: RecordKey } | undefined {
    const held = this.#known()
    const seen = this.#edition(query.edition)
    if (!seen) throw new RangeError(`edition ${query.edition} is not held in full`)
    const { table } = held
    const from = query.after === undefined ? 0 : positionAfter(table, query.after, seen.end)
    const positions = scan(table, everything, query.edition, from, seen.end, query.limit)
    const position = positions.at(-1)
    if (position === undefined) return undefined
    const run = runOf(held, positions, seen)
    let length = 0
    for (let index = 0; index < run.count; index++) length += run.plainLength[index]!
    const bytes = plainLines(run, Buffer.allocUnsafe(length), (target, offset) =>
      held.fill('plain', positions, target, offset, true),
    )
    return {
      bytes,
      count: positions.length,
      last: { lastModified: table.lastModified(position), id: table.id(position) },
    }
  }

  /** A record of the newest edition, or one that it replaced. */
  protected parsed(position: number): TenderRecord {
    const { bytes, release } = this.record(position, 'identity')
    const record = JSON.parse(bytes.toString()) as TenderRecord
    release?.()
    return record
  }

  #known(): HeldLog {
    if (!this.held?.shown) throw new RangeError('no edition is known here')
    return this.held
  }
}

/** All records, archived ones too. */
const everything = compileQuery({ archived: true })

/** Returns one text per query: the filters, the edition, and the state in which it is answered. */
function keyOf({ filter, edition, after, limit }: ListQuery, seen: number): string {
  const from = after === undefined ? '' : `${after.lastModified} ${after.id}`
  return `${seen} ${edition} ${limit} ${from} ${canonicalFilter(filter)}`
}

function runOf(held: HeldLog, positions: readonly number[], edition: HeldEdition): PieceRun {
  const run = pieceRun(positions.length)
  const { chunks } = held.table
  for (let index = 0; index < positions.length; index++) {
    const position = positions[index]!
    const chunk = chunks[position >>> chunkBits]!
    const row = position & rowMask
    run.plainLength[index] = held.lengthOf('plain', position)
    run.gzipLength[index] = held.lengthOf('gzip', position)
    run.plainCrc[index] = chunk.plainCrc[row]!
    run.stamp[index] = held.stampOf(position, edition)
  }
  return run
}

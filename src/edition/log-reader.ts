// Answers from a held log: pages of an edition, records, and which editions can be served. In any thread that holds one.
import type { Clock } from '../platform/clock.ts'
import type {
  EditionInfo,
  EditionReader,
  Encoding,
  ListQuery,
  ListResult,
  RecordKey,
  RecordMeta,
} from './edition-reader.ts'
import { mergedFlag } from './entry-batch.ts'
import { type HeldEdition, type HeldLog, retentionMs } from './held-log.ts'
import { gzipPage, gzipRecord, type PageBody, type PieceInfo, plainPage, plainRecord } from './pieces.ts'
import { compileQuery, scan } from './query.ts'
import { isRecordId, writeId } from './record-id.ts'
import { chunkBits, type RecordTable, rowMask } from './record-table.ts'

/** First position behind `key` in the order of the list. */
function positionAfter(table: RecordTable, { lastModified, id }: RecordKey, end: number): number {
  let position = table.lowerBound(lastModified, end)
  while (position < end && table.lastModified(position) === lastModified && table.id(position) <= id) position++
  return position
}

export abstract class LogReader implements EditionReader {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The generation to read, another one after it was replaced. */
  protected abstract get held(): HeldLog | undefined

  get newest(): EditionInfo | undefined {
    return this.held?.shown?.info
  }

  /** Bytes were found that are not what was written: whoever writes the log rebuilds it. */
  get isDamaged(): boolean {
    return this.held?.isDamaged ?? false
  }

  edition(edition: number): EditionInfo | undefined {
    return this.#edition(edition)?.info
  }

  #edition(edition: number): HeldEdition | undefined {
    const state = this.held
    if (!state?.shown || edition > state.shown.info.edition) return undefined
    if (edition === state.shown.info.edition) return state.shown
    const next = state.editions.get(edition + 1)
    // Whatever the clock says, the log itself forgets by the times of its editions.
    const now = Math.max(this.#clock(), state.shown.info.publishedAt)
    return next && now - next.info.publishedAt <= retentionMs ? state.editions.get(edition) : undefined
  }

  list({ filter, edition, after, limit }: ListQuery): ListResult {
    const state = this.held
    const known = state?.editions.get(edition)
    if (!state?.shown || !known || edition > state.shown.info.edition)
      throw new RangeError(`edition ${edition} is not known here`)
    const seen = this.#edition(edition) ?? state.shown
    const { table } = state
    let from = filter.updatedSince === undefined ? 0 : table.lowerBound(filter.updatedSince, known.end)
    if (after !== undefined) from = Math.max(from, positionAfter(table, after, known.end))
    const positions = scan(table, compileQuery(filter), seen.info.edition, from, known.end, limit + 1)
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
    // what the next edition brings may be in the index already
    while (position !== undefined && position >= held.shown.end) position = held.table.previous(position)
    return position
  }

  meta(position: number): RecordMeta {
    const { table } = this.#known()
    const key = { id: table.id(position), lastModified: table.lastModified(position) }
    const flags = table.chunks[position >>> chunkBits]!.flags[position & rowMask]!
    if ((flags & mergedFlag) === 0) return key
    const { mergedInto } = JSON.parse(this.record(position, 'identity').toString()) as { mergedInto: string }
    return { ...key, mergedInto }
  }

  pageBody(positions: readonly number[], edition: number, encoding: Encoding): PageBody {
    const state = this.#known()
    const seen = this.#edition(edition) ?? state.shown!
    const pieces = positions.map((position) => pieceInfo(state, position, seen))
    if (encoding === 'identity')
      return plainPage(pieces, (target, offset) => state.fill('plain', positions, target, offset))
    const lengths = positions.map((position) => state.lengthOf('gzip', position))
    return gzipPage(pieces, lengths, (target, offset) => state.fill('gzip', positions, target, offset))
  }

  record(position: number, encoding: Encoding): Buffer {
    const state = this.#known()
    const piece = pieceInfo(state, position, state.shown!)
    if (encoding === 'identity')
      return plainRecord(piece, (target, offset) => state.fill('plain', [position], target, offset))
    const length = state.lengthOf('gzip', position)
    return gzipRecord(piece, length, (target, offset) => state.fill('gzip', [position], target, offset))
  }

  #known(): HeldLog {
    if (!this.held?.shown) throw new RangeError('no edition is known here')
    return this.held
  }
}

function pieceInfo(state: HeldLog, position: number, edition: HeldEdition): PieceInfo {
  const chunk = state.table.chunks[position >>> chunkBits]!
  const row = position & rowMask
  return {
    plainLength: chunk.plainLength[row]!,
    plainCrc: chunk.plainCrc[row]!,
    stamp: state.stampOf(position, edition),
  }
}

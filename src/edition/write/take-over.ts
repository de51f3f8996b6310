// Loads editions from their source: each from one state of the source, and none that does not match what the source
// says of it.
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { EditionRow } from '../../store/editions/editions.ts'
import { type HeldEdition, retentionMs } from '../read/held-log.ts'
import { type EditionReads, lateServer, type SourceHead, type TakenEntries } from './edition-source.ts'
import type { LogState, NewEdition } from './log-state.ts'
import type { Packers } from './packers.ts'

/**
 * The database does not hold the newest editions of this log, which clients may have seen. Nothing is discarded before
 * an operator agrees.
 */
export class OlderDatabaseError extends OperatorError {
  constructor(message: string) {
    super('older-database', message)
  }
}

/** How a database relates to the log. */
export type Relation =
  /** It continues from the newest edition of the log. */
  | { readonly kind: 'follows' }
  /** It is a standby that has not received everything yet. */
  | { readonly kind: 'late' }
  /**
   * It is older, or belongs to another stock. `common`: the newest edition that both hold; undefined for none.
   * `isReplaced`: it holds others after that one.
   */
  | {
      readonly kind: 'older'
      readonly common: EditionRow | undefined
      readonly difference: string
      readonly isReplaced: boolean
    }

export async function relationOf(
  reads: EditionReads,
  head: SourceHead,
  state: LogState | undefined,
): Promise<Relation> {
  if (state?.newest === undefined) return { kind: 'follows' }
  const { newest } = state
  const { edition } = newest.info
  if (head.target !== undefined && head.stockId !== state.stockId)
    return { kind: 'older', common: undefined, difference: 'it holds another stock', isReplaced: true }
  const rowOf = async (held: HeldEdition) => {
    const [row] = await reads.editionsAfter(held.info.edition - 1, 1)
    return row !== undefined && isSame(row, held) ? row : undefined
  }
  const row = await rowOf(newest)
  if (row) return { kind: 'follows' }
  const last = head.target?.edition ?? 0
  const held = [...state.editions.values()].filter(({ info }) => info.edition <= last)
  let common: EditionRow | undefined
  for (let [low, above] = [0, held.length]; low < above; ) {
    const middle = (low + above) >>> 1
    const same = await rowOf(held[middle]!)
    common = same ?? common
    if (same) low = middle + 1
    else above = middle
  }
  if (last < edition && common?.edition === last && head.isStandby) return { kind: 'late' }
  if (last === 0) return { kind: 'older', common, difference: 'it holds no edition', isReplaced: false }
  const isReplaced = common?.edition !== last
  const from = isReplaced ? `; they have the editions up to ${common?.edition ?? 0} in common` : ''
  return { kind: 'older', common, difference: `its newest edition is ${last}${from}`, isReplaced }
}

/** By its digest, too, where both know it: one number may stand for two contents of the same size and time. */
function isSame(row: EditionRow, { info, isComplete }: HeldEdition): boolean {
  return (
    (!isComplete || row.checksum === null || row.checksum === info.checksum) &&
    row.edition === info.edition &&
    row.lastModified === info.lastModified &&
    row.publishedAt === info.publishedAt &&
    row.records === info.records &&
    row.changes === info.changes
  )
}

/**
 * Maximum number of editions to read in one transaction, and of their entries; a single larger edition is read whole.
 */
const editionsAtOnce = 500
const changesAtOnce = 100_000

/**
 * Appends the next editions of one state of the database. True when its newest edition was reached. Entries that were
 * replaced long ago are gone from the database, so earlier editions may be incomplete: readers go straight to the first
 * whole one. Throws WrongEntriesError when the newest one does not match what the database says of it.
 */
export async function takeEditions(
  reads: EditionReads,
  state: LogState,
  target: EditionRow,
  { clock, packers }: { readonly clock: Clock; readonly packers: Packers },
): Promise<boolean> {
  const from = state.newest?.info.edition ?? 0
  if (target.edition < from) throw lateServer(target.edition, from)
  const rows = await reads.editionsAfter(from, editionsAtOnce)
  let changes = 0
  const some = rows.filter((row, index) => {
    changes += row.changes
    return row.edition <= target.edition && (index === 0 || changes <= changesAtOnce)
  })
  const last = some.at(-1)
  if (last === undefined) {
    if (from < target.edition) throw new Error(`the editions after ${from} are missing in the database`)
    return true
  }
  const entries = reads
    .entries(state.newest?.info.lastModified ?? Number.MIN_SAFE_INTEGER, last)
    [Symbol.asyncIterator]()
  let next = await entries.next()
  async function* entriesOf(edition: number): AsyncGenerator<TakenEntries> {
    for (; !next.done && editionOfEntries(next.value) === edition; next = await entries.next()) yield next.value
  }
  for (const [index, row] of some.entries()) {
    const following = rows[index + 1]
    const isTarget = row.edition === target.edition
    const isShown = isTarget || (following !== undefined && clock() - following.publishedAt <= retentionMs)
    await state.append(editionOf(row), entriesOf(row.edition), { isTarget, isShown, packers })
  }
  return last.edition === target.edition
}

function editionOf({ checksum, ...edition }: EditionRow): NewEdition {
  return checksum === null ? edition : { ...edition, checksum }
}

const editionOfEntries = (taken: TakenEntries): number => ('batch' in taken ? taken.batch.edition : taken.edition)

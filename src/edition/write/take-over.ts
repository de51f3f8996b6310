// Takes editions over from the database: each as one state of it holds it, and none that is not what the database says of it.
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { type Executor, inSnapshot, type Store } from '../../store/database.ts'
import {
  type DatabaseHead,
  type EditionRow,
  editionsAfter,
  entriesAfter,
  type StoredEntry,
} from '../../store/editions.ts'
import { type HeldEdition, retentionMs } from '../read/held-log.ts'
import { type LogState, type NewEdition, WrongEntriesError } from './log-state.ts'
import type { NewEntry } from './pack-entries.ts'
import type { Packers } from './packers.ts'

/** Without an engine it counts as a server, which may be several behind one address. */
export type SourceStore = Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>

/** Queries the database. All queries of one instance see the same state of the database. */
export type Read = <Result>(ask: (db: Executor) => Promise<Result>) => Promise<Result>

/**
 * Runs `work` on one state of the database: in one transaction of one connection. The embedded engine has one
 * connection for all, and one database behind it: there each query is a separate transaction, so that others can run.
 */
export function withSnapshot<Result>(store: SourceStore, work: (read: Read) => Promise<Result>): Promise<Result> {
  if (store.engine === 'embedded') return work((ask) => inSnapshot(store, ask))
  return inSnapshot(store, (trx) => work((ask) => ask(trx)))
}

/**
 * The database does not hold the newest editions of this log, which clients may have seen. Nothing is dropped before
 * an operator agrees.
 */
export class OlderDatabaseError extends OperatorError {}

/** The relation of a database to the log. */
export type Relation =
  /** It continues from the newest edition of the log. `isOtherwise`: that one has another checksum there. */
  | { readonly kind: 'follows'; readonly isOtherwise: boolean }
  /** A standby that has not received all yet. */
  | { readonly kind: 'late' }
  /** It is older, or of another stock. `common`: the newest edition that both hold; 0 for none. */
  | { readonly kind: 'older'; readonly common: number; readonly difference: string }

/** The server that answered does not hold what the one before it held. */
const lateServer = (newest: number, wanted: number): WrongEntriesError =>
  new WrongEntriesError(`the database server that answered holds edition ${newest}, not edition ${wanted}`)

export async function relationOf(read: Read, head: DatabaseHead, state: LogState | undefined): Promise<Relation> {
  if (state?.newest === undefined) return { kind: 'follows', isOtherwise: false }
  const { newest } = state
  const { edition } = newest.info
  if (head.target !== undefined && head.stockId !== state.stockId)
    return { kind: 'older', common: 0, difference: 'it holds another stock' }
  const isHeld = async (number: number) => {
    const held = state.editions.get(number)
    const [row] = await read((db) => editionsAfter(db, number - 1, 1))
    return held !== undefined && row !== undefined && isSame(row, held) ? row : undefined
  }
  const row = await isHeld(edition)
  if (row) return { kind: 'follows', isOtherwise: isOtherwise(row, newest) }
  const last = head.target?.edition ?? 0
  let common = 0
  for (let above = Math.min(last, edition) + 1; above - common > 1; ) {
    const middle = (common + above) >>> 1
    if (await isHeld(middle)) common = middle
    else above = middle
  }
  if (last < edition && common === last && head.isStandby) return { kind: 'late' }
  if (last === 0) return { kind: 'older', common, difference: 'it holds no edition' }
  const from = common === last ? '' : `; they have the editions up to ${common} in common`
  return { kind: 'older', common, difference: `its newest edition is ${last}${from}` }
}

function isSame(row: EditionRow, { info }: HeldEdition): boolean {
  return (
    row.edition === info.edition &&
    row.lastModified === info.lastModified &&
    row.publishedAt === info.publishedAt &&
    row.records === info.records &&
    row.changes === info.changes
  )
}

const isOtherwise = ({ checksum }: EditionRow, { info, isComplete }: HeldEdition): boolean =>
  isComplete && checksum !== null && checksum !== info.checksum

/**
 * Maximum number of editions that are read in one transaction, and of their entries, except for a single larger
 * edition.
 */
const editionsAtOnce = 500
const changesAtOnce = 100_000
const entriesAtOnce = 256

/**
 * Appends the next editions of one state of the database. True when the newest of it was reached. Entries that were replaced long
 * ago are gone from there, so an edition before may be incomplete: readers go straight to the first one that is whole. Throws
 * WrongEntriesError when the newest one is not what the database says of it.
 */
export async function takeEditions(
  read: Read,
  state: LogState,
  target: EditionRow,
  { clock, packers }: { readonly clock: Clock; readonly packers: Packers },
): Promise<boolean> {
  const from = state.newest?.info.edition ?? 0
  if (target.edition < from) throw lateServer(target.edition, from)
  const rows = await read((db) => editionsAfter(db, from, editionsAtOnce))
  let changes = 0
  const some = rows.filter((row, index) => {
    changes += row.changes
    return row.edition <= target.edition && (index === 0 || changes <= changesAtOnce)
  })
  const last = some.at(-1)
  if (last === undefined) {
    if (from < target.edition) throw new Error(`edition ${from + 1} is missing in the database`)
    return true
  }
  const entries = entriesUpTo(read, state.newest?.info.lastModified ?? Number.MIN_SAFE_INTEGER, last)
  let next = await entries.next()
  async function* entriesOf(edition: number): AsyncGenerator<NewEntry> {
    for (; !next.done && next.value.edition === edition; next = await entries.next()) yield next.value
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

/** The entries up to those of the edition `last`, from states that hold it. */
async function* entriesUpTo(read: Read, after: number, last: EditionRow): AsyncGenerator<StoredEntry, undefined> {
  for (let from = after; ; ) {
    const rows = await read(async (db) => {
      const [row] = await editionsAfter(db, last.edition - 1, 1)
      if (row?.checksum !== last.checksum || row.lastModified !== last.lastModified)
        throw lateServer(row?.edition ?? 0, last.edition)
      return entriesAfter(db, from, last.lastModified, entriesAtOnce)
    })
    yield* rows
    if (rows.length < entriesAtOnce) return undefined
    from = rows[rows.length - 1]!.lastModified
  }
}

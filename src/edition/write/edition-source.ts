// Where a node loads editions from: the database, or a bucket that a publisher maintains (bucket-source.ts).
import { type Executor, inSnapshot, type Store } from '../../store/database/database.ts'
import {
  type DatabaseHead,
  databaseHead,
  type EditionRow,
  editionsAfter,
  entriesAfter,
} from '../../store/editions/editions.ts'
import { type Epoch, epochsOf } from '../../store/editions/older-database.ts'
import type { ReadPart } from '../format/segment.ts'
import { WrongEntriesError } from './log-state.ts'
import type { NewEntry } from './pack-entries.ts'

/** An entry to be packed, or entries of one edition that are already packed. */
export type TakenEntries = (NewEntry & { readonly edition: number }) | ReadPart

export type SourceHead = DatabaseHead & { readonly epochs: readonly Epoch[] }

/** What can be read from one state of a source. */
export type EditionReads = {
  readonly head: () => Promise<SourceHead>
  /** Returns the editions after this one, in order, at most `limit`. */
  readonly editionsAfter: (edition: number, limit: number) => Promise<readonly EditionRow[]>
  /**
   * Yields the entries with `after` < lastModified, up to those of the edition `last`, in order. Throws
   * WrongEntriesError.
   */
  readonly entries: (after: number, last: EditionRow) => AsyncIterable<TakenEntries>
}

export type EditionSource = {
  readonly kind: 'database' | 'bucket'
  /** Runs `work` on one state of the source. */
  readonly onOneState: <Result>(work: (reads: EditionReads) => Promise<Result>) => Promise<Result>
}

/** Without an engine it is treated as a database server; several servers may share one address. */
export type SourceStore = Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>

/** Queries the database. All queries of one instance see the same state. */
type Read = <Result>(ask: (db: Executor) => Promise<Result>) => Promise<Result>

const entriesAtOnce = 256

/**
 * A state of the database is one transaction of one connection. The embedded engine has a single connection to a single
 * database: there each query is a separate transaction, so that others can run.
 */
export function databaseSource(store: SourceStore): EditionSource {
  const readsOf = (read: Read): EditionReads => ({
    head: () => read(async (db) => ({ ...(await databaseHead(db)), epochs: await epochsOf(db) })),
    editionsAfter: (edition, limit) => read((db) => editionsAfter(db, edition, limit)),
    entries: (after, last) => entriesUpTo(read, after, last),
  })
  return {
    kind: 'database',
    onOneState: (work) =>
      store.engine === 'embedded'
        ? work(readsOf((ask) => inSnapshot(store, ask)))
        : inSnapshot(store, (trx) => work(readsOf((ask) => ask(trx)))),
  }
}

/** The server that answered does not hold what the previous one held. */
export const lateServer = (newest: number, wanted: number): WrongEntriesError =>
  new WrongEntriesError(`the database server that answered holds edition ${newest}, not edition ${wanted}`)

/** Yields the entries up to those of the edition `last`, from states that hold it. */
async function* entriesUpTo(read: Read, after: number, last: EditionRow): AsyncGenerator<TakenEntries, undefined> {
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

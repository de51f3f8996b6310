// Opens the stock: an embedded database in a folder, or a PostgreSQL server. One SQL dialect on both.
import type { Kysely, Transaction } from 'kysely'
import type { ConnectionUse } from '../connections/connection-use.ts'
import { asTransactionOf } from '../connections/transaction-scope.ts'
import { openEmbedded } from '../embedded/open-embedded.ts'
import { freeLeases } from '../schema/free-leases.ts'
import { dropBeforeImages } from '../schema/leftovers.ts'
import { type MigrateOptions, migrate } from '../schema/migrate.ts'
import type { Migrations } from '../schema/migrations.ts'
import type { Database } from '../schema/schema.ts'
import { checkServer, openServer, prepareServer } from '../server/open-server.ts'
import { shownAddress } from '../server/server-addresses.ts'

/** What every named query accepts: the database or a transaction in progress. */
export type Executor = Kysely<Database> | Transaction<Database>

/** An open stock, on either engine. */
export type Store = {
  readonly engine: 'embedded' | 'server'
  readonly db: Kysely<Database>
  /**
   * The same stock, for small frequent queries. On a server they have separate connections, and a query that is not
   * answered within about 5 seconds fails as a lost connection.
   */
  readonly looks: Kysely<Database>
  /**
   * A mark that is another one after each committed change of a logged table. Absent on a server, where other processes
   * write, too.
   */
  readonly writes?: () => string
  /** How its connections are used now. */
  readonly connections: () => ConnectionUse
  /** Bounded: what does not end within a few seconds is cut off. */
  readonly close: () => Promise<void>
}

export type StoreOptions = {
  /** PostgreSQL 15 or newer; absent: the embedded engine in `dataFolder`. */
  readonly databaseUrl?: string
  /** Created when missing. */
  readonly dataFolder: string
  /** A statement that runs longer fails with SQLSTATE 57014. Default 10 minutes. */
  readonly statementTimeoutMs?: number
  /**
   * Aborted: the store of a server closes itself some seconds later, so that nothing that waits for it delays the end.
   */
  readonly signal?: AbortSignal
  /** Migrates tables only up to these migrations: those of a backup that is restored. Default: all. */
  readonly migrations?: Migrations
  /** Embedded engine only: called when a vacuum or checkpoint failed; the data is safe and the next round retries. */
  readonly onHousekeepingError?: (error: unknown) => void
  /** Called before the tables are migrated, see migrate.ts. */
  readonly onMigration?: MigrateOptions['onMigration']
}

/** How long a statement may run: enough for any legitimate one on millions of rows. */
const defaultStatementTimeoutMs = 10 * 60_000

/**
 * Opens the stock and brings its tables up to date. Throws OperatorError for what the operator can fix: a folder in use
 * or not writable, damaged data, a server that cannot be reached or is too old, tables of another version.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const store = await open(options)
  try {
    await migrate(store.db, shownStock(options), {
      ...(options.migrations && { known: options.migrations }),
      ...(options.onMigration && { onMigration: options.onMigration }),
    })
    // Only one process has the folder: any earlier holder of a lease in it, or maker of a backup, is gone.
    if (store.engine === 'embedded') {
      await freeLeases(store.db)
      await dropBeforeImages(store.db)
    }
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/**
 * The stock on a server that does not answer yet. Once it answers, `check` does what opening does: it rejects with a
 * lost connection until then, and with OperatorError when the stock cannot be used.
 */
export function openStoreLater(options: StoreOptions & { readonly databaseUrl: string }): {
  readonly store: Store
  readonly check: () => Promise<void>
} {
  const { databaseUrl, signal, onMigration } = options
  const statementTimeoutMs = options.statementTimeoutMs ?? defaultStatementTimeoutMs
  const store = prepareServer({ databaseUrl, statementTimeoutMs, ...(signal && { signal }) })
  const check = async () => {
    await checkServer(store, databaseUrl)
    await migrate(store.db, shownStock(options), { ...(onMigration && { onMigration }) })
  }
  return { store, check }
}

async function open({ databaseUrl, dataFolder, signal, onMigration: _, ...options }: StoreOptions): Promise<Store> {
  const statementTimeoutMs = options.statementTimeoutMs ?? defaultStatementTimeoutMs
  if (databaseUrl !== undefined) return openServer({ databaseUrl, statementTimeoutMs, ...(signal && { signal }) })
  return openEmbedded({ ...options, dataFolder, statementTimeoutMs })
}

function shownStock({ databaseUrl, dataFolder }: StoreOptions): string {
  return databaseUrl === undefined ? `The data folder ${dataFolder}` : `The database ${shownAddress(databaseUrl)}`
}

/**
 * Runs `work` in one transaction: all of it takes effect or, if it throws, nothing. Use only the given `trx` inside: on
 * the embedded engine there is one connection, so a query on `store.db` would wait for the transaction that waits for
 * it; it throws. Where `store.db` is a transaction itself, the work is a part of it.
 */
export function inTransaction<Result>(
  store: { readonly db: Executor },
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  if (store.db.isTransaction) return work(store.db as Transaction<Database>)
  return store.db.transaction().execute((trx) => asTransactionOf(store.db, () => work(trx)))
}

/** Runs `work`, which only reads, on one state of the database: it does not see what is committed meanwhile. */
export function inSnapshot<Result>(
  store: Pick<Store, 'db'>,
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  return store.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => asTransactionOf(store.db, () => work(trx)))
}

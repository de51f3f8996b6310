// Opens the stock: an embedded database in a folder, or a PostgreSQL server. One SQL dialect on both.
import type { Kysely, Transaction } from 'kysely'
import { openEmbedded } from './embedded/open-embedded.ts'
import { migrate } from './migrate.ts'
import type { Database } from './schema.ts'
import { openServer, placeOf } from './server/open-server.ts'
import { asTransactionOf } from './transaction-scope.ts'

/** What every named query takes: the database or a running transaction. */
export type Executor = Kysely<Database> | Transaction<Database>

/** An open stock, on either engine. */
export type Store = {
  readonly engine: 'embedded' | 'server'
  readonly db: Kysely<Database>
  readonly close: () => Promise<void>
}

export type StoreOptions = {
  /** PostgreSQL 15 or newer; absent: the embedded engine in `dataFolder`. */
  readonly databaseUrl?: string
  /** Made when it is missing. */
  readonly dataFolder: string
  /** A statement that runs longer fails with SQLSTATE 57014. Default 10 minutes. */
  readonly statementTimeoutMs?: number
  /** Embedded engine only: told of a vacuum or checkpoint that failed; the data is safe and the next round tries again. */
  readonly onHousekeepingError?: (error: unknown) => void
}

/** Long enough for any honest statement on millions of rows. */
const defaultStatementTimeoutMs = 10 * 60_000

/**
 * Opens the stock and brings its tables up to date. Throws OperatorError for what the operator can mend: a folder in use
 * or not writable, damaged data, a server that cannot be reached or is too old, tables of a newer version.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const store = await open(options)
  try {
    await migrate(store.db, placeName(options))
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

async function open({ databaseUrl, dataFolder, ...options }: StoreOptions): Promise<Store> {
  const statementTimeoutMs = options.statementTimeoutMs ?? defaultStatementTimeoutMs
  if (databaseUrl !== undefined) return openServer({ databaseUrl, statementTimeoutMs })
  return openEmbedded({ ...options, dataFolder, statementTimeoutMs })
}

function placeName({ databaseUrl, dataFolder }: StoreOptions): string {
  return databaseUrl === undefined ? `The data folder ${dataFolder}` : `The database ${placeOf(databaseUrl)}`
}

/**
 * Runs `work` in one transaction: all of it or, when it throws, nothing. Use only the given `trx` inside: on the embedded
 * engine there is one connection, so a query on `store.db` would wait for the transaction that waits for it; it throws.
 */
export function inTransaction<Result>(
  store: Pick<Store, 'db'>,
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  return store.db.transaction().execute((trx) => asTransactionOf(store.db, () => work(trx)))
}

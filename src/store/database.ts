// Opens the stock: an embedded database in a folder, or a PostgreSQL server. One SQL dialect on both.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { migrate } from './migrate.ts'
import type { Database } from './schema.ts'

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
}

const int8Oid = 20

/** Opens the stock and brings its tables up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const store =
    options.databaseUrl === undefined ? await openEmbedded(options.dataFolder) : openServer(options.databaseUrl)
  try {
    await migrate(
      store.db,
      options.databaseUrl === undefined ? `The data folder ${options.dataFolder}` : 'The database',
    )
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

async function openEmbedded(dataFolder: string): Promise<Store> {
  await mkdir(dataFolder, { recursive: true })
  const pglite = await PGlite.create(join(dataFolder, 'database'), { parsers: { [int8Oid]: Number } })
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) })
  return { engine: 'embedded', db, close: () => db.destroy() }
}

function openServer(databaseUrl: string): Store {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === int8Oid ? Number : pg.types.getTypeParser(oid, format),
  }
  const pool = new pg.Pool({ connectionString: databaseUrl, application_name: 'tenderstock', types })
  pool.on('error', () => {})
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  return { engine: 'server', db, close: () => db.destroy() }
}

/**
 * Runs `work` in one transaction: all of it or, when it throws, nothing. Use only the given `trx` inside: on the embedded
 * engine there is one connection, and a query on `store.db` would wait for the transaction that waits for it.
 */
export function inTransaction<Result>(
  store: Pick<Store, 'db'>,
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  return store.db.transaction().execute(work)
}

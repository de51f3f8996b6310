// Opens the stock on a PostgreSQL server.
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { OperatorError } from '../../platform/errors.ts'
import type { ConnectionUse } from '../connections/connection-use.ts'
import { assertOutsideTransactionOf } from '../connections/transaction-scope.ts'
import type { Database } from '../schema/schema.ts'
import { shownAddress, unusable } from './server-addresses.ts'
import { WatchedConnections } from './watched-connections.ts'

export type ServerOptions = {
  readonly databaseUrl: string
  /** A statement that runs longer is an error (SQLSTATE 57014). */
  readonly statementTimeoutMs: number
  /** Aborted: all connections are closed `lateCloseMs` later, unless they were closed before. */
  readonly signal?: AbortSignal
}

export type ServerStore = {
  readonly engine: 'server'
  readonly db: Kysely<Database>
  readonly looks: Kysely<Database>
  readonly connections: () => ConnectionUse
  readonly close: () => Promise<void>
}

const oldestVersion = 150_000
const int8Oid = 20
/** How long work that still waits for the server may wait after a signal to stop. */
const lateCloseMs = 6_000

/** bigint as number on this engine too: our numbers stay far below 2^53. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/**
 * Connects without migrating. Throws OperatorError when the server cannot be reached or is older than PostgreSQL 15.
 */
export async function openServer(options: ServerOptions): Promise<ServerStore> {
  const store = prepareServer(options)
  try {
    await checkServer(store, options.databaseUrl)
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/** Connects with the first statement. */
export function prepareServer(options: ServerOptions): ServerStore {
  const connections = new WatchedConnections({
    ...options,
    types,
    beforeWork: () => assertOutsideTransactionOf(db),
  })
  const db: Kysely<Database> = new Kysely<Database>({ dialect: new PostgresDialect({ pool: connections.work }) })
  const looks = new Kysely<Database>({ dialect: new PostgresDialect({ pool: connections.looks }) })
  let late: NodeJS.Timeout | undefined
  const closeLate = () => {
    late = setTimeout(() => void connections.close(), lateCloseMs)
  }
  options.signal?.addEventListener('abort', closeLate, { once: true })
  const close = async () => {
    clearTimeout(late)
    options.signal?.removeEventListener('abort', closeLate)
    await connections.close()
  }
  return { engine: 'server', db, looks, connections: () => connections.use(), close }
}

/** Without these limits a frozen process would hold up the others forever. */
const limitsAdvice =
  'the limits that the service sets for its sessions (statement_timeout, lock_timeout, ' +
  'idle_in_transaction_session_timeout): set them for the role and let the pooler ignore them ' +
  '(docs/high-availability.md, "PgBouncer"), or name the server itself.'

/** Throws OperatorError when the server cannot be reached or is older than PostgreSQL 15. */
export async function checkServer({ db }: Pick<ServerStore, 'db'>, databaseUrl: string): Promise<void> {
  const address = shownAddress(databaseUrl)
  try {
    const { rows } = await sql<{ version: number; isLimited: boolean }>`
      select current_setting('server_version_num')::integer as version,
        '0' not in (current_setting('statement_timeout'), current_setting('lock_timeout'),
          current_setting('idle_in_transaction_session_timeout')) as "isLimited"`.execute(db)
    assertVersion(rows[0]!.version, address)
    if (!rows[0]!.isLimited)
      throw new OperatorError('pooler-unusable', `${address} is behind a pooler that drops ${limitsAdvice}`)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    if (/unsupported startup parameter/.test(String(error)))
      throw new OperatorError('pooler-unusable', `${address} is behind a pooler that refuses ${limitsAdvice}`, {
        cause: error,
      })
    throw unusable(error, databaseUrl, 'check its address and that the server is running')
  }
}

/** Throws OperatorError when `server_version_num` is older than what the SQL of the store needs. */
export function assertVersion(version: number, address: string): void {
  if (version >= oldestVersion) return
  throw new OperatorError(
    'postgres-too-old',
    `The database ${address} runs PostgreSQL ${Math.floor(version / 10_000)}; use a server of version 15 or newer.`,
  )
}

// Opens the stock on a PostgreSQL server.
import { Kysely, PostgresDialect, PostgresDriver } from 'kysely'
import pg from 'pg'
import { OperatorError } from '../../platform/errors.ts'
import type { Database } from '../schema.ts'
import { assertOutsideTransactionOf } from '../transaction-scope.ts'

export type ServerOptions = {
  readonly databaseUrl: string
  /** A statement that runs longer is an error (SQLSTATE 57014). */
  readonly statementTimeoutMs: number
}

export type ServerStore = {
  readonly engine: 'server'
  readonly db: Kysely<Database>
  readonly close: () => Promise<void>
}

const oldestVersion = 150_000
const connections = 10
const connectTimeoutMs = 15_000
const int8Oid = 20

/** bigint as number on this engine too: our numbers stay far below 2^53. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** Connects without migrating. Throws OperatorError when the server cannot be reached or is older than PostgreSQL 15. */
export async function openServer(options: ServerOptions): Promise<ServerStore> {
  const place = placeOf(options.databaseUrl)
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    application_name: 'tenderstock',
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    keepAlive: true,
    types,
  })
  // A connection that the server closes, idle or in use, is replaced at its next use and its query fails; without these
  // listeners it would end the process besides.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    const { rows } = await pool.query<{ version: number }>(
      "select current_setting('server_version_num')::integer as version",
    )
    assertVersion(rows[0]!.version, place)
  } catch (error) {
    await pool.end()
    if (error instanceof OperatorError) throw error
    const reason = (error as Error).message || (error as { code?: string }).code || 'no connection'
    throw new OperatorError(
      `The database ${place} cannot be used (${reason}); check DATABASE_URL and that the server runs.`,
      { cause: error },
    )
  }
  const db: Kysely<Database> = new Kysely<Database>({
    dialect: new GuardedDialect(pool, () => assertOutsideTransactionOf(db)),
  })
  return { engine: 'server', db, close: () => db.destroy() }
}

/** Throws OperatorError when `server_version_num` is older than what the SQL of the store needs. */
export function assertVersion(version: number, place: string): void {
  if (version >= oldestVersion) return
  throw new OperatorError(
    `The database ${place} runs PostgreSQL ${Math.floor(version / 10_000)}; give DATABASE_URL of version 15 or newer.`,
  )
}

/** Kysely's dialect, with the same refusal of a query outside the running transaction as the embedded one. */
class GuardedDialect extends PostgresDialect {
  readonly #pool: pg.Pool
  readonly #beforeAcquire: () => void

  constructor(pool: pg.Pool, beforeAcquire: () => void) {
    super({ pool })
    this.#pool = pool
    this.#beforeAcquire = beforeAcquire
  }

  override createDriver(): PostgresDriver {
    return new GuardedDriver(this.#pool, this.#beforeAcquire)
  }
}

class GuardedDriver extends PostgresDriver {
  readonly #beforeAcquire: () => void

  constructor(pool: pg.Pool, beforeAcquire: () => void) {
    super({ pool })
    this.#beforeAcquire = beforeAcquire
  }

  override async acquireConnection(options?: Parameters<PostgresDriver['acquireConnection']>[0]) {
    this.#beforeAcquire()
    return super.acquireConnection(options)
  }
}

/** Host, port and name of a database, without its user and password. Throws OperatorError when it is no PostgreSQL URL. */
export function placeOf(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    throw new OperatorError('DATABASE_URL is not of the form postgres://user:password@host:port/database; correct it.')
  }
  return `${url.host}${url.pathname}`
}

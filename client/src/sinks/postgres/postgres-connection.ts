// One connection to PostgreSQL: opened when it is first used, and again after it was lost. It may lead to a pooler that
// gives each transaction another session of the server: settings and locks are those of a transaction, never of a
// session.
import type { Client, Connection } from 'pg'
import { installed, SinkError } from '../faults/sink-error.ts'
import { postgresFaultOf } from './postgres-faults.ts'

export type PostgresConnectionOptions = {
  readonly connectionString: string
  /** Called with each new connection before it is used. */
  readonly setUp: (client: Client) => Promise<void>
  /** Called when the connection is lost, before anything uses the next one. */
  readonly onLost?: () => void
  /** Maximum time for connecting and for each statement; default: 30 s, and no limit for statements. */
  readonly timeoutMs?: number
}

export type PostgresConnection = {
  /** Connects, if there is no connection. */
  open(): Promise<void>
  /** Runs a statement; statements run one after the other. */
  rows<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Runs a `copy … from stdin`, and gives it these bytes. */
  copyIn(sql: string, bytes: Buffer): Promise<void>
  /** Closes the connection: the server undoes an open transaction and releases its locks. */
  end(): Promise<void>
}

async function loadPg(): Promise<typeof import('pg')> {
  const loaded = await installed(import('pg'), 'pg', 'The PostgreSQL sink')
  // A CommonJS package: its members may be only on the default export.
  return 'default' in loaded ? (loaded.default as typeof import('pg')) : loaded
}

/** Throws a SinkError if the name needs quotes. */
export function checkedName(name: string, what: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name))
    throw new SinkError(`${what} ${JSON.stringify(name)} must consist of letters, digits and underscores.`)
  return name
}

/** Connects when it is first used. */
export function postgresConnection(options: PostgresConnectionOptions): PostgresConnection {
  const { connectionString, setUp, onLost, timeoutMs } = options
  let connection: Promise<Client> | undefined
  let forgetConnection = (): void => {}

  async function connect(): Promise<Client> {
    const pg = await loadPg()
    const client = new pg.Client({
      connectionString,
      application_name: 'tender-sync',
      connectionTimeoutMillis: timeoutMs ?? 30_000,
      ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
      // A connection that died silently is noticed, and its run aborted, instead of waiting forever.
      keepAlive: true,
    })
    let isGone = false
    const forget = (): void => {
      // Error and end both arrive, the second perhaps when there is a new connection already.
      if (isGone) return
      isGone = true
      connection = undefined
      onLost?.()
    }
    // Without a listener a lost connection would end the process; the running query rejects anyway.
    forgetConnection = forget
    client.on('error', forget)
    client.on('end', forget)
    try {
      await client.connect()
    } catch (error) {
      throw postgresFaultOf(error, client)
    }
    try {
      await setUp(client)
    } catch (error) {
      await client.end()
      throw postgresFaultOf(error, client)
    }
    return client
  }

  function connected(): Promise<Client> {
    connection ??= connect().catch((error: unknown) => {
      connection = undefined
      throw error
    })
    return connection
  }

  async function run<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await connected()
    try {
      return await work(client)
    } catch (error) {
      // Only the server's own refusals of a statement leave a connection that can be used.
      const severity = typeof error === 'object' && error !== null && 'severity' in error ? error.severity : 'FATAL'
      if (severity !== 'ERROR') {
        forgetConnection()
        // Otherwise a connection that is still alive would keep the lock.
        void client.end().catch(() => {})
      }
      throw postgresFaultOf(error, client)
    }
  }

  return {
    async open() {
      await connected()
    },
    rows: <Row>(sql: string, values: readonly unknown[] = []) =>
      run(async (client) => (await client.query(sql, [...values])).rows as Row[]),
    copyIn: (sql, bytes) => run((client) => copyIn(client, sql, bytes)),
    async end() {
      if (!connection) return
      const client = await connection
      await client.end()
      connection = undefined
    },
  }
}

/** Its types do not know them. */
type CopyConnection = Connection & { sendCopyFromChunk(bytes: Buffer): void; endCopyFrom(): void }

/** `pg` sends no rows by itself: this is a query of its protocol that does. */
function copyIn(client: Client, sql: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const nothing = (): void => {}
    const query = {
      submit: (connection: Connection) => connection.query(sql),
      handleCopyInResponse: (connection: CopyConnection) => {
        connection.sendCopyFromChunk(bytes)
        connection.endCopyFrom()
      },
      handleCommandComplete: nothing,
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    }
    client.query(query)
  })
}

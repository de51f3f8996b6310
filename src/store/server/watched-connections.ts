// The connections to a PostgreSQL server. None of them hangs forever: if a host died or a network forgot a flow, no
// side closes the connection, and a statement on it would wait forever.
import { hostname } from 'node:os'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { within } from '../../platform/within.ts'
import { isConnectionLoss } from '../connections/connection-loss.ts'
import type { ConnectionUse } from '../connections/connection-use.ts'
import { newestMigration, sessionName } from '../schema/migrate.ts'
import { ReadOnlyServerError, serverAddresses } from './server-addresses.ts'
import { ServerInUse } from './server-in-use.ts'
import { roundMs, StatementWatch } from './statement-watch.ts'
import { type Session, SilentConnection, WatchedClient } from './watched-client.ts'

export type ConnectionOptions = {
  readonly databaseUrl: string
  /** A statement that runs longer is an error (SQLSTATE 57014). */
  readonly statementTimeoutMs: number
  readonly types: pg.CustomTypesConfig
  /** Called before a connection is taken; it throws to refuse that. */
  readonly beforeWork: () => void
}

const workConnections = 10
const lookConnections = 2
/** How long connecting may take, or waiting for a free connection of the pool. */
const workConnectTimeoutMs = 15_000
const lookConnectTimeoutMs = 5_000
/** How long one of several servers may take to answer before the next one is tried. */
const nextServerMs = 2_000
/** How long a close waits for running statements, and then for the server to accept the goodbyes. */
const closeGraceMs = 2_000
const goodbyeGraceMs = 500
/**
 * How long a connection is idle before TCP checks whether the other end is alive. Node probes ten times, one second
 * apart.
 */
const keepAliveDelayMs = 5_000
/**
 * How long the server keeps a transaction whose client is silent. Our transactions never pause for long; this frees
 * the locks of a process that is frozen, or of a machine that died behind a proxy which holds its connections open.
 */
const idleTransactionTimeoutMs = 60_000
/**
 * How long a statement waits for a lock: longer than a frozen process can keep it, so that only a busy one is an error.
 */
const lockTimeoutMs = 75_000
/**
 * The server checks its end earlier than after the usual two hours: the locks of a machine that died are freed in half
 * a minute.
 */
const greeting = `
  select a.pid, a.backend_start::text as "startedAt", set_config('tcp_keepalives_idle', '10', false),
    set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '4', false),
    current_setting('transaction_read_only') = 'on' as "isReadOnly"
  from pg_stat_activity a where a.pid = pg_backend_pid()`

type PooledClient = WatchedClient & pg.PoolClient

/** Opens nothing yet: connections are made when they are used. */
export class WatchedConnections {
  /**
   * For all work. A statement may take as long as the server is seen working on it, at most the time of
   * `statementTimeoutMs`.
   */
  readonly work: PostgresPool
  /**
   * For small frequent queries: one that is not answered within about 5 seconds is an error, and its connection is
   * discarded.
   */
  readonly looks: PostgresPool
  readonly #options: ConnectionOptions
  readonly #takesOnlyWriters: boolean
  readonly #server: ServerInUse
  readonly #clients = new Set<WatchedClient>()
  readonly #statements: StatementWatch
  readonly #pools: { readonly work: pg.Pool; readonly looks: pg.Pool }
  readonly #timer: NodeJS.Timeout
  #isClosed = false

  constructor(options: ConnectionOptions) {
    const { urls, wanted } = serverAddresses(options.databaseUrl)
    this.#options = options
    this.#takesOnlyWriters = wanted === 'read-write'
    this.#server = new ServerInUse(urls)
    this.#statements = new StatementWatch(this.#server, options.statementTimeoutMs, (text, parameters) =>
      this.#question(text, parameters),
    )
    this.#pools = {
      work: this.#openPool(workConnections, workConnectTimeoutMs),
      looks: this.#openPool(lookConnections, lookConnectTimeoutMs),
    }
    this.work = this.#watchedPool(this.#pools.work, false)
    this.looks = this.#watchedPool(this.#pools.looks, true)
    this.#timer = setInterval(() => this.#round(), roundMs)
    this.#timer.unref()
  }

  /** How both pools are used now. */
  use(): ConnectionUse {
    const { work, looks } = this.#pools
    const idle = work.idleCount + looks.idleCount
    return {
      limit: workConnections + lookConnections,
      used: work.totalCount + looks.totalCount - idle,
      idle,
      waiting: work.waitingCount + looks.waitingCount,
    }
  }

  /** Waits a moment for running statements, then closes all connections in any case. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await within(Promise.all([this.#pools.work.end(), this.#pools.looks.end()]), closeGraceMs)
    const closed = [...this.#clients].map(({ socket }) => new Promise((done) => socket.once('close', done)))
    await within(Promise.all(closed), goodbyeGraceMs)
    clearInterval(this.#timer)
    for (const { socket } of this.#clients) socket.destroy(new SilentConnection('the store was closed'))
  }

  #openPool(max: number, connectionTimeoutMillis: number): pg.Pool {
    const pool = new pg.Pool({
      // from this a newer program sees whether this one is too old for what it wants to change
      application_name: `${sessionName} ${newestMigration()} ${hostname().slice(0, 30)} ${process.pid}`,
      statement_timeout: this.#options.statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
      types: this.#options.types,
      onConnect: ((client: WatchedClient) => this.#greet(client)) as unknown as (client: pg.ClientBase) => void,
      Client: clientOf(this.#server, this.#clients),
      max,
      connectionTimeoutMillis,
    })
    // A connection that the server closes, idle or in use, is replaced at its next use and its query fails; without
    // these listeners it would end the process besides.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }

  async #greet(client: WatchedClient): Promise<void> {
    client.generation = this.#server.made.generation
    const { rows } = await this.#statements.run(client, true, () =>
      client.query<Session & { isReadOnly: boolean }>(greeting),
    )
    client.isReadOnly = rows[0]?.isReadOnly === true
    if (this.#takesOnlyWriters && client.isReadOnly) throw new ReadOnlyServerError(this.#server.count)
    const { processID } = client as unknown as { readonly processID: number | null }
    if (rows[0]?.pid === processID) client.session = { pid: rows[0]!.pid, startedAt: rows[0]!.startedAt }
  }

  #watchedPool(pool: pg.Pool, isLook: boolean): PostgresPool {
    return {
      options: pool.options,
      connect: async () => {
        this.#options.beforeWork()
        const client = await this.#take(pool)
        return {
          query: (text: string, parameters: readonly unknown[]) =>
            this.#statements.run(client, isLook, () => client.query(text, [...parameters])),
          release: (isBroken?: boolean) => client.release(isBroken),
        } as unknown as PostgresPoolClient
      },
      // `close` ends them, within bounds
      end: async () => {},
    }
  }

  async #take(pool: pg.Pool): Promise<PooledClient> {
    for (;;) {
      const client = await this.#connect(pool)
      if (this.#server.isCurrent(client)) return client
      // it was idle while another one was found dead, and has probably died of the same cause
      client.socket.destroy()
      client.release(true)
    }
  }

  /** Connects to the server in use, or to the first of the others that can be used. */
  async #connect(pool: pg.Pool): Promise<PooledClient> {
    for (let tried = 1; ; tried++) {
      const { made } = this.#server
      try {
        return (await pool.connect()) as PooledClient
      } catch (error) {
        if (!isConnectionLoss(error)) throw error
        if (this.#server.count > 1 && pool.waitingCount === 0) this.#server.leave(made)
        if (tried >= this.#server.count) throw error
      }
    }
  }

  #round(): void {
    for (const client of this.#clients) client.endGoodbye()
    this.#statements.round()
  }

  async #question<Row extends pg.QueryResultRow>(text: string, parameters: unknown[]): Promise<Row[]> {
    const client = await this.#take(this.#pools.looks)
    let isBroken = true
    try {
      const { rows } = await this.#statements.run(client, true, () => client.query<Row>(text, parameters))
      isBroken = false
      return rows
    } finally {
      client.release(isBroken)
    }
  }
}

/** What a pool makes its connections of: each leads to the server in use, and is known until its socket closes. */
function clientOf(server: ServerInUse, clients: Set<WatchedClient>): typeof pg.Client {
  return class extends WatchedClient {
    constructor(config?: pg.ClientConfig) {
      const patience = server.count > 1 && { connectionTimeoutMillis: nextServerMs }
      super({ ...config, ...patience, connectionString: server.url })
      this.server = server.made.server
      clients.add(this)
      this.socket.once('close', () => clients.delete(this))
    }
  }
}

// The connections to a PostgreSQL server. None of them hangs forever: if a host died or a network forgot a flow, no
// side closes the connection, and a statement on it would wait forever.
import { Socket } from 'node:net'
import { hostname } from 'node:os'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { within } from '../../platform/within.ts'
import { isConnectionLoss, lockTimedOut } from '../connection-loss.ts'
import type { ConnectionUse } from '../connection-use.ts'
import { newestMigration, sessionName } from '../migrate.ts'
import { ReadOnlyServerError, serverAddresses } from './server-addresses.ts'

export type ConnectionOptions = {
  readonly databaseUrl: string
  /** A statement that runs longer is an error (SQLSTATE 57014). */
  readonly statementTimeoutMs: number
  readonly types: pg.CustomTypesConfig
  /** Called before a connection is taken; it throws to refuse that. */
  readonly beforeWork: () => void
}

export type WatchedConnections = {
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
  /** How both are used now. */
  readonly use: () => ConnectionUse
  /** Waits a moment for running statements, then closes all connections in any case. */
  readonly close: () => Promise<void>
}

/** A statement failed because no answer came. Its code is that of a connection that timed out. */
class SilentConnection extends Error {
  readonly code = 'ETIMEDOUT'
  constructor(reason: string) {
    super(`the connection was given up: ${reason}`)
    this.name = 'SilentConnection'
  }
}

const workConnections = 10
const lookConnections = 2
/** How long connecting may take, or waiting for a free connection of the pool. */
const workConnectTimeoutMs = 15_000
const lookConnectTimeoutMs = 5_000
/** How long one of several servers may take to answer before the next one is tried. */
const nextServerMs = 2_000
/**
 * How often the statements in progress are checked. The following limits are counted in these rounds and not timed: a
 * process that was frozen, or whose main thread was busy, has answers waiting, and must not mistake its own pause for
 * the server's silence.
 */
const roundMs = 1_000
/** How many rounds a small question may wait for its answer. */
const longestLookRounds = 5
/** How many rounds without a byte pass before the server is asked about a statement. */
const patienceRounds = 5
/** How many times in a row the server has to say that it does nothing for a statement: the answer may be on its way. */
const idleAnswersNeeded = 2
/** How many rounds without a byte a statement waits if the server does not answer questions about it either. */
const longestUnansweredRounds = 30
/** How many rounds a statement may take beyond its timeout on the server. */
const roundsBeyondTimeout = 30
/** How many rounds the goodbye of a connection (the message Terminate) may take. */
const longestGoodbyeRounds = 5
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

/** The sessions of a list on which the server works, and who holds the lock for which each waits. */
const busySessions = `
  select a.pid, case when a.wait_event_type = 'Lock' then coalesce((
    select string_agg(format('session %s (%s%s), %s for %s s', b.pid, coalesce(nullif(b.application_name, ''), 'without a name'),
      coalesce(' from ' || host(b.client_addr), ''), b.state, floor(extract(epoch from clock_timestamp() - b.state_change))), '; ')
    from pg_stat_activity b where b.pid = any (pg_blocking_pids(a.pid))), '') else '' end as holder
  from pg_stat_activity a
  join unnest($1::integer[], $2::text[]) as s (pid, started) on a.pid = s.pid and a.backend_start::text = s.started
  where a.state is null or a.state in ('active', 'fastpath function call', 'disabled')`

/** Identifies a session of the server, even after a restart. */
type Session = { readonly pid: number; readonly startedAt: string }

/** A connection whose socket we hold, so that it can be cut whatever the driver waits for. */
class WatchedClient extends pg.Client {
  readonly socket: Socket
  /** Undefined behind a pooler that shares sessions: then the state of a statement cannot be checked. */
  session: Session | undefined
  /** Number that increases with every abandoned connection. A connection of an earlier generation is not reused. */
  generation = 0
  /** Index of the server. */
  server = 0
  /** It took no writes when the connection was made. */
  isReadOnly = false
  #goodbyeRounds = 0
  #isEnding = false

  constructor(config: pg.ClientConfig) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.socket = socket
  }

  override end(callback?: unknown): Promise<void> {
    this.#isEnding = true
    return (super.end as (callback?: unknown) => Promise<void>).call(this, callback)
  }

  /** Destroys the socket if the goodbye takes too long: on a dead connection nobody answers it. */
  endGoodbye(): void {
    if (this.#isEnding && ++this.#goodbyeRounds > longestGoodbyeRounds) this.socket.destroy()
  }

  /** Changes with every byte that is sent or received. */
  get progress(): number {
    return this.socket.bytesRead + this.socket.bytesWritten - this.socket.writableLength
  }
}

/** Used as the number of idle answers if the server could not be asked. */
const notAsked = -1

type Statement = {
  readonly client: WatchedClient
  readonly isLook: boolean
  rounds: number
  /** Rounds without a byte. */
  silentRounds: number
  progress: number
  idleAnswers: number
  /** Who held the lock for which it waits, as the server last said; empty: nobody. */
  holder: string
}

/** Adds to the error of a wait for a lock that timed out who holds the lock. */
function withHolder(error: unknown, { holder }: Statement): unknown {
  if (holder !== '' && error instanceof pg.DatabaseError && error.code === lockTimedOut)
    error.message += `; the lock is held by ${holder}`
  return error
}

/** Whether the server was demoted, or is a standby. */
const isReadOnly = (error: unknown): boolean => (error as { readonly code?: unknown } | null)?.code === '25006'

/** Opens nothing yet: connections are made when they are used. */
export function watchedConnections(options: ConnectionOptions): WatchedConnections {
  const clients = new Set<WatchedClient>()
  const statements = new Set<Statement>()
  /** Sessions whose connection was abandoned: they may hold locks until the server ends them. */
  const abandoned = new Set<Session>()
  const { urls, wanted } = serverAddresses(options.databaseUrl)
  /** Index of the server used for new connections. */
  let server = 0
  const longestRounds = options.statementTimeoutMs / roundMs + roundsBeyondTimeout
  let generation = 0
  let isAsking = false
  let isClosed = false

  const config = {
    // from this a newer program sees whether this one is too old for what it wants to change
    application_name: `${sessionName} ${newestMigration()} ${hostname().slice(0, 30)} ${process.pid}`,
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    types: options.types,
    onConnect: ((client: WatchedClient) => greet(client)) as unknown as (client: pg.ClientBase) => void,
  }
  class TrackedClient extends WatchedClient {
    constructor(clientConfig?: pg.ClientConfig) {
      const patience = urls.length > 1 && { connectionTimeoutMillis: nextServerMs }
      super({ ...clientConfig, ...patience, connectionString: urls[server]! })
      this.server = server
      clients.add(this)
      this.socket.once('close', () => clients.delete(this))
    }
  }
  const work = openPool(workConnections, workConnectTimeoutMs)
  const looks = openPool(lookConnections, lookConnectTimeoutMs)
  const timer = setInterval(lookRound, roundMs)
  timer.unref()

  function openPool(max: number, connectTimeoutMs: number): pg.Pool {
    const pool = new pg.Pool({ ...config, Client: TrackedClient, max, connectionTimeoutMillis: connectTimeoutMs })
    // A connection that the server closes, idle or in use, is replaced at its next use and its query fails; without
    // these listeners it would end the process besides.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }

  async function greet(client: WatchedClient): Promise<void> {
    client.generation = generation
    const { rows } = await watched(client, true, () => client.query<Session & { isReadOnly: boolean }>(greeting))
    client.isReadOnly = rows[0]?.isReadOnly === true
    if (wanted === 'read-write' && client.isReadOnly) throw new ReadOnlyServerError(urls.length)
    const { processID } = client as unknown as { readonly processID: number | null }
    if (rows[0]?.pid === processID) client.session = { pid: rows[0]!.pid, startedAt: rows[0]!.startedAt }
  }

  /** Runs a statement that `lookRound` watches. */
  async function watched<Result>(client: WatchedClient, isLook: boolean, run: () => Promise<Result>): Promise<Result> {
    const statement = {
      client,
      isLook,
      rounds: 0,
      silentRounds: 0,
      progress: client.progress,
      idleAnswers: 0,
      holder: '',
    }
    statements.add(statement)
    try {
      return await run()
    } catch (error) {
      if (isReadOnly(error) && !client.isReadOnly) leave(client)
      throw withHolder(error, statement)
    } finally {
      statements.delete(statement)
    }
  }

  /** Directs new connections to the next server; none that was made before is used again. */
  function leave(made: { readonly server: number; readonly generation: number }): void {
    if (made.server !== server || made.generation !== generation) return
    server = (server + 1) % urls.length
    generation++
  }

  /** Connects to the server in use, or to the first of the others that can be used. */
  async function connect(pool: pg.Pool): Promise<WatchedClient & pg.PoolClient> {
    for (let tried = 1; ; tried++) {
      const asked = { server, generation }
      try {
        return (await pool.connect()) as WatchedClient & pg.PoolClient
      } catch (error) {
        if (!isConnectionLoss(error)) throw error
        if (urls.length > 1 && pool.waitingCount === 0) leave(asked)
        if (tried >= urls.length) throw error
      }
    }
  }

  async function take(pool: pg.Pool): Promise<WatchedClient & pg.PoolClient> {
    for (;;) {
      const client = await connect(pool)
      if (client.generation === generation) return client
      // it was idle while another one was found dead, and has probably died of the same cause
      client.socket.destroy()
      client.release(true)
    }
  }

  function poolOf(pool: pg.Pool, isLook: boolean): PostgresPool {
    return {
      options: pool.options,
      connect: async () => {
        options.beforeWork()
        const client = await take(pool)
        return {
          query: (text: string, parameters: readonly unknown[]) =>
            watched(client, isLook, () => client.query(text, [...parameters])),
          release: (isBroken?: boolean) => client.release(isBroken),
        } as unknown as PostgresPoolClient
      },
      // `close` ends them, within bounds
      end: async () => {},
    }
  }

  /** Runs one round over all statements in progress. */
  function lookRound(): void {
    for (const client of clients) client.endGoodbye()
    const unclear: Statement[] = []
    for (const statement of statements) {
      const { client, isLook } = statement
      statement.rounds++
      if (client.progress === statement.progress) statement.silentRounds++
      else {
        statement.progress = client.progress
        statement.silentRounds = 0
        statement.idleAnswers = 0
      }
      const isSuspect = client.generation < generation && statement.silentRounds > 0
      if (isLook) {
        if (isSuspect || statement.rounds >= longestLookRounds)
          giveUp(statement, 'the database did not answer a small question')
      } else if (statement.rounds > longestRounds) giveUp(statement, 'the statement took too long')
      else if (client.session === undefined) continue
      else if (statement.silentRounds > longestUnansweredRounds && statement.idleAnswers === notAsked)
        giveUp(statement, 'the database does not answer')
      else if (isSuspect || statement.silentRounds >= patienceRounds) unclear.push(statement)
    }
    if (!isAsking && (unclear.length > 0 || abandoned.size > 0)) void ask(unclear)
  }

  function giveUp({ client, isLook }: Statement, reason: string): void {
    if (client.generation === generation) generation++
    if (!isLook && client.session) abandoned.add(client.session)
    client.socket.destroy(new SilentConnection(reason))
  }

  /** Asks the server, on another connection, whether it works on these statements, and ends abandoned sessions. */
  async function ask(unclear: readonly Statement[]): Promise<void> {
    isAsking = true
    const sessions = unclear.map(({ client }) => client.session!)
    const orphans = [...abandoned]
    try {
      const answers = await question<{ pid: number; holder: string }>(busySessions, [
        sessions.map(({ pid }) => pid),
        sessions.map(({ startedAt }) => startedAt),
      ])
      const busy = new Map(answers.map(({ pid, holder }) => [pid, holder]))
      for (const statement of unclear) {
        if (!statements.has(statement)) continue
        const holder = busy.get(statement.client.session!.pid)
        if (holder !== undefined) {
          statement.holder = holder
          // the connection lives: it is checked again after as many rounds
          statement.client.generation = generation
          statement.silentRounds = 0
          statement.idleAnswers = 0
        } else {
          statement.idleAnswers = Math.max(0, statement.idleAnswers) + 1
          if (statement.idleAnswers >= idleAnswersNeeded) giveUp(statement, 'the server does nothing for the statement')
        }
      }
      await question(
        `select pg_terminate_backend(a.pid) from pg_stat_activity a
        join unnest($1::integer[], $2::text[]) as s (pid, started) on a.pid = s.pid and a.backend_start::text = s.started`,
        [orphans.map(({ pid }) => pid), orphans.map(({ startedAt }) => startedAt)],
      )
      for (const session of orphans) abandoned.delete(session)
    } catch (error) {
      // a server that refuses the question (no connection is free) lives: only its silence counts
      if (isConnectionLoss(error)) for (const statement of unclear) statement.idleAnswers = notAsked
    } finally {
      isAsking = false
    }
  }

  async function question<Row extends pg.QueryResultRow>(text: string, parameters: unknown[]): Promise<Row[]> {
    const client = await take(looks)
    let isBroken = true
    try {
      const { rows } = await watched(client, true, () => client.query<Row>(text, parameters))
      isBroken = false
      return rows
    } finally {
      client.release(isBroken)
    }
  }

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    await within(Promise.all([work.end(), looks.end()]), closeGraceMs)
    const closed = [...clients].map(({ socket }) => new Promise((done) => socket.once('close', done)))
    await within(Promise.all(closed), goodbyeGraceMs)
    clearInterval(timer)
    for (const { socket } of clients) socket.destroy(new SilentConnection('the store was closed'))
  }

  const use = () => {
    const sum = (of: (pool: pg.Pool) => number) => of(work) + of(looks)
    const idle = sum(({ idleCount }) => idleCount)
    const limit = workConnections + lookConnections
    return {
      limit,
      used: sum(({ totalCount }) => totalCount) - idle,
      idle,
      waiting: sum(({ waitingCount }) => waitingCount),
    }
  }
  return { work: poolOf(work, false), looks: poolOf(looks, true), use, close }
}

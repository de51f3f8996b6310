// The connection of one run: its transactions, and the row by which only one run writes into a schema. Behind a pooler
// each transaction may run in another session of the server, so nothing here lives in a session: a run writes a token
// into the row, and each of its transactions begins by finding it there and locking the row.

import { setTimeout as delay } from 'node:timers/promises'
import { SinkBusyError, SinkError } from '../faults/sink-error.ts'
import { type PostgresConnection, postgresConnection } from './postgres-connection.ts'
import { migratePostgres } from './postgres-schema.ts'

/** A run that is not heard of for so long is dead; it says four times as often that it lives. */
const defaultLeaseMs = 120_000
/** How long a session waits for the server to undo its own lost transaction, and how often it looks. */
const longestUndoMs = 5000
const undoWaitMs = 100

export class PostgresSession {
  readonly #schema: string
  readonly #leaseMs: number
  readonly #connection: PostgresConnection
  /** What the row holds while it is this session's. */
  #token: string | undefined
  #isRunning = false
  /** Why the run cannot go on. */
  #loss: 'connection' | 'taken' | undefined
  #isInTransaction = false
  /** Without a pooler: the session of the server ends with the connection. */
  #isDirect = false
  #beats: ReturnType<typeof setInterval> | undefined

  constructor(connectionString: string, schema: string, leaseMs = defaultLeaseMs) {
    this.#schema = schema
    this.#leaseMs = leaseMs
    this.#connection = postgresConnection({
      connectionString,
      setUp: async (client) => {
        // A pooler gives its clients keys of its own.
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
        this.#isDirect = rows[0]?.pid === (client as { readonly processID?: number }).processID
        await migratePostgres(client, schema)
      },
      onLost: () => {
        this.#isInTransaction = false
        if (this.#isRunning) this.#loss = 'connection'
      },
    })
  }

  readonly rows: PostgresConnection['rows'] = (sql, values) => this.#connection.rows(sql, values)
  readonly copyIn: PostgresConnection['copyIn'] = (sql, bytes) => this.#connection.copyIn(sql, bytes)

  /**
   * Undoes what an interrupted run left behind, and takes the row.
   *
   * @throws SinkBusyError if another run has it and lives.
   */
  async begin(): Promise<void> {
    this.#stop()
    await this.#rollBack()
    await this.#take()
    this.#loss = undefined
    this.#isRunning = true
    this.#beats = setInterval(() => void this.#beat().catch(() => {}), this.#leaseMs / 4)
    this.#beats.unref()
  }

  /** @throws SinkError if the connection or the row was lost since `begin`. */
  check(): void {
    if (this.#loss === 'connection')
      throw new SinkError('The connection to PostgreSQL was lost during the run; the next run repeats it.')
    if (this.#loss === 'taken')
      throw new SinkError(
        `Another tender-sync took over the schema ${this.#schema}, because nothing was heard of this run: its last page was not written.`,
      )
  }

  /** Begins a transaction, if there is none. Until its end no other run can take the row. */
  async inTransaction(): Promise<void> {
    this.check()
    if (this.#isInTransaction) return
    await this.#beginTransaction()
    if (await this.#renew()) return
    this.#loss = 'taken'
    await this.#rollBack()
    this.check()
  }

  /** Ends the transaction; with `isLast`, the run with it. */
  async commit({ isLast }: { readonly isLast: boolean }): Promise<void> {
    if (isLast && !(await this.#give())) throw new Error('The row was locked, and is not ours.')
    await this.rows('commit')
    this.#isInTransaction = false
    if (!isLast) return
    this.#token = undefined
    this.#stop()
  }

  /** Undoes the transaction and ends the run; `cleanUp` is left out if another run has taken the row. */
  async abandon(cleanUp: () => Promise<void>): Promise<void> {
    await this.#rollBack()
    if (!this.#isRunning) return
    if (this.#loss === 'connection') this.#loss = undefined
    try {
      await this.inTransaction()
      await cleanUp()
      await this.commit({ isLast: true })
    } catch (error) {
      if (this.#loss !== 'taken') throw error
    } finally {
      this.#stop()
    }
  }

  /**
   * Runs `write` in a transaction in which no other run writes: that of the run if there is one, else its own.
   *
   * @throws SinkBusyError if another run is in progress.
   */
  async alone(write: () => Promise<void>): Promise<void> {
    if (this.#isInTransaction) return write()
    if (this.#isRunning) await this.inTransaction()
    else {
      await this.#beginTransaction()
      await this.#take()
    }
    try {
      await write()
      await this.commit({ isLast: !this.#isRunning })
    } catch (error) {
      await this.#rollBack().catch(() => {})
      throw error
    }
  }

  /** Yields what `rows` yields, read in one transaction. */
  async *reading<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    if (this.#isInTransaction) return yield* rows
    await this.#beginTransaction()
    try {
      yield* rows
    } finally {
      await this.#rollBack()
    }
  }

  async close(): Promise<void> {
    const isHeld = this.#isRunning && this.#loss === undefined
    this.#stop()
    try {
      if (isHeld) {
        await this.#rollBack()
        // Another run may have it by now: then there is nothing to free.
        await this.#give()
      }
    } finally {
      await this.#connection.end()
    }
  }

  async #beginTransaction(): Promise<void> {
    await this.rows('begin')
    this.#isInTransaction = true
    // Compiling a batch takes the server as long as writing it. For this transaction alone: behind a pooler the session
    // goes on to others.
    await this.rows("select set_config('jit', 'off', true), set_config('TimeZone', 'UTC', true)")
  }

  async #rollBack(): Promise<void> {
    if (!this.#isInTransaction) return
    this.#isInTransaction = false
    await this.rows('rollback')
  }

  #stop(): void {
    this.#isRunning = false
    clearInterval(this.#beats)
    this.#beats = undefined
  }

  /** Says that the run lives, between its transactions. */
  async #beat(): Promise<void> {
    if (!this.#isRunning || this.#isInTransaction || this.#loss !== undefined) return
    if (!(await this.#renew())) this.#loss ??= 'taken'
  }

  /** By the server's clock. A session of the run's own ends with its process: then nobody has to wait for the lease. */
  #alive(): string {
    return `alive_until = clock_timestamp() + interval '${this.#leaseMs} ms', pid = ${this.#isDirect ? 'pg_backend_pid()' : 'null'}`
  }

  async #take(): Promise<void> {
    await this.#connection.open()
    // The server may still be undoing this session's own transaction, whose connection was lost.
    for (let waits = 0; !(await this.#tookFree()); waits++) {
      if (waits < longestUndoMs / undoWaitMs && (await this.#isOwn())) await delay(undoWaitMs)
      else {
        await this.#rollBack()
        throw new SinkBusyError(
          `Another tender-sync is writing to the schema ${this.#schema}; wait for it or use another schema. ` +
            `One that was killed behind a pooler counts for ${this.#leaseMs / 60_000} minutes.`,
        )
      }
    }
  }

  /** Whether the row holds what this session wrote. */
  async #isOwn(): Promise<boolean> {
    const found = await this.rows(`select from "${this.#schema}".sync_run where token = $1`, [this.#token ?? null])
    return found.length === 1
  }

  /** False if another run has the row, or a transaction locks it. */
  async #tookFree(): Promise<boolean> {
    // The update of one row that is free, or whose run is dead; a row in the transaction of another run is skipped.
    const [taken] = await this.rows<{ token: string }>(
      `update "${this.#schema}".sync_run set token = gen_random_uuid(), ${this.#alive()}
       where is_only = (
         select is_only from "${this.#schema}".sync_run
         where token is null or token = $1 or alive_until < clock_timestamp()
           or pid is not null and not exists (select from pg_stat_activity activity where activity.pid = sync_run.pid)
         for update skip locked
       )
       returning token`,
      [this.#token ?? null],
    )
    if (taken) this.#token = taken.token
    return taken !== undefined
  }

  /** False if another run has the row. */
  async #renew(): Promise<boolean> {
    const found = await this.rows(
      `update "${this.#schema}".sync_run set ${this.#alive()} where token = $1 returning token`,
      [this.#token],
    )
    return found.length === 1
  }

  /** Makes the row free; false if another run has it. */
  async #give(): Promise<boolean> {
    const found = await this.rows(
      `update "${this.#schema}".sync_run set token = null, alive_until = null, pid = null where token = $1 returning is_only`,
      [this.#token],
    )
    return found.length === 1
  }
}

// The connection of one run: its transaction, and the lock by which only one run writes into a schema. What a lost
// connection held is gone, so its run must not continue with another one.
import { type PostgresConnection, postgresConnection } from './postgres-connection.ts'
import { migratePostgres } from './postgres-schema.ts'
import { SinkBusyError, SinkError } from './sink-error.ts'

export class PostgresSession {
  readonly #schema: string
  readonly #connection: PostgresConnection
  #isRunning = false
  #isRunLost = false
  #isInTransaction = false
  #hasLock = false

  constructor(connectionString: string, schema: string) {
    this.#schema = schema
    this.#connection = postgresConnection({
      connectionString,
      setUp: (client) => migratePostgres(client, schema),
      onLost: () => {
        this.#isRunLost = this.#isRunning
        this.#isInTransaction = false
        this.#hasLock = false
      },
    })
  }

  readonly rows: PostgresConnection['rows'] = (sql, values) => this.#connection.rows(sql, values)

  /** Undoes what an interrupted run left behind, and takes the lock. */
  async begin(): Promise<void> {
    this.#isRunning = false
    this.#isRunLost = false
    await this.#rollBack()
    await this.#lock()
    this.#isRunning = true
  }

  /** @throws SinkError if the connection was lost since `begin`. */
  check(): void {
    if (this.#isRunLost)
      throw new SinkError('The connection to PostgreSQL was lost during the run; the next run repeats it.')
  }

  async inTransaction(): Promise<void> {
    this.check()
    if (this.#isInTransaction) return
    await this.rows('begin')
    this.#isInTransaction = true
  }

  async commit(): Promise<void> {
    await this.rows('commit')
    this.#isInTransaction = false
  }

  /** Undoes the transaction; the lock stays until `end`. */
  async abandon(): Promise<void> {
    this.#isRunLost = false
    await this.#rollBack()
  }

  async end(): Promise<void> {
    this.#isRunning = false
    if (!this.#hasLock) return
    await this.rows('select pg_advisory_unlock(hashtextextended($1, 0))', [`tender-sync ${this.#schema}`])
    this.#hasLock = false
  }

  async close(): Promise<void> {
    await this.#connection.end()
  }

  async #rollBack(): Promise<void> {
    if (!this.#isInTransaction) return
    await this.rows('rollback')
    this.#isInTransaction = false
  }

  async #lock(): Promise<void> {
    if (this.#hasLock) return
    const [found] = await this.rows<{ locked: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
      [`tender-sync ${this.#schema}`],
    )
    if (!found?.locked)
      throw new SinkBusyError(
        `Another tender-sync is writing to the schema ${this.#schema}; wait for it or use another schema.`,
      )
    this.#hasLock = true
  }
}

// Kysely's dialect for the embedded engine: one connection, passed on in order of arrival.
import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PGliteAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { ConnectionQueue } from './connection-queue.ts'
import { connectionFailure, DatabaseError, type EmbeddedEngine } from './engine.ts'

export type EmbeddedDialectOptions = {
  readonly engine: EmbeddedEngine
  readonly queue: ConnectionQueue
  readonly statementTimeoutMs: number
  /** Called before the connection is used; throws if the caller may not use it. */
  readonly beforeAcquire: () => void
  /** Called while the connection is still held, before the next caller receives it. Must not throw. */
  readonly beforeRelease: () => Promise<void>
}

export function embeddedDialect(options: EmbeddedDialectOptions): Dialect {
  return {
    createAdapter: () => new EmbeddedAdapter(),
    createDriver: () => new EmbeddedDriver(options),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/**
 * There is one connection, but Kysely must not queue for it itself: our queue can refuse, and does the housekeeping.
 */
class EmbeddedAdapter extends PGliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class EmbeddedDriver implements Driver {
  readonly #options: EmbeddedDialectOptions

  constructor(options: EmbeddedDialectOptions) {
    this.#options = options
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#options.beforeAcquire()
    await this.#options.queue.acquire()
    return new EmbeddedConnection(this.#options)
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    try {
      await (connection as EmbeddedConnection).undoLeftovers()
      await this.#options.beforeRelease()
    } finally {
      this.#options.queue.release()
    }
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await (connection as EmbeddedConnection).begin(settings)
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as EmbeddedConnection).commit()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as EmbeddedConnection).rollback()
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint ${quoted(name)}`))
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to savepoint ${quoted(name)}`))
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release savepoint ${quoted(name)}`))
  }

  async destroy(): Promise<void> {}
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The right to use the connection, for one query or one transaction. */
class EmbeddedConnection implements DatabaseConnection {
  readonly #options: EmbeddedDialectOptions
  /** The session in which the transaction began; undefined outside one. */
  #transactionGeneration: number | undefined

  constructor(options: EmbeddedDialectOptions) {
    this.#options = options
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { engine, statementTimeoutMs } = this.#options
    if (this.#transactionGeneration !== undefined && this.#transactionGeneration !== engine.generation) {
      throw new DatabaseError({
        message: 'the embedded database restarted; the transaction is undone',
        code: connectionFailure,
      })
    }
    const { rows, affectedRows, command } = await engine.run(query.sql, query.parameters, statementTimeoutMs)
    const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
    return isChange && affectedRows !== undefined
      ? { rows: rows as Row[], numAffectedRows: BigInt(affectedRows) }
      : { rows: rows as Row[] }
  }

  // biome-ignore lint/correctness/useYield: the interface demands a generator; the engine has no cursors over messages.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not supported: page by key instead')
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const { engine, statementTimeoutMs } = this.#options
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(' ')
    await engine.run(`start transaction ${modes}`, [], statementTimeoutMs)
    this.#transactionGeneration = engine.generation
  }

  /** Throws when the transaction was lost or failed: a commit that reports success has committed. */
  async commit(): Promise<void> {
    const { engine, statementTimeoutMs } = this.#options
    if (this.#transactionGeneration !== engine.generation) {
      this.#transactionGeneration = undefined
      throw new DatabaseError({
        message: 'the embedded database restarted; the transaction is undone',
        code: connectionFailure,
      })
    }
    const { command } = await engine.run('commit', [], statementTimeoutMs)
    this.#transactionGeneration = undefined
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  }

  async rollback(): Promise<void> {
    const { engine, statementTimeoutMs } = this.#options
    const isAlive = this.#transactionGeneration === engine.generation
    this.#transactionGeneration = undefined
    if (isAlive) await engine.run('rollback', [], statementTimeoutMs)
  }

  /** The next holder must never be in another's transaction, even if ending that failed. */
  async undoLeftovers(): Promise<void> {
    if (this.#transactionGeneration === undefined) return
    try {
      await this.rollback()
    } catch {
      await this.#options.engine.terminate()
    }
  }
}

// The program's side of the embedded engine: starts the thread, sends statements, ends it when one runs too long.
import { Worker } from 'node:worker_threads'
import { afterOwnTime } from '../../platform/after-own-time.ts'
import { OperatorError } from '../../platform/errors.ts'
import { runnable } from '../../platform/runnable.ts'
import type { ErrorFields, Reply, Request, WorkerOptions, Written } from './messages.ts'

/** An error that the database reported; `code` is its SQLSTATE. Named and shaped like the server driver's. */
export class DatabaseError extends Error {
  declare readonly code?: string
  declare readonly detail?: string
  declare readonly hint?: string
  declare readonly table?: string
  declare readonly column?: string
  declare readonly constraint?: string

  constructor(fields: ErrorFields) {
    super(fields.message)
    this.name = 'DatabaseError'
    const { message: _, ...rest } = fields
    Object.assign(this, rest)
  }
}

/** SQLSTATE query_canceled: the statement ran for too long. */
const queryCanceled = '57014'
/** SQLSTATE connection_failure: the engine stopped; uncommitted changes are undone. */
export const connectionFailure = '08006'

export type StatementResult = Pick<Reply & { kind: 'result' }, 'rows' | 'affectedRows' | 'command'>

export type EngineOptions = {
  readonly folder: string
  readonly checkpointBytes: number
  /** The share of a core that threads of this process get. For tests. */
  readonly cpuShare?: () => number
}

type Answer = Reply | { readonly kind: 'exit' } | { readonly kind: 'late' }

/** Maximum time for opening: it replays the write-ahead log. */
const openTimeoutMs = 10 * 60_000
const closeTimeoutMs = 60_000

/**
 * One embedded PostgreSQL in its own thread. It runs one statement at a time: the caller queues. When the thread ends
 * or is ended, `generation` increases, the statement fails, and the next one starts a new thread, which recovers.
 */
export class EmbeddedEngine {
  readonly #options: EngineOptions
  #worker: Worker | undefined
  #listenedTo: Worker | undefined
  #starting: Promise<Worker> | undefined
  #onAnswer: ((answer: Answer) => void) | undefined
  #nextId = 1
  #written: Written = { walBytes: 0, syncs: 0 }
  #before: Written = { walBytes: 0, syncs: 0 }
  /** Number that increases whenever the session, and with it an open transaction, was lost. */
  generation = 0

  constructor(options: EngineOptions) {
    this.#options = options
  }

  /** Totals over all threads. */
  get written(): Written {
    return {
      walBytes: this.#before.walBytes + this.#written.walBytes,
      syncs: this.#before.syncs + this.#written.syncs,
    }
  }

  /** Opens the database. Throws OperatorError when its files cannot be used. */
  async start(): Promise<void> {
    await this.#ready()
  }

  /** Runs one statement. Throws DatabaseError; code 57014 when it ran longer than `limitMs`. */
  async run(sql: string, parameters: readonly unknown[], limitMs: number): Promise<StatementResult> {
    const worker = await this.#ready()
    const id = this.#nextId++
    const answer = await this.#ask(worker, { id, sql, parameters }, limitMs)
    switch (answer.kind) {
      case 'result':
        this.#written = answer.written
        return answer
      case 'error':
        throw new DatabaseError(answer.error)
      case 'late':
        await this.#lose(worker)
        throw new DatabaseError({
          message: `canceling statement: it ran longer than ${limitMs / 1000} s`,
          code: queryCanceled,
        })
      default:
        await this.#lose(worker)
        throw new DatabaseError({
          message: `the embedded database stopped: ${answer.kind === 'fatal' ? answer.message : 'its thread ended'}`,
          code: connectionFailure,
        })
    }
  }

  /** Shuts down cleanly; after a kill the database is just as safe, but recovers at the next start. */
  async close(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    await this.#ask(worker, { id: this.#nextId++, close: true }, closeTimeoutMs)
    await this.#lose(worker)
  }

  /** Ends the thread immediately, as a kill would. A running statement fails. */
  async terminate(): Promise<void> {
    const worker = this.#worker
    if (!worker) return
    this.#settle({ kind: 'exit' })
    await this.#lose(worker)
  }

  async #lose(worker: Worker): Promise<void> {
    if (this.#listenedTo === worker) this.#listenedTo = undefined
    await worker.terminate()
    if (this.#worker === worker) this.#forget()
  }

  #forget(): void {
    this.#worker = undefined
    this.generation += 1
    this.#before = this.written
    this.#written = { walBytes: 0, syncs: 0 }
  }

  async #ready(): Promise<Worker> {
    if (this.#worker) return this.#worker
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #start(): Promise<Worker> {
    const { folder, checkpointBytes } = this.#options
    const worker = startWorker({ folder, checkpointBytes, isFirstRun: false })
    // An abandoned thread may still send messages: only the current one counts.
    this.#listenedTo = worker
    const settle = (answer: Answer) => {
      if (this.#listenedTo === worker) this.#settle(answer)
    }
    worker.on('message', (reply: Reply) => settle(reply))
    worker.on('error', (error) => settle({ kind: 'fatal', message: error.message }))
    worker.on('exit', () => {
      settle({ kind: 'exit' })
      if (this.#worker === worker) this.#forget()
    })
    const answer = await this.#await(worker, openTimeoutMs)
    if (answer.kind === 'ready') {
      this.#worker = worker
      return worker
    }
    this.#listenedTo = undefined
    await worker.terminate()
    const cause =
      answer.kind === 'fatal' ? answer.message : answer.kind === 'late' ? 'it takes too long' : 'the engine stopped'
    throw new OperatorError('stock-damaged', cannotOpen(this.#options.folder, cause))
  }

  #settle(answer: Answer): void {
    const settle = this.#onAnswer
    this.#onAnswer = undefined
    settle?.(answer)
  }

  #ask(worker: Worker, request: Request, limitMs: number): Promise<Answer> {
    const answer = this.#await(worker, limitMs)
    worker.postMessage(request)
    return answer
  }

  /** Waits for the next answer. The thread keeps the process alive only during that time. */
  #await(worker: Worker, limitMs: number): Promise<Answer> {
    // a bug of the queue before it
    if (this.#onAnswer) throw new Error('the embedded engine takes one statement at a time')
    worker.ref()
    return new Promise((resolve) => {
      const endLimit = afterOwnTime(limitMs, () => this.#settle({ kind: 'late' }), this.#options.cpuShare)
      this.#onAnswer = (answer) => {
        endLimit()
        worker.unref()
        resolve(answer)
      }
    })
  }
}

/** The error message for an embedded database that does not open. */
export function cannotOpen(folder: string, cause: string): string {
  return (
    `The database in ${folder} cannot be opened: ${cause.trim().replace(/\.$/, '')}; restore the data folder ` +
    'from a copy, or start with another one (--data FOLDER).'
  )
}

function startWorker(options: WorkerOptions): Worker {
  return new Worker(runnable(new URL('./worker.ts', import.meta.url)), { workerData: options, execArgv: [], env: {} })
}

/** Creates an empty database in `folder`, which must be empty, and shuts it down. Throws OperatorError. */
export async function initialise(folder: string, checkpointBytes: number): Promise<void> {
  const worker = startWorker({ folder, checkpointBytes, isFirstRun: true })
  const answer = await new Promise<Answer>((resolve) => {
    worker.once('message', resolve)
    worker.once('error', (error) => resolve({ kind: 'fatal', message: error.message }))
    worker.once('exit', () => resolve({ kind: 'exit' }))
  })
  await worker.terminate()
  if (answer.kind !== 'closed') {
    const cause = answer.kind === 'fatal' ? answer.message : 'the engine stopped'
    throw new OperatorError(
      'folder-unusable',
      `No database can be created in ${folder}: ${cause}; check the free space and the permissions.`,
    )
  }
}

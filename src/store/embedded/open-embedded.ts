// Opens the embedded stock: owned folder, engine in its thread, queue, housekeeping.
import { Kysely } from 'kysely'
import { assertOpenFiles } from '../../platform/open-files.ts'
import { within } from '../../platform/within.ts'
import type { ConnectionUse } from '../connections/connection-use.ts'
import { assertOutsideTransactionOf } from '../connections/transaction-scope.ts'
import type { Database } from '../schema/schema.ts'
import { ConnectionQueue } from './connection-queue.ts'
import { ownDataFolder } from './data-folder.ts'
import { embeddedDialect } from './dialect.ts'
import { EmbeddedEngine } from './engine.ts'
import { checkpoint, isWritingEdition, keepHouse } from './housekeeping.ts'
import type { Written } from './messages.ts'

export type EmbeddedOptions = {
  readonly dataFolder: string
  /** A statement that runs longer is an error, and the engine restarts. */
  readonly statementTimeoutMs: number
  /** Called when housekeeping failed; the data is safe, and the next round retries. */
  readonly onHousekeepingError?: (error: unknown) => void
}

export type EmbeddedStore = {
  readonly engine: 'embedded'
  readonly db: Kysely<Database>
  readonly looks: Kysely<Database>
  readonly writes: () => string
  readonly connections: () => ConnectionUse
  readonly close: () => Promise<void>
  /** Bytes of write-ahead log and calls of fsync since it was opened. */
  readonly written: () => Written
}

const megabyte = 1024 * 1024
/**
 * Maximum bytes of write-ahead log between two checkpoints: this limits the log on disk, what a start after a kill
 * replays, and how long others wait for the connection during a checkpoint.
 */
const checkpointBytes = 8 * megabyte
/**
 * Number of bytes of write-ahead log between two checks of the tables, and between two checks whether an edition is
 * still being written or matched.
 */
const lookBytes = 32 * megabyte
const lookAgainBytes = 4 * megabyte
const quietMs = 5 * 60_000
/** How long closing waits for a transaction in progress. */
const closeGraceMs = 10_000

/** The engine keeps files open, and takes a file that it cannot open for a damaged one; the readers need some, too. */
const neededFiles = 512

/** Opens the folder's stock without migrating it. Throws OperatorError when the folder or its data cannot be used. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedStore> {
  assertOpenFiles('the embedded database', neededFiles)
  const owned = await ownDataFolder(options.dataFolder, checkpointBytes)
  const engine = new EmbeddedEngine({ folder: owned.databaseFolder, checkpointBytes })
  try {
    await engine.start()
  } catch (error) {
    owned.release()
    throw error
  }
  const queue = new ConnectionQueue()
  let lookAtBytes = lookBytes
  let quietAtBytes = 0

  async function look(): Promise<void> {
    try {
      if (await isWritingEdition(engine)) {
        lookAtBytes = engine.written.walBytes + lookAgainBytes
        return
      }
      lookAtBytes = engine.written.walBytes + lookBytes
      await keepHouse(engine)
    } catch (error) {
      options.onHousekeepingError?.(error)
    }
  }

  async function lookInQuiet(): Promise<void> {
    if (engine.written.walBytes === quietAtBytes) return
    await queue.acquire()
    try {
      await look()
      await checkpoint(engine)
      quietAtBytes = engine.written.walBytes
    } catch (error) {
      options.onHousekeepingError?.(error)
    } finally {
      queue.release()
    }
  }

  // A refusal means that the store is closing.
  const timer = setInterval(() => void lookInQuiet().catch(() => {}), quietMs)
  timer.unref()

  const dialect = embeddedDialect({
    engine,
    queue,
    statementTimeoutMs: options.statementTimeoutMs,
    beforeAcquire: () => assertOutsideTransactionOf(db),
    beforeRelease: async () => {
      if (engine.written.walBytes >= lookAtBytes) await look()
    },
  })
  const db: Kysely<Database> = new Kysely<Database>({ dialect })

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    clearInterval(timer)
    const isDone = await within(queue.close(new Error('the database is closed')), closeGraceMs)
    if (isDone) await engine.close()
    else await engine.terminate()
    owned.release()
    await db.destroy()
  }

  return {
    engine: 'embedded',
    db,
    looks: db,
    // a commit is answered after its log is written; of one whose answer was lost the next session says nothing
    writes: () => `${engine.generation} ${engine.written.walBytes}`,
    connections: () => {
      const { isTaken, waiting } = queue.use
      return { limit: 1, used: isTaken ? 1 : 0, idle: isTaken ? 0 : 1, waiting }
    },
    written: () => engine.written,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

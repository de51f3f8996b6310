// Opens the SQLite file that holds the copy and the hits, with the SQLite that Node itself contains (22.5 or newer).
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { SinkError } from '../faults/sink-error.ts'
import { behindLink } from '../files/durable-files.ts'
import { makeSharedFile } from '../files/own-files.ts'
import { hasCopy, migrateSqlite, refuseForeignTables } from './sqlite-schema.ts'

async function loadSqlite(): Promise<typeof import('node:sqlite')> {
  try {
    return await import('node:sqlite')
  } catch (cause) {
    throw new SinkError(
      'The SQLite sink needs Node.js 22.5 or newer, which includes SQLite, but this is ' +
        `${globalThis.process?.version ?? 'another runtime'}: update Node.js, or use the sink ndjson.`,
      { cause },
    )
  }
}

/**
 * Opens or creates the database, with the tables of the copy. In read-only mode, a missing file counts as an empty
 * copy. Throws a SinkError if Node is too old or the file is not a SQLite database.
 */
export async function openSqlite(file: string, isReadOnly = false): Promise<DatabaseSync> {
  const { DatabaseSync } = await loadSqlite()
  if (isReadOnly && !existsSync(file)) return open(DatabaseSync, ':memory:')
  // SQLite gives the rights of the database to the files beside it
  if (!isReadOnly) await makeSharedFile(behindLink(file))
  return open(DatabaseSync, file, isReadOnly)
}

function open(Database: typeof DatabaseSync, file: string, isReadOnly = false): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new Database(file, { readOnly: isReadOnly })
    if (isReadOnly) {
      db.exec('PRAGMA busy_timeout = 15000')
      refuseForeignTables(db, file)
      // A run that was killed before it created its tables leaves a database without them: there is no copy yet.
      if (hasCopy(db)) return db
      db.close()
      return open(Database, ':memory:')
    }
    // Readers continue while a run writes (WAL); committed data survives a power cut (FULL). A checkpoint waits for a
    // reader that delays it.
    db.exec('PRAGMA busy_timeout = 15000')
    refuseForeignTables(db, file)
    // This keeps the log of a large first run from staying large forever.
    db.exec('PRAGMA journal_size_limit = 67108864')
    // Ids are random: without the inner pages of the indexes in memory, each row reads and writes them again.
    db.exec('PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 8000')
    // Only for a new database: space that a first run used for staging is returned to the disk after it.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrateSqlite(db)
    return db
  } catch (cause) {
    db?.close()
    if (cause instanceof SinkError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SinkError(`The database ${file} cannot be used (${reason}): check its folder and its permissions.`, {
      cause,
    })
  }
}

/** SQLite's codes for a full disk and for any fault in reading or writing. */
const fullCode = 13
const inputOutputCode = 10

/** What a person can do about a disk error; any other error unchanged. */
export function diskFaultOf(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const code = error.errcode & 0xff
  if (code === fullCode)
    return new SinkError(`The disk of ${file} is full: make space; the next run continues.`, { cause: error })
  if (code === inputOutputCode)
    return new SinkError(`${file} cannot be written or read (${error.message}): check its disk and quota.`, {
      cause: error,
    })
  return error
}

// Sync into a SQLite file: records with flat columns, lots and codes as child tables, the state in the same transaction.
// Uses the SQLite that Node itself holds (22.5 or newer), so there is nothing to install.
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type Run, type Sink, StagingLostError, type StateStore, type SyncState } from '../sync/sink.ts'
import { parseState } from '../sync/sync-state.ts'
import type { TenderRecord } from '../types.ts'
import { disposable, type OpenSink } from './disposable.ts'
import { SinkError } from './sink-error.ts'
import {
  createStaging,
  dropStaging,
  hasCopy,
  hasStaging,
  migrateSqlite,
  promoteStaging,
  type RecordWriter,
  recordWriter,
  refuseForeignTables,
  sqliteContentOf,
  sqliteRows,
  undo,
} from './sqlite-schema.ts'

export type SqliteSinkOptions = {
  /** Path of the database file; made when missing. Tables of other names in it are left alone. */
  readonly file: string
  /** For looking at the copy: nothing is made or changed, and a missing file counts as an empty copy. */
  readonly isReadOnly?: boolean
}

async function loadSqlite(): Promise<typeof import('node:sqlite')> {
  try {
    return await import('node:sqlite')
  } catch (cause) {
    throw new SinkError(
      `The SQLite sink needs Node.js 22.5 or newer, which includes SQLite, but this is ${globalThis.process?.version ?? 'another runtime'}: update Node.js, or use the sink ndjson.`,
      { cause },
    )
  }
}

/** Opens or makes the database. Throws a SinkError when Node is too old or the file is no SQLite database. */
export async function sqliteSink({ file, isReadOnly = false }: SqliteSinkOptions): Promise<OpenSink> {
  const { DatabaseSync } = await loadSqlite()
  if (!isReadOnly) return createSink(open(DatabaseSync, file), file)
  if (existsSync(file)) return createSink(open(DatabaseSync, file, true), file)
  return createSink(open(DatabaseSync, ':memory:'), file)
}

function open(Database: typeof DatabaseSync, file: string, isReadOnly = false): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new Database(file, { readOnly: isReadOnly })
    if (isReadOnly) {
      db.exec('PRAGMA busy_timeout = 15000')
      refuseForeignTables(db, file)
      // A run that was killed before it had made its tables leaves a database without them: there is no copy yet.
      if (hasCopy(db)) return db
      db.close()
      return open(Database, ':memory:')
    }
    // Readers continue while a run writes (WAL); committed data survives a power cut (FULL). A reader that delays a
    // checkpoint is waited for.
    db.exec('PRAGMA busy_timeout = 15000')
    refuseForeignTables(db, file)
    // The log of a large first run does not stay large forever.
    db.exec('PRAGMA journal_size_limit = 67108864')
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

/** What a person can do about a fault of the disk; any other error unchanged. */
function inWords(error: unknown, file: string): unknown {
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

/** The sink with faults of the disk in words. */
function speaking(sink: Sink, file: string): Sink {
  for (const name of ['begin', 'upsert', 'close', 'merge', 'commit', 'discard', 'held', 'end'] as const) {
    const act = sink[name] as (...values: readonly unknown[]) => Promise<unknown>
    Object.assign(sink, {
      [name]: (...values: readonly unknown[]) =>
        act(...values).catch((error: unknown) => {
          throw inWords(error, file)
        }),
    })
  }
  return sink
}

function createSink(db: DatabaseSync, file: string): OpenSink {
  let run: Run | undefined
  let writer: RecordWriter | undefined
  let isInTransaction = false

  /** Starts the transaction that the next commit ends: at the first write, so that a waiting run holds no lock. */
  function writing(): RecordWriter {
    if (!run || !writer) throw new Error('begin() comes first')
    if (!isInTransaction) db.exec('BEGIN IMMEDIATE')
    isInTransaction = true
    return writer
  }
  function rollBack(): void {
    if (!isInTransaction) return
    isInTransaction = false
    // On a full disk SQLite has undone the transaction already; then there is nothing left to undo.
    undo(db)
  }
  function put(records: Iterable<TenderRecord>, isKnownOnly: boolean): void {
    const { lastModifiedOf, write } = writing()
    for (const record of records) {
      const held = lastModifiedOf(record.id)
      // Both are ISO 8601 in UTC with milliseconds, so their order as texts is their order in time.
      if (held === undefined ? !isKnownOnly : record.lastModified > held) write(record)
    }
  }

  const state: StateStore = {
    load: async () => {
      const row = db.prepare("SELECT value FROM tender_sync_state WHERE name = 'state'").get()
      return row && parseState(JSON.parse(row.value as string))
    },
    save: async (toSave) => saveState(toSave),
    clear: async () => {
      rollBack()
      dropStaging(db)
      db.exec("DELETE FROM tender_sync_state WHERE name = 'state'")
    },
  }
  function saveState(toSave: SyncState): void {
    db.prepare("INSERT OR REPLACE INTO tender_sync_state (name, value) VALUES ('state', ?)").run(JSON.stringify(toSave))
  }

  const sink: Sink = {
    name: 'sqlite',
    canStage: true,
    state,
    readBack: {
      async *rows() {
        yield* sqliteRows(db)
      },
      contentOf: sqliteContentOf,
    },
    begin: async (toRun) => {
      rollBack()
      writer = undefined
      run = toRun
      const isStaged = toRun.kind === 'first'
      if (isStaged && toRun.resumed && !hasStaging(db))
        throw new StagingLostError('The tables of the interrupted first run are gone.')
      if (!(isStaged && toRun.resumed)) dropStaging(db)
      if (isStaged) createStaging(db)
      writer = recordWriter(db, isStaged ? '_staging' : '')
    },
    upsert: async (records) => put(records, false),
    close: async (records) => put(records, run?.keepArchived !== true),
    merge: async (merges) =>
      put(
        merges.map(({ record }) => record),
        run?.keepArchived !== true,
      ),
    commit: async (toSave, end) => {
      writing()
      if (end === 'run' && run?.kind === 'first') {
        writer = undefined
        promoteStaging(db)
      }
      saveState(toSave)
      db.exec('COMMIT')
      isInTransaction = false
      if (end === 'page') return
      if (run?.kind === 'first') db.exec('PRAGMA incremental_vacuum')
      run = undefined
    },
    discard: async () => {
      rollBack()
      if (run?.kind === 'first') dropStaging(db)
      run = undefined
      writer = undefined
    },
    held: async (ids) => {
      const of = writer?.lastModifiedOf ?? recordWriter(db, '').lastModifiedOf
      return new Map(
        ids.flatMap((id) => {
          const lastModified = of(id)
          return lastModified === undefined ? [] : [[id, lastModified] as const]
        }),
      )
    },
    async *all() {
      for (const row of db.prepare('SELECT id, last_modified, status FROM tender ORDER BY id').iterate())
        yield { id: row.id as string, lastModified: row.last_modified as string, status: row.status as string }
    },
    end: async () => {
      if (!db.isOpen) return
      rollBack()
      db.close()
    },
  }
  return disposable(speaking(sink, file))
}

// Syncs into a SQLite file: records with flat columns, lots and codes as child tables, the state in the same
// transaction. Uses the SQLite that Node itself contains (22.5 or newer), so there is nothing to install.
import type { DatabaseSync } from 'node:sqlite'
import { type Run, type Sink, StagingLostError, type StateStore, type SyncState } from '../sync/sink.ts'
import { parseState } from '../sync/sync-state.ts'
import type { TenderRecord } from '../types.ts'
import { disposable, type OpenSink } from './disposable.ts'
import { speaking } from './faults/speaking.ts'
import { diskFaultOf, openSqlite } from './sqlite/sqlite-database.ts'
import {
  createStaging,
  dropStaging,
  hasStaging,
  promoteStaging,
  type RecordWriter,
  recordWriter,
  sqliteContentOf,
  sqliteDigest,
  sqliteRows,
  undo,
} from './sqlite/sqlite-schema.ts'

export type SqliteSinkOptions = {
  /** Path of the database file; created if missing. Tables of other names in it are left alone. */
  readonly file: string
  /** For inspecting the copy: nothing is created or changed, and a missing file counts as an empty copy. */
  readonly isReadOnly?: boolean
}

/** Opens or creates the database. Throws a SinkError if Node is too old or the file is not a SQLite database. */
export async function sqliteSink({ file, isReadOnly = false }: SqliteSinkOptions): Promise<OpenSink> {
  return createSink(await openSqlite(file, isReadOnly), file)
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
    const { put: write } = writing()
    for (const record of records) write(record, isKnownOnly)
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
    record: async (id) => {
      const set = writer && run?.kind === 'first' ? '_staging' : ''
      const row = db.prepare(`SELECT record FROM tender${set} WHERE id = ?`).get(id)
      return row && (JSON.parse(row.record as string) as TenderRecord)
    },
    digest: async () => sqliteDigest(db, writer && run?.kind === 'first' ? '_staging' : ''),
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
  return disposable(speaking(sink, (error) => diskFaultOf(error, file)))
}

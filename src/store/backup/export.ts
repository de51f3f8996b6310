// Copies a whole stock into an empty PostgreSQL database, to move from the embedded engine to a server.
import { sql, type Transaction } from 'kysely'
import { OperatorError } from '../../platform/errors.ts'
import { openStore, type Store } from '../database/database.ts'
import { noteHistory } from '../editions/older-database.ts'
import type { Database } from '../schema/schema.ts'
import { openServer } from '../server/open-server.ts'
import { shownAddress } from '../server/server-addresses.ts'
import {
  countRows,
  type Fingerprint,
  fingerprint,
  fingerprintText,
  hasRows,
  isSameFingerprint,
  type Key,
  nextLimit,
  readPage,
  readSequences,
  readTables,
  seededTables,
  setSequence,
  type Table,
  usedTable,
  writeRows,
  writeValuesAlike,
} from './table-copy.ts'

export type ExportProgress = { readonly table: string; readonly rows: number; readonly totalRows: number }

/** Rows copied, by table. */
export type ExportSummary = { readonly rows: { readonly [table: string]: number } }

/** Maximum time of a statement of a preview. */
const previewStatementMs = 60_000

/**
 * Copies all tables of `store` into the database at `databaseUrl`, which must be empty and gets its tables here.
 * Everything is copied, checked by counts and checksums, or nothing is. The stock can be read and written again when it
 * is done. Throws OperatorError if the target is unreachable or not empty.
 */
export async function exportStock(
  store: Store,
  databaseUrl: string,
  onProgress: (progress: ExportProgress) => void = () => {},
): Promise<ExportSummary> {
  const target = await openStore({ databaseUrl, dataFolder: '' })
  try {
    const rows = await store.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((from) => target.db.transaction().execute((to) => copyTables(from, to, databaseUrl, onProgress)))
    await sql`analyze`.execute(target.db)
    return { rows }
  } finally {
    await target.close()
  }
}

export type ExportPreview = {
  /** Host, port and name of the target. */
  readonly database: string
  /** Rows that would be copied, by table. */
  readonly rows: { readonly [table: string]: number }
  /** A table of the target that has rows; null: it is empty. */
  readonly usedTable: string | null
}

/**
 * What `exportStock` would copy, and whether it could. Reads only. Throws OperatorError if the target cannot be used.
 */
export async function previewExport(store: Store, databaseUrl: string): Promise<ExportPreview> {
  const database = shownAddress(databaseUrl)
  const target = await openServer({ databaseUrl, statementTimeoutMs: previewStatementMs })
  try {
    const rows: Record<string, number> = {}
    for (const { name } of await readTables(store.db)) rows[name] = await countRows(store.db, name)
    const { rows: present } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and relname not like 'kysely%' order by relname`.execute(target.db)
    for (const { name } of present)
      if (!seededTables.includes(name) && (await hasRows(target.db, name))) return { database, rows, usedTable: name }
    return { database, rows, usedTable: null }
  } finally {
    await target.close()
  }
}

async function copyTables(
  from: Transaction<Database>,
  to: Transaction<Database>,
  databaseUrl: string,
  onProgress: (progress: ExportProgress) => void,
): Promise<{ [table: string]: number }> {
  for (const db of [from, to]) await writeValuesAlike(db)
  const tables = await readTables(from)
  const used = await usedTable(to, tables)
  if (used !== undefined)
    throw new OperatorError(
      'target-not-empty',
      `The database ${shownAddress(databaseUrl)} is not empty (its table ${used} has rows); pass an empty one.`,
    )
  for (const name of seededTables) await sql`delete from ${sql.table(name)}`.execute(to)
  const copied: { [table: string]: number } = {}
  for (const table of tables) {
    const source = await copyTable(from, to, table, onProgress)
    copied[table.name] = source.rows
    const target = await fingerprint(to, table)
    if (!isSameFingerprint(source, target))
      throw new Error(`the copy of ${table.name} differs: ${fingerprintText(source)} became ${fingerprintText(target)}`)
  }
  // nothing was lost on the way
  if (copied['edition']! > 0) await noteHistory(to)
  // After the rows: on a server the source continues, and a number must not be assigned twice.
  for (const sequence of await readSequences(from)) await setSequence(to, sequence)
  return copied
}

/** Returns what was read. */
async function copyTable(
  from: Transaction<Database>,
  to: Transaction<Database>,
  table: Table,
  onProgress: (progress: ExportProgress) => void,
): Promise<Fingerprint> {
  const totalRows = await countRows(from, table.name)
  let [rows, sum] = [0, 0n]
  let after: Key | undefined
  let limit = 1
  onProgress({ table: table.name, rows, totalRows })
  for (;;) {
    const page = await readPage(from, table, { after, limit })
    if (page === undefined) return { rows, sum }
    await writeRows(to, table, page.lines)
    rows += page.rows
    sum += page.sum
    after = page.last
    limit = nextLimit(limit, page)
    onProgress({ table: table.name, rows, totalRows })
  }
}

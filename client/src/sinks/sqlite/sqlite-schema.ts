// The tables of the SQLite sink and the statements that fill them; the same for the copy and for its staging.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CopyDigest, DigestSum } from '../../sync/copy-digest.ts'
import type { SeenRecord } from '../../sync/sink.ts'
import type { TenderRecord } from '../../types.ts'
import { CopyDamagedError, SinkError } from '../faults/sink-error.ts'
import { digestOf } from '../record/digest.ts'
import type { FlatColumn, FlatType, FlatValue } from '../record/flat-column.ts'
import { cpvOf, hitColumns, lotColumns, lotsOf, nutsOf, type PlacedCode, tenderColumns } from '../record/flat-tender.ts'
import { recordHash } from '../record/record-hash.ts'
import { contentJson, storedRecord, wellFormed } from '../record/record-json.ts'

/** `''`: what readers see; `'_staging'`: what a first run fills until it is complete. */
export type TableSet = '' | '_staging'

const sqlType: Record<FlatType, string> = {
  text: 'TEXT',
  instant: 'TEXT',
  number: 'REAL',
  integer: 'INTEGER',
  boolean: 'INTEGER',
}
const columnSql = <T>(columns: readonly FlatColumn<T>[]): string =>
  columns.map(({ name, type, isRequired }) => `${name} ${sqlType[type]}${isRequired ? ' NOT NULL' : ''}`).join(',\n  ')

/** Tables by name, without the suffix of the set. */
const tableNames = ['tender', 'tender_lot', 'tender_cpv', 'tender_nuts'] as const

const tables = (set: TableSet): string => `
CREATE TABLE IF NOT EXISTS tender${set} (
  ${columnSql(tenderColumns)},
  record TEXT NOT NULL,
  record_hash BLOB,
  PRIMARY KEY (id)
);
CREATE TABLE IF NOT EXISTS tender_lot${set} (
  ${columnSql(lotColumns)},
  PRIMARY KEY (tender_id, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tender_cpv${set} (
  tender_id TEXT NOT NULL, lot_id TEXT NOT NULL, code TEXT NOT NULL,
  PRIMARY KEY (tender_id, lot_id, code)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tender_nuts${set} (
  tender_id TEXT NOT NULL, lot_id TEXT NOT NULL, code TEXT NOT NULL,
  PRIMARY KEY (tender_id, lot_id, code)
) WITHOUT ROWID;`

const indexes = `
CREATE INDEX IF NOT EXISTS tender_status ON tender (status);
CREATE INDEX IF NOT EXISTS tender_last_modified ON tender (last_modified, archive_reason, record_hash);
CREATE INDEX IF NOT EXISTS tender_submission_date ON tender (submission_date);
CREATE INDEX IF NOT EXISTS tender_publication_date ON tender (publication_date);
CREATE INDEX IF NOT EXISTS tender_cpv_code ON tender_cpv (code);
CREATE INDEX IF NOT EXISTS tender_nuts_code ON tender_nuts (code);`

/** Undoes the open transaction. On a full disk SQLite has already undone it; then there is nothing left to undo. */
export function undo(db: DatabaseSync): void {
  try {
    db.exec('ROLLBACK')
  } catch (error) {
    if (!/no transaction is active/.test(String(error))) throw error
  }
}

/** Does work in a transaction: completely or not at all. */
export function inTransaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    undo(db)
    throw error
  }
}

const hasTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')").get(name) !== undefined

/** True when this sink has made its tables in the database. */
export const hasCopy = (db: DatabaseSync): boolean => hasTable(db, 'tender_sync_state')

/** Throws a SinkError if a table with one of our names is not ours; nothing was changed by then. */
export function refuseForeignTables(db: DatabaseSync, file: string): void {
  if (hasCopy(db)) return
  const foreign = tableNames.find((name) => hasTable(db, name))
  if (foreign !== undefined)
    throw new SinkError(
      `${file} holds a table ${foreign} that this sink did not create: choose another file, or rename that table. Nothing was changed.`,
    )
}

/**
 * Creates what is missing, completely or not at all; columns that a newer version of this package added appear in an
 * older copy as nulls.
 */
export function migrateSqlite(db: DatabaseSync): void {
  inTransaction(db, () => {
    db.exec(`${tables('')}`)
    addMissingColumns(db, 'tender', [...tenderColumns, { name: 'record_hash', type: 'hash' }])
    addMissingColumns(db, 'tender_lot', lotColumns)
    db.exec(`${indexes}
CREATE TABLE IF NOT EXISTS tender_sync_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`)
  })
}

function addMissingColumns(
  db: DatabaseSync,
  table: string,
  columns: readonly { readonly name: string; readonly type: FlatType | 'hash' }[],
): void {
  const present = new Set(
    db
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name),
  )
  for (const { name, type } of columns)
    if (!present.has(name))
      db.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type === 'hash' ? 'BLOB' : sqlType[type]}`)
}

/**
 * Creates the table of the hits, or adds to it what a newer version of this package has. Throws a SinkError if the file
 * holds a table `hit` that is not ours; nothing was changed by then.
 */
export function makeHitTable(db: DatabaseSync, file: string): void {
  inTransaction(db, () => {
    const isOurs = db.prepare("SELECT 1 FROM tender_sync_state WHERE name = 'hits'").get() !== undefined
    if (!isOurs && hasTable(db, 'hit'))
      throw new SinkError(
        `${file} holds a table hit that tender-sync did not create: choose another file, or rename that table. Nothing was changed.`,
      )
    db.exec(`CREATE TABLE IF NOT EXISTS hit (
  ${columnSql(hitColumns)},
  body TEXT NOT NULL,
  PRIMARY KEY (hit_id)
);
CREATE INDEX IF NOT EXISTS hit_tender_id ON hit (tender_id);
CREATE INDEX IF NOT EXISTS hit_first_received_at ON hit (first_received_at);
INSERT OR IGNORE INTO tender_sync_state (name, value) VALUES ('hits', '{"version":1}');`)
    addMissingColumns(db, 'hit', hitColumns)
  })
}

export function createStaging(db: DatabaseSync): void {
  db.exec(tables('_staging'))
}

export const hasStaging = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tender_staging'").get() !== undefined

export function dropStaging(db: DatabaseSync): void {
  for (const name of tableNames) db.exec(`DROP TABLE IF EXISTS ${name}_staging`)
}

/** Replaces the copy with the staging, in the caller's transaction, so readers see either the one or the other. */
export function promoteStaging(db: DatabaseSync): void {
  const names = <T>(columns: readonly FlatColumn<T>[]): string => columns.map(({ name }) => name).join(', ')
  const columns = {
    tender: `${names(tenderColumns)}, record, record_hash`,
    tender_lot: names(lotColumns),
    tender_cpv: 'tender_id, lot_id, code',
    tender_nuts: 'tender_id, lot_id, code',
  }
  // Rows are replaced and tables stay: views, indexes and triggers of the reader's own survive.
  for (const name of tableNames)
    db.exec(`DELETE FROM ${name}; INSERT INTO ${name} (${columns[name]}) SELECT ${columns[name]} FROM ${name}_staging`)
  dropStaging(db)
}

/** Converts a value to what SQLite accepts. */
export const boundValue = (value: FlatValue): string | number | null =>
  typeof value === 'boolean' ? Number(value) : value

/** The digest of a set of tables; undefined if it holds records that an older version wrote without their hashes. */
export function sqliteDigest(db: DatabaseSync, set: TableSet): CopyDigest | undefined {
  const sum = new DigestSum()
  // The index on last_modified contains everything needed.
  for (const row of db.prepare(`SELECT last_modified, archive_reason, record_hash FROM tender${set}`).iterate()) {
    if (row.record_hash === null) return undefined
    const hash = Buffer.from(row.record_hash as Uint8Array).toString('hex')
    sum.add(hash, row.archive_reason === null, row.last_modified as string)
  }
  return sum.digest
}

/** The content of a record's rows in all tables. */
const rowContent = (rows: {
  readonly tender: readonly unknown[]
  readonly lots: readonly (readonly unknown[])[]
  readonly cpv: readonly string[]
  readonly nuts: readonly string[]
}): string => digestOf(JSON.stringify([rows.tender, rows.lots, [...rows.cpv].sort(), [...rows.nuts].sort()]))

const placedText = ({ lotId, code }: PlacedCode): string => `${lotId} ${code}`

/** The content of the rows that a record must have. */
export function sqliteContentOf(delivered: TenderRecord): string {
  const { record } = wellFormed(delivered)
  return rowContent({
    tender: [...tenderColumns.map(({ of }) => boundValue(of(record))), contentJson(record), recordHash(record)],
    lots: lotsOf(record).map((row) => lotColumns.map(({ of }) => boundValue(of(row)))),
    cpv: cpvOf(record).map(placedText),
    nuts: nutsOf(record).map(placedText),
  })
}

type Row = { readonly [column: string]: unknown }

/**
 * Yields the rows of a child table by the records to which they belong; the caller requests them in the order of their
 * ids.
 */
function childRows(db: DatabaseSync, table: string, order: string): { of(id: string): Row[]; end(): void } {
  const rows = db.prepare(`SELECT * FROM ${table} ORDER BY tender_id, ${order}`).iterate()[Symbol.iterator]()
  let next = rows.next()
  const refuse = (): never => {
    throw new CopyDamagedError(
      `The table ${table} holds rows of ${String(next.value?.tender_id)}, which tender does not.`,
    )
  }
  return {
    of: (id) => {
      if (!next.done && String(next.value.tender_id) < id) refuse()
      const found: Row[] = []
      for (; !next.done && next.value.tender_id === id; next = rows.next()) found.push(next.value)
      return found
    },
    end: () => void (next.done || refuse()),
  }
}

/** Yields every record, as all of its rows show it. */
export function* sqliteRows(db: DatabaseSync): Generator<SeenRecord> {
  const lots = childRows(db, 'tender_lot', 'position')
  const cpv = childRows(db, 'tender_cpv', 'lot_id, code')
  const nuts = childRows(db, 'tender_nuts', 'lot_id, code')
  const placedTexts = (rows: readonly Row[]) => rows.map(({ lot_id, code }) => `${lot_id} ${code}`)
  for (const row of db.prepare('SELECT * FROM tender ORDER BY id').iterate() as Iterable<Row>) {
    const id = String(row.id)
    const record = storedRecord(String(row.record), `The record ${id}`)
    const cells = tenderColumns.map(({ name }) => row[name] ?? null)
    const hash = row.record_hash === null ? recordHash(record) : hexOf(row.record_hash)
    yield {
      id,
      lastModified: String(row.last_modified),
      status: String(row.status),
      record,
      content: rowContent({
        tender: [...cells, contentJson(record), hash],
        lots: lots.of(id).map((lot) => lotColumns.map(({ name }) => lot[name] ?? null)),
        cpv: placedTexts(cpv.of(id)),
        nuts: placedTexts(nuts.of(id)),
      }),
    }
  }
  for (const table of [lots, cpv, nuts]) table.end()
}

const hexOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)

/** Writes whole records into one set of tables. Its statements are prepared once; the tables must exist. */
export type RecordWriter = {
  readonly lastModifiedOf: (id: string) => string | undefined
  /**
   * Writes the record if it is newer than the held one, or differs from it at the same time. `isKnownOnly` skips
   * unknown ids.
   */
  readonly put: (record: TenderRecord, isKnownOnly: boolean) => void
}

export function recordWriter(db: DatabaseSync, set: TableSet): RecordWriter {
  const insertInto = <T>(
    table: string,
    columns: readonly FlatColumn<T>[],
    more: readonly string[] = [],
  ): StatementSync =>
    db.prepare(
      `INSERT OR REPLACE INTO ${table}${set} (${[...columns.map(({ name }) => name), ...more].join(', ')}) ` +
        `VALUES (${[...columns, ...more].map(() => '?').join(', ')})`,
    )
  const find = db.prepare(`SELECT last_modified, record_hash FROM tender${set} WHERE id = ?`)
  const tender = insertInto('tender', tenderColumns, ['record', 'record_hash'])
  const lot = insertInto('tender_lot', lotColumns)
  const codeTables = (['tender_cpv', 'tender_nuts'] as const).map((table) => ({
    codesOf: table === 'tender_cpv' ? cpvOf : nutsOf,
    insert: db.prepare(`INSERT INTO ${table}${set} (tender_id, lot_id, code) VALUES (?, ?, ?)`),
    remove: db.prepare(`DELETE FROM ${table}${set} WHERE tender_id = ?`),
  }))
  const removeLots = db.prepare(`DELETE FROM tender_lot${set} WHERE tender_id = ?`)
  return {
    lastModifiedOf: (id) => find.get(id)?.last_modified as string | undefined,
    put: (delivered, isKnownOnly) => {
      const held = find.get(delivered.id)
      // Both are ISO 8601 in UTC with milliseconds, so their order as texts is their order in time.
      if (held ? delivered.lastModified < (held.last_modified as string) : isKnownOnly) return
      const { record, json } = wellFormed(delivered)
      const hash = recordHash(record)
      if (held?.last_modified === record.lastModified && hexOf(held.record_hash) === hash) return
      tender.run(...tenderColumns.map(({ of }) => boundValue(of(record))), json, Buffer.from(hash, 'hex'))
      // nothing else writes into a staging; in the copy somebody may have left rows without their tender
      const mayHaveRows = held !== undefined || set === ''
      if (mayHaveRows) removeLots.run(record.id)
      for (const each of lotsOf(record)) lot.run(...lotColumns.map(({ of }) => boundValue(of(each))))
      for (const { codesOf, insert, remove } of codeTables) {
        if (mayHaveRows) remove.run(record.id)
        const codes: readonly PlacedCode[] = codesOf(record)
        for (const { lotId, code } of codes) insert.run(record.id, lotId, code)
      }
    },
  }
}

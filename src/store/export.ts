// Copies a whole stock into an empty PostgreSQL database: the way from the embedded engine to a server.
import { type Kysely, sql, type Transaction } from 'kysely'
import { OperatorError } from '../platform/errors.ts'
import { openStore, type Store } from './database.ts'
import type { Database } from './schema.ts'
import { placeOf } from './server/open-server.ts'

export type ExportProgress = { readonly table: string; readonly rows: number; readonly totalRows: number }

/** Rows copied, by table. */
export type ExportSummary = { readonly rows: { readonly [table: string]: number } }

type Table = {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[]
}
type Row = Record<string, unknown>

/** Filled by the migrations themselves: its rows do not make a database a used one. */
const seededTable = 'change_signal'
const batchBytes = 4 * 1024 * 1024
const mostRowsPerBatch = 2000

/**
 * Copies all tables of `store` into the database at `databaseUrl`, which must be empty and gets its tables here. All of it
 * arrives, checked by counts and checksums, or nothing does. The stock can be read and written again when it is done.
 * Throws OperatorError when the target cannot be reached or is not empty.
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

async function copyTables(
  from: Transaction<Database>,
  to: Transaction<Database>,
  databaseUrl: string,
  onProgress: (progress: ExportProgress) => void,
): Promise<{ [table: string]: number }> {
  const tables = await readTables(from)
  for (const { name } of tables) {
    if (name !== seededTable && (await countRows(to, name)) > 0) {
      throw new OperatorError(
        `The database ${placeOf(databaseUrl)} is not empty (its table ${name} has rows); give one that is.`,
      )
    }
  }
  await sql`delete from ${sql.table(seededTable)}`.execute(to)
  const copied: { [table: string]: number } = {}
  for (const table of tables) {
    copied[table.name] = await copyTable(from, to, table, onProgress)
    const [source, target] = [await fingerprint(from, table), await fingerprint(to, table)]
    if (source !== target) throw new Error(`the copy of ${table.name} differs: ${source} became ${target}`)
  }
  return copied
}

async function copyTable(
  from: Transaction<Database>,
  to: Transaction<Database>,
  table: Table,
  onProgress: (progress: ExportProgress) => void,
): Promise<number> {
  const totalRows = await countRows(from, table.name)
  let rows = 0
  let after: Row | undefined
  let limit = 100
  onProgress({ table: table.name, rows, totalRows })
  for (;;) {
    const page = await readPage(from, table, after, limit)
    if (page.length === 0) return rows
    const json = JSON.stringify(page.map(asJson))
    const columns = sql.join(table.columns.map((column) => sql.ref(column)))
    await sql`insert into ${sql.table(table.name)} (${columns})
      select ${columns} from json_populate_recordset(null::${sql.table(table.name)}, ${json}::json)`.execute(to)
    rows += page.length
    after = page.at(-1)
    // Documents differ in size by a factor of a thousand: aim at bytes, not rows.
    limit = Math.max(1, Math.min(mostRowsPerBatch, 4 * limit, Math.floor((batchBytes * page.length) / json.length)))
    onProgress({ table: table.name, rows, totalRows })
  }
}

/** bytea as json_populate_recordset reads it. */
function asJson(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array
        ? `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`
        : value,
    ]),
  )
}

async function readPage(
  from: Transaction<Database>,
  { name, columns, key }: Table,
  after: Row | undefined,
  limit: number,
): Promise<Row[]> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  const rest = after && sql`where (${keyColumns}) > (${sql.join(key.map((column) => after[column]))})`
  const { rows } = await sql<Row>`select ${sql.join(columns.map((column) => sql.ref(column)))}
    from ${sql.table(name)} ${rest ?? sql``} order by ${keyColumns} limit ${limit}`.execute(from)
  return rows
}

async function countRows(db: Kysely<Database>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
  return rows[0]!.count
}

/** Count and sum of the rows' hashes: the same on every version and machine, whatever the order of the rows. */
async function fingerprint(db: Transaction<Database>, { name, columns }: Table): Promise<string> {
  const row = sql`row(${sql.join(columns.map((column) => sql.ref(column)))})::text`
  const { rows } = await sql<{ fingerprint: string }>`select count(*) || ' rows, checksum ' ||
    coalesce(sum(('x' || left(md5(${row}), 15))::bit(60)::bigint), 0) as fingerprint from ${sql.table(name)}`.execute(
    db,
  )
  return rows[0]!.fingerprint
}

/** The tables of the stock with those first that others refer to. */
async function readTables(db: Transaction<Database>): Promise<Table[]> {
  const { rows } = await sql<{ name: string; columns: string[]; key: string[]; referenced: string[] }>`
    select class.relname as name,
      (select json_agg(attname order by attnum) from pg_attribute
        where attrelid = class.oid and attnum > 0 and not attisdropped) as columns,
      (select json_agg(attname order by array_position(conkey, attnum)) from pg_constraint
        join pg_attribute on attrelid = conrelid and attnum = any (conkey)
        where conrelid = class.oid and contype = 'p') as key,
      (select coalesce(json_agg(confrelid::regclass::text), '[]') from pg_constraint
        where conrelid = class.oid and contype = 'f' and confrelid <> conrelid) as referenced
    from pg_class as class
    where class.relnamespace = 'public'::regnamespace and class.relkind = 'r' and class.relname not like 'kysely%'
    order by class.relname`.execute(db)
  const ordered: Table[] = []
  const waiting = [...rows]
  while (waiting.length > 0) {
    const index = waiting.findIndex(({ referenced }) =>
      referenced.every((name) => ordered.some((table) => table.name === name)),
    )
    if (index < 0) throw new Error('the tables refer to each other in a circle')
    ordered.push(...waiting.splice(index, 1))
  }
  return ordered
}

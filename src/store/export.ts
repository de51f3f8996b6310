// Copies a whole stock into an empty PostgreSQL database: the way from the embedded engine to a server.
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { OperatorError } from '../platform/errors.ts'
import { type Executor, openStore, type Store } from './database.ts'
import type { Database } from './schema.ts'
import { openServer, placeOf } from './server/open-server.ts'

export type ExportProgress = { readonly table: string; readonly rows: number; readonly totalRows: number }

/** Rows copied, by table. */
export type ExportSummary = { readonly rows: { readonly [table: string]: number } }

type Column = {
  readonly name: string
  /** As SQL writes it. */
  readonly type: string
  /** The database computes it from the others of its row: it is compared, never written. */
  readonly isComputed: boolean
}
type Table = {
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns of the primary key, in its order. */
  readonly key: readonly Column[]
}
/** The key of a row, each value as text. */
type Key = readonly string[]

/** Filled by the migrations themselves: their rows do not make a database a used one. */
const seededTables: readonly string[] = ['change_signal', 'publication', 'hit_mark', 'redaction_key']
/** How long a statement of a preview may take. */
const previewStatementMs = 60_000
/** Target size of the JSON of one statement that writes rows, in characters. */
const batchLength = 4 * 1024 * 1024
/** Maximum rows of one statement, so that none runs into the time limit however large a table is. */
const mostRowsPerBatch = 2000

/**
 * Copies all tables of `store` into the database at `databaseUrl`, which must be empty and receives its tables here.
 * Everything arrives, checked by counts and checksums, or nothing does. The stock can be read and written again when
 * it is done. Throws OperatorError if the target is unreachable or not empty.
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
  readonly place: string
  /** Rows that would be copied, by table. */
  readonly rows: { readonly [table: string]: number }
  /** A table of the target that has rows; null: it is empty. */
  readonly usedTable: string | null
}

/** What `exportStock` would copy, and whether it could. Reads only. Throws OperatorError if the target cannot be used. */
export async function previewExport(store: Store, databaseUrl: string): Promise<ExportPreview> {
  const place = placeOf(databaseUrl)
  const target = await openServer({ databaseUrl, statementTimeoutMs: previewStatementMs })
  try {
    const rows: Record<string, number> = {}
    for (const { name } of await readTables(store.db)) rows[name] = await countRows(store.db, name)
    const { rows: present } = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not like 'kysely%' order by relname`.execute(target.db)
    for (const { name } of present)
      if (!seededTables.includes(name) && (await hasRows(target.db, name))) return { place, rows, usedTable: name }
    return { place, rows, usedTable: null }
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
  for (const { name } of tables) {
    if (!seededTables.includes(name) && (await hasRows(to, name))) {
      throw new OperatorError(
        `The database ${placeOf(databaseUrl)} is not empty (its table ${name} has rows); pass an empty one.`,
      )
    }
  }
  for (const name of seededTables) await sql`delete from ${sql.table(name)}`.execute(to)
  const copied: { [table: string]: number } = {}
  for (const table of tables) {
    copied[table.name] = await copyTable(from, to, table, onProgress)
    const [source, target] = [await fingerprint(from, table), await fingerprint(to, table)]
    if (source !== target) throw new Error(`the copy of ${table.name} differs: ${source} became ${target}`)
  }
  // After the rows: on a server the source continues, and a number must not be assigned twice.
  for (const name of await readSequences(from)) await carrySequence(from, to, name)
  return copied
}

/** Both sides write equal values as equal texts, whatever their settings. */
async function writeValuesAlike(db: Transaction<Database>): Promise<void> {
  await sql`select set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true),
    set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true),
    set_config('extra_float_digits', '1', true)`.execute(db)
}

async function copyTable(
  from: Transaction<Database>,
  to: Transaction<Database>,
  table: Table,
  onProgress: (progress: ExportProgress) => void,
): Promise<number> {
  const totalRows = await countRows(from, table.name)
  const written = sql.join(table.columns.filter((each) => !each.isComputed).map(({ name }) => sql.ref(name)))
  let rows = 0
  let after: Key | undefined
  let limit = 1
  onProgress({ table: table.name, rows, totalRows })
  for (;;) {
    const page = await readPage(from, table, after, limit)
    if (page === undefined) return rows
    // "Overriding": numbers that the database gives are carried over like any other value.
    await sql`insert into ${sql.table(table.name)} (${written}) overriding system value
      select ${written} from json_populate_recordset(null::${sql.table(table.name)}, ${page.json}::json)`.execute(to)
    rows += page.rows
    after = page.last
    // Documents differ in size by a factor of a thousand: aim at a length, not at rows.
    const fitting = Math.floor((batchLength * page.rows) / page.json.length)
    limit = Math.max(1, Math.min(mostRowsPerBatch, 4 * limit, fitting))
    onProgress({ table: table.name, rows, totalRows })
  }
}

type Page = { readonly rows: number; readonly last: Key; readonly json: string }

/** The next rows in the order of their keys, as the source itself writes them in JSON: no value passes through ours. */
async function readPage(
  from: Transaction<Database>,
  table: Table,
  after: Key | undefined,
  limit: number,
): Promise<Page | undefined> {
  const { rows } = await sql<Page | { readonly rows: 0 }>`
    with page as (${rowsAfter(table, after, limit)})
    select count(*)::integer as rows, (${lastKey(table)}) as last, json_agg(row_to_json(page))::text as json from page`.execute(
    from,
  )
  const [page] = rows
  return page!.rows === 0 ? undefined : (page as Page)
}

function rowsAfter({ name, columns, key }: Table, after: Key | undefined, limit: number): RawBuilder<unknown> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column.name)))
  const values = after && sql.join(key.map(({ type }, index) => sql`${after[index]}::text::${sql.raw(type)}`))
  return sql`select ${namesOf(columns)} from ${sql.table(name)} ${values ? sql`where (${keyColumns}) > (${values})` : sql``}
    order by ${keyColumns} limit ${limit}::integer`
}

/** For the rows in `page`. Each side orders texts by its own rules, so each pages separately. */
function lastKey({ key }: Table): RawBuilder<unknown> {
  const texts = sql.join(key.map(({ name }) => sql`${sql.ref(name)}::text`))
  const descending = sql.join(key.map(({ name }) => sql`${sql.ref(name)} desc`))
  return sql`select json_build_array(${texts}) from page order by ${descending} limit 1`
}

function namesOf(columns: readonly Column[]): RawBuilder<unknown> {
  return sql.join(columns.map(({ name }) => sql.ref(name)))
}

async function hasRows(db: Kysely<Database>, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from ${sql.table(table)}) as found`.execute(db)
  return rows[0]!.found
}

async function countRows(db: Kysely<Database>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
  return rows[0]!.count
}

/** Count and sum of the rows' hashes: the same on every version and machine, whatever the order of the rows. */
async function fingerprint(db: Transaction<Database>, table: Table): Promise<string> {
  let total = 0
  let checksum = 0n
  for (let after: Key | undefined; ; ) {
    const { rows } = await sql<{ rows: number; last: Key; sum: string | null }>`
      with page as (${rowsAfter(table, after, mostRowsPerBatch)})
      select count(*)::integer as rows, (${lastKey(table)}) as last,
        sum(('x' || left(md5(row(${namesOf(table.columns)})::text), 15))::bit(60)::bigint)::text as sum from page`.execute(
      db,
    )
    const page = rows[0]!
    if (page.rows === 0) return `${total} rows, checksum ${checksum}`
    total += page.rows
    checksum += BigInt(page.sum!)
    after = page.last
  }
}

async function readSequences(db: Transaction<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Numbers that the database assigns continue from the source. This is not undone with the transaction: a number is
 * skipped.
 */
async function carrySequence(from: Transaction<Database>, to: Transaction<Database>, name: string): Promise<void> {
  type State = { readonly value: string; readonly isUsed: boolean }
  const state = async (db: Transaction<Database>): Promise<State> => {
    const { rows } = await sql<State>`
      select last_value::text as value, is_called as "isUsed" from ${sql.table(name)}`.execute(db)
    return rows[0]!
  }
  const source = await state(from)
  await sql`select setval(${`public.${name}`}::regclass, ${source.value}::text::bigint, ${source.isUsed}::boolean)`.execute(
    to,
  )
  const target = await state(to)
  if (source.value !== target.value || source.isUsed !== target.isUsed)
    throw new Error(`the copy of the sequence ${name} stands at ${target.value}, not at ${source.value}`)
}

/** Tables, sequences, indexes and what belongs to them; and views, which hold nothing. */
const knownKinds: readonly string[] = ['r', 'S', 'i', 't', 'c', 'v']

/** The tables of the stock, first those to which others refer. Throws if an export would leave something out. */
async function readTables(db: Executor): Promise<Table[]> {
  const { rows } = await sql<Table & { kind: string; key: Column[] | null; referenced: string[] }>`
    with attribute as (
      select attrelid, attnum, json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
        'isComputed', attgenerated <> '') as described
      from pg_attribute where attnum > 0 and not attisdropped
    )
    select class.relname as name, class.relkind::text as kind,
      (select json_agg(described order by attnum) from attribute where attrelid = class.oid) as columns,
      (select json_agg(described order by array_position(conkey, attnum)) from pg_constraint
        join attribute on attrelid = conrelid and attnum = any (conkey)
        where conrelid = class.oid and contype = 'p') as key,
      (select coalesce(json_agg(confrelid::regclass::text), '[]') from pg_constraint
        where conrelid = class.oid and contype = 'f' and confrelid <> conrelid) as referenced
    from pg_class as class
    where class.relnamespace = 'public'::regnamespace and class.relname not like 'kysely%'
    order by class.relname`.execute(db)
  const strange = rows.find(({ kind }) => !knownKinds.includes(kind))
  if (strange) throw new Error(`an export does not know what to do with ${strange.name} (relkind ${strange.kind})`)
  const tables = rows.filter(({ kind }) => kind === 'r')
  const keyless = tables.find(({ key }) => key === null)
  if (keyless) throw new Error(`the table ${keyless.name} has no primary key, by which an export reads it`)
  const ordered: Table[] = []
  const waiting = [...tables]
  while (waiting.length > 0) {
    const index = waiting.findIndex(({ referenced }) =>
      referenced.every((name) => ordered.some((table) => table.name === name)),
    )
    if (index < 0) throw new Error('the tables refer to each other in a circle')
    for (const { name, columns, key } of waiting.splice(index, 1)) ordered.push({ name, columns, key: key! })
  }
  return ordered
}

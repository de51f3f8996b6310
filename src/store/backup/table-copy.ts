// Whole tables: which there are, their rows page by page as JSON that the database itself writes and reads, and
// checksums of them.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import type { Database } from '../schema/schema.ts'

export type Column = {
  readonly name: string
  /** The type as SQL writes it. */
  readonly type: string
  /** Whether the database computes it from the others of its row: then it is compared, but never written. */
  readonly isComputed: boolean
}
export type Table = {
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns of the primary key, in its order. */
  readonly key: readonly Column[]
  /** Whether a crash empties it: what it holds is derived, and rebuilt where it is missing. */
  readonly isUnlogged: boolean
}
/** The key of a row, each value as text. */
export type Key = readonly string[]

/** Tables that the migrations fill: their rows do not make a database a used one. */
export const seededTables: readonly string[] = [
  'change_signal',
  'publication',
  'hit_mark',
  'redaction_key',
  'edition_export',
]
/** Target size of the JSON of one statement, in characters. */
export const batchLength = 4 * 1024 * 1024
/** Maximum rows of one statement, so that none runs into the time limit however large a table is. */
const maxRowsPerBatch = 2000

/**
 * Makes both sides write equal values as equal texts, whatever their settings. Their transactions may pause: one side
 * waits for the other, or for the storage of a backup.
 */
export async function writeValuesAlike(db: Executor): Promise<void> {
  await sql`select set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true),
    set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true),
    set_config('extra_float_digits', '1', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
    db,
  )
}

export type Page = {
  readonly rows: number
  /** The key of the last row. */
  readonly last: Key
  /** One row in JSON per line, as the source itself writes it: no value passes through our code. */
  readonly lines: string
  /** Sum of the hashes of the rows: the same on every version and machine, whatever the order of the rows. */
  readonly sum: bigint
}

export type PageWish = {
  /** The key of the last row of the page before; absent: the first page. */
  readonly after?: Key | undefined
  readonly limit: number
  /** Only rows for which this is true. */
  readonly only?: RawBuilder<unknown>
}

/** The next rows in the order of their keys; undefined when there is none. */
export async function readPage(db: Executor, table: Table, wish: PageWish): Promise<Page | undefined> {
  return pageOf(db, table, rowsAfter(table, wish), sql`, ${jsonLines} as lines`)
}

/** Rows of `table` that `rows` selects, as a page. */
export async function pageOf(
  db: Executor,
  table: Table,
  rows: RawBuilder<unknown>,
  lines: RawBuilder<unknown> = sql`, ${jsonLines} as lines`,
): Promise<Page | undefined> {
  type Row = { readonly rows: number; readonly last: Key; readonly lines?: string; readonly sum: string | null }
  const result = await sql<Row>`
    with page as (${rows})
    select count(*)::integer as rows, (${lastKey(table)}) as last,
      sum(('x' || left(md5(row(${namesOf(table.columns)})::text), 15))::bit(60)::bigint)::text as sum ${lines}
    from page`.execute(db)
  const [page] = result.rows
  if (page!.rows === 0) return undefined
  return { rows: page!.rows, last: page!.last, lines: page!.lines ?? '', sum: BigInt(page!.sum!) }
}

/** No line break is in a row: JSON writes those of texts as two characters. */
const jsonLines = sql`string_agg(row_to_json(page)::text, chr(10))`

function rowsAfter({ name, columns, key }: Table, { after, limit, only }: PageWish): RawBuilder<unknown> {
  const keyColumns = sql.join(key.map((column) => sql.ref(column.name)))
  const conditions = [...(after ? [isAfter(key, after)] : []), ...(only ? [only] : [])]
  return sql`select ${namesOf(columns)} from ${sql.table(name)}
    ${conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``}
    order by ${keyColumns} limit ${limit}::integer`
}

/** For rows with the columns of the key: whether their key is above this one. */
export function isAfter(key: Table['key'], after: Key): RawBuilder<unknown> {
  const values = sql.join(key.map(({ type }, index) => sql`${after[index]}::text::${sql.raw(type)}`))
  return sql`(${sql.join(key.map((column) => sql.ref(column.name)))}) > (${values})`
}

/** The last key of the rows in `page`. Each side orders texts by its own rules, so each pages separately. */
function lastKey({ key }: Table): RawBuilder<unknown> {
  const texts = sql.join(key.map(({ name }) => sql`${sql.ref(name)}::text`))
  const descending = sql.join(key.map(({ name }) => sql`${sql.ref(name)} desc`))
  return sql`select json_build_array(${texts}) from page order by ${descending} limit 1`
}

export function namesOf(columns: readonly Column[]): RawBuilder<unknown> {
  return sql.join(columns.map(({ name }) => sql.ref(name)))
}

/**
 * The number of rows of the next page, so that it comes near to `length` characters: rows differ in size by a factor of
 * a thousand.
 */
export function nextLimit(limit: number, page: Page, length: number = batchLength): number {
  const fitting = Math.floor((length * page.rows) / page.lines.length)
  return Math.max(1, Math.min(maxRowsPerBatch, 4 * limit, fitting))
}

/** Writes rows, one in JSON per line. A number that the database assigned is copied like any other value. */
export async function writeRows(trx: Executor, table: Table, lines: string): Promise<void> {
  const written = sql.join(table.columns.filter((each) => !each.isComputed).map(({ name }) => sql.ref(name)))
  await sql`insert into ${sql.table(table.name)} (${written}) overriding system value
    select ${written} from json_populate_recordset(null::${sql.table(table.name)}, ${`[${lines.replaceAll('\n', ',')}]`}::json)`.execute(
    trx,
  )
}

/** The name of a table that holds rows beside what the migrations made; undefined for an empty stock. */
export async function usedTable(db: Executor, tables: readonly Table[]): Promise<string | undefined> {
  for (const { name } of tables) if (!seededTables.includes(name) && (await hasRows(db, name))) return name
  return undefined
}

/** Number of rows, and the sum of the rows' hashes. */
export type Fingerprint = { readonly rows: number; readonly sum: bigint }

export const isSameFingerprint = (left: Fingerprint, right: Fingerprint): boolean =>
  left.rows === right.rows && left.sum === right.sum

export const fingerprintText = ({ rows, sum }: Fingerprint): string => `${rows} rows, checksum ${sum}`

export async function fingerprint(db: Executor, table: Table): Promise<Fingerprint> {
  let [rows, sum] = [0, 0n]
  for (let after: Key | undefined; ; ) {
    const page = await pageOf(db, table, rowsAfter(table, { after, limit: maxRowsPerBatch }), sql``)
    if (page === undefined) return { rows, sum }
    rows += page.rows
    sum += page.sum
    after = page.last
  }
}

export async function hasRows(db: Kysely<Database>, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from ${sql.table(table)}) as found`.execute(db)
  return rows[0]!.found
}

export async function countRows(db: Kysely<Database>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
  return rows[0]!.count
}

export type SequenceState = { readonly name: string; readonly value: string; readonly isUsed: boolean }

/** The numbers that sequences have reached. */
export async function readSequences(db: Executor): Promise<SequenceState[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'S' order by relname`.execute(db)
  const states: SequenceState[] = []
  for (const { name } of rows) states.push(await sequenceState(db, name))
  return states
}

async function sequenceState(db: Executor, name: string): Promise<SequenceState> {
  const { rows } = await sql<Omit<SequenceState, 'name'>>`
    select last_value::text as value, is_called as "isUsed" from ${sql.table(name)}`.execute(db)
  return { name, ...rows[0]! }
}

/**
 * Numbers that the database assigns continue from there. This is not undone with the transaction: a number is skipped.
 */
export async function setSequence(db: Executor, { name, value, isUsed }: SequenceState): Promise<void> {
  await sql`select setval(${name}::regclass, ${value}::text::bigint, ${isUsed}::boolean)`.execute(db)
  const now = await sequenceState(db, name)
  if (now.value !== value || now.isUsed !== isUsed)
    throw new Error(`the copy of the sequence ${name} stands at ${now.value}, not at ${value}`)
}

/**
 * The kinds of relations that a stock may have: tables, sequences, indexes and what belongs to them; and views, which
 * hold nothing.
 */
const knownKinds: readonly string[] = ['r', 'S', 'i', 't', 'c', 'v']

/** The tables of the stock, first those to which others refer. Throws if a copy would leave something out. */
export async function readTables(db: Executor): Promise<Table[]> {
  const { rows } = await sql<Table & { kind: string; key: Column[] | null; referenced: string[] }>`
    with attribute as (
      select attrelid, attnum, json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
        'isComputed', attgenerated <> '') as described
      from pg_attribute where attnum > 0 and not attisdropped
    )
    select class.relname as name, class.relkind::text as kind,
      class.relpersistence = 'u' as "isUnlogged",
      (select json_agg(described order by attnum) from attribute where attrelid = class.oid) as columns,
      (select json_agg(described order by array_position(conkey, attnum)) from pg_constraint
        join attribute on attrelid = conrelid and attnum = any (conkey)
        where conrelid = class.oid and contype = 'p') as key,
      (select coalesce(json_agg(confrelid::regclass::text), '[]') from pg_constraint
        where conrelid = class.oid and contype = 'f' and confrelid <> conrelid) as referenced
    from pg_class as class
    where class.relnamespace = current_schema()::regnamespace and class.relname not like 'kysely%'
    order by class.relname`.execute(db)
  const strange = rows.find(({ kind }) => !knownKinds.includes(kind))
  if (strange) throw new Error(`a copy does not know what to do with ${strange.name} (relkind ${strange.kind})`)
  const tables = rows.filter(({ kind }) => kind === 'r')
  const keyless = tables.find(({ key }) => key === null)
  if (keyless) throw new Error(`the table ${keyless.name} has no primary key, by which a copy reads it`)
  const ordered: Table[] = []
  const waiting = [...tables]
  while (waiting.length > 0) {
    const index = waiting.findIndex(({ referenced }) =>
      referenced.every((name) => ordered.some((table) => table.name === name)),
    )
    if (index < 0) throw new Error('the tables refer to each other in a circle')
    for (const { name, columns, key, isUnlogged } of waiting.splice(index, 1))
      ordered.push({ name, columns, key: key!, isUnlogged })
  }
  return ordered
}

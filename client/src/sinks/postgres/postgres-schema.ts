// Tables of the PostgreSQL sink, version by version. A version once released is never changed; the next one alters it.
// Columns of new members need no version: tables that lack them get them.

import { SinkError } from '../faults/sink-error.ts'
import { hitColumns, lotColumns, type SqlColumn, tenderColumns } from './postgres-columns.ts'

/** What migrations need of a connection. */
export type Queryable = {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly { [name: string]: unknown }[] }>
}

const quoted = (comment: string): string => `'${comment.replaceAll("'", "''")}'`
const defined = (columns: readonly SqlColumn[]): string => columns.map(({ name, type }) => `${name} ${type}`).join(', ')
const commented = (table: string, columns: readonly SqlColumn[]): string[] =>
  columns.map(({ name, comment }) => `comment on column ${table}.${name} is ${quoted(comment)}`)

/** Tables that belong together, with a table that says which version of them a schema has. */
type TableSet = {
  readonly versionTable: string
  readonly names: readonly string[]
  /** Statements of each version, in order; `s` is the quoted schema. */
  readonly versions: readonly ((s: string) => readonly string[])[]
  /** Tables whose columns follow the record, and where each reads its `r`: SQL of a row of the table `held`. */
  readonly flat: readonly {
    readonly table: string
    readonly columns: readonly SqlColumn[]
    readonly r: (s: string) => string
  }[]
  /** Views of all columns of a table. */
  readonly views: (s: string) => readonly string[]
}

const openView = (s: string): string =>
  `create or replace view ${s}.tender_open as select * from ${s}.tender where archive_reason is null`

const copyVersions: TableSet['versions'] = [
  (s) => [
    `create table ${s}.tender (${defined(tenderColumns)}, record jsonb not null, record_hash numeric not null,
      primary key (id), check (last_modified is not null and status is not null))`,
    `create index on ${s}.tender (submission_date) where archive_reason is null`,
    `create index on ${s}.tender (last_modified)`,
    `create index on ${s}.tender (merged_into) where merged_into is not null`,
    `create table ${s}.tender_lot (tender_id uuid not null references ${s}.tender on delete cascade,
      position integer not null, ${defined(lotColumns)}, primary key (tender_id, position))`,
    ...['tender_cpv', 'tender_nuts'].flatMap((table) => [
      `create table ${s}.${table} (tender_id uuid not null references ${s}.tender on delete cascade,
        lot_id text not null, code text not null, is_lot boolean not null generated always as (lot_id <> '') stored,
        primary key (tender_id, lot_id, code))`,
      `create index on ${s}.${table} (code text_pattern_ops)`,
      `comment on column ${s}.${table}.lot_id is 'The lot of the code; empty: the tender itself'`,
      `comment on column ${s}.${table}.is_lot is 'True: the code belongs to a lot'`,
    ]),
    // Logged on purpose: the state names a cursor after these rows, so they must survive a crash of the server together
    // with it.
    `create table ${s}.sync_staged (id uuid primary key, last_modified timestamptz(3) not null, record jsonb not null,
      record_hash numeric not null)`,
    `create table ${s}.sync_state (is_only boolean primary key default true check (is_only), state json not null)`,
    openView(s),
    `create view ${s}.tender_survivor as
      with recursive step (id, survivor_id, hops) as (
        select id, merged_into, 1 from ${s}.tender where merged_into is not null
        union all
        select step.id, next.merged_into, step.hops + 1
        from step join ${s}.tender next on next.id = step.survivor_id
        where next.merged_into is not null and step.hops < 100
      )
      select distinct on (id) id, survivor_id from step order by id, hops desc`,
    `comment on table ${s}.tender is 'One row per tender; kept by tender-sync, do not write'`,
    `comment on table ${s}.tender_lot is 'Lots of the tenders, in the order of the record'`,
    `comment on table ${s}.tender_cpv is 'CPV codes of the tenders and of their lots, each once per tender or lot'`,
    `comment on table ${s}.tender_nuts is 'NUTS codes of the tenders and of their lots, each once per tender or lot'`,
    `comment on view ${s}.tender_open is 'Tenders that are not archived'`,
    `comment on view ${s}.tender_survivor is 'For every merged tender, the survivor at the end of the chain'`,
    ...commented(`${s}.tender`, tenderColumns),
    `comment on column ${s}.tender.record is 'The whole record as delivered'`,
    `comment on column ${s}.tender.record_hash is 'SHA-256 of the record without checkedAt as canonical JSON, a number of 256 bits'`,
    ...commented(`${s}.tender_lot`, lotColumns),
    `comment on column ${s}.tender_lot.position is 'Position of the lot in the record, from 0'`,
  ],
  (s) => [
    `create table ${s}.sync_run (is_only boolean primary key default true check (is_only), token uuid,
      alive_until timestamptz, pid integer)`,
    `insert into ${s}.sync_run default values`,
    `comment on table ${s}.sync_run is 'The run that writes, if there is one: nobody else may until it ends or is not heard of'`,
  ],
  (s) => [
    `alter table ${s}.sync_run add column removed text[] not null default '{}'`,
    `comment on column ${s}.sync_run.removed is 'Statements that bring back the keys and indexes that a first load has removed'`,
  ],
]

/** Indexes of `copyVersions` that hold no key, by the names that the server gives them. */
export const plainIndexes = [
  'tender_submission_date_idx',
  'tender_last_modified_idx',
  'tender_merged_into_idx',
  'tender_cpv_code_idx',
  'tender_nuts_code_idx',
] as const

const copyTables: TableSet = {
  versionTable: 'sync_version',
  names: ['tender', 'tender_lot', 'tender_cpv', 'tender_nuts', 'sync_staged', 'sync_state', 'sync_run', 'sync_version'],
  versions: copyVersions,
  flat: [
    { table: 'tender', columns: tenderColumns, r: () => 'held.record' },
    {
      table: 'tender_lot',
      columns: lotColumns,
      r: (s) => `(select record -> 'lots' -> held.position from ${s}.tender where id = held.tender_id)`,
    },
  ],
  views: (s) => [openView(s)],
}

const hitTables: TableSet = {
  versionTable: 'sync_hit_version',
  names: ['hit', 'sync_hit_version'],
  versions: [
    (s) => [
      `create table ${s}.hit (${defined(hitColumns)}, body jsonb not null, primary key (hit_id),
        check (tender_last_modified is not null and type is not null))`,
      `create index on ${s}.hit (tender_id)`,
      `create index on ${s}.hit (first_received_at)`,
      `comment on table ${s}.hit is 'One row per hit of a saved search; kept by tender-sync webhooks, do not write'`,
      ...commented(`${s}.hit`, hitColumns),
      `comment on column ${s}.hit.body is 'The message as it was sent'`,
    ],
  ],
  flat: [{ table: 'hit', columns: hitColumns, r: () => 'held.body' }],
  views: () => [],
}

/** Throws a SinkError if the schema holds something with one of our names that is not ours. */
async function refuseForeignTables(
  client: Queryable,
  schema: string,
  { names, versionTable }: TableSet,
): Promise<void> {
  const { rows } = await client.query(
    `select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = $1 and relname = any($2) order by relname`,
    [schema, [...names]],
  )
  const found = rows.map(({ relname }) => String(relname))
  if (found.length > 0 && !found.includes(versionTable))
    throw new SinkError(
      `The schema ${schema} holds a table ${found[0]} that this sink did not create: choose another schema (--option schema=<name>). Nothing was changed.`,
    )
}

/** Adds the columns of members that the tables of an older version do not have, with the values of their records. */
async function addMissingColumns(client: Queryable, schema: string, { flat, views }: TableSet): Promise<void> {
  const s = `"${schema}"`
  const { rows } = await client.query(
    `select relname, attname from pg_attribute join pg_class on pg_class.oid = attrelid
       join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = $1 and relname = any($2) and attnum > 0 and not attisdropped`,
    [schema, flat.map(({ table }) => table)],
  )
  const present = new Set(rows.map(({ relname, attname }) => `${relname}.${attname}`))
  let isChanged = false
  for (const { table, columns, r } of flat) {
    const missing = columns.filter(({ name }) => !present.has(`${table}.${name}`))
    if (missing.length === 0) continue
    isChanged = true
    const [added, given] = [
      missing.map(({ name, type }) => `add column ${name} ${type}`),
      missing.map(({ name, from }) => `${name} = (select ${from} from (select ${r(s)} as r) as given)`),
    ]
    await client.query(`alter table ${s}.${table} ${added.join(', ')}`)
    await client.query(`update ${s}.${table} as held set ${given.join(', ')}`)
    for (const comment of commented(`${s}.${table}`, missing)) await client.query(comment)
  }
  if (isChanged) for (const view of views(s)) await client.query(view)
}

/** Creates the schema and the tables of the copy, or migrates them to this version. */
export const migratePostgres = (client: Queryable, schema: string): Promise<void> => migrate(client, schema, copyTables)

/** The same for the table of the hits. */
export const migratePostgresHits = (client: Queryable, schema: string): Promise<void> =>
  migrate(client, schema, hitTables)

/**
 * Migrates the tables to this version, in one transaction; two processes that start together wait for each other.
 *
 * @throws SinkError if the tables were made by a newer version of this package.
 */
async function migrate(client: Queryable, schema: string, tables: TableSet): Promise<void> {
  const { versionTable, versions } = tables
  const s = `"${schema}"`
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`tender-sync migrate ${schema}`])
    // Checked first: an account without the right to create schemas may use an existing one.
    const { rows } = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
    if (rows.length === 0) await client.query(`create schema ${s}`)
    await refuseForeignTables(client, schema, tables)
    await client.query(
      `create table if not exists ${s}.${versionTable} (version integer primary key, applied_at timestamptz not null default now())`,
    )
    const found = await client.query(`select coalesce(max(version), 0) as version from ${s}.${versionTable}`)
    const version = Number(found.rows[0]?.version)
    if (version > versions.length)
      throw new SinkError(
        `The schema ${schema} has version ${version}; this @tenderstock/client knows ${versions.length}: update it.`,
      )
    for (let next = version; next < versions.length; next++) {
      for (const statement of versions[next]?.(s) ?? []) await client.query(statement)
      await client.query(`insert into ${s}.${versionTable} (version) values ($1)`, [next + 1])
    }
    await addMissingColumns(client, schema, tables)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

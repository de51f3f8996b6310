// The statements of the PostgreSQL sink: records into the tables of tenders, lots and codes, or into the staging of a
// first run. All run in the transaction that the sink has begun.
import type { CopyDigest } from '../../sync/copy-digest.ts'
import type { SeenRecord } from '../../sync/sink.ts'
import type { TenderRecord } from '../../types.ts'
import { recordHash } from '../record/record-hash.ts'
import { storable } from '../record/record-json.ts'
import { lotColumns, tenderColumns } from './postgres-columns.ts'
import type { PostgresConnection } from './postgres-connection.ts'

const batchSize = 1000

const names = tenderColumns.map(({ name }) => name).join(', ')
const values = tenderColumns.map(({ from }) => from).join(', ')
const changes = [...tenderColumns.map(({ name }) => name).filter((name) => name !== 'id'), 'record', 'record_hash']
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')

/** Refuses anything older (G5), and anything that is held already (C159). */
const isNews = `(excluded.last_modified > held.last_modified
  or excluded.last_modified = held.last_modified and excluded.record_hash <> held.record_hash)`

/** Records as parameters of the statements: their JSON, and their hashes as numbers. */
function parametersOf(records: readonly TenderRecord[]): readonly [documents: string[], hashes: string[]] {
  const stored = records.map(storable)
  return [stored.map(({ json }) => json), stored.map(({ record }) => BigInt(`0x${recordHash(record)}`).toString())]
}

/** SQL that reads the parameters of `parametersOf` as `r` and `h`; nothing is stored yet. */
const givenRecords =
  'select document::jsonb as r, null::jsonb as stored, hash as h from unnest($1::text[], $2::numeric[]) as given (document, hash)'

const lotNames = lotColumns.map(({ name }) => name).join(', ')

/** The rows of the child tables that the records in `tender` must have, as SQL with the ids as $1. */
const childRows = (
  schema: string,
): { readonly [table: string]: { readonly names: string; readonly rows: string } } => ({
  tender_lot: {
    names: `tender_id, position, ${lotNames}`,
    rows: `select tender.id, (position - 1)::integer, ${lotColumns.map(({ from }) => from).join(', ')}
      from ${schema}.tender, jsonb_array_elements(record -> 'lots') with ordinality as lot (r, position)
      where tender.id = any($1::uuid[])`,
  },
  tender_cpv: { names: 'tender_id, lot_id, code', rows: codeRows(schema, 'cpvCodes') },
  tender_nuts: { names: 'tender_id, lot_id, code', rows: codeRows(schema, 'nutsCodes') },
})

const codeRows = (schema: string, member: string): string =>
  `select distinct tender.id, lot_id, code from ${schema}.tender, lateral (
     select '', own from jsonb_array_elements_text(record -> '${member}') own
     union all
     select lot ->> 'lotId', code from jsonb_array_elements(record -> 'lots') lot,
       jsonb_array_elements_text(lot -> '${member}') code
   ) as placed (lot_id, code) where tender.id = any($1::uuid[])`

/** The newest version of each id: one statement may touch a row only once. */
function newestById(records: readonly TenderRecord[]): TenderRecord[] {
  const newest = new Map<string, TenderRecord>()
  for (const record of records) {
    const other = newest.get(record.id)
    if (!other || record.lastModified > other.lastModified) newest.set(record.id, record)
  }
  return [...newest.values()]
}

export class PostgresTables {
  readonly #rows: PostgresConnection['rows']
  /** The schema's name in quotes. */
  readonly #schema: string

  constructor(rows: PostgresConnection['rows'], schema: string) {
    this.#rows = rows
    this.#schema = schema
  }

  /** Puts records into the staging or, guarded against older versions (G5), into the tables. */
  async put(
    records: readonly TenderRecord[],
    { isStaging, isKnownOnly }: { readonly isStaging: boolean; readonly isKnownOnly: boolean },
  ): Promise<void> {
    const newest = newestById(records)
    for (let from = 0; from < newest.length; from += batchSize) {
      const parameters = parametersOf(newest.slice(from, from + batchSize))
      if (isStaging) await this.#stage(parameters, isKnownOnly)
      else await this.#write(`${givenRecords} offset 0`, parameters, { isKnownOnly })
    }
  }

  async emptyStaging(): Promise<void> {
    await this.#rows(`delete from ${this.#schema}.sync_staged`)
  }

  /**
   * Puts the records of `source` into the tables; `when` refuses anything older (G5). `source` is SQL with the columns
   * `r`, `h` and `stored`: the record as another table stores it compressed, or null.
   */
  async #write(
    source: string,
    parameters: readonly unknown[],
    { isKnownOnly = false, when = isNews } = {},
  ): Promise<void> {
    const known = isKnownOnly
      ? `and exists (select from ${this.#schema}.tender known where known.id = (r ->> 'id')::uuid)`
      : ''
    // Materialized: otherwise the planner would parse (or decompress) the record once for each of the columns. Records
    // that the guard refuses are left out before their columns are made, which makes redelivery cheap.
    const written = await this.#rows<{ id: string; created: boolean }>(
      `with incoming as materialized (
         select r, stored, h from (${source}) as source
         where not exists (
           select from ${this.#schema}.tender held, lateral (
             select (r ->> 'lastModified')::timestamptz as last_modified, r as record, h as record_hash) excluded
           where held.id = (r ->> 'id')::uuid and not (${when})
         ) ${known}
       )
       insert into ${this.#schema}.tender as held (${names}, record, record_hash)
       select ${values}, coalesce(stored, r), h from incoming
       on conflict (id) do update set ${changes} where ${when}
       returning id, xmax = 0 as created`,
      parameters,
    )
    const changed = written.filter(({ created }) => !created).map(({ id }) => id)
    if (changed.length > 0)
      for (const table of ['tender_lot', 'tender_cpv', 'tender_nuts'])
        await this.#rows(`delete from ${this.#schema}.${table} where tender_id = any($1::uuid[])`, [changed])
    if (written.length > 0) await this.#writeChildren(written.map(({ id }) => id))
  }

  async #writeChildren(ids: readonly string[]): Promise<void> {
    for (const [table, { names: columns, rows }] of Object.entries(childRows(this.#schema)))
      await this.#rows(`insert into ${this.#schema}.${table} (${columns}) ${rows}`, [ids])
  }

  async #stage(parameters: readonly unknown[], isKnownOnly: boolean): Promise<void> {
    const known = isKnownOnly
      ? `where exists (select from ${this.#schema}.sync_staged held where held.id = (r ->> 'id')::uuid)`
      : ''
    await this.#rows(
      `insert into ${this.#schema}.sync_staged as held (id, last_modified, record, record_hash)
       select (r ->> 'id')::uuid, (r ->> 'lastModified')::timestamptz, r, h from (${givenRecords}) as incoming ${known}
       on conflict (id) do update
       set last_modified = excluded.last_modified, record = excluded.record, record_hash = excluded.record_hash
       where ${isNews}`,
      parameters,
    )
  }

  /** Summed up by the database, from the hash beside each record. */
  async digest(isStaging: boolean): Promise<CopyDigest> {
    const [table, isOpen] = isStaging
      ? ['sync_staged', "record ->> 'archiveReason' is null"]
      : ['tender', 'archive_reason is null']
    const [sums] = await this.#rows<{ records: string; open: string; all: string; newest: string | null }>(
      `select count(*) as records, coalesce(sum(record_hash) filter (where ${isOpen}), 0)::text as open,
         coalesce(sum(record_hash), 0)::text as all,
         to_char(max(last_modified) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as newest
       from ${this.#schema}.${table}`,
    )
    const digits = (sum: string): string => (BigInt(sum) % (1n << 256n)).toString(16).padStart(64, '0')
    return {
      records: Number(sums!.records),
      open: digits(sums!.open),
      all: digits(sums!.all),
      ...(sums!.newest !== null && { newest: sums!.newest }),
    }
  }

  /** Yields every record, and whether all rows agree with it: the database compares. */
  async *seen(): AsyncGenerator<SeenRecord> {
    const isDifferent = tenderColumns.map(({ name, from }) => `tender.${name} is distinct from (${from})`).join(' or ')
    for (let after: string | undefined; ; ) {
      const rows = await this.#rows<{
        id: string
        lastModified: string
        status: string
        record: TenderRecord
        hash: string
        isDifferent: boolean
      }>(
        `select tender.id, to_char(tender.last_modified at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "lastModified",
           tender.status, record, record_hash::text as hash, (${isDifferent}) as "isDifferent"
         from ${this.#schema}.tender, lateral (select record as r) as given
         where $1::uuid is null or tender.id > $1 order by tender.id limit ${batchSize}`,
        [after ?? null],
      )
      const ids = rows.map(({ id }) => id)
      const wrong = await this.#idsOfWrongChildren(ids)
      for (const { id, lastModified, status, record, hash, isDifferent: isWrong } of rows) {
        const isRight = !isWrong && !wrong.has(id) && BigInt(hash) === BigInt(`0x${recordHash(record)}`)
        yield { id, lastModified, status, record, content: isRight ? recordHash(record) : 'damaged' }
      }
      after = ids.at(-1)
      if (after === undefined) return
    }
  }

  async #idsOfWrongChildren(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const wrong = new Set<string>()
    for (const [table, { names: columns, rows }] of Object.entries(childRows(this.#schema))) {
      const held = `select ${columns} from ${this.#schema}.${table} where tender_id = any($1::uuid[])`
      const found = await this.#rows<{ id: string }>(
        `select distinct id from ((${rows} except ${held}) union all (${held} except ${rows})) as differing (id)`,
        [ids],
      )
      for (const { id } of found) wrong.add(id)
    }
    return wrong
  }

  /** Moves staged rows into the tables, within the transaction that saves the state. */
  async applyStaged(): Promise<void> {
    await this.#rows(
      `delete from ${this.#schema}.tender where not exists (select from ${this.#schema}.sync_staged staged where staged.id = tender.id)`,
    )
    for (let after: string | undefined; ; ) {
      const ids = await this.#rows<{ id: string }>(
        `select id from ${this.#schema}.sync_staged where $1::uuid is null or id > $1 order by id limit ${batchSize}`,
        [after ?? null],
      )
      if (ids.length === 0) break
      await this.#write(
        `select record || '{}' as r, record as stored, record_hash as h from ${this.#schema}.sync_staged where id = any($1::uuid[])`,
        [ids.map(({ id }) => id)],
        // The new copy replaces the old one, whatever that held; equal rows are not written.
        { when: '(excluded.record <> held.record or excluded.record_hash <> held.record_hash)' },
      )
      after = ids.at(-1)?.id
    }
    await this.emptyStaging()
  }
}

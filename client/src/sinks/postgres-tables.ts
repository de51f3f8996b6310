// The statements of the PostgreSQL sink: records into the tables of tenders, lots and codes, or into the staging of a
// first run. All run in the transaction that the sink has begun.
import type { TenderRecord } from '../types.ts'
import { lotColumns, tenderColumns } from './postgres-columns.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { storableJson } from './record-json.ts'

const batchSize = 1000

const names = tenderColumns.map(({ name }) => name).join(', ')
const values = tenderColumns.map(({ from }) => from).join(', ')
const changes = [...tenderColumns.map(({ name }) => name).filter((name) => name !== 'id'), 'record']
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')

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
      const documents = newest.slice(from, from + batchSize).map(storableJson)
      if (isStaging) await this.#stage(documents, isKnownOnly)
      else
        await this.#write('select document::jsonb as r from unnest($1::text[]) as document offset 0', [documents], {
          isKnownOnly,
        })
    }
  }

  async emptyStaging(): Promise<void> {
    await this.#rows(`delete from ${this.#schema}.sync_staged`)
  }

  /** Puts the records of `source` (SQL with a column `r`) into the tables; `when` lets nothing older through (G5). */
  async #write(
    source: string,
    parameters: readonly unknown[],
    { isKnownOnly = false, when = 'excluded.last_modified > held.last_modified' } = {},
  ): Promise<void> {
    const known = isKnownOnly
      ? `and exists (select from ${this.#schema}.tender known where known.id = (r ->> 'id')::uuid)`
      : ''
    // Materialized: else the planner would parse (or decompress) the record once for each of the columns. What the guard
    // is going to refuse is left out before its columns are made, which makes redelivery cheap.
    const written = await this.#rows<{ id: string; created: boolean }>(
      `with incoming as materialized (
         select r from (${source}) as source
         where not exists (
           select from ${this.#schema}.tender held, lateral (select (r ->> 'lastModified')::timestamptz as last_modified, r as record) excluded
           where held.id = (r ->> 'id')::uuid and not (${when})
         ) ${known}
       )
       insert into ${this.#schema}.tender as held (${names}, record)
       select ${values}, r from incoming
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
    await this.#rows(
      `insert into ${this.#schema}.tender_lot (tender_id, position, ${lotColumns.map(({ name }) => name).join(', ')})
       select tender.id, position - 1, ${lotColumns.map(({ from }) => from).join(', ')}
       from ${this.#schema}.tender, jsonb_array_elements(record -> 'lots') with ordinality as lot (r, position)
       where tender.id = any($1::uuid[])`,
      [ids],
    )
    for (const [table, member] of [
      ['tender_cpv', 'cpvCodes'],
      ['tender_nuts', 'nutsCodes'],
    ])
      await this.#rows(
        `insert into ${this.#schema}.${table} (tender_id, lot_id, code)
         select distinct tender.id, lot_id, code from ${this.#schema}.tender, lateral (
           select '', own from jsonb_array_elements_text(record -> '${member}') own
           union all
           select lot ->> 'lotId', code from jsonb_array_elements(record -> 'lots') lot,
             jsonb_array_elements_text(lot -> '${member}') code
         ) as placed (lot_id, code) where tender.id = any($1::uuid[])`,
        [ids],
      )
  }

  async #stage(documents: readonly string[], isKnownOnly: boolean): Promise<void> {
    const known = isKnownOnly
      ? `where exists (select from ${this.#schema}.sync_staged held where held.id = (r ->> 'id')::uuid)`
      : ''
    await this.#rows(
      `insert into ${this.#schema}.sync_staged as held (id, last_modified, record)
       select (r ->> 'id')::uuid, (r ->> 'lastModified')::timestamptz, r
       from (select document::jsonb as r from unnest($1::text[]) as document) as incoming ${known}
       on conflict (id) do update set last_modified = excluded.last_modified, record = excluded.record
       where excluded.last_modified > held.last_modified`,
      [documents],
    )
  }

  /** What was staged becomes the content of the tables, within the transaction that saves the state. */
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
        `select record || '{}' as r from ${this.#schema}.sync_staged where id = any($1::uuid[])`,
        [ids.map(({ id }) => id)],
        // The new copy takes the place of the old one, whatever that held; equal rows are left alone.
        { when: 'excluded.record <> held.record' },
      )
      after = ids.at(-1)?.id
    }
    await this.emptyStaging()
  }
}

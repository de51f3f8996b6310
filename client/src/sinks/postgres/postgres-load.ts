// A first load from files into empty tables: rows go straight into them by COPY, in one transaction, whose end shows
// them. Meanwhile the tables have no foreign keys and none of the sink's own indexes that hold no key: the server would
// look after them for each row.
import type { TenderRecord } from '../../types.ts'
import type { FlatColumn, FlatValue } from '../record/flat-column.ts'
import { cpvOf, lotColumns, lotsOf, nutsOf, tenderColumns } from '../record/flat-tender.ts'
import { recordHash } from '../record/record-hash.ts'
import { storable } from '../record/record-json.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { plainIndexes } from './postgres-schema.ts'

/** Bytes that are sent at a time. */
const batchBytes = 4 << 20

const childTables = ['tender_lot', 'tender_cpv', 'tender_nuts'] as const
const namesOf = <T>(columns: readonly FlatColumn<T>[]): string => columns.map(({ name }) => name).join(', ')
const columnsOf = {
  tender: `${namesOf(tenderColumns)}, record, record_hash`,
  tender_lot: namesOf(lotColumns),
  tender_cpv: 'tender_id, lot_id, code',
  tender_nuts: 'tender_id, lot_id, code',
} as const
type Table = keyof typeof columnsOf
const tables = Object.keys(columnsOf) as Table[]

const special = /[\\\n\r\t]/
const escapes: { readonly [character: string]: string } = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const escaped = (text: string): string =>
  special.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => escapes[character]!) : text

/** A value as COPY reads it. */
const copied = (value: FlatValue): string => (value === null ? '\\N' : escaped(String(value)))

function rowOf<T>(columns: readonly FlatColumn<T>[], of: T): string {
  let row = ''
  for (const [at, column] of columns.entries()) row += at === 0 ? copied(column.of(of)) : `\t${copied(column.of(of))}`
  return row
}

/** Text as bytes, in memory that is used again and again. */
class Bytes {
  #bytes = Buffer.allocUnsafe(1 << 16)
  length = 0

  add(text: string): void {
    // a code unit takes at most three bytes
    const needed = this.length + text.length * 3
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, this.length)
      this.#bytes = larger
    }
    this.length += this.#bytes.write(text, this.length)
  }

  get all(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }
}

/** Rows of some records, as COPY reads them. */
class Rows {
  readonly of: { readonly [table in Table]: Bytes } = {
    tender: new Bytes(),
    tender_lot: new Bytes(),
    tender_cpv: new Bytes(),
    tender_nuts: new Bytes(),
  }
  /** `lastModified` by id. */
  readonly times = new Map<string, string>()

  get length(): number {
    return this.of.tender.length
  }

  add(delivered: TenderRecord): void {
    const { record, json } = storable(delivered)
    const { id, lastModified } = record
    const { tender, tender_lot: lots, tender_cpv: cpv, tender_nuts: nuts } = this.of
    tender.add(`${rowOf(tenderColumns, record)}\t`)
    tender.add(escaped(json))
    tender.add(`\t${BigInt(`0x${recordHash(record)}`)}\n`)
    for (const lot of lotsOf(record)) lots.add(`${rowOf(lotColumns, lot)}\n`)
    for (const { lotId, code } of cpvOf(record)) cpv.add(`${id}\t${escaped(lotId)}\t${escaped(code)}\n`)
    for (const { lotId, code } of nutsOf(record)) nuts.add(`${id}\t${escaped(lotId)}\t${escaped(code)}\n`)
    this.times.set(id, lastModified)
  }

  clear(): void {
    this.times.clear()
    for (const bytes of Object.values(this.of)) bytes.length = 0
  }
}

export class PostgresLoad {
  readonly #connection: Pick<PostgresConnection, 'rows' | 'copyIn'>
  /** The schema's name in quotes. */
  readonly #schema: string
  #waiting = new Rows()
  /** What the server works on while the next rows are made. */
  #sent = new Rows()
  #sending: Promise<void> = Promise.resolve()
  /** The largest `lastModified` of what was sent. */
  #sentUpTo = ''

  constructor(connection: Pick<PostgresConnection, 'rows' | 'copyIn'>, schema: string) {
    this.#connection = connection
    this.#schema = schema
  }

  /** Puts records into the tables, never older ones in place of newer ones (G5). */
  async put(records: readonly TenderRecord[], isKnownOnly: boolean): Promise<void> {
    // they come in the order of their times: few can be older than one that was sent
    const inQuestion = isKnownOnly ? records : records.filter(({ lastModified }) => lastModified <= this.#sentUpTo)
    const held = inQuestion.length === 0 ? undefined : await this.held(inQuestion.map(({ id }) => id))
    for (const record of records) {
      const { id, lastModified } = record
      const known = this.#waiting.times.get(id) ?? held?.get(id)
      if (known === undefined ? isKnownOnly : known > lastModified) continue
      if (this.#waiting.times.has(id)) await this.#send()
      this.#waiting.add(record)
    }
    if (this.#waiting.length >= batchBytes) await this.#send()
  }

  /** `lastModified` by id of the records that were put. */
  async held(ids: readonly string[]): Promise<Map<string, string>> {
    const { times } = this.#waiting
    const held = await this.#written(ids.filter((id) => !times.has(id)))
    for (const id of ids) if (times.has(id)) held.set(id, times.get(id)!)
    return held
  }

  /** All that was put is in the tables when it resolves. */
  async flush(): Promise<void> {
    await this.#send()
    await this.#sending
  }

  async #written(ids: readonly string[]): Promise<Map<string, string>> {
    await this.#sending
    if (ids.length === 0) return new Map()
    const found = await this.#connection.rows<{ id: string; modified: Date }>(
      `select id, last_modified as modified from ${this.#schema}.tender where id = any($1::uuid[])`,
      [ids],
    )
    return new Map(found.map(({ id, modified }) => [id, modified.toISOString()]))
  }

  async #send(): Promise<void> {
    const rows = this.#waiting
    if (rows.times.size === 0) return
    const older = [...(await this.#written([...rows.times.keys()])).keys()]
    if (older.length > 0) await this.#remove(older)
    this.#waiting = this.#sent
    this.#waiting.clear()
    this.#sent = rows
    for (const lastModified of rows.times.values()) if (lastModified > this.#sentUpTo) this.#sentUpTo = lastModified
    this.#sending = this.#copy(rows)
    // whoever waits for it next hears of it
    this.#sending.catch(() => {})
  }

  async #copy({ of }: Rows): Promise<void> {
    for (const table of tables)
      if (of[table].length > 0)
        await this.#connection.copyIn(`copy ${this.#schema}.${table} (${columnsOf[table]}) from stdin`, of[table].all)
  }

  async #remove(ids: readonly string[]): Promise<void> {
    for (const table of childTables)
      await this.#connection.rows(`delete from ${this.#schema}.${table} where tender_id = any($1::uuid[])`, [ids])
    await this.#connection.rows(`delete from ${this.#schema}.tender where id = any($1::uuid[])`, [ids])
  }
}

/** How long readers may make the removal of keys wait. */
const lockMs = 2000

/**
 * Removes the foreign keys of the child tables, and the own indexes that hold no key, and notes how they come back.
 * Indexes of others stay, and an own one that somebody commented, moved or marked, which its definition does not say.
 * Throws where a reader does not let go of the tables.
 */
export async function removeKeys(rows: PostgresConnection['rows'], schema: string): Promise<void> {
  await rows(`select set_config('lock_timeout', '${lockMs}', true)`)
  const own = tables.map((table) => `'${schema}.${table}'::regclass`).join(', ')
  const found = await rows<{ removal: string; back: string }>(
    `select format('alter table ${schema}.%I drop constraint %I', relname, conname) as removal,
       format('alter table ${schema}.%I add constraint %I foreign key (tender_id) references ${schema}.tender on delete cascade',
         relname, conname) as back
     from pg_constraint join pg_class on pg_class.oid = conrelid
     where contype = 'f' and conrelid in (${own}) and confrelid = '${schema}.tender'::regclass and conname = relname || '_tender_id_fkey'
     union all
     select format('drop index ${schema}.%I', relname), pg_get_indexdef(indexrelid)
     from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid in (${own}) and relname = any($1) and not indisunique and not indisexclusion and indisvalid
       and not indisclustered and reltablespace = 0 and obj_description(indexrelid, 'pg_class') is null`,
    [plainIndexes],
  )
  for (const { removal } of found) await rows(removal)
  await rows(`update ${schema}.sync_run set removed = removed || $1::text[]`, [found.map(({ back }) => back)])
}

/** Brings back what was removed, if anything was. */
export async function restoreKeys(rows: PostgresConnection['rows'], schema: string): Promise<void> {
  const [run] = await rows<{ removed: string[] }>(`select removed from ${schema}.sync_run`)
  if (!run || run.removed.length === 0) return
  for (const statement of run.removed) await rows(statement)
  await rows(`update ${schema}.sync_run set removed = '{}'`)
}

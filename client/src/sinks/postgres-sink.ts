// Syncs into PostgreSQL 13 or newer: a table of tenders with the whole record and flat columns, tables of lots, CPV and
// NUTS codes. The state is in the same database and moves in the same transaction, so a crash repeats and loses nothing.
import { type Merge, type Run, StagingLostError, type StateStore, type SyncState } from '../sync/sink.ts'
import { parseState } from '../sync/sync-state.ts'
import type { TenderRecord } from '../types.ts'
import { disposable, type OpenSink } from './disposable.ts'
import { lotColumns, tenderColumns } from './postgres-columns.ts'
import { checkedName, postgresConnection } from './postgres-connection.ts'
import { migratePostgres } from './postgres-schema.ts'
import { storableJson } from './record-json.ts'
import { SinkBusyError, SinkError } from './sink-error.ts'

export type PostgresSinkOptions = {
  /** `postgres://user:password@host:5432/database`; what it leaves out comes from the PG… variables, as in psql. */
  readonly connectionString: string
  /** Default `tenderstock`. Letters, digits and underscores. The account needs CREATE on it (or on the database). */
  readonly schema?: string
  /**
   * Columns of your own tables that hold ids of tenders, as `schema.table.column`: when a tender turns out to be another
   * one, they are pointed to the one that remains, in the same transaction.
   */
  readonly repoint?: readonly string[]
}

/** A sink that always keeps the state itself. */
export type PostgresSink = OpenSink & { readonly state: StateStore }

const batchSize = 1000
const instantText = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The newest version of each id: one statement may touch a row only once. */
function newestById(records: readonly TenderRecord[]): TenderRecord[] {
  const newest = new Map<string, TenderRecord>()
  for (const record of records) {
    const other = newest.get(record.id)
    if (!other || record.lastModified > other.lastModified) newest.set(record.id, record)
  }
  return [...newest.values()]
}

/** Opens the sink; connects when it is first used. */
export function openPostgresSink(options: PostgresSinkOptions): PostgresSink {
  const schema = checkedName(options.schema ?? 'tenderstock', 'The schema')
  const s = `"${schema}"`
  const repoint = (options.repoint ?? []).map((path) => {
    const parts = path.split('.').map((part) => `"${checkedName(part, 'The part of repoint')}"`)
    if (parts.length < 2 || parts.length > 3) throw new SinkError(`repoint ${path} must be schema.table.column.`)
    return { table: parts.slice(0, -1).join('.'), column: parts.at(-1) as string }
  })
  let isInTransaction = false
  let hasLock = false
  let run: Run | undefined
  let isRunLost = false
  const { rows, end } = postgresConnection({
    connectionString: options.connectionString,
    setUp: (client) => migratePostgres(client, schema),
    onLost: () => {
      // What the transaction held is gone, and the lock with it: this run must not continue with another connection.
      isRunLost = run !== undefined
      isInTransaction = false
      hasLock = false
    },
  })

  function checkRun(): void {
    if (isRunLost) throw new SinkError('The connection to PostgreSQL was lost during the run; the next run repeats it.')
  }

  async function inTransaction(): Promise<void> {
    checkRun()
    if (isInTransaction) return
    await rows('begin')
    isInTransaction = true
  }

  async function rollBack(): Promise<void> {
    if (!isInTransaction) return
    await rows('rollback')
    isInTransaction = false
  }

  async function lock(): Promise<void> {
    if (hasLock) return
    const [found] = await rows<{ locked: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [
      `tender-sync ${schema}`,
    ])
    if (!found?.locked)
      throw new SinkBusyError(
        `Another tender-sync writes into the schema ${schema}; wait for it or use another schema.`,
      )
    hasLock = true
  }

  async function unlock(): Promise<void> {
    if (!hasLock) return
    await rows('select pg_advisory_unlock(hashtextextended($1, 0))', [`tender-sync ${schema}`])
    hasLock = false
  }

  const names = tenderColumns.map(({ name }) => name).join(', ')
  const values = tenderColumns.map(({ from }) => from).join(', ')
  const changes = [...tenderColumns.map(({ name }) => name).filter((name) => name !== 'id'), 'record']
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')

  /** Puts the records of `source` (SQL with a column `r`) into the tables; `when` lets nothing older through (G5). */
  async function write(
    source: string,
    parameters: readonly unknown[],
    { isKnownOnly = false, when = 'excluded.last_modified > held.last_modified' } = {},
  ): Promise<void> {
    const known = isKnownOnly ? `and exists (select from ${s}.tender known where known.id = (r ->> 'id')::uuid)` : ''
    // Materialized: else the planner would parse (or decompress) the record once for each of the columns. What the guard
    // is going to refuse is left out before its columns are made, which makes redelivery cheap.
    const written = await rows<{ id: string; created: boolean }>(
      `with incoming as materialized (
         select r from (${source}) as source
         where not exists (
           select from ${s}.tender held, lateral (select (r ->> 'lastModified')::timestamptz as last_modified, r as record) excluded
           where held.id = (r ->> 'id')::uuid and not (${when})
         ) ${known}
       )
       insert into ${s}.tender as held (${names}, record)
       select ${values}, r from incoming
       on conflict (id) do update set ${changes} where ${when}
       returning id, xmax = 0 as created`,
      parameters,
    )
    const changed = written.filter(({ created }) => !created).map(({ id }) => id)
    if (changed.length > 0)
      for (const table of ['tender_lot', 'tender_cpv', 'tender_nuts'])
        await rows(`delete from ${s}.${table} where tender_id = any($1::uuid[])`, [changed])
    if (written.length > 0) await writeChildren(written.map(({ id }) => id))
  }

  async function writeChildren(ids: readonly string[]): Promise<void> {
    await rows(
      `insert into ${s}.tender_lot (tender_id, position, ${lotColumns.map(({ name }) => name).join(', ')})
       select tender.id, position - 1, ${lotColumns.map(({ from }) => from).join(', ')}
       from ${s}.tender, jsonb_array_elements(record -> 'lots') with ordinality as lot (r, position)
       where tender.id = any($1::uuid[])`,
      [ids],
    )
    for (const [table, member] of [
      ['tender_cpv', 'cpvCodes'],
      ['tender_nuts', 'nutsCodes'],
    ])
      await rows(
        `insert into ${s}.${table} (tender_id, lot_id, code)
         select distinct tender.id, lot_id, code from ${s}.tender, lateral (
           select '', own from jsonb_array_elements_text(record -> '${member}') own
           union all
           select lot ->> 'lotId', code from jsonb_array_elements(record -> 'lots') lot,
             jsonb_array_elements_text(lot -> '${member}') code
         ) as placed (lot_id, code) where tender.id = any($1::uuid[])`,
        [ids],
      )
  }

  async function stage(documents: readonly string[], isKnownOnly: boolean): Promise<void> {
    const known = isKnownOnly
      ? `where exists (select from ${s}.sync_staged held where held.id = (r ->> 'id')::uuid)`
      : ''
    await rows(
      `insert into ${s}.sync_staged as held (id, last_modified, record)
       select (r ->> 'id')::uuid, (r ->> 'lastModified')::timestamptz, r
       from (select document::jsonb as r from unnest($1::text[]) as document) as incoming ${known}
       on conflict (id) do update set last_modified = excluded.last_modified, record = excluded.record
       where excluded.last_modified > held.last_modified`,
      [documents],
    )
  }

  async function put(records: readonly TenderRecord[], isKnownOnly: boolean): Promise<void> {
    if (!run) throw new Error('begin() comes first')
    if (records.length === 0) return
    await inTransaction()
    const newest = newestById(records)
    for (let from = 0; from < newest.length; from += batchSize) {
      const documents = newest.slice(from, from + batchSize).map(storableJson)
      if (run.kind === 'first') await stage(documents, isKnownOnly)
      else
        await write('select document::jsonb as r from unnest($1::text[]) as document offset 0', [documents], {
          isKnownOnly,
        })
    }
  }

  /** What was staged becomes the content of the tables, within the transaction that saves the state. */
  async function applyStaged(): Promise<void> {
    await rows(
      `delete from ${s}.tender where not exists (select from ${s}.sync_staged staged where staged.id = tender.id)`,
    )
    for (let after: string | undefined; ; ) {
      const ids = await rows<{ id: string }>(
        `select id from ${s}.sync_staged where $1::uuid is null or id > $1 order by id limit ${batchSize}`,
        [after ?? null],
      )
      if (ids.length === 0) break
      await write(
        `select record || '{}' as r from ${s}.sync_staged where id = any($1::uuid[])`,
        [ids.map(({ id }) => id)],
        // The new copy takes the place of the old one, whatever that held; equal rows are left alone.
        { when: 'excluded.record <> held.record' },
      )
      after = ids.at(-1)?.id
    }
    await rows(`delete from ${s}.sync_staged`)
  }

  async function repointTo(merges: readonly Merge[]): Promise<void> {
    for (const { table, column } of repoint)
      for (const { record, into } of merges)
        await rows(`update ${table} set ${column} = $1 where ${column} = $2`, [into, record.id])
  }

  async function saveState(state: SyncState): Promise<void> {
    await rows(
      `insert into ${s}.sync_state (state) values ($1)
       on conflict (is_only) do update set state = excluded.state`,
      [JSON.stringify(state)],
    )
  }

  return disposable({
    name: 'postgres',
    canStage: true,
    async begin(begun) {
      run = undefined
      isRunLost = false
      await rollBack()
      await lock()
      if (!begun.resumed) await rows(`delete from ${s}.sync_staged`)
      else if (begun.kind === 'first') {
        const [stored] = await rows<{ kind: string | null; hash: string }>(
          `select state #>> '{run,kind}' as kind, state ->> 'filterHash' as hash from ${s}.sync_state`,
        )
        // Staged rows and the cursor after them are saved together: without such a cursor, there are no such rows.
        if (stored?.kind !== 'first' || stored.hash !== begun.filterHash)
          throw new StagingLostError(`The schema ${schema} holds no unfinished first run with these filters.`)
      }
      run = begun
    },
    upsert: (records) => put(records, false),
    close: (records) => put(records, !run?.keepArchived),
    async merge(merges) {
      await put(
        merges.map(({ record }) => record),
        !run?.keepArchived,
      )
      await repointTo(merges)
    },
    async commit(state, end) {
      await inTransaction()
      if (end === 'run' && run?.kind === 'first') await applyStaged()
      await saveState(state)
      await rows('commit')
      isInTransaction = false
      if (end === 'page') return
      run = undefined
      await unlock()
    },
    async discard() {
      isRunLost = false
      await rollBack()
      await rows(`delete from ${s}.sync_staged`)
      run = undefined
      await unlock()
    },
    async held(ids) {
      checkRun()
      const table = run?.kind === 'first' ? 'sync_staged' : 'tender'
      const found = await rows<{ id: string; modified: string }>(
        `select id, ${instantText('last_modified')} as modified from ${s}.${table} where id = any($1::uuid[])`,
        [ids],
      )
      return new Map(found.map(({ id, modified }) => [id, modified]))
    },
    async *all() {
      for (let after: string | undefined; ; ) {
        const found = await rows<{ id: string; lastModified: string; status: string }>(
          `select id, ${instantText('last_modified')} as "lastModified", status from ${s}.tender
           where $1::uuid is null or id > $1 order by id limit 10000`,
          [after ?? null],
        )
        yield* found
        after = found.at(-1)?.id
        if (after === undefined) return
      }
    },
    state: {
      async load() {
        const [found] = await rows<{ state: unknown }>(`select state from ${s}.sync_state`)
        return found && parseState(found.state)
      },
      save: saveState,
      async clear() {
        await rows(`delete from ${s}.sync_state`)
      },
    },
    end,
  })
}

// Syncs into PostgreSQL 13 or newer: a table of tenders with the whole record and flat columns, tables of lots, CPV and
// NUTS codes. The state is in the same database and is saved together with the records, so a crash repeats and loses
// nothing. A pooler in transaction mode may stand before the server.
import { type Run, StagingLostError, type StateStore, type SyncState } from '../sync/sink.ts'
import { parseState } from '../sync/sync-state.ts'
import type { TenderRecord } from '../types.ts'
import { disposable, type OpenSink } from './disposable.ts'
import { SinkError } from './faults/sink-error.ts'
import { checkedName } from './postgres/postgres-connection.ts'
import { PostgresLoad, removeKeys, restoreKeys } from './postgres/postgres-load.ts'
import { PostgresSession } from './postgres/postgres-session.ts'
import { PostgresTables } from './postgres/postgres-tables.ts'
import { recordHash } from './record/record-hash.ts'
import { storable } from './record/record-json.ts'

export type PostgresSinkOptions = {
  /** `postgres://user:password@host:5432/database`; missing parts come from the PG… variables, as in psql. */
  readonly connectionString: string
  /** Default `tenderstock`. Letters, digits and underscores. The account needs CREATE on it (or on the database). */
  readonly schema?: string
  /**
   * Columns of your own tables that hold ids of tenders, as `schema.table.column`: when a tender is merged into another
   * one, they are changed to the one that remains, in the same transaction.
   */
  readonly repoint?: readonly string[]
}

/** A sink that always keeps the state itself. */
export type PostgresSink = OpenSink & { readonly state: StateStore }

const instantText = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

function columnOf(path: string): { readonly table: string; readonly column: string } {
  const parts = path.split('.').map((part) => `"${checkedName(part, 'The part of repoint')}"`)
  if (parts.length < 2 || parts.length > 3) throw new SinkError(`repoint ${path} must be schema.table.column.`)
  return { table: parts.slice(0, -1).join('.'), column: parts.at(-1) as string }
}

/** The state in the schema's own table; it changes in the transaction of the run, if there is one. */
function stateIn(session: PostgresSession, schema: string): StateStore {
  return {
    async load() {
      const [found] = await session.rows<{ state: unknown }>(`select state from ${schema}.sync_state`)
      return found && parseState(found.state)
    },
    save: (state: SyncState) =>
      session.alone(async () => {
        await session.rows(
          `insert into ${schema}.sync_state (state) values ($1)
           on conflict (is_only) do update set state = excluded.state`,
          [JSON.stringify(state)],
        )
      }),
    clear: () =>
      session.alone(async () => {
        await session.rows(`delete from ${schema}.sync_state`)
      }),
  }
}

/** Opens the sink; connects when it is first used. */
export function openPostgresSink(options: PostgresSinkOptions): PostgresSink {
  const name = checkedName(options.schema ?? 'tenderstock', 'The schema')
  const s = `"${name}"`
  const repoint = (options.repoint ?? []).map(columnOf)
  const session = new PostgresSession(options.connectionString, name)
  const tables = new PostgresTables(session.rows, s)
  const state = stateIn(session, s)
  let run: Run | undefined
  /** The first load from files of a copy that was empty. */
  let load: PostgresLoad | undefined

  /** The table that holds what the run wrote. */
  const written = (): string => (run?.kind === 'first' && !load ? 'sync_staged' : 'tender')

  async function isEmpty(): Promise<boolean> {
    const [found] = await session.rows<{ isEmpty: boolean }>(`select not exists (select from ${s}.tender) as "isEmpty"`)
    return found!.isEmpty
  }

  /** Undoes what an interrupted run left behind. */
  async function clean(): Promise<void> {
    await tables.emptyStaging()
    await restoreKeys(session.rows, s)
  }

  async function beginLoad(): Promise<void> {
    await session.alone(() => tables.emptyStaging())
    // a reader who does not let go of the tables makes it slower, and does not stop it
    await session.alone(() => removeKeys(session.rows, s)).catch(() => session.check())
    load = new PostgresLoad(session, s)
  }

  async function put(records: readonly TenderRecord[], isKnownOnly: boolean): Promise<void> {
    if (!run) throw new Error('begin() comes first')
    if (records.length === 0) return
    await session.inTransaction()
    if (load) return load.put(records, isKnownOnly)
    await tables.put(records, { isStaging: run.kind === 'first', isKnownOnly })
  }

  return disposable({
    name: 'postgres',
    canStage: true,
    get commitsPages() {
      return load === undefined
    },
    async begin(begun) {
      run = undefined
      load = undefined
      await session.begin()
      if (begun.isFromFiles === true && (await isEmpty())) await beginLoad()
      else if (!begun.resumed) await session.alone(clean)
      else if (begun.kind === 'first') {
        const [stored] = await session.rows<{ kind: string | null; hash: string }>(
          `select state #>> '{run,kind}' as kind, state ->> 'filterHash' as hash from ${s}.sync_state`,
        )
        // Staged rows and the cursor after them are saved together: without such a cursor, there are no such rows.
        if (stored?.kind !== 'first' || stored.hash !== begun.filterHash)
          throw new StagingLostError(`The schema ${name} holds no unfinished first run with these filters.`)
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
      for (const { table, column } of repoint)
        for (const { record, into } of merges)
          await session.rows(`update ${table} set ${column} = $1 where ${column} = $2`, [into, record.id])
    },
    async commit(saved, end) {
      await session.inTransaction()
      // Moves staged rows into the tables, within the transaction that saves the state.
      if (load) {
        await load.flush()
        await restoreKeys(session.rows, s)
      } else if (end === 'run' && run?.kind === 'first') await tables.applyStaged()
      await state.save(saved)
      await session.commit({ isLast: end === 'run' })
      if (end === 'page') return
      run = undefined
      load = undefined
    },
    async discard() {
      run = undefined
      load = undefined
      await session.abandon(clean)
    },
    async held(ids) {
      session.check()
      if (load) return await load.held(ids)
      const found = await session.rows<{ id: string; modified: string }>(
        `select id, ${instantText('last_modified')} as modified from ${s}.${written()} where id = any($1::uuid[])`,
        [ids],
      )
      return new Map(found.map(({ id, modified }) => [id, modified]))
    },
    async record(id) {
      session.check()
      await load?.flush()
      const [found] = await session.rows<{ record: TenderRecord }>(
        `select record from ${s}.${written()} where id = $1`,
        [id],
      )
      return found?.record
    },
    async digest() {
      session.check()
      await load?.flush()
      return await tables.digest(written() === 'sync_staged')
    },
    readBack: {
      rows: () => session.reading(tables.seen()),
      contentOf: (record) => recordHash(storable(record).record),
    },
    async *all() {
      for (let after: string | undefined; ; ) {
        const found = await session.rows<{ id: string; lastModified: string; status: string }>(
          `select id, ${instantText('last_modified')} as "lastModified", status from ${s}.tender
           where $1::uuid is null or id > $1 order by id limit 10000`,
          [after ?? null],
        )
        yield* found
        after = found.at(-1)?.id
        if (after === undefined) return
      }
    },
    state,
    end: () => session.close(),
  })
}

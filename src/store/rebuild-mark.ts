// The rebuild in progress: from its beginning to its end nothing is published, and no other process consolidates. Its
// process holds a lease; a rebuild whose process died is interrupted, and has to be repeated.
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { Random } from '../platform/random.ts'
import type { Executor, Store } from './database.ts'
import { inStockTransaction } from './publication.ts'

/** How long a silent rebuild counts as running, by the clock of the database. */
const rebuildLeaseMs = 60_000
const beatMs = rebuildLeaseMs / 6

const settingName = 'rebuild'
const nowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const isExpired = sql<boolean>`(setting.value::json->>'until')::bigint <= ${nowMs}`

export type RebuildState = 'none' | 'running' | 'interrupted'

export class RebuildLostError extends Error {
  constructor() {
    super('another process took the rebuild over; this one was given up')
    this.name = 'RebuildLostError'
  }
}

export async function rebuildState({ db, engine }: Pick<Store, 'db' | 'engine'>): Promise<RebuildState> {
  const rows = await db
    .selectFrom('setting')
    .select(isExpired.as('isExpired'))
    .where('name', '=', settingName)
    .execute()
  if (rows.length === 0) return 'none'
  // the embedded engine has one process, which does nothing else during a rebuild
  return engine === 'embedded' || rows[0]!.isExpired ? 'interrupted' : 'running'
}

/** Whether a rebuild has begun and not ended; its process may have died. */
export async function isRebuildBegun(db: Executor): Promise<boolean> {
  const rows = await db.selectFrom('setting').select('name').where('name', '=', settingName).execute()
  return rows.length > 0
}

/**
 * Runs `work` as the only rebuild of the stock. Returns undefined when another process runs one. The signal is aborted
 * when the lease was lost. What `work` throws leaves the rebuild begun, so that it is repeated.
 */
export async function asRebuild<Result>(
  store: Store,
  random: Random,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  const owner = `${hostname()} ${process.pid} ${random.uuid()}`
  // a publication in progress ends first, and none begins afterwards
  const isOurs = await inStockTransaction(store, (trx) => begin(trx, owner, store.engine))
  if (!isOurs) return undefined
  const lost = new AbortController()
  const beat = setInterval(() => {
    extend(store.db, owner, rebuildLeaseMs).then(
      (isHeld) => !isHeld && lost.abort(new RebuildLostError()),
      // the store's own failures show in the work
      () => {},
    )
  }, beatMs)
  try {
    const result = await work(lost.signal)
    if (!(await end(store.db, owner))) throw new RebuildLostError()
    return { result }
  } catch (error) {
    // others need not wait for the lease to expire
    await extend(store.db, owner, 0).catch(() => {})
    throw error
  } finally {
    clearInterval(beat)
  }
}

const markOf = (owner: string, leaseMs: number) =>
  sql<string>`json_build_object('owner', ${owner}::text, 'until', ${nowMs} + ${leaseMs}::integer)::text`

async function begin(trx: Executor, owner: string, engine: Store['engine']): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into setting (name, value) values (${settingName}, ${markOf(owner, rebuildLeaseMs)})
    on conflict (name) do update set value = excluded.value
    where ${engine === 'embedded'}::boolean or ${isExpired}`.execute(trx)
  return numAffectedRows === 1n
}

async function extend(db: Executor, owner: string, leaseMs: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update setting set value = ${markOf(owner, leaseMs)}
    where name = ${settingName} and value::json->>'owner' = ${owner}`.execute(db)
  return numAffectedRows === 1n
}

async function end(db: Executor, owner: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from setting where name = ${settingName} and value::json->>'owner' = ${owner}`.execute(db)
  return numAffectedRows === 1n
}

// The rebuild in progress: from its beginning to its end nothing is published, and other processes consolidate only
// what it shares with them. Its process holds a lease; a rebuild whose process died is interrupted, and has to be
// repeated.
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { RuleVersions } from '../../domain/stock-rules.ts'
import type { Random } from '../../platform/random.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'
import { noteRules } from '../stock/rules.ts'
import { inStockTransaction } from './publication.ts'

/** How long a silent rebuild counts as running, by the clock of the database. */
const rebuildLeaseMs = 60_000
const beatMs = rebuildLeaseMs / 6

const settingName = 'rebuild'
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

/**
 * `none`: no rebuild has begun, or it has ended. `closed`: only its process may change the stock. `open`: every
 * consolidator of the same version of the program helps to derive the tenders again. In both its process may have died.
 */
export type RebuildPhase = 'none' | 'closed' | 'open'

/** `version`: of the program that asks; absent: it does not help. */
export async function rebuildPhase(db: Executor, version?: string): Promise<RebuildPhase> {
  const { rows } = await sql<{ isShared: boolean; version: string }>`
    select (value::json->>'isShared')::boolean as "isShared", value::json->>'version' as version
    from setting where name = ${settingName}`.execute(db)
  const [mark] = rows
  return mark === undefined ? 'none' : mark.isShared && mark.version === version ? 'open' : 'closed'
}

/** What a rebuild is given while it runs. */
export type Rebuild = {
  /** Aborted when the lease was lost. */
  readonly signal: AbortSignal
  /** From here on other processes help to derive the tenders. Throws RebuildLostError. */
  readonly share: () => Promise<void>
}

/**
 * Runs `work` as the only rebuild of the stock, by these rules, which are noted together with its end. Returns
 * undefined when another process runs one. What `work` throws leaves the rebuild begun, so that it is repeated.
 */
export async function asRebuild<Result>(
  store: Store,
  { random, version, rules }: { readonly random: Random; readonly version: string; readonly rules: RuleVersions },
  work: (rebuild: Rebuild) => Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  const owner = `${hostname()} ${process.pid} ${random.uuid()}`
  // a publication in progress ends first, and none begins afterwards
  const isOurs = await inStockTransaction(store, (trx) => begin(trx, { owner, version, engine: store.engine }))
  if (!isOurs) return undefined
  const lost = new AbortController()
  const beat = setInterval(() => {
    extend(store.db, owner, rebuildLeaseMs).then(
      (isHeld) => !isHeld && lost.abort(new RebuildLostError()),
      // the store's own failures show in the work
      () => {},
    )
  }, beatMs)
  const share = async () => {
    if (!(await setShared(store.db, owner))) throw new RebuildLostError()
  }
  try {
    const result = await work({ signal: lost.signal, share })
    await inTransaction(store, async (trx) => {
      if (!(await end(trx, owner))) throw new RebuildLostError()
      await noteRules(trx, rules)
    })
    return { result }
  } catch (error) {
    // others need not wait for the lease to expire
    await extend(store.db, owner, 0).catch(() => {})
    throw error
  } finally {
    clearInterval(beat)
  }
}

const until = (leaseMs: number) => sql<number>`${nowMs} + ${leaseMs}::integer`

async function begin(
  trx: Executor,
  { owner, version, engine }: { readonly owner: string; readonly version: string; readonly engine: Store['engine'] },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into setting (name, value) values (${settingName}, jsonb_build_object(
      'owner', ${owner}::text, 'version', ${version}::text, 'until', ${until(rebuildLeaseMs)}, 'isShared', false)::text)
    on conflict (name) do update set value = excluded.value
    where ${engine === 'embedded'}::boolean or ${isExpired}`.execute(trx)
  return numAffectedRows === 1n
}

async function extend(db: Executor, owner: string, leaseMs: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update setting set value = jsonb_set(value::jsonb, '{until}', to_jsonb(${until(leaseMs)}))::text
    where name = ${settingName} and value::json->>'owner' = ${owner}`.execute(db)
  return numAffectedRows === 1n
}

async function setShared(db: Executor, owner: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update setting set value = jsonb_set(value::jsonb, '{isShared}', 'true')::text
    where name = ${settingName} and value::json->>'owner' = ${owner}`.execute(db)
  return numAffectedRows === 1n
}

async function end(db: Executor, owner: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from setting where name = ${settingName} and value::json->>'owner' = ${owner}`.execute(db)
  return numAffectedRows === 1n
}

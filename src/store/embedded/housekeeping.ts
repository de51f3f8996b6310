// What a server does automatically and the embedded engine does not: vacuum, statistics, and checkpoints at quiet
// times.
import type { EmbeddedEngine } from './engine.ts'

/** Maximum time for housekeeping: a vacuum of a large table is slow, and nothing else limits it. */
const housekeepingTimeoutMs = 60 * 60_000

type TableActivity = {
  readonly name: string
  readonly live: number
  readonly dead: number
  readonly inserted: number
  readonly modified: number
}

const activitySql = `select format('%I.%I', schemaname, relname) as name, n_live_tup as live, n_dead_tup as dead,
  n_ins_since_vacuum as inserted, n_mod_since_analyze as modified from pg_stat_user_tables order by 1`

/** Maximum age in transactions before rows are frozen, long before the 2,000,000,000 at which PostgreSQL stops. */
const freezeAge = 200_000_000

/**
 * Publishing and matching write in short pieces so that others can work in between; a vacuum would delay them for
 * seconds.
 */
const busySql = `select greatest(p.until_ms, h.until_ms) > extract(epoch from clock_timestamp()) * 1000 as "isBusy"
  from publication p, hit_mark h`

/** True while an edition is being written or matched. */
export async function isWritingEdition(engine: Pick<EmbeddedEngine, 'run'>): Promise<boolean> {
  const { rows } = await engine.run(`select to_regclass('hit_mark') is not null as found`, [], housekeepingTimeoutMs)
  if (!(rows as { found: boolean }[])[0]!.found) return false
  const lease = await engine.run(busySql, [], housekeepingTimeoutMs)
  return (lease.rows as { isBusy: boolean }[])[0]?.isBusy ?? false
}

/**
 * Vacuums and analyzes the tables that changed enough, by the rules of PostgreSQL's autovacuum (a fifth of the rows
 * dead or new, a tenth changed). The caller holds the connection.
 */
export async function keepHouse(engine: Pick<EmbeddedEngine, 'run'>): Promise<void> {
  const run = (sql: string) => engine.run(sql, [], housekeepingTimeoutMs)
  await run('select pg_stat_force_next_flush()')
  const { rows } = await run(activitySql)
  for (const { name, live, dead, inserted, modified } of rows as TableActivity[]) {
    if (dead > 200 + live / 5 || inserted > 1000 + live / 5) await run(`vacuum (analyze) ${name}`)
    else if (modified > 50 + live / 10) await run(`analyze ${name}`)
  }
  const oldest = await run('select age(datfrozenxid) as age from pg_database where datname = current_database()')
  if ((oldest.rows as { age: number }[])[0]!.age > freezeAge) await run('vacuum (freeze)')
}

/** Makes a checkpoint, so that the next start has nothing to replay. */
export async function checkpoint(engine: EmbeddedEngine): Promise<void> {
  await engine.run('checkpoint', [], housekeepingTimeoutMs)
}

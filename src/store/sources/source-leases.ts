// Which worker reads which source: leases that expire, so that a killed worker does not block others for long.
import { sql } from 'kysely'
import { hourMs, minuteMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'

/** A lease that a worker holds. `fence` is higher than that of every holder before. */
export type Lease = { readonly lease: string; readonly worker: string; readonly fence: number }

/** Another worker took the lease: nothing more may be written under it. */
export class LeaseLost extends Error {
  constructor(lease: Lease) {
    super(`${lease.worker} does not hold ${lease.lease} any more`)
    this.name = 'LeaseLost'
  }
}

/** How far ahead a lease or the rest of a host may end; a later time was written by a wrong clock. */
const longestHeldMs = 10 * minuteMs
const longestRestMs = 7 * hourMs

/**
 * Takes a lease that is free at `now` (epoch milliseconds); undefined if it is held. A lease that was released with a
 * pause is free for a caller with `endsRest`.
 */
export async function takeLease(
  db: Executor,
  {
    lease,
    worker,
    now,
    untilMs,
    endsRest = false,
  }: {
    readonly lease: string
    readonly worker: string
    readonly now: number
    readonly untilMs: number
    readonly endsRest?: boolean
  },
): Promise<Lease | undefined> {
  const { rows } = await sql<{ fence: number }>`
    insert into source_lease (lease, worker, until_ms, fence) values (${lease}, ${worker}, ${untilMs}, 1)
    on conflict (lease) do update
      set worker = excluded.worker, until_ms = excluded.until_ms, fence = source_lease.fence + 1
      where source_lease.until_ms <= ${now} or (${endsRest} and source_lease.worker = '')
        or source_lease.until_ms > ${now} + case when source_lease.worker = '' then ${longestRestMs}::bigint else ${longestHeldMs}::bigint end
    returning fence`.execute(db)
  const [row] = rows
  return row && { lease, worker, fence: row.fence }
}

/** IDs of the sources that a worker visits at `now`. */
export async function visitedSources(db: Executor, now: number): Promise<ReadonlySet<string>> {
  const prefix = 'source '
  const rows = await db
    .selectFrom('source_lease')
    .select('lease')
    .where('lease', 'like', `${prefix}%`)
    .where('worker', '<>', '')
    .where('until_ms', '>', now)
    .execute()
  return new Set(rows.map(({ lease }) => lease.slice(prefix.length)))
}

/**
 * Extends a lease. Throws LeaseLost if another worker took it. Inside a transaction it is the fence: until the
 * transaction ends no other worker can take the lease.
 */
export async function holdLease(db: Executor, held: Lease, untilMs: number): Promise<void> {
  const { rows } = await sql`
    update source_lease set until_ms = greatest(until_ms, ${untilMs})
    where lease = ${held.lease} and worker = ${held.worker} and fence = ${held.fence} returning lease`.execute(db)
  if (rows.length === 0) throw new LeaseLost(held)
}

/** Releases a lease; it stays blocked until `freeAt`. Does nothing if another worker holds it. */
export async function releaseLease(db: Executor, held: Lease, freeAt: number): Promise<void> {
  await sql`
    update source_lease set until_ms = ${freeAt}, worker = ''
    where lease = ${held.lease} and worker = ${held.worker} and fence = ${held.fence}`.execute(db)
}

// How far the editions are matched with the saved searches, and the lease of the one process that matches them.
import { hostname } from 'node:os'
import { sql } from 'kysely'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'

/** How long to wait for a process that shows no sign of life. By the clock of the database, which all of them share. */
const leaseMs = 60_000

/** What is done with an edition, in this order: changes of existing hits, new matches, and held deliveries. */
type HitStep = 'changes' | 'matches' | 'holds'

/** Everything up to here is done, and committed with its results. */
export type HitMark = {
  /** The newest edition that is matched completely; 0 before the first. */
  readonly edition: number
  /** The largest lastModified up to that edition. */
  readonly lastModified: number
  /** Step of the edition after it. */
  readonly step: HitStep
  /** The lastModified up to which that step is done. */
  readonly stepModified: number
  /** Number of entries that it has read. */
  readonly stepEntries: number
}

/**
 * The right to match. `fence` increases with each holder: one that lost the lease, asleep or cut off, can no longer
 * write.
 */
export type MarkLease = { readonly fence: number; readonly mark: HitMark }

export class MarkLostError extends Error {
  constructor() {
    super('another process took the matching over; nothing more of this one was written')
    this.name = 'MarkLostError'
  }
}

const markColumns = sql`edition, last_modified as "lastModified", step, step_modified as "stepModified",
  step_entries as "stepEntries"`

/** Takes the lease if it is free, or if its holder was silent for too long. Undefined if it is held. */
export async function takeMark(db: Executor): Promise<MarkLease | undefined> {
  const { rows } = await sql<HitMark & { readonly fence: number }>`
    update hit_mark set fence = fence + 1, owner = ${`${hostname()} ${process.pid}`}, until_ms = ${nowMs} + ${leaseMs}::integer
    where until_ms <= ${nowMs}
    returning fence, ${markColumns}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { fence, ...mark } = row
  return { fence, mark }
}

/**
 * Extends the lease. Inside a transaction it is the fence: until that ends no other process can take it. Throws
 * MarkLostError.
 */
export async function holdMark(db: Executor, { fence }: MarkLease): Promise<void> {
  const { numAffectedRows } = await sql`
    update hit_mark set until_ms = ${nowMs} + ${leaseMs}::integer where fence = ${fence} and until_ms > 0`.execute(db)
  if (numAffectedRows !== 1n) throw new MarkLostError()
}

/** Runs `work` in a transaction under the lease. Throws MarkLostError. */
export function underMark<Result>(
  store: Pick<Store, 'db'>,
  lease: MarkLease,
  work: (trx: Executor) => Promise<Result>,
): Promise<Result> {
  return inTransaction(store, async (trx) => {
    await holdMark(trx, lease)
    return work(trx)
  })
}

/** Waits for a transaction of the process that matches, and keeps the next one waiting. */
export async function lockMark(trx: Executor): Promise<void> {
  await sql`select from hit_mark for update`.execute(trx)
}

/**
 * Call it in the transaction of the work that it covers. `unseen`: entries that were removed before they were matched.
 */
export async function moveMark(trx: Executor, mark: HitMark, unseen = 0): Promise<void> {
  await sql`
    update hit_mark set edition = ${mark.edition}::integer, last_modified = ${mark.lastModified}, step = ${mark.step},
      step_modified = ${mark.stepModified}, step_entries = ${mark.stepEntries}::integer, unseen = unseen + ${unseen}`.execute(
    trx,
  )
}

/** Releases the lease immediately. Does nothing when it was lost. */
export async function releaseMark(db: Executor, { fence }: MarkLease): Promise<void> {
  await sql`update hit_mark set until_ms = 0, owner = '' where fence = ${fence}`.execute(db)
}

/** How far the matching is behind the newest edition, for people. */
export type HitLag = {
  /** The newest edition that is matched completely. */
  readonly edition: number
  readonly editionsBehind: number
  /** Total number of entries that were removed before they were matched: their hits may be missing. */
  readonly unseen: number
  /** Number of saved searches; without any the lag means nothing. */
  readonly searches: number
}

export async function readHitLag(db: Executor): Promise<HitLag> {
  const { rows } = await sql<HitLag>`
    select edition, unseen, (select count(*) from saved_search)::integer as searches,
      (select count(*) from edition e where e.edition > hit_mark.edition)::integer as "editionsBehind"
    from hit_mark`.execute(db)
  return rows[0]!
}

// The publication in progress: who may write it, until when, and how far it has come. Its entries are in their table
// above the newest edition's lastModified, where no query for readers looks, and can be undone until the last
// transaction adds the edition.
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'
import { Pace } from '../database/paced.ts'
import { lockStock, shareStock, takeTurn } from '../stock/tenders.ts'

/** How long a silent publisher keeps its lease, by the clock of the database, which all of them share. */
export const leaseMs = 60_000
/** How long to wait before checking again whether another one is done. */
export const lookAgainMs = 50

/**
 * The right to publish, and to keep others from changing the stock. `fence` increases with each holder: one that lost
 * the lease, asleep or cut off, can no longer write.
 */
export type Lease = {
  readonly fence: number
  /** What the previous holder left behind. */
  readonly found: Publication
}

type Publication = {
  /** `writing`: entries of a coming edition may be in the tables. `undoing`: they are being removed. */
  readonly state: 'idle' | 'writing' | 'undoing'
  /** What is being written, in the publisher's own format. Null while nothing is. */
  readonly plan: string | null
} & Progress

/** How far the entries have been written. */
export type Progress = {
  /** The tender after which the next batch begins. */
  readonly afterId: string
  readonly added: number
  /** Number of added ones that replaced an entry of an earlier edition. */
  readonly replaced: number
  /** The digest of all records, in which added ones have replaced earlier ones. */
  readonly checksum: string
}

export class LeaseLostError extends Error {
  constructor() {
    super('another process took the publication over; nothing more of this one was written')
    this.name = 'LeaseLostError'
  }
}

/** Takes the lease if it is free, or if its holder was silent for too long. Undefined if it is held. */
export async function takeLease(trx: Executor): Promise<Lease | undefined> {
  // a transaction that changes the stock at this moment ends first; later ones see the lease
  await lockStock(trx)
  const { rows } = await sql<Publication & { readonly fence: number }>`
    update publication set fence = fence + 1, owner = ${`${hostname()} ${process.pid}`}, until_ms = ${nowMs} + ${leaseMs}::integer
    where until_ms <= ${nowMs}
    returning fence, state, plan, after_id as "afterId", added, replaced, checksum`.execute(trx)
  const [row] = rows
  if (!row) return undefined
  const { fence, ...found } = row
  return { fence, found }
}

/**
 * Call it first in each transaction that writes under the lease: the lease cannot pass to another process before the
 * transaction ends. Throws LeaseLostError.
 */
async function holdLease(trx: Executor, { fence }: Lease): Promise<void> {
  const { numAffectedRows } = await sql`
    update publication set until_ms = ${nowMs} + ${leaseMs}::integer where fence = ${fence} and until_ms > 0`.execute(
    trx,
  )
  if (numAffectedRows !== 1n) throw new LeaseLostError()
}

/** True from the first written entry to the last transaction, even if the publisher has died. */
export async function isPublicationBegun(db: Executor): Promise<boolean> {
  const { rows } = await sql`select from publication where state = 'writing'`.execute(db)
  return rows.length > 0
}

/** Runs `work` in a transaction under the lease, which it extends. Throws LeaseLostError. */
export function underLease<Result>(
  store: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>,
  lease: Lease,
  work: (trx: Executor) => Promise<Result>,
): Promise<Result> {
  return inTransaction(store, async (trx) => {
    await holdLease(trx, lease)
    return work(trx)
  })
}

/** Frees the lease immediately. Does nothing if it was lost. */
export async function releaseLease(db: Executor, { fence }: Lease): Promise<void> {
  await sql`update publication set until_ms = 0, owner = '' where fence = ${fence}`.execute(db)
}

/** Call it under `holdLease`: from here on entries may be written. */
export async function beginWriting(trx: Executor, plan: string, begun: Progress): Promise<void> {
  await sql`update publication set state = 'writing', plan = ${plan}`.execute(trx)
  await saveProgress(trx, begun)
}

/** Call it under `holdLease`, in the transaction of the entries. */
export async function saveProgress(trx: Executor, { afterId, added, replaced, checksum }: Progress): Promise<void> {
  await sql`
    update publication
    set after_id = ${afterId}, added = ${added}::integer, replaced = ${replaced}::integer, checksum = ${checksum}`.execute(
    trx,
  )
}

/**
 * Call it under `holdLease`, in the transaction that adds the edition: nothing is being written any more, and the lease
 * is free.
 */
export async function endPublication(trx: Executor): Promise<void> {
  await sql`update publication set state = 'idle', plan = null, until_ms = 0, owner = ''`.execute(trx)
}

/**
 * Undoes what an unfinished publication has written, in short transactions. If it is interrupted, it continues with
 * the next call.
 */
export async function undoPublication(
  store: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>,
  lease: Lease,
): Promise<void> {
  await underLease(store, lease, (trx) => sql`update publication set state = 'undoing', plan = null`.execute(trx))
  for (const undo of [restoreReplaced, removeEntries]) {
    const pace = new Pace(store.engine)
    while ((await pace.run((limit) => underLease(store, lease, (trx) => undo(trx, limit)))) > 0);
  }
  await underLease(store, lease, (trx) => sql`update publication set state = 'idle'`.execute(trx))
}

const newestEditionNumber = sql`(select coalesce(max(edition), 0) from edition)`

/** Restores records to their state in the newest edition. */
async function restoreReplaced(trx: Executor, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from replaced_entry where (superseded_by, last_modified) in (
        select superseded_by, last_modified from replaced_entry where superseded_by > ${newestEditionNumber}
        order by superseded_by, last_modified limit ${limit}::integer)
      returning last_modified, content_hash, archive_reason, entry_hash
    ), restored as (
      update published_tender p
      set content_hash = gone.content_hash, entry_hash = gone.entry_hash, last_modified = e.last_modified, sources = e.sources,
        archive_reason = gone.archive_reason
      from gone join edition_entry e using (last_modified) where p.tender_id = e.tender_id
    )
    select count(*)::integer as count from gone`.execute(trx)
  return rows[0]!.count
}

/** Call it after restoreReplaced. What is removed is to be published again. */
async function removeEntries(trx: Executor, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from edition_entry where last_modified in (
        select last_modified from edition_entry
        where last_modified > coalesce((select last_modified from edition order by edition desc limit 1), ${Number.MIN_SAFE_INTEGER})
        order by last_modified desc limit ${limit}::integer)
      returning tender_id
    ), unclaimed as (
      delete from published_tender where tender_id in (select tender_id from gone) and first_edition > ${newestEditionNumber}
    ), noted as (
      insert into tender_change select tender_id from gone on conflict do nothing
    )
    select count(*)::integer as count from gone`.execute(trx)
  return rows[0]!.count
}

/**
 * Runs `work` in a transaction that may change the stock. Waits for a publication to end, and undoes an abandoned one:
 * an edition is a cut of a stock that does not change. Undefined if `signal` ends the wait.
 */
export function inStockTransaction<Result>(
  store: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>,
  work: (trx: Executor) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  return whileStockIsFree(store, lockStock, work, signal)
}

/** How many deadlocks in a row are taken for chance. */
const mostDeadlocks = 5

/**
 * Like inStockTransaction, for consolidators, several of which work at a time on a server: `prepare` runs beside the
 * others, `work` in turn, when it sees what all before it have committed. What `prepare` has read may have changed by
 * then; if it returns undefined, there is nothing to do. So that nobody waits for one that waits for its turn,
 * `prepare` writes only rows of notices that it has taken, and reads no table that is truncated in a turn. Both run
 * again after a deadlock, which only a process of another kind can cause.
 */
export async function inStockTurn<Prepared, Result>(
  store: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>,
  prepare: (trx: Executor) => Promise<Prepared | undefined>,
  work: (trx: Executor, prepared: Prepared) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  const isAlone = store.engine !== 'server'
  const inTurn = async (trx: Executor) => {
    const prepared = await prepare(trx)
    if (prepared === undefined) return undefined
    if (!isAlone) await takeTurn(trx)
    return work(trx, prepared)
  }
  if (isAlone) return inStockTransaction(store, inTurn, signal)
  for (let deadlocks = 0; ; deadlocks++) {
    try {
      return await whileStockIsFree(store, shareStock, inTurn, signal)
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== '40P01' || deadlocks === mostDeadlocks) throw error
    }
  }
}

async function whileStockIsFree<Result>(
  store: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>,
  lock: (trx: Executor) => Promise<void>,
  work: (trx: Executor) => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result | undefined> {
  for (;;) {
    const done = await inTransaction(store, async (trx) => {
      await lock(trx)
      return (await isStockFree(trx)) ? { result: await work(trx) } : undefined
    })
    if (done) return done.result
    const lease = await inTransaction(store, takeLease)
    if (lease) {
      if (lease.found.state !== 'idle') await undoPublication(store, lease)
      await releaseLease(store.db, lease)
    } else await delay(lookAgainMs)
    if (signal?.aborted) return undefined
  }
}

/** Whether nobody has the lease, and nothing that was written under it is left. */
async function isStockFree(trx: Executor): Promise<boolean> {
  const { rows } = await sql<{ isFree: boolean }>`
    select until_ms = 0 and state = 'idle' as "isFree" from publication`.execute(trx)
  return rows[0]!.isFree
}

// The publication in progress: who may write it, until when, and how far it has come. Its entries are in their table
// above the newest edition's lastModified, where no query for readers looks, and can be undone until the last
// transaction adds the edition.
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { bump } from '../database/change-signal.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'
import { Pace } from '../database/paced.ts'
import { lockStock, shareStock, takeTurn } from '../stock/tenders.ts'

/** How long a silent publisher keeps its lease, by the clock of the database, which all of them share. */
const leaseMs = 60_000
/** How long to wait before checking again whether another one is done. */
export const lookAgainMs = 50

type PacedStore = Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>

/**
 * The right to publish, and to keep others from changing the stock. `fence` increases with each holder: one that lost
 * the lease, asleep or cut off, can no longer write.
 */
export type Lease = {
  readonly fence: number
  /** What the previous holder left behind. */
  readonly found: Publication
}

/** `writing`: entries of a coming edition may be in the tables. `undoing`: they are being removed. */
type PublicationState = 'idle' | 'writing' | 'undoing'

type Publication = {
  readonly state: PublicationState
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

/**
 * `begin`: the plan is stored, and entries may be written. `batch`: some are. `end`: the edition is added. `clear`:
 * nothing of it may stay. `cleared`: nothing is left.
 */
type PublicationEvent = 'begin' | 'batch' | 'end' | 'clear' | 'cleared'

/**
 * The state after each event. Each is one transaction, so the next holder of the lease finds one of these states,
 * wherever this process is killed. Null: the event cannot happen there, and the caller of HeldPublication has a bug.
 */
const stateAfter = {
  idle: { begin: 'writing', batch: null, end: null, clear: 'idle', cleared: null },
  writing: { begin: null, batch: 'writing', end: 'idle', clear: 'undoing', cleared: null },
  undoing: { begin: null, batch: null, end: null, clear: 'undoing', cleared: 'idle' },
} as const satisfies { [State in PublicationState]: { [Event in PublicationEvent]: PublicationState | null } }

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

/** The publication in the hands of the process that has its lease. The methods stand in the order of their use. */
export class HeldPublication {
  readonly db: Executor
  readonly #store: PacedStore
  readonly #lease: Lease
  #heldAt = performance.now()
  #state: PublicationState
  #progress: Progress

  constructor(store: PacedStore, lease: Lease) {
    this.db = store.db
    this.#store = store
    this.#lease = lease
    this.#state = lease.found.state
    this.#progress = lease.found
  }

  get state(): PublicationState {
    return this.#state
  }

  /** The plan that another process left behind and that may be continued. Undefined if there is none. */
  get plan(): string | undefined {
    return this.#state === 'writing' ? (this.#lease.found.plan ?? undefined) : undefined
  }

  get progress(): Progress {
    return this.#progress
  }

  /**
   * Removes what an unfinished publication has written, in short transactions. If it is interrupted, the next holder of
   * the lease continues.
   */
  async clear(): Promise<void> {
    if (this.#after('clear') === 'idle') return
    await this.#move('clear', (trx, state) => sql`update publication set state = ${state}, plan = null`.execute(trx))
    for (const undo of [restoreReplaced, removeEntries]) {
      const pace = new Pace(this.#store.engine)
      while ((await this.piece(pace, undo)) > 0);
    }
    await this.#move('cleared', (trx, state) => sql`update publication set state = ${state}`.execute(trx))
  }

  /** From here on entries may be written. `checksum`: the digest of the records before them. */
  async begin(plan: string, checksum: string): Promise<void> {
    this.#progress = { afterId: '', added: 0, replaced: 0, checksum }
    await this.#move('begin', async (trx, state) => {
      await sql`update publication set state = ${state}, plan = ${plan}`.execute(trx)
      await saveProgress(trx, this.#progress)
    })
  }

  /** Writes entries together with the progress that `write` returns. False when there are no more. */
  async batch(pace: Pace, write: (trx: Executor, limit: number) => Promise<Progress | undefined>): Promise<boolean> {
    const next = await pace.run((limit) =>
      this.#move('batch', async (trx) => {
        const written = await write(trx, limit)
        if (written) await saveProgress(trx, written)
        return written
      }),
    )
    this.#progress = next ?? this.#progress
    return next !== undefined
  }

  /** Makes the edition that `add` adds visible, and frees the lease. */
  end(add: (trx: Executor) => Promise<void>): Promise<void> {
    return this.#move('end', async (trx, state) => {
      await add(trx)
      await sql`update publication set state = ${state}, plan = null, until_ms = 0, owner = ''`.execute(trx)
      await bump(trx, 'edition')
    })
  }

  /** Frees the lease immediately. Does nothing if it was lost. */
  release(): Promise<void> {
    return releaseLease(this.db, this.#lease)
  }

  /** Does under the lease what an event means; once it is committed, the state is the one after the event. */
  async #move<Result>(
    event: PublicationEvent,
    work: (trx: Executor, state: PublicationState) => Promise<Result>,
  ): Promise<Result> {
    const state = this.#after(event)
    const result = await this.under((trx) => work(trx, state))
    this.#state = state
    return result
  }

  #after(event: PublicationEvent): PublicationState {
    const state = stateAfter[this.#state][event]
    if (state === null) throw new Error(`"${event}" of a publication that is ${this.#state}`)
    return state
  }

  /**
   * How many rows each page may have that is read without a transaction, as the stock does not change. Between pages it
   * extends the lease in time.
   */
  limits(): AsyncGenerator<number> {
    return new Pace(this.#store.engine).limits(async () => {
      if (performance.now() - this.#heldAt >= leaseMs / 6) await this.under(async () => {})
    })
  }

  /** Runs a piece of long work, of at most `limit` rows, in a transaction under the lease. */
  piece<Result>(pace: Pace, work: (trx: Executor, limit: number) => Promise<Result>): Promise<Result> {
    return pace.run((limit) => this.under((trx) => work(trx, limit)))
  }

  /** Runs `work` in a transaction under the lease, which it extends. Throws LeaseLostError. */
  under<Result>(work: (trx: Executor) => Promise<Result>): Promise<Result> {
    this.#heldAt = performance.now()
    return underLease(this.#store, this.#lease, work)
  }
}

/**
 * Runs `work` in a transaction under the lease, which it extends: the lease cannot pass to another process before the
 * transaction ends. Throws LeaseLostError.
 */
export function underLease<Result>(
  store: Pick<Store, 'db'>,
  { fence }: Lease,
  work: (trx: Executor) => Promise<Result>,
): Promise<Result> {
  return inTransaction(store, async (trx) => {
    const { numAffectedRows } = await sql`
      update publication set until_ms = ${nowMs} + ${leaseMs}::integer where fence = ${fence} and until_ms > 0`.execute(
      trx,
    )
    if (numAffectedRows !== 1n) throw new LeaseLostError()
    return work(trx)
  })
}

/** Frees the lease immediately. Does nothing if it was lost. */
export async function releaseLease(db: Executor, { fence }: Lease): Promise<void> {
  await sql`update publication set until_ms = 0, owner = '' where fence = ${fence}`.execute(db)
}

/** Call it under the lease, in the transaction of the entries. */
export async function saveProgress(trx: Executor, { afterId, added, replaced, checksum }: Progress): Promise<void> {
  await sql`
    update publication
    set after_id = ${afterId}, added = ${added}::integer, replaced = ${replaced}::integer, checksum = ${checksum}`.execute(
    trx,
  )
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
  store: PacedStore,
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
  store: PacedStore,
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
  store: PacedStore,
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
      const abandoned = new HeldPublication(store, lease)
      await abandoned.clear()
      await abandoned.release()
    } else await delay(lookAgainMs)
    if (signal?.aborted) return undefined
  }
}

/** Whether the lease is free, and nothing that was written under it is left. */
async function isStockFree(trx: Executor): Promise<boolean> {
  const { rows } = await sql<{ isFree: boolean }>`
    select until_ms = 0 and state = 'idle' as "isFree" from publication`.execute(trx)
  return rows[0]!.isFree
}

/** True from the first written entry to the last transaction, even if the publisher has died. */
export async function isPublicationBegun(db: Executor): Promise<boolean> {
  const { rows } = await sql`select from publication where state = 'writing'`.execute(db)
  return rows.length > 0
}

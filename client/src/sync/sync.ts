// One run of the sync procedure (spec.md, "Client sync procedure"): fetches what changed, hands it to a sink, keeps the state.
//
// Why the copy is equal to the stock afterwards: the state T is a `lastModified` that was delivered, so it never exceeds
// that of the edition a run was pinned to; everything changed later carries a larger one and is in range of the next run
// (sync.md, theorem). The rest is order: sink, then its commit, then the state; a crash in between repeats, never skips.
import type { TenderClient } from '../tender-client.ts'
import type { RunLock } from './run-lock.ts'
import type { RunKind, Sink, StateStore, SyncState } from './sink.ts'
import type { SyncFilters } from './sync-filters.ts'

/** What the engine needs of a client: pages and single records, with retries done. */
export type TenderSource = Pick<TenderClient, 'page' | 'get'>

export type SyncOptions = {
  readonly client: TenderSource
  readonly sink: Sink
  /** Missing or empty: the complete stock. */
  readonly filters?: SyncFilters
  /** Where the state is kept; default: the sink's own `state`. One of the two is needed. */
  readonly state?: StateStore
  /** Without: only runs into the same sink object in this process are kept apart. */
  readonly lock?: RunLock
  /**
   * `open` (default): the first run brings what is open now. `history`: it brings everything since 2022-01-01, archived
   * records included, and archived records that the target does not know are created from then on.
   */
  readonly initial?: 'open' | 'history'
  /** What to do when the state belongs to other filters (G4): `refuse` (default), or `restart` the copy with a first run. */
  readonly onFilterChange?: 'refuse' | 'restart'
  /** Records per page, 1 to 100; default 100. */
  readonly limit?: number
  /** Stops the run at the next safe point; it can be resumed. */
  readonly signal?: AbortSignal
  readonly on?: (event: SyncEvent) => void
  /** Milliseconds that only rise, for `elapsedMs`; never compared with a time of the API (C149). */
  readonly clock?: () => number
}

/** What a run did; redelivered records count. */
export type SyncCounts = {
  readonly pages: number
  readonly records: number
  readonly upserted: number
  readonly closed: number
  readonly merged: number
  /** Fetched one by one: survivors of merges, and records checked after a first run into a target that was not empty. */
  readonly fetched: number
  readonly restarts: number
}

/** Why a run ended early. `sink` covers the state store too. */
export type AbortReason =
  | 'signal'
  | 'problem'
  | 'unreachable'
  | 'feed'
  | 'filters-changed'
  | 'state'
  | 'lock-lost'
  | 'sink'

export type SyncOutcome = {
  readonly counts: SyncCounts
  readonly elapsedMs: number
} & (
  | {
      readonly result: 'completed'
      readonly kind: RunKind
      readonly isResumed: boolean
      /** The state now stored; missing as long as no record was ever delivered. */
      readonly updatedSince?: string
    }
  /** Another run is at work (C154). */
  | { readonly result: 'skipped' }
  | {
      readonly result: 'aborted'
      readonly reason: AbortReason
      readonly error: unknown
      /** The next run goes on at the page where this one stopped (while the cursor lives), else from the stored state. */
      readonly isResumable: boolean
    }
)

/** Progress, in the order in which it happens. The client's own events (waits, retries) go to the client's `on`. */
export type SyncEvent =
  | { readonly type: 'run'; readonly kind: RunKind; readonly isResumed: boolean; readonly updatedSince?: string }
  | {
      readonly type: 'page'
      readonly records: number
      readonly counts: SyncCounts
      /** Of the page's last record: how far the run is between `updated_since` and now. */
      readonly lastModified?: string
      readonly hasMore: boolean
    }
  | { readonly type: 'committed'; readonly end: 'page' | 'run'; readonly state: SyncState }
  | {
      readonly type: 'restart'
      readonly reason: 'cursor-expired' | 'cursor-refused' | 'staging-lost' | 'filters-changed'
      readonly updatedSince?: string
    }
  /** A merge whose survivor was not delivered: it is fetched; `isFound` false: the API does not know it (yet). */
  | { readonly type: 'survivor'; readonly id: string; readonly isFound: boolean }
  /** G1: as many records that the target held before its first run were not delivered by it and are looked at now. */
  | { readonly type: 'left-over'; readonly records: number }

/**
 * Brings the sink up to date and resolves to what happened; never rejects for faults of the network, the API, the sink or
 * the state store: those are outcome `aborted`, with the stored state unchanged (C153, C160). Throws a TypeError when
 * neither the sink nor the options have a state store.
 */
export async function sync(options: SyncOptions): Promise<SyncOutcome> {
  throw new Error(`not yet: ${options.sink.name}`)
}

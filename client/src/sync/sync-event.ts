// What a sync reports while it runs.
import type { RunKind, SyncState } from './sink.ts'

/** What a run has done so far; redelivered records count. */
export type SyncCounts = {
  readonly pages: number
  readonly records: number
  /**
   * Numbers of records handed to the sink as open, archived and merged; it may have skipped some that it knew or did
   * not want.
   */
  readonly upserted: number
  readonly closed: number
  readonly merged: number
  /**
   * Number of records fetched one by one: survivors of merges, and records checked after a first run into a target that
   * was not empty.
   */
  readonly fetched: number
  readonly restarts: number
}

/** Progress, in the order in which it happens. The client's own events (waits, retries) go to the client's `on`. */
export type SyncEvent =
  | { readonly type: 'run'; readonly kind: RunKind; readonly isResumed: boolean; readonly updatedSince?: string }
  | {
      readonly type: 'page'
      readonly records: number
      readonly counts: SyncCounts
      /** The lastModified of the page's last record: how far the run is between `updated_since` and now. */
      readonly lastModified?: string
      readonly hasMore: boolean
    }
  | { readonly type: 'committed'; readonly end: 'page' | 'run'; readonly state: SyncState }
  /** The run continues without its cursor, from `updatedSince`. */
  | { readonly type: 'restart'; readonly reason: RestartReason; readonly updatedSince?: string }
  /** A merge whose survivor was not delivered: it is fetched; `isFound` false: the API does not know it (yet). */
  | { readonly type: 'survivor'; readonly id: string; readonly isFound: boolean }
  /** The copy is not the edition from which the run came: everything is walked once more. */
  | { readonly type: 'differs'; readonly edition: number | undefined }
  /** Records that the copy holds and the stock no longer has: they were closed with the reason `lost`. */
  | { readonly type: 'lost'; readonly ids: readonly string[] }
  /** G1: number of records that the target held before its first run and that the run did not deliver. */
  | { readonly type: 'left-over'; readonly records: number }

export type RestartReason = 'cursor-expired' | 'cursor-refused' | 'staging-lost' | 'filters-changed'

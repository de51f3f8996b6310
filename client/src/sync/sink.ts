// What the sync engine needs from a target: the contract of every sink. Implement `Sink` to sync into another target.
//
// The order of calls in a run, always by one caller at a time:
//
// begin · (upsert | close | merge)* commit('page') · … · (upsert | close | merge)* commit('run')
//
// Between two commits there are only writes of one page: the engine never waits for the network there, except that it
// may fetch the missing survivor of a merge before the last commit. A transaction may therefore span from the first
// write after a commit to the next commit. An abandoned run ends with discard() if it will not be resumed, and with no
// call at all if it will be (a crash would not call anything either): begin() must clean up what it finds.
import { ClientError } from '../client-error.ts'
import type { TenderRecord } from '../types.ts'
import type { CopyDigest, KnownCopy } from './copy-digest.ts'

/**
 * `first`: the target is filled from nothing; a sink that can stage shows none of it before commit('run'), which then
 * replaces whatever the target held. `delta`: changes to what the target holds; they may be visible page by page.
 */
export type RunKind = 'first' | 'delta'

/** The arguments of begin(). */
export type Run = {
  readonly kind: RunKind
  /** Names the filters (see filterHash); a sink may store it beside its state. */
  readonly filterHash: string
  /**
   * True: the run continues after the last commit(…, 'page'); its staged records must still be there, else begin()
   * throws a StagingLostError and the engine restarts. False: it starts; staged records of an earlier, unfinished run
   * must be removed.
   */
  readonly resumed: boolean
  /**
   * True with `initial: 'history'`: close() and merge() create the records whose ids are unknown instead of skipping
   * them.
   */
  readonly keepArchived: boolean
  /**
   * True: the records of this first run are in files on this machine, so that it is soon repeated. A sink may then keep
   * nothing of it before its end, and say so by `commitsPages`.
   */
  readonly isFromFiles?: boolean
}

/**
 * A tender that was merged into another one (`archiveReason` is `merged`), and the id of the one that remains: the
 * record's `mergedInto`, or the survivor of that one if it was merged meanwhile.
 */
export type Merge = { readonly record: TenderRecord; readonly into: string }

/**
 * What a client must store between runs. Times are those of delivered records, never of the client's clock (C149).
 * Plain JSON is the stored form; read it back with `parseState`, which refuses unknown members.
 */
export type SyncState = {
  readonly schema: 1
  /** Names the filters the state belongs to; with other filters the copy must be restarted (G4). */
  readonly filterHash: string
  /**
   * Largest `lastModified` of all completed runs: the next run's `updated_since`. Missing before the first completed
   * run.
   */
  readonly updatedSince?: string
  /** What the target held when the last run ended; missing if the sink cannot say. */
  readonly copy?: KnownCopy
  /** A run that began and did not end: how to continue it. */
  readonly run?: {
    readonly kind: RunKind
    /** The `updated_since` that the run's requests carry; missing in a first run. */
    readonly updatedSince?: string
    /**
     * The page to fetch next. Valid for 24 hours at the server; opaque. Missing after a restart, before its first page.
     */
    readonly cursor?: string
    /** Largest `lastModified` of the pages committed so far. */
    readonly largest?: string
    /** Ids of merged records whose survivor was not there yet when their page was committed. */
    readonly merges?: readonly string[]
    /** Number of the newest edition that the run's pages came from: records are not fetched from an older one. */
    readonly edition?: number
    /** Smallest `lastModified` of the records that a sink without staging held when its first run began (G1). */
    readonly oldestHeld?: string
    /** Whether the run goes over everything again, because the copy differed from its edition. */
    readonly isRepair?: true
  }
}

/**
 * A target for records. Every promise may reject; the run is then aborted and its state stays as it was last committed.
 */
export type Sink = {
  /** Name for messages: `postgres`, `parquet` … */
  readonly name: string
  /**
   * True: begin('first') … discard() leaves no trace (staging table, temp file, transaction). False: writes are visible
   * immediately.
   */
  readonly canStage: boolean
  /**
   * False: commit(…, 'page') cannot be made durable (everything of a run is in one transaction or in memory). The
   * engine then never calls it, keeps no cursor, and calls discard() on every abort. It may depend on the run that has
   * begun. Default: true.
   */
  readonly commitsPages?: boolean
  /**
   * True: `upsert`, `close` and `merge` need nothing of a record from files but `id`, `lastModified`, `status`,
   * `archiveReason` and `mergedInto`, its line and its hash. It may depend on the run that has begun.
   */
  readonly takesHeads?: boolean
  /** Starts or resumes a run. Undoes everything that was written after the last commit of an interrupted run. */
  begin(run: Run): Promise<void>
  /**
   * Open, planned … (non-archived) records: create or update by id. Never replaces a newer `lastModified` by an older
   * one (G5); the same one again changes nothing (C159). May also bring the archived survivor of a merge that the
   * target did not hold, followed by close() with it: write it as closed already, a crash may come in between.
   */
  upsert(records: readonly TenderRecord[]): Promise<void>
  /**
   * Records archived as expired, cancelled, awarded (or for a reason yet unknown): close in the target, content
   * updated, under the same guard. Unknown ids are skipped unless the run says `keepArchived`. May bring a held record
   * again in the same version, with status and reason `lost`: the stock no longer has it.
   */
  close(records: readonly TenderRecord[]): Promise<void>
  /**
   * Called after the survivor is present: `record` becomes a pointer to `into`, under the same guard. Unknown ids are
   * skipped unless the run says `keepArchived`. A sink that keeps records as they were delivered may leave `mergedInto`
   * as it is where a first run replaces all it holds: the next delta brings the new pointer.
   */
  merge(merges: readonly Merge[]): Promise<void>
  /**
   * Makes everything since begin or the last commit durable, then (a sink with `state`) saves `state` in the same
   * transaction. `run`: the run is complete; a staged first run replaces the content of the target at once, as a
   * whole: it is one edition, even where the target held something newer (a first run that restarted on a node that
   * lags).
   */
  commit(state: SyncState, end: 'page' | 'run'): Promise<void>
  /** Abandons the run: a staged run leaves no trace, including pages committed into the staging. */
  discard(): Promise<void>
  /**
   * Returns `lastModified` by id for the records that the sink holds, including what this run wrote (in a staged run:
   * only the staging); used by verify, by restarted first runs (G1) and by merges.
   */
  held(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Returns a record as the target holds it, including what this run wrote; undefined for an unknown one. A target that
   * keeps no whole records has no such method.
   */
  record?(id: string): Promise<TenderRecord | undefined>
  /** Yields all ids with lastModified and status, as committed, in any order; for verify and G1. */
  all(): AsyncIterable<{ readonly id: string; readonly lastModified: string; readonly status: string }>
  /**
   * Returns the digest of what the target holds, including what this run wrote (in a staged run: only the staging). It
   * is computed from what is stored, so that a record that another program removed is noticed. A target that keeps no
   * records stores the hash of what it was given. Undefined, or absent: the copy cannot be compared with its edition.
   */
  digest?(): Promise<CopyDigest | undefined>
  /** The target as its users read it; without it `tender-sync verify` compares what all() returns. */
  readonly readBack?: ReadBack
  /** Where the sink keeps the state itself; commit() writes it. If absent, pass a state store to sync(). */
  readonly state?: StateStore
  /**
   * Returns what a person must know about the last run although it completed: records that the target refused …
   * Sentences, for the summary and the log; empty or absent if there is nothing.
   */
  readonly warnings?: readonly string[]
  /** Closes connections and files. The sink cannot be used afterwards. */
  end(): Promise<void>
}

/** One record in the target. `content` covers everything that the target says about it, in the form of `contentOf`. */
export type SeenRecord = {
  readonly id: string
  readonly lastModified: string
  readonly status: string
  readonly content: string
  /**
   * The record that the target keeps, from which `content` follows unless something was damaged; missing if it is gone.
   */
  readonly record?: TenderRecord
}

/** Reads the same files or tables that people load, and nothing that is stored beside them. */
export type ReadBack = {
  /**
   * Yields every record; none if there is no target yet. Rejects with a CopyDamagedError if a user's program could not
   * read it.
   */
  rows(): AsyncIterable<SeenRecord>
  /** The `content` that the target must have for a record. */
  contentOf(record: TenderRecord): string
}

/**
 * Thrown by begin() of a resumed first run whose staged pages are gone (a deleted temporary file, a restored database).
 */
export class StagingLostError extends ClientError {
  override readonly name = 'StagingLostError'
  override readonly code = 'staging-lost'
}

/** Stores the state between runs. `save` is durable when it resolves, and never leaves half a state behind. */
export type StateStore = {
  load(): Promise<SyncState | undefined>
  save(state: SyncState): Promise<void>
  clear(): Promise<void>
}

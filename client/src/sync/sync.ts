// One run of the sync procedure (docs/specification.md, 8.2): fetches what changed, hands it to a sink, keeps the
// state.
//
// Why the copy is equal to the stock afterwards: the state T is a `lastModified` that was delivered, so it never
// exceeds that of the edition a run was pinned to; everything changed later carries a larger one and is in range of the
// next run (docs/sync/proof.md). The rest is order: sink, then its commit, then the state; a crash in between repeats,
// never skips.
import { ClientError } from '../client-error.ts'
import { listenerOf } from '../listener.ts'
import { ProblemError } from '../problem-error.ts'
import { UnreachableError } from '../unreachable-error.ts'
import type { BulkSource } from './bulk-source.ts'
import { FeedError } from './feed-error.ts'
import { earlierOf } from './instants.ts'
import type { HeldLock, RunLock } from './run-lock.ts'
import { type Run, type RunKind, type Sink, StagingLostError, type StateStore, type SyncState } from './sink.ts'
import type { SyncCounts, SyncEvent } from './sync-event.ts'
import { filterHash, type SyncFilters } from './sync-filters.ts'
import { StateError } from './sync-state.ts'
import { isUnfinished, type TenderSource, type WalkEnd, type WalkOptions, type WalkPlan, walkRun } from './walk-run.ts'

export type { SyncCounts, SyncEvent } from './sync-event.ts'

export type SyncOptions = {
  readonly client: TenderSource
  readonly sink: Sink
  /** Missing or empty: the complete stock. */
  readonly filters?: SyncFilters
  /** Where the state is kept; default: the sink's own `state`. One of the two is needed. */
  readonly state?: StateStore
  /** Without it, only runs into the same sink object in this process are kept apart. */
  readonly lock?: RunLock
  /**
   * `open` (default): the first run brings what is open now. `history`: it brings everything since 2022-01-01, archived
   * records included, and archived records that the target does not know are created from then on.
   */
  readonly initial?: 'open' | 'history'
  /**
   * What to do when the state belongs to other filters (G4): `refuse` (default), or `restart` the copy with a first
   * run.
   */
  readonly onFilterChange?: 'refuse' | 'restart'
  /** Files of a whole edition, from which a first run comes where it can; with filters it never does. */
  readonly bulk?: BulkSource
  /** Records per page, 1 to 100; default 100. */
  readonly limit?: number
  /** Stops the run at the next safe point; it can be resumed. */
  readonly signal?: AbortSignal
  readonly on?: (event: SyncEvent) => void
  /** Milliseconds that only rise, for `elapsedMs`; never compared with a time of the API (C149). */
  readonly clock?: () => number
}

/** Why a run ended early. `sink` includes the state store. */
export type AbortReason =
  | 'signal'
  | 'problem'
  | 'unreachable'
  | 'feed'
  | 'filters-changed'
  | 'state'
  | 'lock-lost'
  | 'differs'
  | 'behind'
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
      /** What a person should know although the run completed, in sentences; missing if there is nothing. */
      readonly warnings?: readonly string[]
    }
  /** Another run is in progress (C154). */
  | { readonly result: 'skipped' }
  | {
      readonly result: 'aborted'
      readonly reason: AbortReason
      readonly error: unknown
      /**
       * The next run continues at the page where this one stopped (while the cursor is valid), else from the stored
       * state.
       */
      readonly isResumable: boolean
    }
)

/**
 * No record of the stock was last changed before this time; with it as `updated_since`, archived records are delivered
 * too.
 */
const archiveFloor = '2022-01-01T00:00:00.000Z'

/**
 * `lock-lost`: the lock expired while the run was in progress, and another run may have begun; `filters-changed`: the
 * state belongs to other filters; `differs`: the copy is not the edition, and going over everything again did not help;
 * `behind`: the API has answered with an edition that is older than the copy's, for hours.
 */
class RunError extends ClientError {
  override readonly name = 'RunError'
  override readonly code: 'lock-lost' | 'filters-changed' | 'differs' | 'behind'
  constructor(code: RunError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const hourMs = 3_600_000
/** A node that lags is behind for seconds, and an outage of its database takes minutes. */
const hoursToWarning = 2
const hoursToFailure = 6

/** Sinks into which a run of this process is writing. */
const sinksAtWork = new WeakSet<Sink>()

/**
 * Brings the sink up to date and resolves to what happened; never rejects for faults of the network, the API, the sink
 * or the state store: those are outcome `aborted`, with the stored state unchanged (C153, C160). Throws a TypeError
 * when neither the sink nor the options have a state store.
 */
export async function sync(options: SyncOptions): Promise<SyncOutcome> {
  const { sink, lock, clock = () => performance.now() } = options
  const states = options.state ?? sink.state
  if (!states) throw new TypeError(`The sink ${sink.name} keeps no state; pass one as \`state\`.`)
  const startedAt = clock()
  const counts = { pages: 0, records: 0, upserted: 0, closed: 0, merged: 0, fetched: 0, restarts: 0 }
  const measure = () => ({ counts, elapsedMs: clock() - startedAt })
  if (sinksAtWork.has(sink)) return { result: 'skipped', ...measure() }
  sinksAtWork.add(sink)
  let held: HeldLock | undefined
  try {
    held = await lock?.acquire()
    if (lock && !held) return { result: 'skipped', ...measure() }
    return { ...(await new Attempt(options, states, held, counts).run()), ...measure() }
  } catch (error) {
    return { result: 'aborted', reason: 'sink', error, isResumable: false, ...measure() }
  } finally {
    sinksAtWork.delete(sink)
    await held?.release().catch(() => {})
  }
}

type Ending =
  | Omit<Extract<SyncOutcome, { result: 'completed' }>, 'counts' | 'elapsedMs'>
  | Omit<Extract<SyncOutcome, { result: 'aborted' }>, 'counts' | 'elapsedMs'>

/** One call of sync() that holds its lock. */
class Attempt {
  readonly #options: SyncOptions
  readonly #states: StateStore
  readonly #held: HeldLock | undefined
  readonly #counts: WalkOptions['counts']
  readonly #emit: (event: SyncEvent) => void
  #isBegun = false
  #isKept = false

  constructor(options: SyncOptions, states: StateStore, held: HeldLock | undefined, counts: WalkOptions['counts']) {
    this.#options = options
    this.#states = states
    this.#held = held
    this.#counts = counts
    this.#emit = listenerOf(options.on)
  }

  async run(): Promise<Ending> {
    try {
      return await this.#complete()
    } catch (error) {
      // What was never committed as a page has no cursor from which to continue; it must not stay in a staging either.
      if (this.#isBegun && !this.#isKept) await this.#options.sink.discard().catch(() => {})
      // files that were lost are not opened again
      if (this.#options.bulk && error instanceof StagingLostError) return this.run()
      return { result: 'aborted', reason: this.#reasonOf(error), error, isResumable: this.#isKept }
    }
  }

  async #complete(): Promise<Ending> {
    const walkOptions = await this.#walkOptions()
    const stored = await this.#loadState(walkOptions.filterHash)
    const first = await this.#begin(stored, walkOptions)
    let end = await this.#walkOn(walkOptions, stored, first)
    // This happens once, and not again in later runs while the difference stays: what a whole run does not repair, the
    // next one will not repair either.
    if (end.isDifferent && !first.isRepair && !stored?.copy?.isDifferent) {
      this.#emit({ type: 'differs', edition: end.state.copy?.edition })
      end = await this.#repair(walkOptions, end, 'few')
    }
    // What was archived is closed now: the rest can be looked up one by one.
    if (end.isDifferent && end.isUnchecked) end = await this.#repair(walkOptions, end, 'all')
    const { state } = end
    if (end.isDifferent)
      throw new RunError(
        'differs',
        `The copy differs from edition ${state.copy?.edition}, and a run over all records did not repair it. ` +
          'Rebuild the copy (reset the state); tender-sync verify names the records.',
      )
    const warnings = this.#warningsOf(end)
    return {
      result: 'completed',
      kind: first.kind,
      isResumed: first.isResumed,
      ...(state.updatedSince !== undefined && { updatedSince: state.updatedSince }),
      ...(warnings.length > 0 && { warnings }),
    }
  }

  /** @throws RunError `behind` if this has lasted for too long. */
  #warningsOf({ lost, behind }: WalkEnd): string[] {
    const warnings: string[] = []
    if (lost > 0) {
      const [records, them, they] = lost === 1 ? ['1 record', 'it', 'it is'] : [`${lost} records`, 'them', 'they are']
      warnings.push(
        `The stock no longer has ${records} of the copy; ${they} closed with the reason "lost". This happens ` +
          `after a restore from a backup: if the sources bring ${them} again, ${they} opened again.`,
      )
    }
    const hours = behind ? Math.floor((behind.sentMs - behind.sinceMs) / hourMs) : 0
    if (!behind || hours < hoursToWarning) return warnings
    const text =
      `The API has answered with older editions than the copy holds for ${hours} hours (edition ` +
      `${behind.edition}, the copy has seen ${behind.newest}): a node lags, or the service was restored ` +
      'without a new epoch and the copy is wrong. Ask its operator.'
    if (hours >= hoursToFailure) throw new RunError('behind', text)
    return [...warnings, `${text} After ${hoursToFailure} hours runs fail.`]
  }

  #withFiles(options: WalkOptions, { kind, isRepair }: WalkPlan): WalkOptions {
    const { client, bulk, sink } = this.#options
    if (!bulk || kind !== 'first' || isRepair) return options
    return { ...options, client: bulk.over(client, archiveFloor, sink) }
  }

  async #repair(options: WalkOptions, { state, lost }: WalkEnd, looksUp: 'few' | 'all'): Promise<WalkEnd> {
    const end = await this.#walkOn(options, state, { ...(await this.#beginRepair(options)), looksUp })
    return { ...end, lost: lost + end.lost }
  }

  /** Walks the list, and then the changes since what was left open. */
  async #walkOn(options: WalkOptions, stored: SyncState | undefined, plan: WalkPlan): Promise<WalkEnd> {
    let end = await walkRun(this.#withFiles(options, plan), stored, plan)
    while (end.needsDelta) {
      const { isUnchecked, lost } = end
      const next = await this.#begin(end.state, options)
      const isRepair = plan.isRepair && !isUnchecked
      end = await walkRun(options, end.state, isRepair ? { ...next, isRepair: true } : next)
      end = { ...end, isUnchecked: isUnchecked || end.isUnchecked, lost: lost + end.lost }
    }
    return end
  }

  /**
   * Walks everything on top of the copy: missing records are added, old ones replaced, and records that are held as
   * open and were not delivered are checked, as after a first run into a target that was not empty (G1).
   */
  async #beginRepair({ filterHash: hash, keepArchived }: WalkOptions): Promise<WalkPlan> {
    const { sink } = this.#options
    await sink.begin({ kind: 'delta', filterHash: hash, resumed: false, keepArchived })
    this.#isKept = false
    const oldestHeld = await this.#oldestHeld()
    const updatedSince = keepArchived ? archiveFloor : undefined
    this.#emit({ type: 'run', kind: 'delta', isResumed: false, ...(updatedSince !== undefined && { updatedSince }) })
    return {
      kind: 'delta',
      isResumed: false,
      isRepair: true,
      ...(updatedSince !== undefined && { updatedSince }),
      ...(oldestHeld !== undefined && { oldestHeld }),
    }
  }

  async #walkOptions(): Promise<WalkOptions> {
    const { client, sink, filters = {}, limit = 100, initial, signal } = this.#options
    return {
      client,
      sink,
      states: this.#states,
      filters,
      filterHash: await filterHash(filters),
      limit,
      keepArchived: initial === 'history',
      ...(signal && { signal }),
      emit: this.#emit,
      counts: this.#counts,
      checkLock: async () => {
        if (this.#held && !(await this.#held.isHeld()))
          throw new RunError('lock-lost', 'The lock of this run was lost; another run may have started.')
      },
      onPageKept: () => {
        this.#isKept = true
      },
    }
  }

  /** Returns the stored state, if it belongs to these filters (G4). */
  async #loadState(hash: string): Promise<SyncState | undefined> {
    const stored = await this.#states.load()
    if (!stored || stored.filterHash === hash) return stored
    if (this.#options.onFilterChange !== 'restart')
      throw new RunError(
        'filters-changed',
        'The stored state belongs to other filters: its time says nothing about records that only the new ones match. ' +
          "Restore the filters, or rebuild the copy (onFilterChange: 'restart', or reset the state).",
      )
    await this.#states.clear()
    this.#emit({ type: 'restart', reason: 'filters-changed' })
    return undefined
  }

  /** Decides what kind of run is due and begins it. */
  async #begin(
    stored: SyncState | undefined,
    { filterHash: hash, keepArchived, filters, signal }: WalkOptions,
  ): Promise<WalkPlan> {
    const { sink, bulk } = this.#options
    const begin = async (plan: WalkPlan, isFromFiles = false): Promise<WalkPlan> => {
      const run: Run = { kind: plan.kind, filterHash: hash, resumed: plan.isResumed, keepArchived, isFromFiles }
      this.#isBegun = true
      await sink.begin(run)
      this.#emit({
        type: 'run',
        kind: plan.kind,
        isResumed: plan.isResumed,
        ...(plan.updatedSince !== undefined && { updatedSince: plan.updatedSince }),
      })
      return plan
    }
    if (stored?.run && sink.commitsPages !== false) {
      this.#isKept = true
      try {
        return await begin({ ...stored.run, isResumed: true })
      } catch (error) {
        if (!(error instanceof StagingLostError)) throw error
      }
      // The cursor is removed before the new staging is created: a crash in between must not resume into an empty
      // staging.
      await this.#forgetRun(stored)
      this.#isKept = false
      this.#emit({ type: 'restart', reason: 'staging-lost' })
    }
    if (stored?.updatedSince !== undefined)
      return begin({ kind: 'delta', isResumed: false, updatedSince: stored.updatedSince })
    const first = await begin(
      { kind: 'first', isResumed: false, ...(keepArchived && { updatedSince: archiveFloor }) },
      Object.keys(filters).length === 0 && (await bulk?.open(signal)),
    )
    const oldestHeld = keepArchived || sink.canStage ? undefined : await this.#oldestHeld()
    return oldestHeld === undefined ? first : { ...first, oldestHeld }
  }

  async #forgetRun({ run: _, ...state }: SyncState): Promise<void> {
    if (state.updatedSince === undefined) await this.#states.clear()
    else await this.#states.save(state)
  }

  /**
   * Smallest `lastModified` of the records that the target holds as unfinished: no change to any of them came earlier
   * (G1).
   */
  async #oldestHeld(): Promise<string | undefined> {
    let oldest: string | undefined
    for await (const { lastModified, status } of this.#options.sink.all())
      if (isUnfinished(status)) oldest = earlierOf(oldest, lastModified)
    return oldest
  }

  #reasonOf(error: unknown): AbortReason {
    if (this.#options.signal?.aborted) return 'signal'
    if (error instanceof ProblemError) return 'problem'
    if (error instanceof UnreachableError || error instanceof FeedError || error instanceof StateError)
      return error.code
    return error instanceof RunError ? error.code : 'sink'
  }
}

// One walk over the list, from its first page (or a kept cursor) to its end, into a sink.
import { ProblemError } from '../problem-error.ts'
import { type SeenEdition, seeEdition } from '../seen-edition.ts'
import type { TenderList, TenderRecord, TendersQuery } from '../types.ts'
import { type CopyDigest, differsFrom, type EditionDigest } from './copy-digest.ts'
import { FeedError } from './feed-error.ts'
import { earlierOf, instantMs, laterOf } from './instants.ts'
import { lostMark, lostVersion } from './lost-record.ts'
import { MergeQueue } from './merge-queue.ts'
import type { RunKind, Sink, StateStore, SyncState } from './sink.ts'
import type { RestartReason, SyncCounts, SyncEvent } from './sync-event.ts'
import type { SyncFilters } from './sync-filters.ts'

/** What the engine needs of a client (a TenderClient): pages and single records, with retries. */
export type TenderSource = {
  page(
    query: TendersQuery,
    signal?: AbortSignal,
  ): Promise<
    TenderList & {
      readonly edition?: number
      readonly digest?: { readonly open: string; readonly all: string }
      readonly sentAt?: string
    }
  >
  get(id: string, signal?: AbortSignal, seen?: SeenEdition): Promise<TenderRecord>
}

/** What stays the same for all walks of one sync(). */
export type WalkOptions = {
  readonly client: TenderSource
  readonly sink: Sink
  readonly states: StateStore
  readonly filters: SyncFilters
  readonly filterHash: string
  readonly limit: number
  readonly keepArchived: boolean
  readonly signal?: AbortSignal
  readonly emit: (event: SyncEvent) => void
  readonly counts: { -readonly [name in keyof SyncCounts]: SyncCounts[name] }
  /** Throws if the lock was lost. */
  readonly checkLock: () => Promise<void>
  /** Called after a page is committed: from then on the run can be resumed. */
  readonly onPageKept: () => void
}

export type WalkPlan = {
  readonly kind: RunKind
  readonly isResumed: boolean
  readonly updatedSince?: string
  readonly cursor?: string
  readonly largest?: string
  readonly merges?: readonly string[]
  readonly edition?: number
  readonly oldestHeld?: string
  readonly isRepair?: true
  /** The walk brings everything that a complete copy holds; what it leaves out is looked up: all, or a few records. */
  readonly looksUp?: 'all' | 'few'
}

/** How a walk ended. */
export type WalkEnd = {
  readonly state: SyncState
  readonly needsDelta: boolean
  /** Whether the copy is not the edition; undefined if that is unknown. */
  readonly isDifferent: boolean | undefined
  /** Whether a repair ended without a look at what the walk left out. */
  readonly isUnchecked: boolean
  /** How many records were closed because the stock no longer has them. */
  readonly lost: number
  /** Whether the pages came from an edition that is older than the copy's, and since when. */
  readonly behind:
    | { readonly edition: number; readonly newest: number; readonly sinceMs: number; readonly sentMs: number }
    | undefined
}

/** Maximum restarts of a run, in case a server refuses one cursor after another. */
const maxRestarts = 3
/**
 * Maximum number of leftover records that are fetched one by one; more are better delivered by a run over the changes
 * since.
 */
const maxSingleChecks = 600
const finishedStatuses = new Set(['closed', 'awarded', 'cancelled', 'merged', lostMark])

/**
 * Whether there is anything left to learn about a held record. Archived ones are closed already; they are delivered
 * again if they change.
 */
export const isUnfinished = (status: string): boolean => !finishedStatuses.has(status)

const msOrNothing = (text: string | undefined): number =>
  text === undefined ? Number.NEGATIVE_INFINITY : instantMs(text)

/** Walks the list to its end and resolves to the committed state. The sink's begin() was called before. */
export async function walkRun(options: WalkOptions, stored: SyncState | undefined, plan: WalkPlan): Promise<WalkEnd> {
  return new Walk(options, stored, plan).walk()
}

class Walk {
  readonly #options: WalkOptions
  readonly #stored: SyncState | undefined
  readonly #plan: WalkPlan
  readonly #merges: MergeQueue
  /** IDs delivered so far; stored only if leftover records must be identified (G1). */
  readonly #seen: Set<string> | undefined
  #updatedSince: string | undefined
  #cursor: string | undefined
  #largest: string | undefined
  /** The newest edition that a page came from. */
  #edition: number | undefined
  /** The newest one that a page or a fetched record came from: what is fetched must not contradict it. */
  readonly #newest: SeenEdition = {}
  /** The newest time on the pages of this walk, and the id beside it: the list ascends by both. */
  #latestMs: number
  #latestId = ''
  #restarts = 0
  /** What the pages since the last restart said of their edition; undefined when they named several, or none. */
  #stock: EditionDigest | undefined
  #isStockMixed = false
  /** The `Date` of the last page. */
  #sentAt: string | undefined
  #isUnchecked: boolean
  #lost = 0

  constructor(options: WalkOptions, stored: SyncState | undefined, plan: WalkPlan) {
    this.#options = options
    this.#stored = stored
    this.#plan = plan
    this.#updatedSince = plan.updatedSince
    this.#cursor = plan.cursor
    this.#largest = plan.largest
    this.#edition = plan.edition
    seeEdition(this.#newest, plan.edition)
    // Not `largest`: after a restart the cursor may be before what an earlier part of the run had reached.
    this.#latestMs = msOrNothing(plan.updatedSince)
    const looksAtLeftOver = plan.oldestHeld !== undefined || plan.looksUp !== undefined
    this.#seen = looksAtLeftOver && !plan.isResumed ? new Set() : undefined
    this.#isUnchecked = plan.isRepair === true && plan.isResumed
    this.#merges = new MergeQueue({
      sink: options.sink,
      keepArchived: options.keepArchived,
      fetchRecord: async (id) => {
        options.counts.fetched++
        return options.client.get(id, options.signal, this.#newest)
      },
      write: (record) => this.#writeFetched(record),
      onSurvivor: (id, isFound) => options.emit({ type: 'survivor', id, isFound }),
    })
  }

  async walk(): Promise<WalkEnd> {
    const { counts, emit, checkLock } = this.#options
    await this.#merges.restore(this.#plan.merges ?? [])
    for (;;) {
      const page = await this.#fetchPage()
      if (page === undefined) continue
      this.#checkPage(page)
      if (page.edition !== undefined) this.#edition = Math.max(page.edition, this.#edition ?? 0)
      seeEdition(this.#newest, page.edition)
      this.#noteStock(page)
      this.#sentAt = page.sentAt
      await checkLock()
      await this.#write(page.data)
      counts.pages++
      counts.records += page.data.length
      const last = page.data.at(-1)?.lastModified
      this.#largest = laterOf(this.#largest, last)
      emit({
        type: 'page',
        records: page.data.length,
        counts: { ...counts },
        hasMore: page.nextCursor !== null,
        ...(last !== undefined && { lastModified: last }),
      })
      if (page.nextCursor === null) return this.#finish()
      this.#cursor = page.nextCursor
      await this.#commitPage()
    }
  }

  #noteStock({ edition, digest }: Awaited<ReturnType<TenderSource['page']>>): void {
    const isOther = this.#stock !== undefined && this.#stock.edition !== edition
    if (edition === undefined || !digest || isOther) this.#isStockMixed = true
    this.#stock = this.#isStockMixed ? undefined : { edition: edition!, ...digest! }
  }

  /** Undefined: the cursor was refused, and the walk continues without it. */
  async #fetchPage(): Promise<Awaited<ReturnType<TenderSource['page']>> | undefined> {
    const { client, filters, limit, signal } = this.#options
    try {
      return await client.page(
        {
          ...filters,
          limit,
          ...(this.#updatedSince !== undefined && { updated_since: this.#updatedSince }),
          ...(this.#cursor !== undefined && { cursor: this.#cursor }),
        },
        signal,
      )
    } catch (error) {
      const reason = this.#cursorFault(error)
      if (reason === undefined || this.#restarts === maxRestarts) throw error
      await this.#restart(reason)
      return undefined
    }
  }

  /**
   * Whether it is only the cursor's fault. A stored cursor that is refused for whatever reason must not block all later
   * runs.
   */
  #cursorFault(error: unknown): RestartReason | undefined {
    if (this.#cursor === undefined || !(error instanceof ProblemError) || error.problem.status !== 400) return undefined
    if (error.isCursorExpired) return 'cursor-expired'
    const isKept = this.#cursor === this.#plan.cursor
    return isKept || error.slug.startsWith('cursor-') ? 'cursor-refused' : undefined
  }

  /**
   * C155: a delta restarts from the stored state. A first run has none; restarting it would leave records open forever
   * that were archived in between (G1). It continues with the changes since the last record that it delivered:
   * everything before that one is in the target, and everything that changed since has a larger `lastModified`,
   * archived or not. The old cursor is forgotten first: the new part may write old versions, from a node that lags, of
   * records that the old part passed by (archived, unknown to the target), and a later run must not go on behind them.
   */
  async #restart(reason: RestartReason): Promise<void> {
    const { kind, updatedSince } = this.#plan
    this.#restarts++
    this.#options.counts.restarts++
    this.#cursor = undefined
    this.#stock = undefined
    this.#isStockMixed = false
    this.#updatedSince = kind === 'first' ? (this.#largest ?? updatedSince) : updatedSince
    // The next part may come from a node that lags, and bring old versions of what the sink did not take from the first
    // part (archived and unknown): the state must not pass their successors by. A first run skipped nothing below its
    // largest.
    if (kind !== 'first') this.#largest = undefined
    this.#latestMs = msOrNothing(this.#updatedSince)
    this.#latestId = ''
    await this.#options.checkLock()
    await this.#commitPage()
    this.#options.emit({
      type: 'restart',
      reason,
      ...(this.#updatedSince !== undefined && { updatedSince: this.#updatedSince }),
    })
  }

  /**
   * The list ascends and its cursor moves, so it ends; otherwise an answer was mixed up on the way, or a parameter was
   * lost.
   */
  #checkPage(page: TenderList): void {
    for (const { id, lastModified } of page.data) {
      const ms = instantMs(lastModified)
      if (ms < this.#latestMs || (ms === this.#latestMs && id <= this.#latestId))
        throw new FeedError(`Record ${id} of ${lastModified} follows a later one, or precedes updated_since.`)
      this.#latestMs = ms
      this.#latestId = id
    }
    if (page.nextCursor === null) return
    if (page.nextCursor === this.#cursor)
      throw new FeedError('The API answered a page with the cursor of that same page.')
    if (page.data.length === 0) throw new FeedError('The API answered a page without records that is not the last.')
  }

  async #write(records: readonly TenderRecord[]): Promise<void> {
    const { sink, counts } = this.#options
    const open = records.filter(({ archiveReason }) => archiveReason === undefined)
    const merged = records.filter(({ archiveReason, mergedInto }) => archiveReason === 'merged' && mergedInto)
    const archived = records.filter((record) => record.archiveReason !== undefined && !merged.includes(record))
    if (open.length > 0) await sink.upsert(open)
    if (archived.length > 0) await sink.close(archived)
    counts.upserted += open.length
    counts.closed += archived.length
    for (const { id } of records) this.#seen?.add(id)
    await this.#applyMerges(await this.#merges.due(merged, new Set(records.map(({ id }) => id))))
  }

  async #applyMerges(merges: readonly { readonly record: TenderRecord; readonly into: string }[]): Promise<void> {
    if (merges.length > 0) await this.#options.sink.merge(merges)
    this.#options.counts.merged += merges.length
  }

  /** A survivor must be there even if it is archived meanwhile and unknown to the target. */
  async #writeFetched(record: TenderRecord): Promise<void> {
    const { sink } = this.#options
    await sink.upsert([record])
    if (record.archiveReason !== undefined) await sink.close([record])
  }

  /** Keeps where the run stands, if the sink can keep a part of a run. */
  async #commitPage(): Promise<void> {
    if (this.#options.sink.commitsPages === false) return
    const merges = this.#merges.waitingIds
    await this.#commit('page', {
      schema: 1,
      filterHash: this.#options.filterHash,
      ...(this.#stored?.updatedSince !== undefined && { updatedSince: this.#stored.updatedSince }),
      ...(this.#stored?.copy && { copy: this.#stored.copy }),
      run: {
        kind: this.#plan.kind,
        ...(this.#cursor !== undefined && { cursor: this.#cursor }),
        ...(this.#updatedSince !== undefined && { updatedSince: this.#updatedSince }),
        ...(this.#largest !== undefined && { largest: this.#largest }),
        ...(merges.length > 0 && { merges }),
        ...(this.#edition !== undefined && { edition: this.#edition }),
        ...(this.#plan.oldestHeld !== undefined && { oldestHeld: this.#plan.oldestHeld }),
        ...(this.#plan.isRepair && { isRepair: true }),
      },
    })
    this.#options.onPageKept()
  }

  /** The order that makes crashes harmless: the sink's writes, their commit, then the state. */
  async #commit(end: 'page' | 'run', state: SyncState): Promise<void> {
    const { sink, states, emit } = this.#options
    await sink.commit(state, end)
    if (states !== sink.state) await states.save(state)
    emit({ type: 'committed', end, state })
  }

  async #finish(): Promise<WalkEnd> {
    const { filterHash, checkLock, sink } = this.#options
    await this.#settleMerges()
    const { isRepair, updatedSince: since } = this.#plan
    // The open records alone say nothing about those that were archived meanwhile.
    const isOfOpenOnly = isRepair && since === undefined
    const floor = earlierOf(await this.#lookAtLeftOver(), isOfOpenOnly ? this.#stored?.updatedSince : undefined)
    await checkLock()
    const reached = laterOf(this.#stored?.updatedSince, this.#largest)
    const updatedSince = earlierOf(reached, floor)
    const needsDelta = updatedSince !== reached
    const held = await sink.digest?.()
    const isDifferent = held && !needsDelta ? this.#isDifferent(held, reached) : undefined
    const behind = this.#behind()
    const state: SyncState = {
      schema: 1,
      filterHash,
      ...(updatedSince !== undefined && { updatedSince }),
      ...(held && {
        copy: {
          ...this.#knownCopy(held, isDifferent),
          ...(behind && { behindSince: new Date(behind.sinceMs).toISOString() }),
        },
      }),
    }
    await this.#commit('run', state)
    return { state, needsDelta, isDifferent, isUnchecked: this.#isUnchecked, lost: this.#lost, behind }
  }

  /** Undefined also if the answers do not say when they were sent: the client's own clock decides nothing (C149). */
  #behind(): WalkEnd['behind'] {
    const { edition: newest, behindSince } = this.#stored?.copy ?? {}
    const edition = this.#edition
    const sentMs = Date.parse(this.#sentAt ?? '')
    if (edition === undefined || newest === undefined || edition >= newest || Number.isNaN(sentMs)) return undefined
    return { edition, newest, sentMs, sinceMs: behindSince === undefined ? sentMs : instantMs(behindSince) }
  }

  #isDifferent(held: CopyDigest, reached: string | undefined): boolean | undefined {
    const { filters, keepArchived } = this.#options
    // There is no digest of what filters leave.
    if (Object.values(filters).some((value) => value !== undefined && !(Array.isArray(value) && value.length === 0)))
      return undefined
    const since = Math.max(this.#stored?.copy?.edition ?? 0, this.#edition ?? 0)
    return differsFrom(held, this.#stock, { keepArchived, since, reached })
  }

  #knownCopy({ records, open, all }: CopyDigest, isDifferent: boolean | undefined): NonNullable<SyncState['copy']> {
    const before = this.#stored?.copy
    const edition = Math.max(this.#edition ?? 0, before?.edition ?? 0)
    const wasRepaired = this.#plan.isRepair === true && !this.#isUnchecked
    const wasLeftDifferent = wasRepaired || before?.isDifferent === true
    const known = { records, open, all, ...(edition > 0 && { edition }) }
    if (isDifferent === false) return { ...known, isDifferent: false }
    // A difference that a repair may still remove is not noted: if this process is killed now, the next run finds it
    // again.
    const isNoted = isDifferent ? wasLeftDifferent : before?.isDifferent === true
    return isNoted ? { ...known, isDifferent: true } : known
  }

  /**
   * G1, for a target that shows writes immediately and was not empty before its first run, and for a repair: records
   * that it held and the run did not deliver may have been archived since. Resolves to the `updated_since` from which
   * the changes to those records must still be walked; undefined if nothing is open.
   */
  async #lookAtLeftOver(): Promise<string | undefined> {
    const { oldestHeld, looksUp } = this.#plan
    const seen = this.#seen
    if (!seen) return oldestHeld
    // With the archived records, a walk over everything leaves out only what the stock does not have.
    const isInQuestion = looksUp && this.#options.keepArchived ? (status: string) => status !== lostMark : isUnfinished
    const leftOver = new Map<string, string>()
    for await (const { id, lastModified, status } of this.#options.sink.all())
      if (!seen.has(id) && isInQuestion(status)) leftOver.set(id, lastModified)
    if (leftOver.size === 0) return undefined
    this.#options.emit({ type: 'left-over', records: leftOver.size })
    let floor: string | undefined
    if (leftOver.size > maxSingleChecks && looksUp !== 'all') {
      this.#isUnchecked = true
      for (const lastModified of leftOver.values()) floor = earlierOf(floor, lastModified)
      return floor
    }
    const lost: string[] = []
    for (const [id, lastModified] of leftOver) {
      const found = await this.#check(id, lastModified)
      if (found === 'old') floor = earlierOf(floor, lastModified)
      else if (found === 'lost') lost.push(id)
    }
    await this.#settleMerges()
    await this.#closeLost(lost, leftOver)
    return floor
  }

  /** What cannot be delivered any more must not stay open for ever. */
  async #closeLost(ids: readonly string[], held: ReadonlyMap<string, string>): Promise<void> {
    if (ids.length === 0) return
    const { sink, emit } = this.#options
    for (const id of ids) await sink.close([lostVersion({ id, lastModified: held.get(id)! }, await sink.record?.(id))])
    this.#lost += ids.length
    emit({ type: 'lost', ids })
  }

  /** An orphan is closed: a pointer to an unknown record does not help. */
  async #settleMerges(): Promise<void> {
    const { merges, orphans } = await this.#merges.settle()
    if (orphans.length > 0) await this.#options.sink.close(orphans)
    await this.#applyMerges(merges)
  }

  /**
   * Fetches one leftover record. `old`: the answer is no newer than the held one; perhaps it came from a node that
   * lags. `lost`: in a repair, an edition that is not older than the copy's does not have it.
   */
  async #check(id: string, heldSince: string): Promise<'new' | 'old' | 'lost'> {
    const { client, signal, counts } = this.#options
    try {
      counts.fetched++
      const record = await client.get(id, signal, this.#newest)
      await this.#write([record])
      return instantMs(record.lastModified) > instantMs(heldSince) ? 'new' : 'old'
    } catch (error) {
      if (!(error instanceof ProblemError && error.problem.status === 404)) throw error
      const known = this.#stored?.copy?.edition
      const isProof = this.#edition !== undefined && known !== undefined && this.#edition >= known
      // A 404 without the API's own type comes from something in between.
      return this.#plan.looksUp && isProof && error.slug === 'not-found' ? 'lost' : 'old'
    }
  }
}

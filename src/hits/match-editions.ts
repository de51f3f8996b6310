// Matches each published edition with the searches that applied to it, and offers the hits to endpoints
// (docs/hits/concepts.md). Only one process does this at a time; if it is killed at any point, the next one continues
// from the mark and repeats no hit and no message.
import { correctedBy, type HitChange, type HitReason } from '../domain/hit-event.ts'
import type { TenderRecord } from '../domain/tender.ts'
import type { Clock } from '../platform/clock.ts'
import type { Executor, Store } from '../store/database/database.ts'
import { Pace } from '../store/database/paced.ts'
import { countsOf, type EditionRow, editionsAfter, entriesAfter, stockIdOf } from '../store/editions/editions.ts'
import {
  type HitMark,
  holdMark,
  type MarkLease,
  moveMark,
  releaseMark,
  takeMark,
  underMark,
} from '../store/hits/hit-mark.ts'
import {
  countEditionHits,
  entriesOf,
  entriesWithHits,
  floodedSearches,
  hitsOf,
  holdDeliveries,
  insertDeliveries,
  insertHits,
  type KnownHit,
  markHeld,
  type NewDelivery,
  type NewHit,
  subscriptionsOf,
  tendersWithNews,
  updateHits,
} from '../store/hits/hits.ts'
import { criteriaSerial, type StoredSearch } from '../store/hits/searches.ts'
import { byTodaysRule, hitChanges, isExpiry, mergedState, type WatchedState, watchedState } from './hit-changes.ts'
import { hitId, messageId } from './hit-id.ts'
import { loadMatcher } from './load-matcher.ts'
import type { Match } from './match-records.ts'
import type { Matcher } from './matcher.ts'

/** Maximum number of entries that are matched at once. */
const usualEntriesAtOnce = 500
/** How often the lease is renewed during a long task. */
const beatMs = 15_000

/** When the hits of one search in one edition are too many: then their deliveries wait for a person. */
type Cap = {
  /** More hits than this are always too many. */
  readonly hits: number
  /** More hits than this are too many if they also exceed this share of the records that are not archived. */
  readonly fewHits: number
  readonly share: number
}
const usualCap: Cap = { hits: 1000, fewHits: 200, share: 0.05 }

export type MatchOptions = {
  readonly matcher: Pick<Matcher, 'load' | 'match'>
  readonly clock: Clock
  /** When aborted, it stops after the work in progress, and the next call continues. */
  readonly signal?: AbortSignal
  /**
   * Called before each further page of an edition with how long the last one took, in ms; it may wait, so that others
   * can work.
   */
  readonly rest?: (workedMs: number) => Promise<void>
  /** Called between any two steps; if it throws, the matching stops, and the next call continues. */
  readonly onStep?: (step: MatchStep) => void
  /** For tests. */
  readonly cap?: Cap
  readonly entriesAtOnce?: number
  /** Decides how many rows are written at once. Default: as many as take a moment. */
  readonly pace?: Pick<Pace, 'run'>
}

type MatchStep =
  | 'changes are read'
  | 'changes are written'
  | 'searches are loaded'
  | 'matches are found'
  | 'a piece is written'
  | 'hits are written'
  | 'deliveries are held'
  | 'the edition is matched'

export type MatchOutcome =
  /** Another process is matching. */
  | { readonly kind: 'busy' }
  | {
      readonly kind: 'matched'
      /** Number of editions that are matched completely now and were not before. */
      readonly editions: number
      readonly hits: number
      /** Number of entries that were removed before they were matched: their hits may be missing. */
      readonly unseen: number
    }

type HitStore = Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>

/** Matches all editions that are not matched yet. Throws MarkLostError when another process took over. */
export async function matchEditions(store: HitStore, options: MatchOptions): Promise<MatchOutcome> {
  const lease = await takeMark(store.db)
  if (!lease) return { kind: 'busy' }
  try {
    const matching = new Matching(store, lease, await stockIdOf(store.db), options)
    for await (const step of matching.steps()) options.onStep?.(step)
    const { editions, hits, unseen } = matching
    return { kind: 'matched', editions, hits, unseen }
  } finally {
    // a lease that cannot be released expires
    await releaseMark(store.db, lease).catch(() => {})
  }
}

type ChangedHit = {
  readonly hit: KnownHit
  readonly lastModified: number
  readonly state: WatchedState
  readonly changes: readonly HitChange[]
  readonly reason: HitReason | null
}

type Offered = Pick<KnownHit, 'hitId' | 'searchId' | 'organizationId' | 'tenderId'> & {
  readonly lastModified: number
  readonly changes: readonly HitChange[] | null
  readonly reason: HitReason | null
}

/** What a process does while it has the lease. The methods stand in the order of their use. */
class Matching {
  editions = 0
  hits = 0
  unseen = 0
  readonly #store: HitStore
  readonly #lease: MarkLease
  readonly #stockId: string
  readonly #options: MatchOptions
  readonly #entriesAtOnce: number
  readonly #pace: Pick<Pace, 'run'>
  /** Where the next step begins: what is before it is committed. */
  #mark: HitMark
  /** The searches that the matcher holds, by number, and their serial. */
  #loaded: { readonly serial: number; readonly searches: ReadonlyMap<number, StoredSearch> } | undefined

  constructor(store: HitStore, lease: MarkLease, stockId: string, options: MatchOptions) {
    this.#store = store
    this.#lease = lease
    this.#stockId = stockId
    this.#options = options
    this.#entriesAtOnce = options.entriesAtOnce ?? usualEntriesAtOnce
    this.#pace = options.pace ?? new Pace(store.engine)
    this.#mark = lease.mark
  }

  /** Does all steps of all editions, and yields after each. A step that is stopped does not reach the next one. */
  async *steps(): AsyncGenerator<MatchStep> {
    while (!this.#isStopped) {
      const [edition] = await editionsAfter(this.#store.db, this.#mark.edition, 1)
      if (!edition) return
      if (this.#mark.step === 'changes') yield* this.#followChanges(edition)
      if (this.#mark.step === 'matches') yield* this.#findMatches(edition)
      if (this.#mark.step === 'holds') yield* this.#holdFloods(edition)
    }
  }

  get #isStopped(): boolean {
    return this.#options.signal?.aborted ?? false
  }

  /**
   * Applies the changes of tenders that have hits, before anything is matched: a hit whose tender was merged into
   * another one represents that one from here on and takes in its entries, and one whose tender was split off again no
   * longer does.
   */
  async *#followChanges(edition: EditionRow): AsyncGenerator<MatchStep> {
    const { db } = this.#store
    const { rules = [] } = await countsOf(db, edition.edition)
    const whole = { after: this.#mark.lastModified, upTo: edition.lastModified }
    for (;;) {
      if (this.#isStopped) return
      const span = { after: this.#mark.stepModified, upTo: edition.lastModified }
      const entries = await entriesWithHits(db, span, this.#entriesAtOnce)
      if (entries.length === 0) break
      const changed = await changedHits(db, entries, whole)
      const corrected = rules.length > 0 ? await this.#corrected(edition, changed, rules) : changed
      yield 'changes are read'
      const next = { ...this.#mark, stepModified: entries.at(-1)!.lastModified }
      yield* this.#writeInPieces(corrected, next, (trx, piece) => this.#writeChanges(trx, edition, piece))
    }
    await this.#move({ ...this.#mark, step: 'matches', stepModified: this.#mark.lastModified, stepEntries: 0 })
    yield 'changes are written'
  }

  /** Says of changes that neither a new notice nor the passing of a deadline made that changed rules made them. */
  async #corrected(
    { edition }: EditionRow,
    changed: readonly ChangedHit[],
    rules: readonly string[],
  ): Promise<readonly ChangedHit[]> {
    const ids = changed.map(idNow)
    const withNews = await tendersWithNews(this.#store.db, ids, edition)
    return changed.map((each) =>
      withNews.has(idNow(each)) || isExpiry(each.hit, each.state) ? each : { ...each, reason: correctedBy(rules) },
    )
  }

  async #writeChanges(trx: Executor, { edition }: EditionRow, changed: readonly ChangedHit[]): Promise<number> {
    if (changed.length === 0) return 0
    const updated = await updateHits(
      trx,
      changed.map(({ hit, state, lastModified }) => ({ hitId: hit.hitId, ...state, lastModified })),
    )
    const notified = changed.flatMap(({ hit, lastModified, changes, reason }) =>
      changes.length === 0 || !updated.has(hit.hitId) ? [] : [{ ...hit, lastModified, changes, reason }],
    )
    await this.#offer(trx, { kind: 'search.hit.changed', edition, hits: notified })
    return 0
  }

  /** Matches the entries that are not archived, page by page, outside any transaction. */
  async *#findMatches(edition: EditionRow): AsyncGenerator<MatchStep> {
    const { matcher, rest } = this.#options
    const from = this.#mark
    yield* this.#load(edition)
    const { searches } = this.#loaded!
    for (;;) {
      if (this.#isStopped) return
      if (searches.size === 0) break
      const startedAt = performance.now()
      const { db } = this.#store
      const entries = await entriesAfter(db, this.#mark.stepModified, edition.lastModified, this.#entriesAtOnce)
      if (entries.length === 0) break
      const bodies = entries.map(({ body }) => body)
      const matches = await this.#alive(() => matcher.match(bodies, edition.publishedAt))
      const hits = this.#newHits(edition, entries, matches)
      yield 'matches are found'
      const stepEntries = this.#mark.stepEntries + entries.length
      const next = { ...this.#mark, stepModified: entries.at(-1)!.lastModified, stepEntries }
      yield* this.#writeInPieces(hits, next, (trx, piece) => this.#writeHits(trx, edition, piece))
      if (this.#mark !== next) return
      if (rest && entries.length === this.#entriesAtOnce) await this.#alive(() => rest(performance.now() - startedAt))
    }
    const unseen = searches.size === 0 ? 0 : edition.changes - this.#mark.stepEntries
    await this.#move({ ...from, step: 'holds', stepModified: from.lastModified }, unseen)
    this.unseen += unseen
    yield 'hits are written'
  }

  /**
   * Loads the searches that apply to an edition into the matcher. That edition is published, so no later change is
   * among them.
   */
  async *#load({ edition }: EditionRow): AsyncGenerator<MatchStep> {
    const serial = await criteriaSerial(this.#store.db, edition)
    if (this.#loaded?.serial === serial) return
    const { matcher } = this.#options
    this.#loaded = { serial, searches: await this.#alive(() => loadMatcher(this.#store, matcher, edition, serial)) }
    yield 'searches are loaded'
  }

  #newHits(
    { edition }: EditionRow,
    entries: readonly { readonly lastModified: number; readonly body: string }[],
    matches: readonly Match[],
  ): NewHit[] {
    const matchesOf = Map.groupBy(matches, ({ tenderId }) => tenderId)
    return entries.flatMap(({ lastModified, body }) => {
      const own = matchesOf.get(idOf(body))
      if (own === undefined) return []
      const state = watchedState(JSON.parse(body) as TenderRecord)
      return own.map(({ searchNo, tenderId, fitScore, fit, matched, reasons }) => {
        const { searchId, version } = this.#loaded!.searches.get(searchNo)!
        return {
          searchNo,
          tenderId,
          hitId: hitId({ stockId: this.#stockId, searchId, tenderId }),
          edition,
          lastModified,
          searchVersion: version,
          fitScore,
          fit: JSON.stringify(fit),
          matched: JSON.stringify(matched),
          reasons: JSON.stringify(reasons),
          ...state,
        }
      })
    })
  }

  /** Adds hits and offers the new ones, all in one transaction. Returns how many are new. */
  async #writeHits(trx: Executor, { edition }: EditionRow, hits: readonly NewHit[]): Promise<number> {
    if (hits.length === 0) return 0
    const added = await insertHits(trx, hits, this.#options.clock())
    const made = hits.flatMap((hit) => {
      const { searchId, organizationId } = this.#loaded!.searches.get(hit.searchNo)!
      return added.has(hit.hitId) ? [{ ...hit, searchId, organizationId, changes: null, reason: null }] : []
    })
    const counts = new Map<number, number>()
    for (const { searchNo } of made) counts.set(searchNo, (counts.get(searchNo) ?? 0) + 1)
    await countEditionHits(trx, edition, counts)
    await this.#offer(trx, { kind: 'search.hit', edition, hits: made })
    return made.length
  }

  /** Offers hits to every endpoint that was subscribed when their edition was published. */
  async #offer(
    trx: Executor,
    { kind, edition, hits }: { kind: NewDelivery['kind']; edition: number; hits: readonly Offered[] },
  ): Promise<void> {
    if (hits.length === 0) return
    const subscriptions = await subscriptionsOf(trx, new Set(hits.map(({ organizationId }) => organizationId)), edition)
    const deliveries = hits.flatMap(({ hitId, searchId, organizationId, tenderId, lastModified, changes, reason }) =>
      subscriptions
        .filter(
          (each) =>
            each.organizationId === organizationId &&
            each.kinds.includes(kind) &&
            (each.searches === null || each.searches.includes(searchId)),
        )
        .map(({ endpointNo, endpointId, isActive }): NewDelivery => {
          const identity = { stockId: this.#stockId, searchId, tenderId }
          const id = messageId(identity, endpointId, kind === 'search.hit' ? 'new' : lastModified)
          return { messageId: id, endpointNo, kind, hitId, edition, lastModified, changes, reason, isDue: isActive }
        }),
    )
    await insertDeliveries(trx, deliveries, this.#options.clock())
  }

  /**
   * Holds the deliveries of searches that match too much, then marks the edition as matched: only from then on are its
   * messages sent.
   */
  async *#holdFloods({ edition, lastModified }: EditionRow): AsyncGenerator<MatchStep> {
    const { db } = this.#store
    const { hits, fewHits, share } = this.#options.cap ?? usualCap
    const { live } = await countsOf(db, edition)
    const cap = Math.min(hits, Math.max(fewHits, Math.floor(share * live)))
    for (const searchNo of await floodedSearches(db, edition, cap))
      for (let afterId: string | null = ''; afterId !== null; ) {
        if (this.#isStopped) return
        const place: HitPlace = { edition, searchNo, afterId }
        afterId = await this.#pace.run((limit) => this.#under((trx) => holdSome(trx, place, limit)))
        yield 'deliveries are held'
      }
    await this.#move({ edition, lastModified, step: 'changes', stepModified: lastModified, stepEntries: 0 })
    this.editions++
    yield 'the edition is matched'
  }

  /**
   * Writes rows, and counts the new hits, in short transactions; the last one moves the mark past all of them. If it is
   * interrupted between two, they are found and written again, and existing ones stay unchanged.
   */
  async *#writeInPieces<Row>(
    rows: readonly Row[],
    next: HitMark,
    write: (trx: Executor, piece: readonly Row[]) => Promise<number>,
  ): AsyncGenerator<MatchStep> {
    for (let done = 0; done === 0 || done < rows.length; ) {
      if (this.#isStopped) return
      done = await this.#pace.run(async (limit) => {
        const end = Math.min(rows.length, done + limit)
        this.hits += await this.#under(async (trx) => {
          const made = await write(trx, rows.slice(done, end))
          if (end === rows.length) await moveMark(trx, next)
          return made
        })
        return Math.max(end, 1)
      })
      yield 'a piece is written'
    }
    this.#mark = next
  }

  async #move(mark: HitMark, unseen = 0): Promise<void> {
    await this.#under((trx) => moveMark(trx, mark, unseen))
    this.#mark = mark
  }

  #under<Result>(work: (trx: Executor) => Promise<Result>): Promise<Result> {
    return underMark(this.#store, this.#lease, work)
  }

  /** Keeps the lease during a long task. */
  async #alive<Result>(work: () => Promise<Result>): Promise<Result> {
    // the next transaction fails if the lease is lost
    const beat = setInterval(() => void holdMark(this.#store.db, this.#lease).catch(() => {}), beatMs)
    try {
      return await work()
    } finally {
      clearInterval(beat)
    }
  }
}

/** The tender that holds the notices of a hit. */
const idNow = ({ hit, state }: ChangedHit): string => state.mergedInto ?? hit.tenderId

/**
 * The hits whose tenders, or the survivors of these, are no longer as they were. An edition says each thing once: where
 * it has an entry of the hit's own tender, this one tells, also what became of the survivor.
 */
async function changedHits(
  db: Executor,
  page: Awaited<ReturnType<typeof entriesWithHits>>,
  edition: Parameters<typeof entriesOf>[1],
): Promise<ChangedHit[]> {
  const entries = page.map(({ tenderId, lastModified, body }) => {
    const record = JSON.parse(body) as TenderRecord
    return { tenderId, lastModified, record, mergedInto: record.mergedInto ?? null }
  })
  const entryOf = new Map(entries.map((entry) => [entry.tenderId, entry]))
  const known = await hitsOf(db, entries)
  const survivors = known.flatMap(({ entryOf: id, isReplaced }) =>
    isReplaced ? [] : (entryOf.get(id)!.mergedInto ?? []),
  )
  const merged = known.flatMap(({ entryOf: id, tenderId }) => (id === tenderId ? [] : tenderId))
  const others = await entriesOf(db, edition, [...survivors, ...merged])
  const survivorOf = ({ isReplaced }: KnownHit, into: string | null): TenderRecord | undefined => {
    const body = into === null || isReplaced ? undefined : others.get(into)
    return body === undefined ? undefined : (JSON.parse(body) as TenderRecord)
  }
  return known.flatMap((hit) => {
    const { lastModified, record, mergedInto } = entryOf.get(hit.entryOf)!
    const isOwn = hit.entryOf === hit.tenderId
    if (!isOwn && (mergedInto !== null || others.has(hit.tenderId))) return []
    const asked = hit.askedStatus === null ? null : (JSON.parse(hit.askedStatus) as string[])
    const survivor = isOwn ? survivorOf(hit, mergedInto) : record
    const into = isOwn ? mergedInto : hit.entryOf
    const state = into === null ? watchedState(record, asked, hit) : mergedState(hit, into, asked, survivor)
    if (isSame(hit, state)) return []
    const changes = hitChanges(byTodaysRule(hit, survivor ?? record), state)
    return [{ hit, lastModified, state, changes, reason: null }]
  })
}

const isSame = (left: WatchedState, right: WatchedState): boolean =>
  left.closedAs === right.closedAs &&
  left.status === right.status &&
  left.mergedInto === right.mergedInto &&
  left.deadlineMs === right.deadlineMs &&
  left.deadlineKind === right.deadlineKind &&
  left.value === right.value

/** The id is the first member of every stored record. */
const idOf = (body: string): string => body.slice('{"id":"'.length, body.indexOf('"', '{"id":"'.length))

type HitPlace = { readonly edition: number; readonly searchNo: number; readonly afterId: string }

/** Holds some deliveries of a search in an edition. Returns after which to continue; null when all are held. */
async function holdSome(trx: Executor, place: HitPlace, limit: number): Promise<string | null> {
  const lastId = await holdDeliveries(trx, place, limit)
  if (lastId === null) await markHeld(trx, place.edition, place.searchNo)
  return lastId
}

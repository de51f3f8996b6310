// Matches each published edition with the searches that applied to it, and offers the hits to endpoints
// (docs/hits/concepts.md). Only one process does this at a time; if it is killed at any point, the next one continues
// from the mark and repeats no hit and no message.
import type { HitChange } from '../domain/hit-event.ts'
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
  updateHits,
} from '../store/hits/hits.ts'
import { criteriaSerial, type StoredSearch } from '../store/hits/searches.ts'
import { byTodaysRule, hitChanges, type WatchedState, watchedState } from './hit-changes.ts'
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
  readonly onStep?: (step: string) => void
  /** For tests. */
  readonly cap?: Cap
  readonly entriesAtOnce?: number
  /** Decides how many rows are written at once. Default: as many as take a moment. */
  readonly pace?: Pick<Pace, 'run'>
}

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

type Run = MatchOptions & {
  readonly store: HitStore
  readonly lease: MarkLease
  readonly cap: Cap
  readonly entriesAtOnce: number
  readonly pace: Pick<Pace, 'run'>
  readonly stockId: string
  /** The searches that the matcher holds, by number, and their serial. */
  loaded: { readonly serial: number; readonly searches: ReadonlyMap<number, StoredSearch> } | undefined
  hits: number
  unseen: number
}

/** Matches all editions that are not matched yet. Throws MarkLostError when another process took over. */
export async function matchEditions(store: HitStore, options: MatchOptions): Promise<MatchOutcome> {
  const lease = await takeMark(store.db)
  if (!lease) return { kind: 'busy' }
  try {
    const stockId = await stockIdOf(store.db)
    const usual = { cap: usualCap, entriesAtOnce: usualEntriesAtOnce, pace: new Pace(store.engine) }
    const run: Run = { ...usual, ...options, store, lease, stockId, loaded: undefined, hits: 0, unseen: 0 }
    let editions = 0
    for (let mark = lease.mark; !options.signal?.aborted; editions++) {
      const [edition] = await editionsAfter(store.db, mark.edition, 1)
      if (!edition) break
      const next = await matchEdition(run, mark, edition)
      if (!next) break
      mark = next
    }
    return { kind: 'matched', editions, hits: run.hits, unseen: run.unseen }
  } finally {
    // a lease that cannot be released expires
    await releaseMark(store.db, lease).catch(() => {})
  }
}

/** Does the remaining steps of an edition. Undefined when it was stopped. */
async function matchEdition(run: Run, mark: HitMark, edition: EditionRow): Promise<HitMark | undefined> {
  let reached: HitMark | undefined = mark
  if (reached.step === 'changes') reached = await followChanges(run, reached, edition)
  if (reached?.step === 'matches') reached = await findMatches(run, reached, edition)
  if (reached?.step === 'holds') reached = await endEdition(run, edition)
  return reached
}

/**
 * Applies the changes of tenders that have hits, before anything is matched: a hit whose tender was merged into another
 * one represents that one from here on, and one whose tender was split off again no longer does.
 */
async function followChanges(run: Run, from: HitMark, edition: EditionRow): Promise<HitMark | undefined> {
  let mark = from
  for (;;) {
    if (run.signal?.aborted) return undefined
    const span = { after: mark.stepModified, upTo: edition.lastModified }
    const entries = await entriesWithHits(run.store.db, span, run.entriesAtOnce)
    if (entries.length === 0) break
    const states = new Map(
      entries.map(({ tenderId, body, lastModified }) => {
        const record = JSON.parse(body) as TenderRecord
        return [tenderId, { lastModified, record, state: watchedState(record) }]
      }),
    )
    const known = await hitsOf(run.store.db, entries)
    const changed = known.flatMap((hit) => {
      const { lastModified, record, state } = states.get(hit.tenderId)!
      if (isSame(hit, state)) return []
      return [{ hit, lastModified, state, changes: hitChanges(byTodaysRule(hit, record), state) }]
    })
    mark = { ...mark, stepModified: entries.at(-1)!.lastModified }
    run.onStep?.('changes are read')
    if (!(await writeInPieces(run, changed, mark, (trx, piece) => writeChanges(run, trx, edition, piece))))
      return undefined
  }
  const next: HitMark = { ...mark, step: 'matches', stepModified: mark.lastModified, stepEntries: 0 }
  await underMark(run.store, run.lease, (trx) => moveMark(trx, next))
  run.onStep?.('changes are written')
  return next
}

const isSame = (left: WatchedState, right: WatchedState): boolean =>
  left.archiveReason === right.archiveReason &&
  left.mergedInto === right.mergedInto &&
  left.deadlineMs === right.deadlineMs &&
  left.deadlineKind === right.deadlineKind &&
  left.value === right.value

type ChangedHit = {
  readonly hit: KnownHit
  readonly lastModified: number
  readonly state: WatchedState
  readonly changes: readonly HitChange[]
}

async function writeChanges(
  run: Run,
  trx: Executor,
  { edition }: EditionRow,
  changed: readonly ChangedHit[],
): Promise<number> {
  if (changed.length === 0) return 0
  const updated = await updateHits(
    trx,
    changed.map(({ hit, state, lastModified }) => ({ hitId: hit.hitId, ...state, lastModified })),
  )
  const notified = changed.flatMap(({ hit, lastModified, changes }) =>
    changes.length === 0 || !updated.has(hit.hitId) ? [] : [{ ...hit, lastModified, changes }],
  )
  await offer(run, trx, { kind: 'search.hit.changed', edition, hits: notified })
  return 0
}

/** Matches the entries that are not archived, page by page, outside any transaction. */
async function findMatches(run: Run, from: HitMark, edition: EditionRow): Promise<HitMark | undefined> {
  const searches = await load(run, edition.edition)
  const ended: HitMark = { ...from, step: 'holds', stepModified: from.lastModified }
  let mark = from
  for (;;) {
    if (run.signal?.aborted) return undefined
    if (searches.size === 0) break
    const startedAt = performance.now()
    const entries = await entriesAfter(run.store.db, mark.stepModified, edition.lastModified, run.entriesAtOnce)
    if (entries.length === 0) break
    const matches = await alive(run, () =>
      run.matcher.match(
        entries.map(({ body }) => body),
        edition.publishedAt,
      ),
    )
    const hits = newHits(run, edition.edition, entries, matches)
    mark = {
      ...mark,
      stepModified: entries.at(-1)!.lastModified,
      stepEntries: mark.stepEntries + entries.length,
    }
    run.onStep?.('matches are found')
    if (!(await writeInPieces(run, hits, mark, (trx, piece) => writeHits(run, trx, edition, piece)))) return undefined
    const { rest } = run
    if (rest && entries.length === run.entriesAtOnce) await alive(run, () => rest(performance.now() - startedAt))
  }
  const unseen = searches.size === 0 ? 0 : edition.changes - mark.stepEntries
  await underMark(run.store, run.lease, (trx) => moveMark(trx, ended, unseen))
  run.unseen += unseen
  run.onStep?.('hits are written')
  return ended
}

/**
 * Loads the searches that apply to an edition into the matcher. That edition is published, so no later change is among
 * them.
 */
async function load(run: Run, edition: number): Promise<ReadonlyMap<number, StoredSearch>> {
  const serial = await criteriaSerial(run.store.db, edition)
  if (run.loaded?.serial !== serial) {
    const searches = await alive(run, () => loadMatcher(run.store, run.matcher, edition, serial))
    run.loaded = { serial, searches }
    run.onStep?.('searches are loaded')
  }
  return run.loaded.searches
}

/** Keeps the lease during a long task. */
async function alive<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
  // the next transaction fails if the lease is lost
  const beat = setInterval(() => void holdMark(run.store.db, run.lease).catch(() => {}), beatMs)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}

function newHits(
  { stockId, loaded }: Run,
  edition: number,
  entries: readonly { readonly lastModified: number; readonly body: string }[],
  matches: readonly Match[],
): NewHit[] {
  const matchesOf = Map.groupBy(matches, ({ tenderId }) => tenderId)
  return entries.flatMap(({ lastModified, body }) => {
    const own = matchesOf.get(idOf(body))
    if (own === undefined) return []
    const state = watchedState(JSON.parse(body) as TenderRecord)
    return own.map(({ searchNo, tenderId, fitScore, fit, matched, reasons }) => {
      const { searchId, version } = loaded!.searches.get(searchNo)!
      return {
        searchNo,
        tenderId,
        hitId: hitId({ stockId, searchId, tenderId }),
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

/** The id is the first member of every stored record. */
const idOf = (body: string): string => body.slice('{"id":"'.length, body.indexOf('"', '{"id":"'.length))

/** Adds hits and offers the new ones, all in one transaction. Returns how many are new. */
async function writeHits(run: Run, trx: Executor, { edition }: EditionRow, hits: readonly NewHit[]): Promise<number> {
  if (hits.length === 0) return 0
  const added = await insertHits(trx, hits, run.clock())
  const made = hits.flatMap((hit) => {
    const { searchId, organizationId } = run.loaded!.searches.get(hit.searchNo)!
    return added.has(hit.hitId) ? [{ ...hit, searchId, organizationId, changes: null }] : []
  })
  const counts = new Map<number, number>()
  for (const { searchNo } of made) counts.set(searchNo, (counts.get(searchNo) ?? 0) + 1)
  await countEditionHits(trx, edition, counts)
  await offer(run, trx, { kind: 'search.hit', edition, hits: made })
  return made.length
}

type Offered = Pick<KnownHit, 'hitId' | 'searchId' | 'organizationId' | 'tenderId'> & {
  readonly lastModified: number
  readonly changes: readonly HitChange[] | null
}

/** Offers hits to every endpoint that was subscribed when their edition was published. */
async function offer(
  run: Run,
  trx: Executor,
  { kind, edition, hits }: { kind: NewDelivery['kind']; edition: number; hits: readonly Offered[] },
): Promise<void> {
  if (hits.length === 0) return
  const subscriptions = await subscriptionsOf(trx, new Set(hits.map(({ organizationId }) => organizationId)), edition)
  const deliveries = hits.flatMap(({ hitId, searchId, organizationId, tenderId, lastModified, changes }) =>
    subscriptions
      .filter(
        (each) =>
          each.organizationId === organizationId &&
          each.kinds.includes(kind) &&
          (each.searches === null || each.searches.includes(searchId)),
      )
      .map(({ endpointNo, endpointId, isActive }): NewDelivery => {
        const identity = { stockId: run.stockId, searchId, tenderId }
        const id = messageId(identity, endpointId, kind === 'search.hit' ? 'new' : lastModified)
        return { messageId: id, endpointNo, kind, hitId, edition, lastModified, changes, isDue: isActive }
      }),
  )
  await insertDeliveries(trx, deliveries, run.clock())
}

/**
 * Writes rows, and counts the new hits, in short transactions; the last one moves the mark past all of them. If it is
 * interrupted between two, they are found and written again, and existing ones stay unchanged. False if it was told to
 * stop.
 */
async function writeInPieces<Row>(
  run: Run,
  rows: readonly Row[],
  mark: HitMark,
  write: (trx: Executor, piece: readonly Row[]) => Promise<number>,
): Promise<boolean> {
  for (let done = 0; done === 0 || done < rows.length; ) {
    if (run.signal?.aborted) return false
    done = await run.pace.run(async (limit) => {
      const end = Math.min(rows.length, done + limit)
      run.hits += await underMark(run.store, run.lease, async (trx) => {
        const made = await write(trx, rows.slice(done, end))
        if (end === rows.length) await moveMark(trx, mark)
        return made
      })
      return Math.max(end, 1)
    })
    run.onStep?.('a piece is written')
  }
  return true
}

/**
 * Holds the deliveries of searches that match too much, then marks the edition as matched: only from then on are its
 * messages sent.
 */
async function endEdition(run: Run, edition: EditionRow): Promise<HitMark | undefined> {
  const { live } = await countsOf(run.store.db, edition.edition)
  const cap = Math.min(run.cap.hits, Math.max(run.cap.fewHits, Math.floor(run.cap.share * live)))
  for (const searchNo of await floodedSearches(run.store.db, edition.edition, cap)) {
    for (let afterId: string | null = ''; afterId !== null; ) {
      if (run.signal?.aborted) return undefined
      const place = { edition: edition.edition, searchNo, afterId }
      afterId = await run.pace.run((limit) =>
        underMark(run.store, run.lease, async (trx) => {
          const lastId = await holdDeliveries(trx, place, limit)
          if (lastId === null) await markHeld(trx, edition.edition, searchNo)
          return lastId
        }),
      )
      run.onStep?.('deliveries are held')
    }
  }
  const ended: HitMark = {
    edition: edition.edition,
    lastModified: edition.lastModified,
    step: 'changes',
    stepModified: edition.lastModified,
    stepEntries: 0,
  }
  await underMark(run.store, run.lease, (trx) => moveMark(trx, ended))
  run.onStep?.('the edition is matched')
  return ended
}

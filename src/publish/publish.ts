// Makes the next edition of the stock, at most one an hour, behind a gate (P1 to P7). All work is done in short
// transactions under a lease that keeps the stock unchanged; the last one makes the edition visible.
import { setTimeout as delay } from 'node:timers/promises'
import { holdLine } from '../domain/hold-reason.ts'
import { DigestSum, sumsOfDigest } from '../domain/stock-digest.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import { bump } from '../store/database/change-signal.ts'
import { type Executor, inTransaction, type Store } from '../store/database/database.ts'
import { Pace } from '../store/database/paced.ts'
import { assertNothingLost } from '../store/editions/edition-witness.ts'
import {
  arrivalDays,
  countClaimedIds,
  countsOf,
  danglingMerges,
  deleteReplacedEntries,
  type EditionCounts,
  type EditionRow,
  ensureStockId,
  insertEdition,
  insertEntries,
  nextArrivals,
  type PendingChanges,
  pendingChanges,
  type ReceivedCounts,
  receivedAmong,
  recordHold,
  sourceChecks,
} from '../store/editions/editions.ts'
import { hashEntries, hashPublished } from '../store/editions/entry-hashes.ts'
import {
  continueHistory,
  noteHistory,
  type PreviousEdition,
  previewHistory,
  previousEdition,
} from '../store/editions/older-database.ts'
import {
  beginWriting,
  endPublication,
  type Lease,
  leaseMs,
  lookAgainMs,
  type Progress,
  releaseLease,
  saveProgress,
  takeLease,
  underLease,
  undoPublication,
} from '../store/editions/publication.ts'
import { rebuildPhase } from '../store/editions/rebuild-mark.ts'
import { forgetLost, lostRedactions } from '../store/received/redactions.ts'
import { openAlarms } from '../store/sources/source-health.ts'
import { firstStamp } from './first-stamp.ts'
import { activityWindowMs, type GateInput, type GateResult, gate } from './gate.ts'

/** Minimum time between two editions that conforms to the specification (P7). */
export const conformantIntervalMs = hourMs

/** How long replaced entries are kept: R4 requires 25 hours; the rest is a margin for a late reader. */
const keepReplacedMs = 26 * hourMs
/** How long the matching of hits may be off without missing unread editions. */
const keepUnmatchedMs = 14 * dayMs

type PublishProgress = { readonly done: number; readonly total: number }

export type PublishOptions = {
  /** Epoch milliseconds. */
  readonly now: number
  /** 60 minutes to conform (P7); shorter only for trials. Applies to an override too. */
  readonly minIntervalMs: number
  /** Publishes what the gate would hold back. */
  readonly overrideGate?: boolean
  /**
   * Publishes although the newest edition is dated further ahead of `now` than the interval, because a clock was ahead.
   * The operator confirms that the interval has really passed.
   */
  readonly acceptsFutureEdition?: boolean
  /** Read again when the entries are written, for the edition's time of publication. Without it, `now` is used. */
  readonly clock?: () => number
  /**
   * Called after each batch of entries, and at the end; what it throws stops the publication, and the next one
   * continues.
   */
  readonly onProgress?: (progress: PublishProgress) => void
  /** Called before the first entry is written: asks all who may hold a lost edition to report. */
  readonly callWitnesses?: () => Promise<void>
}

export type PublishOutcome =
  | {
      readonly kind: 'published'
      readonly edition: number
      readonly lastModified: number
      readonly publishedAt: number
      readonly records: number
      readonly changes: number
      /** Why the gate would have held it back; empty without an override. */
      readonly overridden: readonly string[]
      /** Open alarms that did not hold anything back. */
      readonly warnings: readonly string[]
    }
  /** The last edition is still served. */
  | { readonly kind: 'held'; readonly reasons: readonly string[] }
  | { readonly kind: 'tooEarly'; readonly allowedAt: number }
  | { readonly kind: 'nothingNew' }
  /** A rebuild has begun and not ended. */
  | { readonly kind: 'rebuilding' }

/**
 * What will be written, decided before the first entry is written; a publisher that continues it makes no new
 * decisions.
 */
type Plan = {
  readonly edition: Omit<EditionRow, 'publishedAt' | 'checksum'>
  /** Number of changed records that are new. */
  readonly added: number
  readonly counts: EditionCounts
  readonly overridden: readonly string[]
  readonly warnings: readonly string[]
}

type PublishingStore = Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>

/**
 * Publishes the next edition, or says why not. Readers see the last edition until the next one is complete. If it is
 * killed at any point, the next call continues from there or undoes what was written. Throws if the stock breaks a
 * promise (a published ID is gone, a merge that leads nowhere), which is a bug of an earlier stage; throws
 * LostEditionError if somebody holds an edition that the database lacks, and LeaseLostError if another process took
 * over.
 */
export async function publish(store: PublishingStore, options: PublishOptions): Promise<PublishOutcome> {
  const lease = await waitForLease(store, options)
  if ('kind' in lease) return lease
  try {
    const outcome = await publishUnder(store, lease, options)
    if (outcome.kind !== 'published') return outcome
    await prune(store, options.now)
    return outcome
  } finally {
    // a lease that cannot be released expires
    await releaseLease(store.db, lease).catch(() => {})
  }
}

/** P7. */
function tooEarly(
  previous: EditionRow | undefined,
  { now, minIntervalMs, acceptsFutureEdition = false }: PublishOptions,
): Extract<PublishOutcome, { kind: 'tooEarly' }> | undefined {
  if (!previous || now - previous.publishedAt >= minIntervalMs) return undefined
  if (acceptsFutureEdition && previous.publishedAt - now > minIntervalMs) return undefined
  return { kind: 'tooEarly', allowedAt: previous.publishedAt + minIntervalMs }
}

/** Only one publisher at a time (P1). */
async function waitForLease(store: PublishingStore, options: PublishOptions) {
  for (;;) {
    const early = tooEarly(await previousEdition(store.db), options)
    if (early) return early
    // both under the lock of the stock, under which a rebuild begins
    const lease = await inTransaction(store, async (trx) => {
      const taken = await takeLease(trx)
      if (taken && (await rebuildPhase(trx)) !== 'none') {
        await releaseLease(trx, taken)
        return { kind: 'rebuilding' } as const
      }
      return taken
    })
    if (lease) return lease
    await delay(lookAgainMs)
  }
}

async function publishUnder(store: PublishingStore, lease: Lease, options: PublishOptions): Promise<PublishOutcome> {
  const assertWhole = () => underLease(store, lease, assertNothingLost)
  await assertWhole()
  await underLease(store, lease, (trx) => continueHistory(trx, options.now))
  const previous = await previousEdition(store.db)
  const early = tooEarly(previous, options)
  if (early) return early
  const { state, plan: text, ...progress } = lease.found
  const found = state === 'writing' && text !== null ? (JSON.parse(text) as Plan) : undefined
  const hear = async () => {
    await options.callWitnesses?.()
    await assertWhole()
  }
  if (found && isStillRight(found, previous, options.now)) {
    await hear()
    return write(store, lease, found, progress, options)
  }
  if (state !== 'idle') await undoPublication(store, lease)
  const plan = await planned(store, lease, previous, options)
  if ('kind' in plan) return plan
  await hear()
  const begun = { afterId: '', added: 0, replaced: 0, checksum: await digestOf(store, lease, previous) }
  await underLease(store, lease, (trx) => beginWriting(trx, JSON.stringify(plan), begun))
  return write(store, lease, plan, begun, options)
}

/** The digest of the newest edition. If it was published without one, all records are read. */
async function digestOf(store: PublishingStore, lease: Lease, previous: PreviousEdition | undefined): Promise<string> {
  if (!previous) return new DigestSum().digest
  if (previous.checksum !== null && sumsOfDigest(previous.checksum)) return previous.checksum
  const sum = new DigestSum()
  const pace = new Pace(store.engine)
  for (let afterId: string | null = ''; afterId !== null; ) {
    const after: string = afterId
    afterId = await pace.run((limit) => underLease(store, lease, (trx) => hashPublished(trx, sum, after, limit)))
  }
  return sum.digest
}

/** Whether its number is the next one, and its stamps are those that a plan made now could have (P4). */
function isStillRight({ edition }: Plan, previous: PreviousEdition | undefined, now: number): boolean {
  if (edition.edition !== (previous?.next ?? 1)) return false
  if (edition.changes === 0) return edition.lastModified === previous?.lastModified
  const first = edition.lastModified - edition.changes + 1
  return (
    first > (previous?.lastModified ?? Number.NEGATIVE_INFINITY) &&
    first <= firstStamp(previous?.lastModified, edition.changes, now)
  )
}

/** What the next edition would be, without publishing it. */
export type PublishPreview = {
  /** Its number. */
  readonly edition: number
  readonly records: number
  /** Records that are new or changed. */
  readonly changes: number
  /** Nothing differs from the newest edition. */
  readonly isNothingNew: boolean
  /** Why the gate would hold it back; empty when it would pass. */
  readonly reasons: readonly string[]
  readonly warnings: readonly string[]
  /** When it may be published; null: now. */
  readonly allowedAt: number | null
}

/** Returns what `publish` would do now. Only reads, so it can run beside a publisher. */
export async function previewPublication(store: PublishingStore, options: PublishOptions): Promise<PublishPreview> {
  const previous = await previewHistory(store.db, options.now)
  const pace = new Pace(store.engine)
  const examined = await examine(store, previous, options, async (read) => {
    while (await pace.run((limit) => read(store.db, limit)));
  })
  const number = previous?.next ?? 1
  const allowedAt = tooEarly(previous, options)?.allowedAt ?? null
  if (examined === undefined)
    return {
      ...{ edition: number, records: previous?.records ?? 0, changes: 0, isNothingNew: true },
      ...{ reasons: [], warnings: [], allowedAt },
    }
  const { pending, verdict } = examined
  const epochAllowsAt = afterEpoch(previous, pending.changes)
  return {
    edition: number,
    records: (previous?.records ?? 0) + pending.added,
    changes: pending.changes,
    isNothingNew: false,
    reasons: verdict.kind === 'hold' ? verdict.reasons.map(holdLine) : [],
    warnings: verdict.warnings.map(holdLine),
    allowedAt: epochAllowsAt > options.now ? Math.max(epochAllowsAt, allowedAt ?? 0) : allowedAt,
  }
}

/** Counts the changes, checks the promises and asks the gate. Writes only that an edition was held back. */
async function planned(
  store: PublishingStore,
  lease: Lease,
  previous: PreviousEdition | undefined,
  options: PublishOptions,
): Promise<Plan | Exclude<PublishOutcome, { kind: 'published' }>> {
  const { now, overrideGate = false } = options
  const examined = await examine(store, previous, options, pagesUnder(store, lease))
  if (examined === undefined) return { kind: 'nothingNew' }
  const { pending, checks, before, verdict } = examined
  const allowedAt = afterEpoch(previous, pending.changes)
  if (now < allowedAt) return { kind: 'tooEarly', allowedAt }
  const reasons = verdict.kind === 'hold' ? verdict.reasons : []
  if (reasons.length > 0 && !overrideGate) {
    await underLease(store, lease, (trx) => recordHold(trx, now, reasons))
    return { kind: 'held', reasons: reasons.map(holdLine) }
  }
  return {
    edition: editionAfter(previous, pending, checks, now),
    added: pending.added,
    counts: countsAfter(before, pending),
    overridden: reasons.map(holdLine),
    warnings: verdict.warnings.map(holdLine),
  }
}

type Examined = {
  readonly pending: PendingChanges
  readonly checks: { readonly [sourceId: string]: number }
  readonly before: (EditionCounts & { readonly publishedAt: number }) | undefined
  readonly verdict: GateResult
}

/** What is pending and what the gate decides about it; undefined when nothing is new. Reads only. */
async function examine(
  store: PublishingStore,
  previous: EditionRow | undefined,
  { now, minIntervalMs }: PublishOptions,
  read: ReadPages,
): Promise<Examined | undefined> {
  const pending = await countPending(read)
  const checks = await checksFor(store.db, previous)
  if (pending.changes === 0 && (!previous || isSame(checks, previous.checks))) return undefined
  await assertPromises(read, previous)
  // the real time of an edition dated in the future is unknown: later documents are counted from one interval ago
  const since = previous && Math.min(previous.publishedAt, now - minIntervalMs)
  const before = previous && { publishedAt: since!, ...(await countsOf(store.db, previous.edition)) }
  const verdict = gate({
    now,
    previous: before,
    records: (previous?.records ?? 0) + pending.added,
    cancelled: pending.cancelled,
    merged: pending.merged,
    bySourceDelta: pending.bySourceDelta,
    received: await receivedSince(read, since ?? now),
    sources: previous ? await sourceActivity(store.db, read, now - activityWindowMs) : [],
    alarms: await openAlarms(store.db),
    lostRedactions: await lostRedactions(store.db),
  })
  return { pending, checks, before, verdict }
}

/**
 * When the first edition of an epoch may be published: all its stamps are above the beginning of the epoch, and none is
 * ahead of the clock, so that the same is true of the next one.
 */
function afterEpoch(previous: PreviousEdition | undefined, changes: number): number {
  return previous?.beginsAt === undefined ? 0 : previous.beginsAt + changes + 1
}

/** Reads page by page, each in a statement of bounded size, until `read` reports the end. */
type ReadPages = (read: (db: Executor, limit: number) => Promise<boolean>) => Promise<void>

/** Keeps the lease meanwhile. */
function pagesUnder(store: PublishingStore, lease: Lease): ReadPages {
  let heldAt = performance.now()
  return async (read) => {
    const pace = new Pace(store.engine)
    while (await pace.run((limit) => read(store.db, limit))) {
      if (performance.now() - heldAt < leaseMs / 6) continue
      heldAt = performance.now()
      await underLease(store, lease, async () => {})
    }
  }
}

async function countPending(read: ReadPages): Promise<PendingChanges> {
  const total = { changes: 0, added: 0, liveDelta: 0, cancelled: 0, merged: 0 }
  const bySourceDelta: Record<string, number> = {}
  let afterId = ''
  await read(async (db, limit) => {
    const { lastId, pending } = await pendingChanges(db, afterId, limit)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += pending[name]
    addTo(bySourceDelta, pending.bySourceDelta)
    afterId = lastId ?? afterId
    return lastId !== null
  })
  return { ...total, bySourceDelta }
}

function addTo(sums: Record<string, number>, deltas: { readonly [source: string]: number }): void {
  for (const [source, delta] of Object.entries(deltas)) sums[source] = (sums[source] ?? 0) + delta
}

function editionAfter(
  previous: PreviousEdition | undefined,
  { changes, added }: PendingChanges,
  checks: { readonly [sourceId: string]: number },
  now: number,
): Plan['edition'] {
  return {
    edition: previous?.next ?? 1,
    lastModified:
      changes === 0 ? previous!.lastModified : firstStamp(previous?.lastModified, changes, now) + changes - 1,
    records: (previous?.records ?? 0) + added,
    changes,
    checks,
  }
}

function countsAfter(before: EditionCounts | undefined, pending: PendingChanges): EditionCounts {
  const bySource: Record<string, number> = { ...before?.bySource }
  addTo(bySource, pending.bySourceDelta)
  return { live: (before?.live ?? 0) + pending.liveDelta, bySource }
}

/** A check time never moves back, whatever the clock of the process that made it showed. */
async function checksFor(db: Executor, previous: EditionRow | undefined): Promise<{ [sourceId: string]: number }> {
  const checks: Record<string, number> = { ...previous?.checks }
  for (const [source, checkedAt] of Object.entries(await sourceChecks(db)))
    checks[source] = Math.max(checkedAt, checks[source] ?? Number.NEGATIVE_INFINITY)
  return checks
}

function isSame(left: { readonly [source: string]: number }, right: { readonly [source: string]: number }): boolean {
  const sources = Object.keys(left)
  return sources.length === Object.keys(right).length && sources.every((source) => left[source] === right[source])
}

async function assertPromises(read: ReadPages, previous: EditionRow | undefined): Promise<void> {
  let claimed = 0
  let afterId = ''
  await read(async (db, limit) => {
    const page = await countClaimedIds(db, afterId, limit)
    claimed += page.count
    afterId = page.lastId ?? afterId
    return page.lastId !== null
  })
  if (claimed !== (previous?.records ?? 0))
    throw new Error(
      `the newest edition holds ${previous?.records ?? 0} records, the stock ${claimed} published ids (P3)`,
    )
  afterId = ''
  await read(async (db, limit) => {
    const { lastId, dangling } = await danglingMerges(db, afterId, limit)
    if (dangling.length > 0)
      throw new Error(`merged records that lead to no final record (D37): ${dangling.join(', ')}`)
    afterId = lastId ?? afterId
    return lastId !== null
  })
}

async function receivedSince(read: ReadPages, since: number): Promise<ReceivedCounts> {
  const total = { documents: 0, rejected: 0 }
  let after = since
  await read(async (db, limit) => {
    const arrivals = await nextArrivals(db, after, limit)
    const { documents, rejected } = await receivedAmong(db, arrivals)
    total.documents += documents
    total.rejected += rejected
    after = arrivals.upTo ?? after
    return arrivals.upTo !== null
  })
  return total
}

async function sourceActivity(db: Executor, read: ReadPages, since: number): Promise<GateInput['sources']> {
  const found = new Map<string, { lastReceivedAt: number; readonly days: Set<number> }>()
  let after = since
  await read(async (page, limit) => {
    const arrivals = await nextArrivals(page, after, limit)
    for (const { sourceId, day, lastReceivedAt } of await arrivalDays(page, arrivals)) {
      const source = found.get(sourceId) ?? { lastReceivedAt, days: new Set() }
      found.set(sourceId, source)
      source.lastReceivedAt = Math.max(source.lastReceivedAt, lastReceivedAt)
      source.days.add(day)
    }
    after = arrivals.upTo ?? after
    return arrivals.upTo !== null
  })
  const checks = await sourceChecks(db)
  return [...found].sort().map(([sourceId, { lastReceivedAt, days }]) => ({
    sourceId,
    lastReceivedAt,
    activeDays: days.size,
    checkedAt: checks[sourceId] ?? null,
  }))
}

/** Writes the entries from the current position, in batches by ascending ID, and adds the edition. */
async function write(
  store: PublishingStore,
  lease: Lease,
  plan: Plan,
  begun: Progress,
  options: PublishOptions,
): Promise<PublishOutcome> {
  const { edition, lastModified, changes, records } = plan.edition
  const first = lastModified - changes + 1
  const pace = new Pace(store.engine)
  let progress = begun
  for (let next: Progress | undefined = begun; next; ) {
    progress = next
    next = await pace.run((limit) =>
      underLease(store, lease, (trx) => writeBatch(trx, { edition, first, progress, limit })),
    )
    if (next) options.onProgress?.({ done: next.added, total: changes })
  }
  const publishedAt = Math.max(options.now, options.clock?.() ?? options.now)
  const difference = differenceOf(plan, progress)
  if (difference !== undefined) {
    await undoPublication(store, lease)
    throw new Error(difference)
  }
  await underLease(store, lease, async (trx) => {
    await assertNothingLost(trx)
    await ensureStockId(trx)
    await insertEdition(trx, { ...plan.edition, publishedAt, checksum: progress.checksum }, plan.counts)
    await noteHistory(trx)
    await forgetLost(trx)
    await endPublication(trx)
    await bump(trx, 'edition')
  })
  options.onProgress?.({ done: changes, total: changes })
  const { overridden, warnings } = plan
  return { kind: 'published', edition, lastModified, publishedAt, records, changes, overridden, warnings }
}

type BatchOptions = {
  readonly edition: number
  /** The stamp of the edition's first entry. */
  readonly first: number
  readonly progress: Progress
  readonly limit: number
}

/** Undefined when there are no more. */
async function writeBatch(
  trx: Executor,
  { edition, first, progress, limit }: BatchOptions,
): Promise<Progress | undefined> {
  const { afterId, added, replaced, checksum } = progress
  const batch = await insertEntries(trx, { edition, stamp: first + added, afterId, limit })
  if (batch.lastId === null) return undefined
  const sum = new DigestSum(checksum)
  const hashed = await hashEntries(trx, sum, first + added, first + added + batch.added - 1)
  if (hashed !== batch.added)
    throw new Error(`edition ${edition} holds ${hashed} of ${batch.added} entries that it took`)
  const next = {
    afterId: batch.lastId,
    added: added + batch.added,
    replaced: replaced + batch.replaced,
    checksum: sum.digest,
  }
  await saveProgress(trx, next)
  return next
}

/** A sentence when the written records are not the counted ones: something wrote to the stock in spite of the lease. */
function differenceOf({ edition, added }: Plan, progress: Progress): string | undefined {
  const { edition: number, changes } = edition
  if (progress.added !== changes)
    return `edition ${number} took ${progress.added} entries for ${changes} changed records`
  if (progress.replaced !== changes - added)
    return `edition ${number} replaced ${progress.replaced} entries for ${changes - added} changed records (P3)`
  return undefined
}

/** Removes entries that no served edition can show any more (R4). Returns how many. */
export async function prune(store: PublishingStore, now: number): Promise<number> {
  const pace = new Pace(store.engine)
  for (let removed = 0; ; ) {
    const ages = { before: now - keepReplacedMs, beforeUnmatched: now - keepUnmatchedMs }
    const count = await pace.run((limit) => deleteReplacedEntries(store.db, ages, limit))
    removed += count
    if (count === 0) return removed
  }
}

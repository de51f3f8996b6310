// Makes the next edition of the stock, at most one an hour, behind a gate (P1 to P7). All work is done in short
// transactions under a lease that keeps the stock unchanged; the last one makes the edition visible.
import { setTimeout as delay } from 'node:timers/promises'
import { holdLine } from '../domain/hold-reason.ts'
import { DigestSum, sumsOfDigest } from '../domain/stock-digest.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import { type Executor, inTransaction, type Store } from '../store/database/database.ts'
import { Pace } from '../store/database/paced.ts'
import { assertNothingLost } from '../store/editions/edition-witness.ts'
import {
  deleteReplacedEntries,
  type EditionCounts,
  type EditionRow,
  ensureStockId,
  insertEdition,
  insertEntries,
  recordHold,
} from '../store/editions/editions.ts'
import { hashEntries, hashPublished } from '../store/editions/entry-hashes.ts'
import {
  continueHistory,
  noteHistory,
  type PreviousEdition,
  previousEdition,
} from '../store/editions/older-database.ts'
import { HeldPublication, lookAgainMs, type Progress, releaseLease, takeLease } from '../store/editions/publication.ts'
import { rebuildPhase } from '../store/editions/rebuild-mark.ts'
import { forgetLost } from '../store/received/redactions.ts'
import { addTo, type Examined, examine } from './examine.ts'
import { firstStamp } from './first-stamp.ts'

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
      /** The rules that changed before it (domain/stock-rules.ts). */
      readonly changedRules: readonly string[]
      /** Open alarms that did not hold anything back, and what the changed rules explain. */
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

export type PublishingStore = Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>

/**
 * Publishes the next edition, or says why not. Readers see the last edition until the next one is complete. If it is
 * killed at any point, the next call continues from there or undoes what was written. Throws if the stock breaks a
 * promise (a published ID is gone, a merge that leads nowhere), which is a bug of an earlier stage; throws
 * LostEditionError if somebody holds an edition that the database lacks, and LeaseLostError if another process took
 * over.
 */
export async function publish(store: PublishingStore, options: PublishOptions): Promise<PublishOutcome> {
  const held = await holdPublication(store, options)
  if ('kind' in held) return held
  try {
    await held.under(assertNothingLost)
    await held.under((trx) => continueHistory(trx, options.now))
    const previous = await previousEdition(store.db)
    const early = tooEarly(previous, options)
    if (early) return early

    let plan = planToContinue(held, previous, options.now)
    if (plan === undefined) {
      await held.clear()
      const decided = await decide(held, previous, options)
      if ('kind' in decided) return decided
      plan = decided
    }

    await options.callWitnesses?.()
    await held.under(assertNothingLost)
    if (held.state === 'idle') {
      const checksum = previous ? await digestOf(store, held, previous) : new DigestSum().digest
      await held.begin(JSON.stringify(plan), checksum)
    }

    const { edition, counts, overridden, warnings } = plan
    const { changes } = edition
    const pace = new Pace(store.engine)
    while (await held.batch(pace, (trx, limit) => writeBatch(trx, edition, held.progress, limit)))
      options.onProgress?.({ done: held.progress.added, total: changes })
    const publishedAt = Math.max(options.now, options.clock?.() ?? options.now)
    const difference = differenceOf(plan, held.progress)
    if (difference !== undefined) {
      await held.clear()
      throw new Error(difference)
    }

    await held.end(async (trx) => {
      await assertNothingLost(trx)
      await ensureStockId(trx)
      await insertEdition(trx, { ...edition, publishedAt, checksum: held.progress.checksum }, counts)
      await noteHistory(trx)
      await forgetLost(trx)
    })
    options.onProgress?.({ done: changes, total: changes })
    await prune(store, options.now)
    const { edition: number, lastModified, records } = edition
    return {
      kind: 'published',
      edition: number,
      lastModified,
      publishedAt,
      records,
      changes,
      overridden,
      changedRules: counts.rules ?? [],
      warnings,
    }
  } finally {
    // a lease that cannot be released expires
    await held.release().catch(() => {})
  }
}

/** Only one publisher at a time (P1). */
async function holdPublication(store: PublishingStore, options: PublishOptions) {
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
    if (lease) return 'kind' in lease ? lease : new HeldPublication(store, lease)
    await delay(lookAgainMs)
  }
}

/** P7. */
export function tooEarly(
  previous: EditionRow | undefined,
  { now, minIntervalMs, acceptsFutureEdition = false }: PublishOptions,
): Extract<PublishOutcome, { kind: 'tooEarly' }> | undefined {
  if (!previous || now - previous.publishedAt >= minIntervalMs) return undefined
  if (acceptsFutureEdition && previous.publishedAt - now > minIntervalMs) return undefined
  return { kind: 'tooEarly', allowedAt: previous.publishedAt + minIntervalMs }
}

/** What a publisher that was killed had decided, if that is still right: then it is not decided again. */
function planToContinue(held: HeldPublication, previous: PreviousEdition | undefined, now: number): Plan | undefined {
  const plan = held.plan === undefined ? undefined : (JSON.parse(held.plan) as Plan)
  return plan && isStillRight(plan, previous, now) ? plan : undefined
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

/** Examines what is pending, and decides about it. Writes only that an edition was held back. */
async function decide(
  held: HeldPublication,
  previous: PreviousEdition | undefined,
  options: PublishOptions,
): Promise<Plan | Exclude<PublishOutcome, { kind: 'published' }>> {
  const { now, overrideGate = false } = options
  const examined = await examine(held, previous, options)
  if (examined === undefined) return { kind: 'nothingNew' }
  const { verdict, pending } = examined
  const allowedAt = afterEpoch(previous, pending.changes)
  if (now < allowedAt) return { kind: 'tooEarly', allowedAt }
  const reasons = verdict.kind === 'hold' ? verdict.reasons : []
  if (reasons.length > 0 && !overrideGate) {
    await held.under((trx) => recordHold(trx, now, reasons))
    return { kind: 'held', reasons: reasons.map(holdLine) }
  }
  return {
    edition: editionAfter(previous, examined, now),
    added: pending.added,
    counts: countsAfter(examined),
    overridden: reasons.map(holdLine),
    warnings: verdict.warnings.map(holdLine),
  }
}

/**
 * When the first edition of an epoch may be published: all its stamps are above the beginning of the epoch, and none is
 * ahead of the clock, so that the same is true of the next one.
 */
export function afterEpoch(previous: PreviousEdition | undefined, changes: number): number {
  return previous?.beginsAt === undefined ? 0 : previous.beginsAt + changes + 1
}

function editionAfter(
  previous: PreviousEdition | undefined,
  { pending: { changes, added }, checks }: Examined,
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

function countsAfter({ before, pending, changedRules: rules }: Examined): EditionCounts {
  const bySource: Record<string, number> = { ...before?.bySource }
  addTo(bySource, pending.bySourceDelta)
  return { live: (before?.live ?? 0) + pending.liveDelta, bySource, ...(rules.length > 0 && { rules }) }
}

/** The digest of the newest edition. If it was published without one, all records are read. */
async function digestOf(store: PublishingStore, held: HeldPublication, { checksum }: PreviousEdition): Promise<string> {
  if (checksum !== null && sumsOfDigest(checksum)) return checksum
  const sum = new DigestSum()
  const pace = new Pace(store.engine)
  for (let afterId: string | null = ''; afterId !== null; ) {
    const after: string = afterId
    afterId = await held.piece(pace, (trx, limit) => hashPublished(trx, sum, after, limit))
  }
  return sum.digest
}

/** Writes the next entries, by ascending ID. Undefined when there are no more. */
async function writeBatch(
  trx: Executor,
  { edition, lastModified, changes }: Plan['edition'],
  { afterId, added, replaced, checksum }: Progress,
  limit: number,
): Promise<Progress | undefined> {
  const stamp = lastModified - changes + 1 + added
  const batch = await insertEntries(trx, { edition, stamp, afterId, limit })
  if (batch.lastId === null) return undefined
  const sum = new DigestSum(checksum)
  const hashed = await hashEntries(trx, sum, stamp, stamp + batch.added - 1)
  if (hashed !== batch.added)
    throw new Error(`edition ${edition} holds ${hashed} of ${batch.added} entries that it took`)
  return {
    afterId: batch.lastId,
    added: added + batch.added,
    replaced: replaced + batch.replaced,
    checksum: sum.digest,
  }
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

// Cuts the next edition of the stock: one transaction, at most one an hour, behind a gate (sync.md P1 to P7).
import { hourMs } from '../domain/time.ts'
import { bump } from '../store/change-signal.ts'
import { type Executor, inTransaction, type Store } from '../store/database.ts'
import {
  countClaimedIds,
  countsOf,
  danglingMerges,
  deleteReplacedEntries,
  type EditionCounts,
  type EditionRow,
  ensureStockId,
  forgetChanges,
  insertEdition,
  insertEntries,
  lockPublishing,
  newestEdition,
  type PendingChanges,
  pendingChanges,
  receivedSince,
  recordHold,
  setPublishedAt,
  sourceActivity,
  sourceChecks,
} from '../store/editions.ts'
import { openAlarms } from '../store/source-health.ts'
import { lockStock } from '../store/tenders.ts'
import { firstStamp } from './first-stamp.ts'
import { activityWindowMs, gate } from './gate.ts'

/** P7: the shortest time between two editions that conforms to the specification. */
export const conformantIntervalMs = hourMs

/** R4 asks for 25 hours; the rest is room for a reader that is late. */
const keepReplacedMs = 26 * hourMs

const tendersAtOnce = 1000
const prunedAtOnce = 5000

export type PublishProgress = { readonly done: number; readonly total: number }

export type PublishOptions = {
  /** Epoch milliseconds. */
  readonly now: number
  /** 60 minutes to conform (P7); shorter only for trials. Holds for an override too. */
  readonly minIntervalMs: number
  /** Publishes what the gate would hold back. */
  readonly overrideGate?: boolean
  /** Read again when the entries are written: the edition's time of publication. `now` stands for it when absent. */
  readonly clock?: () => number
  /** After each step of the transaction; what it throws undoes the edition. */
  readonly onProgress?: (progress: PublishProgress) => void
}

export type PublishOutcome =
  | {
      readonly kind: 'published'
      readonly edition: number
      readonly lastModified: number
      readonly publishedAt: number
      readonly records: number
      readonly changes: number
      /** What the gate would have held it back for; empty without an override. */
      readonly overridden: readonly string[]
      /** Open alarms of sources that held nothing back. */
      readonly warnings: readonly string[]
    }
  /** The last edition goes on being served. */
  | { readonly kind: 'held'; readonly reasons: readonly string[] }
  | { readonly kind: 'tooEarly'; readonly allowedAt: number }
  | { readonly kind: 'nothingNew' }

/**
 * Publishes the next edition, or says why not. A crash at any point leaves the last edition as it was. Throws when the
 * stock breaks a promise (a published id gone, a merge that leads nowhere): a bug of an earlier stage.
 */
export async function publish(store: Pick<Store, 'db'>, options: PublishOptions): Promise<PublishOutcome> {
  const outcome = await inTransaction(store, (trx) => cut(trx, options))
  if (outcome.kind === 'published') await prune(store, options.now)
  return outcome
}

async function cut(trx: Executor, options: PublishOptions): Promise<PublishOutcome> {
  const { now, minIntervalMs, overrideGate = false } = options
  await lockPublishing(trx)
  await lockStock(trx)
  const previous = await newestEdition(trx)
  if (previous && now - previous.publishedAt < minIntervalMs)
    return { kind: 'tooEarly', allowedAt: previous.publishedAt + minIntervalMs }
  const pending = await pendingChanges(trx)
  const checks = await checksFor(trx, previous)
  if (pending.changes === 0 && (!previous || isSame(checks, previous.checks))) return { kind: 'nothingNew' }
  await assertPromises(trx, previous)
  const before = previous && { publishedAt: previous.publishedAt, ...(await countsOf(trx, previous.edition)) }
  const verdict = gate({
    now,
    previous: before,
    records: (previous?.records ?? 0) + pending.added,
    cancelled: pending.cancelled,
    merged: pending.merged,
    bySourceDelta: pending.bySourceDelta,
    received: await receivedSince(trx, previous?.publishedAt ?? now),
    sources: previous ? await sourceActivity(trx, now - activityWindowMs) : [],
    alarms: await openAlarms(trx),
  })
  const reasons = verdict.kind === 'hold' ? verdict.reasons : []
  if (reasons.length > 0 && !overrideGate) {
    await recordHold(trx, now, reasons)
    return { kind: 'held', reasons }
  }
  const edition = editionAfter(previous, pending, checks, now)
  await ensureStockId(trx)
  await insertEdition(trx, edition, countsAfter(before, pending))
  await insertChanges(trx, edition, pending, options)
  const publishedAt = Math.max(now, options.clock?.() ?? now)
  await setPublishedAt(trx, edition.edition, publishedAt)
  await bump(trx, 'edition')
  options.onProgress?.({ done: pending.changes, total: pending.changes })
  return {
    kind: 'published',
    edition: edition.edition,
    lastModified: edition.lastModified,
    publishedAt,
    records: edition.records,
    changes: edition.changes,
    overridden: reasons,
    warnings: verdict.warnings,
  }
}

function editionAfter(
  previous: EditionRow | undefined,
  { changes, added }: PendingChanges,
  checks: { readonly [sourceId: string]: number },
  now: number,
): EditionRow {
  return {
    edition: (previous?.edition ?? 0) + 1,
    lastModified:
      changes === 0 ? previous!.lastModified : firstStamp(previous?.lastModified, changes, now) + changes - 1,
    publishedAt: now,
    records: (previous?.records ?? 0) + added,
    changes,
    checks,
  }
}

function countsAfter(before: EditionCounts | undefined, pending: PendingChanges): EditionCounts {
  const bySource: Record<string, number> = { ...before?.bySource }
  for (const [source, delta] of Object.entries(pending.bySourceDelta))
    bySource[source] = (bySource[source] ?? 0) + delta
  return { live: (before?.live ?? 0) + pending.liveDelta, bySource }
}

/** A check never moves back, whatever the clock of the process that made it said. */
async function checksFor(trx: Executor, previous: EditionRow | undefined): Promise<{ [sourceId: string]: number }> {
  const checks: Record<string, number> = { ...previous?.checks }
  for (const [source, checkedAt] of Object.entries(await sourceChecks(trx)))
    checks[source] = Math.max(checkedAt, checks[source] ?? Number.NEGATIVE_INFINITY)
  return checks
}

function isSame(left: { readonly [source: string]: number }, right: { readonly [source: string]: number }): boolean {
  const sources = Object.keys(left)
  return sources.length === Object.keys(right).length && sources.every((source) => left[source] === right[source])
}

async function assertPromises(trx: Executor, previous: EditionRow | undefined): Promise<void> {
  const claimed = await countClaimedIds(trx)
  if (claimed !== (previous?.records ?? 0))
    throw new Error(
      `the newest edition holds ${previous?.records ?? 0} records, the stock ${claimed} published ids (P3)`,
    )
  const dangling = await danglingMerges(trx)
  if (dangling.length > 0) throw new Error(`merged records that lead to no final record (D37): ${dangling.join(', ')}`)
}

/** In batches by ascending id: no statement grows with the stock. */
async function insertChanges(
  trx: Executor,
  { edition, lastModified, changes }: EditionRow,
  pending: PendingChanges,
  { onProgress }: PublishOptions,
): Promise<void> {
  const first = lastModified - changes + 1
  let added = 0
  let replaced = 0
  for (let afterId = ''; ; ) {
    const batch = await insertEntries(trx, { edition, stamp: first + added, afterId, limit: tendersAtOnce })
    if (batch.lastId === null) break
    afterId = batch.lastId
    added += batch.added
    replaced += batch.replaced
    onProgress?.({ done: added, total: changes })
  }
  await forgetChanges(trx)
  if (added !== changes) throw new Error(`edition ${edition} took ${added} entries for ${changes} changed records`)
  if (replaced !== changes - pending.added)
    throw new Error(
      `edition ${edition} replaced ${replaced} entries for ${changes - pending.added} changed records (P3)`,
    )
}

/** Removes entries that no edition still served can show (R4). Returns how many. */
export async function prune(store: Pick<Store, 'db'>, now: number): Promise<number> {
  for (let removed = 0; ; ) {
    const count = await deleteReplacedEntries(store.db, now - keepReplacedMs, prunedAtOnce)
    removed += count
    if (count < prunedAtOnce) return removed
  }
}

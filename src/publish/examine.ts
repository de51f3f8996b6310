// What the next edition would be, and what the gate says about it. Everything that depends on the changes is counted
// page by page, before the first entry is written. Only reads.
import type { Executor } from '../store/database/database.ts'
import {
  arrivalDays,
  countClaimedIds,
  countsOf,
  danglingMerges,
  type EditionCounts,
  type EditionRow,
  nextArrivals,
  type PendingChanges,
  pendingChanges,
  type ReceivedCounts,
  receivedAmong,
  sourceChecks,
} from '../store/editions/editions.ts'
import { lostRedactions } from '../store/received/redactions.ts'
import { openAlarms } from '../store/sources/source-health.ts'
import { rulesChangedSince } from '../store/stock/rules.ts'
import { activityWindowMs, type GateInput, type GateResult, gate } from './gate.ts'

/** Where the stock is read, and how many rows each page may have. */
export type StockReading = { readonly db: Executor; limits(): AsyncIterable<number> }

type Checks = EditionRow['checks']

export type Examined = {
  readonly pending: PendingChanges
  readonly checks: Checks
  /** Counts of the newest edition; undefined before the first. */
  readonly before: (EditionCounts & { readonly publishedAt: number }) | undefined
  /** The rules that changed since the newest edition. */
  readonly changedRules: readonly string[]
  readonly verdict: GateResult
}

/** Counts what is pending, checks the promises and asks the gate. Undefined when nothing is new. */
export async function examine(
  reading: StockReading,
  previous: EditionRow | undefined,
  { now, minIntervalMs }: { readonly now: number; readonly minIntervalMs: number },
): Promise<Examined | undefined> {
  const { db } = reading
  const pending = await countPending(reading)
  const checks = laterChecks(previous?.checks, await sourceChecks(db))
  if (pending.changes === 0 && (!previous || isSame(checks, previous.checks))) return undefined
  await assertNoIdGone(reading, previous?.records ?? 0)
  await assertMergesLead(reading)
  // the real time of an edition dated in the future is unknown: later documents are counted from one interval ago
  const since = previous && Math.min(previous.publishedAt, now - minIntervalMs)
  const before = previous && { publishedAt: since!, ...(await countsOf(db, previous.edition)) }
  const changedRules = previous ? await rulesChangedSince(db, previous.edition) : []
  const verdict = gate({
    now,
    previous: before,
    records: (previous?.records ?? 0) + pending.added,
    cancelled: pending.cancelled,
    merged: pending.merged,
    changedRules,
    bySourceDelta: pending.bySourceDelta,
    received: await receivedSince(reading, since ?? now),
    sources: previous ? await sourceActivity(reading, now - activityWindowMs) : [],
    alarms: await openAlarms(db),
    lostRedactions: await lostRedactions(db),
  })
  return { pending, checks, before, changedRules, verdict }
}

async function countPending(reading: StockReading): Promise<PendingChanges> {
  const total = { changes: 0, added: 0, liveDelta: 0, cancelled: 0, merged: 0 }
  const bySourceDelta: Record<string, number> = {}
  let afterId = ''
  for await (const limit of reading.limits()) {
    const { lastId, pending } = await pendingChanges(reading.db, afterId, limit)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += pending[name]
    addTo(bySourceDelta, pending.bySourceDelta)
    if (lastId === null) break
    afterId = lastId
  }
  return { ...total, bySourceDelta }
}

export function addTo(sums: Record<string, number>, deltas: { readonly [source: string]: number }): void {
  for (const [source, delta] of Object.entries(deltas)) sums[source] = (sums[source] ?? 0) + delta
}

/** A check time never moves back, whatever the clock of the process that made it showed. */
function laterChecks(previous: Checks | undefined, checks: Checks): Checks {
  const later: Record<string, number> = { ...previous }
  for (const [source, checkedAt] of Object.entries(checks))
    later[source] = Math.max(checkedAt, later[source] ?? Number.NEGATIVE_INFINITY)
  return later
}

function isSame(left: Checks, right: Checks): boolean {
  const sources = Object.keys(left)
  return sources.length === Object.keys(right).length && sources.every((source) => left[source] === right[source])
}

/** P3. */
async function assertNoIdGone(reading: StockReading, records: number): Promise<void> {
  let claimed = 0
  let afterId = ''
  for await (const limit of reading.limits()) {
    const { count, lastId } = await countClaimedIds(reading.db, afterId, limit)
    claimed += count
    if (lastId === null) break
    afterId = lastId
  }
  if (claimed !== records)
    throw new Error(`the newest edition holds ${records} records, the stock ${claimed} published ids (P3)`)
}

/** D37. */
async function assertMergesLead(reading: StockReading): Promise<void> {
  let afterId = ''
  for await (const limit of reading.limits()) {
    const { lastId, dangling } = await danglingMerges(reading.db, afterId, limit)
    if (dangling.length > 0)
      throw new Error(`merged records that lead to no final record (D37): ${dangling.join(', ')}`)
    if (lastId === null) break
    afterId = lastId
  }
}

async function receivedSince(reading: StockReading, since: number): Promise<ReceivedCounts> {
  const total = { documents: 0, rejected: 0 }
  let after = since
  for await (const limit of reading.limits()) {
    const arrivals = await nextArrivals(reading.db, after, limit)
    const { documents, rejected } = await receivedAmong(reading.db, arrivals)
    total.documents += documents
    total.rejected += rejected
    if (arrivals.upTo === null) break
    after = arrivals.upTo
  }
  return total
}

async function sourceActivity(reading: StockReading, since: number): Promise<GateInput['sources']> {
  const found = new Map<string, { lastReceivedAt: number; readonly days: Set<number> }>()
  let after = since
  for await (const limit of reading.limits()) {
    const arrivals = await nextArrivals(reading.db, after, limit)
    for (const { sourceId, day, lastReceivedAt } of await arrivalDays(reading.db, arrivals)) {
      const source = found.get(sourceId) ?? { lastReceivedAt, days: new Set() }
      found.set(sourceId, source)
      source.lastReceivedAt = Math.max(source.lastReceivedAt, lastReceivedAt)
      source.days.add(day)
    }
    if (arrivals.upTo === null) break
    after = arrivals.upTo
  }
  const checks = await sourceChecks(reading.db)
  return [...found].sort().map(([sourceId, { lastReceivedAt, days }]) => ({
    sourceId,
    lastReceivedAt,
    activeDays: days.size,
    checkedAt: checks[sourceId] ?? null,
  }))
}

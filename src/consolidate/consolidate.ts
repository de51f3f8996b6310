// Runs the stage: processes new notices in batches, resolves everything connected with them again, and applies the
// changes that the clock makes due.
import { stockRules } from '../domain/stock-rules.ts'
import type { TenderContent } from '../domain/tender.ts'
import { type Executor, inTransaction, type Store } from '../store/database/database.ts'
import { inStockTransaction, inStockTurn } from '../store/editions/publication.ts'
import { rebuildPhase } from '../store/editions/rebuild-mark.ts'
import {
  awaitNoticeToConsolidate,
  countNoticesToConsolidate,
  listLinks,
  listNotices,
  listNoticesOfSameTenders,
  loadNotices,
  markAllUnconsolidated,
  markConsolidated,
  type NoticeRow,
  replaceLinks,
  takeNoticesToConsolidate,
} from '../store/received/notices.ts'
import { releaseForRebuild } from '../store/sources/source-fill.ts'
import { replaceDoubts } from '../store/stock/doubts.ts'
import { clearMatches, listMatchMembers, listSucceeded } from '../store/stock/matches.ts'
import { noteFirstRules } from '../store/stock/rules.ts'
import {
  assignNotices,
  clearTransitions,
  deleteEmptyTenders,
  deleteUnpublishedTenders,
  findTendersOf,
  isStockShared,
  listDueTenders,
  listForsaken,
  listMergedInto,
  loadNoticesOfTenders,
  type NewTender,
  type TenderRow,
  upsertTenders,
} from '../store/stock/tenders.ts'
import { BatchMemory } from './batch-memory.ts'
import { doubtsOf } from './doubts.ts'
import { applyEstimates, type ValueEstimator, valueEstimator } from './estimate/apply-estimates.ts'
import { fuzzyMatcher } from './fuzzy-matcher.ts'
import { linkKeys } from './link-keys.ts'
import { connectedRecords } from './match-closure.ts'
import { draftOf, mergedTender, mergeTender, type TenderDraft } from './merge.ts'
import { compareNotices, noticeDate, type StoredNotice, type Unit, uniteCopies } from './notice-units.ts'
import { type Matcher, recordKeyOf, rematch } from './rematch.ts'
import { type Component, isAnnouncedOnly, resolve } from './resolve.ts'
import { tenderId } from './tender-id.ts'

/**
 * The result of one run. `changed` counts tenders that existed before; `transitions`: tenders that the clock was due
 * to change.
 */
export type ConsolidateSummary = {
  readonly notices: number
  readonly created: number
  readonly changed: number
  readonly removed: number
  readonly transitions: number
}

export type ConsolidateOptions = {
  /** Epoch milliseconds. */
  readonly now: number
  /** Notices per transaction. The result does not depend on it. */
  readonly batchSize?: number
  /**
   * Ends the run after the batch that is being written; the next run continues from there. A rebuild throws the reason.
   */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
  /** The version of this program; it helps a rebuild by the same one. Absent: it waits for the end of a rebuild. */
  readonly version?: string
  /** Finds duplicates without common keys; tests pass simpler rules. */
  readonly matcher?: Matcher
}

const defaultBatchSize = 250

/**
 * Maximum notices that a key may join. The largest real procedures (dynamic purchasing systems with all their awards)
 * have some hundred notices; a more frequent key is a default value of some software, and following it would read half
 * of the stock for each new notice.
 */
export const maxHolders = 1000

/**
 * Brings the stock up to date with all notices received and with the clock. Each batch is one transaction, so a run
 * that dies is simply restarted. Notices may come in any order and in any portions: the stock at the end is the same.
 */
export async function consolidate(store: Store, options: ConsolidateOptions): Promise<ConsolidateSummary> {
  return run(store, options, { isRebuild: false })
}

/**
 * Derives the whole stock again from the notices. Published ids and their founding notices stay; everything else is
 * computed. All keys are written before the first tender is, so that no tender is ever seen without a part of its
 * notices. Notices of sources in quarantine flow again: they were read by newer parsers, or the operator wants them.
 */
export async function rebuildStock(
  store: Store,
  options: ConsolidateOptions & {
    /** Called once all keys are written: other consolidators may help. */
    readonly onPrepared?: () => Promise<void>
  },
): Promise<ConsolidateSummary> {
  const batchSize = options.batchSize ?? defaultBatchSize
  await inStockTransaction(
    store,
    async (trx) => {
      await markAllUnconsolidated(trx)
      await releaseForRebuild(trx, options.now)
      await clearMatches(trx)
    },
    options.signal,
  )
  for (let after = ''; ; ) {
    options.signal?.throwIfAborted()
    const last: NoticeRow | undefined = await inTransaction(store, async (trx) => {
      const rows = await listNotices(trx, after, batchSize)
      await replaceLinks(trx, rows.map(linksOf))
      return rows.at(-1)
    })
    if (!last) break
    after = last.noticeId
  }
  await options.onPrepared?.()
  const summary = await run(store, options, { isRebuild: true })
  options.signal?.throwIfAborted()
  const removed = await inStockTransaction(store, deleteEmptyTenders, options.signal)
  for (let left = batchSize; left === batchSize; ) {
    options.signal?.throwIfAborted()
    left = (await inStockTransaction(store, (trx) => endForsaken(trx, batchSize), options.signal)) ?? 0
  }
  options.signal?.throwIfAborted()
  return { ...summary, removed: summary.removed + (removed ?? 0) }
}

/** Derives again what became due during a rebuild, such as records that a new model of values may judge. */
export const continueRebuild = (store: Store, options: ConsolidateOptions): Promise<ConsolidateSummary> =>
  run(store, options, { isRebuild: true })

/** A published record keeps its id (P3): one whose notices turned out to announce no procurement ends. */
async function endForsaken(trx: Executor, limit: number): Promise<number> {
  const rows = await listForsaken(trx, limit)
  await upsertTenders(
    trx,
    rows.map(({ content, foundingKey, sources }): NewTender => {
      const before = JSON.parse(content) as TenderContent
      const lots = before.lots.map((lot) => ({ ...lot, status: 'cancelled' }))
      return {
        ...draftOf({ ...before, status: 'cancelled', archiveReason: 'cancelled', lots }, null),
        foundingKey,
        sources,
      }
    }),
  )
  return rows.length
}

type Counts = { notices: number; created: number; changed: number; removed: number; transitions: number }

async function run(
  store: Store,
  { now, batchSize = defaultBatchSize, signal, onProgress, version, matcher = fuzzyMatcher }: ConsolidateOptions,
  { isRebuild }: { readonly isRebuild: boolean },
): Promise<ConsolidateSummary> {
  const counts: Counts = { notices: 0, created: 0, changed: 0, removed: 0, transitions: 0 }
  const total = await countNoticesToConsolidate(store.db)
  if (total > 0 && !isRebuild) await noteFirstRules(store.db, stockRules)
  const estimator = valueEstimator(store)
  while (!signal?.aborted && total > 0) {
    const batch = await inStockTurn(
      store,
      async (trx) => {
        const phase = await rebuildPhase(trx, version)
        // notices wait while another process rebuilds the stock
        if (!isRebuild && phase === 'closed') return undefined
        const memory = new BatchMemory(matcher, now)
        const rows = await takeBatch(trx, memory, { batchSize, mayHaveOthers: store.engine === 'server' })
        return rows.length > 0 ? { rows, memory, isForced: isRebuild || phase === 'open' } : undefined
      },
      (trx, { rows, ...rest }) => consolidateBatch(trx, rows, { ...rest, matcher, estimator }),
      signal,
    )
    if (!batch) break
    counts.notices += batch.notices
    counts.created += batch.created
    counts.changed += batch.changed
    counts.removed += batch.removed
    onProgress?.({ done: counts.notices, total: Math.max(total, counts.notices) })
  }
  while (!signal?.aborted && (await listDueTenders(store.db, now, 1)).length > 0) {
    const moved = await inStockTransaction(
      store,
      async (trx) =>
        isRebuild || (await rebuildPhase(trx)) === 'none'
          ? passDueTransitions(trx, now, batchSize, estimator)
          : undefined,
      signal,
    )
    if (!moved || moved.due === 0) break
    counts.transitions += moved.due
    counts.changed += moved.changed
  }
  return counts
}

/**
 * Takes a batch, and files its notices under their keys. While other consolidators are at work, computes what the batch
 * will probably need before its turn; if they have taken all waiting notices, waits for those.
 */
async function takeBatch(
  trx: Executor,
  memory: BatchMemory,
  { batchSize, mayHaveOthers }: { readonly batchSize: number; readonly mayHaveOthers: boolean },
): Promise<readonly NoticeRow[]> {
  let batch = await takeNoticesToConsolidate(trx, batchSize, memory.parsed)
  if (batch.length === 0 && mayHaveOthers) batch = await awaitNoticeToConsolidate(trx, memory.parsed)
  if (batch.length === 0) return batch
  await replaceLinks(trx, batch.map(linksOf))
  if (mayHaveOthers && (await isStockShared(trx))) {
    const { linked } = await linkedWith(trx, memory, batch)
    for (const component of linked) {
      memory.preparedRecord(component)
      memory.tenderDraft(tenderId(recordKeyOf(component)), component)
    }
  }
  return batch
}

/** The components of the batch by exact keys, with all notices that are connected with it. */
async function linkedWith(
  trx: Executor,
  memory: BatchMemory,
  batch: readonly NoticeRow[],
): Promise<{ readonly linked: readonly Component[]; readonly noticeIds: readonly string[] }> {
  const batchIds = batch.map((row) => row.noticeId)
  // A notice that is reread may leave a tender: the notices that shared it are resolved again.
  const companions = await listNoticesOfSameTenders(trx, batchIds)
  const { noticeIds, ignoredKeys } = await closureOf(trx, batchIds, companions)
  const known = new Set(batchIds)
  const missing = noticeIds.filter((noticeId) => !known.has(noticeId))
  const closure: StoredNotice[] = [...batch, ...(await loadNotices(trx, missing, memory.parsed))].map(toStored)
  return { linked: resolve(closure, ignoredKeys), noticeIds }
}

type BatchOptions = {
  /** Whether tenders are written that do not seem to change. */
  readonly isForced: boolean
  readonly memory: BatchMemory
  readonly matcher: Matcher
  readonly estimator: ValueEstimator
}

/** Decides where the notices of a batch belong, and writes their tenders. */
async function consolidateBatch(
  trx: Executor,
  batch: readonly NoticeRow[],
  { isForced, memory, matcher, estimator }: BatchOptions,
): Promise<Omit<Counts, 'transitions'>> {
  const { linked, noticeIds } = await linkedWith(trx, memory, batch)
  const prepared = linked.map((component) => memory.preparedRecord(component))
  const touched = await rematch(trx, matcher, linked, prepared, noticeIds)
  const components = await matched(trx, matcher, linked, touched)
  const units = components.flatMap((component) => component.units)
  const existing = await findTendersOf(
    trx,
    units.map((unit) => unit.notice.noticeKey),
    units.flatMap((unit) => unit.rowIds),
  )
  const { tenders: valued, assignments } = tendersOf(components, existing, memory)
  const tenders = await applyEstimates(trx, estimator, valued)
  const kept = new Set(tenders.map((tender) => tender.tenderId))
  const vanished = existing.filter((row) => row.firstEdition === null && !kept.has(row.tenderId))
  const before = new Map(existing.map((row) => [row.tenderId, row]))
  await deleteUnpublishedTenders(
    trx,
    vanished.map((row) => row.tenderId),
  )
  await upsertTenders(
    trx,
    tenders.filter((tender) => isForced || isChanged(before.get(tender.tenderId), tender)),
  )
  await repointMerged(trx, tenders)
  await assignNotices(trx, assignments)
  const noticesOf = Map.groupBy(assignments, ({ tenderId: id }) => id)
  const noticeById = new Map(units.flatMap(({ notice, rowIds }) => rowIds.map((rowId) => [rowId, notice] as const)))
  await replaceDoubts(
    trx,
    [...new Set([...kept, ...vanished.map((row) => row.tenderId)])],
    [...noticesOf].flatMap(([id, rows]) =>
      doubtsOf(id, [...new Set(rows.map(({ noticeId }) => noticeById.get(noticeId)!))]),
    ),
  )
  await markConsolidated(
    trx,
    batch.map((row) => row.noticeId),
  )
  return {
    notices: batch.length,
    created: tenders.filter((tender) => !before.has(tender.tenderId)).length,
    changed: tenders.filter(({ tenderId: id, contentHash }) => {
      const known = before.get(id)
      return known !== undefined && known.contentHash !== contentHash
    }).length,
    removed: vanished.length,
  }
}

/**
 * The components of all tenders that the touched records are connected with: those of exact links that the batch holds,
 * and others from the store, combined as the matcher decides.
 */
async function matched(
  trx: Executor,
  matcher: Matcher,
  linked: readonly Component[],
  touched: ReadonlySet<string>,
): Promise<Component[]> {
  const { recordKeys, clusters } = await connectedRecords(trx, matcher, touched)
  const byKey = new Map(linked.map((component) => [recordKeyOf(component), component]))
  const missing = recordKeys.filter((key) => !byKey.has(key))
  const members = new Map((await listMatchMembers(trx, missing)).map((each) => [each.noticeId, each.recordKey]))
  const notices = await loadNotices(trx, [...members.keys()])
  const stored = Map.groupBy(notices, (row) => members.get(row.noticeId)!)
  for (const [recordKey, isSucceeded] of await listSucceeded(trx, missing)) {
    const rows = stored.get(recordKey)
    if (rows) byKey.set(recordKey, { units: uniteCopies(rows.map(toStored)), isSucceeded })
  }
  return clusters.flatMap(({ keys }) => {
    const components = keys.map((key) => byKey.get(key)).filter((component) => component !== undefined)
    return components.length === 0 ? [] : [united(components)]
  })
}

/**
 * One component of several. An announcement that a procedure succeeded stays succeeded when another portal announced it
 * too.
 */
function united(components: readonly Component[]): Component {
  const [only] = components
  if (components.length === 1) return only!
  const units = components.flatMap((component) => component.units)
  units.sort((a, b) => compareNotices(a.notice, b.notice))
  return { units, isSucceeded: components.some((component) => component.isSucceeded) && isAnnouncedOnly(units) }
}

/**
 * A merged record whose founding notice is gone (parsers that read a document again may give its notice another key) is
 * in no component any more. It still has to follow when the record that holds it is merged itself (D37).
 */
async function repointMerged(trx: Executor, tenders: readonly NewTender[]): Promise<void> {
  const survivors = new Map(tenders.flatMap(({ tenderId: id, mergedInto }) => (mergedInto ? [[id, mergedInto]] : [])))
  const stale = await listMergedInto(trx, [...survivors.keys()])
  const repointed = stale.map(({ content, firstEdition: _, ...row }): NewTender => {
    const survivor = survivors.get(row.mergedInto!)!
    return { ...row, ...draftOf({ ...(JSON.parse(content) as TenderContent), mergedInto: survivor }, null) }
  })
  await upsertTenders(trx, repointed)
}

function linksOf({ noticeId, notice }: NoticeRow): { readonly noticeId: string; readonly keys: readonly string[] } {
  return { noticeId, keys: linkKeys(notice).map(({ key }) => key) }
}

/** Converts a row of the store for the resolution. */
export function toStored({ noticeId, sourceId, notice }: NoticeRow): StoredNotice {
  return { rowId: noticeId, sourceId, notice }
}

/** All notices connected with the seeds through keys that count, and the keys on the way that do not. */
export async function closureOf(
  trx: Executor,
  batchIds: readonly string[],
  companions: readonly string[] = [],
): Promise<{ readonly noticeIds: readonly string[]; readonly ignoredKeys: ReadonlySet<string> }> {
  const seen = new Set([...batchIds, ...companions])
  const inBatch = new Set(batchIds)
  const ignoredKeys = new Set<string>()
  let frontier = [...seen]
  while (frontier.length > 0) {
    const links = await listLinks(trx, frontier, maxHolders + batchIds.length + 1)
    frontier = []
    for (const [key, holders] of Map.groupBy(links, (link) => link.key)) {
      const noticeIds = holders.map(({ noticeId }) => noticeId)
      if (noticeIds.length > maxHolders) {
        ignoredKeys.add(key)
        // With this batch too many hold the key: notices that it joined before must separate.
        const wasCounted = noticeIds.filter((noticeId) => !inBatch.has(noticeId)).length <= maxHolders
        if (!wasCounted) continue
      }
      for (const noticeId of noticeIds) {
        if (seen.has(noticeId)) continue
        seen.add(noticeId)
        frontier.push(noticeId)
      }
    }
  }
  return { noticeIds: [...seen], ignoredKeys }
}

/** One record per component, plus one for each published id that it outlives (docs/decisions/0002-tender-ids.md). */
function tendersOf(components: readonly Component[], existing: readonly TenderRow[], memory: BatchMemory) {
  const claims = new Map(existing.filter((row) => row.firstEdition !== null).map((row) => [row.foundingKey, row]))
  const tenders: NewTender[] = []
  const assignments: { noticeId: string; tenderId: string }[] = []
  const add = (founding: Unit, units: readonly Unit[], draft: TenderDraft) => {
    const sources = JSON.stringify([...new Set(units.flatMap((unit) => unit.sourceIds))].sort())
    tenders.push({ ...draft, foundingKey: founding.notice.noticeKey, sources })
  }
  for (const component of components) {
    const { units } = component
    const claimed = units
      .flatMap((unit) => {
        const row = claims.get(unit.notice.noticeKey)
        return row ? [{ unit, edition: row.firstEdition!, date: noticeDate(unit.notice), row }] : []
      })
      .sort(
        (a, b) =>
          a.edition - b.edition ||
          (a.date < b.date ? -1 : a.date > b.date ? 1 : a.row.foundingKey < b.row.foundingKey ? -1 : 1),
      )
    const founding = claimed[0]?.unit ?? units[0]!
    const survivor = tenderId(founding.notice.noticeKey)
    add(founding, units, memory.tenderDraft(survivor, component))
    for (const { unit, row } of claimed.slice(1)) add(unit, [unit], mergedTender(row.tenderId, unit.notice, survivor))
    for (const noticeId of units.flatMap((unit) => unit.rowIds)) assignments.push({ noticeId, tenderId: survivor })
  }
  return { tenders, assignments }
}

function isChanged(before: TenderRow | undefined, after: NewTender): boolean {
  return (
    !before ||
    before.contentHash !== after.contentHash ||
    before.nextTransitionMs !== after.nextTransitionMs ||
    before.mergedInto !== after.mergedInto ||
    before.sources !== after.sources
  )
}

/** Derives again what the clock changed: expiry above all. */
async function passDueTransitions(
  trx: Executor,
  now: number,
  limit: number,
  estimator: ValueEstimator,
): Promise<{ readonly due: number; readonly changed: number }> {
  const due = await listDueTenders(trx, now, limit)
  if (due.length === 0) return { due: 0, changed: 0 }
  const notices = await loadNoticesOfTenders(
    trx,
    due.map((row) => row.tenderId),
  )
  const orphans = due.filter((row) => notices.get(row.tenderId)!.length === 0).map((row) => row.tenderId)
  const derived = due
    .filter((row) => !orphans.includes(row.tenderId))
    .map((row): NewTender => {
      const units = uniteCopies(notices.get(row.tenderId)!.map(toStored))
      // An announcement with a successor is over and has no transition, so this one has none.
      const draft = mergeTender(
        row.tenderId,
        units.map((unit) => unit.notice),
        { now, isSucceeded: false },
      )
      return { ...draft, foundingKey: row.foundingKey, sources: row.sources }
    })
  const updated = await applyEstimates(trx, estimator, derived)
  await upsertTenders(trx, updated)
  await clearTransitions(trx, orphans)
  const before = new Map(due.map((row) => [row.tenderId, row.contentHash]))
  const changed = updated.filter((tender) => before.get(tender.tenderId) !== tender.contentHash).length
  return { due: due.length, changed }
}

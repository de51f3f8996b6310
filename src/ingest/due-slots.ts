// The ledger of a source: puts missing slots into it, and says which of them are due and in what order they are read.
import type { Slot } from '../sources/fetch.ts'
import type { Channel, Source } from '../sources/source.ts'
import type { Store } from '../store/database/database.ts'
import {
  firstRunOf,
  insertSlots,
  listDueSlots,
  listDueTimes,
  retireSlot,
  type SlotName,
} from '../store/sources/source-ledger.ts'
import type { SourceUse } from '../store/sources/source-past.ts'
import { horizonOf, missingSlots, type SourceStart, slotOfKey, type Urgency, urgencyOf } from './plan-slots.ts'
import type { RunOptions } from './run-options.ts'

/** A slot that is due, with what decides its turn. */
export type DueSlot = {
  readonly channel: Channel
  readonly slot: Slot
  readonly urgency: Urgency
  readonly failures: number
  readonly dueAt: number
}

const ranks: { readonly [urgency in Urgency]: number } = { current: 0, control: 1, backfill: 2 }

/**
 * Order of due slots: news before the past, those that did not fail before those that did, the newest span, the longest
 * due.
 */
function compareDue(a: DueSlot, b: DueSlot): number {
  return (
    ranks[a.urgency] - ranks[b.urgency] ||
    Math.min(a.failures, 1) - Math.min(b.failures, 1) ||
    Date.parse(b.slot.from ?? '9999-01-01') - Date.parse(a.slot.from ?? '9999-01-01') ||
    a.dueAt - b.dueAt
  )
}

/** The time of a source's first run never changes, and is needed often. */
const firstRuns = new WeakMap<Store['db'], Map<string, number>>()

export async function startOf(
  store: Store,
  source: Source,
  options: Pick<RunOptions, 'clock' | 'backfillSince'>,
): Promise<SourceStart> {
  const known = firstRuns.get(store.db) ?? new Map<string, number>()
  firstRuns.set(store.db, known)
  const startedAt = known.get(source.id) ?? (await firstRunOf(store.db, source.id, options.clock()))
  known.set(source.id, startedAt)
  return { startedAt, horizonMs: horizonOf(source, startedAt, options.backfillSince) }
}

/** Adds the slots that the ledger lacks at this moment. */
export async function planSource(
  store: Store,
  source: Source,
  options: Pick<RunOptions, 'clock' | 'backfillSince'>,
): Promise<void> {
  const start = await startOf(store, source, options)
  for (const channel of source.channels) {
    const known = await listDueTimes(store.db, source.id, channel.name)
    let pastWaiting = 0
    for (const [key, { dueAt, completedAt }] of known) {
      if (dueAt === null || completedAt !== null) continue
      const slot = slotOfKey(source, channel, key)
      if (slot && urgencyOf(channel, slot, start) === 'backfill') pastWaiting += 1
    }
    const ledger = { known: new Set(known.keys()), pastWaiting }
    await insertSlots(store.db, source.id, channel.name, missingSlots(source, channel, start, ledger, options.clock()))
  }
}

/** Slots of a source that are due, in reading order. Rows that no card knows any more are retired. */
export async function dueSlotsOf(
  store: Store,
  source: Source,
  start: SourceStart,
  rows: readonly (SlotName & { readonly dueAt: number; readonly failures: number })[],
): Promise<DueSlot[]> {
  const due: DueSlot[] = []
  for (const row of rows) {
    const channel = source.channels.find((each) => each.name === row.channel)
    const slot = channel && slotOfKey(source, channel, row.slot)
    if (!slot) {
      await retireSlot(store.db, row)
      continue
    }
    due.push({ channel, slot, urgency: urgencyOf(channel, slot, start), failures: row.failures, dueAt: row.dueAt })
  }
  return due.sort(compareDue)
}

const unused: SourceUse = { searches: 0, tenders: 0 }

/** How many entries a source is expected to bring on a working day; 0 where its card does not say. */
export const volumeOf = ({ expects: { perDay } }: Source): number => (perDay ? Math.sqrt(perDay[0] * perDay[1]) : 0)

/**
 * Sources with something due and the slot of each that comes first, in the order in which they are read: news before
 * the past, those that did not fail before those that did, the leading ones, the largest, the longest due. Of the past,
 * those that people use come first.
 */
export async function dueBySource(
  store: Store,
  sources: readonly Source[],
  options: RunOptions,
  uses: ReadonlyMap<string, SourceUse> = new Map(),
): Promise<{ readonly source: Source; readonly best: DueSlot }[]> {
  const rows = Map.groupBy(await listDueSlots(store.db, options.clock()), (row) => row.sourceId)
  const found: { source: Source; best: DueSlot }[] = []
  for (const source of sources) {
    const own = rows.get(source.id)
    if (!own) continue
    const [best] = await dueSlotsOf(store, source, await startOf(store, source, options), own)
    if (best) found.push({ source, best })
  }
  const usedMore = (a: (typeof found)[number], b: (typeof found)[number]): number => {
    if (a.best.urgency !== 'backfill') return 0
    const [one, other] = [uses.get(a.source.id) ?? unused, uses.get(b.source.id) ?? unused]
    return other.searches - one.searches || other.tenders - one.tenders
  }
  return found.sort(
    (a, b) =>
      ranks[a.best.urgency] - ranks[b.best.urgency] ||
      Math.min(a.best.failures, 1) - Math.min(b.best.failures, 1) ||
      Number(b.source.leads ?? false) - Number(a.source.leads ?? false) ||
      usedMore(a, b) ||
      volumeOf(b.source) - volumeOf(a.source) ||
      a.best.dueAt - b.best.dueAt,
  )
}

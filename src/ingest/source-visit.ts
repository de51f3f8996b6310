// A visit of a source: reads what is due of it, slot after slot, until nothing is or others have to be visited.
import { minuteMs } from '../domain/time.ts'
import { traced } from '../platform/tracing.ts'
import type { Source } from '../sources/source.ts'
import type { Store } from '../store/database/database.ts'
import type { Lease } from '../store/sources/source-leases.ts'
import { listDueSlots, type SlotName } from '../store/sources/source-ledger.ts'
import { type DueSlot, dueSlotsOf, planSource, startOf } from './due-slots.ts'
import type { Urgency } from './plan-slots.ts'
import type { PortalConnection } from './polite.ts'
import type { RunOptions } from './run-options.ts'
import { runSlot, type SlotReading, type SlotResult } from './run-slot.ts'
import { leaseMs } from './visit-leases.ts'

export const usualRequestsPerMinute = 60
/** Maximum share of a host's request rate for backfills. */
export const defaultBackfillShare = 0.25

/** How long a list of what is due is used. */
const listedMs = 1000

/** One stay at a portal: its slots are read one after the other under one lease. */
export type Visit = {
  readonly store: Store
  readonly source: Source
  readonly options: RunOptions
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly pace: Pace
  readonly shouldYield: () => boolean
}

/**
 * Reads a source's due slots one after the other, until none is left or others have to be visited. With an `urgency`,
 * reads only slots of that urgency, and stops when one fails.
 */
export async function readVisit(
  visit: Visit,
  { isDueOf, urgency }: { readonly isDueOf: (name: SlotName) => boolean; readonly urgency?: Urgency },
): Promise<readonly SlotResult[]> {
  const { store, source, options, signal } = visit
  const results: SlotResult[] = []
  const start = await startOf(store, source, options)
  await planSource(store, source, options)
  let [due, listedAt]: [DueSlot[], number] = [[], Number.NEGATIVE_INFINITY]
  while (!signal.aborted) {
    const now = options.clock()
    // only this visit reads them, so a list of this moment is still right when its first slots were empty
    if (due.length === 0 || now < listedAt || now - listedAt >= listedMs) {
      const rows = (await listDueSlots(store.db, now, source.id)).filter(isDueOf)
      ;[due, listedAt] = [await dueSlotsOf(store, source, start, rows), now]
    }
    const next = due.shift()
    if (!next) {
      // reading the past makes room for more of it
      await planSource(store, source, options)
      const more = (await listDueSlots(store.db, options.clock(), source.id)).filter(isDueOf)
      if (more.length === 0) break
      continue
    }
    if (urgency !== undefined && next.urgency !== urgency) break
    const result = await readSlot(visit, next)
    results.push(result)
    const isBad = result.outcome === 'failed' || result.outcome === 'refused'
    // while the portal wants a pause, further slots would only get the same answer
    if (isBad && (urgency !== undefined || (result.retryAt ?? 0) > options.clock())) break
    if (result.outcome === 'stopped' || visit.shouldYield()) break
  }
  return results
}

export async function readSlot(visit: Visit, { channel, slot, urgency }: DueSlot): Promise<SlotResult> {
  const { store, source, options, signal } = visit
  const key = source.access.kind === 'key' ? options.keyOf(source.access.setting) : undefined
  const connection = options.hosts.openConnection({ source, key, signal })
  const reading: SlotReading = {
    store,
    source,
    channel,
    slot,
    isPast: urgency === 'backfill',
    lease: visit.lease,
    leaseMs,
    clock: options.clock,
    connection: urgency === 'backfill' ? slowed(connection, visit) : connection,
    key,
    scratchFolder: options.scratchFolder,
    signal,
    shouldYield: visit.shouldYield,
    ...(options.processing && { processing: options.processing }),
    ...(options.documentStore && { documentStore: options.documentStore }),
    ...(options.onStored && { onStored: (documents) => options.onStored!(source.id, documents) }),
    ...(options.onFault && { onFault: (error) => options.onFault!(source.id, error) }),
  }
  const named = { 'tenderstock.source': source.id, 'tenderstock.channel': channel.name, 'tenderstock.slot': slot.key }
  const result = await traced('reading', named, async (span) => {
    const ended = await runSlot(reading)
    span.setAttributes({ 'tenderstock.outcome': ended.outcome, 'tenderstock.documents': ended.documents })
    return ended
  })
  options.onReading?.(result)
  return result
}

/** When each source may next send a request for its past, epoch milliseconds. */
export type Pace = Map<string, number>
export const createPace = (): Pace => new Map()

/** A connection for filling the past: it uses no more than its share of the portal's rate. */
function slowed(connection: PortalConnection, { source, options, pace, signal }: Visit): PortalConnection {
  const share = options.backfillShare ?? defaultBackfillShare
  if (share >= 1) return connection
  const { requestsPerMinute = usualRequestsPerMinute, pauseMs = 0 } = source.politeness
  const intervalMs = Math.max(minuteMs / requestsPerMinute, pauseMs) / share
  return {
    ...connection,
    send: async (request) => {
      const waitMs = (pace.get(source.id) ?? 0) - options.clock()
      if (waitMs > 0) await options.sleep(Math.min(waitMs, intervalMs), signal)
      signal.throwIfAborted()
      pace.set(source.id, options.clock() + intervalMs)
      return connection.send(request)
    },
  }
}

// Runs sources: plans their slots, takes leases so that nothing is read by two processes at the same time, and reads
// what is due.
import { hourMs, minuteMs } from '../domain/time.ts'
import type { Clock, Sleep } from '../platform/clock.ts'
import { noSuchThing, OperatorError } from '../platform/errors.ts'
import { traced } from '../platform/tracing.ts'
import type { Slot } from '../sources/fetch.ts'
import type { Channel, Source } from '../sources/source.ts'
import type { Store } from '../store/database.ts'
import type { DocumentStore } from '../store/document-store.ts'
import { holdLease, type Lease, LeaseLost, releaseLease, takeLease } from '../store/source-leases.ts'
import {
  deleteOldRuns,
  firstRunOf,
  insertSlots,
  listDueSlots,
  listDueTimes,
  retireSlot,
  type SlotName,
} from '../store/source-ledger.ts'
import { hostGroups } from './host-groups.ts'
import { horizonOf, missingSlots, type SourceStart, slotOfKey, type Urgency, urgencyOf } from './plan-slots.ts'
import type { PoliteHosts, PortalConnection } from './polite.ts'
import type { ReadDocument } from './read-document.ts'
import { runSlot, type SlotReading, type SlotResult } from './run-slot.ts'
import { type DueSource, firstRestMs, isVisitOver, type Rest, restAfter, type Schedule, schedule } from './schedule.ts'
import { whyOff } from './source-health.ts'

/** How long a killed worker's sources stay locked. */
const leaseMs = 90_000
/** How often spans that have started since are added to the ledger. */
const planMs = 10 * minuteMs
/** How often to look for due slots while no visit ends. */
const pollMs = 5000
/** How long a source is assumed to be read by another process. */
const elsewhereMs = 20_000
const usualRequestsPerMinute = 60
/** Maximum share of a host's request rate for backfills. */
const defaultBackfillShare = 0.25

export type RunOptions = {
  readonly clock: Clock
  /** Connections to the portals, shared by all sources of this process. */
  readonly hosts: Pick<PoliteHosts, 'openConnection'>
  /** The key of a setting (`SAM_API_KEY`); undefined when it is not set. */
  readonly keyOf: (setting: string) => string | undefined
  /** Where archives are unpacked; created when missing. */
  readonly scratchFolder: string
  /** Unique among all workers: host, process and a random part. */
  readonly worker: string
  readonly sleep: Sleep
  readonly signal: AbortSignal
  /** All sources that exist: with them, only one process at a time reads each host. */
  readonly all?: Iterable<Source>
  readonly documentStore?: DocumentStore
  /** First day of the past to read, `YYYY-MM-DD`; default 30 days before the source's first run. */
  readonly backfillSince?: string
  /** With 1, the past is read as fast as the portal allows. */
  readonly backfillShare?: number
  /** Called when a reading has ended. */
  readonly onReading?: (result: SlotResult) => void
  /** Called when new documents have been stored. */
  readonly onStored?: (sourceId: string, documents: readonly ReadDocument[]) => Promise<void>
  /** Called when an error comes from the card or the store rather than the portal. */
  readonly onFault?: (sourceId: string, error: unknown) => void
}

/** What to read of a source: everything that is due, or the named slots, due or not. */
export type Wish = {
  readonly channel?: string
  /** Only with `channel`. */
  readonly slots?: readonly string[]
}

/**
 * Reads a source until nothing is due, or the named slots once. For the command line and for tests: it does not rest
 * after a failure. Throws OperatorError when the key is missing, another worker reads the source, or there is no such
 * channel or slot; also throws errors of the store. Failures of portals are outcomes.
 */
export async function runSource(
  store: Store,
  source: Source,
  options: RunOptions,
  wish: Wish = {},
): Promise<readonly SlotResult[]> {
  const missingKey = source.access.kind === 'key' && options.keyOf(source.access.setting) === undefined
  if (missingKey) throw new OperatorError(`${source.id} ${whyOff(source, false)}.`)
  const named = namedSlots(source, wish)
  const group = options.all && hostGroups(options.all).get(source.id)
  const leases = await takeLeases(store, source, group, options, true)
  if (!leases)
    throw new OperatorError(
      `Another worker reads ${source.id}, or a source on the same host right now; wait until it is done and try again.`,
    )
  const [lease] = leases
  const run = { store, source, options: { ...options, backfillShare: options.backfillShare ?? 1 } }
  return withHeartbeat(store, leases, options, async (signal) => {
    const visit: Visit = { ...run, lease, signal, pace: createPace(), shouldYield: () => false }
    if (named) {
      const results: SlotResult[] = []
      for (const each of named) if (!signal.aborted) results.push(await readSlot(visit, each))
      return results
    }
    const only = wish.channel
    return readVisit(visit, { isDueOf: (name) => only === undefined || name.channel === only })
  })
}

/** Reads what is due of each source once, one source after the other. Sources that are off are skipped. */
export async function runDueSlots(
  store: Store,
  sources: Iterable<Source>,
  options: RunOptions,
): Promise<readonly SlotResult[]> {
  const results: SlotResult[] = []
  for (const source of sources) {
    if (options.signal.aborted) break
    if (whyOff(source, hasKey(source, options)) !== undefined) continue
    results.push(...(await runSource(store, source, options)))
  }
  return results
}

const hasKey = ({ access }: Source, { keyOf }: RunOptions) =>
  access.kind === 'open' || keyOf(access.setting) !== undefined

function namedSlots(source: Source, { channel: name, slots }: Wish): DueSlot[] | undefined {
  if (name === undefined) return undefined
  const channel = source.channels.find((each) => each.name === name)
  if (!channel)
    throw noSuchThing(
      `${source.id} has no channel ${name}; it has ${source.channels.map((each) => each.name).join(', ')}.`,
    )
  return slots?.map((key) => {
    const slot = slotOfKey(source, channel, key)
    if (!slot)
      throw noSuchThing(
        `The channel ${name} of ${source.id} has no slot ${key}; its slots are written like ${exampleKey(channel)}.`,
      )
    return { channel, slot, urgency: 'current' as const, failures: 0, dueAt: 0 }
  })
}

function exampleKey({ slots: { kind } }: Channel): string {
  const examples = { year: '2026', month: '2026-11', week: '2026-W47', day: '2026-11-20', hours: '2026-11-20T06' }
  return kind === 'feed' || kind === 'whole' ? kind : examples[kind]
}

export type WorkOptions = RunOptions & {
  /** Maximum number of sources that this process reads at the same time. */
  readonly workers: number
  /** All that exist, so that every process finds the same hosts; `sources` are those that are to run. */
  readonly all: Iterable<Source>
  /** Called after each check that found no news due or in progress: every source was visited. */
  readonly onCaughtUp?: () => void
}

/**
 * Reads sources on their timetables until the signal is aborted: several at a time, but only one of those that share a
 * host unless their cards allow more. Any number of processes may do this on one database. Errors of the store are
 * passed to `onFault` and retried.
 */
export async function runWorkers(store: Store, sources: readonly Source[], options: WorkOptions): Promise<void> {
  const { clock, signal, workers } = options
  const groups = hostGroups(options.all)
  const byId = new Map(sources.map((source) => [source.id, source]))
  const running = new Map<string, Pick<DueSource, 'group' | 'urgency'> & { readonly work: Promise<void> }>()
  const rests = new Map<string, Rest>()
  const elsewhere = new Map<string, number>()
  const plannedAt = new Map<string, number>()
  const pace = createPace()
  /** The most recent schedule: running visits check in it whether they have to end. */
  let latest: Schedule | undefined
  let nextTidyAt = 0
  let wake = () => {}

  const round = async () => {
    const now = clock()
    if (now >= nextTidyAt) {
      nextTidyAt = now + hourMs
      await deleteOldRuns(store.db, now)
    }
    for (const source of sources) {
      if (signal.aborted) return
      if ((plannedAt.get(source.id) ?? Number.NEGATIVE_INFINITY) + planMs > now) continue
      plannedAt.set(source.id, now)
      await planSource(store, source, options)
    }
    const due = (await dueBySource(store, sources, options)).map(({ source, best }) => ({
      id: source.id,
      group: groups.get(source.id)!,
      connections: source.politeness.connections ?? 1,
      urgency: best.urgency,
    }))
    const tried = new Set<string>()
    const look = () => {
      latest = schedule({ workers, running, rests, elsewhere, tried }, due, now)
      return latest
    }
    if (look().isCaughtUp) options.onCaughtUp?.()
    for (let { next } = look(); next && !signal.aborted; { next } = look()) {
      tried.add(next.id)
      const source = byId.get(next.id)!
      const leases = await takeLeases(store, source, next.group, options, false)
      if (!leases) {
        elsewhere.set(next.id, now + elsewhereMs)
        continue
      }
      elsewhere.delete(next.id)
      running.set(next.id, { ...next, work: runVisit(source, next, leases) })
    }
  }

  const runVisit = async (source: Source, due: DueSource, leases: readonly [Lease, ...Lease[]]): Promise<void> => {
    const own = { ...due, startedAt: clock() }
    const shouldYield = () => latest !== undefined && isVisitOver(latest, own, clock())
    try {
      await withHeartbeat(store, leases, options, async (visitSignal, keep) => {
        const visit: Visit = { store, source, options, lease: leases[0], signal: visitSignal, pace, shouldYield }
        const results = await readVisit(visit, { isDueOf: () => true, urgency: due.urgency })
        const rest = restAfter(rests.get(source.id), source.politeness, results, clock())
        if (!rest) {
          rests.delete(source.id)
          return
        }
        rests.set(source.id, rest)
        // a portal that refused one source is left alone by the others on it as well
        const kept = results.at(-1)?.outcome === 'refused' ? leases : leases.slice(0, 1)
        for (const lease of kept) keep(lease, rest.until)
      })
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        rests.set(source.id, { failures: 0, until: clock() + firstRestMs })
        options.onFault?.(source.id, error)
      }
    } finally {
      plannedAt.delete(source.id)
      running.delete(source.id)
      wake()
    }
  }

  while (!signal.aborted) {
    try {
      await round()
    } catch (error) {
      options.onFault?.('', error)
    }
    const woken = new AbortController()
    wake = () => woken.abort()
    await options.sleep(pollMs, AbortSignal.any([signal, woken.signal])).catch(() => {})
  }
  await Promise.all([...running.values()].map(({ work }) => work))
}

type DueSlot = {
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

async function startOf(
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
async function planSource(
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
async function dueSlotsOf(
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

async function dueBySource(
  store: Store,
  sources: readonly Source[],
  options: RunOptions,
): Promise<{ readonly source: Source; readonly best: DueSlot }[]> {
  const rows = Map.groupBy(await listDueSlots(store.db, options.clock()), (row) => row.sourceId)
  const found: { source: Source; best: DueSlot }[] = []
  for (const source of sources) {
    const own = rows.get(source.id)
    if (!own) continue
    const [best] = await dueSlotsOf(store, source, await startOf(store, source, options), own)
    if (best) found.push({ source, best })
  }
  return found.sort(
    (a, b) =>
      ranks[a.best.urgency] - ranks[b.best.urgency] ||
      Math.min(a.best.failures, 1) - Math.min(b.best.failures, 1) ||
      a.best.dueAt - b.best.dueAt,
  )
}

type Visit = {
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
async function readVisit(
  visit: Visit,
  { isDueOf, urgency }: { readonly isDueOf: (name: SlotName) => boolean; readonly urgency?: Urgency },
): Promise<readonly SlotResult[]> {
  const { store, source, options, signal } = visit
  const results: SlotResult[] = []
  const start = await startOf(store, source, options)
  await planSource(store, source, options)
  while (!signal.aborted) {
    const rows = (await listDueSlots(store.db, options.clock(), source.id)).filter(isDueOf)
    const [next] = await dueSlotsOf(store, source, start, rows)
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

async function readSlot(visit: Visit, { channel, slot, urgency }: DueSlot): Promise<SlotResult> {
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
type Pace = Map<string, number>
const createPace = (): Pace => new Map()

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

/**
 * Takes the source's lease, which fences what is written, and one of its host's, which protects the portal from too
 * many readers (none without a group). A manual run overrides a back-off.
 */
async function takeLeases(
  store: Store,
  source: Source,
  group: string | undefined,
  { worker, clock }: RunOptions,
  endsRest: boolean,
): Promise<[Lease, ...Lease[]] | undefined> {
  const take = (lease: string) => {
    const now = clock()
    return takeLease(store.db, { lease, worker, now, untilMs: now + leaseMs, endsRest })
  }
  const own = await take(`source ${source.id}`)
  if (!own || group === undefined) return own && [own]
  for (let place = 0; place < (source.politeness.connections ?? 1); place += 1) {
    const host = await take(`host ${group} ${place}`)
    if (host) return [own, host]
  }
  await releaseLease(store.db, own, clock())
  return undefined
}

/**
 * Extends leases while `work` runs, and releases them, immediately or at the end of the pause that `work` requested.
 * The signal is aborted when the run has to end or a lease was lost. Every transaction extends the lease as well, so a
 * heartbeat may be late.
 */
async function withHeartbeat<Result>(
  store: Store,
  leases: readonly Lease[],
  options: RunOptions,
  work: (signal: AbortSignal, rest: (lease: Lease, until: number) => void) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  const rests = new Map<Lease, number>()
  const beat = async () => {
    for (const lease of leases) await holdLease(store.db, lease, options.clock() + leaseMs)
  }
  const timer = setInterval(() => {
    beat().catch((error: unknown) => {
      // the store's own failures show up in the work itself
      if (error instanceof LeaseLost) lost.abort(error)
    })
  }, leaseMs / 4)
  timer.unref()
  try {
    return await work(AbortSignal.any([options.signal, lost.signal]), (lease, until) => rests.set(lease, until))
  } finally {
    clearInterval(timer)
    for (const lease of [...leases].reverse())
      await releaseLease(store.db, lease, rests.get(lease) ?? options.clock()).catch(() => {})
  }
}

// Runs sources: plans their slots, takes leases so that nothing is read twice at once, reads what is due, again and again.
import { hourMs, minuteMs } from '../domain/time.ts'
import type { Clock, Sleep } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
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
import type { Line, PoliteHosts } from './polite.ts'
import type { ReadDocument } from './read-document.ts'
import { runSlot, type SlotResult } from './run-slot.ts'
import { whyOff } from './source-health.ts'

/** How long a killed worker's sources stay locked. */
const leaseMs = 90_000
/** How long a source may use a host before news of other sources on that host go first. */
const longestTurnMs = 10 * minuteMs
/** How often spans that have started meanwhile are added to the ledger. */
const planMs = 10 * minuteMs
const pollMs = 5000
const elsewhereMs = 20_000
const firstRestMs = minuteMs
const longestRestMs = 15 * minuteMs
/** Where the portal names a longer time, its slots are due later; the source is looked at again after this. */
const longestSaidRestMs = 6 * hourMs
const usualRequestsPerMinute = 60
/** Maximum share of a host's request rate for backfills. */
const defaultBackfillShare = 0.25

export type RunOptions = {
  readonly clock: Clock
  /** Lines to the portals, shared by all sources of this process. */
  readonly hosts: Pick<PoliteHosts, 'openLine'>
  /** The key of a setting (`SAM_API_KEY`); undefined when it is not set. */
  readonly keyOf: (setting: string) => string | undefined
  /** Where archives are unpacked; made when it is missing. */
  readonly scratchFolder: string
  /** Unlike that of any other worker, ever: host, process and a random part. */
  readonly worker: string
  readonly sleep: Sleep
  readonly signal: AbortSignal
  /** All sources that exist: who gives them keeps to one reader at a time on each host, over all processes. */
  readonly all?: Iterable<Source>
  readonly documentStore?: DocumentStore
  /** First day of the past that is read, `YYYY-MM-DD`; default 30 days before the source's first run. */
  readonly backfillSince?: string
  /** 1: the past is read as fast as the portal allows. */
  readonly backfillShare?: number
  /** Called when a reading has ended. */
  readonly onReading?: (result: SlotResult) => void
  /** Called when new documents have been stored. */
  readonly onStored?: (sourceId: string, documents: readonly ReadDocument[]) => Promise<void>
  /** Called when an error is not the portal's but the card's or the store's. */
  readonly onFault?: (sourceId: string, error: unknown) => void
}

/** What to read of a source: everything that is due, or the named slots whether they are due or not. */
export type Wish = {
  readonly channel?: string
  /** Only with `channel`. */
  readonly slots?: readonly string[]
}

/**
 * Reads what is due of one source until nothing is, or the named slots once. For the command line and for tests: it does not
 * rest after a failure. Throws OperatorError when the key is missing, another worker reads the source, or there is no such
 * channel or slot; what the store throws. Portals' failures are outcomes.
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
    const turn: Turn = { ...run, lease, signal, pace: createPace(), shouldYield: () => false }
    if (named) {
      const results: SlotResult[] = []
      for (const each of named) if (!signal.aborted) results.push(await readSlot(turn, each))
      return results
    }
    const only = wish.channel
    return readTurn(turn, { isDueOf: (name) => only === undefined || name.channel === only })
  })
}

/** Runs what is due of each source once, one source after the other. Sources that are off are skipped. */
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
    throw new OperatorError(
      `${source.id} has no channel ${name}; it has ${source.channels.map((each) => each.name).join(', ')}.`,
    )
  return slots?.map((key) => {
    const slot = slotOfKey(source, channel, key)
    if (!slot)
      throw new OperatorError(
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
  /** Sources read at the same time by this process. */
  readonly workers: number
  /** All that exist, so that every process finds the same hosts; `sources` are those of them that are to run. */
  readonly all: Iterable<Source>
  /** Told after each look at which no news were due or being read: every source has had its turn. */
  readonly onCaughtUp?: () => void
}

/**
 * Reads sources on their timetables until the signal is aborted: several at a time, one at a time of those that share a
 * host unless their cards allow more. Any number of processes may do this on one database. Store errors are told to
 * `onFault` and retried.
 */
export async function runWorkers(store: Store, sources: readonly Source[], options: WorkOptions): Promise<void> {
  const { clock, signal } = options
  const groups = hostGroups(options.all)
  const running = new Map<string, { readonly urgency: Urgency; readonly work: Promise<void> }>()
  const plannedAt = new Map<string, number>()
  const rests = new Map<string, { failures: number; until: number }>()
  const pace = createPace()
  /** Sources with news that wait for a host, by group: as of the last look. */
  let waiting = new Map<string, Set<string>>()
  /** Whether one of them could be read if a worker were free. */
  let isCrowded = false
  /** Until when sources are taken to be read by other processes, epoch milliseconds. */
  const elsewhere = new Map<string, number>()
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
    const due = await dueBySource(store, sources, options)
    waiting = new Map()
    const isResting = (source: Source) => (rests.get(source.id)?.until ?? 0) > now
    const hasNews = due.filter(({ source, best }) => best.urgency === 'current' && !isResting(source))
    // what is being read stays due until its end
    if (hasNews.length === 0) options.onCaughtUp?.()
    for (const { source } of hasNews) {
      if ((elsewhere.get(source.id) ?? 0) > now) continue
      const group = groups.get(source.id)!
      waiting.set(group, (waiting.get(group) ?? new Set()).add(source.id))
    }
    const isHostBusy = (source: Source) =>
      (source.politeness.connections ?? 1) === 1 &&
      [...running.keys()].some((id) => groups.get(id) === groups.get(source.id))
    for (const { source, best } of due) {
      if (running.size >= options.workers || signal.aborted) break
      if (running.has(source.id) || isResting(source) || isHostBusy(source)) continue
      const group = groups.get(source.id)!
      if (best.urgency === 'backfill') {
        // the past waits while the host has news to give, and leaves a worker free for the news of others
        if ((waiting.get(group)?.size ?? 0) > 0) continue
        const backfills = [...running.values()].filter((each) => each.urgency === 'backfill').length
        if (backfills >= Math.max(1, options.workers - 1)) continue
      }
      const leases = await takeLeases(store, source, group, options, false)
      if (!leases) {
        elsewhere.set(source.id, now + elsewhereMs)
        waiting.get(group)?.delete(source.id)
        continue
      }
      elsewhere.delete(source.id)
      waiting.get(group)?.delete(source.id)
      running.set(source.id, { urgency: best.urgency, work: runTurn(source, group, best.urgency, leases) })
    }
    isCrowded =
      running.size >= options.workers &&
      sources.some((source) => waiting.get(groups.get(source.id)!)?.has(source.id) && !isHostBusy(source))
  }

  const runTurn = async (
    source: Source,
    group: string,
    urgency: Urgency,
    leases: readonly [Lease, ...Lease[]],
  ): Promise<void> => {
    const startedAt = clock()
    const shouldYield = () => {
      const news = waiting.get(group)
      if (urgency === 'backfill') return isCrowded || (news?.size ?? 0) > 0
      const others = (news?.size ?? 0) - (news?.has(source.id) ? 1 : 0)
      return (isCrowded || others > 0) && clock() - startedAt > longestTurnMs
    }
    try {
      await withHeartbeat(store, leases, options, async (turnSignal, rest) => {
        const turn: Turn = { store, source, options, lease: leases[0], signal: turnSignal, pace, shouldYield }
        const results = await readTurn(turn, { isDueOf: () => true, urgency })
        const until = restAfter(rests, source, results, clock())
        if (until > 0) rest(leases[0], until)
        // a portal that refused one source is left alone by the others on it too
        if (until > 0 && results.at(-1)?.outcome === 'refused') for (const host of leases.slice(1)) rest(host, until)
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

/** When the source may be asked again after a turn; 0 when at once. It rests longer the more of its turns fail in a row. */
function restAfter(
  rests: Map<string, { failures: number; until: number }>,
  source: Source,
  results: readonly SlotResult[],
  now: number,
): number {
  const last = results.at(-1)
  const isBad = last?.outcome === 'failed' || last?.outcome === 'refused'
  if (!isBad) {
    rests.delete(source.id)
    return 0
  }
  const hasGood = results.length > 1
  const failures = hasGood ? 1 : (rests.get(source.id)?.failures ?? 0) + 1
  const least = last.outcome === 'refused' ? (source.politeness.restMs ?? 5 * minuteMs) : firstRestMs
  const wanted = Math.max(least, Math.min(firstRestMs * 2 ** (failures - 1), longestRestMs))
  const until = now + Math.min(Math.max(wanted, (last.retryAt ?? 0) - now), longestSaidRestMs)
  rests.set(source.id, { failures, until })
  return until
}

type DueSlot = {
  readonly channel: Channel
  readonly slot: Slot
  readonly urgency: Urgency
  readonly failures: number
  readonly dueAt: number
}

const ranks: { readonly [urgency in Urgency]: number } = { current: 0, control: 1, backfill: 2 }

/** What comes first: news before the past, what did not fail before what did, the newest span, the longest due. */
function compareDue(a: DueSlot, b: DueSlot): number {
  return (
    ranks[a.urgency] - ranks[b.urgency] ||
    Math.min(a.failures, 1) - Math.min(b.failures, 1) ||
    Date.parse(b.slot.from ?? '9999-01-01') - Date.parse(a.slot.from ?? '9999-01-01') ||
    a.dueAt - b.dueAt
  )
}

/** When sources ran first never changes, and is asked for often. */
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

/** Puts the slots into the ledger that it lacks at this moment. */
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

/** Slots of a source that are due, in the order in which they are read. Rows that no card knows any more are retired. */
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

type Turn = {
  readonly store: Store
  readonly source: Source
  readonly options: RunOptions
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly pace: Pace
  readonly shouldYield: () => boolean
}

/**
 * Reads what is due of a source, one slot after the other, until nothing is or somebody else's turn comes. With an
 * `urgency`, only what is as urgent, and until a slot fails.
 */
async function readTurn(
  turn: Turn,
  { isDueOf, urgency }: { readonly isDueOf: (name: SlotName) => boolean; readonly urgency?: Urgency },
): Promise<readonly SlotResult[]> {
  const { store, source, options, signal } = turn
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
    const result = await readSlot(turn, next)
    results.push(result)
    const isBad = result.outcome === 'failed' || result.outcome === 'refused'
    // while the portal wants to be left alone, further slots would only be told so
    if (isBad && (urgency !== undefined || (result.retryAt ?? 0) > options.clock())) break
    if (result.outcome === 'stopped' || turn.shouldYield()) break
  }
  return results
}

async function readSlot(turn: Turn, { channel, slot, urgency }: DueSlot): Promise<SlotResult> {
  const { store, source, options, signal } = turn
  const key = source.access.kind === 'key' ? options.keyOf(source.access.setting) : undefined
  const line = options.hosts.openLine({ source, key, signal })
  const result = await runSlot({
    store,
    source,
    channel,
    slot,
    isPast: urgency === 'backfill',
    lease: turn.lease,
    leaseMs,
    clock: options.clock,
    line: urgency === 'backfill' ? slowed(line, turn) : line,
    key,
    scratchFolder: options.scratchFolder,
    signal,
    shouldYield: turn.shouldYield,
    ...(options.documentStore && { documentStore: options.documentStore }),
    ...(options.onStored && { onStored: (documents) => options.onStored!(source.id, documents) }),
    ...(options.onFault && { onFault: (error) => options.onFault!(source.id, error) }),
  })
  options.onReading?.(result)
  return result
}

/** When the past of each source may ask next, epoch milliseconds. */
type Pace = Map<string, number>
const createPace = (): Pace => new Map()

/** A line for filling the past: it takes no more than its share of the portal's rate. */
function slowed(line: Line, { source, options, pace, signal }: Turn): Line {
  const share = options.backfillShare ?? defaultBackfillShare
  if (share >= 1) return line
  const { requestsPerMinute = usualRequestsPerMinute, pauseMs = 0 } = source.politeness
  const intervalMs = Math.max(minuteMs / requestsPerMinute, pauseMs) / share
  return {
    ...line,
    send: async (request) => {
      const waitMs = (pace.get(source.id) ?? 0) - options.clock()
      if (waitMs > 0) await options.sleep(Math.min(waitMs, intervalMs), signal)
      signal.throwIfAborted()
      pace.set(source.id, options.clock() + intervalMs)
      return line.send(request)
    },
  }
}

/**
 * The source's lease, which fences what is written, and one of its host's, which keeps the portal from being crowded (none
 * without a group). A manual run overrides a back-off.
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
 * Holds leases while `work` runs, and gives them back, at once or when the rest ends that `work` asked for. The signal is
 * aborted when the run is to end or a lease was lost. Every transaction holds the lease as well, so a beat may come late.
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
      // the store's own failures show in the work itself
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

// Runs sources: one for a command (`runSource`), or all of them on their timetables (`runWorkers`). Both take the
// leases of a source first (visit-leases.ts) and then visit it (source-visit.ts), which reads what due-slots.ts finds
// due. Who is visited next is decided in schedule.ts.
import { hourMs, minuteMs } from '../domain/time.ts'
import { atMost } from '../platform/at-most.ts'
import { OperatorError, refused } from '../platform/errors.ts'
import type { Channel, Source } from '../sources/source.ts'
import type { Store } from '../store/database/database.ts'
import { type Lease, LeaseLost } from '../store/sources/source-leases.ts'
import { deleteOldRuns } from '../store/sources/source-ledger.ts'
import { type SourceUse, usesOfSources } from '../store/sources/source-past.ts'
import { sourcesTurnedOff } from '../store/sources/sources-turned-off.ts'
import { type DueSlot, dueBySource, planSource } from './due-slots.ts'
import { hostGroups } from './host-groups.ts'
import { slotOfKey } from './plan-slots.ts'
import type { RunOptions } from './run-options.ts'
import type { SlotResult } from './run-slot.ts'
import {
  type DueSource,
  firstRestMs,
  isVisitOver,
  type News,
  type Rest,
  restAfter,
  type Schedule,
  schedule,
} from './schedule.ts'
import { needsKey } from './source-health.ts'
import { createPace, readSlot, readVisit, type Visit } from './source-visit.ts'
import { takeLeases, withHeartbeat } from './visit-leases.ts'

/** How often spans that have started since are added to the ledger. */
const planMs = 10 * minuteMs
/** How often the use of each source is counted. */
const usesMs = 6 * hourMs
/** How often to look for due slots while no visit ends. */
const pollMs = 5000
/** How long a source is assumed to be read by another process. */
const elsewhereMs = 20_000
/** Visits for each worker: a visit mostly waits for its portal, and a wait holds no worker. */
const visitsPerWorker = 8

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
  if (source.access.kind === 'key' && options.keyOf(source.access.setting) === undefined)
    throw refused(needsKey(source.id, source.access))
  const named = namedSlots(source, wish)
  const group = options.all && hostGroups(options.all).get(source.id)
  const leases = await takeLeases(store, source, group, options, true)
  if (!leases) throw refused({ code: 'read-elsewhere', values: { source: source.id } })
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

function namedSlots(source: Source, { channel: name, slots }: Wish): DueSlot[] | undefined {
  if (name === undefined) return undefined
  const channel = source.channels.find((each) => each.name === name)
  if (!channel)
    throw new OperatorError(
      'no-channel',
      `${source.id} has no channel ${name}; it has ${source.channels.map((each) => each.name).join(', ')}.`,
    )
  return slots?.map((key) => {
    const slot = slotOfKey(source, channel, key)
    if (!slot)
      throw new OperatorError(
        'no-slot',
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
  /** How many groups of documents are parsed and stored at the same time. */
  readonly workers: number
  /** How many sources are visited at the same time; default eight for each worker. */
  readonly visits?: number
  /** All that exist, so that every process finds the same hosts; `sources` are those that are to run. */
  readonly all: Iterable<Source>
  /** Called after each look at what is due. */
  readonly onNews?: (news: News) => void
}

/**
 * Reads sources on their timetables until the signal is aborted: several at a time, but only one of those that share a
 * host unless their cards allow more. Any number of processes may do this on one database. Errors of the store are
 * passed to `onFault` and retried.
 */
export async function runWorkers(store: Store, sources: readonly Source[], options: WorkOptions): Promise<void> {
  await new Workers(store, sources, options).run()
}

/** The visits of one process: which sources it reads now, and which it leaves alone for a time. */
class Workers {
  readonly #store: Store
  readonly #sources: readonly Source[]
  readonly #options: WorkOptions
  readonly #groups: ReadonlyMap<string, string>
  readonly #byId: ReadonlyMap<string, Source>
  readonly #running = new Map<string, Pick<DueSource, 'group' | 'urgency'> & { readonly work: Promise<void> }>()
  readonly #rests = new Map<string, Rest>()
  readonly #silent = new Set<string>()
  /** By an operator, at the last look. */
  #turnedOff: ReadonlySet<string> = new Set()
  readonly #elsewhere = new Map<string, number>()
  #uses: ReadonlyMap<string, SourceUse> = new Map()
  #nextUsesAt = 0
  readonly #plannedAt = new Map<string, number>()
  readonly #pace = createPace()
  /** The most recent schedule: running visits check in it whether they have to end. */
  #latest: Schedule | undefined
  #nextTidyAt = 0
  #wake = () => {}

  constructor(store: Store, sources: readonly Source[], options: WorkOptions) {
    this.#store = store
    this.#sources = sources
    this.#options = { ...options, processing: atMost(options.workers) }
    this.#groups = hostGroups(options.all)
    this.#byId = new Map(sources.map((source) => [source.id, source]))
  }

  /** A round every few seconds, and at once when a visit has ended. */
  async run(): Promise<void> {
    const { signal, sleep, onFault } = this.#options
    while (!signal.aborted) {
      try {
        await this.#round()
      } catch (error) {
        onFault?.('', error)
      }
      const woken = new AbortController()
      this.#wake = () => woken.abort()
      await sleep(pollMs, AbortSignal.any([signal, woken.signal])).catch(() => {})
    }
    await Promise.all([...this.#running.values()].map(({ work }) => work))
  }

  /** Adds what has become due to the ledger, then visits as many sources as there is room for. */
  async #round(): Promise<void> {
    const now = this.#options.clock()
    await this.#tidy(now)
    await this.#plan(now)
    if (this.#options.signal.aborted) return
    const due = await this.#due(now)
    const tried = new Set<string>()
    this.#options.onNews?.(this.#look(due, tried, now).news)
    for (;;) {
      const { next } = this.#look(due, tried, now)
      if (!next || this.#options.signal.aborted) return
      tried.add(next.id)
      await this.#begin(next, now)
    }
  }

  async #tidy(now: number): Promise<void> {
    if (now < this.#nextTidyAt) return
    this.#nextTidyAt = now + hourMs
    await deleteOldRuns(this.#store.db, now)
  }

  async #plan(now: number): Promise<void> {
    for (const source of this.#sources) {
      if (this.#options.signal.aborted) return
      if ((this.#plannedAt.get(source.id) ?? Number.NEGATIVE_INFINITY) + planMs > now) continue
      this.#plannedAt.set(source.id, now)
      await planSource(this.#store, source, this.#options)
    }
  }

  /** What people use changes slowly, and counting it reads the open stock. */
  async #countUses(now: number): Promise<void> {
    if (now < this.#nextUsesAt) return
    this.#nextUsesAt = now + usesMs
    this.#uses = await usesOfSources(this.#store.db)
  }

  async #due(now: number): Promise<readonly DueSource[]> {
    await this.#countUses(now)
    this.#turnedOff = new Set((await sourcesTurnedOff(this.#store.db)).keys())
    const active = this.#sources.filter(({ id }) => !this.#turnedOff.has(id))
    const found = await dueBySource(this.#store, active, this.#options, this.#uses)
    return found.map(({ source, best }) => ({
      id: source.id,
      group: this.#groups.get(source.id)!,
      connections: source.politeness.connections ?? 1,
      urgency: best.urgency,
    }))
  }

  #look(due: readonly DueSource[], tried: ReadonlySet<string>, now: number): Schedule {
    this.#latest = schedule(
      {
        visits: this.#options.visits ?? this.#options.workers * visitsPerWorker,
        running: this.#running,
        rests: this.#rests,
        silent: this.#silent,
        elsewhere: this.#elsewhere,
        tried,
      },
      due,
      now,
    )
    return this.#latest
  }

  async #begin(next: DueSource, now: number): Promise<void> {
    const source = this.#byId.get(next.id)!
    const leases = await takeLeases(this.#store, source, next.group, this.#options, false)
    if (!leases) {
      this.#elsewhere.set(next.id, now + elsewhereMs)
      return
    }
    this.#elsewhere.delete(next.id)
    this.#running.set(next.id, { ...next, work: this.#visit(source, next, leases) })
  }

  /** Never rejects: what fails makes the source rest. */
  async #visit(source: Source, due: DueSource, leases: readonly [Lease, ...Lease[]]): Promise<void> {
    const [store, options] = [this.#store, this.#options]
    const { clock } = options
    const own = { ...due, startedAt: clock() }
    const shouldYield = () =>
      this.#turnedOff.has(source.id) || (this.#latest !== undefined && isVisitOver(this.#latest, own, clock()))
    try {
      await withHeartbeat(store, leases, options, async (signal, keep) => {
        const visit: Visit = { store, source, options, lease: leases[0], signal, pace: this.#pace, shouldYield }
        const results = await readVisit(visit, { isDueOf: () => true, urgency: due.urgency })
        if (results.at(-1)?.reason === 'no-answer') this.#silent.add(source.id)
        else this.#silent.delete(source.id)
        const rest = restAfter(this.#rests.get(source.id), source.politeness, results, clock())
        if (!rest) {
          this.#rests.delete(source.id)
          return
        }
        this.#rests.set(source.id, rest)
        // a portal that refused one source is left alone by the others on it as well
        const kept = results.at(-1)?.outcome === 'refused' ? leases : leases.slice(0, 1)
        for (const lease of kept) keep(lease, rest.until)
      })
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        this.#rests.set(source.id, { failures: 0, until: clock() + firstRestMs })
        options.onFault?.(source.id, error)
      }
    } finally {
      this.#plannedAt.delete(source.id)
      this.#running.delete(source.id)
      this.#wake()
    }
  }
}

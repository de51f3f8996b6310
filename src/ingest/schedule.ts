// Which due source is visited next, when a visit has to end, and how long a source rests. Pure.
import { hourMs, minuteMs } from '../domain/time.ts'
import type { Politeness } from '../sources/source.ts'
import type { Urgency } from './plan-slots.ts'
import type { SlotResult } from './run-slot.ts'

/** How long a source may use a host before news of other sources on that host take precedence. */
const longestVisitMs = 10 * minuteMs
/** Back-off of a source after an error of our own, and after the first failure of its portal. */
export const firstRestMs = minuteMs
/** Maximum back-off of a source after failures that name no time. */
const longestRestMs = 15 * minuteMs
/**
 * Maximum back-off of a source: if the portal names a longer time, its slots are due later, but the source is checked
 * again after this.
 */
const longestSaidRestMs = 6 * hourMs
/** How long a source pauses after a refusal, if its card names no time. */
const usualRefusalRestMs = 5 * minuteMs
/** Maximum share of the visits for portals that did not answer the last time. */
const silentShare = 1 / 4

/** A source with something due. `urgency` is its most urgent slot's. */
export type DueSource = {
  readonly id: string
  /** Sources on the same host have the same group. */
  readonly group: string
  /** How many sources may use the host at once while this one does. */
  readonly connections: number
  readonly urgency: Urgency
}

/** A rest after failures. */
export type Rest = { readonly failures: number; readonly until: number }

/** What this process is reading at one moment; times are epoch milliseconds. */
export type Workload = {
  /** How many sources may be visited at the same time: most of them wait for their portals. */
  readonly visits: number
  readonly running: ReadonlyMap<string, Pick<DueSource, 'group' | 'urgency'>>
  readonly rests: ReadonlyMap<string, Rest>
  /** Sources whose portal did not answer at the last visit: they use at most a quarter of the visits. */
  readonly silent: ReadonlySet<string>
  /** Until when each of these sources is assumed to be read by another process. */
  readonly elsewhere: ReadonlyMap<string, number>
  /** Sources that were started, or turned out to be read elsewhere, since this list of due sources was made. */
  readonly tried: ReadonlySet<string>
}

export type Schedule = {
  /** The source to visit now; undefined when there is no room, or when nothing may be read. */
  readonly next: DueSource | undefined
  /** Sources with news that wait for a host, by group. */
  readonly waiting: ReadonlyMap<string, ReadonlySet<string>>
  readonly news: News
  /** Whether one of the waiting sources could be read if there were room for one more visit. */
  readonly isCrowded: boolean
}

/** Which sources have news to be read: `due` now or being read, and `failing`, which rest after a failure. */
export type News = { readonly due: ReadonlySet<string>; readonly failing: ReadonlySet<string> }

/** `due` is ordered: the first one is taken first. A source that is being read stays due until the end of its visit. */
export function schedule(work: Workload, due: readonly DueSource[], now: number): Schedule {
  const { visits, running, tried } = work
  const isResting = ({ id }: DueSource) => (work.rests.get(id)?.until ?? 0) > now
  const isElsewhere = ({ id }: DueSource) => (work.elsewhere.get(id) ?? 0) > now
  const isHostBusy = ({ connections, group }: DueSource) =>
    connections === 1 && [...running.values()].some((each) => each.group === group)
  const current = due.filter((each) => each.urgency === 'current')
  const news = current.filter((each) => !isResting(each))
  const waiters = news.filter((each) => !isElsewhere(each) && !tried.has(each.id))
  const waiting = new Map([...Map.groupBy(waiters, ({ group }) => group)].map(([group, each]) => [group, idsOf(each)]))
  const pastReaders = [...running.values()].filter(({ urgency }) => urgency === 'backfill').length
  // the past waits while the host has news, and leaves room for the news of others
  const isPastHeld = ({ group }: DueSource) => waiting.has(group) || pastReaders >= Math.max(1, visits - 1)
  const silentReaders = [...running.keys()].filter((id) => work.silent.has(id)).length
  const isSilentHeld = ({ id }: DueSource) =>
    work.silent.has(id) && silentReaders >= Math.max(1, Math.floor(visits * silentShare))
  const mayStart = (each: DueSource) =>
    !tried.has(each.id) &&
    !running.has(each.id) &&
    !isResting(each) &&
    !isHostBusy(each) &&
    !isSilentHeld(each) &&
    !(each.urgency === 'backfill' && isPastHeld(each))
  const isFull = running.size >= visits
  return {
    next: isFull ? undefined : due.find(mayStart),
    waiting,
    news: { due: idsOf(news), failing: idsOf(current.filter(isResting)) },
    isCrowded: isFull && waiters.some((each) => !isHostBusy(each) && !isSilentHeld(each)),
  }
}

const idsOf = (sources: readonly DueSource[]): ReadonlySet<string> => new Set(sources.map(({ id }) => id))

/**
 * Whether a visit has to end in favor of others: reading the past ends as soon as news wait for its host or for room,
 * reading news only after a long visit.
 */
export function isVisitOver(
  { waiting, isCrowded }: Pick<Schedule, 'waiting' | 'isCrowded'>,
  visit: Pick<DueSource, 'id' | 'group' | 'urgency'> & { readonly startedAt: number },
  now: number,
): boolean {
  const news = waiting.get(visit.group) ?? new Set()
  if (visit.urgency === 'backfill') return isCrowded || news.size > 0
  const others = news.size - (news.has(visit.id) ? 1 : 0)
  return (isCrowded || others > 0) && now - visit.startedAt > longestVisitMs
}

/** The rest of a source after a visit; undefined when none is needed. It grows with consecutive failed visits. */
export function restAfter(
  before: Rest | undefined,
  { restMs = usualRefusalRestMs }: Pick<Politeness, 'restMs'>,
  results: readonly Pick<SlotResult, 'outcome' | 'retryAt'>[],
  now: number,
): Rest | undefined {
  const last = results.at(-1)
  if (last?.outcome !== 'failed' && last?.outcome !== 'refused') return undefined
  const hasGood = results.length > 1
  const failures = hasGood ? 1 : (before?.failures ?? 0) + 1
  const least = last.outcome === 'refused' ? restMs : firstRestMs
  const wanted = Math.max(least, Math.min(firstRestMs * 2 ** (failures - 1), longestRestMs))
  return { failures, until: now + Math.min(Math.max(wanted, (last.retryAt ?? 0) - now), longestSaidRestMs) }
}

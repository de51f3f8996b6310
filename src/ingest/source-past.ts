// How far back a source is read, and when the rest of its past will be: from what its readings took, or where none was
// measured yet, from the rate that its card allows.
import type { SourcePast, WholePast } from '../domain/source-state.ts'
import { dayMs, minuteMs } from '../domain/time.ts'
import type { Sources } from '../sources/registry.ts'
import type { Channel, Source } from '../sources/source.ts'
import type { Store } from '../store/database/database.ts'
import { firstRuns, type PastAsked, type PastFacts, readPastFacts } from '../store/sources/source-past.ts'
import { volumeOf } from './due-slots.ts'
import { hostGroups } from './host-groups.ts'
import { isSpan, pastBoundsOf } from './plan-slots.ts'
import { dayStart, type SpanSlots, spanAt, spanOfKey } from './slot-spans.ts'
import { defaultBackfillShare, usualRequestsPerMinute } from './source-visit.ts'

/** The first day of the archive that a full backfill reads. */
const archiveSince = '2022-01-01'
/** Readings of this time are measured, and so many are enough. */
const measuredMs = 7 * dayMs
const fewestMeasured = 5

type AskedChannel = { readonly channel: Channel; readonly slots: SpanSlots; readonly from: number; readonly to: number }

/** Channels of a source that read its past, in spans. */
function pastChannels(source: Source, startedAt: number): readonly AskedChannel[] {
  const start = { startedAt, horizonMs: dayStart(archiveSince, source.zone) }
  return source.channels.flatMap((channel) => {
    const { slots } = channel
    if (!isSpan(slots) || channel.role === 'spare' || channel.role === 'control') return []
    const { from, to } = pastBoundsOf(source, channel, slots, start)
    return to > from ? [{ channel, slots, from, to }] : []
  })
}

const lengthsMs = {
  year: 365.25 * dayMs,
  month: 30.44 * dayMs,
  week: 7 * dayMs,
  day: dayMs,
  hours: dayMs / 24,
} as const

const lengthOf = ({ kind, ...slots }: SpanSlots): number =>
  kind === 'hours' ? lengthsMs.hours * (slots.hours ?? 1) : lengthsMs[kind]

/** How many requests a span takes at least: a portal that gives no more than so many entries is asked for each part. */
const leastRequests = (source: Source, { channel: { delivery }, slots }: AskedChannel): number =>
  delivery.kind === 'own' || delivery.kind === 'index' || delivery.most === undefined
    ? 1
    : Math.max(1, (volumeOf(source) * lengthOf(slots)) / dayMs / delivery.most)

/** Undefined for a source whose past is not read in spans: it delivers what it has. */
export function pastOf(source: Source, startedAt: number, facts: readonly PastFacts[]): SourcePast | undefined {
  const channels = pastChannels(source, startedAt)
  if (channels.length === 0) return undefined
  const { requestsPerMinute = usualRequestsPerMinute, pauseMs = 0 } = source.politeness
  const leastMs = Math.max(minuteMs / requestsPerMinute, pauseMs) / defaultBackfillShare
  let [spansLeft, msLeft, isMeasured] = [0, 0, true]
  let readBackTo: number | null = null
  for (const each of channels) {
    const { channel, slots, from, to } = each
    const known = facts.find((fact) => fact.channel === channel.name)
    const left = Math.max(0, Math.round((to - from) / lengthOf(slots)) - (known?.read ?? 0))
    const isKnown = known !== undefined && known.recent >= fewestMeasured
    spansLeft += left
    msLeft += left * (isKnown ? known.busyMs / known.recent : leastMs * leastRequests(source, each))
    if (left > 0) isMeasured &&= isKnown
    const waiting = known?.waiting ? spanOfKey(slots, source.zone, known.waiting)?.toMs : undefined
    const oldest = known?.oldest ? spanOfKey(slots, source.zone, known.oldest)?.fromMs : undefined
    const back = left === 0 ? from : (waiting ?? oldest)
    if (back !== undefined && (readBackTo === null || back < readBackTo)) readBackTo = back
  }
  return { sourceId: source.id, readBackTo, spansLeft, daysLeft: msLeft / dayMs, isMeasured }
}

/** The past of each source that was read; reads only. */
export async function sourcesPast(
  { db }: Pick<Store, 'db'>,
  { sources, now }: { readonly sources: Sources; readonly now: number },
): Promise<ReadonlyMap<string, SourcePast>> {
  const starts = await firstRuns(db)
  const started = [...sources.values()].flatMap((source) => {
    const startedAt = starts.get(source.id)
    return startedAt === undefined ? [] : [{ source, startedAt }]
  })
  const asked = started.flatMap(({ source, startedAt }) =>
    pastChannels(source, startedAt).map(({ channel, slots, from, to }): PastAsked => {
      const keyAt = (ms: number) => spanAt(slots, source.zone, ms).key
      return { sourceId: source.id, channel: channel.name, first: keyAt(from), end: keyAt(to) }
    }),
  )
  const facts = Map.groupBy(await readPastFacts(db, asked, now - measuredMs), ({ sourceId }) => sourceId)
  return new Map(
    started.flatMap(({ source, startedAt }) => {
      const past = pastOf(source, startedAt, facts.get(source.id) ?? [])
      return past ? [[source.id, past] as const] : []
    }),
  )
}

export function wholePast(pasts: Iterable<SourcePast>, sources: Sources): WholePast {
  const groups = hostGroups(sources.values())
  const known = [...pasts]
  const days = new Map<string, number>()
  for (const { sourceId, daysLeft } of known) {
    const group = groups.get(sourceId)!
    days.set(group, (days.get(group) ?? 0) + daysLeft)
  }
  const [longest] = [...days].sort(([, a], [, b]) => b - a)
  const isDone = ({ spansLeft }: SourcePast) => spansLeft === 0
  const inGroup = known.filter((each) => groups.get(each.sourceId) === longest?.[0] && !isDone(each))
  return {
    daysLeft: longest?.[1] ?? 0,
    done: known.filter(isDone).length,
    sources: known.length,
    last: inGroup.sort((a, b) => b.daysLeft - a.daysLeft)[0]?.sourceId ?? null,
  }
}

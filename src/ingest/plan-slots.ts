// Which slots a channel has, when each is due, and when it is due again after a reading. Pure: the ledger is an
// argument.
import { Cron } from 'croner'
import { dayMs, hourMs, minuteMs } from '../domain/time.ts'
import type { Slot, SlotEnd } from '../sources/fetch.ts'
import type { Channel, Slots, Source } from '../sources/source.ts'
import { dayStart, type Span, type SpanSlots, slotOf, spanAt, spanOfKey, spansBetween } from './slot-spans.ts'

/** What is read first: news; comparing totals and reading the past are less urgent. */
export type Urgency = 'current' | 'control' | 'backfill'

/** How far back a source is read on its first run, unless the operator says otherwise. */
export const defaultPastDays = 30
/** How long before the first run of a source a span may have ended to count as news. */
const recentMs = 3 * dayMs
/** Maximum number of past spans in the ledger, newest first; more follow when these are read. */
const pastSpansAhead = 40

/** When the source first ran and how far back it is read, epoch milliseconds. */
export type SourceStart = { readonly startedAt: number; readonly horizonMs: number }

/** A slot that should be in the ledger. */
export type PlannedSlot = { readonly slot: string; readonly dueAt: number }

export type ChannelLedger = {
  /** Keys of all the channel's slots in the ledger. */
  readonly known: ReadonlySet<string>
  /** How many of them are past spans that are still to be read. */
  readonly pastWaiting: number
}

export const isSpan = (slots: Slots): slots is SpanSlots => slots.kind !== 'feed' && slots.kind !== 'whole'

/**
 * The minute of the hour at which a source is read: a hash of its id (FNV-1a), so that sources spread evenly and each
 * keeps its minute.
 */
export function minuteOf(sourceId: string): number {
  let hash = 2_166_136_261
  for (const sign of sourceId) hash = Math.imul(hash ^ sign.charCodeAt(0), 16_777_619) >>> 0
  return hash % 60
}

const crons = new Map<string, Cron>()

/** The next time after `now` at which the channel's timetable requires a reading. */
export function nextTime(
  source: Pick<Source, 'id' | 'zone'>,
  channel: Pick<Channel, 'timetable'>,
  now: number,
): number {
  const pattern = channel.timetable ?? `${minuteOf(source.id)} * * * *`
  const name = `${source.zone} ${pattern}`
  let cron = crons.get(name)
  if (!cron) {
    cron = new Cron(pattern, { timezone: source.zone, paused: true })
    crons.set(name, cron)
  }
  const next = cron.nextRun(new Date(now))
  if (!next) throw new Error(`the timetable ${pattern} of ${source.id} never comes again`)
  return next.getTime()
}

/** The horizon from `--backfill-since`, or the default; the start of a day in the source's zone. */
export function horizonOf(source: Pick<Source, 'zone'>, startedAt: number, backfillSince: string | undefined): number {
  const startOfDay = (ms: number) => spanAt({ kind: 'day', since: '' }, source.zone, ms).fromMs
  if (backfillSince === undefined) return startOfDay(startedAt - defaultPastDays * dayMs)
  // a future day does not mean that the present is left out
  return Math.min(dayStart(backfillSince, source.zone), startOfDay(startedAt))
}

/** When a span is complete on the portal, so that a reading of it is final. */
const settledAt = (slots: SpanSlots, span: Span) => span.toMs + (slots.delayMs ?? 0)

/** When a slot is complete on the portal; feeds and wholes always are. */
export function settledAtOf(source: Pick<Source, 'zone'>, { slots }: Channel, slot: Slot): number {
  const span = isSpan(slots) ? spanOfKey(slots, source.zone, slot.key) : undefined
  return span && isSpan(slots) ? settledAt(slots, span) : 0
}

/**
 * The period that a channel of spans reads. A source with a `backfill` channel and one current channel of spans is read
 * through the former up to its first run, and through the latter from there on: what the backfill channel had not
 * settled by then is read by the current channel. With several current channels each reads its own past, because the
 * card does not say which of them the backfill channel repeats; documents received twice are stored once.
 */
function boundsOf(
  source: Source,
  channel: Channel,
  slots: SpanSlots,
  start: SourceStart,
): { from: number; to: number } {
  const from = Math.max(dayStart(slots.since, source.zone), start.horizonMs)
  const current = { from, to: endOf(source, slots) }
  if (channel.role === 'backfill') return { from, to: pastBoundary(source, slots, start.startedAt) }
  const currents = source.channels.filter((each) => (each.role ?? 'current') === 'current' && isSpan(each.slots))
  if (currents.length !== 1) return current
  const boundaries = source.channels.flatMap((each) =>
    each.role === 'backfill' && isSpan(each.slots)
      ? [
          {
            since: dayStart(each.slots.since, source.zone),
            boundary: pastBoundary(source, each.slots, start.startedAt),
          },
        ]
      : [],
  )
  const covering = boundaries.filter(({ since, boundary }) => since <= from && boundary > from)
  const later = covering.length === 0 ? from : Math.min(...covering.map(({ boundary }) => boundary))
  return { ...current, from: later }
}

/** The part of that period that is the past: its spans are backfill. Empty where `to` is not after `from`. */
export function pastBoundsOf(
  source: Source,
  channel: Channel,
  slots: SpanSlots,
  start: SourceStart,
): { readonly from: number; readonly to: number } {
  const { from, to } = boundsOf(source, channel, slots, start)
  return { from, to: channel.role === 'backfill' ? to : Math.min(to, start.startedAt - recentMs) }
}

const endOf = (source: Source, { until }: SpanSlots): number =>
  until === undefined ? Number.POSITIVE_INFINITY : dayStart(until, source.zone)

/** End of the newest span of a backfill channel that was settled when the source first ran, or of the channel. */
function pastBoundary(source: Source, slots: SpanSlots, startedAt: number): number {
  let span = spanAt(slots, source.zone, startedAt)
  while (settledAt(slots, span) > startedAt) span = spanAt(slots, source.zone, span.fromMs - 1)
  return Math.min(span.toMs, endOf(source, slots))
}

/** How urgent a slot is. Spans of the past are backfill on every channel. */
export function urgencyOf(channel: Channel, slot: Slot, start: SourceStart): Urgency {
  if (channel.role === 'backfill') return 'backfill'
  if (slot.to !== undefined && Date.parse(slot.to) <= start.startedAt - recentMs) return 'backfill'
  return channel.role === 'control' ? 'control' : 'current'
}

/**
 * The slots of a channel that the ledger lacks, oldest first: those that began since the last plan, those missed while
 * nothing ran, and the newest of the past. Spans that have not begun are not included; `spare` channels have only the
 * slots that are requested.
 */
export function missingSlots(
  source: Source,
  channel: Channel,
  start: SourceStart,
  ledger: ChannelLedger,
  now: number,
): PlannedSlot[] {
  const { slots } = channel
  if (channel.role === 'spare') return []
  if (!isSpan(slots)) return ledger.known.has(slots.kind) ? [] : [{ slot: slots.kind, dueAt: now }]
  const { from, to } = boundsOf(source, channel, slots, start)
  const isKnown = (key: string) => ledger.known.has(key)
  const spans = [...spansBetween(slots, source.zone, from, Math.min(now, to - 1), isKnown)].filter(
    (span) => span.toMs > from,
  )
  const isPast = (span: Span) => urgencyOf(channel, slotOf(span), start) === 'backfill'
  const past = spans.filter(isPast)
  const fits = Math.max(0, pastSpansAhead - ledger.pastWaiting)
  return [...past.slice(Math.max(0, past.length - fits)), ...spans.filter((span) => !isPast(span))].map((span) => ({
    slot: span.key,
    dueAt: slots.isOpenRead ? Math.max(span.fromMs, start.startedAt) : settledAt(slots, span),
  }))
}

/** Slots by key: reused each time due slots are searched for. */
const slotsByKey = new WeakMap<Channel, Map<string, Slot | undefined>>()
const maxSlotsByKey = 2000

/** The slot of a key; undefined when the channel has no such slot. */
export function slotOfKey(source: Pick<Source, 'zone'>, channel: Channel, key: string): Slot | undefined {
  if (!isSpan(channel.slots)) return key === channel.slots.kind ? { key } : undefined
  const known = slotsByKey.get(channel) ?? new Map<string, Slot | undefined>()
  slotsByKey.set(channel, known)
  if (known.has(key)) return known.get(key)
  const span = spanOfKey(channel.slots, source.zone, key)
  const slot = span && slotOf(span)
  if (known.size >= maxSlotsByKey) known.clear()
  known.set(key, slot)
  return slot
}

/** How a reading ended, as far as its next time depends on it. */
export type ReadingEnd = SlotEnd['kind'] | 'failed' | 'refused'

const firstWaitMs: { readonly [end in 'failed' | 'refused' | 'short']: number } = {
  failed: minuteMs,
  refused: 15 * minuteMs,
  short: 15 * minuteMs,
}
/** How often a short slot is reread soon; after that, the older it is, the more rarely it is reread. */
const patientFailures = 4
const longestWaitMs: { readonly [end in 'failed' | 'refused' | 'short']: number } = {
  failed: 6 * hourMs,
  refused: 6 * hourMs,
  short: dayMs,
}

/**
 * When a slot is read again; undefined for never. `startedAt` is when the reading began: it may have missed what the
 * portal changed after that. `failures` counts consecutive unsuccessful readings, including this one.
 * - Succeeded: when it settles or at its next reread, or at the next time of the timetable (feed, whole, open spans).
 * - Not there yet, or short: at the next time of the timetable, or sooner; more rarely the longer it has been due, but
 *   forever.
 * - Failed: soon, then after growing pauses of up to six hours, and at every time of the timetable. Refused: the same
 *   without the times of the timetable.
 */
export function nextDueAt(
  source: Pick<Source, 'id' | 'zone'>,
  channel: Channel,
  slot: Slot,
  end: ReadingEnd,
  times: {
    readonly startedAt: number
    readonly now: number
    readonly failures: number
    /** End of the previous complete reading. */
    readonly completedAt: number | null
    /** Whether the span was over before the source first ran: such a span is read once. */
    readonly isPast: boolean
  },
): number | undefined {
  const { slots } = channel
  const { startedAt, now } = times
  const next = nextTime(source, channel, now)
  const span = isSpan(slots) ? spanOfKey(slots, source.zone, slot.key) : undefined
  if (end === 'failed' || end === 'refused' || end === 'short') {
    const wait = Math.min(firstWaitMs[end] * 2 ** Math.min(20, Math.max(0, times.failures - 1)), longestWaitMs[end])
    if (end === 'refused') return now + wait
    if (end === 'failed') return Math.min(now + wait, next)
    return now + (times.failures <= patientFailures ? wait : Math.max(wait, ageShare(slots, span, now)))
  }
  if (!span || !isSpan(slots)) return next
  const settled = settledAt(slots, span)
  if (end === 'notYet')
    return now < settled ? Math.min(next, settled) : Math.max(next, now + ageShare(slots, span, now))
  if (startedAt < settled)
    return slots.isOpenRead ? Math.min(next, Math.max(settled, now + 1)) : Math.max(settled, now + 1)
  if (end === 'empty') return undefined
  const again = (slots.rereadDays ?? []).map((days) => span.toMs + days * dayMs).filter((ms) => ms > startedAt)
  if (again.length > 0) return Math.max(Math.min(...again), now + 1)
  const isFirst = !times.isPast && (times.completedAt === null || times.completedAt < settled)
  const isLate = isFirst && startedAt - span.toMs < lateMs && slots.rereadDays !== undefined
  return isLate && slots.rereadDays!.length > 0 ? now + Math.min(...slots.rereadDays!) * dayMs : undefined
}

/**
 * How long after its end a span is read once more if its first reading came after all its rereads, because the portal
 * or the service was down: nothing else would show what the portal left out of its only answer.
 */
const lateMs = 45 * dayMs

/** An eighth of the time that a span has been due: after eight days, it is read once a day. */
function ageShare(slots: Slots, span: Span | undefined, now: number): number {
  return span && isSpan(slots) ? Math.max(0, Math.floor((now - settledAt(slots, span)) / 8)) : 0
}

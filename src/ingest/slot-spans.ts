// Spans of time in which a channel is read: years, months, weeks, days and hours in a source's own zone. Pure.
import { dayMs, epochMs, hourMs, offsetMsAt, toInstant } from '../domain/time.ts'
import type { Slot } from '../sources/fetch.ts'
import type { Slots } from '../sources/source.ts'

/** Slots that are spans of time. */
export type SpanSlots = Exclude<Slots, { readonly kind: 'feed' | 'whole' }>

/** `from` inclusive, `to` exclusive, epoch milliseconds. The next span begins where this one ends. */
export type Span = { readonly key: string; readonly fromMs: number; readonly toMs: number }

/** Wall-clock time of a zone, as if it were UTC. */
const wallOf = (ms: number, zone: string): number => ms + offsetMsAt(zone, ms)

/**
 * The first instant at which the zone's clocks show this time or a later one. If a day or an hour is skipped, that is
 * the end of the gap; if one is repeated, its first occurrence.
 */
export function firstInstantOf(wallMs: number, zone: string): number {
  const [earlier, later] = [offsetMsAt(zone, wallMs - 36 * hourMs), offsetMsAt(zone, wallMs + 36 * hourMs)]
  // no zone changes its clocks and back within three days
  if (earlier === later) return wallMs - earlier
  const offsets = new Set([-36, -24, -12, 0, 12, 24, 36].map((hours) => offsetMsAt(zone, wallMs + hours * hourMs)))
  const exact = [...offsets]
    .map((offset) => wallMs - offset)
    .filter((ms) => wallOf(ms, zone) === wallMs)
    .sort((a, b) => a - b)[0]
  if (exact !== undefined) return exact
  // skipped: the change lies between the instants computed from the two offsets around it
  let before = Math.min(...[...offsets].map((offset) => wallMs - offset))
  let after = Math.max(...[...offsets].map((offset) => wallMs - offset))
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallOf(middle, zone) < wallMs) before = middle
    else after = middle
  }
  return after
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Start of the span that holds a wall-clock time, and of the next one, as wall-clock times. */
function wallSpan(slots: SpanSlots, wallMs: number): { from: number; to: number } {
  const date = new Date(wallMs)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const midnight = Date.UTC(year, month, day)
  switch (slots.kind) {
    case 'year':
      return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) }
    case 'month':
      return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
    case 'week': {
      const monday = midnight - ((date.getUTCDay() + 6) % 7) * dayMs
      return { from: monday, to: monday + 7 * dayMs }
    }
    case 'day':
      return { from: midnight, to: midnight + dayMs }
    case 'hours': {
      const lengthMs = (slots.hours ?? 1) * hourMs
      const from = midnight + Math.floor((wallMs - midnight) / lengthMs) * lengthMs
      return { from, to: from + lengthMs }
    }
  }
}

function keyOf(kind: SpanSlots['kind'], wallMs: number): string {
  const text = toInstant(wallMs)
  switch (kind) {
    case 'year':
      return text.slice(0, 4)
    case 'month':
      return text.slice(0, 7)
    case 'day':
      return text.slice(0, 10)
    case 'hours':
      return text.slice(0, 13)
    case 'week': {
      // ISO 8601: a week belongs to the year of its Thursday
      const thursday = new Date(wallMs + 3 * dayMs)
      const year = thursday.getUTCFullYear()
      return `${year}-W${twoDigits(Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * dayMs)) + 1)}`
    }
  }
}

function spanFrom(slots: SpanSlots, zone: string, wall: { from: number; to: number }): Span {
  return {
    key: keyOf(slots.kind, wall.from),
    fromMs: firstInstantOf(wall.from, zone),
    toMs: firstInstantOf(wall.to, zone),
  }
}

/** The span that holds an instant. */
export function spanAt(slots: SpanSlots, zone: string, ms: number): Span {
  return spanFrom(slots, zone, wallSpan(slots, wallOf(ms, zone)))
}

/**
 * Spans from the one that holds `fromMs` to the one that holds `untilMs`, oldest first, without a gap except for
 * skipped keys.
 */
export function* spansBetween(
  slots: SpanSlots,
  zone: string,
  fromMs: number,
  untilMs: number,
  isPassedOver: (key: string) => boolean = () => false,
): Generator<Span> {
  const lastWallMs = wallOf(untilMs, zone)
  for (let wall = wallSpan(slots, wallOf(fromMs, zone)); wall.from <= lastWallMs; wall = wallSpan(slots, wall.to)) {
    if (isPassedOver(keyOf(slots.kind, wall.from))) continue
    const span = spanFrom(slots, zone, wall)
    // an hour skipped by summer time has no length
    if (span.toMs > span.fromMs) yield span
  }
}

const keyPattern = /^(\d{4})(?:-W(\d{2})|-(\d{2})(?:-(\d{2})(?:T(\d{2}))?)?)?$/

/** The span of a key; undefined when it is not a key of such a span. */
export function spanOfKey(slots: SpanSlots, zone: string, key: string): Span | undefined {
  const match = keyPattern.exec(key)
  if (!match) return undefined
  const [year, week, month, day, hour] = match.slice(1).map((text) => (text === undefined ? undefined : Number(text)))
  let wallMs = Date.UTC(year!, (month ?? 1) - 1, day ?? 1, hour ?? 0)
  if (week !== undefined) {
    // 4 January is always in the first week
    const fourth = Date.UTC(year!, 0, 4)
    wallMs = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayMs + (week - 1) * 7 * dayMs
  }
  const span = spanFrom(slots, zone, wallSpan(slots, wallMs))
  return span.key === key ? span : undefined
}

/** What a fetch knows about a span. */
export function slotOf(span: Span): Slot {
  return { key: span.key, from: toInstant(span.fromMs), to: toInstant(span.toMs) }
}

/**
 * Start of a calendar day (`YYYY-MM-DD`) in a zone. Throws RangeError for an invalid day: a card or an argument was not
 * checked.
 */
export function dayStart(day: string, zone: string): number {
  return firstInstantOf(epochMs(`${day}T00:00:00.000Z`), zone)
}

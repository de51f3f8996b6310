// Spans of time cut in two if a portal delivers no more than a number of entries for one query, and how long the next
// one is.
import { dayMs, hourMs, minuteMs, offsetMsAt, wallToEpochMs } from '../../domain/time.ts'

/** Epoch milliseconds, `to` exclusive. */
export type Span = readonly [from: number, to: number]

const grains = [28 * dayMs, dayMs, hourMs, minuteMs, 1000, 1]

/**
 * Halves a span, cut where the dates of the request can separate the halves (`finenessMs`) on the clocks of `zone`;
 * undefined if the span is too short for that. Months are not cut further if the request names months.
 */
export function halveSpan([from, to]: Span, finenessMs: number, zone: string): readonly [Span, Span] | undefined {
  if (finenessMs > dayMs) return undefined
  const middle = from + Math.floor((to - from) / 2)
  // The coarsest grain that still cuts: days are cut into days before hours are.
  for (const grain of grains) {
    if (grain < finenessMs || grain > dayMs) continue
    const wall = middle + offsetMsAt(zone, middle)
    for (const cutWall of [Math.floor(wall / grain) * grain, Math.ceil(wall / grain) * grain]) {
      const cut = grain >= hourMs ? wallToEpochMs(cutWall, zone) : cutWall - offsetMsAt(zone, middle)
      if (cut > from && cut < to)
        return [
          [from, cut],
          [cut, to],
        ]
    }
  }
  return undefined
}

/**
 * Cuts a span after at most `widthMs`, at a whole hour or finer, where the dates of the request can separate both
 * parts; whole if that is not possible, or it is no longer than that. Never in an hour that the clocks of the zone show
 * twice.
 */
export function cutSpan(span: Span, widthMs: number, finenessMs: number, zone: string): readonly Span[] {
  const [from, to] = span
  const at = from + Math.max(Math.floor(widthMs), Math.min(finenessMs, dayMs))
  if (at >= to) return [span]
  for (const grain of grains) {
    if (grain < finenessMs || grain > Math.max(finenessMs, Math.min(hourMs, widthMs))) continue
    const offset = offsetMsAt(zone, at)
    const cutWall = Math.floor((at + offset) / grain) * grain
    const cut = grain >= hourMs ? wallToEpochMs(cutWall, zone) : cutWall - offset
    const isShownOnce = offsetMsAt(zone, cut - 2 * hourMs) === offsetMsAt(zone, cut + 2 * hourMs)
    if (cut > from && cut < to && isShownOnce)
      return [
        [from, cut],
        [cut, to],
      ]
  }
  return [span]
}

/** Neighbors without a gap as one span. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last && last[1] === span[0]) joined[joined.length - 1] = [last[0], span[1]]
    else joined.push(span)
  }
  return joined
}

/**
 * What the spans of a reading had, from which follows how long the next one should be: quiet nights and weekends are
 * read at once, busy hours in short spans.
 */
export type Volumes = {
  /** Length of the next span where nothing else is known, milliseconds. */
  readonly widthMs: number
  /** Entries an hour by the hour of the week (UTC, from the epoch's Thursday); null where none was read yet. */
  readonly perHour: readonly (number | null)[]
}

const hoursOfWeek = 7 * 24
/** Which share of the most entries the next span should have. */
const aimedShare = 0.7
/** How much the newest span counts for its hours. */
const newestShare = 0.5

/** The hours that a span touches, with how much of each is in it. */
function* hoursIn([from, to]: Span): Generator<{
  readonly hour: number
  readonly share: number
  readonly end: number
}> {
  for (let at = from; at < to; ) {
    const hour = Math.floor(at / hourMs)
    const end = Math.min(to, (hour + 1) * hourMs)
    yield { hour: hour % hoursOfWeek, share: (end - at) / hourMs, end }
    at = end
  }
}

/** An hour that was never read is as the same one of the day before. */
const rateOf = (perHour: Volumes['perHour'], hour: number): number | null =>
  perHour[hour] ?? perHour[(hour + hoursOfWeek - 24) % hoursOfWeek] ?? null

/** After a span that had too many entries: the next one is half of it, and its hours are as busy as that. */
export function afterFull(span: Span, half: Span, most: number, known: Volumes | null): Volumes {
  const perHour = [...(known?.perHour ?? new Array<null>(hoursOfWeek).fill(null))]
  const least = most / ((span[1] - span[0]) / hourMs)
  for (const { hour } of hoursIn(span)) {
    const was = rateOf(known?.perHour ?? [], hour)
    if (was !== null) perHour[hour] = Math.max(was, least)
  }
  return { widthMs: half[1] - half[0], perHour }
}

/** After a span that was read to its end. Without knowledge of its hours, the next one is at most twice as long. */
export function afterRead(span: Span, entries: number, most: number, known: Volumes): Volumes {
  const perHour = [...known.perHour]
  const rate = entries / ((span[1] - span[0]) / hourMs)
  for (const { hour } of hoursIn(span)) {
    const was = perHour[hour] ?? null
    perHour[hour] = was === null ? rate : newestShare * rate + (1 - newestShare) * was
  }
  const growth = Math.min(2, Math.max(0.5, (aimedShare * most) / Math.max(1, entries)))
  return { widthMs: (span[1] - span[0]) * growth, perHour }
}

/** How long the first part of a span should be. */
export function nextWidthMs(span: Span, most: number, { widthMs, perHour }: Volumes): number {
  let expected = 0
  for (const { hour, share, end } of hoursIn(span)) {
    const rate = rateOf(perHour, hour)
    const soFar = end - share * hourMs - span[0]
    if (rate === null) return Math.max(widthMs, soFar)
    if (expected + rate * share > aimedShare * most) return soFar > 0 ? soFar : Math.min(widthMs, hourMs)
    expected += rate * share
  }
  return span[1] - span[0]
}

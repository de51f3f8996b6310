// Spans of time cut in two if a portal delivers no more than a number of entries for one query.
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

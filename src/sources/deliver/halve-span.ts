// Spans of time cut in two where a portal gives no more than so many entries for one question.
import { dayMs, hourMs, minuteMs, offsetMsAt, wallToEpochMs } from '../../domain/time.ts'

/** Epoch milliseconds, `to` exclusive. */
export type Span = readonly [from: number, to: number]

const grains = [28 * dayMs, dayMs, hourMs, minuteMs, 1000, 1]

/**
 * Two halves of a span, cut where the dates of the request can tell them apart (`finenessMs`) on the clocks of `zone`;
 * undefined when the span is too short for that. Months are not cut into less where the request names months.
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

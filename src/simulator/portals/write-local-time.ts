// Times as portals write them, for the samples: in the portal's zone, in the order of its country.
import type { Instant } from '../../domain/time.ts'
import { partsOf } from './write-sample-values.ts'

const names = { yyyy: 'year', MM: 'month', dd: 'day', HH: 'hour', mm: 'minute', ss: 'second' } as const

/** `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` of the instant in the zone. */
export function localTime(instant: Instant, zone: string, pattern: string): string {
  const parts = partsOf(instant, zone)
  return pattern.replace(/yyyy|MM|dd|HH|mm|ss/g, (name) => parts[names[name as keyof typeof names]] ?? '')
}

/** As localTime; undefined for no instant. */
export function localTimeOf(instant: Instant | undefined, zone: string, pattern: string): string | undefined {
  return instant === undefined ? undefined : localTime(instant, zone, pattern)
}

// Times as portals write them, for the samples: in the portal's zone, in the order of its country.
import type { Instant } from '../../domain/time.ts'
import { localParts } from '../samples/xml-text.ts'

/** `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` of the instant in the zone. */
export function localTime(instant: Instant, zone: string, pattern: string): string {
  const { date, time } = localParts(Date.parse(instant), zone)
  const [yyyy, MM, dd, HH, mm, ss] = [...date.split('-'), ...time.split(':')]
  const parts: { readonly [name: string]: string | undefined } = { yyyy, MM, dd, HH, mm, ss }
  return pattern.replace(/yyyy|MM|dd|HH|mm|ss/g, (name) => parts[name] ?? '')
}

/** Same as localTime; undefined if there is no instant. */
export function localTimeOf(instant: Instant | undefined, zone: string, pattern: string): string | undefined {
  return instant === undefined ? undefined : localTime(instant, zone, pattern)
}

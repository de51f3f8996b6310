// Times as portals write them, for the samples: in the portal's zone, in the order of its country.
import type { Instant } from '../../domain/time.ts'

/** `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` of the instant in the zone. */
export function localTime(instant: Instant, zone: string, pattern: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(new Date(instant))
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? ''
  return pattern
    .replace('yyyy', of('year'))
    .replace('MM', of('month'))
    .replace('dd', of('day'))
    .replace('HH', of('hour'))
    .replace('mm', of('minute'))
    .replace('ss', of('second'))
}

/** As localTime; undefined for no instant. */
export function localTimeOf(instant: Instant | undefined, zone: string, pattern: string): string | undefined {
  return instant === undefined ? undefined : localTime(instant, zone, pattern)
}

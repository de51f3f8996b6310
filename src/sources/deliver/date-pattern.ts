// Dates as portals require them in requests: patterns, the zone's wall clock, and the precision of a pattern.
import { dayMs, hourMs, minuteMs, offsetMsAt, toInstant } from '../../domain/time.ts'

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const tokens = /yyyy|yy|bbbb|MMMM|MMM|MM|M|dd|d|HH|H|mm|ss|SSS|XXX/g
const pad = (value: number, length = 2): string => String(value).padStart(length, '0')

/**
 * Writes an instant by a pattern (delivery.ts, Template) on the clocks of `zone`. Throws on an instant outside the
 * years 0 to 9999: a fault of ours.
 */
export function writeDate(epochMs: number, pattern: string, zone: string): string {
  switch (pattern) {
    case 'iso':
      return toInstant(epochMs)
    case 'isoSeconds':
      return toInstant(epochMs).replace(/\.\d{3}Z$/, 'Z')
    case 'epochMs':
      return String(epochMs)
    case 'epochS':
      return String(Math.floor(epochMs / 1000))
  }
  const isUtc = pattern.startsWith('utc ')
  const offsetMs = isUtc ? 0 : offsetMsAt(zone, epochMs)
  const [, year, month, day, hour, minute, second, fraction] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/.exec(toInstant(epochMs + offsetMs))!
  const monthName = months[Number(month) - 1]!
  const texts: { readonly [token: string]: string } = {
    yyyy: year!,
    yy: year!.slice(2),
    bbbb: pad(Number(year) + 543, 4),
    MMMM: monthName,
    MMM: monthName.slice(0, 3),
    MM: month!,
    M: String(Number(month)),
    dd: day!,
    d: String(Number(day)),
    HH: hour!,
    H: String(Number(hour)),
    mm: minute!,
    ss: second!,
    SSS: fraction!,
    XXX: writeOffset(offsetMs),
  }
  return (isUtc ? pattern.slice(4) : pattern).replace(tokens, (token) => texts[token]!)
}

function writeOffset(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / minuteMs)
  return `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}

/** The smallest span that a pattern can express, in milliseconds; a month or a year counts as 28 or 365 days. */
export function finenessMs(pattern: string): number {
  if (pattern === 'iso' || pattern === 'epochMs') return 1
  if (pattern === 'isoSeconds' || pattern === 'epochS') return 1000
  const found = new Set((pattern.startsWith('utc ') ? pattern.slice(4) : pattern).match(tokens))
  const has = (...names: string[]): boolean => names.some((name) => found.has(name))
  if (has('SSS')) return 1
  if (has('ss')) return 1000
  if (has('mm')) return minuteMs
  if (has('HH', 'H')) return hourMs
  if (has('dd', 'd')) return dayMs
  if (has('MMMM', 'MMM', 'MM', 'M')) return 28 * dayMs
  return 365 * dayMs
}

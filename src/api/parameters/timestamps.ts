// Reads the timestamps of filters (D22 to D24): RFC 3339 with a zone, compared exactly to nine digits of a second.
import { hourMs, minuteMs } from '../../domain/time.ts'

/** `floorMs` is the last millisecond at or before the moment, `ceilMs` the first at or after it. */
export type Moment = { readonly floorMs: number; readonly ceilMs: number }
export type TimestampFault = { readonly code: string; readonly detail: string }

const withZone = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/
const withoutZone = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?$/
const dateOnly = /^\d{4}-\d{2}-\d{2}$/
const spaceForPlus = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?) (\d{2}:\d{2})$/

const fault = (code: string, detail: string): TimestampFault => ({ code, detail })
const noSuchTime = fault('invalid-timestamp', 'There is no such date or time.')

/**
 * Parses a parameter's value as a moment, or says what is wrong with it. A `+` that arrived as a space is read as `+`
 * (D24).
 */
export function parseTimestamp(value: string): Moment | TimestampFault {
  const text = value.replace(spaceForPlus, '$1+$2')
  const match = withZone.exec(text)
  if (!match) {
    if (dateOnly.test(text))
      return unlessFaulty(`${text}T00:00:00Z`, (corrected) =>
        fault('timestamp-date-only', `Needs a time and a zone: write ${corrected} for the start of that day in UTC.`),
      )
    if (withoutZone.test(text))
      return unlessFaulty(`${text}Z`, (corrected) =>
        fault('timestamp-without-zone', `Needs a zone: write ${corrected} for UTC, or an offset such as %2B02:00.`),
      )
    return fault(
      'invalid-timestamp',
      'Is not a timestamp of the form 2026-11-02T08:00:00.000Z (RFC 3339, with Z or an offset; write + as %2B).',
    )
  }
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [hours, minutes, seconds] = [Number(match[4]), Number(match[5]), Number(match[6])]
  const zone = match[8]!
  if (hours === 24) return fault('invalid-timestamp', 'Hours run from 00 to 23; write 24:00 as 00:00 of the next day.')
  if (hours > 23 || minutes > 59 || seconds > 60) return noSuchTime
  if (year < 1970) return fault('timestamp-too-early', 'Years before 1970 are not accepted.')
  const midnightMs = Date.UTC(year, month - 1, day)
  const midnight = new Date(midnightMs)
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return noSuchTime
  let offsetMs = 0
  if (zone.length > 1) {
    const [offsetHours, offsetMinutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))]
    if (offsetHours > 23 || offsetMinutes > 59) return fault('invalid-timestamp', 'There is no such offset.')
    offsetMs = (zone.startsWith('-') ? -1 : 1) * (offsetHours * hourMs + offsetMinutes * minuteMs)
  }
  const utcMs = midnightMs + hours * hourMs + minutes * minuteMs + seconds * 1000 - offsetMs
  // A leap second exists only at the end of a UTC day; it counts as the first second of the next.
  if (seconds === 60 && utcMs % (24 * hourMs) !== 0) return noSuchTime
  if (utcMs < 0) return fault('timestamp-too-early', 'Times before 1970 are not accepted.')
  const fraction = (match[7] ?? '').padEnd(9, '0')
  const floorMs = utcMs + Number(fraction.slice(0, 3))
  return { floorMs, ceilMs: fraction.slice(3) === '000000' ? floorMs : floorMs + 1 }
}

/**
 * Returns the fault that names a corrected value, unless that value would be refused as well: then what is wrong with
 * it.
 */
function unlessFaulty(corrected: string, explain: (corrected: string) => TimestampFault): TimestampFault {
  const parsed = parseTimestamp(corrected)
  return 'floorMs' in parsed ? explain(corrected) : parsed
}

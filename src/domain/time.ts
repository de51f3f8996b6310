// Instants, dates and the zones of buyers. Nothing here reads the clock: `now` is an argument everywhere.

/** `YYYY-MM-DDThh:mm:ss.sssZ`: ISO 8601, UTC, milliseconds. Sorts as text. */
export type Instant = string & { readonly __brand?: 'Instant' }

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Epoch milliseconds to the wire format. Throws RangeError outside the years 0 to 9999: a bug, not bad input. */
export function toInstant(epochMs: number): Instant {
  if (!(epochMs >= -62_167_219_200_000 && epochMs <= 253_402_300_799_999))
    throw new RangeError(`no instant: ${epochMs}`)
  return new Date(epochMs).toISOString()
}

/** Epoch milliseconds of an instant that we made ourselves. Throws RangeError on anything else. */
export function epochMs(instant: Instant): number {
  const ms = Date.parse(instant)
  if (Number.isNaN(ms)) throw new RangeError(`no instant: ${instant}`)
  return ms
}

/** IANA zone of a country's buyers (its capital's), by ISO 3166-1 alpha-2. */
const zones: { readonly [country: string]: string } = {
  AD: 'Europe/Andorra',
  AL: 'Europe/Tirane',
  AM: 'Asia/Yerevan',
  AR: 'America/Argentina/Buenos_Aires',
  AT: 'Europe/Vienna',
  AU: 'Australia/Sydney',
  AZ: 'Asia/Baku',
  BA: 'Europe/Sarajevo',
  BE: 'Europe/Brussels',
  BG: 'Europe/Sofia',
  BR: 'America/Sao_Paulo',
  BY: 'Europe/Minsk',
  CA: 'America/Toronto',
  CH: 'Europe/Zurich',
  CL: 'America/Santiago',
  CO: 'America/Bogota',
  CR: 'America/Costa_Rica',
  CY: 'Asia/Nicosia',
  CZ: 'Europe/Prague',
  DE: 'Europe/Berlin',
  DK: 'Europe/Copenhagen',
  DO: 'America/Santo_Domingo',
  EC: 'America/Guayaquil',
  EE: 'Europe/Tallinn',
  ES: 'Europe/Madrid',
  FI: 'Europe/Helsinki',
  FO: 'Atlantic/Faroe',
  FR: 'Europe/Paris',
  GB: 'Europe/London',
  GE: 'Asia/Tbilisi',
  GF: 'America/Cayenne',
  GH: 'Africa/Accra',
  GI: 'Europe/Gibraltar',
  GL: 'America/Nuuk',
  GP: 'America/Guadeloupe',
  GR: 'Europe/Athens',
  GT: 'America/Guatemala',
  HN: 'America/Tegucigalpa',
  HR: 'Europe/Zagreb',
  HU: 'Europe/Budapest',
  ID: 'Asia/Jakarta',
  IE: 'Europe/Dublin',
  IL: 'Asia/Jerusalem',
  IN: 'Asia/Kolkata',
  IS: 'Atlantic/Reykjavik',
  IT: 'Europe/Rome',
  JP: 'Asia/Tokyo',
  KE: 'Africa/Nairobi',
  KG: 'Asia/Bishkek',
  KR: 'Asia/Seoul',
  KZ: 'Asia/Almaty',
  LI: 'Europe/Vaduz',
  LR: 'Africa/Monrovia',
  LT: 'Europe/Vilnius',
  LU: 'Europe/Luxembourg',
  LV: 'Europe/Riga',
  MC: 'Europe/Monaco',
  MD: 'Europe/Chisinau',
  ME: 'Europe/Podgorica',
  MK: 'Europe/Skopje',
  MQ: 'America/Martinique',
  MT: 'Europe/Malta',
  MW: 'Africa/Blantyre',
  MX: 'America/Mexico_City',
  NG: 'Africa/Lagos',
  NL: 'Europe/Amsterdam',
  NO: 'Europe/Oslo',
  NP: 'Asia/Kathmandu',
  NZ: 'Pacific/Auckland',
  PE: 'America/Lima',
  PL: 'Europe/Warsaw',
  PT: 'Europe/Lisbon',
  PY: 'America/Asuncion',
  RE: 'Indian/Reunion',
  RO: 'Europe/Bucharest',
  RS: 'Europe/Belgrade',
  RW: 'Africa/Kigali',
  SE: 'Europe/Stockholm',
  SI: 'Europe/Ljubljana',
  SK: 'Europe/Bratislava',
  SM: 'Europe/San_Marino',
  TH: 'Asia/Bangkok',
  TR: 'Europe/Istanbul',
  TW: 'Asia/Taipei',
  TZ: 'Africa/Dar_es_Salaam',
  UA: 'Europe/Kyiv',
  UG: 'Africa/Kampala',
  US: 'America/New_York',
  UY: 'America/Montevideo',
  XK: 'Europe/Belgrade',
  YT: 'Indian/Mayotte',
  ZA: 'Africa/Johannesburg',
  ZM: 'Africa/Lusaka',
}

/** The zone in which a buyer's times without a zone are read; Europe/Brussels for an unknown country. */
export function zoneOf(country: string | undefined): string {
  return knownZoneOf(country) ?? 'Europe/Brussels'
}

/** The zone of a country's buyers; undefined for a country that is not in the list. */
export function knownZoneOf(country: string | undefined): string | undefined {
  return country === undefined ? undefined : zones[country]
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formattedOffsetMs(zone: string, utcMs: number): number {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formatters.set(zone, formatter)
  }
  // 03/01/2024, 10:00:00; reading its parts separately takes twice as long
  const [month, day, year, hour, minute, second] = formatter.format(utcMs).match(/\d+/g)!.map(Number)
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - Math.floor(utcMs / 1000) * 1000
}

/** Offsets by zone, at the boundaries of numbered four-day spans. */
const offsets = new Map<string, Map<number, number>>()
const spanMs = 4 * dayMs
/** Maximum number of offsets to remember for one zone: 20 years. */
const maxOffsets = 2_000

/**
 * By how much the clocks of a zone are ahead of UTC at an instant, milliseconds. Formatting costs as much as reading
 * the rest of a small notice, and clocks that agree at both ends of four days never changed between.
 */
export function offsetMsAt(zone: string, utcMs: number): number {
  let known = offsets.get(zone)
  if (!known || known.size >= maxOffsets) {
    known = new Map()
    offsets.set(zone, known)
  }
  const span = Math.floor(utcMs / spanMs)
  const start = offsetAtSpan(known, zone, span)
  return start === offsetAtSpan(known, zone, span + 1) ? start : formattedOffsetMs(zone, utcMs)
}

function offsetAtSpan(known: Map<number, number>, zone: string, span: number): number {
  let offset = known.get(span)
  if (offset === undefined) {
    offset = formattedOffsetMs(zone, span * spanMs)
    known.set(span, offset)
  }
  return offset
}

/**
 * Epoch milliseconds of a wall-clock time in a zone. In the hour that summer time skips or repeats, the first offset
 * counts.
 */
export function wallToEpochMs(wallUtcMs: number, zone: string): number {
  const first = wallUtcMs - offsetMsAt(zone, wallUtcMs)
  return wallUtcMs - offsetMsAt(zone, first)
}

const datePattern = /^(\d{4})-(\d{2})-(\d{2})(Z|[+-]\d{2}:\d{2})?$/
const timePattern = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?$/

/** An xs:date of the calendar, with its offset in milliseconds when it carries one. */
export type CalendarDate = { readonly utcMidnightMs: number; readonly offsetMs: number | undefined }

function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (text === 'Z') return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(4, 6))
  if (hours > 14 || minutes > 59) return undefined
  return (text[0] === '-' ? -1 : 1) * (hours * hourMs + minutes * minuteMs)
}

/** Reads `2024-03-01`, `2024-03-01Z`, `2024-03-01+01:00` (xs:date); undefined when it is not a calendar date. */
export function parseDate(text: string): CalendarDate | undefined {
  const match = datePattern.exec(text.trim())
  if (!match) return undefined
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year < 1900 || year > 2200) return undefined
  const utcMidnightMs = Date.UTC(year, month - 1, day)
  const date = new Date(utcMidnightMs)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return { utcMidnightMs, offsetMs: offsetOf(match[4]) }
}

/**
 * Reads `10:00`, `10:00:00+01:00`, `10:00:00.0000000Z` (xs:time; `24:00:00` is the end of the day) and `9:00`;
 * undefined when it is not a time.
 */
export function parseTime(text: string): { readonly ms: number; readonly offsetMs: number | undefined } | undefined {
  const match = timePattern.exec(text.trim())
  if (!match) return undefined
  const [hours, minutes, seconds] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)]
  const fraction = match[4] ? Number(match[4].padEnd(3, '0').slice(0, 3)) : 0
  const isEndOfDay = hours === 24 && minutes === 0 && seconds === 0
  if ((hours > 23 && !isEndOfDay) || minutes > 59 || seconds > 60) return undefined
  return {
    ms: hours * hourMs + minutes * minuteMs + Math.min(seconds, 59) * 1000 + fraction,
    offsetMs: offsetOf(match[5]),
  }
}

/**
 * Joins a date and a time as published to an instant. The time's offset counts, else the date's, else the zone's.
 * A missing time is the end of the day for a deadline (`23:59:59`) and its start for everything else.
 * Returns undefined when the date, or a time that is present, cannot be read.
 */
export function joinDateTime(
  date: string | undefined,
  time: string | undefined,
  zone: string,
  missingTime: 'start-of-day' | 'end-of-day',
): Instant | undefined {
  if (!date) return undefined
  const day = parseDate(date)
  if (!day) return undefined
  const clock = time?.trim() ? parseTime(time) : undefined
  if (time?.trim() && !clock) return undefined
  const wallMs = day.utcMidnightMs + (clock ? clock.ms : missingTime === 'end-of-day' ? dayMs - 1000 : 0)
  const offsetMs = clock?.offsetMs ?? day.offsetMs
  return toInstant(offsetMs === undefined ? wallToEpochMs(wallMs, zone) : wallMs - offsetMs)
}

const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?))?\s*([Zz]|[+-]\d{2}:?\d{2})?$/

/**
 * Reads a timestamp of a source (OCDS `date`, `2024-03-01T10:00:00Z`, date only); zone and missing time as in
 * joinDateTime.
 */
export function parseSourceDateTime(
  text: string,
  zone: string,
  missingTime: 'start-of-day' | 'end-of-day',
): Instant | undefined {
  const match = dateTimePattern.exec(text.trim())
  if (!match) return undefined
  const offset = match[3]?.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  return match[2] === undefined
    ? joinDateTime(match[1]! + (offset ?? ''), undefined, zone, missingTime)
    : joinDateTime(match[1], match[2] + (offset ?? ''), zone, missingTime)
}

const utcTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.0+)?)?(?:Z|[+-]00:?00)$/

/** The calendar day of an instant in a zone, `YYYY-MM-DD`. */
export function localDay(ms: number, zone: string): string {
  return toInstant(ms + offsetMsAt(zone, ms)).slice(0, 10)
}

/**
 * The day that a date or timestamp of a source means, `YYYY-MM-DD`: as written, but of midnight in the zone that is
 * written in UTC (`2026-07-13T22:00:00Z` in Berlin) the day that begins then. Undefined when the text begins with no
 * date.
 */
export function dayOfSource(text: string, zone: string): string | undefined {
  const trimmed = text.trim()
  const day = trimmed.slice(0, 10)
  if (parseSourceDateTime(day, 'UTC', 'start-of-day') === undefined) return undefined
  if (!utcTime.test(trimmed)) return day
  const instant = parseSourceDateTime(trimmed, 'UTC', 'start-of-day')
  if (instant === undefined) return day
  const ms = epochMs(instant)
  return (ms + offsetMsAt(zone, ms)) % dayMs === 0 ? localDay(ms, zone) : day
}

// Parses the dates in a client's request by the pattern of the card's template, in a time zone.
import { dayMs, wallToEpochMs } from '../domain/time.ts'
import type { Slots } from '../sources/source.ts'
import { localParts } from './samples/xml-text.ts'

/** A moment as written, and the next one that the pattern could write: a day's pattern covers a day. */
export type WrittenDate = { readonly from: number; readonly next: number }

const tokens = /yyyy|yy|bbbb|MMMM|MMM|MM|M|dd|d|HH|H|mm|m|ss|s|SSS|XXX|./gs
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const fields: { readonly [token: string]: readonly [string, string] } = {
  yyyy: ['year', '(\\d{4})'],
  yy: ['year', '(\\d{2})'],
  bbbb: ['buddhist', '(\\d{4})'],
  MMMM: ['name', '([A-Za-z]+)'],
  MMM: ['name', '([A-Za-z]{3})'],
  MM: ['month', '(\\d{2})'],
  M: ['month', '(\\d{1,2})'],
  dd: ['day', '(\\d{2})'],
  d: ['day', '(\\d{1,2})'],
  HH: ['hour', '(\\d{2})'],
  H: ['hour', '(\\d{1,2})'],
  mm: ['minute', '(\\d{2})'],
  m: ['minute', '(\\d{1,2})'],
  ss: ['second', '(\\d{2})'],
  s: ['second', '(\\d{1,2})'],
  SSS: ['milli', '(\\d{3})'],
  XXX: ['offset', '(Z|[+-]\\d{2}:\\d{2})'],
}

/**
 * Fields of a moment that may come from several places of a request: the year in the path, the month in a parameter.
 */
export type DateFields = ReadonlyMap<string, number>

/**
 * The fields that the text holds according to the pattern; undefined if it does not match. Whole moments are `epochMs`.
 */
export function readFields(text: string, pattern: string): DateFields | undefined {
  if (pattern === 'epochMs' || pattern === 'epochS') {
    if (!/^-?\d+$/.test(text)) return undefined
    return new Map([[pattern, Number(text)]])
  }
  if (pattern === 'iso' || pattern === 'isoSeconds') {
    const ms = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(ms)
      ? undefined
      : new Map([[pattern === 'iso' ? 'epochMs' : 'epochS', pattern === 'iso' ? ms : ms / 1000]])
  }
  const isUtc = pattern.startsWith('utc ')
  const names: string[] = []
  let source = ''
  for (const [token] of (isUtc ? pattern.slice(4) : pattern || 'yyyy-MM-dd').matchAll(tokens)) {
    const field = fields[token]
    if (field) names.push(field[0])
    source += field ? field[1] : escaped(token)
  }
  const match = new RegExp(`^${source}$`, 's').exec(text)
  if (!match) return undefined
  const found = new Map<string, number>(isUtc ? [['offset', 0]] : [])
  for (const [index, name] of names.entries()) {
    const value = match[index + 1]!
    if (name === 'name') {
      const month = months.findIndex((each) => each.startsWith(value.toLowerCase()))
      if (month < 0) return undefined
      found.set('month', month + 1)
    } else if (name === 'buddhist') found.set('year', Number(value) - 543)
    else if (name === 'offset') found.set('offset', offsetMs(value))
    else found.set(name, Number(value) + (name === 'year' && value.length === 2 ? 2000 : 0))
  }
  return found
}

/** The moment that the fields name in the zone; undefined if it is not a day of the calendar. */
export function momentOf(written: DateFields, zone: string): WrittenDate | undefined {
  const whole = written.get('epochMs')
  if (whole !== undefined) return { from: whole, next: whole + 1 }
  const seconds = written.get('epochS')
  if (seconds !== undefined) return { from: seconds * 1000, next: seconds * 1000 + 1000 }
  const of = (name: string, otherwise: number) => written.get(name) ?? otherwise
  const [year, month, day] = [of('year', 1970), of('month', 1), of('day', 1)]
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const wall = Date.UTC(year, month - 1, day, of('hour', 0), of('minute', 0), of('second', 0), of('milli', 0))
  const offset = written.get('offset')
  const at = (wallMs: number) => (offset === undefined ? wallToEpochMs(wallMs, zone) : wallMs - offset)
  const step = written.has('milli')
    ? 1
    : written.has('second')
      ? 1000
      : written.has('minute')
        ? 60_000
        : written.has('hour')
          ? 3_600_000
          : 0
  const nextWall = step
    ? wall + step
    : written.has('day')
      ? wall + dayMs
      : written.has('month')
        ? Date.UTC(year, month, 1)
        : Date.UTC(year + 1, 0, 1)
  return { from: at(wall), next: at(nextWall) }
}

function offsetMs(text: string): number {
  if (text === 'Z') return 0
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))
  return (text.startsWith('-') ? -1 : 1) * minutes * 60_000
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

/** Where the span of a channel's slots that holds the moment ends, on the clocks of the zone. */
export function spanEnd(slots: Slots, zone: string, at: number): number {
  if (slots.kind === 'feed' || slots.kind === 'whole') return at
  const { date, time } = localParts(at, zone)
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  const midnight = Date.UTC(year, month - 1, day)
  const hour = Number(time.slice(0, 2))
  const hours = slots.hours ?? 1
  switch (slots.kind) {
    case 'hours':
      return wallToEpochMs(midnight + (Math.floor(hour / hours) + 1) * hours * 3_600_000, zone)
    case 'day':
      return wallToEpochMs(midnight + dayMs, zone)
    case 'week':
      return wallToEpochMs(midnight + (7 - ((new Date(midnight).getUTCDay() + 6) % 7)) * dayMs, zone)
    case 'month':
      return wallToEpochMs(Date.UTC(year, month, 1), zone)
    case 'year':
      return wallToEpochMs(Date.UTC(year + 1, 0, 1), zone)
  }
}

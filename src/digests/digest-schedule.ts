// When a person's digest is due: once for each of its days, whatever the zone's clocks do. Pure.
import { dayMs, hourMs, minuteMs, offsetMsAt } from '../domain/time.ts'

export type Rhythm = 'atOnce' | 'daily' | 'weekly'

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Weekday = (typeof weekdays)[number]

/** When a person wants digests. */
export type DigestTerms = {
  readonly rhythm: Rhythm
  /** Of weekly ones. */
  readonly weekday: Weekday
  /** 0 to 23, on the clocks of the zone. */
  readonly hour: number
  /** IANA name. */
  readonly zone: string
}

/** State of a digest. A day is a number: days since 1970-01-01. */
export type DigestState = {
  /**
   * The local day of the newest digest, or of the moment at which the person requested them. For a weekly one it is its
   * weekday, unless that has changed since.
   */
  readonly madeDay: number
  /** When the newest mail was made; null before the first. */
  readonly madeAt: number | null
}

/** Minimum time between two mails of the rhythm `atOnce`. */
const pauseMs = hourMs

/**
 * The IANA name of a zone as stored; undefined for anything else. An offset such as +01:00 does not count: it has no
 * summer time.
 */
export function zoneNameOf(text: string): string | undefined {
  if (!/^[A-Za-z]/.test(text)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** The day whose hour was reached last: until then it is still the day before. */
export function dayAt({ rhythm, weekday, hour, zone }: DigestTerms, now: number): number {
  const day = Math.floor((now + offsetMsAt(zone, now) - hour * hourMs) / dayMs)
  return rhythm === 'weekly' ? day - daysSince(weekday, day) : day
}

/** When the next digest is due. */
export function nextDigestAt(terms: DigestTerms, { madeDay, madeAt }: DigestState): number {
  if (terms.rhythm === 'atOnce') return madeAt === null ? 0 : madeAt + pauseMs
  return hourReachedAt(terms, dayAfter(terms, madeDay))
}

/**
 * The day of a digest that is created now because it is due. It is after `madeDay`, even while clocks that were set
 * back repeat an hour.
 */
export function digestDay(terms: DigestTerms, { madeDay }: DigestState, now: number): number {
  return Math.max(dayAt(terms, now), terms.rhythm === 'atOnce' ? madeDay : dayAfter(terms, madeDay))
}

function dayAfter({ rhythm, weekday }: DigestTerms, day: number): number {
  return rhythm === 'weekly' ? day + 7 - daysSince(weekday, day) : day + 1
}

/** 1970-01-01 was a Thursday. */
function daysSince(weekday: Weekday, day: number): number {
  return (day + 3 + 7 - weekdays.indexOf(weekday)) % 7
}

/** The first moment in which the clocks show the hour of that day, or a later one if they skip it. */
function hourReachedAt({ hour, zone }: DigestTerms, day: number): number {
  const wallMs = day * dayMs + hour * hourMs
  let at = wallMs - Math.max(offsetMsAt(zone, wallMs - dayMs), offsetMsAt(zone, wallMs + dayMs))
  while (at + offsetMsAt(zone, at) < wallMs) at += minuteMs
  return at
}

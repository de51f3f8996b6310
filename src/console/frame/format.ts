// Numbers, dates and plurals for people, by language.
import { dayMs, hourMs, minuteMs } from '../../domain/time.ts'
import type { Language } from './languages.ts'

const locales: { readonly [language in Language]: string } = { en: 'en-GB', de: 'de-DE' }

function cached<Value>(make: (language: Language) => Value): (language: Language) => Value {
  const made = new Map<Language, Value>()
  return (language) => {
    const value = made.get(language) ?? make(language)
    made.set(language, value)
    return value
  }
}

const numbers = cached((language) => new Intl.NumberFormat(language === 'en' ? 'en-US' : locales[language]))
const percents = cached(
  (language) => new Intl.NumberFormat(locales[language], { style: 'percent', maximumFractionDigits: 1 }),
)
const days = cached(
  (language) =>
    new Intl.DateTimeFormat(locales[language], { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' }),
)
const shortDays = cached(
  (language) => new Intl.DateTimeFormat(locales[language], { timeZone: 'UTC', day: 'numeric', month: 'short' }),
)
const moments = cached(
  (language) =>
    new Intl.DateTimeFormat(locales[language], {
      timeZone: 'UTC',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
    }),
)
const clocks = cached(
  (language) => new Intl.DateTimeFormat(locales[language], { timeZone: 'UTC', hour: '2-digit', minute: '2-digit' }),
)
const relatives = cached((language) => new Intl.RelativeTimeFormat(locales[language], { numeric: 'auto' }))
const plurals = cached((language) => new Intl.PluralRules(locales[language]))

/** `1,284,000` or `1.284.000`. */
export const formatNumber = (value: number, language: Language): string => numbers(language).format(value)

/** A share from 0 to 1 as `34.5%`. */
export const formatShare = (share: number, language: Language): string => percents(language).format(share)

/** The day in UTC: `23 Nov 2026`. `at` in epoch milliseconds, as everywhere here. */
export const formatDay = (at: number, language: Language): string => days(language).format(at)

/** The day in UTC without its year: `23 Nov`. */
export const formatShortDay = (at: number, language: Language): string => shortDays(language).format(at)

/** Day and hour in UTC: `23 Nov 2026, 08:00`. */
export const formatMoment = (at: number, language: Language): string => moments(language).format(at)

const zonedMoments = new Map<string, Intl.DateTimeFormat>()

/** Day and hour in a zone, with the zone's short name: `1 Dec 2026, 11:00 CET`. In UTC if the zone is not known. */
export function formatZoned(at: number, zone: string | undefined, language: Language): string {
  const key = `${language} ${zone}`
  let format = zonedMoments.get(key)
  if (format === undefined) {
    const [date, time] = [
      { day: 'numeric', month: 'short', year: 'numeric' },
      { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
    ] as const
    format = new Intl.DateTimeFormat(locales[language], { timeZone: zone ?? 'UTC', ...date, ...time })
    zonedMoments.set(key, format)
  }
  // German has no name for GMT
  return format.format(at).replace(/GMT\+0$/, 'GMT')
}

/** The hour in UTC: `08:00`. */
export const formatClock = (at: number, language: Language): string => clocks(language).format(at)

/** `in 10 days`, `3 hours ago`, by the largest unit that fits. */
export function formatRelative(at: number, now: number, language: Language): string {
  const distance = at - now
  const size = Math.abs(distance)
  const format = relatives(language)
  if (size >= 60 * dayMs) return format.format(Math.round(distance / (30.44 * dayMs)), 'month')
  if (size >= dayMs) return format.format(Math.round(distance / dayMs), 'day')
  if (size >= hourMs) return format.format(Math.round(distance / hourMs), 'hour')
  return format.format(Math.round(distance / minuteMs), 'minute')
}

/** `45 minutes`, `5 hours`, `2.5 days`, by the largest unit of which there are two. */
export function formatDuration(ms: number, language: Language): string {
  const [unit, size] =
    ms >= 2 * dayMs
      ? (['day', dayMs] as const)
      : ms >= 2 * hourMs
        ? (['hour', hourMs] as const)
        : (['minute', minuteMs] as const)
  const maximumFractionDigits = unit === 'day' ? 1 : 0
  return new Intl.NumberFormat(locales[language], {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits,
  }).format(ms / size)
}

/** Formats an amount of money: in lists, without cents from ten thousand, and shortened from a million, `€ 8.4 m`. */
export function formatMoney(value: number, currency: string, language: Language, { isShort = false } = {}): string {
  // a notice may name a currency that is not a code
  if (!/^[A-Z]{3}$/.test(currency)) return `${formatNumber(value, language)} ${currency}`
  return new Intl.NumberFormat(locales[language], {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    ...(isShort && value >= 1_000_000
      ? { notation: 'compact', maximumFractionDigits: 1 }
      : { maximumFractionDigits: Number.isInteger(value) || (isShort && value >= 10_000) ? 0 : 2 }),
  }).format(value)
}

/** The form of a noun for a count: `one` for 1 in English and German. */
export const pluralOf = (count: number, language: Language): 'one' | 'other' =>
  plurals(language).select(count) === 'one' ? 'one' : 'other'

/** A formatted count with its words: only `1` is in the singular. */
export const counted = (count: string, one: string, other: string): string => `${count} ${count === '1' ? one : other}`

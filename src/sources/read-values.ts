// Values as the portals' own shapes write them: dates of every fashion, codes inside text, amounts, words in many
// languages.
import { toCountry } from '../domain/codes.ts'
import { officialCheckDigit, toCpvCode } from '../domain/cpv.ts'
import type { FormType, Money, MultilingualText, NoticeLot, Organization } from '../domain/notice.ts'
import { dayOfSource, epochMs, type Instant, localDay, parseSourceDateTime, toInstant } from '../domain/time.ts'
import { compact } from './compact.ts'
import { countryOf, regionCode } from './ocds/codes.ts'
import { member } from './ocds/json.ts'
import {
  cleanEmail,
  cleanField,
  cleanLine,
  cleanText,
  cleanUrl,
  descriptionLimit,
  fieldLimit,
  isPlaceholder,
  parseAmount,
  titleLimit,
  toMoney,
} from './text.ts'

/**
 * The value at a JSON pointer (RFC 6901), or undefined where nothing is. A member of a list is named by its index;
 * unlike
 * `member` of ocds/json.ts it goes through lists too.
 */
export function jsonAt(value: unknown, pointer: string): unknown {
  let at = value
  if (pointer === '') return at
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = Array.isArray(at) ? (/^\d{1,9}$/.test(key) ? at[Number(key)] : undefined) : member(at, key)
  }
  return at
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const twoDigits = (text: string): string => text.padStart(2, '0')

/** A day of its parts, as a pattern found them, as ISO 8601. */
const isoFrom = (year?: string, month = '', day = ''): string => `${year}-${twoDigits(month)}-${twoDigits(day)}`

/** `20`, `Nov`, `2026` or `26` as `2026-11-20`; undefined if it is not an English month. */
export function dayOfNames(day = '', month = '', year = ''): string | undefined {
  const number = months.indexOf(month.toLowerCase()) + 1
  return number > 0 ? isoFrom(year.padStart(4, '20'), String(number), day) : undefined
}

/** What may be between the day and its time: `,`, `T`, `kl.`, `um`, `at`, `à`, `a las`, `o`, `-`. */
const beforeTime = String.raw`(?:,?\s*(?:T|kl\.?|um|at|à|a las|ore|ora|alle|o|-|–)?\s*)`
/** `12:00`, `12.00:30`, `12h00`, `2:00 PM`, with fractions, `Uhr` or `h`, and an offset. */
const timeAfter =
  String.raw`(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?\s*(?:([ap])\.?m\.?(?![a-z]))?` +
  String.raw`(?:\s*(?:Uhr|h|hrs|uur))?\s*(Z|GMT|UTC|[+-]\d{2}:?\d{2})?`
const dayFirstForm = new RegExp(
  String.raw`^(\d{1,2})(?:\.\s?|[/-])(\d{1,2})(?:\.\s?|[/-])(\d{4})\.?(?:${beforeTime}${timeAfter})?$`,
  'i',
)
const yearFirstForm = new RegExp(
  String.raw`^(\d{4})(?:\.\s?|[/-])(\d{1,2})(?:\.\s?|[/-])(\d{1,2})\.?(?:${beforeTime}${timeAfter})?$`,
  'i',
)
const monthNameForm = new RegExp(
  String.raw`^(?:[a-z]{3,9},?\s+)?(\d{1,2})[\s-]([a-z]{3})[a-z]*\.?[\s-](\d{4})(?:${beforeTime}${timeAfter})?`,
  'i',
)

/** What is ISO 8601 already, with a space in place of the T or before the offset, or a date with an offset alone. */
const isoForm = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?$/i
/** No date is longer; it bounds the work on a hostile text. */
const longestDate = 80

/** A time as a pattern found it, from midnight to the last second, with its offset; empty if there is none. */
function timeFrom(hour?: string, minute = '00', second = '00', half?: string, zone = ''): string {
  if (hour === undefined) return ''
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return `T${twoDigits(String(hours))}:${minute}:${second}${/^(?:Z|GMT|UTC)$/i.test(zone) ? 'Z' : zone}`
}

/**
 * `20/11/2026 12:00`, `20.11.2026`, `20. 11. 2026 12.00`, `2026/11/20`, `2026.11.20. 12:00`, `20 Nov 2026, 12:00`,
 * `20261120`, `202611201200`, RFC 822, each with an offset or without, as ISO 8601.
 */
function isoOf(text: string): string {
  if (text.length > longestDate || isoForm.test(text)) return text
  const dayFirst = dayFirstForm.exec(text)
  if (dayFirst) return isoFrom(dayFirst[3], dayFirst[2], dayFirst[1]) + timeFrom(...dayFirst.slice(4))
  const plain = /^((?:19|20)\d{2})(\d{2})(\d{2})(?:[T\s]?(\d{2}):?(\d{2})(?::?(\d{2}))?)?$/.exec(text)
  if (plain) return isoFrom(plain[1], plain[2], plain[3]) + timeFrom(...plain.slice(4))
  const mail = monthNameForm.exec(text)
  const day = mail && dayOfNames(mail[1], mail[2], mail[3])
  if (day) return day + timeFrom(...mail.slice(4))
  const yearFirst = yearFirstForm.exec(text)
  return yearFirst ? isoFrom(yearFirst[1], yearFirst[2], yearFirst[3]) + timeFrom(...yearFirst.slice(4)) : text
}

/**
 * An instant in any form that portals write; the day comes before the month in all of them. Epoch milliseconds (a
 * number, a text of 13 digits, `/Date(…)/`) too. Without an offset the zone counts; without a time it is the start of
 * the day, or for a deadline its end. Undefined for unreadable values and for years that mean "none" (before 1990,
 * from 2100).
 */
export function instantIn(
  value: unknown,
  zone: string,
  missingTime: 'start-of-day' | 'end-of-day' = 'start-of-day',
): Instant | undefined {
  if (typeof value === 'number') return epochInstant(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const epoch = /^(?:\/Date\()?(-?\d{12,14})(?:[+-]\d{4})?(?:\)\/)?$/.exec(text)
  if (epoch && !/^(?:19|20)\d{10}(?:\d{2})?$/.test(text)) return epochInstant(Number(epoch[1]))
  const instant = parseSourceDateTime(isoOf(text), zone, missingTime)
  return instant !== undefined && instant >= '1990' && instant < '2100' ? instant : undefined
}

function epochInstant(ms: number): Instant | undefined {
  return ms >= 631_152_000_000 && ms < 4_102_444_800_000 ? toInstant(ms) : undefined
}

/** Midnight without an offset, as programs write a day that has no time. */
const bareMidnight = /^\s*(\d{4}-\d{2}-\d{2})[T ]00:00:00(?:\.0+)?\s*$/

/** A deadline: as `instantIn`, with the end of the day if no time is given. */
export function deadlineIn(value: unknown, zone: string): Instant | undefined {
  const day = typeof value === 'string' ? bareMidnight.exec(value)?.[1] : undefined
  return instantIn(day ?? value, zone, 'end-of-day')
}

/**
 * The day of an instant or date, `YYYY-MM-DD`, as written; with a zone also of epoch milliseconds and of midnights of
 * that zone written in UTC. Undefined when there is none.
 */
export function dayIn(value: unknown, zone = 'UTC'): string | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^\s*(?:\/Date\(|\d{13}\s*$)/.test(value))) {
    const instant = instantIn(value, zone)
    return instant && localDay(epochMs(instant), zone)
  }
  if (typeof value !== 'string') return undefined
  const iso = isoOf(value.trim())
  const day = dayOfSource(iso, zone)
  return day !== undefined && instantIn(day, 'UTC') !== undefined ? day : undefined
}

/** Texts of a value however it is nested: strings and numbers of lists, objects and their lists, in order. */
function* textsWithin(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null && depth < 6)
    for (const part of Object.values(value)) yield* textsWithin(part, depth + 1)
}

/**
 * CPV codes in any values: `79952000 (Organizacja imprez)`, `45000000-7, 45210000-2`, lists and objects of such. Only
 * codes of the official list (eight digits), each once, in order. Shorter codes count only where a value is nothing but
 * the code. A number has lost its leading zero if it has seven digits.
 */
export function cpvCodesIn(...values: readonly unknown[]): string[] {
  const found = new Set<string>()
  for (const value of values) {
    for (const text of typeof value === 'number' ? [String(value).replace(/^\d{7}$/, '0$&')] : textsWithin(value)) {
      const alone = toCpvCode(text)
      const candidates =
        alone === undefined ? [...text.matchAll(/(?<!\d)\d{8}(?!\d)/g)].map((match) => match[0]) : [alone]
      for (const code of candidates) if (officialCheckDigit(code) !== undefined) found.add(code)
    }
  }
  return [...found]
}

/**
 * NUTS codes in any values, as `regionCode` knows them; `NUTS:DE212` and codes in a list of words are found as well.
 */
export function nutsCodesIn(...values: readonly unknown[]): string[] {
  const found = new Set<string>()
  for (const value of values) {
    for (const text of textsWithin(value)) {
      const whole = regionCode(text)
      if (whole !== undefined) found.add(whole)
      // In a sentence only the longer codes can be distinguished from words.
      else
        for (const match of text.matchAll(/(?<![\p{L}\p{N}])[A-Z]{2}[A-Z\d]{2,3}(?![\p{L}\p{N}])/gu)) {
          const code = regionCode(match[0])
          if (code !== undefined && /\d/.test(code)) found.add(code)
        }
    }
  }
  return [...found]
}

const currencyCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
/** Signs that belong to one currency; `$` and `kr` are those of several. */
const currencySigns: { readonly [sign: string]: string } = {
  '€': 'EUR',
  '£': 'GBP',
  Kč: 'CZK',
  zł: 'PLN',
  '₴': 'UAH',
  грн: 'UAH',
  лв: 'BGN',
  lei: 'RON',
  Ft: 'HUF',
}
const beforeAmount = /^\s*([A-Z]{3}|R?\$|[€£₴])\s*(?=[\d+-])/
const afterAmount = /(?<=[\d,.-])\s*([A-Z]{3}|[€$£₴]|Kč|zł|kr|грн|лв|lei|Ft)\.?\s*$/

/**
 * An amount of a number or text, with its currency; `toMoney` says what is none. A code or sign in the text, before or
 * behind the amount, says more than `currency`, which is mostly that of the portal.
 */
export function moneyIn(amount: unknown, currency: unknown): Money | undefined {
  const published = typeof currency === 'string' ? currency : undefined
  if (typeof amount !== 'string') return toMoney(typeof amount === 'number' ? amount : undefined, published)
  const mark = (beforeAmount.exec(amount) ?? afterAmount.exec(amount))?.[1]
  const own = mark === undefined || currencyCodes.has(mark) ? mark : currencySigns[mark]
  const digits = amount.replace(beforeAmount, '').replace(afterAmount, '').trim()
  // `1.500,-`: no cents.
  return toMoney(parseAmount(digits.replace(/(?<=[,.])[-–]+$/, '00')), own ?? published)
}

/** A whole number of zero or more, which may be written as text. */
export function countIn(value: unknown): number | undefined {
  const number = typeof value === 'number' ? value : typeof value === 'string' ? parseAmount(value) : undefined
  return number !== undefined && Number.isInteger(number) && number >= 0 && number < 1e6 ? number : undefined
}

type Duration = NonNullable<NoticeLot['duration']>

/** The units of BT-36 with their words and the codes of CODICE, in lower case and without accents. */
const durationUnits = {
  DAY: /^(?:d|days?|dia|dias|dies|jours?|tage?|giorn[oi]|zi|zile|dag(?:en)?|dni|ημερ(?:α|ες|ων)|дн(?:и|ів)|дана?|дена)$/,
  WEEK: /^(?:w|wee|weeks?|semanas?|setman(?:a|es)|semaines?|wochen?|settiman[ae]|saptaman[ai]|weken|εβδομαδ(?:α|ες))$/,
  MONTH:
    /^(?:m|mon|months?|mes|mesos|meses|mois|monate?|mes[ei]|lun[ai]|maand(?:en)?|miesiac[ey]?|miesiecy|μην(?:ας|ες|ων)|месец[аи]?|місяц(?:ь|і|ів))$/,
  YEAR: /^(?:y|ann|years?|anys?|anos?|ans?|annees?|jahre?|ann[oi]|ani|jaar|lata?|rok|ετ(?:ος|η|ων)|годин[аи]?|рок(?:и|ів)?)$/,
} as const

const unitOf = (word: string): keyof typeof durationUnits | undefined =>
  (Object.keys(durationUnits) as (keyof typeof durationUnits)[]).find((unit) => durationUnits[unit].test(word))

/**
 * How long a contract lasts: `24` with its unit (`Mes(es)`), or both in one text (`2 anys`, `1 any i 6 mesos`, `P18M`).
 * Undefined for other texts, for zero and for parts that have no common unit.
 */
export function durationIn(value: unknown, unit?: unknown): Duration | undefined {
  const text = [plain(value) ?? '', plain(unit) ?? '']
    .join(' ')
    .slice(0, 80)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/\((?:e?s|en)\)/gi, '')
    .trim()
    .toLowerCase()
    .replace(/^p(?=\d)/, '')
  const rest = text
    .replace(/\d+(?:[.,]\d+)?\s*\p{L}+/gu, ' ')
    .split(/[\s,;.]+/)
    .filter((word) => word !== '' && !/^(?:i|y|e|et|und|and|en|si)$/.test(word))
  if (rest.length > 0) return undefined
  const parts = [...text.matchAll(/(\d+(?:[.,]\d+)?)\s*(\p{L}+)/gu)].map(([, number, word]) => ({
    value: parseAmount(number) ?? 0,
    unit: unitOf(word ?? ''),
  }))
  const [first, second] = parts
  if (!first || parts.some((part) => part.unit === undefined || part.value <= 0 || part.value >= 100_000))
    return undefined
  if (parts.length === 1) return { value: first.value, unit: first.unit! }
  return parts.length === 2 && first.unit === 'YEAR' && second?.unit === 'MONTH'
    ? { value: first.value * 12 + second.value, unit: 'MONTH' }
    : undefined
}

/** A one-line text in one language; undefined if there is no readable text. */
export function titleIn(text: string | undefined, language: string): MultilingualText | undefined {
  const clean = cleanLine(text, titleLimit)
  return clean === undefined || isPlaceholder(clean) ? undefined : { [language]: clean }
}

/** A text of several lines in one language. */
export function descriptionIn(text: string | undefined, language: string): MultilingualText | undefined {
  const clean = cleanText(text, descriptionLimit)
  return clean === undefined || isPlaceholder(clean) ? undefined : { [language]: clean }
}

/**
 * Texts by language out of `{ de: '…', fr: null }` or `[{ language: 'FR', text: '…' }]`; `first` (ISO 639-1) goes
 * first. Undefined if no language has a text.
 */
export function textsByLanguage(
  value: unknown,
  first: string,
  limit: number = titleLimit,
): MultilingualText | undefined {
  const pairs: [string, string][] = []
  const add = (language: unknown, text: unknown): void => {
    if (typeof language !== 'string' || typeof text !== 'string' || !/^[A-Za-z]{2}(?:[-_].*)?$/.test(language)) return
    const clean = limit > titleLimit ? cleanText(text, limit) : cleanLine(text, limit)
    if (clean !== undefined && !isPlaceholder(clean)) pairs.push([language.slice(0, 2).toLowerCase(), clean])
  }
  if (Array.isArray(value)) for (const item of value) add(member(item, 'language'), member(item, 'text'))
  else if (typeof value === 'object' && value !== null) for (const [key, text] of Object.entries(value)) add(key, text)
  if (pairs.length === 0) return undefined
  return Object.fromEntries(pairs.sort(([a], [b]) => Number(b === first) - Number(a === first)))
}

/** What a portal says of an organization; members may be anything, what is unusable is left out. */
export type PublishedOrganization = {
  readonly name: unknown
  readonly nationalId?: unknown
  readonly street?: unknown
  readonly city?: unknown
  readonly postalCode?: unknown
  readonly country?: unknown
  readonly nutsCode?: unknown
  readonly contactName?: unknown
  readonly email?: unknown
  readonly phone?: unknown
  readonly url?: unknown
}

const plain = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined

/** A buyer or winner; undefined without a usable name. `country` may be a code or a name; absent: `homeCountry`. */
export function organizationOf(
  published: PublishedOrganization,
  homeCountry?: string | undefined,
): Organization | undefined {
  const name = cleanField(plain(published.name), fieldLimit)
  if (name === undefined) return undefined
  return compact<Organization>({
    name,
    nationalId: cleanField(plain(published.nationalId), 100),
    street: cleanField(plain(published.street)),
    city: cleanField(plain(published.city)),
    postalCode: cleanField(plain(published.postalCode), 50),
    country: countryOf(plain(published.country)) ?? toCountry(homeCountry),
    nutsCode: regionCode(plain(published.nutsCode)),
    contactName: cleanField(plain(published.contactName)),
    email: cleanEmail(plain(published.email)),
    phone: cleanField(plain(published.phone), 100),
    url: cleanUrl(plain(published.url)),
  })
}

/**
 * Looks a word up ignoring case and accents; undefined for unknown words. Tables have keys in lower case, without
 * accents.
 */
export function wordIn<T>(table: { readonly [word: string]: T }, text: unknown): T | undefined {
  const word = plain(text)?.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()
  return word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined
}

/**
 * Number of an EU journal notice in any writing (`2026/S 123-456789`, `456789-2026`, an address of TED) as
 * `456789-2026`.
 */
export function tedNumberIn(value: unknown): string | undefined {
  const text = plain(value)
  if (text === undefined) return undefined
  const old = /(?<!\d)(20\d{2})\s*\/\s*S\s*[\d ]{1,3}-\s*0*(\d{1,8})(?!\d)/.exec(text)
  if (old) return `${old[2]}-${old[1]}`
  const plainNumber = /(?<![\d-])0*(\d{1,8})-(20\d{2})(?![\d-])/.exec(text)
  return plainNumber ? `${plainNumber[1]}-${plainNumber[2]}` : undefined
}

const uuidPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A UUID in lower case; undefined if the value is not a UUID. */
export function uuidIn(value: unknown): string | undefined {
  const text = plain(value)?.trim()
  return text !== undefined && uuidPattern.test(text) ? text.toLowerCase() : undefined
}

/**
 * The page of a notice of the German service, whose address has its id. Of the numbers of notices below the thresholds
 * this is not known.
 */
export function pageOfDoe(noticeId: string | undefined): string | undefined {
  const id = uuidIn(noticeId)
  return id && `https://www.oeffentlichevergabe.de/ui/de/search/details?noticeId=${id}`
}

const belowThresholds: { readonly [subtype: string]: FormType } = {
  E1: 'consultation',
  E2: 'planning',
  E3: 'competition',
  E4: 'result',
  E5: 'completion',
  E6: 'cont-modif',
}

/** What a subtype of eForms announces: 1 to 40, or E1 to E6 below the thresholds; undefined for other values. */
export function formTypeOfSubtype(subtype: string | undefined): FormType | undefined {
  if (subtype !== undefined && Object.hasOwn(belowThresholds, subtype)) return belowThresholds[subtype]
  const number = Number(subtype)
  if (!Number.isInteger(number) || number < 1) return undefined
  if (number <= 9) return 'planning'
  if (number <= 24) return 'competition'
  if (number <= 28) return 'dir-awa-pre'
  return number <= 37 ? 'result' : 'cont-modif'
}

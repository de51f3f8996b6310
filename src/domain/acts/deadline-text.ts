// A new deadline that running text names: "Die Angebotsfrist wird bis zum 18.05. verlängert", "um zwei Wochen".
import { dayMs, type Instant, parseSourceDateTime } from '../time.ts'
import { dateNounsOf } from './act-words.ts'
import { findPhrases, type Token, tokensOf } from './phrases.ts'

/** `at`: the moment. `later`: so many days after the deadline that the call has. */
export type NewDeadline =
  | { readonly kind: 'at'; readonly at: Instant }
  | { readonly kind: 'later'; readonly days: number }

/** How many words may stand between the name of a deadline and its date. */
const longestDistance = 24
const characters = 4_000

type DateFound = {
  readonly start: number
  readonly end: number
  readonly day: number
  readonly month: number
  readonly year?: number
  readonly time?: string
}

const languagesOfMonths = 'de en fr it es pt nl pl cs sk hu ro bg hr sl lt lv et fi sv da nb el uk sr ca mk bs'.split(
  ' ',
)

let monthsByName: ReadonlyMap<string, number> | undefined

/** Names of months as they stand beside a day, in all languages. */
function monthNames(): ReadonlyMap<string, number> {
  if (monthsByName) return monthsByName
  const names = new Map<string, number>()
  for (const language of languagesOfMonths)
    for (const format of [
      { month: 'long' },
      { month: 'long', day: 'numeric' },
      { month: 'short', day: 'numeric' },
    ] as const) {
      const named = new Intl.DateTimeFormat(language, { ...format, timeZone: 'UTC' })
      for (let month = 1; month <= 12; month++)
        for (const word of named
          .format(Date.UTC(2026, month - 1, 15))
          .toLowerCase()
          .match(/\p{L}{3,}/gu) ?? [])
          if (!names.has(word)) names.set(word, month)
    }
  monthsByName = names
  return names
}

const numeric = /(?<![\d./-])(\d{1,2})\s?([./-])\s?(\d{1,2})(?:\s?\2\s?((?:20)?\d{2})\b|\.?(?![\d.]))/gu
const iso = /(?<!\d)(20\d{2})-(\d{2})-(\d{2})/gu
const hungarian = /(?<!\d)(20\d{2})[./]\s?(\d{1,2})[./]\s?(\d{1,2})\b/gu
const named =
  /(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th|er|º|ª)?\s+(?:de\s+|d['’]\s*|of\s+)?(\p{L}{3,12})\.?(?:,?\s+(?:de\s+|del\s+)?(20\d{2}))?/giu
/** `2026. április 14.`, `2026 m. balandžio 14 d.`, `2026. gada 14. aprīlim`. */
const yearFirst = /(?<!\d)(20\d{2})(?:\.|\s?m\.)\s+(\p{L}{3,12})\s+(\d{1,2})(?!\d)/giu
const yearFirstInLatvian = /(?<!\d)(20\d{2})\.?\s+gada\s+(\d{1,2})\.\s+(\p{L}{3,12})/giu
const monthFirst = /(?<!\p{L})(\p{L}{3,12})\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(20\d{2})/giu
/** The number of a named month, in cases too that no format of Intl has: Latvian `aprīlim`, Estonian `aprillini`. */
const monthOf = (word: string): number | undefined =>
  monthNames().get(word) ?? monthNames().get(word.replace(/im$/u, 'is').replace(/am$/u, 's').replace(/ni$/u, ''))

/** An hour shortly after a date. */
const hour =
  /^[^\d]{0,24}?\b(?:um|at|à|a las|alle|às|o|kl|klo|ob|u|la|до|om|h)?\.?\s*([01]?\d|2[0-4])\s?(?:[:.h]\s?([0-5]\d)|\s?(?:uhr|h\b|óra|hod|uur|kl)|\.\s?ure)/iu

/** As `matchAll`, which copies the pattern for each text. */
function* matchesOf(pattern: RegExp, text: string): Generator<RegExpExecArray> {
  for (let at = 0; ; ) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match) return
    at = pattern.lastIndex
    yield match
  }
}

function datesIn(text: string): DateFound[] {
  const found: DateFound[] = []
  const add = (match: RegExpExecArray, day: number, month: number, year?: number): void => {
    const [start, end] = [match.index, match.index + match[0].length]
    if (!(day >= 1 && day <= 31 && month >= 1 && month <= 12)) return
    if (found.some((other) => start < other.end && other.start < end)) return
    const after = hour.exec(text.slice(end, end + 40))
    const time = after ? `${after[1]!.padStart(2, '0')}:${after[2] ?? '00'}` : undefined
    found.push({ start, end, day, month, ...(year !== undefined && { year }), ...(time && { time }) })
  }
  for (const match of matchesOf(iso, text)) add(match, Number(match[3]), Number(match[2]), Number(match[1]))
  for (const match of matchesOf(hungarian, text)) add(match, Number(match[3]), Number(match[2]), Number(match[1]))
  for (const match of matchesOf(numeric, text)) {
    const [, first, separator, second, year] = match
    // a pair of numbers without a year is a date only with points: 18.05.
    if (year === undefined && (separator !== '.' || !/\.\s*$/.test(match[0]) || second!.length !== 2)) continue
    const full = year === undefined ? undefined : Number(year.length === 2 ? `20${year}` : year)
    const isMonthFirst = Number(second) > 12
    add(match, Number(isMonthFirst ? second : first), Number(isMonthFirst ? first : second), full)
  }
  const addNamed = (match: RegExpExecArray, day: string, name: string, year: string): void => {
    const month = monthOf(name.toLowerCase())
    if (month !== undefined) add(match, Number(day), month, Number(year))
  }
  for (const match of matchesOf(yearFirst, text)) addNamed(match, match[3]!, match[2]!, match[1]!)
  for (const match of matchesOf(yearFirstInLatvian, text)) addNamed(match, match[2]!, match[3]!, match[1]!)
  for (const match of matchesOf(named, text)) {
    const month = monthOf(match[2]!.toLowerCase())
    if (month !== undefined) add(match, Number(match[1]), month, match[3] === undefined ? undefined : Number(match[3]))
  }
  for (const match of matchesOf(monthFirst, text)) addNamed(match, match[2]!, match[1]!, match[3]!)
  return found.sort((a, b) => a.start - b.start)
}

/** The words for one, two, three and four. */
const numberWords = [
  'ein eine einen one une un una uma een jeden en et',
  'zwei two deux due dos duas twee dwa to två kaksi dve dva',
  'drei three trois tre tres três drie trzy tri',
  'vier four quatre quattro cuatro quatro',
].map((words) => words.split(' '))
const weeks =
  'wochen?|weeks?|semaines?|settiman[ae]|semanas?|we(?:ek|ken)|tygodni(?:e|u)?|veck(?:a|or)|uger?|uker?|viikkoa|týdn[yů]'
const days = 'tag(?:e|en)?|(?:calendar |working )?days?|jours?|giorni|días|dias|dagen|dni|dagar|dager?|päivää'
const relative = new RegExp(
  `(?<![\\p{L}\\d])(\\d{1,2}|\\p{L}{2,6})\\s+(?:weitere[nr]?\\s+|further\\s+)?(?:(${weeks})|${days})(?!\\p{L})`,
  'giu',
)

function daysIn(text: string): number | undefined {
  for (const match of matchesOf(relative, text)) {
    const count = /^\d/.test(match[1]!)
      ? Number(match[1])
      : numberWords.findIndex((words) => words.includes(match[1]!.toLowerCase())) + 1
    if (count === 0) continue
    return count * (match[2] === undefined ? 1 : 7)
  }
  return undefined
}

/**
 * The deadline that a text moves, or undefined if it names none. Of several dates that belong to a deadline the latest
 * counts: the earlier ones are those that it had. A date without a year is the next one after `published`.
 */
export function readNewDeadline(
  text: string,
  {
    language,
    published,
    zone,
  }: { readonly language: string; readonly published: Instant | undefined; readonly zone: string },
): NewDeadline | undefined {
  const part = text.slice(0, characters)
  const tokens = tokensOf(part, characters)
  const nouns = dateNounsOf(language)
  const ends = findPhrases(nouns.deadline, tokens).map(({ start, end }) => ({ start, end, isDeadline: true }))
  const others = findPhrases(nouns.other, tokens)
    .filter(({ start, end }) => !ends.some((noun) => noun.start <= start && end <= noun.end))
    .map(({ start, end }) => ({ start, end, isDeadline: false }))
  const all = [...ends, ...others].sort((a, b) => a.start - b.start)
  if (ends.length === 0) return undefined
  const moments = datesIn(part).flatMap((date): number[] => {
    const before = all.findLast((noun) => noun.end <= date.start)
    const noun = before ?? all.find((each) => each.start >= date.end)
    if (!noun?.isDeadline || distance(tokens, noun, date) > longestDistance) return []
    const moment = momentOf(date, published, zone)
    return moment === undefined ? [] : [moment]
  })
  const from = published === undefined ? Number.NEGATIVE_INFINITY : Date.parse(published)
  const latest = Math.max(...moments.filter((moment) => moment > from && moment < from + 3 * 365 * dayMs))
  if (Number.isFinite(latest)) return { kind: 'at', at: new Date(latest).toISOString() as Instant }
  const days = daysIn(part)
  return days === undefined || moments.length > 0 ? undefined : { kind: 'later', days }
}

function distance(
  tokens: readonly Token[],
  a: { start: number; end: number },
  b: { start: number; end: number },
): number {
  const [from, to] = a.end <= b.start ? [a.end, b.start] : [b.end, a.start]
  return tokens.filter((token) => token.start >= from && token.end <= to).length
}

function momentOf(
  { day, month, year, time }: DateFound,
  published: Instant | undefined,
  zone: string,
): number | undefined {
  const years =
    year === undefined
      ? published === undefined
        ? []
        : [0, 1].map((more) => Number(published.slice(0, 4)) + more)
      : [year]
  for (const each of years) {
    const date = `${each}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
    const instant = parseSourceDateTime(time ? `${date}T${time}` : date, zone, 'end-of-day')
    if (instant === undefined) continue
    if (year === undefined && Date.parse(instant) < Date.parse(published!)) continue
    return Date.parse(instant)
  }
  return undefined
}

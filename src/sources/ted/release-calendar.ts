// The release calendar of the Official Journal S: on which day each issue is published, and which days have none.
import { parse } from 'csv-parse/sync'
import { dayMs, hourMs, parseDate } from '../../domain/time.ts'
import { Refused, Retryable } from '../../platform/http.ts'
import type { FetchContext, Item } from '../fetch.ts'
import { assertAnswered, isHtml } from './ted-reply.ts'

/** `YYYY-MM-DD` to the number of the issue; the first and last day that the file covers. */
export type ReleaseCalendar = {
  readonly issues: ReadonlyMap<string, number>
  readonly firstDay: string
  readonly lastDay: string
}

/** The issue of a day; `none`: the calendar covers that day and has no issue; `unknown`: it does not reach that far. */
export function issueOn(calendar: ReleaseCalendar, day: string): number | 'none' | 'unknown' {
  const issue = calendar.issues.get(day)
  if (issue !== undefined) return issue
  // Around New Year there is no issue for a week or more: a calendar that reaches to the holidays is complete.
  const isAfterStart = day >= calendar.firstDay || calendar.firstDay.slice(5) <= '01-12'
  const isBeforeEnd = day <= calendar.lastDay || calendar.lastDay.slice(5) >= '12-15'
  return isAfterStart && isBeforeEnd && day.slice(0, 4) === calendar.firstDay.slice(0, 4) ? 'none' : 'unknown'
}

function dayIn(cell: string): string | undefined {
  const text = cell.trim()
  const dayFirst = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:\s.*)?$/.exec(text)
  const iso = /^(\d{4})-(\d{2})-(\d{2})(?:[T\s].*)?$/.exec(text) ?? /^(20\d{2})(\d{2})(\d{2})$/.exec(text)
  const day = dayFirst
    ? `${dayFirst[3]}-${dayFirst[2]!.padStart(2, '0')}-${dayFirst[1]!.padStart(2, '0')}`
    : iso
      ? `${iso[1]}-${iso[2]}-${iso[3]}`
      : undefined
  return day !== undefined && parseDate(day) ? day : undefined
}

/** `220`, `00220`, `S 220`, `OJ S 220/2026`, `2026/S 220`, `202600220`: the issue, 1 to 400. */
function issueIn(cell: string, year: number): number | undefined {
  const text = cell.trim()
  const match =
    new RegExp(`^${year}0{0,2}(\\d{3})$`).exec(text) ??
    /^(?:OJ\s*)?(?:20\d{2}\s*\/\s*)?S?\s*0*(\d{1,3})(?:\s*\/\s*20\d{2})?$/i.exec(text)
  const issue = match ? Number(match[1]) : 0
  return issue >= 1 && issue <= 400 ? issue : undefined
}

/**
 * Parses the calendar's file. Its layout is not documented, so the columns are found by their content: the one with
 * the most dates, and next to it the one with the most issue numbers that increase with the days. Throws Refused if
 * there is no such pair: then it is no calendar.
 */
export function readReleaseCalendar(text: string, year: number): ReleaseCalendar {
  const refuse = (why: string): never => {
    throw new Refused(`the release calendar of ${year} ${why}`)
  }
  const firstLine = text.trimStart().split('\n', 1)[0] ?? ''
  const delimiter = [';', '\t', '|', ','].find((sign) => firstLine.includes(sign)) ?? ','
  let rows: string[][]
  try {
    rows = parse(text, { delimiter, bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true })
  } catch (error) {
    throw new Refused(`the release calendar of ${year} is no table`, { cause: error })
  }
  const width = Math.max(0, ...rows.map((row) => row.length))
  const columns = Array.from({ length: width }, (_, column) => column)
  const ofYear = (cell: string | undefined): string | undefined => {
    const day = dayIn(cell ?? '')
    return day?.startsWith(`${year}-`) ? day : undefined
  }
  const days = (column: number): number => new Set(rows.map((row) => ofYear(row[column]))).size
  const dateColumn = columns.reduce((best, column) => (days(column) > days(best) ? column : best), 0)
  const dated = rows.flatMap((row) => {
    const day = ofYear(row[dateColumn])
    return day === undefined ? [] : [{ day, row }]
  })
  if (dated.length === 0) refuse('holds no date of that year')
  dated.sort((a, b) => (a.day < b.day ? -1 : 1))
  const candidates = columns
    .filter((column) => column !== dateColumn)
    .map((column) => risingIssues(dated.map(({ day, row }) => [day, issueIn(row[column] ?? '', year)])))
  const issues = candidates.reduce((best, each) => (each.size > best.size ? each : best), new Map<string, number>())
  if (issues.size === 0) refuse('holds no column of issue numbers that rise with the days')
  return { issues, firstDay: dated[0]!.day, lastDay: dated.at(-1)!.day }
}

/** Days with their issues when later days have higher ones; empty when they have not (weeks and weekdays fall back). */
function risingIssues(pairs: readonly (readonly [string, number | undefined])[]): Map<string, number> {
  const issues = new Map<string, number>()
  let last = 0
  for (const [day, issue] of pairs) {
    if (issue === undefined || issues.get(day) === issue) continue
    if (issue <= last) return new Map()
    issues.set(day, issue)
    last = issue
  }
  return issues
}

type Kept = { readonly calendar: ReleaseCalendar; readonly fetchedMs: number; readonly version: string }

/** `<seconds>|<first>|<last>|<issue>:<MMDD>,…|<version of the URL>` */
function writeKept({ calendar, fetchedMs, version }: Kept): string {
  const issues = [...calendar.issues].map(([day, issue]) => `${issue}:${day.slice(5, 7)}${day.slice(8)}`)
  return [Math.round(fetchedMs / 1000), calendar.firstDay, calendar.lastDay, issues.join(','), version].join('|')
}

function readKept(text: string | undefined, year: number): Kept | undefined {
  const [seconds, firstDay, lastDay, issues, ...version] = text?.split('|') ?? []
  if (seconds === undefined || firstDay === undefined || lastDay === undefined || issues === undefined) return undefined
  const days = issues.split(',').flatMap((pair): [string, number][] => {
    const match = /^(\d+):(\d{2})(\d{2})$/.exec(pair)
    return match ? [[`${year}-${match[2]}-${match[3]}`, Number(match[1])]] : []
  })
  return {
    calendar: { issues: new Map(days), firstDay, lastDay },
    fetchedMs: Number(seconds) * 1000,
    version: version.join('|'),
  }
}

const urlOf = (year: number): string => `https://ted.europa.eu/en/release-calendar/-/download/file/CSV/${year}`

/**
 * The calendar of a year: the stored one while it is fresh (a week; an hour if it does not know `day`; forever once it
 * was fetched after its year), else a new one. An old one serves if no new one is available, unless it does not know
 * `day`. `items` are to be stored with the next step.
 */
export async function releaseCalendar(
  context: FetchContext,
  day: string,
): Promise<{ readonly calendar: ReleaseCalendar; readonly items: readonly Item[] }> {
  const year = Number(day.slice(0, 4))
  const key = `calendar:${year}`
  const kept = readKept((await context.knownVersions([key])).get(key), year)
  const knows = kept !== undefined && issueOn(kept.calendar, day) !== 'unknown'
  if (kept) {
    const ageMs = context.now() - kept.fetchedMs
    const isFinal = kept.fetchedMs > Date.UTC(year + 1, 0, 2)
    if (isFinal || ageMs < (knows ? 7 * dayMs : hourMs)) return { calendar: kept.calendar, items: [] }
  }
  try {
    const url = urlOf(year)
    const reply = await context.send({ url, ...(kept?.version && { ifChangedFrom: kept.version }) })
    assertAnswered(reply, url)
    const fetchedMs = context.now()
    if (reply.status === 304 && kept)
      return { calendar: kept.calendar, items: [{ key, version: writeKept({ ...kept, fetchedMs }) }] }
    const bytes = await reply.bytes()
    if (bytes.length === 0 || isHtml(bytes)) throw new Refused(`${url}: no calendar but ${bytes.length} bytes of else`)
    const calendar = readReleaseCalendar(new TextDecoder().decode(bytes), year)
    const version = reply.version ?? ''
    return { calendar, items: [{ key, version: writeKept({ calendar, fetchedMs, version }) }] }
  } catch (error) {
    if (!(error instanceof Retryable) || !kept || !knows) throw error
    return { calendar: kept.calendar, items: [] }
  }
}

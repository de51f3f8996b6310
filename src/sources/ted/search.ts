// The Search API v3: how many notices were published on a day, and which. Notices themselves are read from the
// packages.
import { Refused, Retryable } from '../../platform/http.ts'
import type { FetchContext, SourceReply } from '../fetch.ts'
import { parseJson } from '../json.ts'
import { publicationNumber } from './publication-numbers.ts'
import { assertAnswered } from './ted-reply.ts'

const url = 'https://api.ted.europa.eu/v3/notices/search'
/** Maximum notices on a page, the API's own limit; fields × limit may not exceed 10,000. */
const pageSize = 250
/** `links` is in every row, whatever is requested. */
const fields = ['publication-number', 'publication-date']
/** How often a listing is restarted before the API counts as not delivering. */
const maxAttempts = 3

/** A row of the search. The date is a day; the answer writes it with an offset (`2026-07-08+02:00`). */
type SearchRow = { readonly publicationNumber: string; readonly day?: string; readonly noticeId?: string }

/** One answer. The token is still there after the last row. */
export type SearchPage = {
  readonly announced: number
  readonly rows: readonly SearchRow[]
  readonly token?: string
  readonly isTimedOut: boolean
}

type Loose = { readonly [name: string]: unknown }
const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Parses one answer. Throws Refused if it is not one: no JSON, no list of notices, no total, a row without its number.
 * A row's missing date is left out; per-lot lists are ignored, because their lengths differ.
 */
export function readSearchPage(bytes: Uint8Array): SearchPage {
  let json: unknown
  try {
    json = parseJson(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new Refused('the search of TED answered without JSON', { cause: error })
  }
  const notices = isObject(json) ? json['notices'] : undefined
  const announced = isObject(json) ? json['totalNoticeCount'] : undefined
  if (!isObject(json) || !Array.isArray(notices) || typeof announced !== 'number' || !(announced >= 0))
    throw new Refused('the search of TED answered without notices or without their count')
  const rows = notices.map((notice: unknown): SearchRow => {
    const number = isObject(notice) ? notice['publication-number'] : undefined
    const known = typeof number === 'string' ? publicationNumber(number) : undefined
    if (!isObject(notice) || known === undefined)
      throw new Refused('the search of TED answered with a notice without number')
    const [date, id] = [notice['publication-date'], notice['notice-identifier']]
    const day = typeof date === 'string' ? /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] : undefined
    return {
      publicationNumber: known,
      ...(day && { day }),
      ...(typeof id === 'string' && id !== '' && { noticeId: id.toLowerCase() }),
    }
  })
  const token = json['iterationNextToken']
  return {
    announced,
    rows,
    ...(typeof token === 'string' && token !== '' && { token }),
    isTimedOut: json['timedOut'] === true,
  }
}

/** The question for one day. Sort, fields and query stay the same over all pages of an iteration. */
function questionOf(day: string): { readonly [name: string]: unknown } {
  return { query: `publication-date=${day.replaceAll('-', '')}`, fields, scope: 'ALL' }
}

async function ask(context: FetchContext, day: string, more: Loose): Promise<SourceReply> {
  const reply = await context.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ ...questionOf(day), ...more }),
    accept: [400, 500],
  })
  assertAnswered(reply, url)
  if (reply.status === 400) {
    const message = new TextDecoder().decode((await reply.bytes()).subarray(0, 300)).replace(/\s+/g, ' ')
    throw new Retryable(`the search of TED does not understand the question any more: ${message}`)
  }
  return reply
}

async function pageOf(reply: SourceReply, day: string): Promise<SearchPage> {
  const page = readSearchPage(await reply.bytes())
  if (page.isTimedOut) throw new Retryable(`the search of TED ran out of time over ${day}`)
  // The API answers an unreadable date as if there were no condition.
  const stray = page.rows.find((row) => row.day !== undefined && row.day !== day)
  if (stray) throw new Refused(`the search of TED answered with ${stray.publicationNumber} of ${stray.day} for ${day}`)
  return page
}

/** How many notices were published on a day. Throws Retryable if the search does not say. */
export async function announcedOn(context: FetchContext, day: string): Promise<number> {
  const reply = await ask(context, day, { page: 1, limit: 1, paginationMode: 'PAGE_NUMBER' })
  if (reply.status === 500) throw new Retryable(`the search of TED failed over ${day}`)
  return (await pageOf(reply, day)).announced
}

export type DayListing = { readonly announced: number; readonly numbers: ReadonlySet<string> }

/**
 * All publication numbers of a day, by iteration. A bad token is answered with 500: the iteration is restarted. It ends
 * with a page that is empty or short after the announced total is reached. Throws Retryable when that does not come.
 */
export async function listDay(context: FetchContext, day: string): Promise<DayListing> {
  for (let attempt = 1; ; attempt++) {
    const listing = await iterate(context, day)
    if (listing) return listing
    if (attempt === maxAttempts)
      throw new Retryable(`the search of TED broke off its list of ${day} ${maxAttempts} times`)
  }
}

async function iterate(context: FetchContext, day: string): Promise<DayListing | undefined> {
  const numbers = new Set<string>()
  let token: string | undefined
  for (;;) {
    const reply = await ask(context, day, {
      limit: pageSize,
      paginationMode: 'ITERATION',
      ...(token !== undefined && { iterationNextToken: token }),
    })
    if (reply.status === 500) return undefined
    const page = await pageOf(reply, day)
    const before = numbers.size
    for (const row of page.rows) numbers.add(row.publicationNumber)
    const isAll = numbers.size >= page.announced
    if (page.rows.length < pageSize && isAll) return { announced: page.announced, numbers }
    // Empty, without a token or going round in circles before the total: something is missing from this iteration.
    if (page.token === undefined || numbers.size === before)
      return isAll ? { announced: page.announced, numbers } : undefined
    token = page.token
  }
}

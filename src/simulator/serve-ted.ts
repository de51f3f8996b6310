// TED: daily and monthly packages by issue of the Official Journal S, the release calendar, single notices, the search
// API v3.

import { createHash } from 'node:crypto'
import { dayMs } from '../domain/time.ts'
import { jsonIn } from '../platform/json-in.ts'
import { writeTarGz } from './archive-writers.ts'
import type { Visible } from './card-answer.ts'
import { issueAfter, issuesOf, type JournalIssue } from './journal-calendar.ts'
import { type Asked, jsonAnswer, type PortalAnswer, type PortalServer, textAnswer } from './portal-answer.ts'
import { localParts } from './samples/xml-text.ts'
import type { ShelfEntry } from './shelf.ts'
import { readTedQuery, type TedFields, TedQueryError } from './ted-query.ts'

const packagesHost = 'ted.europa.eu'
const hosts = new Set([packagesHost, 'api.ted.europa.eu', 'tedweb.api.ted.europa.eu'])
const zone = 'Europe/Luxembourg'
const maxPerPage = 250
const widestWindow = 15_000
const maxValues = 10_000
const historyYears = 10
const searchKeys = new Set([
  'query',
  'fields',
  'page',
  'limit',
  'scope',
  'checkQuerySyntax',
  'paginationMode',
  'onlyLatestVersions',
  'iterationNextToken',
])
/** Fields whose values the simulator knows; all others are allowed in `fields` and absent from answers. */
const queryFields = new Set([
  'publication-number',
  'publication-date',
  'ojs-number',
  'notice-type',
  'notice-identifier',
  'procedure-identifier',
  'buyer-country',
  'classification-cpv',
])

export function serveTed(visible: Visible, seed: string): PortalServer {
  return {
    sourceId: 'ted',
    hosts,
    shown: visible,
    answer: (asked) => {
      const { url, method } = asked.request
      if (url.host !== packagesHost) {
        if (url.pathname !== '/v3/notices/search') return textAnswer(404, 'not found')
        return method === 'POST' ? search(asked, visible, seed) : textAnswer(405, 'only POST')
      }
      const calendar = /^\/en\/release-calendar\/-\/download\/file\/CSV\/(\d{4})$/.exec(url.pathname)
      if (calendar) return releaseCalendar(asked, visible, Number(calendar[1]))
      const daily = /^\/packages\/daily\/(\d{4})(\d{5})$/.exec(url.pathname)
      const monthly = /^\/packages\/monthly\/(\d{4})-([1-9]\d?)$/.exec(url.pathname)
      const notice = /^\/[a-z]{2}\/notice\/(?:-\/detail\/)?0*(\d+)-(\d{4})\/xml$/.exec(url.pathname)
      if (!daily && !monthly && !notice) return undefined
      if (isChallenged(asked)) return { ...textAnswer(202, ''), headers: { 'x-amzn-waf-action': 'challenge' } }
      if (daily) return dailyPackage(asked, visible, Number(daily[1]), Number(daily[2]))
      if (monthly) return monthlyPackage(asked, visible, Number(monthly[1]), Number(monthly[2]))
      return singleNotice(asked, visible, `${notice![1]}-${notice![2]}`)
    },
  }
}

/** Plain user agents of programs do not pass the firewall in front of the packages. */
function isChallenged({ request }: Asked): boolean {
  const agent = request.headers['user-agent'] ?? ''
  return agent === '' || /^(?:curl|python|wget|node|undici)/i.test(agent)
}

/**
 * Past issues without an entry of the made-up world do not exist: in the real journal every issue is full. Their
 * numbers stay free. A year without any entry of the world has all its issues.
 */
function releaseCalendar(asked: Asked, visible: Visible, year: number): PortalAnswer {
  const filled = new Set(visible(asked.now).map(({ publishedAt }) => issueAfter(publishedAt).day))
  const issues = issuesOf(year).filter(({ day, releasedAt }) => releasedAt > asked.now || filled.has(day))
  const rows = (issues.length > 0 ? issues : issuesOf(year)).map(
    ({ number, day }) => `${number}/${year};${new Date(day).toISOString().slice(0, 10).split('-').reverse().join('/')}`,
  )
  return textAnswer(200, `OJ S issue;Publication date\r\n${rows.join('\r\n')}\r\n`, 'text/csv; charset=utf-8')
}

const numberOf = (entry: ShelfEntry): string =>
  entry.publicationNumber ?? `${entry.number}-${new Date(entry.publishedAt).getUTCFullYear()}`
const fileNumber = (entry: ShelfEntry): string =>
  `${numberOf(entry).split('-')[0]!.padStart(8, '0')}_${numberOf(entry).split('-')[1]}`

function inIssue(entries: readonly ShelfEntry[], issue: JournalIssue): ShelfEntry[] {
  return entries.filter(({ publishedAt }) => issueAfter(publishedAt).day === issue.day)
}

async function dailyArchive(asked: Asked, entries: readonly ShelfEntry[], issue: JournalIssue): Promise<Buffer> {
  const folder = String(issue.number).padStart(5, '0')
  const members = inIssue(entries, issue).map((entry) => ({
    name: `${folder}/${fileNumber(entry)}.xml`,
    bytes: Buffer.from(entry.text()),
  }))
  if (members.length > 0 && asked.happens('broken-member'))
    members.push({
      name: `${folder}/00000001_${issue.year}.xml`,
      bytes: Buffer.from('<?xml version="1.0"?>\n<ContractNotice xmlns="'),
    })
  if (members.length > 0 && asked.happens('nul-bytes'))
    members.push({
      name: `${folder}/00000002_${issue.year}.xml`,
      bytes: Buffer.from('<ContractNotice>\u0000\u0000</ContractNotice>'),
    })
  const last = members.at(-1)
  if (last && asked.happens('duplicates')) members.push(last)
  return writeTarGz(members)
}

async function dailyPackage(asked: Asked, visible: Visible, year: number, number: number): Promise<PortalAnswer> {
  const issue = issuesOf(year)[number - 1]
  if (!issue || issue.releasedAt > asked.now) return textAnswer(404, 'not found')
  const entries = visible(asked.now)
  if (inIssue(entries, issue).length === 0) return textAnswer(404, 'not found')
  const body = await dailyArchive(asked, entries, issue)
  return {
    status: 200,
    type: 'application/gzip',
    body,
    headers: { 'content-disposition': `attachment; filename="${year}${String(number).padStart(5, '0')}.tar.gz"` },
  }
}

/** On the fifth working day of the next month. */
async function monthlyPackage(asked: Asked, visible: Visible, year: number, month: number): Promise<PortalAnswer> {
  if (month > 12) return textAnswer(404, 'not found')
  const after = Date.UTC(year, month, 1)
  const fifth = [...issuesOf(year), ...issuesOf(year + 1)].filter(({ day }) => day >= after)[4]!
  if (fifth.releasedAt > asked.now) return textAnswer(404, 'not found')
  const entries = visible(asked.now)
  const members: { name: string; bytes: Buffer }[] = []
  for (const issue of issuesOf(year)) {
    if (issue.day < Date.UTC(year, month - 1, 1) || issue.day >= after) continue
    if (inIssue(entries, issue).length === 0) continue
    members.push({
      name: `${year}${String(issue.number).padStart(5, '0')}.tar.gz`,
      bytes: await dailyArchive(asked, entries, issue),
    })
  }
  return { status: 200, type: 'application/gzip', body: await writeTarGz(members) }
}

function singleNotice(asked: Asked, visible: Visible, number: string): PortalAnswer {
  const entry = visible(asked.now).find((each) => numberOf(each) === number)
  return entry ? textAnswer(200, entry.text(), 'application/xml; charset=utf-8') : textAnswer(404, 'not found')
}

// The search

type SearchRequest = {
  readonly query: string
  readonly fields: readonly string[]
  readonly page: number
  readonly limit: number
  readonly isIteration: boolean
  readonly token: string | undefined
  readonly isSyntaxCheck: boolean
}

const refuse = (
  code: string,
  message: string,
  location?: { readonly line: number; readonly column: number },
): PortalAnswer => jsonAnswer(400, { message, error: { type: code, ...(location && { location }) } })

function readSearch(body: string): SearchRequest | PortalAnswer {
  const given = jsonIn(body)
  if (given === undefined) return refuse('BAD_REQUEST', 'the body is not JSON')
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return refuse('BAD_REQUEST', 'the body is not an object')
  const asked = given as Record<string, unknown>
  const unknown = Object.keys(asked).find((name) => !searchKeys.has(name))
  if (unknown !== undefined) return refuse('BAD_REQUEST', `Unrecognized field "${unknown}"`)
  const {
    query,
    fields,
    page = 1,
    limit = 10,
    scope = 'ALL',
    paginationMode = 'PAGE_NUMBER',
    iterationNextToken,
  } = asked
  if (typeof query !== 'string' || query === '') return refuse('BAD_REQUEST', 'query must not be empty')
  if (!Array.isArray(fields) || fields.length === 0 || !fields.every((each) => typeof each === 'string'))
    return refuse('BAD_REQUEST', 'fields must not be empty')
  if (!['LATEST', 'ACTIVE', 'ALL'].includes(String(scope))) return refuse('BAD_REQUEST', 'scope is not known')
  if (!Number.isInteger(page) || Number(page) < 1) return refuse('BAD_REQUEST', 'page must be at least 1')
  if (!Number.isInteger(limit) || Number(limit) < 1) return refuse('BAD_REQUEST', 'limit must be at least 1')
  if (Number(limit) > maxPerPage) return refuse('SEARCH_EXCEEDS_MAX_LIMIT', `limit is more than ${maxPerPage}`)
  if (fields.length * Number(limit) > maxValues)
    return refuse('SEARCH_EXCEEDS_MAX_LIMIT', `fields times limit is more than ${maxValues}`)
  if (paginationMode !== 'PAGE_NUMBER' && paginationMode !== 'ITERATION')
    return refuse('BAD_REQUEST', 'paginationMode is not known')
  if (paginationMode === 'PAGE_NUMBER' && Number(page) * Number(limit) > widestWindow)
    return refuse('SEARCH_WINDOW_TOO_WIDE', `page times limit is more than ${widestWindow}`)
  const badField = fields.find((each: string) => !/^[A-Za-z][A-Za-z0-9-]*$/.test(each)) as string | undefined
  if (badField !== undefined)
    return refuse('QUERY_UNKNOWN_FIELD', `unknown field ${badField}; known are ${[...queryFields].join(', ')}`)
  return {
    query,
    fields: fields as string[],
    page: Number(page),
    limit: Number(limit),
    isIteration: paginationMode === 'ITERATION',
    token: typeof iterationNextToken === 'string' ? iterationNextToken : undefined,
    isSyntaxCheck: asked['checkQuerySyntax'] === true,
  }
}

function search(asked: Asked, visible: Visible, seed: string): PortalAnswer {
  const read = readSearch(asked.request.body)
  if ('status' in read) return read
  let query: ReturnType<typeof readTedQuery>
  try {
    query = readTedQuery(read.query, queryFields, asked.now)
  } catch (error) {
    if (!(error instanceof TedQueryError)) throw error
    return refuse(error.code, error.message, { line: 1, column: error.column })
  }
  if (read.isSyntaxCheck)
    return jsonAnswer(200, { notices: [], totalNoticeCount: 0, iterationNextToken: null, timedOut: false })
  const oldest = asked.now - historyYears * 365.25 * dayMs
  const found = visible(asked.now)
    .filter(({ publishedAt }) => publishedAt >= oldest)
    .map((entry) => ({ entry, fields: fieldsOf(entry) }))
    .filter(({ fields }) => query.matches(fields))
  const { sortBy } = query
  if (sortBy) found.sort((a, b) => ((b.fields[sortBy] ?? '') < (a.fields[sortBy] ?? '') ? -1 : 1))
  // the query must stay the same: a token is valid only for the one for which it was made
  const question = createHash('sha256')
    .update(`${seed}|${read.query}|${read.fields.join(' ')}|${read.limit}`)
    .digest('base64url')
    .slice(0, 12)
  let offset = (read.page - 1) * read.limit
  if (read.isIteration) {
    offset = 0
    if (read.token !== undefined) {
      const [owner, position] = Buffer.from(read.token, 'base64url').toString().split('|', 2)
      if (owner !== question || !/^\d+$/.test(position ?? ''))
        return jsonAnswer(500, { message: 'Internal Server Error' })
      offset = Number(position)
      if (offset > 0 && asked.happens('moving-pages')) offset -= 1
    }
  }
  const page = found.slice(offset, offset + read.limit)
  const lie = asked.happens('total-more') ? 2 : asked.happens('total-less') ? -1 : 0
  const after = offset + page.length
  return jsonAnswer(200, {
    notices: page.map(({ entry }) => noticeOf(entry, read.fields)),
    totalNoticeCount: Math.max(0, found.length + lie),
    // after the last notice there is a token as well
    iterationNextToken: read.isIteration ? Buffer.from(`${question}|${after}`).toString('base64url') : null,
    timedOut: false,
  })
}

function fieldsOf(entry: ShelfEntry): TedFields {
  const issue = issueAfter(entry.publishedAt)
  const day = localParts(entry.publishedAt, zone).date
  return {
    'publication-number': numberOf(entry),
    'publication-date': day.replaceAll('-', ''),
    'ojs-number': `${issue.number}/${issue.year}`,
    'notice-identifier': entry.noticeId,
    'procedure-identifier': entry.procedureId,
    'classification-cpv': entry.sample?.cpv,
    'notice-type': entry.sample && noticeTypes[entry.sample.kind],
  }
}

const noticeTypes = {
  planning: 'pin-only',
  call: 'cn-standard',
  change: 'cn-standard',
  cancellation: 'cn-standard',
  award: 'can-standard',
} as const

/** Fields without a value are absent; the links are always there. */
function noticeOf(entry: ShelfEntry, fields: readonly string[]): Record<string, unknown> {
  const { date, offset } = localParts(entry.publishedAt, zone)
  const known: Record<string, unknown> = { ...fieldsOf(entry), 'publication-date': `${date}${offset}` }
  const number = numberOf(entry)
  const notice: Record<string, unknown> = {}
  for (const field of fields) if (known[field] !== undefined) notice[field] = known[field]
  const languages = ['BUL', 'CES', 'DAN', 'DEU', 'ELL', 'ENG', 'FRA', 'POL']
  notice['links'] = {
    xml: { MUL: `https://ted.europa.eu/en/notice/${number}/xml` },
    pdf: Object.fromEntries(
      languages.map((each) => [each, `https://ted.europa.eu/${each.slice(0, 2).toLowerCase()}/notice/${number}/pdf`]),
    ),
    html: Object.fromEntries(
      languages.map((each) => [
        each,
        `https://ted.europa.eu/${each.slice(0, 2).toLowerCase()}/notice/-/detail/${number}`,
      ]),
    ),
  }
  return notice
}

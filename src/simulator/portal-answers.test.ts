// Answers of single portals without a server: what they refuse, at the edges of days and pages.
import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { issueAfter, issuesOf } from './journal-calendar.ts'
import { jsonAnswer, type PortalAnswer, type PortalServer, textAnswer } from './portal-answer.ts'
import type { PortalRequest } from './request-pattern.ts'
import { serveDoe } from './serve-doe.ts'
import { serveTed } from './serve-ted.ts'
import type { ShelfEntry } from './shelf.ts'
import { spoiledAnswer, withVersion } from './spoiled-answer.ts'

const at = (text: string): number => Date.parse(text)
const entryAt = (number: number, publishedAt: string): ShelfEntry => ({
  id: `n${number}-1`,
  noticeId: `n${number}`,
  version: 1,
  procedureId: `p${number}`,
  number,
  publicationNumber: `${number}-2026`,
  publishedAt: at(publishedAt),
  text: () => `<notice>${number}</notice>`,
})
const requestOf = (url: string, more: Partial<PortalRequest> = {}): PortalRequest => ({
  method: 'GET',
  url: new URL(url),
  headers: { 'user-agent': 'Tenderstock' },
  body: '',
  ...more,
})
const never = () => false
const answerOf = async (portal: PortalServer, request: PortalRequest, now: string): Promise<PortalAnswer> =>
  (await portal.answer({ request, now: at(now), happens: never }))!

describe('the federal portal', () => {
  const entries = [entryAt(1, '2026-11-28T12:00:00Z'), entryAt(2, '2026-11-29T12:00:00Z')]
  const portal = serveDoe((now) => entries.filter(({ publishedAt }) => publishedAt <= now))
  const exportOf = (query: string, now: string) =>
    answerOf(portal, requestOf(`https://oeffentlichevergabe.de/api/notice-exports?format=eforms.zip&${query}`), now)
  const names = ({ body }: PortalAnswer): string[] => Object.keys(unzipSync(new Uint8Array(body)))

  test('a day is over at midnight in Berlin, and not a moment before', async () => {
    expect((await exportOf('pubDay=2026-11-29', '2026-11-29T22:59:59.999Z')).status).toBe(400)
    const whole = await exportOf('pubDay=2026-11-29', '2026-11-29T23:00:00Z')
    expect([whole.status, names(whole)]).toEqual([200, ['n2-01.xml']])
  })

  test('a month that has not ended holds its past days only', async () => {
    expect(names(await exportOf('pubMonth=2026-11', '2026-11-29T13:00:00Z'))).toEqual(['n1-01.xml'])
  })

  test.each(['', 'pubDay=2026-11-28&pubMonth=2026-11', 'pubDay=2026-11-31', 'pubDay=2022-11-30', 'day=2026-11-28'])(
    'refuses %j',
    async (query) => {
      expect((await exportOf(query, '2026-11-30T12:00:00Z')).status).toBe(400)
    },
  )
})

describe('TED', () => {
  const entries = [1, 2, 3].map((number) => entryAt(number, '2026-11-24T08:00:00Z'))
  const portal = serveTed(() => entries, 'seed')
  const now = '2026-11-30T12:00:00Z'
  const search = async (query: string, iterationNextToken?: string) => {
    const asked = { query, fields: ['publication-number'], limit: 2, paginationMode: 'ITERATION', iterationNextToken }
    const request = requestOf('https://api.ted.europa.eu/v3/notices/search', {
      method: 'POST',
      body: JSON.stringify(asked),
    })
    const { status, body } = await answerOf(portal, request, now)
    return { status, ...(JSON.parse(body.toString()) as { notices?: unknown[]; iterationNextToken?: string }) }
  }

  test('a token of one query is an error of another, and leads on in its own', async () => {
    const first = await search('PD >= 20260101')
    expect(first.notices).toHaveLength(2)
    const second = await search('PD >= 20260101', first.iterationNextToken)
    expect(second.notices).toHaveLength(1)
    expect((await search('PD >= 20260102', first.iterationNextToken)).status).toBe(500)
  })

  test('the calendar has the issues that have notices and those to come', async () => {
    const url = 'https://ted.europa.eu/en/release-calendar/-/download/file/CSV/2026'
    const rows = (await answerOf(portal, requestOf(url), now)).body.toString().trim().split('\r\n').slice(1)
    const days = rows.map((row) => row.split(';')[1])
    expect(days.slice(0, 2)).toEqual(['24/11/2026', '01/12/2026'])
  })
})

test('the journal has no issue on a holiday; what is handed in when one appears is in it', () => {
  const days = issuesOf(2026).map(({ day }) => new Date(day).toISOString().slice(5, 10))
  for (const holiday of ['01-01', '05-01', '12-25']) expect(days).not.toContain(holiday)
  const issue = issuesOf(2026)[10]!
  expect(issueAfter(issue.releasedAt).number).toBe(issue.number)
  expect(issueAfter(issue.releasedAt + 1).number).toBe(issue.number + 1)
})

describe('spoiled answers', () => {
  const source = { channels: [] } as unknown as Parameters<typeof spoiledAnswer>[3]
  const request = requestOf('https://portal.example/list')
  const spoiled = (name: Parameters<typeof spoiledAnswer>[0], answer: PortalAnswer) =>
    spoiledAnswer(name, answer, request, source, 7)

  test('a body is emptied or cut only where there is one', () => {
    for (const name of ['empty-body', 'cut-quietly'] as const) {
      expect(spoiled(name, textAnswer(404, 'not found'))).toBeUndefined()
      expect(spoiled(name, jsonAnswer(200, [1, 2, 3]))!.body.length).toBeLessThan(7)
    }
    expect(spoiled('cut-quietly', textAnswer(200, '{'))).toBeUndefined()
    expect(spoiled('slow', textAnswer(200, '{}'))).toBeUndefined()
  })

  test('versions belong to good answers of GET', () => {
    const good = textAnswer(200, 'a')
    const { etag } = withVersion(request, good, never).headers!
    const again = requestOf('https://portal.example/list', { headers: { 'if-none-match': etag } })
    expect(withVersion(again, good, never).status).toBe(304)
    expect(withVersion(again, textAnswer(200, 'b'), never).status).toBe(200)
    expect(withVersion({ ...again, method: 'POST' }, good, never)).toBe(good)
    const missing = textAnswer(404, 'a')
    expect(withVersion(again, missing, never)).toBe(missing)
  })
})

// Answers of the Search API: what counts as one, and when a list of a day is complete.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ScriptedReply, ScriptedRun } from '../../../test/sources/scripted-run.ts'
import { numbersFrom, ScriptedTed } from '../../../test/sources/scripted-ted.ts'
import { Refused, Retryable } from '../../platform/http.ts'
import type { FetchContext } from '../fetch.ts'
import { announcedOn, type DayListing, listDay, readSearchPage } from './search.ts'

const day = '2026-03-10'

/** Lists the day against a scripted TED; also returns the bodies that were sent. */
async function list(
  numbers: readonly string[],
  fault?: (body: { [name: string]: unknown }) => ScriptedReply | undefined,
) {
  const ted = new ScriptedTed({ [day]: { issue: 48, numbers } })
  const bodies: { [name: string]: unknown }[] = []
  ted.fault = (request) => {
    const body = JSON.parse(request.body ?? '{}') as { [name: string]: unknown }
    bodies.push(body)
    return fault?.(body)
  }
  const run = new ScriptedRun({ script: ted.answer, scratchFolder: '', zone: 'Europe/Brussels' })
  let listing: DayListing | undefined
  await run.read(
    // biome-ignore lint/correctness/useYield: only the requests matter
    async function* (context: FetchContext) {
      listing = await listDay(context, day)
      return { kind: 'complete' }
    },
    { key: day },
  )
  return { listing: listing!, bodies }
}

describe('a list of a day', () => {
  for (const count of [0, 1, 249, 250, 251, 500, 617]) {
    it(`holds all ${count} numbers and ends with an empty or short page`, async () => {
      const numbers = numbersFrom(1000, count)
      const { listing, bodies } = await list(numbers)
      expect([...listing.numbers]).toEqual(numbers)
      expect(listing.announced).toBe(count)
      expect(bodies).toHaveLength(Math.floor(count / 250) + 1)
    })
  }

  it('sends the same query for every page, with at most 250 rows and 10,000 cells', async () => {
    const { bodies } = await list(numbersFrom(1, 600))
    const questions = bodies.map(({ iterationNextToken: _, ...question }) => JSON.stringify(question))
    expect(new Set(questions).size).toBe(1)
    const [first] = bodies
    expect(first).toMatchObject({ query: 'publication-date=20260310', paginationMode: 'ITERATION', scope: 'ALL' })
    expect(Number(first!['limit'])).toBeLessThanOrEqual(250)
    expect(Number(first!['limit']) * (first!['fields'] as string[]).length).toBeLessThanOrEqual(10_000)
    expect('iterationNextToken' in first!).toBe(false)
  })

  it('is restarted if a token is answered with 500, and abandoned after three times', async () => {
    let failures = 0
    const once = await list(numbersFrom(1, 600), (body) =>
      body['iterationNextToken'] !== undefined && failures++ === 0 ? { status: 500, body: '{}' } : undefined,
    )
    expect(once.listing.numbers.size).toBe(600)
    expect(once.bodies).toHaveLength(2 + 3)
    await expect(
      list(numbersFrom(1, 600), (body) =>
        body['iterationNextToken'] === undefined ? undefined : { status: 500, body: '{}' },
      ),
    ).rejects.toThrow(/broke off its list of 2026-03-10 3 times/)
  })

  it('that stops before its total does not count as complete', async () => {
    const empty = { notices: [], totalNoticeCount: 600, iterationNextToken: 'x', timedOut: false }
    await expect(
      list(numbersFrom(1, 600), (body) =>
        body['iterationNextToken'] === undefined ? undefined : { body: JSON.stringify(empty) },
      ),
    ).rejects.toThrow(Retryable)
  })

  it('that repeats its pages ends', async () => {
    const page = (number: string) => ({ 'publication-number': number, 'publication-date': `${day}+01:00` })
    const same = {
      notices: numbersFrom(1, 250).map(page),
      totalNoticeCount: 600,
      iterationNextToken: 'x',
      timedOut: false,
    }
    await expect(list([], () => ({ body: JSON.stringify(same) }))).rejects.toThrow(Retryable)
  })

  it('with rows without a day is taken: the question named it', async () => {
    const rows = numbersFrom(7, 2).map((number) => ({ 'publication-number': number }))
    const answer = { notices: rows, totalNoticeCount: 2, iterationNextToken: 'x', timedOut: false }
    const { listing } = await list([], () => ({ body: JSON.stringify(answer) }))
    expect([...listing.numbers]).toEqual(numbersFrom(7, 2))
  })

  it('with rows of another day is refused: the date was not understood', async () => {
    const stray = {
      notices: [{ 'publication-number': '1-2026', 'publication-date': '2026-03-09+01:00' }],
      totalNoticeCount: 12_900_000,
      iterationNextToken: 'x',
      timedOut: false,
    }
    await expect(list([], () => ({ body: JSON.stringify(stray) }))).rejects.toThrow(Refused)
  })

  it('that timed out does not count as an answer', async () => {
    const cut = { notices: [], totalNoticeCount: 0, iterationNextToken: null, timedOut: true }
    await expect(list([], () => ({ body: JSON.stringify(cut) }))).rejects.toThrow(/ran out of time/)
  })
})

describe('an answer of the search', () => {
  it('without JSON, notices, a total or a number for each notice is refused', () => {
    for (const text of [
      '',
      '<html></html>',
      '[]',
      '{"notices":[]}',
      '{"totalNoticeCount":3}',
      '{"notices":{},"totalNoticeCount":3}',
      '{"notices":[{"publication-date":"2026-03-10+01:00"}],"totalNoticeCount":1}',
      '{"notices":[null],"totalNoticeCount":1}',
    ])
      expect(() => readSearchPage(Buffer.from(text)), text).toThrow(Refused)
  })

  it('with status 400 names what the API did not understand', async () => {
    const run = new ScriptedRun({
      script: () => ({ status: 400, body: '{"message":"QUERY_UNKNOWN_FIELD"}' }),
      scratchFolder: '',
      zone: 'Europe/Brussels',
    })
    const failure = await run.failure(
      // biome-ignore lint/correctness/useYield: only the failure matters
      async function* (context: FetchContext) {
        await announcedOn(context, day)
        return { kind: 'complete' }
      },
      { key: day },
    )
    expect(failure).toContain('QUERY_UNKNOWN_FIELD')
  })

  const real = join(import.meta.dirname, '../../../../shared/corpus/ted-api-v3/search-response-2026-05.json')
  const hasCorpus = existsSync(real)
  it.skipIf(!hasCorpus)('recorded from TED has 10 of 13,484 rows, each with its number and day', () => {
    const { announced, rows, isTimedOut } = readSearchPage(readFileSync(real))
    expect({ announced, rows: rows.length, isTimedOut }).toEqual({ announced: 13_484, rows: 10, isTimedOut: false })
    expect(rows[0]).toEqual({ publicationNumber: '367831-2026', day: '2026-05-29' })
    expect(rows.every((row) => /^\d+-2026$/.test(row.publicationNumber) && row.day !== undefined)).toBe(true)
  })
})

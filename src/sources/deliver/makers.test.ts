// Deliveries of the data platforms that many portals run on, against scripted platforms.
import { expect, test } from 'vitest'
import { daySlot, readSlot, textsOf } from '../../../test/testing/scripted-portal.ts'
import { fetchOf } from './fetch-of.ts'
import { odata } from './odata.ts'
import { socrata } from './socrata.ts'
import { sparql } from './sparql.ts'

const rows = Array.from({ length: 250 }, (_, id) => ({ id, day: id < 130 ? '2026-11-20' : '2026-11-21' }))
const texts = (days: readonly string[]) =>
  rows
    .filter(({ day }) => days.includes(day))
    .map((row) => JSON.stringify(row))
    .sort()
const number = (url: URL, name: string): number => Number(url.searchParams.get(name))

test('socrata requests the rows of a span in a stable order, with a token where the source has one', async () => {
  const delivery = socrata({ domain: 'data.example', dataset: 'abcd-1234', dateField: 'day' })
  const reading = await readSlot(
    fetchOf(delivery),
    (request, url) => {
      expect(url.searchParams.get('$order')).toBe(':id')
      expect(url.searchParams.get('$where')).toBe("day >= '2026-11-20T00:00:00' AND day < '2026-11-21T00:00:00'")
      expect(request.headers).toEqual({ accept: 'application/json' })
      return {
        body: JSON.stringify(
          rows.slice(number(url, '$offset'), Math.min(number(url, '$offset') + number(url, '$limit'), 130)),
        ),
      }
    },
    { slot: daySlot('2026-11-20') },
  )
  expect(textsOf(reading)).toEqual(texts(['2026-11-20']))
  const withToken = socrata({ domain: 'data.example', dataset: 'abcd-1234', hasToken: true })
  expect(withToken).toMatchObject({ request: { headers: { 'x-app-token': '{key}' } } })
})

test.each(['nextLink', 'skip'] as const)(
  'odata by %s requests the entries of a span with the count of the service',
  async (pages) => {
    const delivery = odata({
      url: 'https://data.example/Notices',
      dateField: 'day',
      idField: 'id',
      pageSize: 50,
      pages,
    })
    const reading = await readSlot(
      fetchOf(delivery),
      (_, url) => {
        expect(url.searchParams.get('$filter')).toBe('day ge 2026-11-20T00:00:00Z and day lt 2026-11-21T00:00:00Z')
        const skip = number(url, '$skip')
        const value = rows.slice(skip, Math.min(skip + 50, 130))
        url.searchParams.set('$skip', String(skip + 50))
        return {
          body: JSON.stringify({
            '@odata.count': 130,
            value,
            ...(pages === 'nextLink' && skip + 50 < 130 && { '@odata.nextLink': url.href }),
          }),
        }
      },
      { slot: daySlot('2026-11-20') },
    )
    expect([reading.end, reading.kept.announced, reading.requests.length]).toEqual([{ kind: 'complete' }, 130, 3])
    expect(textsOf(reading)).toEqual(texts(['2026-11-20']))
  },
)

test('sparql requests the bindings of an ordered query in pages', async () => {
  const query = 'SELECT ?n WHERE { ?n <urn:published> "{from}" } ORDER BY ?n'
  const reading = await readSlot(
    fetchOf(sparql({ endpoint: 'https://data.example/sparql', query, pageSize: 100 })),
    (request) => {
      const [, limit, offset] = /"2026-11-20" \} ORDER BY \?n\nLIMIT (\d+) OFFSET (\d+)$/.exec(
        new URLSearchParams(request.body).get('query')!,
      )!
      const bindings = rows.slice(Number(offset), Number(offset) + Number(limit))
      return { body: JSON.stringify({ head: { vars: ['n'] }, results: { bindings } }) }
    },
    { slot: daySlot('2026-11-20') },
  )
  expect([textsOf(reading).length, reading.requests.length]).toEqual([250, 3])
  expect(() => sparql({ endpoint: 'https://data.example/sparql', query: 'SELECT * WHERE {}' })).toThrow('ORDER BY')
})

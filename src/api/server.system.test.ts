// The HTTP surface over real HTTP; the numbers of docs/specification.md are in the names.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, startApi, startOfTests, waitingTokens } from '../../test/api-world.ts'
import { createMemoryEditions, plainId } from '../../test/memory-editions.ts'
import { DigestSum, recordHash } from '../domain/stock-digest.ts'
import { makeToken } from '../domain/token.ts'
import { DamagedLogError } from '../edition/format/damaged-log-error.ts'
import { systemRandom } from '../platform/random.ts'
import type { UnreadyReason } from './readiness.ts'

type Page = { data: { id: string; lastModified: string }[]; nextCursor: string | null }
type ProblemBody = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  requestId: string
  retryAfter?: number
  reason?: string
  errors?: { parameter: string; code: string; detail: string; value?: string; allowed?: string[] }[]
}

const pageOf = async (response: Response): Promise<Page> => {
  expect(response.status).toBe(200)
  return (await response.json()) as Page
}
async function problemOf(world: ApiWorld, response: Response, slug: string, path: string): Promise<ProblemBody> {
  const body = (await response.json()) as ProblemBody
  expect(body.type).toBe(`${world.docsUrl}/access#error-${slug}`)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({
    status: response.status,
    instance: path,
    title: expect.any(String),
    detail: expect.any(String),
  })
  expect(body.requestId).toBe(response.headers.get('x-request-id'))
  return body
}

describe('lists', () => {
  let world: ApiWorld
  beforeAll(async () => {
    world = await startApi()
    world.editions.publish(
      startOfTests,
      Array.from({ length: 260 }, (_, index) => ({
        id: plainId(index),
        cpvCodes: [index % 2 === 0 ? '45210000' : '71000000'],
        ...(index % 10 === 0 ? { status: 'closed', archiveReason: 'expired' as const } : {}),
      })),
    )
    world.editions.publish(
      startOfTests + 3_600_000,
      Array.from({ length: 150 }, (_, index) => ({ id: plainId(1000 + index) })),
      'same',
    )
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('C37 to C41, D44, D48, D49: without a query the first 50 that are not archived, as JSON, with the rate headers', async () => {
    const response = await world.get('/v1/tenders')
    expect(response.headers.get('content-type')).toBe('application/json')
    for (const name of [
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'x-request-id',
      'etag',
      'x-stock-state',
    ])
      expect(response.headers.get(name)).toBeTruthy()
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
    expect(response.headers.get('vary')).toBe('Authorization, Accept-Encoding')
    expect(response.headers.get('x-stock-state')).toBe(`2; ${new Date(startOfTests + 3_600_000).toISOString()}`)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('server-timing')).toBeNull()
    const page = await pageOf(response)
    expect(Object.keys(page)).toEqual(['data', 'nextCursor'])
    expect(page.data.length).toBe(50)
    expect(page.data[0]!.id).toBe(plainId(1))
  })

  test.each([1, 7, 50, 99, 100])(
    'C42 to C48, C99: pages of %i join to the whole list, each record once, in order',
    async (limit) => {
      const ids: string[] = []
      let path = `/v1/tenders?archived=true&limit=${limit}`
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await pageOf(await world.get(cursor === '' ? path : `${path}&cursor=${cursor}`))
        expect(page.data.length).toBeLessThanOrEqual(limit)
        ids.push(...page.data.map(({ id }) => id))
        cursor = page.nextCursor
        path = `/v1/tenders?archived=true&limit=${limit}`
      }
      expect(ids).toEqual([
        ...Array.from({ length: 260 }, (_, index) => plainId(index)),
        ...Array.from({ length: 150 }, (_, index) => plainId(1000 + index)),
      ])
    },
  )

  test('D32: a last page that is exactly full ends the list', async () => {
    const first = await pageOf(await world.get('/v1/tenders?cpv=45000000&archived=true&limit=65'))
    const last = await pageOf(
      await world.get(`/v1/tenders?cpv=45000000&archived=true&limit=65&cursor=${first.nextCursor}`),
    )
    expect([last.data.length, last.nextCursor]).toEqual([65, null])
  })

  test('C49, C77: an empty result is a page', async () => {
    const page = await pageOf(await world.get('/v1/tenders?updated_since=2100-01-01T00:00:00Z'))
    expect(page).toEqual({ data: [], nextCursor: null })
  })

  test('C50, R2: a run stays in its edition while new ones appear', async () => {
    await using other = await startApi()
    other.editions.publish(
      startOfTests,
      Array.from({ length: 3 }, (_, index) => ({ id: plainId(index) })),
    )
    const first = await pageOf(await other.get('/v1/tenders?limit=1'))
    other.editions.publish(startOfTests + 3_600_000, [{ id: plainId(1), title: 'Changed' }, { id: plainId(9) }])
    const ids = []
    for (let cursor = first.nextCursor; cursor !== null; ) {
      const response = await other.get(`/v1/tenders?limit=1&cursor=${cursor}`)
      expect(response.headers.get('x-stock-state')).toMatch(/^1; /)
      const page = await pageOf(response)
      ids.push(...page.data.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(ids).toEqual([plainId(1), plainId(2)])
    expect((await pageOf(await other.get('/v1/tenders'))).data.map(({ id }) => id)).toEqual([
      plainId(0),
      plainId(2),
      plainId(1),
      plainId(9),
    ])
  })

  test('R5: when the pinned edition is gone, the newest records up to its end are listed', async () => {
    await using other = await startApi()
    other.editions.publish(
      startOfTests,
      Array.from({ length: 3 }, (_, index) => ({ id: plainId(index) })),
    )
    const first = await pageOf(await other.get('/v1/tenders?limit=1'))
    other.editions.publish(startOfTests + 3_600_000, [{ id: plainId(1), title: 'Changed' }])
    other.editions.drop(1)
    const rest = await pageOf(await other.get(`/v1/tenders?cursor=${first.nextCursor}`))
    expect(rest.data.map(({ id }) => id)).toEqual([plainId(2)])
  })

  test('D58: X-Stock-Digest is that of the edition which the page comes from, whatever the filters', async () => {
    await using other = await startApi()
    const crawl = async (path: string) => {
      const sum = new DigestSum()
      const digests = new Set<string | null>()
      for (let cursor: string | null = ''; cursor !== null; ) {
        const response = await other.get(cursor === '' ? path : `${path}&cursor=${cursor}`)
        digests.add(response.headers.get('x-stock-digest'))
        const page = await pageOf(response)
        for (const record of page.data) sum.add(recordHash(record), !('archiveReason' in record))
        cursor = page.nextCursor
      }
      expect(digests.size).toBe(1)
      return { own: sum.digest, claimed: [...digests][0]! }
    }
    const openPart = (digest: string): string => digest.split(',')[0]!
    other.editions.publish(startOfTests, [{ id: plainId(1) }, { id: plainId(2) }, { id: plainId(3) }])
    const first = await other.get('/v1/tenders?limit=1')
    const { nextCursor } = await pageOf(first)
    other.editions.publish(startOfTests + 3_600_000, [
      { id: plainId(2), status: 'closed', archiveReason: 'expired' },
      { id: plainId(3), title: 'Changed' },
    ])
    const all = await crawl('/v1/tenders?archived=true&limit=2')
    expect(all.own).toBe(all.claimed)
    const open = await crawl('/v1/tenders?limit=1')
    expect([openPart(open.own), open.claimed]).toEqual([openPart(all.claimed), all.claimed])
    expect((await crawl('/v1/tenders?cpv=45000000&limit=1')).claimed).toBe(all.claimed)
    expect(all.claimed).not.toBe(first.headers.get('x-stock-digest'))
    const later = await other.get(`/v1/tenders?limit=1&cursor=${nextCursor}`)
    expect(later.headers.get('x-stock-digest')).toBe(first.headers.get('x-stock-digest'))
    const unchanged = await other.get('/v1/tenders?limit=1', {
      'if-none-match': (await other.get('/v1/tenders?limit=1')).headers.get('etag')!,
    })
    expect([unchanged.status, unchanged.headers.get('x-stock-digest')]).toEqual([304, all.claimed])
    expect((await other.get(`/v1/tenders/${plainId(1)}`)).headers.get('x-stock-digest')).toBeNull()
    other.editions.drop(1)
    const standIn = await other.get(`/v1/tenders?limit=1&cursor=${nextCursor}`)
    expect([standIn.status, standIn.headers.get('x-stock-digest')]).toEqual([200, null])
  })

  test('R3: a cursor of an edition that is missing here waits, then asks the client to retry', async () => {
    await using ahead = await startApi()
    await using behind = await startApi({ editionWaitMs: 0 })
    behind.keys.splice(0, 1, ...ahead.keys)
    for (const node of [ahead, behind]) node.editions.publish(startOfTests, [{ id: plainId(1) }, { id: plainId(2) }])
    ahead.editions.publish(startOfTests + 3_600_000, [{ id: plainId(3) }])
    const { nextCursor } = await pageOf(await ahead.get('/v1/tenders?limit=1'))
    const path = `/v1/tenders?limit=1&cursor=${nextCursor}`
    const refused = await behind.get(path)
    await problemOf(behind, refused, 'unavailable', '/v1/tenders')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(5)
    behind.editions.publish(startOfTests + 3_600_000, [{ id: plainId(3) }])
    expect((await pageOf(await behind.get(path))).data.map(({ id }) => id)).toEqual([plainId(2)])
  })

  test('R3: an edition that arrives within the wait is served', async () => {
    await using ahead = await startApi()
    const editions = createMemoryEditions()
    let reads = 0
    const reader = {
      ...editions,
      get newest() {
        if (++reads === 2) editions.publish(startOfTests + 3_600_000, [{ id: plainId(3) }])
        return editions.newest
      },
    }
    await using behind = await startApi({ reader })
    behind.keys.splice(0, 1, ...ahead.keys)
    for (const node of [ahead.editions, editions]) node.publish(startOfTests, [{ id: plainId(1) }, { id: plainId(2) }])
    ahead.editions.publish(startOfTests + 3_600_000, [{ id: plainId(3) }])
    const { nextCursor } = await pageOf(await ahead.get('/v1/tenders?limit=1'))
    const page = await pageOf(await behind.get(`/v1/tenders?limit=5&cursor=${nextCursor}`))
    expect(page.data.map(({ id }) => id)).toEqual([plainId(2), plainId(3)])
  })

  test('D8: Accept without JSON is answered with JSON nevertheless', async () => {
    expect((await world.get('/v1/tenders?limit=1', { accept: 'text/html' })).status).toBe(200)
  })

  test('D45: gzip for clients that accept it, the same bytes after decoding', async () => {
    const plain = await world.get('/v1/tenders', { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    const packed = await world.get('/v1/tenders', { 'accept-encoding': 'gzip;q=0.3' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    const [a, b] = [await pageOf(plain), await pageOf(packed)]
    expect(b.data).toEqual(a.data)
  })
})

describe('conditional requests (D43)', () => {
  test('the same query of the same edition is 304, counts, and carries no body', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }, { id: plainId(2) }])
    for (const path of ['/v1/tenders?limit=1', `/v1/tenders/${plainId(1)}`]) {
      const first = await world.get(path)
      await first.arrayBuffer()
      const etag = first.headers.get('etag')!
      const second = await world.get(path, { 'if-none-match': `"other", ${etag}` })
      expect([second.status, await second.text()]).toEqual([304, ''])
      expect(second.headers.get('etag')).toBe(etag)
      expect(Number(second.headers.get('x-ratelimit-remaining'))).toBe(
        Number(first.headers.get('x-ratelimit-remaining')) - 1,
      )
    }
  })

  test('a list changes its tag with every edition and twelve hours, a record only with its content', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    const tags = async () => {
      const answers = [await world.get('/v1/tenders'), await world.get(`/v1/tenders/${plainId(1)}`)]
      return answers.map((answer) => answer.headers.get('etag'))
    }
    const [list, record] = await tags()
    world.editions.publish(startOfTests + 3_600_000, [])
    const [listAfter, recordAfter] = await tags()
    expect(listAfter).not.toBe(list)
    expect(recordAfter).toBe(record)
    world.now += 12 * 3_600_000
    expect((await tags())[0]).not.toBe(listAfter)
  })
})

describe('one record', () => {
  test('D35, C31, C107, C110: a record is bare, equal to its list entry, and counted', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1), cpvCodes: ['45000000'] }])
    const [entry] = (await pageOf(await world.get('/v1/tenders'))).data
    const response = await world.get(`/v1/tenders/${plainId(1)}`)
    expect(response.headers.get('x-ratelimit-remaining')).toBe('99998')
    expect(await response.json()).toEqual(entry)
  })

  test('C108, C109, D36: archived records exist; a merged one names the survivor', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [
      { id: plainId(1) },
      { id: plainId(2), status: 'merged', archiveReason: 'merged', mergedInto: plainId(1) },
    ])
    const response = await world.get(`/v1/tenders/${plainId(2)}`)
    expect(response.headers.get('link')).toBe(`</v1/tenders/${plainId(1)}>; rel="canonical"`)
    expect(await response.json()).toMatchObject({ id: plainId(2), mergedInto: plainId(1) })
  })

  test('D3: upper case is the same id; unknown and malformed ids are 404 with a reason', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: 'abcdefab-0000-8000-8000-000000000001' }])
    expect((await world.get('/v1/tenders/ABCDEFAB-0000-8000-8000-000000000001')).status).toBe(200)
    const unknown = `/v1/tenders/${plainId(77)}`
    expect((await problemOf(world, await world.get(unknown), 'not-found', unknown)).detail).toMatch(
      /no tender with this id/,
    )
    for (const id of ['abc', '1', 'x'.repeat(300), `${plainId(1)}x`, '%20', 'a%2Fb', '..%2f..%2fetc']) {
      const problem = await problemOf(world, await world.get(`/v1/tenders/${id}`), 'not-found', `/v1/tenders/${id}`)
      expect(problem.detail).toMatch(/not a tender id/)
    }
  })

  test('D15: parameters by id are refused before the ID is looked up', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [])
    const path = `/v1/tenders/${plainId(77)}`
    const problem = await problemOf(world, await world.get(`${path}?fields=title`), 'invalid-parameter', path)
    expect(problem.errors).toMatchObject([{ parameter: 'fields', code: 'unknown-parameter' }])
  })
})

describe('tokens', () => {
  let world: ApiWorld
  beforeAll(async () => {
    world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each([
    ['C111: no header', undefined, false],
    ['C113: another scheme', 'Basic dXNlcjpwYXNz', false],
    ['an empty token', 'Bearer ', false],
    ['two words', 'Bearer a b', false],
    ['C112: garbage', 'Bearer abc', true],
    ['C112: an unknown token of the right form', `Bearer ${makeToken(systemRandom.bytes)}`, true],
  ])('D11: %s is 401 with the scheme to use, and no rate headers (D13)', async (_name, authorization, wasSent) => {
    const response = await fetch(`${world.origin}/v1/tenders`, { headers: authorization ? { authorization } : {} })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="tender-api"${wasSent ? ', error="invalid_token"' : ''}`,
    )
    expect(response.headers.get('x-ratelimit-limit')).toBeNull()
    await problemOf(world, response, 'unauthorized', '/v1/tenders')
  })

  test.each([
    ['', 'with a token is missing'],
    ['TOKEN', 'lacks the word Bearer before the token'],
    ['Token TOKEN', 'has another scheme than Bearer'],
    ['Bearer', 'has the word Bearer, but no token after it'],
    ['bearer TOKEN TOKEN', 'something other than a space and one token after'],
    ['Bearer\tTOKEN', 'something other than a space and one token after'],
    ['BearerTOKEN', 'lacks the word Bearer before the token'],
  ])('D11: "%s" gets a sentence that says what is wrong, and never the token', async (form, sentence) => {
    const authorization = form.replaceAll('TOKEN', world.token)
    const response = await world.get('/v1/tenders', { authorization })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="tender-api"'])
    const text = await response.text()
    expect((JSON.parse(text) as { detail: string }).detail).toContain(sentence)
    expect(text).not.toContain(world.token.slice(5))
  })

  test('D11: the scheme is case-insensitive, the token in the query is never read nor echoed (C120)', async () => {
    expect((await world.get('/v1/tenders', { authorization: `bEaReR ${world.token}` })).status).toBe(200)
    const inQuery = await fetch(`${world.origin}/v1/tenders?access_token=${world.token}`)
    expect(inQuery.status).toBe(401)
    const echoed = await world.get(`/v1/tenders?access_token=${world.token}&${world.token}=1`)
    expect(echoed.status).toBe(400)
    expect(await echoed.text()).not.toContain(world.token.slice(10))
    expect(await (await world.get(`/v1/tenders/${world.token}`)).text()).not.toContain(world.token.slice(10))
  })

  test('C114: without API access 403, no rate headers, no quota', async () => {
    const token = world.tokens.add('none', { hasApiAccess: false })
    const response = await world.get('/v1/tenders', { authorization: `Bearer ${token}` })
    expect(response.headers.get('x-ratelimit-limit')).toBeNull()
    expect(response.headers.get('www-authenticate')).toBeNull()
    await problemOf(world, response, 'no-api-access', '/v1/tenders')
  })

  test('C54: a cursor works with the other token of the organization, not with one of another', async () => {
    world.editions.publish(startOfTests + 3_600_000, [{ id: plainId(2) }, { id: plainId(3) }])
    const { nextCursor } = await pageOf(await world.get('/v1/tenders?limit=1'))
    const path = `/v1/tenders?limit=1&cursor=${nextCursor}`
    expect((await world.get(path, { authorization: `Bearer ${world.tokens.add('one')}` })).status).toBe(200)
    const foreign = await world.get(path, { authorization: `Bearer ${world.tokens.add('two')}` })
    await problemOf(world, foreign, 'cursor-invalid', '/v1/tenders')
  })

  test('a token that cannot be checked is 503 with Retry-After, never 401', async () => {
    await using other = await startApi()
    other.editions.publish(startOfTests, [])
    other.tokens.isDown = true
    expect((await other.get('/v1/tenders')).status).toBe(200)
    const response = await other.get('/v1/tenders', { authorization: `Bearer ${makeToken(systemRandom.bytes)}` })
    const problem = await problemOf(other, response, 'unavailable', '/v1/tenders')
    expect(problem.retryAfter).toBe(Number(response.headers.get('retry-after')))
    expect(problem.detail).not.toContain('10.0.0.7')
  })

  test('D12: an address that floods with wrong tokens is held back; a valid token from there is not', async () => {
    await using other = await startApi({ refusedPerMinute: 3 })
    other.editions.publish(startOfTests, [])
    const statuses = []
    for (let index = 0; index < 5; index++)
      statuses.push((await other.get('/v1/tenders', { authorization: 'Bearer x' })).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    const held = await other.get('/v1/tenders', { authorization: 'Bearer x' })
    expect(held.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(held.headers.get('x-ratelimit-limit')).toBeNull()
    expect((await other.get('/v1/tenders')).status).toBe(200)
  })
})

describe('limits', () => {
  test('C121 to C128: 60 a minute over both tokens, then 429 until Retry-After is over', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    const tokens = [world.tokens.add('shared'), world.tokens.add('shared')]
    const get = (index: number, path = '/v1/tenders') =>
      world.get(path, { authorization: `Bearer ${tokens[index % 2]}` })
    for (let index = 0; index < 60; index++) {
      const response = await get(index)
      await response.arrayBuffer()
      expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, String(59 - index)])
      world.now += 100
    }
    const denied = await get(0)
    expect(denied.headers.get('x-ratelimit-limit')).toBe('60')
    expect(denied.headers.get('x-ratelimit-remaining')).toBe('0')
    const problem = await problemOf(world, denied, 'rate-limited', '/v1/tenders')
    expect([denied.headers.get('retry-after'), denied.headers.get('x-ratelimit-reset'), problem.retryAfter]).toEqual([
      '54',
      '54',
      54,
    ])
    expect((await world.get('/v1/tenders')).status).toBe(200)
    world.now += 54_000
    expect((await get(1)).status).toBe(200)
  })

  test('C129, D55: the limit of the contract is enforced and shown', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [])
    const token = world.tokens.add('large', { requestsPerMinute: 3 })
    const answers = []
    for (let index = 0; index < 4; index++)
      answers.push(await world.get('/v1/tenders', { authorization: `Bearer ${token}` }))
    expect(answers.map(({ status, headers }) => [status, headers.get('x-ratelimit-limit')])).toEqual([
      [200, '3'],
      [200, '3'],
      [200, '3'],
      [429, '3'],
    ])
  })

  test('D10: the length of the address, path, method, token, access, quota and parameters are checked in this order', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [])
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const closed = bearer(world.tokens.add('closed', { hasApiAccess: false, requestsPerMinute: 1 }))
    const used = bearer(world.tokens.add('used', { requestsPerMinute: 1 }))
    await (await world.get('/v1/tenders', used)).arrayBuffer()
    const status = async (path: string, headers: Record<string, string>, method?: string) => {
      const response = await world.get(path, headers, method)
      await response.arrayBuffer()
      return response.status
    }
    const unknown = bearer('unknown')
    expect(await status(`/v1/unknown?limit=0&x=${'x'.repeat(9000)}`, unknown, 'POST')).toBe(414)
    expect(await status('/v1/unknown?limit=0', unknown, 'POST')).toBe(404)
    expect(await status('/v1/tenders?limit=0', unknown, 'POST')).toBe(405)
    expect(await status('/v1/tenders?limit=0', unknown)).toBe(401)
    for (let request = 0; request < 3; request++) expect(await status('/v1/tenders?limit=0', closed)).toBe(403)
    expect(await status(`/v1/tenders/${plainId(9)}?limit=0`, used)).toBe(429)
    expect(await status(`/v1/tenders/${plainId(9)}?limit=0`, bearer(world.token))).toBe(400)
    expect(await status(`/v1/tenders/${plainId(9)}`, bearer(world.token))).toBe(404)
  })

  test('D12, D13: some requests count and others do not', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    const token = world.tokens.add('counted')
    const remaining = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
      const response = await world.get(path, { authorization: `Bearer ${token}`, ...headers }, method)
      await response.arrayBuffer()
      return [response.status, response.headers.get('x-ratelimit-remaining')]
    }
    expect(await remaining('/v1/tenders')).toEqual([200, '59'])
    expect(await remaining('/v1/tenders?limit=0')).toEqual([400, '58'])
    expect(await remaining(`/v1/tenders/${plainId(9)}`)).toEqual([404, '57'])
    expect(await remaining('/v1/tenders', 'HEAD')).toEqual([200, '56'])
    expect(await remaining('/v1/unknown')).toEqual([404, null])
    expect(await remaining('/v1/tenders', 'POST')).toEqual([405, null])
    expect(await remaining('/v1/tenders', 'OPTIONS')).toEqual([204, null])
    expect(await remaining('/v1/tenders')).toEqual([200, '55'])
  })

  test('D34: the draft headers are sent only when they are switched on', async () => {
    await using world = await startApi({ hasDraftRateLimitHeaders: true })
    world.editions.publish(startOfTests, [])
    const response = await world.get('/v1/tenders', { authorization: `Bearer ${world.tokens.add('two')}` })
    expect(response.headers.get('ratelimit-policy')).toBe('"default";q=60;w=60')
    expect(response.headers.get('ratelimit')).toBe('"default";r=59;t=60')
  })
})

describe('cursors', () => {
  test('C51, C52: a cursor works for exactly 24 hours, and is cursor-expired one millisecond later', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }, { id: plainId(2) }])
    const { nextCursor } = await pageOf(await world.get('/v1/tenders?limit=1'))
    const path = `/v1/tenders?limit=1&cursor=${nextCursor}`
    world.now += 86_400_000
    expect((await world.get(path)).status).toBe(200)
    world.now += 1
    const problem = await problemOf(world, await world.get(path), 'cursor-expired', '/v1/tenders')
    expect(problem.detail).toMatch(/older than 24 hours/)
    expect(
      (await problemOf(world, await world.get(`${path}&cpv=45000000`), 'cursor-expired', '/v1/tenders')).status,
    ).toBe(400)
  })

  test('D29: other filters name the difference; a cursor without its filters is a mismatch too', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [
      { id: plainId(1), cpvCodes: ['45000000'], nutsCodes: ['DE2'] },
      { id: plainId(2), cpvCodes: ['45000000'], nutsCodes: ['DE2'] },
    ])
    const { nextCursor } = await pageOf(await world.get('/v1/tenders?limit=1&cpv=45000000&nuts=DE'))
    const without = await problemOf(
      world,
      await world.get(`/v1/tenders?cursor=${nextCursor}`),
      'cursor-filter-mismatch',
      '/v1/tenders',
    )
    expect(without.errors?.map(({ parameter }) => parameter)).toEqual(['cpv', 'nuts'])
    expect(without.detail).toContain('cpv, nuts')
    expect(
      (await pageOf(await world.get(`/v1/tenders?limit=9&nuts=de&cpv=45000000-7&cursor=${nextCursor}`))).data.length,
    ).toBe(1)
  })

  test('faults of parameters come before those of the cursor', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [])
    await problemOf(world, await world.get('/v1/tenders?cursor=abc&limit=0'), 'invalid-parameter', '/v1/tenders')
    await problemOf(world, await world.get('/v1/tenders?cursor=abc'), 'cursor-invalid', '/v1/tenders')
    await problemOf(world, await world.get('/v1/tenders?cursor='), 'invalid-parameter', '/v1/tenders')
  })
})

describe('methods and paths', () => {
  let world: ApiWorld
  beforeAll(async () => {
    world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY', 'MKCOL'])(
    'C1, D5: %s is 405 with Allow, before authentication',
    async (method) => {
      for (const path of ['/v1/tenders', `/v1/tenders/${plainId(1)}`, '/access']) {
        const response = await fetch(world.origin + path, { method })
        expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
        await problemOf(world, response, 'method-not-allowed', path)
      }
    },
  )

  test('D5: a body with a wrong method is not read', async () => {
    const response = await fetch(`${world.origin}/v1/tenders`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    })
    await problemOf(world, response, 'method-not-allowed', '/v1/tenders')
  })

  test('D6: HEAD answers as GET does, with the length of the body and without it', async () => {
    for (const path of ['/v1/tenders', `/v1/tenders/${plainId(1)}`, '/v1/tenders?limit=0']) {
      const headers = { 'accept-encoding': 'identity' }
      const [get, head] = [await world.get(path, headers), await world.get(path, headers, 'HEAD')]
      const body = await get.arrayBuffer()
      expect(head.status).toBe(get.status)
      expect(head.headers.get('content-length')).toBe(String(body.byteLength))
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
      expect(await head.text()).toBe('')
    }
  })

  test('D6, D46: OPTIONS is 204 with Allow, without authentication and without CORS', async () => {
    const response = await fetch(`${world.origin}/v1/tenders`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    })
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    for (const name of response.headers.keys()) expect(name).not.toMatch(/^access-control/)
    expect((await fetch(`${world.origin}/v1/nothing`, { method: 'OPTIONS' })).status).toBe(404)
  })

  test.each([
    ['/v1/tenders/', '/v1/tenders'],
    ['/v1//tenders', '/v1/tenders'],
    ['/V1/tenders', '/v1/tenders'],
    ['/v1/Tenders', '/v1/tenders'],
    ['/tenders', '/v1/tenders'],
    [`/v1/tenders/${plainId(1)}/`, `/v1/tenders/${plainId(1)}`],
  ])('C1, D4, D7: %s is 404 before authentication, with a hint and without a redirect', async (path, meant) => {
    const response = await fetch(world.origin + path, { redirect: 'manual' })
    expect((await problemOf(world, response, 'not-found', path)).detail).toContain(meant)
  })

  test.each([
    '/',
    '/v1',
    '/v2/tenders',
    '/v1/tenders/a/b',
    '/v1/notices',
    '/v1/tenders;a=b',
    '/v1/tenders%2F',
    '/favicon.ico',
  ])('D4: %s is 404', async (path) => {
    await problemOf(world, await fetch(world.origin + path), 'not-found', path)
  })

  test('D47: every answer has our own request ID, whatever the client sends', async () => {
    const sent = { 'x-request-id': 'mine', traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
    const paths = ['/v1/tenders', '/v1/nothing', '/healthz', '/readyz', '/access', '/openapi.json']
    const ids = await Promise.all(paths.map(async (path) => (await world.get(path, sent)).headers.get('x-request-id')))
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(new Set(ids).size).toBe(paths.length)
  })
})

describe('the state of the service', () => {
  test('before the first edition: checks come first, then 503; not ready, but alive', async () => {
    await using world = await startApi()
    const response = await world.get('/v1/tenders')
    await problemOf(world, response, 'unavailable', '/v1/tenders')
    expect(response.headers.get('x-ratelimit-limit')).toBeTruthy()
    expect(response.headers.get('retry-after')).toMatch(/^([5-9]|\d{2}|1[01]\d|120)$/)
    expect((await world.get('/v1/tenders?limit=0')).status).toBe(400)
    expect((await world.get(`/v1/tenders/${plainId(1)}`)).status).toBe(503)
    expect((await world.get('/readyz')).status).toBe(503)
    expect((await world.get('/healthz')).status).toBe(200)
    world.editions.publish(startOfTests, [])
    expect((await world.get('/readyz')).status).toBe(200)
  })

  test('C137, C139: a damaged edition log is a 503 until it has been rebuilt, and never a record', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    world.editions.pageBody = () => {
      throw new DamagedLogError('body 7 of /var/lib/stock')
    }
    const response = await world.get('/v1/tenders')
    const problem = await problemOf(world, response, 'unavailable', '/v1/tenders')
    expect(JSON.stringify(problem)).not.toContain('/var/lib')
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(response.headers.get('etag')).toBeNull()
  })

  test('C137, D12, D14: an overloaded node sheds before authentication, costs no quota, and still answers its probes', async () => {
    let isOverloaded = true
    await using world = await startApi({ isOverloaded: () => isOverloaded })
    world.editions.publish(startOfTests, [])
    const response = await world.get('/v1/tenders', { authorization: 'Bearer x' })
    await problemOf(world, response, 'unavailable', '/v1/tenders')
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await world.get('/healthz')).status).toBe(200)
    isOverloaded = false
    expect((await world.get('/v1/tenders')).headers.get('x-ratelimit-remaining')).toBe('99999')
  })

  test('a node that is not ready says why, and still answers', async () => {
    let reason: UnreadyReason | undefined
    await using world = await startApi({ unready: () => reason })
    world.editions.publish(startOfTests, [])
    expect((await world.get('/readyz')).status).toBe(200)
    reason = 'behind'
    const response = await world.get('/readyz')
    expect((await problemOf(world, response, 'unavailable', '/readyz')).reason).toBe('behind')
    expect((await world.get('/v1/tenders')).status).toBe(200)
    // it cannot know which tokens were revoked
    reason = 'access'
    for (const path of ['/readyz', '/v1/tenders', `/v1/tenders/${plainId(1)}`])
      await problemOf(world, await world.get(path), 'unavailable', path)
    expect((await world.get('/healthz')).status).toBe(200)
  })

  test('C138, C139: a fault of ours is a problem without a stack, a query or a host name', async () => {
    const lines: unknown[] = []
    const log = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      silent: () => {},
      error: (line: unknown) => lines.push(line),
    }
    await using world = await startApi({ log: log as never })
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    world.editions.list = () => {
      throw new Error('select * from tender at db.internal:5432')
    }
    const response = await world.get('/v1/tenders')
    expect(response.headers.get('x-ratelimit-limit')).toBeTruthy()
    const problem = await problemOf(world, response, 'internal-error', '/v1/tenders')
    expect(JSON.stringify(problem)).not.toMatch(/select|internal:|\.ts|at /)
    expect(lines).toMatchObject([{ requestId: problem.requestId, error: expect.stringContaining('db.internal') }])
    expect((await world.get(`/v1/tenders/${plainId(1)}`)).status).toBe(200)
  })

  test('C120: the access line names the path without its query, and never a token', async () => {
    const lines: object[] = []
    const log = {
      debug: () => {},
      info: (line: object) => lines.push(line),
      warn: () => {},
      silent: () => {},
      error: () => {},
    }
    await using world = await startApi({ log: log as never })
    world.editions.publish(startOfTests, [])
    await (await world.get('/v1/tenders?cpv=45000000')).arrayBuffer()
    await (await world.get(`/v1/tenders/${world.token}`)).arrayBuffer()
    await (await world.get('/nothing')).arrayBuffer()
    expect(lines).toMatchObject([
      { method: 'GET', path: '/v1/tenders', status: 200, tokenId: 'token-1', organizationId: 'one' },
      { path: '/v1/tenders/tdr_live_[hidden]', status: 404 },
      { path: '/nothing', status: 404 },
    ])
    expect(JSON.stringify(lines)).not.toContain(world.token.slice(9))
  })

  test('closing lets a running request finish', async () => {
    const { tokens, asked, gate } = waitingTokens()
    const world = await startApi({ tokens })
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    const running = world.get('/v1/tenders')
    await asked.promise
    const closing = world[Symbol.asyncDispose]()
    gate.resolve()
    expect((await running).status).toBe(200)
    await closing
  })
})

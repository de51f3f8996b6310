// The small parts of an answer: encoding, entity tags, request ids, waits, paths, problems.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { chooseEncoding } from './content-coding.ts'
import { isNoneMatchHit, listEntityTag } from './etag.ts'
import { createFloodGuard } from './limits/flood-guard.ts'
import { createLoadGauge, spreadRetryAfter, watchLoad } from './limits/overload.ts'
import { isKnownPath, suggestPath } from './paths.ts'
import { pathOf } from './problems/answers.ts'
import { problemBody, problemKinds, problemSlugs, toInstance, withoutTokens } from './problems/problems.ts'
import { createRequestIds } from './request-ids.ts'

describe('the encoding (D45)', () => {
  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['GZIP;Q=0.5', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'gzip'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'gzip'],
    ['identity;q=0', 'gzip'],
    ['*;q=0, gzip;q=0.1', 'gzip'],
    ['gzip;q=1.000', 'gzip'],
    ['', 'identity'],
    ['br', 'identity'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=0, *', 'identity'],
    ['gzip;q=0.2, identity;q=0.5', 'identity'],
    ['identity', 'identity'],
    ['*;q=0', 'identity'],
    ['gzip;q=nonsense', 'identity'],
    ['gzip;q=2', 'identity'],
    [', ,', 'identity'],
  ])('%s → %s', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding)
  })
})

describe('entity tags (D43)', () => {
  const page = {
    edition: 3,
    publishedAt: 1000,
    pinnedEdition: 3,
    filter: { archived: false },
    limit: 50,
    after: undefined,
    organizationId: 'one',
    now: 0,
  }
  test('are weak, and differ by edition and its time of publication, filter, size, position, organization and half day', () => {
    const key = { lastModified: 1, id: 'a' }
    const others = [
      { ...page, edition: 4 },
      { ...page, publishedAt: 1001 },
      { ...page, pinnedEdition: 2 },
      { ...page, filter: { archived: true } },
      { ...page, limit: 51 },
      { ...page, after: key },
      { ...page, organizationId: 'two' },
      { ...page, now: 43_200_000 },
    ].map(listEntityTag)
    expect(listEntityTag(page)).toMatch(/^W\/"[\w-]+"$/)
    expect(listEntityTag({ ...page, now: 43_199_999 })).toBe(listEntityTag(page))
    expect(new Set([...others, listEntityTag(page)]).size).toBe(others.length + 1)
  })
  test('are compared weakly, in lists, and with *', () => {
    const tag = listEntityTag(page)
    for (const header of [tag, tag.slice(2), `"x", ${tag}`, '*', ` ${tag} `])
      expect(isNoneMatchHit(header, tag)).toBe(true)
    for (const header of ['', '"x"', 'W/"x"', tag.slice(0, -1), undefined])
      expect(isNoneMatchHit(header, tag)).toBe(false)
  })
})

test('D47: request ids are UUIDs of version 7 that sort by time', () => {
  let now = Date.UTC(2026, 10, 2)
  const next = createRequestIds(
    () => now,
    (count) => Buffer.from(Array.from({ length: count }, (_, index) => (index * 37) % 256)),
  )
  let last = ''
  for (let index = 0; index < 1000; index++) {
    const id = next()
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(id.slice(0, 13) >= last).toBe(true)
    last = id.slice(0, 13)
    now += 7
  }
})

test('D14: waits after 503 are whole seconds from 5 to 120, spread by 20 %', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 0, max: 255 }), (base, byte) => {
      const wait = spreadRetryAfter(base, byte)
      expect(Number.isInteger(wait) && wait >= 5 && wait <= 120).toBe(true)
    }),
  )
  expect([spreadRetryAfter(10, 0), spreadRetryAfter(10, 255)]).toEqual([8, 12])
})

test('one long task is no overload; a loop that stays behind is, until it has caught up', () => {
  const gauge = createLoadGauge(1000)
  gauge.sample(1900)
  expect(gauge.isOverloaded()).toBe(false)
  gauge.sample(Number.NaN)
  for (let index = 0; index < 3; index++) gauge.sample(1500)
  expect(gauge.isOverloaded()).toBe(true)
  gauge.sample(0)
  expect(gauge.isOverloaded()).toBe(false)
})

test('a process that was frozen for hours is not overloaded when it continues', () => {
  const gauge = createLoadGauge(1000)
  // a busy machine
  gauge.sample(400)
  gauge.sample(2 * 3_600_000)
  expect(gauge.isOverloaded()).toBe(false)
  // this one stays behind, and recovers as soon as it has caught up
  for (let index = 0; index < 20; index++) gauge.sample(3_600_000)
  expect(gauge.isOverloaded()).toBe(true)
  gauge.sample(0)
  expect(gauge.isOverloaded()).toBe(false)
})

test('D12: an address is held back after its share of refused requests, until the minute ends', () => {
  let now = 60_000
  const guard = createFloodGuard(() => now, 2)
  expect([guard.count('a'), guard.count('a'), guard.count('a'), guard.count('b')]).toEqual([
    undefined,
    undefined,
    60,
    undefined,
  ])
  now = 119_999
  expect(guard.count('a')).toBe(1)
  now = 120_000
  expect(guard.count('a')).toBeUndefined()
})

describe('paths (D7)', () => {
  test.each([
    ['/v1/tenders/', '/v1/tenders'],
    ['//v1//tenders', '/v1/tenders'],
    ['/V1/Tenders', '/v1/tenders'],
    ['/tenders', '/v1/tenders'],
    ['/v1/tender', '/v1/tenders'],
    ['/v1/tenders/abc/', '/v1/tenders/abc'],
    ['/Access', '/access'],
  ])('%s hints at %s', (path, suggestion) => {
    expect(suggestPath(path)).toBe(suggestion)
  })
  test.each(['/', '/v2/tenders', '/v1', '/v1/notices', '/v1/tenders/a/b', '/favicon.ico'])('%s has no hint', (path) => {
    expect(suggestPath(path)).toBeUndefined()
    expect(isKnownPath(path)).toBe(false)
  })
  test('a target of any form has a path', () => {
    expect(['/a?b', 'http://h/a?b', 'http://h', '*', '/a#b?c', ''].map(pathOf)).toEqual([
      '/a',
      '/a',
      '/',
      '/',
      '/a',
      '/',
    ])
  })
})

describe('problems', () => {
  test('D1: all slugs of the decision exist', () => {
    expect(problemSlugs).toEqual(
      expect.arrayContaining(
        (
          'cursor-expired cursor-invalid cursor-filter-mismatch invalid-parameter unauthorized no-api-access ' +
          'not-found method-not-allowed rate-limited uri-too-long headers-too-large internal-error unavailable ' +
          'bad-gateway gateway-timeout'
        ).split(' '),
      ),
    )
  })
  test('C133 to C136: the members, with the right types', () => {
    const context = { docsUrl: 'https://docs', path: '/v1/tenders', requestId: 'r' }
    for (const slug of problemSlugs) {
      expect(JSON.parse(problemBody({ slug, detail: 'd', retryAfter: 5 }, context))).toEqual({
        type: `https://docs/access#error-${slug}`,
        title: problemKinds[slug].title,
        status: problemKinds[slug].status,
        detail: 'd',
        instance: '/v1/tenders',
        requestId: 'r',
        retryAfter: 5,
      })
    }
  })
  test('C120: nothing that looks like a token is echoed', () => {
    const token = `tdr_live_${'a'.repeat(36)}`
    const body = problemBody(
      {
        slug: 'invalid-parameter',
        detail: `x ${token}`,
        errors: [{ parameter: token, code: 'c', detail: token, value: token }],
      },
      { docsUrl: 'https://docs', path: `/v1/tenders/${token}`, requestId: 'r' },
    )
    expect(body).not.toContain('aaaa')
    expect(withoutTokens(`${token} and tdr_test_b`)).toBe('tdr_live_[hidden] and tdr_test_[hidden]')
  })
  test('C120: a token that is percent-encoded, wholly or in part, is not echoed either', () => {
    const token = `tdr_live_${'Az09'.repeat(9)}`
    const encoded = (text: string) => text.replace(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`)
    for (const written of [
      encoded(token),
      encoded(token).toUpperCase(),
      `%74${token.slice(1)}`,
      token.replace('_', '%5F'),
    ])
      expect(toInstance(`/v1/tenders/${written}/%41%2f`)).toBe('/v1/tenders/tdr_live_%5Bhidden%5D/A%2f')
    expect(withoutTokens('/%41%5b%7A%2F')).toBe('/%41%5b%7A%2F')
  })
  test('an instance is a URI reference for any path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (path) => {
        expect(toInstance(`/${path}`)).toMatch(/^(?:[\w\-.~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/)
      }),
    )
    expect(toInstance('/a"<é\u0000')).toBe('/a%22%3C%C3%A9%00')
    expect(toInstance('/50%/%zz/%41')).toBe('/50%25/%25zz/%41')
  })
})

test('the load is sampled while requests come, and for a minute after the last one', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    let samples = 0
    const load = watchLoad(100, () => samples++)
    expect(vi.getTimerCount()).toBe(0)
    expect(load.isOverloaded()).toBe(false)
    vi.advanceTimersByTime(40_000)
    load.isOverloaded()
    vi.advanceTimersByTime(50_000)
    expect(samples).toBe(180)
    vi.advanceTimersByTime(50_000)
    expect([samples, vi.getTimerCount()]).toEqual([200, 0])
    load.isOverloaded()
    expect(vi.getTimerCount()).toBe(1)
    load.stop()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

// Politeness with a virtual clock: no test waits for real time. Some tests use real connections on loopback.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { type HttpAnswer, type HttpRequest, openHttp, Refused, Retryable, TooLarge } from '../platform/http.ts'
import type { SourceRequest } from '../sources/fetch.ts'
import type { Politeness } from '../sources/source.ts'
import { createPoliteHosts, type PoliteOptions } from './polite.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const start = Date.UTC(2026, 10, 21, 8)
const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Time that passes only while something waits for it, in the order of the waits. */
function virtualTime() {
  let now = start
  const sleepers: { readonly at: number; readonly wake: () => void }[] = []
  const slept: number[] = []
  let isPumping = false
  const pump = () => {
    sleepers.sort((a, b) => a.at - b.at)
    const next = sleepers.shift()
    if (!next) {
      isPumping = false
      return
    }
    now = Math.max(now, next.at)
    next.wake()
    setImmediate(pump)
  }
  return {
    clock: () => now,
    slept,
    pass: (ms: number) => {
      now += ms
    },
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal.throwIfAborted()
        slept.push(ms)
        sleepers.push({ at: now + ms, wake: resolve })
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        if (!isPumping) setImmediate(pump)
        isPumping = true
      }),
  }
}

type Said = {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** The body ends early, after `body`. */
  readonly isCut?: boolean
  readonly redirect?: string
}

function answerOf(request: HttpRequest, { status = 200, headers = {}, body = '', isCut }: Said): HttpAnswer {
  let close = () => {}
  const ended = new Promise<void>((resolve) => {
    close = resolve
  })
  const bytes = async () => {
    close()
    if (isCut) throw new Retryable(`${request.url} broke off`)
    return Buffer.from(body)
  }
  return {
    status,
    url: request.url,
    headers,
    ended,
    peek: async (count) => Buffer.from(body).subarray(0, count),
    bytes,
    chunks: async function* () {
      yield await bytes()
    },
    discard: async () => close(),
  }
}

type Reply = (request: HttpRequest, url: URL) => Said | Promise<Said>

/** Hosts on an imagined network. robots.txt is missing unless `reply` returns one. */
function imagined(reply: Reply, options: Partial<PoliteOptions> = {}) {
  const time = virtualTime()
  const asked: HttpRequest[] = []
  const starts: { readonly at: number; readonly url: URL }[] = []
  const connections = { open: 0, most: 0 }
  const hosts = createPoliteHosts({
    http: {
      send: async (request) => {
        const url = new URL(request.url)
        connections.open += 1
        connections.most = Math.max(connections.most, connections.open)
        starts.push({ at: time.clock(), url })
        asked.push(request)
        try {
          let said = await reply(request, url)
          if (said.redirect !== undefined) {
            const target = new URL(said.redirect, url)
            await request.beforeRedirect?.(target)
            starts.push({ at: time.clock(), url: target })
            said = await reply({ ...request, url: target.href }, target)
          }
          const answer = answerOf(request, said)
          void answer.ended.then(() => {
            connections.open -= 1
          })
          return answer
        } catch (error) {
          connections.open -= 1
          throw error
        }
      },
    },
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0.5,
    contact: 'https://operator.example/crawler',
    version: '1.2.3',
    ...options,
  })
  const connection = (
    politeness: Politeness = exempt,
    key?: string,
    signal = new AbortController().signal,
    onRedirect: (target: URL) => void = () => {},
  ) => hosts.openConnection({ source: { id: 'x', politeness }, key, signal, onRedirect })
  return { connection, time, asked, starts, connections }
}

const exempt = { robots: { exempt: 'a test' } } as const
const json = { body: '{"a":1}' }
const url = 'https://portal.example/list?page=1'

async function thrown(promise: Promise<unknown>): Promise<Retryable> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Retryable)
  return error as Retryable
}

describe('requests in turn', () => {
  test('hold the limits over all sources of a host: never more in any minute, never sooner, never more at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            requestsPerMinute: fc.integer({ min: 1, max: 30 }),
            pauseMs: fc.integer({ min: 0, max: 5000 }),
            connections: fc.integer({ min: 1, max: 4 }),
            requests: fc.integer({ min: 1, max: 12 }),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 20 }),
        async (sources, durations) => {
          let count = 0
          const rest = () => time.sleep(durations[count++ % durations.length]!, new AbortController().signal)
          const { connection, time, starts, connections } = imagined(async () => {
            await rest()
            return json
          })
          const lines = sources.map((source) => connection({ ...source, ...exempt }))
          // all cards are known before the first request, so that the strictest limit applies from the beginning
          await Promise.all(lines.map(async (each) => (await each.send({ url })).bytes()))
          const from = starts.length
          connections.most = 0
          await Promise.all(
            lines.flatMap((each, index) =>
              Array.from({ length: sources[index]!.requests }, async () => {
                const reply = await each.send({ url })
                await rest()
                await reply.bytes()
              }),
            ),
          )
          const rpm = Math.min(...sources.map((source) => source.requestsPerMinute))
          const pauseMs = Math.max(...sources.map((source) => source.pauseMs))
          const times = starts.slice(from).map(({ at }) => at)
          for (const [index, at] of times.entries()) {
            expect(times.filter((other) => other > at - minute && other <= at).length).toBeLessThanOrEqual(rpm)
            if (index > 0) expect(at - times[index - 1]!).toBeGreaterThanOrEqual(pauseMs)
          }
          expect(connections.most).toBeLessThanOrEqual(Math.min(...sources.map((source) => source.connections)))
          expect(lines.reduce((sum, each) => sum + each.requests(), 0)).toBe(starts.length)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('are sent at the very moment the oldest of the minute no longer counts: 61 requests at 60 a minute take one minute', async () => {
    const { connection, starts } = imagined(() => json)
    const each = connection()
    for (let count = 0; count < 61; count += 1) await (await each.send({ url })).bytes()
    expect(starts.map(({ at }) => at - start)).toEqual([...Array.from({ length: 60 }, () => 0), minute])
  })

  test('of other hosts do not wait, and less than one a minute is a pause', async () => {
    const { connection, starts } = imagined(() => json)
    const each = connection({ ...exempt, requestsPerMinute: 0.5 })
    for (const host of ['one', 'two', 'one']) await (await each.send({ url: `https://${host}.example/` })).bytes()
    expect(starts.map(({ at, url: { hostname } }) => [hostname, at - start])).toEqual([
      ['one.example', 0],
      ['two.example', 0],
      ['one.example', 2 * minute],
    ])
  })

  test('do not wait for portals on this machine, which need no limits', async () => {
    const answers: Said[] = [{ status: 429 }]
    const { connection, starts } = imagined(() => answers.shift() ?? json, { hasLimits: false })
    for (let count = 0; count < 200; count += 1)
      await (await connection({ ...exempt, pauseMs: 1000, requestsPerMinute: 1 }).send({ url })).bytes()
    expect(starts.length).toBe(201)
    expect(starts.at(-1)!.at - start).toBe(second)
  })

  test('that wait end with the reason of the signal, and give their slot to the next', async () => {
    const { connection } = imagined(() => json)
    const reader = await connection().send({ url })
    const stop = new AbortController()
    const given = connection(exempt, undefined, stop.signal).send({ url })
    const next = connection().send({ url })
    // both are in the queue
    await new Promise((resolve) => setImmediate(resolve))
    stop.abort(new Error('stopped'))
    await expect(given).rejects.toThrow('stopped')
    await reader.bytes()
    expect((await next).status).toBe(200)
  })

  test('are not held by answers that have no data: 304 and 404 need not be read', async () => {
    const { connection } = imagined((_request, { pathname }) => ({ status: Number(pathname.slice(1)), body: 'gone' }))
    const each = connection()
    for (const status of [404, 410]) {
      const reply = await each.send({ url: `https://portal.example/${status}`, accept: [404, 410] })
      expect(reply.status).toBe(status)
      expect(Buffer.from(await reply.bytes()).toString()).toBe('gone')
    }
    expect((await each.send({ url: 'https://portal.example/304', ifChangedFrom: '"a"' })).status).toBe(304)
    await thrown(each.send({ url: 'https://portal.example/304' }))
  })
})

describe('identification', () => {
  test('states name, version, contact; in the words of the card if it has some', async () => {
    const { connection, asked } = imagined(() => json)
    await connection().send({ url, headers: { accept: 'application/json' } })
    await connection({ ...exempt, userAgent: 'Mozilla/5.0 (compatible; Tenderstock/{version}; +{contact})' }).send({
      url: 'https://other.example/',
      method: 'POST',
      body: '{}',
    })
    expect(asked.map(({ headers }) => headers?.['user-agent'])).toEqual([
      'Tenderstock/1.2.3 (+https://operator.example/crawler)',
      'Mozilla/5.0 (compatible; Tenderstock/1.2.3; +https://operator.example/crawler)',
    ])
    expect(asked[0]?.headers?.accept).toBe('application/json')
    expect([asked[1]?.method, asked[1]?.body]).toEqual(['POST', '{}'])
  })

  test('sends what it has: tags as If-None-Match, dates as If-Modified-Since; the answer’s version is its tag, else its date', async () => {
    const date = 'Sat, 21 Nov 2026 06:00:00 GMT'
    const { connection, asked } = imagined((_request, { pathname }) => ({
      ...json,
      headers: pathname === '/tag' ? { etag: 'W/"2"', 'last-modified': date } : { 'last-modified': date },
    }))
    const each = connection()
    const versions: (string | undefined)[] = []
    for (const [path, known] of [
      ['/tag', 'W/"1"'],
      ['/tag', 'version-3'],
      ['/date', date],
    ] as const) {
      const reply = await each.send({ url: `https://portal.example${path}`, ifChangedFrom: known })
      versions.push(reply.version)
      await reply.bytes()
    }
    expect(asked.map(({ headers }) => [headers?.['if-none-match'], headers?.['if-modified-since']])).toEqual([
      ['W/"1"', undefined],
      ['version-3', undefined],
      [undefined, date],
    ])
    expect(versions).toEqual(['W/"2"', 'W/"2"', date])
  })

  test('keeps its key out of every message', async () => {
    const { connection, asked } = imagined(() => ({ status: 404 }))
    const error = await thrown(
      connection(exempt, 's3/cret').send({ url: 'https://portal.example/s3%2Fcret/s3/cret?k=s3/cret' }),
    )
    expect(error.message).toBe('portal.example/{key}/{key} answered 404')
    expect(asked[0]?.secrets).toEqual(['s3/cret'])
  })
})

describe('attempts', () => {
  test('are repeated on 5xx and broken connections, four in total, with growing jittered waits; POST like GET, because both only read', async () => {
    for (const method of ['GET', 'POST'] as const) {
      for (const random of [0, 0.5, 0.999]) {
        const { connection, time, asked } = imagined(
          (_request, { pathname }) => {
            if (pathname === '/line') throw new Retryable('dead')
            return { status: 502 }
          },
          { random: () => random },
        )
        for (const path of ['/', '/line']) {
          const each = connection()
          await thrown(each.send({ url: `https://portal.example${path}`, method }))
          expect(each.requests()).toBe(4)
        }
        const waits = [1000, 2000, 4000].map((ms) => Math.round(ms * (0.5 + random)))
        expect(time.slept).toEqual([...waits, ...waits])
        expect(asked.length).toBe(8)
      }
    }
  })

  test('end as soon as one succeeds', async () => {
    const answers: Said[] = [{ status: 500 }, { status: 408 }, json]
    const { connection } = imagined(() => answers.shift()!)
    expect((await connection().send({ url })).status).toBe(200)
  })

  test('are not repeated if that cannot help', async () => {
    for (const status of [400, 401, 404, 410, 301]) {
      const { connection, asked } = imagined(() => ({ status }))
      expect((await thrown(connection().send({ url }))).message).toContain(`answered ${status}`)
      expect(asked.length).toBe(1)
    }
  })

  test('are not repeated for a body that is too large', async () => {
    const { connection, asked } = imagined(() => {
      throw new TooLarge('larger than 1 byte')
    })
    expect(await thrown(connection().send({ url }))).toBeInstanceOf(TooLarge)
    expect(asked.length).toBe(1)
  })

  test('continue if a body breaks off that is read as a whole; one that is read in pieces throws', async () => {
    const answers: Said[] = [{ ...json, isCut: true }, { status: 503, headers: { 'retry-after': '7' } }, json]
    const { connection, time } = imagined(() => answers.shift() ?? { ...json, isCut: true })
    const reply = await connection().send({ url })
    expect(Buffer.from(await reply.bytes()).toString()).toBe(json.body)
    expect(time.slept).toEqual([1000, 7000])
    const broken = await connection().send({ url })
    await thrown(
      (async () => {
        for await (const _ of broken.chunks());
      })(),
    )
    const hopeless = connection()
    await thrown((await hopeless.send({ url })).bytes())
    expect(hopeless.requests()).toBe(4)
  })
})

describe('a host that refuses', () => {
  test('receives no requests for as long as it says, in seconds or until a date by its own clock', async () => {
    for (const headers of [
      { 'retry-after': '90' },
      { 'retry-after': 'Sat, 21 Nov 2026 03:01:30 GMT', date: 'Sat, 21 Nov 2026 03:00:00 GMT' },
      { 'retry-after': 'Sat, 21 Nov 2026 08:01:30 GMT' },
    ]) {
      const answers: Said[] = [{ status: 429, headers }, json]
      const { connection, starts } = imagined(() => answers.shift()!)
      expect((await connection().send({ url })).status).toBe(200)
      expect(starts.map(({ at }) => at - start)).toEqual([0, 90 * second])
    }
  })

  test('is not waited for longer than two minutes: the error says when, and nobody sends it a request until then', async () => {
    const answers: Said[] = [{ status: 429, headers: { 'retry-after': '3600' } }]
    const { connection, time, asked } = imagined((_request, { host }) =>
      host === 'portal.example' ? (answers.shift() ?? json) : json,
    )
    const first = await thrown(connection().send({ url }))
    expect(first).toBeInstanceOf(Refused)
    expect(first.retryAt).toBe(start + hour)
    time.pass(10 * minute)
    expect((await thrown(connection().send({ url }))).retryAt).toBe(start + hour)
    expect(asked.length).toBe(1)
    expect((await connection().send({ url: 'https://other.example/' })).status).toBe(200)
    time.pass(49 * minute)
    // one minute left: the request waits for it
    expect((await connection().send({ url })).status).toBe(200)
    expect(time.clock()).toBe(start + hour)
  })

  test('and names no time pauses as the card says, twice as long each time in a row, until it delivers', async () => {
    for (const status of [429, 403, 503, 999]) {
      let isOpen = false
      const { connection, time } = imagined(() => (isOpen ? json : { status }))
      const each = connection({ ...exempt, restMs: 3 * minute })
      const rests: number[] = []
      for (let count = 0; count < 9; count += 1) {
        const { retryAt } = await thrown(each.send({ url }))
        rests.push((retryAt! - time.clock()) / minute)
        time.pass(retryAt! - time.clock())
      }
      expect(rests).toEqual([3, 6, 12, 24, 48, 96, 192, 360, 360])
      isOpen = true
      await (await each.send({ url })).bytes()
      isOpen = false
      expect((await thrown(each.send({ url }))).retryAt! - time.clock()).toBe(3 * minute)
    }
  })

  test('for a year receives requests again after a day, and one that says nonsense pauses as the card says', async () => {
    for (const [said, rest] of [
      ['31536000', 24 * hour],
      ['soon', 5 * minute],
      ['-5', 5 * minute],
    ] as const) {
      const { connection } = imagined(() => ({ status: 503, headers: { 'retry-after': said } }))
      expect((await thrown(connection().send({ url }))).retryAt).toBe(start + rest)
    }
  })

  test.each<[string, Said]>([
    ['an empty 202', { status: 202 }],
    ['a 202 of AWS WAF', { status: 202, headers: { 'x-amzn-waf-action': 'challenge' }, body: 'x' }],
    ['a 405 of AWS WAF', { status: 405, headers: { 'x-amzn-waf-action': 'captcha' } }],
    ['a challenge of Cloudflare', { status: 403, headers: { 'cf-mitigated': 'challenge' } }],
    ['a page', { body: '<!DOCTYPE html>\n<html><body>Maintenance</body></html>' }],
    ['a page with a mark and spaces before it', { body: '\uFEFF\n\n <HTML lang="de">' }],
    ['XHTML', { body: '<?xml version="1.0"?><!-- x --><html xmlns="http://www.w3.org/1999/xhtml">' }],
    ['a piece of a page', { headers: { 'content-type': 'text/html' }, body: '<script>location.reload()</script>' }],
    ['a cookie and nothing else', { headers: { 'set-cookie': 'visited=1' } }],
  ])('is recognized: %s is a refusal and no data', async (_name, said) => {
    const { connection, asked } = imagined(() => said)
    const error = await thrown(connection().send({ url, accept: [202, 404] }))
    expect(error).toBeInstanceOf(Refused)
    expect(error.retryAt).toBe(start + 5 * minute)
    expect(asked.length).toBe(1)
  })

  test.each<[string, Said]>([
    ['XML', { headers: { 'content-type': 'text/html' }, body: '<?xml version="1.0"?><rss><channel/></rss>' }],
    [
      'XML whose root is named like an element of a page',
      { headers: { 'content-type': 'application/xml' }, body: '<form>' },
    ],
    ['JSON that holds a page', { body: '{"text":"<!DOCTYPE html><html>"}' }],
    ['CSV', { headers: { 'content-type': 'text/html', 'set-cookie': 'a=b' }, body: 'a;b\n1;2\n' }],
    ['bytes', { body: 'PK\x03\x04<html>' }],
    ['nothing', {}],
  ])('is not seen if there is none: %s is data', async (_name, said) => {
    const { connection } = imagined(() => said)
    expect(Buffer.from(await (await connection().send({ url })).bytes()).toString()).toBe(said.body ?? '')
  })

  test('a page is an answer if a page is expected, unless it is a challenge', async () => {
    const list = '<!doctype html><html><a href="/1.xml">1</a></html>'
    const puzzle = '<html><script>document.cookie="a=1";\nwindow.location.reload()</script></html>'
    const { connection } = imagined((_request, { pathname }) => ({ body: pathname === '/list' ? list : puzzle }))
    const each = connection()
    expect((await (await each.send({ url: 'https://portal.example/list', expects: 'page' })).bytes()).length).toBe(
      list.length,
    )
    expect(await thrown(each.send({ url: 'https://portal.example/x', expects: 'page' }))).toBeInstanceOf(Refused)
  })
})

describe('robots.txt', () => {
  const rules =
    (text: string, reply: Reply = () => json): Reply =>
    (request, at) =>
      at.pathname === '/robots.txt' ? { body: text } : reply(request, at)
  const robotsOf = (asked: readonly HttpRequest[]) =>
    asked.filter(({ url: each }) => each.endsWith('/robots.txt')).length

  test('is read once a day for a host and obeyed, our own group before the general one', async () => {
    const { connection, asked, time } = imagined(
      rules('User-agent: *\nDisallow: /\n\nUser-agent: tenderstock\nDisallow: /search\nAllow: /search/open$\n'),
    )
    const ask = (path: string) => connection({}).send({ url: `https://portal.example${path}` })
    for (let round = 0; round < 2; round += 1) {
      expect(await thrown(ask('/search?q=1'))).toBeInstanceOf(Refused)
      await (await ask('/list')).bytes()
      await (await ask('/search/open')).bytes()
    }
    expect(robotsOf(asked)).toBe(1)
    expect((await thrown(ask('/search'))).retryAt).toBe(start + 24 * hour)
    time.pass(24 * hour)
    await (await ask('/list')).bytes()
    expect(robotsOf(asked)).toBe(2)
  })

  test('of a host that has none, or a page in its place, allows everything', async () => {
    for (const said of [{ status: 404 }, { status: 403 }, { status: 410 }, { body: '<html>Disallow: /</html>' }, {}]) {
      const { connection } = imagined((_request, { pathname }) => (pathname === '/robots.txt' ? said : json))
      expect((await connection({}).send({ url })).status).toBe(200)
    }
  })

  test('that cannot be read means not now; one that was read before holds for a week', async () => {
    let robots: Said = { status: 500 }
    const { connection, asked, time } = imagined((_request, { pathname }) =>
      pathname === '/robots.txt' ? robots : json,
    )
    const error = await thrown(connection({}).send({ url }))
    expect(error.message).toContain('robots.txt of portal.example could not be read')
    expect(error.retryAt).toBe(time.clock() + 10 * minute)
    await thrown(connection({}).send({ url }))
    expect(asked.length).toBe(2)
    time.pass(10 * minute)
    robots = { body: 'User-agent: *\nDisallow: /private' }
    await (await connection({}).send({ url })).bytes()
    robots = { status: 202 }
    time.pass(25 * hour)
    await (await connection({}).send({ url })).bytes()
    expect(await thrown(connection({}).send({ url: 'https://portal.example/private' }))).toBeInstanceOf(Refused)
    time.pass(7 * 24 * hour)
    await thrown(connection({}).send({ url }))
  })

  test('may require a delay, which holds for all sources on the host', async () => {
    const { connection, starts } = imagined(rules('User-agent: *\nCrawl-delay: 30\n'))
    await (await connection({}).send({ url })).bytes()
    await (await connection(exempt).send({ url })).bytes()
    await (await connection({}).send({ url })).bytes()
    expect(starts.map(({ at }) => (at - start) / second)).toEqual([0, 30, 60, 90])
  })

  test('is not read for an interface that the card exempts, and is for the host that a redirect leads to', async () => {
    const { connection, asked, starts } = imagined((_request, { host, pathname }) => {
      if (pathname === '/robots.txt') return { body: host === 'files.example' ? 'User-agent: *\nDisallow: /' : '' }
      return host === 'portal.example' ? { redirect: 'https://files.example/1.zip' } : json
    })
    await (await connection(exempt).send({ url })).bytes()
    expect(robotsOf(asked)).toBe(0)
    const ledTo: string[] = []
    const onRedirect = ({ href }: URL) => void ledTo.push(href)
    expect(await thrown(connection({}, undefined, undefined, onRedirect).send({ url }))).toBeInstanceOf(Refused)
    expect(ledTo).toEqual(['https://files.example/1.zip'])
    expect(starts.map((each) => each.url.host + each.url.pathname).slice(2)).toEqual([
      'portal.example/robots.txt',
      'portal.example/list',
      'files.example/robots.txt',
    ])
  })

  test('is requested once by sources that start together, and by the next if the first is stopped', async () => {
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const stop = new AbortController()
    const { connection, asked } = imagined(async (request, { pathname }) => {
      if (pathname !== '/robots.txt') return json
      arrived.resolve()
      await held.promise
      request.signal?.throwIfAborted()
      return {}
    })
    const first = connection({}, undefined, stop.signal).send({ url })
    await arrived.promise
    const next = connection({}).send({ url })
    stop.abort(new Error('stopped'))
    held.resolve()
    await expect(first).rejects.toThrow('stopped')
    await (await next).bytes()
    const third = [connection({}), connection({})].map(async (each) => (await each.send({ url })).bytes())
    await Promise.all(third)
    expect(robotsOf(asked)).toBe(2)
  })
})

describe('patience', () => {
  const silence = () =>
    new Retryable('nothing came', {
      reason: 'no-answer',
      cause: Object.assign(new Error('late'), { code: 'UND_ERR_HEADERS_TIMEOUT' }),
    })
  const limitsOf = (asked: readonly HttpRequest[]) => asked.map(({ timeoutMs }) => timeoutMs)

  test('is ten seconds for robots.txt, and two minutes for a host that has spoken', async () => {
    const { connection, asked } = imagined(({ url: each }) => (each.endsWith('/robots.txt') ? { status: 404 } : json))
    const { send } = connection({})
    for (let count = 0; count < 2; count += 1) await (await send({ url })).bytes()
    expect(limitsOf(asked)).toEqual([10 * second, 2 * minute, 2 * minute])
  })

  test('is ten seconds for the first contact; whoever is silent is asked once a visit, and has two minutes then', async () => {
    const { connection, asked } = imagined(() => {
      throw silence()
    })
    for (let visit = 0; visit < 3; visit += 1) {
      const error = await thrown(connection().send({ url }))
      expect(error.reason).toBe('no-answer')
    }
    expect(limitsOf(asked)).toEqual([10 * second, 2 * minute, 2 * minute])
  })

  test('ends with a host whose robots.txt does not come: two short tries, and the reason', async () => {
    const { connection, asked } = imagined(() => {
      throw silence()
    })
    const error = await thrown(connection({}).send({ url }))
    expect(error.reason).toBe('no-answer')
    expect(limitsOf(asked)).toEqual([10 * second, 10 * second])
  })
})

describe('the reason of a failure', () => {
  const cases: readonly [string, Reply, Politeness, string][] = [
    ['of 401', () => ({ status: 401 }), exempt, 'refused'],
    ['of 403', () => ({ status: 403 }), exempt, 'refused'],
    ['of a page for people', () => ({ body: '<!doctype html><p>Hello' }), exempt, 'wrong-content'],
    ['of a challenge', () => ({ status: 202 }), exempt, 'refused'],
    ['of 404', () => ({ status: 404 }), exempt, 'error-status'],
    ['of 500', () => ({ status: 500 }), exempt, 'error-status'],
    ['of a robots.txt that forbids', () => ({ body: 'User-agent: *\nDisallow: /' }), {}, 'robots'],
    ['of a robots.txt that fails', () => ({ status: 500 }), {}, 'error-status'],
  ]
  test.each(cases)('%s', async (_name, reply, politeness, reason) => {
    const { connection } = imagined(reply, { longestWaitMs: 0 })
    expect((await thrown(connection(politeness).send({ url }))).reason).toBe(reason)
  })
})

describe('over real connections', () => {
  async function portal(listener: RequestListener) {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const http = openHttp({
      network: 'loopback',
      timeoutMs: 2000,
      route: (each) => new URL(`http://127.0.0.1:${port}/${each.host}${each.pathname}${each.search}`),
    })
    closers.push(http.close, () => new Promise((resolve) => server.close(resolve)))
    return imagined(() => json, { http })
  }

  test('a list, its details, a redirect and a broken body use one connection, one after the other', async () => {
    let open = 0
    let maxOpen = 0
    let breaks = 1
    const seen: string[] = []
    const { connection } = await portal((request, reply) => {
      open += 1
      maxOpen = Math.max(maxOpen, open)
      reply.on('close', () => {
        open -= 1
      })
      seen.push(request.url!)
      if (request.url!.endsWith('/robots.txt')) return reply.writeHead(404).end('none')
      if (request.url!.endsWith('/moved')) return reply.writeHead(302, { location: '/list' }).end()
      if (request.url!.endsWith('/broken') && breaks-- > 0) {
        reply.writeHead(200, { 'content-length': '10' }).write('{"a"')
        return setImmediate(() => reply.destroy())
      }
      reply.end(JSON.stringify({ path: request.url, agent: request.headers['user-agent'] }))
    })
    const each = connection({})
    const read = async (path: string, more: Partial<SourceRequest> = {}) =>
      Buffer.from(await (await each.send({ url: `https://portal.example${path}`, ...more })).bytes()).toString()
    expect(JSON.parse(await read('/moved'))).toEqual({
      path: '/portal.example/list',
      agent: 'Tenderstock/1.2.3 (+https://operator.example/crawler)',
    })
    await Promise.all([1, 2, 3, 4, 5].map((id) => read(`/details/${id}`)))
    expect(await read('/broken')).toContain('/portal.example/broken')
    expect(maxOpen).toBe(1)
    expect(each.requests()).toBe(seen.length)
    expect(seen.length).toBe(10)
  })

  test('a run that is stopped while it reads frees the host for the next', async () => {
    const { connection } = await portal((request, reply) => {
      if (request.url!.endsWith('/endless')) return void reply.write('a'.repeat(10_000))
      reply.end('{}')
    })
    const stop = new AbortController()
    const reply = await connection(exempt, undefined, stop.signal).send({ url: 'https://portal.example/endless' })
    const reading = reply.bytes()
    const next = connection(exempt).send({ url })
    stop.abort(new Error('stopped'))
    await expect(reading).rejects.toThrow('stopped')
    expect((await next).status).toBe(200)
  })
})

import { describe, expect, it } from 'vitest'
import { createFakeApi, jsonAnswer, problemAnswer } from '../test/fake-api.ts'
import { VirtualTime } from '../test/virtual-time.ts'
import type { ClientEvent } from './client-event.ts'
import { ProblemError } from './problem-error.ts'
import { retryAfterMs, retryWait } from './retry.ts'
import { TenderClient, type TenderClientOptions } from './tender-client.ts'
import { UnreachableError } from './unreachable-error.ts'

const minuteMs = 60_000
const date = 'Mon, 02 Nov 2026 08:00:00 GMT'

function world(options: Partial<TenderClientOptions> = {}) {
  const time = new VirtualTime()
  const api = createFakeApi()
  api.publish([{ id: 'a' }, { id: 'b' }])
  const events: ClientEvent[] = []
  const client = new TenderClient({
    baseUrl: 'https://api.test.example',
    token: 'made-up',
    fetch: api.fetch,
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0.5,
    on: (event) => void events.push(event),
    ...options,
  })
  return { time, api, client, events }
}

const failure = (error: Promise<unknown>): Promise<unknown> =>
  error.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe('Retry-After (C152)', () => {
  it.each<[string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '17' }, 17_000],
    [
      'an HTTP date, against the Date header of the same answer',
      { 'retry-after': 'Mon, 02 Nov 2026 08:01:30 GMT', date },
      90_000,
    ],
    [
      'an HTTP date without a Date header: 60 s, the own clock is not asked',
      { 'retry-after': 'Mon, 02 Nov 2026 08:01:30 GMT' },
      minuteMs,
    ],
    ['nothing: 60 s', {}, minuteMs],
    ['a text that is neither: 60 s', { 'retry-after': 'soon', date }, minuteMs],
    ['a negative number is neither: 60 s', { 'retry-after': '-5', date: 'x' }, minuteMs],
    ['zero or a past date: at least a second, no busy loop', { 'retry-after': '0' }, 1000],
    ['a past date', { 'retry-after': 'Mon, 02 Nov 2026 07:00:00 GMT', date }, 1000],
  ])('%s', (_, headers, ms) => {
    expect(retryAfterMs(new Headers(headers))).toBe(ms)
  })
})

describe('the table (C152, C153)', () => {
  it('never waits for what a repetition cannot repair, and always for what it can', () => {
    const headers = new Headers({ 'retry-after': '3' })
    for (const status of [300, 302, 400, 401, 403, 404, 405, 406, 414, 431])
      expect(retryWait({ status, headers }, 1)).toBeUndefined()
    for (const status of [429, 503]) expect(retryWait({ status, headers }, 6)?.ms).toBe(3000)
    for (const status of [408, 500, 502, 504, 520])
      expect(retryWait({ status, headers }, 1)).toEqual({ reason: 'failure', ms: minuteMs })
    expect([1, 2, 3, 4, 5, 6].map((failures) => retryWait(undefined, failures)?.ms)).toEqual(
      [1, 2, 4, 8, 16].map((minutes) => minutes * minuteMs).concat(undefined as never),
    )
  })
})

describe('C152: 429 and 503', () => {
  it.each([429, 503])('%i: repeats the identical request after Retry-After, as often as necessary', async (status) => {
    const { time, api, client, events } = world()
    const refusal = () => problemAnswer(status, 'x', { 'retry-after': '17' })
    api.faults.push(...Array<typeof refusal>(8).fill(refusal))
    const page = await time.run(client.page({ cpv: ['45000000'], limit: 7 }))
    expect(page.nextCursor).toBe(null)
    expect(api.asked).toEqual(Array(9).fill('/v1/tenders?cpv=45000000&limit=7'))
    expect(time.slept).toEqual(Array(8).fill(17_000))
    const waits = events.filter((event) => event.type === 'wait')
    expect(waits).toHaveLength(8)
    expect(waits[0]).toMatchObject({ reason: status === 429 ? 'rate-limited' : 'unavailable', ms: 17_000 })
  })

  it('abandons a request after an hour of refusals, with the problem', async () => {
    const { time, api, client } = world()
    api.faults.push(...Array(200).fill(() => problemAnswer(429, 'rate-limited', { 'retry-after': '60' })))
    expect(await time.run(failure(client.page()))).toMatchObject({ slug: 'rate-limited' })
    expect(api.asked).toHaveLength(61)
    expect(time.now).toBe(60 * minuteMs)
  })

  it('waits do not use up the attempts for failures', async () => {
    const { time, api, client } = world()
    const busy = () => problemAnswer(503, 'overloaded', { 'retry-after': '1' })
    const broken = () => problemAnswer(500, 'internal-error')
    api.faults.push(broken, busy, broken, busy, broken, busy, broken, busy, broken, busy)
    expect((await time.run(client.page())).data).toHaveLength(2)
    expect(time.slept.filter((ms) => ms >= minuteMs)).toEqual([1, 2, 4, 8, 16].map((minutes) => minutes * minuteMs))
  })
})

describe('C153: failures', () => {
  const cases: readonly [string, () => Response | Error][] = [
    ['500', () => problemAnswer(500, 'internal-error')],
    ['502 of a proxy, in HTML', () => new Response('<html>Bad gateway</html>', { status: 502 })],
    ['504', () => problemAnswer(504, 'gateway-timeout')],
    ['a connection that fails', () => new TypeError('fetch failed')],
    ['a body that is reset midway', () => brokenBody('{"data":[{"id":')],
    ['a body that ends midway', () => new Response('{"data":[{"id":"a"')],
    ['an empty body', () => new Response('')],
    ['JSON that is no page', () => jsonAnswer(200, { records: [] })],
    ['HTML with 200', () => new Response('<html>Log in</html>')],
    ['an error whose body is reset', () => brokenBody('{"type":', 500)],
  ]

  it.each(cases)('%s: six attempts after 1, 2, 4, 8 and 16 minutes, then it is thrown', async (_, fault) => {
    const { time, api, client } = world()
    api.faults.push(...Array(6).fill(fault))
    const error = await time.run(failure(client.page({ limit: 5 })))
    expect(error instanceof ProblemError || error instanceof UnreachableError).toBe(true)
    if (error instanceof UnreachableError) expect(error.attempts).toBe(6)
    expect(api.asked).toEqual(Array(6).fill('/v1/tenders?limit=5'))
    expect(time.slept).toEqual([1, 2, 4, 8, 16].map((minutes) => minutes * minuteMs))
  })

  it.each(cases)('%s: an answer to the sixth attempt is accepted', async (_, fault) => {
    const { time, api, client } = world()
    api.faults.push(...Array(5).fill(fault))
    expect((await time.run(client.get('a'))).id).toBe('a')
  })

  it('counts a late answer as a failure', async () => {
    const { time, api, client, events } = world({
      timeoutMs: 20,
      fetch: (input, init) => (api.asked.length < 1 ? hang(api.asked, input, init) : api.fetch(input, init)),
    })
    // The time limit is a timer of the runtime: one real wait of 20 ms.
    const page = client.page()
    while (time.slept.length < 1) await new Promise((resolve) => setTimeout(resolve, 1))
    const done = time.run(page)
    expect((await done).data).toHaveLength(2)
    expect(time.slept).toEqual([minuteMs])
    expect(events.find((event) => event.type === 'retry')).toMatchObject({ cause: { name: 'TimeoutError' } })
  })

  it('patience may be shortened, never extended', async () => {
    const { api, client, time } = world({ maxWaitMs: 3 * minuteMs })
    api.faults.push(...Array(6).fill(cases[0]![1]))
    expect(await time.run(failure(client.page()))).toBeInstanceOf(ProblemError)
    expect(time.slept).toEqual([minuteMs, 2 * minuteMs])
    expect(() => world({ maxWaitMs: 3_600_001 })).toThrow(RangeError)
    expect(() => world({ timeoutMs: 60_001 })).toThrow(RangeError)
    expect(() => world({ timeoutMs: Number.NaN })).toThrow(RangeError)
  })
})

describe('other answers stop at once', () => {
  it.each([
    [400, 'invalid-parameter'],
    [400, 'cursor-expired'],
    [401, 'unauthorized'],
    [403, 'no-api-access'],
    [404, 'not-found'],
  ])('%i %s, with the text of the problem', async (status, slug) => {
    const { time, api, client, events } = world()
    api.faults.push(() => problemAnswer(status, slug))
    const error = await time.run(failure(client.page()))
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({ slug, isCursorExpired: slug === 'cursor-expired' })
    expect((error as Error).message).toContain(`made up: ${slug}`)
    expect(time.slept).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'problem', problem: { status } })
  })

  it('a redirect is not followed with the token; the message names where it leads', async () => {
    const { time, api, client } = world()
    api.faults.push(() => new Response(null, { status: 308, headers: { location: 'https://other.example/' } }))
    const error = await time.run(failure(client.page()))
    expect((error as Error).message).toContain('https://other.example/')
    expect(api.asked).toHaveLength(1)
  })
})

describe('an abort signal', () => {
  it('ends a wait, a request and a turn in the queue with its reason, and leaves the client usable', async () => {
    const { time, api, client } = world()
    api.faults.push(() => problemAnswer(503, 'x', { 'retry-after': '600' }))
    const controller = new AbortController()
    const reason = new Error('enough')
    const first = failure(client.page({}, controller.signal))
    await time.run(time.wait(5000))
    controller.abort(reason)
    expect(await time.run(first)).toBe(reason)
    expect(await time.run(failure(client.page({}, controller.signal)))).toBe(reason)
    expect(api.asked).toHaveLength(1)
    expect((await time.run(client.page())).data).toHaveLength(2)
  })

  it('ends a request that hangs', async () => {
    const controller = new AbortController()
    const { time, api, client } = world({ fetch: (input, init) => hang(api.asked, input, init) })
    const first = failure(client.get('a', controller.signal))
    await time.run(time.wait(10))
    controller.abort()
    expect(await time.run(first)).toMatchObject({ name: 'AbortError' })
  })
})

describe('C161: the token leaves over HTTPS only', () => {
  it.each(['http://api.example.org', 'ftp://api.example.org', 'http://localhost.example.org'])(
    '%s is refused',
    (baseUrl) => {
      expect(() => world({ baseUrl })).toThrow(/https/)
    },
  )
  it.each(['https://api.example.org/', 'http://localhost:8080', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    '%s is accepted',
    (baseUrl) => {
      expect(() => world({ baseUrl })).not.toThrow()
    },
  )
  it('HTTP is permitted if allowHttp says that the way is protected', () => {
    expect(() => world({ baseUrl: 'http://api.internal', allowHttp: true })).not.toThrow()
  })
  it('reads the token before each request, so that a rotation needs no restart', async () => {
    const sent: unknown[] = []
    let token = 'one'
    const { time, api, client } = world({
      token: async () => token,
      fetch: (input, init) => {
        sent.push(new Headers(init?.headers).get('authorization'))
        return api.fetch(input, init)
      },
    })
    await time.run(client.page())
    token = 'two'
    await time.run(client.page())
    expect(sent).toEqual(['Bearer one', 'Bearer two'])
  })
  it('no event holds the token', async () => {
    const { time, client, events } = world({ token: 'secret-token' })
    await time.run(client.page())
    expect(events.length).toBeGreaterThan(2)
    expect(JSON.stringify(events)).not.toContain('secret-token')
  })
})

/** A body whose connection is reset after its first bytes. */
function brokenBody(text: string, status = 200): Response {
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text))
    },
    pull: (controller) => controller.error(new TypeError('terminated')),
  })
  return new Response(body, { status })
}

/** Never answers; ends with its signal. */
function hang(asked: string[], input: unknown, init: RequestInit | undefined): Promise<Response> {
  asked.push(String(input))
  return new Promise((_, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal!.reason))
  })
}

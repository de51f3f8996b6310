// What a program can specify for a request, what every request sends, and what the root of the package exports.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { madeUpRecord } from '../test/fake-api.ts'
import { memorySink } from './sinks/memory-sink.ts'
import { nextRunAt, watch } from './sync/watch.ts'
import {
  ProblemError,
  type SyncOutcome,
  TenderClient,
  type TenderClientOptions,
  type TenderRecord,
  UnreachableError,
} from './tender-client.ts'
import { version } from './version.ts'

const page = (ids: readonly string[], nextCursor: string | null = null): Response =>
  Response.json({ data: ids.map((id) => madeUpRecord({ id })), nextCursor })

function world(
  answer: (url: string, init: RequestInit) => Response | Promise<Response>,
  more: Partial<TenderClientOptions> = {},
) {
  const sent: { readonly url: string; readonly headers: Headers }[] = []
  const client = new TenderClient({
    baseUrl: 'https://api.test.example',
    token: 'made-up',
    fetch: (async (url: string, init: RequestInit) => {
      sent.push({ url, headers: new Headers(init.headers) })
      return answer(url, init)
    }) as typeof fetch,
    ...more,
  })
  return { client, sent }
}

describe('a request', () => {
  it('names the client and its version', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    expect(version).toBe(manifest.version)
    const { client, sent } = world(() => page([]))
    await client.page()
    expect(sent[0]!.headers.get('user-agent')).toBe(`tender-sync/${manifest.version}`)
  })

  it('accepts additional headers, which replace none of the client', async () => {
    const { client, sent } = world(() => page([]))
    await client.page({}, { headers: { 'x-trace': '1', authorization: 'Bearer other', Authorization: 'Bearer other' } })
    expect(sent[0]!.headers.get('x-trace')).toBe('1')
    expect(sent[0]!.headers.get('authorization')).toBe('Bearer made-up')
  })

  it('accepts a signal, alone or among options, a shorter timeout and a shorter total wait', async () => {
    const never = (_url: string, init: RequestInit) =>
      new Promise<Response>((_, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason)))
    const stopped = AbortSignal.abort(new Error('stopped'))
    for (const options of [stopped, { signal: stopped }])
      await expect(world(never).client.get('x', options)).rejects.toThrow('stopped')
    await expect(world(never).client.page({}, { timeoutMs: 5, maxWaitMs: 0 })).rejects.toThrow(UnreachableError)
    const busy = world(() => new Response('{}', { status: 503, headers: { 'retry-after': '30' } }))
    await expect(busy.client.page({}, { maxWaitMs: 1000 })).rejects.toThrow(ProblemError)
    await expect(busy.client.page({}, { maxWaitMs: 3_600_001 })).rejects.toThrow(RangeError)
  })
})

describe('collect', () => {
  it('returns all records in an array, and throws as soon as there are too many', async () => {
    const pages = (url: string) => (url.includes('cursor=c1') ? page(['c', 'd']) : page(['a', 'b'], 'c1'))
    const records: TenderRecord[] = await world(pages).client.collect({}, { atMost: 4 })
    expect(records.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    const endless = world((url) => page(['a', 'b'], `c${url.length}`))
    await expect(endless.client.collect({}, { atMost: 5 })).rejects.toThrow(/more than 5 records/)
    expect(endless.sent).toHaveLength(3)
  })
})

describe('watch', () => {
  it('runs immediately and then every hour at its minute, survives faults, and ends with its signal', async () => {
    const hour = 3_600_000
    let now = 10 * hour + 5
    const ending = new AbortController()
    const { client } = world(() => (now < 11 * hour ? page([]) : new Response('{}', { status: 401 })))
    const seen: [number, SyncOutcome['result']][] = []
    const sleep = async (ms: number) => {
      now += ms
    }
    const sink = memorySink({ keepsState: true })
    for await (const { result } of watch({
      client,
      sink,
      signal: ending.signal,
      now: () => now,
      sleep,
      random: () => 0.5,
    })) {
      seen.push([now, result])
      if (seen.length === 3) ending.abort()
    }
    expect(seen).toEqual([
      [10 * hour + 5, 'completed'],
      [10.5 * hour, 'completed'],
      [11.5 * hour, 'aborted'],
    ])
    expect(nextRunAt(11.5 * hour, hour / 2)).toBe(12.5 * hour)
  })
})

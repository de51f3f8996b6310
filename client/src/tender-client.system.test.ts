// The client against answers made here; its types against the committed contract.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { generateTypes, readContract } from '../generate-types.ts'
import { madeUpRecord } from '../test/fake-api.ts'
import { ProblemError } from './problem-error.ts'
import { TenderClient } from './tender-client.ts'

type Answer = { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  close = undefined
})

/** A server that sends the answers in order and records the requests. */
async function serverOf(answers: readonly Answer[]): Promise<{ readonly baseUrl: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const answer = answers[asked.length]!
    asked.push(`${request.headers.authorization} ${request.url}`)
    response
      .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
      .end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => new Promise((resolve) => server.close(() => resolve()))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked }
}

const clientOf = (baseUrl: string) => new TenderClient({ baseUrl, token: 'made-up', maxWaitMs: 0 })

describe('TenderClient', () => {
  it('follows nextCursor to null with the same filters (C145, C150)', async () => {
    const { baseUrl, asked } = await serverOf([
      { status: 200, body: { data: ['a', 'b'].map((id) => madeUpRecord({ id })), nextCursor: 'next' } },
      { status: 200, body: { data: [madeUpRecord({ id: 'c' })], nextCursor: null } },
    ])
    const ids: string[] = []
    for await (const record of clientOf(baseUrl).list({ cpv: ['45000000', '71000000'], limit: 2 })) ids.push(record.id)
    expect(ids).toEqual(['a', 'b', 'c'])
    expect(asked).toEqual([
      'Bearer made-up /v1/tenders?cpv=45000000%2C71000000&limit=2',
      'Bearer made-up /v1/tenders?cpv=45000000%2C71000000&limit=2&cursor=next',
    ])
  })

  it('R3: a record, or its absence, from a node that lags behind an edition counts like a 503', async () => {
    const of = (edition: number) => ({ 'x-stock-state': `${edition}; 2026-11-02T08:00:00.000Z` })
    const { baseUrl, asked } = await serverOf([
      { status: 404, body: { title: 'Not found' }, headers: of(4) },
      { status: 200, body: madeUpRecord({ id: 'a', title: 'old' }), headers: of(4) },
      { status: 200, body: madeUpRecord({ id: 'a', title: 'new' }), headers: of(5) },
      { status: 404, body: { title: 'Not found' }, headers: of(5) },
      { status: 200, body: madeUpRecord({ id: 'a', title: 'from an API that does not say' }) },
      { status: 200, body: madeUpRecord({ id: 'a', title: 'newest' }), headers: of(6) },
    ])
    const waits: number[] = []
    const client = new TenderClient({
      baseUrl,
      token: 'made-up',
      sleep: async (ms) => void waits.push(ms),
      clock: () => 0,
    })
    const seen = { edition: 5 }
    expect(await client.get('a', undefined, seen)).toMatchObject({ title: 'new' })
    expect(asked).toHaveLength(3)
    expect(waits).toEqual([5000, 5000])
    await expect(client.get('a', undefined, { edition: 5 })).rejects.toMatchObject({ problem: { status: 404 } })
    expect(await client.get('a', undefined, { edition: 5 })).toMatchObject({ title: 'from an API that does not say' })
    expect(seen).toEqual({ edition: 5 })
    expect(await client.get('a', undefined, seen)).toMatchObject({ title: 'newest' })
    expect(seen).toEqual({ edition: 6 })
  })

  it('returns the quota of the answer with a page', async () => {
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': '7',
      'x-request-id': 'r',
    }
    const { baseUrl } = await serverOf([{ status: 200, body: { data: [], nextCursor: null }, headers }])
    expect(await clientOf(baseUrl).page()).toMatchObject({
      rateLimit: { limit: 60, remaining: 59, resetSeconds: 7 },
      requestId: 'r',
    })
  })

  it('throws a typed problem that distinguishes an expired cursor from other faults (D1)', async () => {
    const problem = {
      type: 'http://docs/access#error-cursor-expired',
      title: 'Cursor expired',
      status: 400,
      detail: 'older than 24 hours',
      instance: '/v1/tenders',
    }
    const { baseUrl } = await serverOf([{ status: 400, body: problem }])
    const error = await clientOf(baseUrl)
      .page({ cursor: 'old' })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({ slug: 'cursor-expired', isCursorExpired: true, problem })
  })

  it('throws a problem with the status when something in between answered otherwise', async () => {
    const { baseUrl } = await serverOf([{ status: 502, body: 'bad gateway' }])
    await expect(clientOf(baseUrl).get('x')).rejects.toMatchObject({
      slug: '',
      problem: { status: 502, instance: '/v1/tenders/x' },
    })
  })

  describe('an error whose body breaks off keeps its status', () => {
    /** A connection that is reset in the middle of the body. */
    async function breakingOff(status: number, headers: Record<string, string> = {}) {
      let asked = 0
      const server = createServer((_, response) => {
        asked++
        const head = { 'content-type': 'application/json', 'content-length': '1000', ...headers }
        response.writeHead(status, head)
        response.write('{"type":"http://docs/access#err', () => response.destroy())
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      close = () => new Promise((resolve) => server.close(() => resolve()))
      const waits: number[] = []
      const client = new TenderClient({
        baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        token: 'made-up',
        sleep: async (ms) => void waits.push(ms),
        clock: () => 0,
        maxWaitMs: 20_000,
      })
      const error = await client.page().catch((thrown: unknown) => thrown)
      return { error, asked, waits }
    }

    it.each([400, 401, 403, 404])('%i: refused at once', async (status) => {
      const { error, asked, waits } = await breakingOff(status)
      expect(error).toBeInstanceOf(ProblemError)
      expect(error).toMatchObject({ problem: { status } })
      expect({ asked, waits }).toEqual({ asked: 1, waits: [] })
    })

    it.each([429, 503])('%i: waits as long as the answer says', async (status) => {
      const { error, waits } = await breakingOff(status, { 'retry-after': '8' })
      expect(error).toMatchObject({ problem: { status } })
      expect(waits).toEqual([8000, 8000])
    })
  })

  it('has the types of the committed contract: run `npm run generate` when this fails', () => {
    expect(readFileSync(new URL('./types.ts', import.meta.url), 'utf8')).toBe(generateTypes(readContract()))
  })
})

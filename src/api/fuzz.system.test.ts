// Random queries, paths, headers and cursors over real HTTP: never a fault of the service, every error is a complete
// problem.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, startApi, startOfTests } from '../../test/api-world.ts'
import { plainId } from '../../test/memory-editions.ts'
import { readAnswer, sendRaw } from '../../test/raw-http.ts'
import { listParameters } from './parameters/parameters.ts'
import { problemSlugs } from './problems/problems.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await startApi()
  world.tokens.grants[0] = { ...world.tokens.grants[0]!, requestsPerMinute: 1_000_000 }
  world.editions.publish(startOfTests, [
    { id: plainId(1) },
    { id: plainId(2), cpvCodes: ['45210000'] },
    { id: plainId(3) },
  ])
})
afterAll(() => world[Symbol.asyncDispose]())

/** Expects 200 or a problem from the catalog, never 5xx. */
function expectSound(status: number, contentType: string | null, body: string, isInList: boolean): void {
  if (status === 200) {
    if (isInList) expect(JSON.parse(body)).toMatchObject({ data: expect.any(Array) })
    return
  }
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(contentType).toBe('application/problem+json')
  const problem = JSON.parse(body)
  expect(problem.status).toBe(status)
  expect(problemSlugs).toContain(problem.type.split('#error-')[1])
  expect(body).not.toMatch(/node_modules|\.ts:|Error:/)
}

const wildText = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '45210000',
    'DE2',
    '2026-11-02T08:00:00Z',
    'true',
    '5',
    'open',
    '',
    ',',
    '\u0000',
    '../..',
    '<script>',
    "' or 1=1 --",
    '{{7*7}}',
    '%00',
  ),
)
const wildName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...listParameters.map(({ name }) => name)) },
  { weight: 1, arbitrary: wildText },
)
const encoded = fc
  .tuple(wildText, fc.boolean())
  .map(([text, isRaw]) => (isRaw ? text.replace(/[^!-"$-~]/g, '') : encodeURIComponent(text)))

test('random query strings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(wildName.map(encodeURIComponent), encoded), { maxLength: 8 }), async (pairs) => {
      const response = await world.get(`/v1/tenders?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`)
      expectSound(response.status, response.headers.get('content-type'), await response.text(), true)
    }),
    { numRuns: 600 },
  )
})

test('C53: a cursor with any byte altered is 400, never data', async () => {
  const { nextCursor } = (await (await world.get('/v1/tenders?limit=1')).json()) as { nextCursor: string }
  await fc.assert(
    fc.asyncProperty(fc.nat(nextCursor.length - 1), fc.integer({ min: 33, max: 126 }), async (index, code) => {
      const altered = nextCursor.slice(0, index) + String.fromCharCode(code) + nextCursor.slice(index + 1)
      if (altered === nextCursor) return
      const response = await world.get(`/v1/tenders?limit=1&cursor=${encodeURIComponent(altered)}`)
      expect(response.status).toBe(400)
      expect(((await response.json()) as { type: string }).type).toContain('#error-cursor-invalid')
    }),
    { numRuns: 400 },
  )
})

test('random paths', async () => {
  const path = fc.array(fc.oneof(encoded, fc.constantFrom('v1', 'tenders', '..', '', plainId(1))), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(path, fc.constantFrom('', '/v1/tenders/'), async (parts, start) => {
      const target = `${start}/${parts.join('/')}`.replace(/[^!-~]/g, '')
      const text = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${world.token}\r\n\r\n`
      const answer = readAnswer(await sendRaw(world.port, text))
      expectSound(answer.status, answer.headers.get('content-type') ?? null, answer.body, false)
    }),
    { numRuns: 400 },
  )
})

test('random headers, and random bytes on the socket', async () => {
  const name = fc.oneof(
    fc.constantFrom(
      'Authorization',
      'Accept-Encoding',
      'If-None-Match',
      'Accept',
      'Range',
      'Cookie',
      'X-Forwarded-For',
    ),
  )
  const value = fc.string({ unit: 'binary-ascii', maxLength: 80 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (headers) => {
      const lines = headers.map(([key, text]) => `${key}: ${text.replace(/[\r\n]/g, '')}\r\n`).join('')
      const text = `GET /v1/tenders HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`
      const answer = readAnswer(await sendRaw(world.port, text))
      expectSound(answer.status, answer.headers.get('content-type') ?? null, answer.body, true)
    }),
    { numRuns: 300 },
  )
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
      const text = await sendRaw(world.port, Buffer.concat([bytes, Buffer.from(' x\r\n\r\n')]))
      if (text !== '') {
        const answer = readAnswer(text)
        expectSound(answer.status, answer.headers.get('content-type') ?? null, answer.body, false)
      }
    }),
    { numRuns: 200 },
  )
  expect((await world.get('/v1/tenders')).status).toBe(200)
})

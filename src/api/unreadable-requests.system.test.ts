// Proves C132, D9 and D50 with bytes that no HTTP client would send.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, startApi, startOfTests } from '../../test/api-world.ts'
import { plainId } from '../../test/memory-editions.ts'
import { readAnswer, sendRaw } from '../../test/raw-http.ts'
import { explainParserError } from './unreadable-requests.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await startApi()
  world.editions.publish(startOfTests, [{ id: plainId(1) }])
})
afterAll(() => world[Symbol.asyncDispose]())

/** Sends one request and checks that the answer is a complete problem. */
async function problemFor(
  text: string,
): Promise<{ status: number; slug: string; instance: string; headers: ReadonlyMap<string, string> }> {
  const answer = readAnswer(await sendRaw(world.port, text))
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.headers.get('date')).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  const body = JSON.parse(answer.body)
  expect(body).toMatchObject({
    status: answer.status,
    title: expect.any(String),
    detail: expect.any(String),
    requestId: answer.headers.get('x-request-id'),
  })
  expect(body.type.startsWith(`${world.docsUrl}/access#error-`)).toBe(true)
  return {
    status: answer.status,
    slug: body.type.split('#error-')[1],
    instance: body.instance,
    headers: answer.headers,
  }
}

const host = 'Host: a\r\nConnection: close\r\n'
const bearer = () => `Authorization: Bearer ${world.token}\r\n`

describe('requests that are too long', () => {
  test('D50: an address of 8,192 bytes is read, one byte more is 414', async () => {
    const target = (length: number) => `/v1/tenders?x=${'a'.repeat(length - 14)}`
    expect(await problemFor(`GET ${target(8192)} HTTP/1.1\r\n${host}${bearer()}\r\n`)).toMatchObject({
      status: 400,
      slug: 'invalid-parameter',
    })
    for (const length of [8193, 20_000, 60_000, 300_000]) {
      expect(await problemFor(`GET ${target(length)} HTTP/1.1\r\n${host}${bearer()}\r\n`)).toMatchObject({
        status: 414,
        slug: 'uri-too-long',
        instance: '/v1/tenders',
      })
    }
  })

  test('D50: headers of up to 16,384 bytes are read, even with a long address; more is 431', async () => {
    const request = (length: number, target = '/v1/tenders') => {
      const rest = `${host}${bearer()}`
      return `GET ${target} HTTP/1.1\r\n${rest}X-Fill: ${'a'.repeat(length - rest.length - 10)}\r\n\r\n`
    }
    const long = `/v1/tenders?x=${'a'.repeat(8000)}`
    expect((await problemFor(request(16_384, long))).slug).toBe('invalid-parameter')
    expect(readAnswer(await sendRaw(world.port, request(16_384))).status).toBe(200)
    for (const length of [16_386, 30_000, 200_000]) {
      expect(await problemFor(request(length))).toMatchObject({
        status: 431,
        slug: 'headers-too-large',
        instance: '/v1/tenders',
      })
    }
  })

  test('many small headers are refused as well', async () => {
    expect((await problemFor(`GET /v1/tenders HTTP/1.1\r\n${host}${'a:b\r\n'.repeat(6000)}\r\n`)).status).toBe(431)
  })
})

describe('not HTTP', () => {
  test.each([
    ['garbage', 'hello\r\n\r\n'],
    ['no version', 'GET /v1/tenders\r\n\r\n'],
    ['a future version', 'GET /v1/tenders HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['a space in the address', 'GET /v1/te nders HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['letters beyond ASCII in the address', 'GET /v1/tend\u00e9rs HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a header without a colon', 'GET /v1/tenders HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n'],
    ['a NUL in a header', 'GET /v1/tenders HTTP/1.1\r\nHost: a\r\nX: a\u0000b\r\n\r\n'],
    ['two lengths', 'GET /v1/tenders HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'length and chunks',
      'POST /v1/tenders HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a TLS hello', '\u0016\u0003\u0001\u0000\u0001\u0001\r\n\r\n'],
    ['no Host', 'GET /v1/tenders HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', `GET /v1/tenders HTTP/1.1\r\n${host}host: b\r\n\r\n`],
    ['a fragment', `GET /v1/tenders#a HTTP/1.1\r\n${host}\r\n`],
  ])('C132: %s is a 400 problem', async (_name, text) => {
    expect(await problemFor(text)).toMatchObject({ status: 400, slug: 'malformed-request' })
  })

  test('D5: a method that no parser knows is also 405', async () => {
    const problem = await problemFor('FROBNICATE /v1/tenders HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(problem).toMatchObject({ status: 405, slug: 'method-not-allowed', instance: '/v1/tenders' })
    expect(problem.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await problemFor('FROBNICATE /v1/x HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(404)
    expect((await problemFor('CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n')).status).toBe(405)
  })

  test('D4: a path that cannot be decoded is no path', async () => {
    for (const path of ['/%zz', '/v1/tenders/%ff', '/v1/%'])
      expect(await problemFor(`GET ${path} HTTP/1.1\r\n${host}\r\n`)).toMatchObject({ status: 404, slug: 'not-found' })
  })
})

test('a request that does not arrive in time is 408', () => {
  const error = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  expect(explainParserError(error)).toMatchObject({ problem: { slug: 'request-timeout' }, path: '/' })
})

describe('well-formed, but rare requests', () => {
  test('D9: a body on GET is 400, counted, and ends the connection', async () => {
    for (const body of ['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n']) {
      const problem = await problemFor(`GET /v1/tenders HTTP/1.1\r\nHost: a\r\n${bearer()}${body}`)
      expect(problem).toMatchObject({ status: 400, slug: 'invalid-parameter' })
      expect(problem.headers.get('x-ratelimit-limit')).toBe('100000')
    }
    const empty = `GET /v1/tenders HTTP/1.1\r\n${host}${bearer()}Content-Length: 0\r\n\r\n`
    expect(readAnswer(await sendRaw(world.port, empty)).status).toBe(200)
  })

  test('an expectation is answered at once', async () => {
    for (const value of ['100-continue', 'a-miracle']) {
      const text = `GET /v1/tenders HTTP/1.1\r\n${host}Expect: ${value}\r\n\r\n`
      expect(await problemFor(text)).toMatchObject({ status: 401, slug: 'unauthorized' })
    }
  })

  test('an address in absolute form, HTTP/1.0 and an upgrade are served like plain requests', async () => {
    const texts = [
      `GET http://a/v1/tenders HTTP/1.1\r\n${host}${bearer()}\r\n`,
      `GET /v1/tenders HTTP/1.0\r\n${bearer()}\r\n`,
      `GET /v1/tenders HTTP/1.1\r\nHost: a\r\n${bearer()}Connection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    ]
    for (const text of texts) expect(readAnswer(await sendRaw(world.port, text)).status).toBe(200)
  })

  test('pipelined requests are answered in order, and one that is broken ends it with a problem', async () => {
    const one = `GET /v1/tenders HTTP/1.1\r\nHost: a\r\n${bearer()}\r\n`
    const text = await sendRaw(world.port, `${one}${one}nonsense\r\n\r\n`)
    expect([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toContain('200')
    expect(text.match(/HTTP\/1\.1 (\d{3})/)?.[1]).toBe('200')
  })
})

test('an error without the bytes that caused it is explained by its code alone', () => {
  const error = (code: string) => Object.assign(new Error(code), { code })
  expect(explainParserError(error('HPE_HEADER_OVERFLOW'))).toMatchObject({
    problem: { slug: 'headers-too-large' },
    path: '/',
  })
  expect(explainParserError(error('HPE_INVALID_METHOD'))).toMatchObject({ problem: { slug: 'malformed-request' } })
})

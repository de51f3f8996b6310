// Attempts against receivers that misbehave, over real sockets on this machine.
import dns from 'node:dns'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer as createSocketServer, isIP } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { checkEndpointName } from './endpoint-address.ts'
import { failureOf, openSender } from './send-attempt.ts'

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

const portOf = (server: { address: () => unknown }) => (server.address() as AddressInfo).port

async function receiver(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  opened.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${portOf(server)}/hook`
}

function sender(timeoutMs = 2000) {
  const made = openSender({ version: '0.1.0', now: () => Date.UTC(2026, 10, 22), timeoutMs })
  opened.push(made.close)
  return (url: string, signal?: AbortSignal) =>
    made.send({
      url,
      network: 'loopback',
      headers: { 'webhook-id': 'msg_1' },
      body: '{"a":"€"}',
      ...(signal && { signal }),
    })
}

/** 50 MB of zeros. Packed before any attempt begins: an attempt has a second. */
const bomb = gzipSync(Buffer.alloc(5e7))

describe('an attempt', () => {
  test('posts the body byte for byte, and keeps the beginning of the answer', async () => {
    const got: unknown[] = []
    const url = await receiver((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        const { method, headers } = request
        got.push(method, headers['content-type'], headers['webhook-id'], headers['user-agent'])
        got.push(Buffer.concat(pieces).toString())
        response.writeHead(202).end(`thanks\0${'.'.repeat(5000)}`)
      })
    })
    const { outcome, answer } = await sender()(url)
    expect(outcome).toEqual({ kind: 'answered', status: 202 })
    expect(answer).toBe(`thanks\uFFFD${'.'.repeat(1017)}`)
    expect(got).toEqual(['POST', 'application/json', 'msg_1', 'Tenderstock-Webhooks/0.1.0', '{"a":"€"}'])
  })

  test('follows no redirect', async () => {
    let asked = 0
    const url = await receiver((_request, response) => {
      asked++
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect((await sender()(url)).outcome).toEqual({ kind: 'answered', status: 307 })
    expect(asked).toBe(1)
  })

  test('understands when to retry', async () => {
    const url = await receiver((_request, response) => void response.writeHead(429, { 'retry-after': '90' }).end())
    expect((await sender()(url)).outcome).toEqual({ kind: 'answered', status: 429, retryAfterMs: 90_000 })
  })

  test.each<[string, (response: ServerResponse) => void]>([
    ['endless', (response) => void setInterval(() => response.write('x'.repeat(60_000)), 1).unref()],
    ['a gigabyte', (response) => void response.writeHead(200, { 'content-length': 1e9 }).write('x'.repeat(100_000))],
    [
      'cut off',
      (response) => void response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy()),
    ],
    ['packed, and a bomb', (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)],
    ['no gzip', (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed')],
    ['dripping', (response) => void setInterval(() => response.write('x'), 50).unref()],
  ])('uses the status of an answer that is %s', async (_, answer) => {
    const url = await receiver((_request, response) => {
      response.on('error', () => {})
      answer(response)
    })
    const before = process.memoryUsage.rss()
    const { outcome, answer: text } = await sender(1000)(url)
    expect(outcome).toEqual({ kind: 'answered', status: 200 })
    expect(text!.length).toBeLessThanOrEqual(1024)
    expect(process.memoryUsage.rss() - before).toBeLessThan(100e6)
  })

  test('ends in time when no answer comes', async () => {
    const url = await receiver(() => {})
    const { outcome, milliseconds } = await sender(300)(url)
    expect(outcome).toEqual({ kind: 'failed', failure: 'timeout' })
    expect(milliseconds).toBeGreaterThanOrEqual(250)
  })

  test('ends in time when headers arrive byte by byte', async () => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => {})
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('x-a: b\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    opened.push(() => server.close())
    const { outcome } = await sender(300)(`http://127.0.0.1:${portOf(server)}/`)
    expect(outcome.kind).toBe('failed')
  })

  test.each<[string, (response: ServerResponse) => void]>([
    ['broken', (response) => response.socket!.destroy()],
    ['broken', (response) => response.socket!.end('this is not HTTP\r\n\r\n')],
  ])('reports %s', async (failure, answer) => {
    const url = await receiver((_request, response) => answer(response))
    expect((await sender()(url)).outcome).toEqual({ kind: 'failed', failure })
  })

  test('distinguishes a refused connection from a TLS error', async () => {
    const url = await receiver(() => {})
    const tls = createTlsServer({}, () => {})
    await new Promise<void>((done) => tls.listen(0, '127.0.0.1', done))
    opened.push(() => tls.close())
    expect((await sender()(url.replace('http:', 'https:'))).outcome).toEqual({ kind: 'failed', failure: 'tls' })
    expect((await sender()(`https://127.0.0.1:${portOf(tls)}/`)).outcome).toEqual({ kind: 'failed', failure: 'tls' })
    expect((await sender()('http://127.0.0.1:1/')).outcome).toEqual({ kind: 'failed', failure: 'refused' })
  })

  test('is canceled on request, and then has no outcome', async () => {
    const url = await receiver(() => {})
    const stopping = new AbortController()
    setTimeout(() => stopping.abort(new Error('stopping')), 50)
    await expect(sender()(url, stopping.signal)).rejects.toThrow('stopping')
  })

  test('never reaches this machine under the rules for public addresses, in any form of its address', async () => {
    let reached = 0
    const url = await receiver((_request, response) => {
      reached++
      response.end()
    })
    const { send, close } = openSender({ version: '0.1.0', now: () => 0, timeoutMs: 1000 })
    opened.push(close)
    const port = new URL(url).port
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      'localhost',
      '[::1]',
      '[::ffff:127.0.0.1]',
    ]
    for (const host of [...hosts, '0.0.0.0', '[::]', '１２７.０.０.１', '[64:ff9b::7f00:1]', '[2002:7f00:1::]']) {
      const { outcome } = await send({ url: `http://${host}:${port}/`, network: 'public', headers: {}, body: '' })
      expect({ host, outcome }).toEqual({ host, outcome: { kind: 'failed', failure: 'forbidden-address' } })
    }
    expect(reached).toBe(0)
  })
})

describe('a name that changes its address', () => {
  /** Global unicast that nobody has: connecting to it fails. */
  const foreign = '3ffe::1'
  const here = '127.0.0.1'
  const url = (port: number) => `https://hooks.example.org:${port}/`

  /** Everything that resolves names in this process receives these answers, in a cycle. */
  function answerNames(...answers: readonly (readonly string[])[]) {
    let asked = 0
    const { lookup } = dns
    const promised = dns.promises.lookup
    const next = () => answers[asked++ % answers.length]!.map((address) => ({ address, family: isIP(address) }))
    const answer = (_name: string, ...rest: readonly unknown[]) => {
      const isAll = (rest[0] as { readonly all?: boolean }).all === true
      const callback = rest.at(-1) as (error: null, address: unknown, family?: number) => void
      const found = next()
      process.nextTick(() => (isAll ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)))
    }
    Object.assign(dns, { lookup: answer })
    Object.assign(dns.promises, { lookup: async () => next() })
    syncBuiltinESMExports()
    opened.push(() => {
      Object.assign(dns, { lookup })
      Object.assign(dns.promises, { lookup: promised })
      syncBuiltinESMExports()
    })
    return () => asked
  }

  async function listener() {
    let reached = 0
    const server = createSocketServer((socket) => {
      reached++
      socket.destroy()
    })
    await new Promise<void>((done) => server.listen(0, here, done))
    opened.push(() => server.close())
    return { port: portOf(server), reached: () => reached }
  }

  test.each([
    ['public, then of this machine', [[foreign], [here]]],
    ['of this machine, then public', [[here], [foreign]]],
    ['public and of this machine', [[foreign, here]]],
    ['of this machine, and public', [[here, foreign]]],
  ])('is resolved once for each attempt, and never reaches this machine: %s', async (_, answers) => {
    const { port, reached } = await listener()
    const asked = answerNames(...answers)
    const { send, close } = openSender({ version: '0.1.0', now: () => 0, timeoutMs: 300 })
    opened.push(close)
    for (let attempt = 0; attempt < 4; attempt++) {
      const isForbidden = answers[attempt % answers.length]!.includes(here)
      const { outcome } = await send({ url: url(port), network: 'public', headers: {}, body: '' })
      expect(outcome.kind).toBe('failed')
      expect(outcome.kind === 'failed' && outcome.failure === 'forbidden-address').toBe(isForbidden)
    }
    expect(reached()).toBe(0)
    expect(asked()).toBe(4)
  })

  test('after it was saved never reaches this machine', async () => {
    const { port, reached } = await listener()
    answerNames([foreign], [here])
    const { send, close } = openSender({ version: '0.1.0', now: () => 0, timeoutMs: 300 })
    opened.push(close)
    const saved = { url: url(port), network: 'public' } as const
    await checkEndpointName(saved)
    const { outcome } = await send({ ...saved, headers: {}, body: '' })
    expect(outcome).toEqual({ kind: 'failed', failure: 'forbidden-address' })
    await expect(checkEndpointName(saved)).resolves.toBeUndefined()
    await expect(checkEndpointName(saved)).rejects.toThrow(/leads into a private network/)
    expect(reached()).toBe(0)
  })
})

test.each([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['ECONNREFUSED', 'refused'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'broken'],
  ['EMFILE', 'other'],
])('%s is %s', (code, failure) => {
  const cause = Object.assign(new Error('x'), { code })
  expect(failureOf(new Error('around', { cause }))).toBe(failure)
  expect(failureOf(Object.assign(new Error('all'), { errors: [cause] }))).toBe(failure)
})

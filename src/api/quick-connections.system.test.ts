import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ApiWorld, startApi, startOfTests, waitingTokens } from '../../test/api-world.ts'
import { plainId } from '../../test/memory-editions.ts'
import { type RawAnswer, readAnswer, sendRaw } from '../../test/raw-http.ts'
import { seed } from '../../test/testing/seed.ts'
import { quickHeader, readQuickHeaders } from './quick-connections.ts'

console.log(`quick-connections.test seed ${seed} (SEED repeats it)`)

describe('headers', () => {
  test('the plain ones are read, names in any case, blanks around the value dropped', () => {
    expect(
      readQuickHeaders(
        'HOST:a\r\naccept-Encoding:  gzip \r\nAuthorization: Bearer x\r\nIf-None-Match: *\r\nX-Other: 1\r\nConnection: Keep-Alive\r\n\r\n',
      ),
    ).toEqual({ acceptEncoding: 'gzip', authorization: 'Bearer x', ifNoneMatch: '*', forwardedFor: undefined })
  })

  test('any of them is found by its name as a whole, in any case', () => {
    const text = 'Host: a\r\nX-Traceparent: 1\r\nTRACEPARENT:  00-2 \r\ntraceparent: 3\r\n\r\n'
    expect(['traceparent', 'TraceParent', 'host', 'trace', 'none'].map((name) => quickHeader(text, name))).toEqual([
      '00-2',
      '00-2',
      'a',
      undefined,
      undefined,
    ])
  })

  test.each([
    ['no host', 'A: b\r\n\r\n'],
    ['two hosts', 'Host: a\r\nHost: a\r\n\r\n'],
    ['a repeated field with a meaning', 'Host: a\r\nAuthorization: x\r\nauthorization: y\r\n\r\n'],
    ['a body', 'Host: a\r\nContent-Length: 0\r\n\r\n'],
    ['chunks', 'Host: a\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['an end of the connection', 'Host: a\r\nConnection: close\r\n\r\n'],
    ['an upgrade', 'Host: a\r\nUpgrade: h2c\r\n\r\n'],
    ['an expectation', 'Host: a\r\nExpect: 100-continue\r\n\r\n'],
    ['a folded line', 'Host: a\r\nX: b\r\n c\r\n\r\n'],
    ['a blank before the colon', 'Host : a\r\n\r\n'],
    ['a line that ends without CR', 'Host: a\nX: b\r\n\r\n'],
    ['a CR within', 'Host: a\rX: b\r\n\r\n'],
    ['a control character', 'Host: a\r\nX: \u0000\r\n\r\n'],
    ['a character beyond ASCII', 'Host: a\r\nX: \u00e9\r\n\r\n'],
    ['no end', 'Host: a\r\n'],
    ['something behind the end', 'Host: a\r\n\r\nG'],
    ['nothing', '\r\n'],
  ])('%s is left to the parser of the server', (_, text) => {
    expect(readQuickHeaders(text)).toBeUndefined()
  })
})

async function worldOfThree(): Promise<ApiWorld> {
  const world = await startApi()
  world.editions.publish(startOfTests, [
    { id: plainId(1), cpvCodes: ['45000000'] },
    { id: plainId(2), status: 'merged', archiveReason: 'merged', mergedInto: plainId(1) },
    { id: plainId(3) },
  ])
  return world
}

/** What must be equal on both ways: everything that does not differ from request to request. */
function comparable({ status, headers, body }: RawAnswer): unknown {
  const isPacked = headers.get('content-encoding') === 'gzip'
  const bytes = Buffer.from(body, 'latin1')
  const text = (isPacked && bytes.length > 0 ? gunzipSync(bytes) : bytes).toString()
  // The length of a compressed page depends on its cursor, which differs each time.
  const passing = new Set(['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
  if (isPacked) passing.add('content-length')
  return {
    status,
    headers: [...headers].filter(([name]) => !passing.has(name)),
    body: text.replace(/"requestId":"[^"]+"/, '').replace(/"nextCursor":"[^"]+"/, ''),
  }
}

/** Sends one request on a separate connection and reads its one answer to the end. */
async function askOn(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  const received = await readUntil(socket, isWhole)
  socket.destroy()
  return received
}

async function readUntil(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += (chunk as Buffer).toString('latin1')
    if (isEnough(text)) break
  }
  return text
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  if (text.startsWith('HTTP/1.1 304')) return true
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))
  return length !== null && text.length - end - 4 >= Number(length[1])
}

test('D10: the short way answers exactly as the server does, byte for byte', async () => {
  await using world = await worldOfThree()
  const { etag } = Object.fromEntries((await world.get(`/v1/tenders/${plainId(1)}`)).headers)
  const { nextCursor } = (await (await world.get('/v1/tenders?limit=1&archived=true')).json()) as { nextCursor: string }
  const targets = fc.constantFrom(
    '/v1/tenders',
    '/v1/tenders?limit=1',
    '/v1/tenders?archived=true&limit=2',
    `/v1/tenders?limit=2&archived=true&cursor=${nextCursor}`,
    `/v1/tenders?limit=2&cursor=${nextCursor}`,
    `/v1/tenders?cursor=${nextCursor}&archived=true`,
    `/v1/tenders?archived=true&cursor=${nextCursor}&cursor=${nextCursor}`,
    `/v1/tenders?archived=true&%63ursor=x&cursor=${nextCursor}`,
    '/v1/tenders?archived=true&cursor=abc',
    '/v1/tenders?archived=true&cursor=',
    '/v1/tenders?cpv=45000000&cpv=71000000',
    '/v1/tenders?cpv=4500&limit=0',
    '/v1/tenders?page=2',
    '/v1/tenders?title=%zz',
    '/v1/tenders?updated_since=2999-01-01T00:00:00%2B01:00',
    '/v1/tenders?',
    `/v1/tenders/${plainId(1)}`,
    `/v1/tenders/${plainId(2)}`,
    `/v1/tenders/${plainId(9)}`,
    `/v1/tenders/${plainId(1)}?fields=id`,
    `/v1/tenders/${'a'.repeat(36)}`,
    `/v1/tenders/${'-'.repeat(36)}`,
  )
  const headers = fc.record({
    authorization: fc.constantFrom(
      `Bearer ${world.token}`,
      `Bearer ${world.token}`,
      `bearer   ${world.token}`,
      `Bearer ${world.token}x`,
      'Basic eDp5',
      undefined,
    ),
    'accept-encoding': fc.constantFrom('gzip', 'gzip;q=0', 'identity;q=0, *', 'br', undefined),
    'if-none-match': fc.constantFrom(etag, `"x", ${etag}`, '*', '"x"', undefined),
    'x-request-id': fc.constantFrom('mine', undefined),
  })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('GET', 'HEAD'), targets, headers, async (method, target, fields) => {
      const lines = Object.entries(fields).flatMap(([name, value]) =>
        value === undefined ? [] : `${name}: ${value}\r\n`,
      )
      const request = `${method} ${target} HTTP/1.1\r\nHost: x\r\n${lines.join('')}`
      const read = async (text: string): Promise<unknown> =>
        comparable(readAnswer(method === 'HEAD' ? await headOn(world.port, text) : await askOn(world.port, text)))
      // `TE` requests nothing that we offer, but the server must handle it.
      expect(await read(`${request}\r\n`)).toEqual(await read(`${request}TE: trailers\r\n\r\n`))
    }),
    { seed, numRuns: 150 },
  )
})

async function headOn(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  const received = await readUntil(socket, (answer) => answer.includes('\r\n\r\n'))
  socket.destroy()
  return received
}

describe('connections', () => {
  const request = (world: ApiWorld, target: string, more = ''): string =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.token}\r\n${more}\r\n`
  const last = 'Connection: close\r\n'
  const maxAnswers = 2000
  const statuses = (text: string): string[] => text.match(/HTTP\/1\.1 \d+/g) ?? []

  test('a request in two packets, or byte by byte, is answered', async () => {
    await using world = await worldOfThree()
    const text = request(world, '/v1/tenders?limit=1', last)
    for (const cuts of [[10], [text.length - 1], Array.from({ length: text.length - 1 }, (_, index) => index + 1)]) {
      const socket = connect({ port: world.port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
      const answer = readUntil(socket, () => false)
      let from = 0
      for (const cut of [...cuts, text.length]) {
        await new Promise((done) => socket.write(text.slice(from, cut), done))
        from = cut
      }
      expect(statuses(await answer)).toEqual(['HTTP/1.1 200'])
    }
  })

  test('requests one after the other on a connection, then one of another kind', async () => {
    await using world = await worldOfThree()
    const socket = connect(world.port, '127.0.0.1')
    let text = ''
    let wanted = 0
    let arrived = Promise.withResolvers<void>()
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (statuses(text).length === wanted && text.endsWith('}')) arrived.resolve()
    })
    for (const target of [
      '/v1/tenders?limit=1',
      `/v1/tenders/${plainId(1)}`,
      '/healthz',
      '/v1/tenders?limit=2',
      '/no',
    ]) {
      wanted++
      arrived = Promise.withResolvers()
      socket.write(request(world, target))
      await arrived.promise
    }
    socket.destroy()
    expect(statuses(text).map((line) => line.slice(9))).toEqual(['200', '200', '200', '200', '404'])
  })

  test('pipelined requests are answered in order, in one packet or while the first one waits', async () => {
    const { tokens, asked, gate } = waitingTokens()
    await using world = await startApi({ tokens })
    world.editions.publish(startOfTests, [{ id: plainId(1) }, { id: plainId(2) }])
    const socket = connect(world.port, '127.0.0.1')
    socket.write(request(world, `/v1/tenders/${plainId(1)}`))
    const answer = readUntil(socket, () => false)
    await asked.promise
    await new Promise((done) => socket.write(request(world, `/v1/tenders/${plainId(2)}`), done))
    socket.write(request(world, '/v1/tenders/no') + request(world, `/v1/tenders/${plainId(1)}`, last))
    gate.resolve()
    const text = await answer
    expect(statuses(text)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200'])
    expect(text.match(/"id":"[^"]+"/g)).toEqual([1, 2, 1].map((number) => `"id":"${plainId(number)}"`))
  })

  test('a client that half-closes still receives the answer', async () => {
    await using world = await worldOfThree()
    const socket = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true })
    const answer = readUntil(socket, () => false)
    socket.end(request(world, '/v1/tenders'))
    expect(statuses(await answer)).toEqual(['HTTP/1.1 200'])
  })

  test('even if it half-closes while the token is looked up', async () => {
    const { tokens, asked, gate } = waitingTokens()
    await using world = await startApi({ tokens })
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    const ended = Promise.withResolvers<void>()
    const watch = (message: unknown) => (message as { socket: Socket }).socket.once('end', ended.resolve)
    subscribe('net.server.socket', watch)
    const socket = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true })
    const answer = readUntil(socket, () => false)
    socket.end(request(world, '/v1/tenders'))
    await Promise.all([asked.promise, ended.promise])
    unsubscribe('net.server.socket', watch)
    gate.resolve()
    expect(statuses(await answer)).toEqual(['HTTP/1.1 200'])
  })

  test('a client that does not read blocks one answer, not all that it requests', async () => {
    await using world = await startApi()
    world.editions.publish(
      startOfTests,
      Array.from({ length: 100 }, (_, index) => ({ id: plainId(index), title: 'x'.repeat(100_000) })),
    )
    const socket = connect(world.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.pause()
    const text = request(world, '/v1/tenders?limit=100')
    for (let sent = 0; sent < 10; sent++) await new Promise((done) => socket.write(text, done))
    // Answers another client meanwhile, and all requests in the end.
    expect((await world.get('/v1/tenders?limit=1')).status).toBe(200)
    socket.write(request(world, '/v1/tenders?limit=1', last))
    const answer = await readUntil(socket, () => false)
    expect(statuses(answer)).toHaveLength(11)
  })

  test('the memory of an answer is released once, when the operating system has all of it', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1), title: 'x'.repeat(40_000) }])
    const { record } = world.editions
    let made = 0
    let released = 0
    world.editions.record = (position, encoding) => {
      made++
      return {
        ...record(position, encoding),
        release: () => {
          released++
        },
      }
    }
    const socket = connect(world.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.pause()
    // until the operating system accepts only a part of one
    let asked = 0
    while (released === asked && asked < maxAnswers) {
      socket.write(request(world, `/v1/tenders/${plainId(1)}`))
      asked++
      await expect.poll(() => made, { interval: 1 }).toBe(asked)
      await nextTurn()
    }
    expect([asked - released, asked < maxAnswers]).toEqual([1, true])
    socket.resume()
    await expect.poll(() => released).toBe(asked)
    socket.destroy()
  })

  test('the end of the service ends idle connections', async () => {
    const world = await worldOfThree()
    const socket = connect(world.port, '127.0.0.1')
    socket.write(request(world, '/v1/tenders?limit=1'))
    await once(socket, 'data')
    const silent = connect(world.port, '127.0.0.1')
    await once(silent, 'connect')
    const ends = [socket, silent].map((each) => {
      each.resume()
      return once(each, 'close')
    })
    await world[Symbol.asyncDispose]()
    await Promise.all(ends)
  })

  test('D12: behind a proxy refused requests count for the address that it names, on both ways', async () => {
    await using world = await startApi({ trustedHops: 1, refusedPerMinute: 2 })
    world.editions.publish(startOfTests, [])
    const refused = async (address: string, more: string): Promise<number> =>
      readAnswer(
        await askOn(
          world.port,
          `GET /v1/tenders HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1, ${address}\r\n${more}\r\n`,
        ),
      ).status
    expect([await refused('192.0.2.1', ''), await refused('192.0.2.1', 'TE: x\r\n')]).toEqual([401, 401])
    expect([await refused('192.0.2.1', ''), await refused('192.0.2.1', 'TE: x\r\n')]).toEqual([429, 429])
    expect([await refused('192.0.2.2', ''), await refused('192.0.2.2', 'TE: x\r\n')]).toEqual([401, 401])
  })

  test('anything that is not HTTP is answered as such', async () => {
    await using world = await worldOfThree()
    expect(readAnswer(await sendRaw(world.port, 'GET /v1/tenders HTTP/1.1\r\nHost x\r\n\r\n')).status).toBe(400)
    expect(readAnswer(await sendRaw(world.port, `GET /v1/tenders HTTP/1.1\r\nConnection: close\r\n\r\n`)).status).toBe(
      400,
    )
  })
})

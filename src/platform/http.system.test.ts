// The limits of outgoing HTTP, against servers on loopback.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { programOf } from '../../test/proxies/proxy-process.ts'
import { madeUpCertificate } from '../../test/testing/made-up-certificate.ts'
import { type HttpAnswer, type HttpOptions, isTimeout, openHttp, Refused, Retryable, TooLarge } from './http.ts'
import { ForbiddenAddress, isPublicAddress } from './network-rule.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => new Promise((resolve) => server.close(resolve)))
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

function client(network: 'public' | 'loopback', timeoutMs = 2000) {
  const http = openHttp({ network, timeoutMs })
  closers.unshift(http.close)
  return http
}

describe('outgoing HTTP', () => {
  test('delivers status and body from loopback when the source is declared loopback', async () => {
    const host = await serve((_request, reply) => reply.end('made up'))
    const reply = await client('loopback').get(`http://${host}/x`)
    expect([reply.status, Buffer.from(reply.body).toString()]).toEqual([200, 'made up'])
  })

  test('a public client reaches nothing on this machine, however the address is written', async () => {
    let calls = 0
    const host = await serve((_request, reply) => {
      calls += 1
      reply.end()
    })
    const port = host.split(':')[1]
    const http = client('public')
    for (const name of [
      '127.0.0.1',
      'localhost',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::]',
    ]) {
      await expect(http.get(`http://${name}:${port}/`), name).rejects.toBeInstanceOf(ForbiddenAddress)
    }
    await expect(http.get('file:///etc/passwd')).rejects.toBeInstanceOf(ForbiddenAddress)
    expect(calls).toBe(0)
  })

  test('special-purpose addresses are not public', () => {
    for (const address of [
      '10.1.2.3',
      '100.64.0.1',
      '169.254.169.254',
      '192.168.0.1',
      '64:ff9b::a00:1',
      'fe80::1',
      'fd00::1',
      '2002:7f00:1::',
      '::ffff:8.8.8.8',
    ]) {
      expect(isPublicAddress(address), address).toBe(false)
    }
    for (const address of ['8.8.8.8', '2a00:1450:4001::1']) expect(isPublicAddress(address), address).toBe(true)
  })

  test('a body above the limit, a cut body and a server error are outages, never documents', async () => {
    const host = await serve((request, reply) => {
      if (request.url === '/large') return reply.end('x'.repeat(5000))
      if (request.url === '/cut') {
        reply.writeHead(200, { 'content-length': '100' })
        reply.write('half')
        return reply.destroy()
      }
      reply.writeHead(503).end()
    })
    const http = client('loopback')
    await expect(http.get(`http://${host}/large`, { maxBytes: 1000 })).rejects.toBeInstanceOf(Retryable)
    await expect(http.get(`http://${host}/cut`)).rejects.toBeInstanceOf(Retryable)
    await expect(http.get(`http://${host}/error`)).rejects.toBeInstanceOf(Retryable)
    await expect(client('loopback').get('http://127.0.0.1:1/')).rejects.toBeInstanceOf(Retryable)
  })

  test.skipIf(programOf('openssl') === undefined)('says so if a certificate is not accepted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const reasonOf = async (name: string, isTrusted: boolean) => {
      const paths = madeUpCertificate(folder, name)
      const [key, cert] = [readFileSync(paths.key, 'utf8'), readFileSync(paths.certificate, 'utf8')]
      const server = createSecureServer({ key, cert }, (_request, reply) => reply.end('made up'))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closers.push(() => new Promise((resolve) => server.close(resolve)))
      const trusted = getCACertificates('default')
      if (isTrusted) setDefaultCACertificates([...trusted, cert])
      try {
        await client('loopback').get(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
        return 'accepted'
      } catch (error) {
        return (error as Retryable).reason
      } finally {
        setDefaultCACertificates(trusted)
      }
    }
    // of an unknown maker, for another name, and one that is well
    expect(await reasonOf('IP:127.0.0.1', false)).toBe('tls')
    expect(await reasonOf('DNS:elsewhere.example', true)).toBe('tls')
    expect(await reasonOf('IP:127.0.0.1', true)).toBe('accepted')
  })

  test('tells a portal that is silent or away from one whose body cannot be decoded', async () => {
    const reasonOf = async (host: string, timeoutMs?: number) => {
      const error = await client('loopback', timeoutMs)
        .get(`http://${host}/`)
        .catch((caught: unknown) => caught)
      return [(error as Retryable).reason, isTimeout(error)]
    }
    const garbage = await serve((_request, reply) => {
      reply.setHeader('content-encoding', 'gzip')
      reply.end('no gzip at all')
    })
    const silent = await serve(() => {})
    const plain = await serve((_request, reply) => reply.end())
    expect(await reasonOf(garbage)).toEqual(['wrong-content', false])
    expect(await reasonOf(silent, 50)).toEqual(['no-answer', true])
    expect(await reasonOf('127.0.0.1:1')).toEqual(['no-answer', false])
    const [encrypted] = await Promise.allSettled([client('loopback').get(`https://${plain}/`)])
    expect(encrypted).toMatchObject({ status: 'rejected', reason: { reason: 'tls' } })
  })

  test('`get` leaves redirects to its caller', async () => {
    const host = await serve((_request, reply) => reply.writeHead(302, { location: 'http://169.254.169.254/' }).end())
    expect((await client('loopback').get(`http://${host}/`)).status).toBe(302)
  })
})

const text = async (answer: Pick<HttpAnswer, 'bytes'>) => Buffer.from(await answer.bytes()).toString()

describe('bodies', () => {
  const whole = Buffer.from('made up '.repeat(5000))
  const codings: { readonly [path: string]: readonly [string, Buffer] } = {
    '/gzip': ['gzip', gzipSync(whole)],
    '/x-gzip': ['x-gzip', gzipSync(whole)],
    '/two-members': ['gzip', Buffer.concat([gzipSync(whole.subarray(0, 9)), gzipSync(whole.subarray(9))])],
    '/br': ['br', brotliCompressSync(whole)],
    '/zlib': ['deflate', deflateSync(whole)],
    '/bare-deflate': ['Deflate', deflateRawSync(whole)],
    '/both': ['br, gzip', gzipSync(brotliCompressSync(whole))],
    '/identity': ['identity', whole],
  }
  const coded: RequestListener = (request, reply) => {
    const [path, query] = request.url!.split('?') as [string, string | undefined]
    const [coding, bytes] = codings[path]!
    reply.writeHead(200, { 'content-encoding': coding })
    reply.end(query === 'cut' ? bytes.subarray(0, bytes.length - 9) : bytes)
  }

  test('are decoded from every content coding, whole, in pieces and after a peek', async () => {
    const host = await serve(coded)
    const http = client('loopback')
    for (const path of Object.keys(codings)) {
      const answer = await http.send({ url: `http://${host}${path}` })
      expect(Buffer.from(await answer.peek(7)).toString(), path).toBe('made up')
      expect(await text(answer), path).toBe(whole.toString())
      const pieces: Uint8Array[] = []
      for await (const chunk of (await http.send({ url: `http://${host}${path}` })).chunks()) pieces.push(chunk)
      expect(Buffer.concat(pieces).equals(whole), path).toBe(true)
    }
  })

  test('that end before their coding does are outages, whatever the connection reports', async () => {
    const host = await serve(coded)
    const http = client('loopback')
    for (const path of Object.keys(codings).filter((each) => each !== '/identity')) {
      await expect((await http.send({ url: `http://${host}${path}?cut` })).bytes(), path).rejects.toThrow(Retryable)
    }
  })

  test('that break off, or are shorter than announced, are outages and not short files', async () => {
    const host = await serve((request, reply) => {
      if (request.url === '/announced') reply.writeHead(200, { 'content-length': '100' })
      reply.write('half')
      // only when the client has it: otherwise the answer would never have begun
      setImmediate(() => reply.destroy())
    })
    const http = client('loopback')
    for (const path of ['/announced', '/chunked']) {
      const read = async () => text(await http.send({ url: `http://${host}${path}` }))
      await expect(read(), path).rejects.toThrow(Retryable)
    }
  })

  test('of a bomb end with an error at the limit: 1 GiB in 1 MB is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024))
    let sent = 0
    const host = await serve((_request, reply) => {
      reply.writeHead(200, { 'content-encoding': 'gzip' })
      for (let member = 0; member < 64; member += 1) {
        sent += bomb.length
        reply.write(bomb)
      }
      reply.end()
    })
    let seen = 0
    const read = async () => {
      const answer = await client('loopback').send({ url: `http://${host}/`, maxBytes: 1024 * 1024 })
      for await (const chunk of answer.chunks()) seen += chunk.length
    }
    await expect(read()).rejects.toThrow(TooLarge)
    expect(seen).toBeLessThanOrEqual(1024 * 1024)
    expect(sent).toBeGreaterThan(64 * 10_000)
  })

  test('of compressed nothing without an end are limited by the bytes on the line', async () => {
    const nothing = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')))
    const host = await serve((_request, reply) => {
      reply.writeHead(200, { 'content-encoding': 'gzip' })
      const more = () => {
        while (!reply.destroyed && reply.write(nothing));
      }
      reply.on('drain', more)
      more()
    })
    const answer = await client('loopback').send({ url: `http://${host}/`, maxBytes: 100_000 })
    await expect(answer.bytes()).rejects.toThrow(TooLarge)
  })

  test('announced larger than allowed are not begun', async () => {
    const host = await serve((_request, reply) => {
      reply.writeHead(200, { 'content-length': '5000000000' })
      reply.write('a')
    })
    const answer = await client('loopback').send({ url: `http://${host}/`, maxBytes: 4_000_000_000 })
    await expect(answer.bytes()).rejects.toThrow(TooLarge)
  })

  test('that drip without ever pausing too long end at the limit for the whole', async () => {
    const drips: NodeJS.Timeout[] = []
    closers.push(async () => drips.forEach(clearInterval))
    const host = await serve((_request, reply) => {
      reply.writeHead(200)
      drips.push(setInterval(() => reply.write('.'), 20))
    })
    const http = openHttp({ network: 'loopback', timeoutMs: 1000, wholeTimeoutMs: 300, streamTimeoutMs: 300 })
    closers.unshift(http.close)
    await expect((await http.send({ url: `http://${host}/` })).bytes()).rejects.toThrow('did not end within')
    const stream = async () => {
      for await (const _ of (await http.send({ url: `http://${host}/` })).chunks());
    }
    await expect(stream()).rejects.toThrow('did not end within')
  })

  test('that pause longer than the time limit end, but not while their consumer takes its time', async () => {
    const large = Buffer.alloc(8 * 1024 * 1024, 'a')
    const host = await serve((request, reply) => {
      if (request.url === '/rests') return void reply.writeHead(200).write('a')
      reply.end(large)
    })
    const http = openHttp({ network: 'loopback', timeoutMs: 250, streamTimeoutMs: 500 })
    closers.unshift(http.close)
    await expect((await http.send({ url: `http://${host}/rests` })).bytes()).rejects.toThrow(Retryable)
    let size = 0
    for await (const chunk of (await http.send({ url: `http://${host}/` })).chunks()) {
      // longer than both limits
      if (size === 0) await new Promise((resolve) => setTimeout(resolve, 800))
      size += chunk.length
    }
    expect(size).toBe(large.length)
  })

  test('that nobody continues to read are abandoned and free their connection', async () => {
    const host = await serve((_request, reply) => reply.end(Buffer.alloc(8 * 1024 * 1024)))
    const http = openHttp({ network: 'loopback', unreadTimeoutMs: 20 })
    closers.unshift(http.close)
    const answer = await http.send({ url: `http://${host}/` })
    await answer.ended
    await expect(answer.bytes()).rejects.toThrow('was given up')
  })

  test('read to the end, left early or discarded hold no connection', async () => {
    const host = await serve((_request, reply) => reply.end(Buffer.alloc(1024 * 1024)))
    const http = client('loopback')
    const ask = () => http.send({ url: `http://${host}/` })
    const read = await ask()
    await read.bytes()
    await read.ended
    await expect(read.bytes()).rejects.toThrow('was already read')
    const left = await ask()
    for await (const _ of left.chunks()) break
    await left.ended
    const thrownAway = await ask()
    await thrownAway.discard()
    await thrownAway.ended
  })

  test('end with the reason of the signal that ends them', async () => {
    const host = await serve((request, reply) => {
      if (request.url !== '/silent') reply.writeHead(200).write('a')
    })
    const http = client('loopback')
    const early = new AbortController()
    const asked = http.send({ url: `http://${host}/silent`, signal: early.signal })
    early.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    const late = new AbortController()
    const answer = await http.send({ url: `http://${host}/`, signal: late.signal })
    const reading = answer.bytes()
    late.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    await expect(http.send({ url: `http://${host}/`, signal: late.signal })).rejects.toThrow('enough')
  })
})

/** A portal on loopback that has a name on the public network. */
async function portal(listener: RequestListener, options: Partial<HttpOptions> = {}) {
  const host = await serve(listener)
  const http = openHttp({
    network: 'loopback',
    timeoutMs: 2000,
    route: (url) => new URL(`http://${host}/${url.protocol.slice(0, -1)}/${url.host}${url.pathname}${url.search}`),
    ...options,
  })
  closers.unshift(http.close)
  return http
}

describe('requests and redirects', () => {
  test('send method, headers and body, and the same again after 307 and 308; 301 to 303 turn POST into GET', async () => {
    const http = await portal(async (request, reply) => {
      const status = Number(request.url!.split('/').at(-1))
      if (status >= 300) return reply.writeHead(status, { location: '/1' }).end()
      let body = ''
      for await (const chunk of request) body += chunk
      reply.end(`${request.method} ${request.headers['content-type'] ?? '-'} ${body}`)
    })
    const headers = { 'Content-Type': 'application/json' }
    const ask = (status: number, method: 'POST' | 'GET' | 'PUT' = 'POST') =>
      http.send({
        url: `https://portal.example/${status}`,
        method,
        headers,
        ...(method !== 'GET' && { body: '{"a":1}' }),
      })
    for (const status of [1, 307, 308]) expect(await text(await ask(status))).toBe('POST application/json {"a":1}')
    for (const status of [301, 302, 303]) expect(await text(await ask(status))).toBe('GET - ')
    expect(await text(await ask(302, 'PUT'))).toBe('PUT application/json {"a":1}')
    expect(await text(await ask(303, 'PUT'))).toBe('GET - ')
    const last = await ask(302, 'GET')
    expect([last.status, last.url]).toEqual([200, 'https://portal.example/1'])
    await last.discard()
  })

  test('headers that may be secret stay with the origin for which they were meant', async () => {
    const http = await portal((request, reply) => {
      if (request.url!.endsWith('/away')) return reply.writeHead(302, { location: 'https://other.example/end' }).end()
      if (request.url!.endsWith('/near')) return reply.writeHead(302, { location: '/end' }).end()
      reply.end(JSON.stringify(request.headers))
    })
    const headers = { Authorization: 'Bearer x', 'Ocp-Apim-Subscription-Key': 'y', Accept: 'text/csv', Cookie: 'z' }
    const received = async (path: string) =>
      JSON.parse(await text(await http.send({ url: `https://portal.example${path}`, headers }))) as Record<
        string,
        string
      >
    expect(await received('/near')).toMatchObject({ authorization: 'Bearer x', 'ocp-apim-subscription-key': 'y' })
    const away = await received('/away')
    expect(away.accept).toBe('text/csv')
    expect(Object.keys(away)).not.toEqual(expect.arrayContaining(['authorization']))
    expect(JSON.stringify(away)).not.toMatch(/Bearer|"[yz]"/)
  })

  test('never lead into a private network, from https to http, out of http or round in a circle', async () => {
    const targets: string[] = []
    const http = await portal((request, reply) => {
      const url = new URL(request.url!, 'http://x')
      targets.push(url.pathname)
      if (url.pathname.endsWith('/circle')) return reply.writeHead(302, { location: '/circle' }).end()
      const to = url.searchParams.get('to')
      const hops = Number(url.searchParams.get('hops') ?? 0)
      const location = to ?? (hops > 0 ? `?hops=${hops - 1}` : undefined)
      if (location === undefined) return reply.end('arrived')
      reply.writeHead(302, { location, 'set-cookie': 'seen=1' }).end()
    })
    const ask = (to: string, from = 'https://portal.example/') =>
      http.send({ url: `${from}?to=${encodeURIComponent(to)}` })
    for (const to of [
      'https://169.254.169.254/latest',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://0x7f.1/',
      'https://10.0.0.1:8443/',
      'http://portal.example/plain',
      'ftp://portal.example/',
      'file:///etc/passwd',
    ])
      await expect(ask(to), to).rejects.toBeInstanceOf(ForbiddenAddress)
    expect(targets.every((path) => path === '/https/portal.example/')).toBe(true)
    await expect(http.send({ url: 'https://192.168.1.1/' })).rejects.toBeInstanceOf(ForbiddenAddress)
    await expect(ask('/circle', 'https://portal.example/circle')).rejects.toThrow(Refused)
    expect(await text(await http.send({ url: 'https://portal.example/?hops=5' }))).toBe('arrived')
    await expect(http.send({ url: 'https://portal.example/?hops=6' })).rejects.toThrow('more than 5 times')
    expect(await text(await ask('http://portal.example/plain', 'http://portal.example/'))).toBe('arrived')
    expect(await text(await ask('https://portal.example/', 'http://portal.example/'))).toBe('arrived')
  })

  test('check before each redirect, and end if the answer is no', async () => {
    const http = await portal((_request, reply) => reply.writeHead(302, { location: 'https://other.example/x' }).end())
    const asked: string[] = []
    const beforeRedirect = async (target: URL) => {
      asked.push(target.href)
      throw new Error('not there')
    }
    await expect(http.send({ url: 'https://portal.example/', beforeRedirect })).rejects.toThrow('not there')
    expect(asked).toEqual(['https://other.example/x'])
  })

  test('keep keys out of messages', async () => {
    const http = await portal((_request, reply) => reply.end('x'.repeat(50)))
    const secrets = ['s3cr&t']
    const url = `https://portal.example/?api_key=${encodeURIComponent('s3cr&t')}`
    const answer = await http.send({ url, maxBytes: 10, secrets })
    await expect(answer.bytes()).rejects.toThrow('https://portal.example/?api_key={key} is larger')
    const refused = client('loopback').send({ url: 'http://127.0.0.1:1/s3cr&t', secrets })
    await expect(refused).rejects.toThrow(/^http:\/\/127.0.0.1:1\/\{key\} could not be read/)
  })
})

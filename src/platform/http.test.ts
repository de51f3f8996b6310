// The guard of outgoing HTTP, against servers on loopback.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { openHttp, Retryable } from './http.ts'
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

  test('redirects are not followed', async () => {
    const host = await serve((_request, reply) => reply.writeHead(302, { location: 'http://169.254.169.254/' }).end())
    expect((await client('loopback').get(`http://${host}/`)).status).toBe(302)
  })
})

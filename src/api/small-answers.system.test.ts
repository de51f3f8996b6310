// Small things that outside readers stumbled over: refusals give the true reason, and fixed answers are compressed and
// tagged.
import { gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, startApi, startOfTests } from '../../test/api-world.ts'
import { readAnswer, sendRaw } from '../../test/raw-http.ts'
import { toInstance } from './problems/problems.ts'

const ajv = new Ajv2020({ strict: false })
;(formats as unknown as (target: Ajv2020) => void)(ajv)
const isReference = ajv.compile({ type: 'string', format: 'uri-reference' })

let world: ApiWorld
beforeAll(async () => {
  world = await startApi()
  world.editions.publish(startOfTests, [])
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('D50: many header lines', () => {
  test.each([1, 100, 800, 890, 897, 898, 950, 1000, 1001, 1100, 1500, 1998, 3000, 5000])(
    '%i short ones are read, or refused with the limits that they really exceed',
    async (count) => {
      const lines = `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${world.token}\r\n${'a:b\r\n'.repeat(count)}`
      const { status, body } = readAnswer(await sendRaw(world.port, `GET /v1/tenders HTTP/1.1\r\n${lines}\r\n`))
      if (status === 200) {
        expect(count).toBeLessThanOrEqual(897)
        return
      }
      expect(status).toBe(431)
      const { detail } = JSON.parse(body) as { readonly detail: string }
      const [, bytes, maxLines] = /at most (\d+) bytes together, in at most (\d+) lines/.exec(detail)!
      expect(lines.length > Number(bytes) || count + 3 > Number(maxLines), detail).toBe(true)
    },
  )
})

describe('C136, D3: instance', () => {
  const leadsTo = (instance: string) => new URL(instance, 'https://here.example')

  test.each(['//host/x', '///', '//', '//[::1/x', '//user@host:99999/', '//%zz', '/\\host/x'])(
    'of %s is a valid reference to a path of this host',
    async (path) => {
      const text = await sendRaw(world.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      const { instance } = JSON.parse(readAnswer(text).body) as { readonly instance: string }
      expect(isReference(instance), instance).toBe(true)
      expect(leadsTo(instance).host).toBe('here.example')
      if (path.startsWith('//')) expect(instance.startsWith('/.//')).toBe(true)
    },
  )

  test('any path has a valid one', () => {
    const path = fc.stringMatching(/^\/[\x21-\x22\x24-\x3e\x40-\x7e\x80-\xff]{0,60}$/)
    fc.assert(
      fc.property(path, (text) => {
        const instance = toInstance(text)
        expect(isReference(instance), instance).toBe(true)
        expect(leadsTo(instance).host).toBe('here.example')
      }),
      { numRuns: 2000 },
    )
  })
})

test('the root is a 404 that says where to go, in words and as links', async () => {
  const answer = await fetch(`${world.origin}/`)
  expect(answer.status).toBe(404)
  const { detail } = (await answer.json()) as { readonly detail: string }
  for (const part of ['/v1/tenders', `${world.docsUrl}/access`, '/openapi.json']) expect(detail).toContain(part)
  const links = [...answer.headers.get('link')!.matchAll(/<([^>]+)>; rel="([a-z-]+)"/g)].map(([, to, rel]) => [rel, to])
  expect(links).toEqual([
    ['service-doc', `${world.docsUrl}/access`],
    ['service-desc', '/openapi.json'],
  ])
  expect((await fetch(`${world.origin}/openapi.json`)).status).toBe(200)
})

describe('answers that are the same for all clients', () => {
  test.each(['/access', '/openapi.json'])('%s is compressed, and not sent again', async (path) => {
    const ask = async (lines: string): Promise<{ head: string; body: Buffer }> => {
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`
      const all = Buffer.from(await sendRaw(world.port, request), 'latin1')
      const end = all.indexOf('\r\n\r\n')
      return { head: all.subarray(0, end).toString().toLowerCase(), body: all.subarray(end + 4) }
    }
    const plain = await ask('')
    const packed = await ask('Accept-Encoding: gzip, br\r\n')
    expect(plain.head).not.toContain('content-encoding')
    expect(packed.head).toContain('content-encoding: gzip')
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
    expect(packed.body.length * 3).toBeLessThan(plain.body.length)
    for (const { head } of [plain, packed]) {
      expect(head).toContain('vary: accept-encoding')
      const etag = /etag: (\S+)/.exec((await ask('')).head)![1]!
      expect(head).toContain(etag)
    }
    const tag = (await fetch(world.origin + path)).headers.get('etag')!
    for (const lines of ['', 'Accept-Encoding: gzip\r\n']) {
      const unchanged = await ask(`If-None-Match: "other", ${tag}\r\n${lines}`)
      expect(unchanged.head.split('\r\n')[0]).toBe('http/1.1 304 not modified')
      expect(unchanged.body).toHaveLength(0)
    }
    expect((await ask('If-None-Match: "other"\r\n')).head).toContain('200 ok')
    const head = await fetch(world.origin + path, { method: 'HEAD' })
    expect([head.status, head.headers.get('etag')]).toEqual([200, tag])
  })
})

test('D11, D12: the 429 of a flood is no challenge; the 401 before it is', async () => {
  await using other = await startApi({ refusedPerMinute: 1 })
  other.editions.publish(startOfTests, [])
  for (const authorization of ['Bearer wrong', 'Basic eDp5']) {
    const answer = await other.get('/v1/tenders', { authorization })
    expect([answer.status, answer.headers.has('www-authenticate')]).toEqual(
      authorization.startsWith('Bearer') ? [401, true] : [429, false],
    )
  }
})

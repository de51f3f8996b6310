// Every address of the console for every kind of person, and every form from elsewhere: derived from the routes
// themselves.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Audience } from '../../src/console/frame/page.ts'
import { hourMs } from '../../src/domain/time.ts'
import { consoleRoutes as routes } from '../testing/crawl-console.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { fieldsOf } from './plain-form.ts'

type Who = 'stranger' | 'outsider' | 'member' | 'owner' | 'operator'
const everybody: readonly Who[] = ['stranger', 'outsider', 'member', 'owner', 'operator']

/** Who may send a request, according to the route; all others are refused. */
const admitted: { readonly [audience in Audience]: readonly Who[] } = {
  public: everybody,
  person: ['outsider', 'member', 'owner', 'operator'],
  member: ['member', 'owner'],
  owner: ['owner'],
  operator: ['operator'],
}

describe('the addresses of the console', () => {
  let world: ConsoleWorld
  let organization: string
  const cookies: { [who in Who]?: string } = {}
  beforeAll(async () => {
    world = await openConsoleWorld('embedded')
    organization = await world.organization('Acme', true)
    const other = await world.organization('Beta', true)
    cookies.outsider = (await world.person('out@example.org', { memberOf: [[other, 'owner']] })).cookie
    cookies.member = (await world.person('mem@example.org', { memberOf: [[organization, 'member']] })).cookie
    cookies.owner = (await world.person('own@example.org', { memberOf: [[organization, 'owner']] })).cookie
    cookies.operator = (await world.person('op@example.org', { isOperator: true })).cookie
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** An address of the route with IDs that do not exist, so that an admitted request changes nothing. */
  const addressOf = (path: string) =>
    path.replace(':organization', organization).replace(/:\w+|\*/g, '00000000-0000-8000-8000-000000000000')

  test('are many, and each is listed once', () => {
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(2)
  })

  test.each(routes.filter(({ method }) => method === 'GET').map(({ path, audience }) => [path, audience] as const))(
    'GET %s is for: %s',
    async (path, audience) => {
      for (const who of everybody) {
        const answer = await world.get(addressOf(path), cookies[who])
        const location = answer.headers.get('location') ?? ''
        if (admitted[audience].includes(who)) {
          expect([401, 403, 500, 421], `${who}: ${answer.status}`).not.toContain(answer.status)
        } else if (who === 'stranger') {
          expect([answer.status, location.split('?')[0]], who).toEqual([303, '/sign-in'])
        } else {
          const isForeign = audience === 'member' || audience === 'owner'
          expect(answer.status, who).toBe(isForeign && who !== 'member' ? 404 : 403)
        }
        expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
        if (audience !== 'public') expect(answer.headers.get('cache-control')).toBe('no-store')
        await answer.arrayBuffer()
      }
    },
  )

  test.each(
    routes
      .filter(({ method }) => method === 'POST')
      .map(({ path, audience, isSensitive }) => [path, audience, isSensitive] as const),
  )(
    'POST %s (for %s) is accepted only from our own pages and from its audience',
    async (path, audience, isSensitive) => {
      const address = addressOf(path)
      const owner = cookies[admitted[audience].at(-1)!]
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'cross-site', origin: world.origin },
      ])
        expect((await world.post(address, {}, owner, headers)).status).toBe(403)
      // a browser that does not send it is judged by its origin
      for (const origin of [
        'https://evil.example',
        `${world.origin}.evil.example`,
        'http://localhost',
        'null',
        undefined,
      ])
        expect((await rawPost(`${world.origin}${address}`, owner, origin)).status).toBe(403)
      for (const who of everybody) {
        if (admitted[audience].includes(who)) continue
        const answer = await world.post(address, {}, cookies[who])
        if (who === 'stranger')
          expect([answer.status, answer.headers.get('location')?.split('?')[0]]).toEqual([303, '/sign-in'])
        else expect([403, 404]).toContain(answer.status)
      }
      if (isSensitive) {
        world.wait(hourMs)
        const late = await world.post(address, {}, owner)
        expect([late.status, late.headers.get('location')?.split('?')[0]]).toEqual([303, '/sign-in'])
        // typed values come back, each field as often as it was sent; secrets do not
        const typed = { 'form-key': ['k'], mail: ['a@example.org', '"><b>\n'], name: [''] }
        const kept = await world.post(address, typed, owner)
        expect([kept.status, fieldsOf(await kept.text(), address)]).toEqual([
          403,
          { ...typed, 'kept-for': [expect.stringMatching(/^[0-9a-f-]{36}$/)] },
        ])
        for (const name of ['credential', 'secret', 'password', 'token']) {
          const secret = await world.post(address, { ...typed, [name]: 'x' }, owner)
          expect([name, secret.status, await secret.text()]).toEqual([name, 303, ''])
        }
        world.wait(-hourMs)
      }
    },
  )
})

/** A POST without the fetch metadata that `fetch` adds by itself. */
async function rawPost(address: string, cookie: string | undefined, origin: string | undefined) {
  const { request } = await import('node:http')
  return new Promise<{ readonly status: number }>((resolve, reject) => {
    const sent = request(
      address,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': 0,
          ...(cookie !== undefined && { cookie: `session=${cookie}` }),
          ...(origin !== undefined && { origin }),
        },
      },
      (answer) => {
        answer.resume()
        resolve({ status: answer.statusCode ?? 0 })
      },
    )
    sent.once('error', reject)
    sent.end()
  })
}

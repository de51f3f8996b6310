// The listener of the console: strict headers on every answer, forms from elsewhere, sessions.

import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { routesOf } from '../../src/console/routes.ts'
import { dayMs, hourMs } from '../../src/domain/time.ts'
import { readAnswer, sendRaw } from '../raw-http.ts'
import { seed } from '../testing/seed.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { publishRoofTenders } from './roof-tenders.ts'

const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

describe.each(drawnEngines)('the console (%s)', (engine) => {
  async function open() {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    return world
  }

  test('sends the strict content security policy with every answer', async () => {
    const { get, post } = await open()
    const answers = [await get('/'), await get('/nothing'), await post('/', {}), await get('/assets/none.css')]
    for (const answer of answers) {
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(await answer.text()).not.toMatch(/<style|\sstyle=|<script(?! type="module" src=)|\son\w+=/)
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 404])
  })

  test('a public page is stored by nobody while somebody is signed in, and not compressed', async () => {
    const { get, person } = await open()
    const { cookie } = await person('anna@example.org')
    for (const path of ['/docs', '/status', '/nothing']) {
      const { headers } = await get(path, cookie, { 'accept-encoding': 'gzip' })
      expect([path, headers.get('cache-control'), headers.get('content-encoding')]).toEqual([path, 'no-store', null])
    }
    const { headers } = await get('/docs', undefined, { 'accept-encoding': 'gzip' })
    expect(headers.get('content-encoding')).toBe('gzip')
  })

  test('tenders that somebody looks for while signed in are compressed, apart from who that is', async () => {
    const world = await open()
    await publishRoofTenders(world)
    const acme = await world.organization('Acme', true)
    const { cookie } = await world.person('anna@example.org', { memberOf: [[acme, 'member']] })
    const read = async (words: string, headers = {}) => {
      const answer = await world.get(`/tenders?words=${words}`, cookie, { 'accept-encoding': 'gzip', ...headers })
      const length = Number(answer.headers.get('content-length'))
      return { coding: answer.headers.get('content-encoding'), length, text: await answer.text() }
    }
    const roofs = await read('dachsanierung')
    const plain = await read('dachsanierung', { 'accept-encoding': 'identity' })
    expect([roofs.coding, plain.coding, roofs.text]).toEqual(['gzip', null, plain.text])
    expect(roofs.length).toBeLessThan(plain.length / 3)
    expect(plain.text).toContain('anna@example.org')
    // a sentence that is shown once may hold anything
    const noticed = await read('dachsanierung', { cookie: `session=${cookie}; notice=Seen` })
    expect([noticed.coding, noticed.text.includes('Seen')]).toEqual([null, true])
  })

  test('what a cookie decides is kept by no cache that others share', async () => {
    const { get, context } = await open()
    const paths = routesOf(context)
      .filter(({ method, audience, path }) => method === 'GET' && audience === 'public' && !path.includes(':'))
      .map(({ path }) => path)
    expect(paths.length).toBeGreaterThan(20)
    for (const path of paths) {
      const { status, headers } = await get(path)
      const wanted = status === 200 ? 'private, no-cache' : 'no-store'
      expect([path, status, headers.get('cache-control')]).toEqual([path, status, wanted])
    }
  })

  test('no address to return to leads away from the console, whatever it is', async () => {
    const { get, origin } = await open()
    const pieces = [
      '/',
      '/',
      '//',
      '/..',
      '/.',
      '\\',
      '%2e%2e',
      '%2f',
      '%5c',
      '\t',
      'me',
      'evil.example',
      '@evil.example',
      '?',
      '#',
    ]
    const made = fc.sample(
      fc.array(fc.constantFrom(...pieces), { maxLength: 7 }).map((list) => `/${list.join('')}`),
      { numRuns: 300, seed },
    )
    for (const back of ['/..//evil.example', '/.//evil.example', '/me/../..//evil.example/x?y', ...made]) {
      const { headers } = await get(`/language?to=de&return=${encodeURIComponent(back)}`)
      const location = headers.get('location') ?? ''
      expect([back, location, new URL(location, origin).origin]).toEqual([back, location, origin])
    }
  })

  test('a target that is no path here is answered by a page, or by the sentence for another host', async () => {
    const { origin, get } = await open()
    const port = Number(new URL(origin).port)
    const ask = async (target: string, method = 'GET', host = `localhost:${port}`) =>
      readAnswer(await sendRaw(port, `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))
    const here = [
      '/',
      '//',
      '///',
      '//x',
      '//evil.example/me',
      '/\\evil.example',
      '/..//evil.example',
      '/%zz',
      '/%00',
      '*',
    ]
    for (const target of ['//', ...here, ...here.filter((each) => each !== '*').map((each) => `${origin}${each}`)])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const { status, headers, body } = await ask(target, method)
        expect([target, method, status]).toEqual([target, method, expect.toBeOneOf([200, 303, 400, 403, 404])])
        expect(headers.get('content-type') ?? 'text/html').toContain('text/html')
        // nothing on the page leads to another host
        for (const [, address = ''] of body.matchAll(/(?:href|action)="([^"]*)"/g))
          expect([target, address, new URL(address, origin).origin]).toEqual([target, address, origin])
        for (const [, back = ''] of body.matchAll(/return=([^"&]*)/g))
          expect(new URL(decodeURIComponent(back), origin).origin).toBe(origin)
      }
    // in absolute form the host of the target counts, and not the header
    expect((await ask(`${origin}/status`)).body.length).toBeGreaterThan(1000)
    expect((await ask(`${origin}/status`, 'GET', 'evil.example')).status).toBe(200)
    for (const target of [
      'http://evil.example/status',
      `http://localhost:${port}@evil.example/`,
      'ftp://x/',
      'http://:1/',
    ])
      expect([target, (await ask(target)).status]).toEqual([target, 421])
    expect((await get('/')).status).toBe(200)
  })

  test('answers only under its own host name', async () => {
    const { origin } = await open()
    const { request } = await import('node:http')
    const statusAt = (host: string) =>
      new Promise((resolve) => request(origin, { headers: { host } }, (answer) => resolve(answer.statusCode)).end())
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      'localhost:80.evil.example',
      '127.0.0.1.evil.example',
    ])
      expect([host, await statusAt(host)]).toEqual([host, 421])
    // through a tunnel, by another port
    for (const host of ['localhost', '127.0.0.1:9', '[::1]:9'])
      expect([host, await statusAt(host)]).toEqual([host, 200])
  })

  test('ends a session that nobody uses for 12 hours, and any after 30 days', async () => {
    const { person, get, wait, context } = await open()
    const { cookie } = await person('anna@example.org', { isOperator: true })
    const isSignedIn = async () => (await get('/', cookie)).status === 303
    expect(await isSignedIn()).toBe(true)
    for (let day = 0; day < 59; day++) {
      wait(dayMs / 2 - hourMs)
      expect(await isSignedIn()).toBe(true)
    }
    await context.directory.refresh()
    wait(13 * hourMs)
    expect(await isSignedIn()).toBe(false)
    const again = await person('anna@example.org')
    expect((await get('/', again.cookie)).status).toBe(303)
    for (let half = 0; half < 61; half++) {
      wait(dayMs / 2 - 1)
      await get('/', again.cookie)
    }
    expect((await get('/', again.cookie)).status).toBe(200)
  })
})

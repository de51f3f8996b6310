// The listener of the console: strict headers on every answer, forms from elsewhere, sessions.
import { afterEach, describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../src/domain/time.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

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
    expect([headers.get('cache-control'), headers.get('content-encoding')]).toEqual([null, 'gzip'])
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

// When the database is slow or unreachable: an honest page that reloads itself, no partial change, and nobody is signed
// out.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { minuteMs } from '../../src/domain/time.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { type Hands, openHands } from './hands.ts'

if (!hasChromium) console.log('skipped: a busy console in a browser (no chromium)')

/** A proxy in front of the database. */
async function openDoor(url: URL) {
  const sockets = new Set<Socket>()
  let server: Server
  const listen = (port: number) =>
    new Promise<void>((done) => {
      server = createServer((near) => {
        const far = connect(Number(url.port || 5432), url.hostname)
        for (const [from, to] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(from)
          from.on('error', () => {}).on('close', () => to.destroy())
          from.pipe(to)
        }
      }).listen(port, '127.0.0.1', done)
    })
  await listen(0)
  const { port } = server!.address() as AddressInfo
  return {
    port,
    /** Breaks all connections, and lets none be made. */
    shut: () => {
      const closed = new Promise((done) => server.close(done))
      for (const each of sockets) each.destroy()
      sockets.clear()
      return closed
    },
    open: () => listen(port),
  }
}

describe.skipIf(!hasChromium)('a busy console', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  const windowOf = async (world: ConsoleWorld, session: string): Promise<Hands> => {
    const hands = await openHands(browser, 'without script', { origin: world.origin, session })
    onTestFinished(() => hands[Symbol.asyncDispose]())
    return hands
  }
  const formKeyOf = async (world: ConsoleWorld, path: string, who: string) =>
    /name="form-key" value="([^"]+)"/.exec(await (await world.get(path, who)).text())![1]!
  const incidents = (world: ConsoleWorld) => world.store.db.selectFrom('incident').select('title').execute()
  const entries = (world: ConsoleWorld) => world.store.db.selectFrom('audit_entry').select('action').execute()

  test('says that it is busy, recovers by itself, and delays a change', { timeout: 120_000 }, async () => {
    const world = await openConsoleWorld('embedded')
    onTestFinished(() => world[Symbol.asyncDispose]())
    const { cookie } = await world.person('op@example.org', { isOperator: true })
    await world.context.reads.titles()
    const key = await formKeyOf(world, '/operator/incidents', cookie)
    const hands = await windowOf(world, cookie)
    expect((await world.get('/status')).status).toBe(200)
    world.wait(2 * minuteMs)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: held, resolve: holds } = Promise.withResolvers<void>()
    const holding = inTransaction(world.store, async () => {
      holds()
      await released
    })
    await held
    const answer = await world.get('/operator', cookie)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(text).toContain('<meta http-equiv="refresh" content="5">')
    expect(text).toContain('The database does not answer in time, perhaps because an edition is being published.')
    // parts that need no database are shown
    for (const path of ['/', '/docs', '/explorer', '/status']) expect((await world.get(path)).status, path).toBe(200)
    await hands.visit('/operator')
    expect(await hands.heading()).toBe('Busy at the moment')
    const sent = world.post('/operator/incidents', { 'form-key': key, title: 'Late', detail: 'x', started: '' }, cookie)
    release()
    await holding
    expect((await sent).status).toBe(303)
    expect(await incidents(world)).toEqual([{ title: 'Late' }])
    await hands.page.getByRole('heading', { level: 1, name: 'Needs attention' }).waitFor()
    expect(world.faults).toEqual([])
  })

  test.skipIf(!testDatabaseUrl)(
    'signs nobody out without its database, and makes no change twice',
    { timeout: 120_000 },
    async () => {
      await using stock = await openTestStore('server')
      const url = new URL(stock.options.databaseUrl!)
      const door = await openDoor(url)
      onTestFinished(() => door.shut().then(() => {}))
      const through = new URL(url)
      through.hostname = '127.0.0.1'
      through.port = String(door.port)
      const world = await openConsoleWorld('server', { on: { ...stock.options, databaseUrl: through.href } })
      onTestFinished(() => world[Symbol.asyncDispose]())
      const { cookie } = await world.person('op@example.org', { isOperator: true })
      await world.context.reads.titles()
      const key = await formKeyOf(world, '/operator/incidents', cookie)
      const form = { 'form-key': key, title: 'Late', detail: 'x', started: '' }
      const hands = await windowOf(world, cookie)
      expect(await (await world.get('/status')).text()).toContain('read at most a minute ago')
      world.wait(2 * minuteMs)
      await door.shut()
      // the page that people open when something is wrong
      const status = await world.get('/status')
      const shown = await status.text()
      expect([status.status, shown.includes('read at most a minute ago')]).toEqual([200, false])
      expect(shown).toContain('The database does not answer at the moment')
      expect((await world.get('/status.atom')).status).toBe(200)
      await hands.visit('/operator/incidents')
      expect(await hands.heading()).toBe('The database cannot be reached')
      expect(await hands.text()).toContain('you stay signed in')
      const refused = await world.post('/operator/incidents', form, cookie)
      expect([refused.status, await refused.text()]).toEqual([
        503,
        expect.stringContaining('It is unknown whether your change was made.'),
      ])
      expect((await world.get('/', cookie)).headers.get('location')).toBe('/operator')
      await door.open()
      await hands.page.getByRole('heading', { level: 1, name: 'Status and incidents' }).waitFor()
      for (const _twice of [1, 2])
        await expect
          .poll(async () => (await world.post('/operator/incidents', form, cookie)).status, { timeout: 30_000 })
          .toBe(303)
      expect([await incidents(world), await entries(world)]).toEqual([
        [{ title: 'Late' }],
        [{ action: 'incident.create' }],
      ])
      expect(world.faults).toEqual([])
    },
  )
})

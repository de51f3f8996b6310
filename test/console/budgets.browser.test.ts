// What a first visit loads, in Chromium with an empty cache: few bytes, nothing from elsewhere, and nothing that moves
// what is shown.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { countWireBytes } from '../testing/wire-bytes.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { publishTenders } from './put-tenders.ts'
import { openRoof, publishRoofTenders } from './roof-tenders.ts'

if (!hasChromium) console.log('skipped: what pages load in a browser (no chromium)')

/** Maximum bytes of a first visit: of API access, of 20 tenders with letters of both fonts, of any other page. */
const maxOfAccess = 60_000
const maxOfTenders = 60 * 1024
const maxOfAny = 90_000

describe.skipIf(!hasChromium)('a first visit', () => {
  const closing = new AsyncDisposableStack()
  let world: ConsoleWorld
  let browser: Browser
  beforeAll(async () => {
    world = closing.use(await openConsoleWorld('embedded'))
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 120_000)
  afterAll(async () => {
    expect(world?.faults ?? []).toEqual([])
    await closing.disposeAsync()
  })

  test('loads little, from this server only, without layout shifts', { timeout: 120_000 }, async () => {
    const acme = await world.organization('Acme', true)
    const { store, now } = world
    await store.db
      .insertInto('contract')
      .values({
        organization_id: acme,
        starts_at: now(),
        ends_at: null,
        note: '',
        set_up_by: 'test',
        started_at: now(),
        ended_at: null,
      })
      .execute()
    const { cookie } = await world.person('anna@example.org', { isOperator: true, memberOf: [[acme, 'owner']] })
    await publishRoofTenders(world)
    await publishTenders(world, [{ ...openRoof(70), title: 'Remont dachu szkoły w Łodzi' }])
    const access = `/o/${acme}/settings/api-access`
    const tenders = '/tenders?order=newest'
    const paths = [
      '/',
      '/docs',
      '/sign-in',
      `/o/${acme}`,
      access,
      tenders,
      `/o/${acme}/hits`,
      `/o/${acme}/searches/new`,
      '/operator',
    ]
    const found = []
    for (const path of paths) {
      const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
      await context.addCookies([{ name: 'session', value: cookie, url: world.origin }])
      const page = await context.newPage()
      const bytes = await countWireBytes(page)
      const seen = { path, elsewhere: [] as string[], script: 0 }
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== new URL(world.origin).origin) seen.elsewhere.push(request.url())
        if (request.resourceType() === 'script') seen.script++
      })
      const answer = await page.goto(world.origin + path, { waitUntil: 'networkidle' })
      expect([path, answer?.status()]).toEqual([path, 200])
      const shift = await page.evaluate(`new Promise((resolve) => {
        let shift = 0
        new PerformanceObserver((list) => { for (const each of list.getEntries()) shift += each.value })
          .observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(shift), 300)
      })`)
      expect([path, shift]).toEqual([path, 0])
      expect(seen).toMatchObject({ path, elsewhere: [] })
      const most = path === access ? maxOfAccess : path === tenders ? maxOfTenders : maxOfAny
      expect(bytes(), path).toBeLessThanOrEqual(most)
      found.push(`${path.replace(acme, ':organization')} ${(bytes() / 1000).toFixed(1)} KB`)
      await context.close()
    }
    console.log(`first visits: ${found.join(', ')}`)
  })

  test('loads at most 10 KB of CSS and 6 KB of script, compressed, with the sheet of its three tenders', async () => {
    const text = await (await world.get('/')).text()
    const addresses = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js))"/g)].map(([, address]) => address!)
    const sizes = { css: 0, js: 0 }
    for (const address of addresses) {
      const answer = await world.get(address, undefined, { 'accept-encoding': 'gzip' })
      expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual(['gzip', 'accept-encoding'])
      sizes[address.endsWith('.css') ? 'css' : 'js'] += Number(answer.headers.get('content-length'))
      const plain = await world.get(address, undefined, { 'accept-encoding': 'identity' })
      expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, await answer.text()])
    }
    expect(sizes.css).toBeGreaterThan(1000)
    expect(sizes.css).toBeLessThanOrEqual(10_240)
    expect(sizes.js).toBeLessThanOrEqual(6144)
  })
})

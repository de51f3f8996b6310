// What a visitor meets first: the first page with three sample tenders and a picture, and the form that asks for a
// quote. Both fit their windows, break no rule of axe, work without script, and load little. `SCREENS=folder` stores
// pictures.
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listQuotes } from '../../src/store/people/quotes.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { countWireBytes } from '../testing/wire-bytes.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { publishRoofTenders } from './roof-tenders.ts'

if (!hasChromium) console.log('skipped: the front door in a browser (no chromium)')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const pictures = process.env['SCREENS']

/** Maximum bytes of a first visit: 60 KiB. */
const maxFirstVisit = 61_440
const color = '#7a1f5c'

describe.skipIf(!hasChromium)('the front door', () => {
  const closing = new AsyncDisposableStack()
  let world: ConsoleWorld
  let branded: ConsoleWorld
  let browser: Browser
  beforeAll(async () => {
    const samples = () => ({
      editions: world.editions,
      ask: async () => ({ status: 500, headers: {}, body: '' }),
      isFrozen: false,
    })
    world = closing.use(await openConsoleWorld('embedded', { samples }))
    const site = { name: 'Vergabe & Mehr', color, imprintUrl: 'https://example.org/imprint' }
    branded = closing.use(await openConsoleWorld('embedded', { config: { site } }))
    await publishRoofTenders(world)
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 120_000)
  afterAll(async () => {
    expect([world?.faults ?? [], branded?.faults ?? []]).toEqual([[], []])
    await closing.disposeAsync()
  })

  test.each(['/', '/quote', '/quote/sent'])(
    '%s fits every window and breaks no rule',
    { timeout: 120_000 },
    async (path) => {
      for (const [width, colorScheme, language, { origin }] of [
        [1280, 'light', 'en', world],
        [1280, 'dark', 'de', branded],
        [360, 'light', 'de', branded],
        [360, 'dark', 'en', world],
      ] as const) {
        const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true })
        await context.addCookies([{ name: 'language', value: language, url: origin }])
        const page = await context.newPage()
        await page.goto(origin + path)
        const window = `${path} ${width} ${colorScheme} ${language}`
        expect([window, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([window, 0])
        await page.evaluate(axe)
        const broken = await page.evaluate(
          'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))',
        )
        expect([window, broken]).toEqual([window, []])
        if (pictures !== undefined) {
          mkdirSync(pictures, { recursive: true })
          await page.screenshot({ path: join(pictures, `${window.replace(/\W+/g, '-')}.png`), fullPage: true })
        }
        await context.close()
      }
    },
  )

  test('a first visit loads at most 60 KiB, with three tenders and a picture', { timeout: 60_000 }, async () => {
    for (const path of ['/', '/quote']) {
      const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
      const page = await context.newPage()
      const bytes = await countWireBytes(page)
      await page.goto(world.origin + path, { waitUntil: 'networkidle' })
      console.log(`first visit of ${path}: ${bytes()} bytes`)
      expect([path, bytes() <= maxFirstVisit]).toEqual([path, true])
      if (path === '/') {
        expect(await page.locator('.finds > li').count()).toBe(3)
        await page.locator('.shot img').scrollIntoViewIfNeeded()
        await page.waitForLoadState('networkidle')
        expect(await page.evaluate('document.querySelector(".shot img").naturalWidth')).toBe(720)
      }
      await context.close()
    }
  })

  test('a visitor without script asks for a quote', { timeout: 60_000 }, async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(world.origin)
    await page.getByRole('link', { name: 'Ask for a quote' }).first().click()
    await page.getByLabel('Your name').fill('Anna Roth')
    await page.getByLabel('Company').fill('Roth Dachbau')
    await page.getByLabel('Mail address').fill('anna@roth.example')
    await page.getByLabel('Hits as webhooks').check()
    world.wait(20_000)
    await page.getByRole('button', { name: 'Send the request' }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Your request has arrived')
    expect(await listQuotes(world.store.db, 9)).toMatchObject([{ name: 'Anna Roth', needs: ['webhooks'] }])
    await context.close()
  })

  test('a shared link has a title, a sentence and a picture; a service has its own name', async () => {
    const text = await (await world.get('/')).text()
    for (const part of ['name="description" content="Many portals', 'property="og:title"', 'twitter:card'])
      expect(text, part).toContain(part)
    const [, image] = /property="og:image" content="([^"]+)"/.exec(text)!
    const answer = await fetch(image!)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    const sitemap = await (await world.get('/sitemap.xml')).text()
    const robots = await (await world.get('/robots.txt')).text()
    for (const path of ['/', '/quote', '/tenders']) expect(sitemap).toContain(`<loc>${world.origin}${path}</loc>`)
    for (const [, path] of sitemap.matchAll(/<loc>[^<]*?\/\/[^/<]+([^<]*)<\/loc>/g))
      for (const [, hidden] of robots.matchAll(/^Disallow: (.+)$/gm))
        expect(path!.startsWith(hidden!), path).toBe(false)
    const own = await (await branded.get('/')).text()
    expect(own).toContain('Vergabe &amp; Mehr joins the notices')
    // our picture does not stand for another name
    expect(own).toContain('name="twitter:card" content="summary"')
    expect(own).not.toContain('og:image')
    for (const path of ['/docs', '/docs/quick-start', '/stock', '/status', '/explorer']) {
      const [, sentence = ''] = /name="description" content="([^"]+)"/.exec(await (await world.get(path)).text()) ?? []
      expect(sentence.length, path).toBeGreaterThan(40)
      expect(sentence.length, path).toBeLessThanOrEqual(200)
    }
    expect(own).toContain('<a href="https://example.org/imprint"')
    expect(await (await branded.get('/brand.css')).text()).toContain(color)
    expect(text).not.toContain('/brand.css')
  })
})

// A bid manager with a keyboard finds three roof tenders in Saxony and saves the search, on a desk and on a phone, in
// both languages; and every state of the page fits its window, breaks no rule of axe, and loads little.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listSearches } from '../../src/store/hits/searches.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { countWireBytes } from '../testing/wire-bytes.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { openHands } from './hands.ts'
import { marketCompany, marketTown, publishMarket } from './market.ts'
import { publishRoofTenders } from './roof-tenders.ts'

if (!hasChromium) console.log('skipped: tenders are found in a browser (no chromium)')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const addressOf = (kind: string, { name, nationalId }: { readonly name: string; readonly nationalId: string }) =>
  `/${kind}/de/${encodeURIComponent(name)}?id=${encodeURIComponent(nationalId)}`
const authority = addressOf('authorities', marketTown)

/** Maximum bytes of a first visit: 60 KiB. */
const maxFirstVisit = 61_440

const said = {
  en: {
    what: 'What',
    where: 'Where',
    region: 'Saxony',
    search: 'Search',
    save: 'Save this search',
    saveForm: 'Save search',
    chip: 'Saxony',
    filters: /^Filters/,
  },
  de: {
    what: 'Was',
    where: 'Wo',
    region: 'Sachsen',
    search: 'Suchen',
    save: 'Suche speichern',
    saveForm: 'Suche speichern',
    chip: 'Sachsen',
    filters: /^Filter/,
  },
} as const

describe.skipIf(!hasChromium)('tenders are found in a browser', () => {
  const closing = new AsyncDisposableStack()
  let world: ConsoleWorld
  let browser: Browser
  let acme: string
  let cookie: string
  beforeAll(async () => {
    world = closing.use(await openConsoleWorld('embedded'))
    acme = await world.organization('Acme', true)
    cookie = (await world.person('anna@example.org', { memberOf: [[acme, 'member']] })).cookie
    await publishRoofTenders(world)
    await publishMarket(world)
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 120_000)
  afterAll(async () => {
    expect(world?.faults ?? []).toEqual([])
    await closing.disposeAsync()
  })

  test.each((['en', 'de'] as const).flatMap((language) => [1280, 360].map((width) => [language, width] as const)))(
    'three roof tenders in Saxony, and the search is saved (%s, %i px)',
    { timeout: 120_000 },
    async (language, width) => {
      const words = said[language]
      await using hands = await openHands(browser, 'by keys', { origin: world.origin, session: cookie })
      await hands.context.addCookies([{ name: 'language', value: language, url: world.origin }])
      await hands.page.setViewportSize({ width, height: 800 })
      world.wait(60_000)
      const before = await listSearches(world.store.db, acme)
      const startedAt = performance.now()
      await hands.visit('/tenders')
      await hands.fill(words.what, 'dachsanierung grundschule')
      await hands.fill(words.where, words.region)
      await hands.press(words.search)
      expect(new URL(hands.page.url()).search).toBe('?words=dachsanierung+grundschule&nuts=DED')
      expect(await hands.page.locator('.chips').innerText()).toContain(words.chip)
      expect(await hands.page.locator('.finds > li').count()).toBeGreaterThanOrEqual(3)
      // on a phone the filters are a layer that the keyboard opens and closes
      if (width === 360) {
        const facets = hands.page.locator('#facets')
        expect(await facets.isVisible()).toBe(false)
        await hands.use(words.filters)
        expect(await facets.isVisible()).toBe(true)
        await hands.page.keyboard.press('Escape')
        expect(await facets.isVisible()).toBe(false)
      }
      await hands.follow(words.save)
      // names are unique
      await hands.fill(language === 'en' ? 'Name' : 'Name', `Roofs ${language} ${width}`)
      await hands.press(words.saveForm)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      const { screens, entries } = hands.counts
      console.log(`three roofs (${language}, ${width} px): ${seconds} s, ${screens} screens, ${entries} entries`)
      const after = await listSearches(world.store.db, acme)
      expect(after.length).toBe(before.length + 1)
      const filters = after.map(({ filter }) => JSON.parse(filter) as object)
      expect(filters).toContainEqual({ allWords: ['dachsanierung', 'grundschule'], nuts: ['DED'], status: ['open'] })
      expect(hands.complaints).toEqual([])
    },
  )

  const states: readonly (readonly [name: string, path: string])[] = [
    ['nothing asked', '/tenders'],
    ['words', '/tenders?words=dachsanierung&status=any'],
    [
      'many filters',
      '/tenders?words=grundschule&nuts=DED&cpv=45000000&status=open&status=planned&min=100000&order=value',
    ],
    ['nothing found', '/tenders?words=gussasphalt+grundschule&nuts=DED&max=5'],
    ['wrong', '/tenders?words=stra*&place=Atlantis&min=many&page=0'],
    ['several regions', '/tenders?place=Frankfurt'],
    ['an authority', authority],
    ['a company', addressOf('companies', marketCompany)],
    ['nobody', '/authorities/de/Stadt%20Nirgendwo'],
  ]
  test.each(states)('%s: fits every window and breaks no rule', { timeout: 120_000 }, async (_name, path) => {
    for (const [width, colorScheme, language] of [
      [1280, 'light', 'en'],
      [1280, 'dark', 'de'],
      [360, 'light', 'de'],
      [360, 'dark', 'en'],
    ] as const) {
      world.wait(60_000)
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, bypassCSP: true })
      await context.addCookies([
        { name: 'session', value: cookie, url: world.origin },
        { name: 'language', value: language, url: world.origin },
      ])
      const page = await context.newPage()
      await page.goto(world.origin + path)
      // closed tables are shown too
      await page.evaluate('for (const each of document.querySelectorAll("main details")) each.open = true')
      expect(await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(colorScheme === 'dark')
      const window = `${path} ${width} ${colorScheme} ${language}`
      expect([window, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([window, 0])
      await page.evaluate(axe)
      const broken = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))',
      )
      expect([window, broken]).toEqual([window, []])
      await context.close()
    }
  })

  test('a first visit loads at most 60 KiB', { timeout: 120_000 }, async () => {
    for (const [path, who] of [
      ['/tenders', undefined],
      // letters of the second font
      ['/tenders?words=Łódź', undefined],
      [authority, cookie],
      [addressOf('companies', marketCompany), cookie],
    ] as const) {
      world.wait(60_000)
      const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
      if (who !== undefined) await context.addCookies([{ name: 'session', value: who, url: world.origin }])
      const page = await context.newPage()
      const bytes = await countWireBytes(page)
      await page.goto(world.origin + path, { waitUntil: 'networkidle' })
      console.log(`first visit of ${path}: ${bytes()} bytes`)
      expect([path, bytes() <= maxFirstVisit]).toEqual([path, true])
      await context.close()
    }
  })

  test('works without script', { timeout: 60_000 }, async () => {
    world.wait(60_000)
    await using hands = await openHands(browser, 'without script', { origin: world.origin, session: cookie })
    await hands.visit('/tenders')
    await hands.fill('What', 'grundschule')
    await hands.press('Search')
    await hands.follow(/^Announced/)
    expect(hands.page.url()).toContain('status=planned')
    await hands.follow('Value')
    expect(hands.page.url()).toContain('order=value')
  })
})

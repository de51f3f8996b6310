// The help shows what there is: each picture is a screen of the sample stock, in both languages, and this test takes
// them again with `RECORD_PICTURES=1`. Without it, the words of each screen must be those of its picture.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pictureFolder, pictureSize } from '../../src/console/help/help-pictures.ts'
import { helpNames, helpTexts, type PictureName, pictureNames } from '../../src/console/help/help-texts.ts'
import { searchesTexts } from '../../src/console/hits/searches-texts.ts'
import { decisionTexts } from '../../src/console/tenders/decision-texts.ts'
import { fillSampleStock, sampleHour } from '../docs/sample-stock.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { invitedToHits } from './invited.ts'

if (!hasChromium) console.log('skipped: the help in a browser (no chromium)')
const isRecording = process.env['RECORD_PICTURES'] === '1'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const wordsFile = join(pictureFolder, 'words.json')
type Words = { readonly [picture: string]: string }
const recorded = JSON.parse(readFileSync(wordsFile, 'utf8')) as Words
const mostBytes = { picture: 40_000, firstVisit: 60 * 1024 }
const languages = ['en', 'de'] as const
type Language = (typeof languages)[number]
const asked = {
  en: { name: 'Brandt Road Works', words: 'road' },
  de: { name: 'Brandt Straßenbau', words: 'Ortsdurchfahrt' },
} as const

const firstTasks = {
  en: { trade: 'roof', saxony: 'Saxony', azores: 'Azores', restricted: /requests to participate.*10 Dec 2026/is },
  de: { trade: 'Dach', saxony: 'Sachsen', azores: 'Azoren', restricted: /Teilnahmeanträge.*10\. Dez\. 2026/s },
} as const

/** Whoever builds, anywhere in Germany: the samples have no five open tenders of one small trade. */
const invited = {
  en: { what: 'construction', where: 'Germany' },
  de: { what: 'Hochbau', where: 'Deutschland' },
} as const

/** Sources of pictures that are not as they were taken, or without an edge that can be told from the page. */
const shownPictures = `[...document.querySelectorAll('main img')].filter((image) => {
  for (let each = image; each; each = each.parentElement) {
    const { opacity, filter, mixBlendMode } = getComputedStyle(each)
    if (opacity !== '1' || filter !== 'none' || mixBlendMode !== 'normal') return true
  }
  const { borderTopWidth, borderTopColor } = getComputedStyle(image)
  return borderTopWidth === '0px' || borderTopColor === getComputedStyle(document.body).backgroundColor
}).map((image) => image.src)`

/** Of all pictures of a page, loaded. */
const pictureSizes = `Promise.all([...document.querySelectorAll('main img')].map((image) => {
  image.loading = 'eager'
  return image.decode().then(() => ({ width: image.naturalWidth, height: image.naturalHeight }))
}))`

describe.skipIf(!hasChromium)('the help', () => {
  const closing = new AsyncDisposableStack()
  let world: ConsoleWorld
  let browser: Browser
  const cookies = new Map<Language, string>()
  const organizations = new Map<Language, string>()
  beforeAll(async () => {
    world = closing.use(await openConsoleWorld('embedded', { start: sampleHour }))
    await fillSampleStock(world.store, world.context.dataFolder)
    await world.publish()
    await world.editions.indexed(30_000)
    for (const language of languages) {
      const organization = await world.organization(asked[language].name, true)
      const mail = `anna.${language}@brandt.example`
      organizations.set(language, organization)
      cookies.set(language, (await world.person(mail, { memberOf: [[organization, 'member']] })).cookie)
    }
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 240_000)
  afterAll(async () => {
    expect(world?.faults ?? []).toEqual([])
    await closing.disposeAsync()
  })

  const open = async (language: Language, size: { readonly width: number; readonly height: number }) => {
    const context = await browser.newContext({ viewport: size, locale: language, timezoneId: 'Europe/Berlin' })
    await context.addCookies([
      { name: 'session', value: cookies.get(language)!, url: world.origin },
      { name: 'language', value: language, url: world.origin },
    ])
    return { context, page: await context.newPage() }
  }

  /** From a question to the deadline in the calendar, with a picture of each screen on the way. */
  async function walk(page: Page, language: Language, take: (name: PictureName) => Promise<void>): Promise<void> {
    const [searches, decide] = [searchesTexts[language], decisionTexts[language]]
    await page.goto(`${world.origin}/tenders?words=${asked[language].words}`)
    await take('find')
    await Promise.all([page.waitForURL('**/searches/new?**'), page.locator('.tally a.go').click()])
    const save = page.getByRole('button', { name: searches.save, exact: true })
    await save.scrollIntoViewIfNeeded()
    await take('save')
    await Promise.all([page.waitForURL(/\/searches(?:\/[0-9a-f-]{36})?$/), save.click()])
    await page.goto(`${world.origin}/o/${organizations.get(language)}/hits?order=deadline`)
    await take('hits')
    await Promise.all([
      page.waitForURL('**/tenders/**'),
      page.locator('ul.hits > li a[href^="/tenders/"]').first().click(),
    ])
    await take('tender')
    await page.evaluate(`[...document.querySelectorAll('h2')].find((heading) => heading.textContent === '${decide.why}')
      .scrollIntoView({ behavior: 'instant' })`)
    await take('why')
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: decide.markDeadline }).click()])
    expect(await page.locator('main').innerText()).toContain(decide.marked)
    await page.goto(`${world.origin}/me/calendar`)
    await take('calendar')
  }

  test.each(languages)('shows the screens as they are (%s)', { timeout: 120_000 }, async (language) => {
    const { context, page } = await open(language, pictureSize)
    const found: { [picture: string]: string } = {}
    await walk(page, language, async (name) => {
      const text = await page.locator('main').innerText()
      found[`${name}-${language}`] = text.split(/\s+/).join(' ')
      if (!isRecording) return
      const debug = await context.newCDPSession(page)
      const shot = { format: 'webp', quality: 60 } as const
      const { data } = await debug.send('Page.captureScreenshot', shot)
      writeFileSync(join(pictureFolder, `${name}-${language}.webp`), Buffer.from(data, 'base64'))
    })
    await context.close()
    expect(Object.keys(found).sort()).toEqual(pictureNames.map((name) => `${name}-${language}`).sort())
    if (isRecording) {
      const known = JSON.parse(readFileSync(wordsFile, 'utf8')) as Words
      writeFileSync(
        wordsFile,
        `${JSON.stringify(Object.fromEntries(Object.entries({ ...known, ...found }).sort()), null, 2)}\n`,
      )
    } else for (const [name, text] of Object.entries(found)) expect(text, name).toBe(recorded[name])
    for (const name of pictureNames)
      expect(statSync(join(pictureFolder, `${name}-${language}.webp`)).size).toBeLessThan(mostBytes.picture)
  })

  describe.each(languages)('%s', (language) => {
    test.each([360, 1280])('is light, fits %i px, breaks no rule of axe, and shows each picture', async (width) => {
      const { context, page } = await open(language, { width, height: 800 })
      const debug = await context.newCDPSession(page)
      await debug.send('Network.enable')
      const kinds = new Map<string, string>()
      let bytes = 0
      debug.on('Network.requestWillBeSent', ({ requestId, type }) => void kinds.set(requestId, type ?? ''))
      debug.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (kinds.get(requestId) !== 'Image') bytes += encodedDataLength
      })
      for (const path of ['/help', ...helpNames.map((name) => `/help/${name}`)]) {
        await page.goto(world.origin + path)
        await page.addScriptTag({ content: axe }).catch(() => page.evaluate(axe))
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          const broken = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
          expect([path, colorScheme, broken]).toEqual([path, colorScheme, []])
          const shots = process.env['SCREENS']
          const file = `${path.slice(1).replace('/', '-')}-${language}-${width}-${colorScheme}.png`
          if (shots) await page.screenshot({ path: join(shots, file) })
        }
        // pictures are light screens: nothing dims them, and an edge sets them off from a dark page
        expect(await page.evaluate(shownPictures), path).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
        const sizes = (await page.evaluate(pictureSizes)) as readonly unknown[]
        expect(sizes.every((size) => JSON.stringify(size) === JSON.stringify(pictureSize))).toBe(true)
        if (path === '/help/find') expect(bytes).toBeLessThan(mostBytes.firstVisit)
      }
      await context.close()
    })
  })

  test('is reached from the menu and the foot of a member, by keyboard and without script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 800 } })
    await context.addCookies([{ name: 'session', value: cookies.get('en')!, url: world.origin }])
    const page = await context.newPage()
    for (const place of ['nav.menu', 'footer']) {
      await page.goto(`${world.origin}/o/${organizations.get('en')}`)
      await page.locator(`${place} a[href="/help"]`).press('Enter')
      await page.waitForURL('**/help')
      for (const name of helpNames) {
        await page.goto(`${world.origin}/help`)
        await page.locator(`main a[href="/help/${name}"]`).press('Enter')
        await page.waitForURL(`**/help/${name}`)
        expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(helpTexts.en.pages[name].title)
      }
    }
    await context.close()
  })

  test.each(languages)(
    'a newcomer can do the first tasks on the samples (%s)',
    { timeout: 120_000 },
    async (language) => {
      const { context, page } = await open(language, { width: 1280, height: 800 })
      const ask = firstTasks[language]
      await page.goto(`${world.origin}/tenders?words=${ask.trade}&place=${ask.saxony}`)
      // no title has the word alone: the page offers the trade
      await Promise.all([
        page.waitForURL('**cpv=45261000**'),
        page.locator('main a[href*="cpv=45261000"]').first().click(),
      ])
      expect(await page.locator('.finds > li').count()).toBe(3)
      await Promise.all([page.waitForURL('**/searches/new?**'), page.locator('.tally a.go').click()])
      const save = page.getByRole('button', { name: searchesTexts[language].save, exact: true })
      await Promise.all([page.waitForURL(/\/searches(?:\/[0-9a-f-]{36})?$/), save.click()])

      await page.goto(`${world.origin}/tenders?status=any&words=Schulen+Sommersall`)
      await page.locator('main a[href*="/authorities/"]').first().click()
      await page.waitForURL('**/authorities/**')
      await page.locator('a.chip[href*="trade=90"]').click()
      await page.waitForURL('**trade=90**')
      expect(await page.locator('#last tbody tr').first().innerText()).toMatch(/823[.,]700/)

      await page.goto(`${world.origin}/tenders?place=${ask.azores}`)
      await page.locator('.finds > li a[href^="/tenders/"]').first().click()
      await page.waitForURL('**/tenders/*')
      expect(await page.locator('main').innerText()).toMatch(ask.restricted)
      await context.close()
    },
  )

  test.each(languages)(
    'somebody who is invited has five hits on the samples, and triages thirty (%s)',
    { timeout: 120_000 },
    async (language) => {
      const name = `Invited ${language}`
      await using task = await invitedToHits(world, browser, { name, language, width: 1280, ...invited[language] })
      const { page, at, key } = task
      await page.goto(`${world.origin}/tenders?cpv=45000000`)
      await Promise.all([page.waitForURL('**/searches/new?**'), page.locator('.tally a.go').click()])
      const save = page.getByRole('button', { name: searchesTexts[language].save, exact: true })
      await Promise.all([page.waitForURL(/\/searches\/[0-9a-f-]{36}$/), save.click()])
      const open = page.locator('ul.hits > li:not([data-was])')
      // on a busy machine the rest becomes hits while the page is there
      const seen = async () => {
        await page.goto(`${world.origin}${at}/hits`)
        return open.count()
      }
      await expect.poll(seen, { timeout: 30_000, interval: 500 }).toBe(30)
      const screens = task.counts.screens
      for (let hit = 0; hit < 30; hit++) await key(hit % 3 === 0 ? 'y' : 'x')
      await expect.poll(() => open.count()).toBe(0)
      expect(task.counts.screens).toBe(screens)
      task.tell('and thirty hits')
      expect(task.complaints).toEqual([])
    },
  )
})

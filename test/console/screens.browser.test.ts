// Every screen in a browser, found by following links from the first link on: no violation of axe or of the policy, no
// sideways scrolling, no dead end. `SCREENS=folder` stores pictures; `PROOF=full` checks both languages, schemes and
// all widths.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { type CrawledConsole, crawlConsole, isGuide, pagePatterns } from '../testing/crawl-console.ts'
import { putEmptyStock } from '../world.ts'

if (!hasChromium) console.log('skipped: the screens of the console (no chromium)')
const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const isFull = process.env['PROOF'] === 'full'
const pictures = process.env['SCREENS']

type Look = { readonly width: number; readonly scheme: 'light' | 'dark' }
type Language = 'en' | 'de'
const languages: readonly Language[] = ['en', 'de']
const looks: readonly Look[] = [1280, 360].flatMap((width) => [
  { width, scheme: 'light' },
  { width, scheme: 'dark' },
])
/**
 * In a usual run each screen is checked in one window, the first in English or the last in German, and all of them for
 * their width on a phone.
 */
const usualLooks: { readonly [language in Language]: Look } = { en: looks[0]!, de: looks[3]! }
/** Number of pages of a browser that are checked in parallel. */
const pagesAtOnce = 3
/** Rules of axe about colors; everything else is the same in both schemes. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** Words that are broken over two lines where people scan: buttons, navigation, tables, lists of facts, headings. */
const brokenWords = `[...document.querySelectorAll('button, .btn, nav a, th, td, dt, dd, label, h1, h2, h3')].flatMap((element) => {
  const found = []
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const holder = text.parentElement
    if (holder.closest('.hide, pre') || (holder.closest('thead')?.clientWidth ?? 9) <= 1) continue
    for (const { 0: word, index } of text.data.matchAll(/(?<!\\S)\\p{L}{2,12}(?!\\S)/gu)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
      if (new Set(tops).size > 1) found.push(word)
    }
  }
  return found
}).slice(0, 5)`

/** Labels of folded tables with a word wider than the label, and what sticks out of a card. */
const narrow = `(() => {
  const pen = document.createElement('canvas').getContext('2d')
  const found = []
  for (const cell of document.querySelectorAll('.fold td[data-l]')) {
    const label = getComputedStyle(cell, '::before')
    if (label.content === 'none') continue
    pen.font = label.fontWeight + ' ' + label.fontSize + ' ' + label.fontFamily
    for (const word of cell.dataset.l.split(/\\s+/))
      if (pen.measureText(word).width > parseFloat(label.width)) found.push('label "' + word + '" is too narrow')
  }
  for (const table of document.querySelectorAll('.card > table')) {
    const card = table.parentElement
    const room = card.getBoundingClientRect().right - parseFloat(getComputedStyle(card).paddingRight)
    if (table.getBoundingClientRect().right > room + 1) found.push('a table sticks out of its card')
  }
  return [...new Set(found)].slice(0, 5)
})()`

describe.skipIf(!hasChromium)('the screens of a running service', () => {
  let folder: string
  let service: ChildProcess
  let browser: Browser
  let ready: { readonly console: string; readonly data: string }
  let screens: CrawledConsole
  beforeAll(async () => {
    folder = await putEmptyStock(await mkdtemp(join(tmpdir(), 'tenderstock-screens-')))
    service = spawn(process.execPath, [program, 'start', '--data', folder, '--api-port', '0', '--json'], {
      env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: service.stdout! })) {
      const event = JSON.parse(line) as { event: string } & typeof ready
      if (event.event === 'ready') {
        ready = event
        break
      }
    }
    service.stdout!.resume()
    browser = await launchChromium()
    const { home, context } = await signIn()
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    await context.close()
    screens = await crawlConsole(ready.console, { cookie, home, allGuides: isFull })
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    service.kill('SIGTERM')
    await once(service, 'exit')
    await rm(folder, { recursive: true, force: true })
  })

  test('are all reachable from the first link', { timeout: 300_000 }, async () => {
    expect(screens.dead).toEqual([])
    expect([...screens.found.keys()]).toEqual(
      expect.arrayContaining(['/o/:organization', '/operator', '/docs', '/explorer', '/tenders/:id']),
    )
    console.log(`screens: ${screens.found.size} of ${pagePatterns.length} routes, ${isFull ? 8 : 1} windows each`)
  })

  test.each(languages)('fit every window size and break no rule (%s)', { timeout: 900_000 }, async (language) => {
    const firstGuide = [...screens.found.keys()].find(isGuide)
    const waiting = [...screens.found].filter(([route], index) =>
      isFull
        ? language === 'en' || !isGuide(route) || route === firstGuide
        : index % languages.length === languages.indexOf(language),
    )
    const context = await contextOf(language)
    const faults: string[] = []
    let windows = 0
    await Promise.all(
      Array.from({ length: pagesAtOnce }, async () => {
        for (let screen = waiting.shift(); screen; screen = waiting.shift()) {
          const seen = await lookAt(context, screen, language)
          faults.push(...seen.faults)
          windows += seen.windows
        }
      }),
    )
    await context.close()
    console.log(`screens: ${windows} windows in ${language}`)
    expect(faults.join('\n')).toBe('')
  })

  test('the count of a search fits into its card, in the longer language', { timeout: 120_000 }, async () => {
    const context = await contextOf('de')
    const page = await context.newPage()
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${ready.console}${screens.found.get('/o/:organization')}/searches/new`)
    await page.getByLabel('Name', { exact: true }).fill('Straßen')
    await page.getByLabel('Wörter (mindestens eines)').first().fill('Erneuerung')
    await page.getByRole('button', { name: 'Zählen' }).click()
    await page.getByRole('button', { name: 'Erneut zählen' }).waitFor()
    expect(await page.locator('.card > table').count()).toBe(1)
    expect(await page.evaluate(narrow)).toEqual([])
    await context.close()
  })

  /** Signed in just now: forms that need a sign-in of the last minutes show themselves. */
  async function contextOf(language: Language) {
    const { context } = await signIn()
    await context.addCookies([{ name: 'language', value: language, url: ready.console }])
    return context
  }

  async function signIn() {
    const made = spawnSync(process.execPath, [program, 'console', 'link', '--data', folder, '--json'], {
      encoding: 'utf8',
    })
    const { link } = JSON.parse(made.stdout.trim().split('\n').at(-1)!) as { link: string }
    const context = await browser.newContext({ bypassCSP: false, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(link)
    await page.locator('main form button').first().click()
    await page.waitForLoadState()
    const home = new URL(page.url()).pathname
    expect(home).toMatch(/^\/o\//)
    await page.close()
    return { home, context }
  }

  /** Loads a screen once, and checks it in each window. */
  async function lookAt(context: BrowserContext, [route, path]: readonly [string, string], language: Language) {
    const page = await context.newPage()
    const faults: string[] = []
    let name = `${route} (${language})`
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`${name}: ${message.text().slice(0, 200)}`)
    })
    page.on('pageerror', (error) => faults.push(`${name}: ${error.message}`))
    const shown = isFull ? looks : [usualLooks[language]]
    for (const [turn, { width, scheme }] of shown.entries()) {
      name = `${route} (${width}, ${scheme}, ${language})`
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: scheme })
      if (turn === 0) {
        const answer = await page.goto(ready.console + path, { waitUntil: 'load' })
        if (answer?.status() !== 200) faults.push(`${name}: ${answer?.status()}`)
        if (answer?.url() !== ready.console + path) faults.push(`${name}: shows ${answer?.url()} instead`)
        await page.evaluate(axe)
      }
      const onlyColors = shown[turn - 1]?.width === width
      faults.push(...(await brokenRules(page, onlyColors)).map((fault) => `${name}: ${fault}`))
      if (!onlyColors) faults.push(...(await misfits(page)).map((fault) => `${name}: ${fault}`))
      if (pictures) {
        mkdirSync(pictures, { recursive: true })
        const file = `${route.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'home'}-${width}-${scheme}-${language}.png`
        await page.screenshot({ path: join(pictures, file), fullPage: true, timeout: 120_000 })
      }
    }
    if (!isFull) {
      name = `${route} (360, ${language})`
      await page.setViewportSize({ width: 360, height: 900 })
      faults.push(...(await misfits(page)).map((fault) => `${name}: ${fault}`))
    }
    await page.close()
    return { faults, windows: shown.length }
  }

  async function misfits(page: Page): Promise<string[]> {
    const broken = (await page.evaluate(brokenWords)) as string[]
    const wide = Number(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    )
    const tight = (await page.evaluate(narrow)) as string[]
    return [...broken.map((word) => `breaks within "${word}"`), ...tight, ...(wide > 0 ? [`${wide} px too wide`] : [])]
  }

  /** axe through the debugger: the policy does not allow adding a script. */
  async function brokenRules(page: Page, onlyColors: boolean): Promise<string[]> {
    const runOnly = onlyColors
      ? { type: 'rule', values: colorRules }
      : { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }
    const violations =
      (await page.evaluate(`axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => \
html.slice(0, 160)).join(' | ')))`)) as string[]
    return violations
  }
})

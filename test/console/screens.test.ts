// Every screen in a browser, found by following links from the first link on: no violation of axe or of the policy, no sideways
// scrolling, no dead end. `SCREENS=folder` keeps pictures; `PROOF=full` looks in both languages, schemes and widths.
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
import { crawlConsole, pagePatterns } from '../testing/crawl-console.ts'
import { putEmptyStock } from '../world.ts'

if (!hasChromium) console.log('skipped: the screens of the console (no chromium)')
const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const isFull = process.env['PROOF'] === 'full'
const pictures = process.env['SCREENS']

type Look = { readonly width: number; readonly scheme: 'light' | 'dark'; readonly language: 'en' | 'de' }
const looks: readonly Look[] = isFull
  ? ([1280, 360] as const).flatMap((width) =>
      (['light', 'dark'] as const).flatMap((scheme) =>
        (['en', 'de'] as const).map((language) => ({ width, scheme, language })),
      ),
    )
  : [
      { width: 1280, scheme: 'light', language: 'en' },
      { width: 360, scheme: 'dark', language: 'de' },
    ]

/** Words of letters that stand on two lines, where people scan: buttons, navigation, tables, lists of facts, headings. */
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

describe.skipIf(!hasChromium)('the screens of a whole service', () => {
  let folder: string
  let service: ChildProcess
  let browser: Browser
  let ready: { readonly console: string; readonly data: string }
  let link: string
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
    const made = spawnSync(process.execPath, [program, 'console', 'link', '--data', folder, '--json'], {
      encoding: 'utf8',
    })
    link = (JSON.parse(made.stdout.trim().split('\n').at(-1)!) as { link: string }).link
    browser = await launchChromium()
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    service.kill('SIGTERM')
    await once(service, 'exit')
    await rm(folder, { recursive: true, force: true })
  })

  test('lead on, fit every window, and break no rule', { timeout: isFull ? 2_700_000 : 900_000 }, async () => {
    const first = await browser.newContext()
    const page = await first.newPage()
    await page.goto(link)
    await page.locator('main form button').first().click()
    await page.waitForLoadState()
    expect(new URL(page.url()).pathname).toMatch(/^\/o\//)
    const storage = await first.storageState()
    await first.close()

    const { found, dead } = await crawlConsole(ready.console, {
      cookie: storage.cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      home: new URL(page.url()).pathname,
      allGuides: isFull,
    })
    expect(dead).toEqual([])
    const seen = [...found.keys()]
    expect(seen).toEqual(
      expect.arrayContaining(['/o/:organization', '/operator', '/docs', '/explorer', '/tenders/:id']),
    )
    const faults: string[] = []
    // in a usual run each screen is looked at in one of the windows
    for (const [turn, look] of looks.entries()) {
      const context = await contextOf(look, storage)
      const part = [...found].filter((_, index) => isFull || index % looks.length === turn)
      for (const [route, path] of part) faults.push(...(await lookAt(context, route, path, look)))
      await context.close()
    }
    console.log(`screens: ${found.size} of ${pagePatterns.length} routes, ${isFull ? looks.length : 1} windows each`)
    expect(faults.join('\n')).toBe('')
  })

  async function contextOf(look: Look, storageState: Awaited<ReturnType<BrowserContext['storageState']>>) {
    const context = await browser.newContext({
      viewport: { width: look.width, height: 900 },
      colorScheme: look.scheme,
      storageState,
      bypassCSP: false,
    })
    await context.addCookies([{ name: 'language', value: look.language, url: ready.console }])
    return context
  }

  async function lookAt(context: BrowserContext, route: string, path: string, look: Look): Promise<string[]> {
    const page = await context.newPage()
    const faults: string[] = []
    const name = `${route} (${look.width}, ${look.scheme}, ${look.language})`
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`${name}: ${message.text().slice(0, 200)}`)
    })
    page.on('pageerror', (error) => faults.push(`${name}: ${error.message}`))
    const answer = await page.goto(ready.console + path, { waitUntil: 'load' })
    if (answer?.status() !== 200) faults.push(`${name}: ${answer?.status()}`)
    faults.push(...(await brokenRules(page)).map((fault) => `${name}: ${fault}`))
    faults.push(...((await page.evaluate(brokenWords)) as string[]).map((word) => `${name}: breaks within "${word}"`))
    const wide = Number(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    )
    if (wide > 0) faults.push(`${name}: ${wide} px too wide`)
    if (pictures) {
      mkdirSync(pictures, { recursive: true })
      const file = `${route.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'home'}-${look.width}-${look.scheme}-${look.language}.png`
      await page.screenshot({ path: join(pictures, file), fullPage: true })
    }
    await page.close()
    return faults
  }

  /** axe through the debugger: the policy lets nobody add a script. */
  async function brokenRules(page: Page): Promise<string[]> {
    const violations = (await page.evaluate(`${axe}; axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`)) as string[]
    return violations
  }
})

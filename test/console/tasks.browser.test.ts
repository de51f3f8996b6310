// Tasks of a bid manager with the keyboard on a desk and with a thumb on a phone, in both languages: thirty hits are
// triaged. What each took is printed: seconds, screens, and keys or taps.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TenderContent } from '../../src/domain/tender.ts'
import { dayMs, toInstant } from '../../src/domain/time.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { type ConsoleWorld, openConsoleWorld, startOfConsole } from './console-world.ts'
import { publishTenders, roofTenderId } from './roof-tenders.ts'

if (!hasChromium) console.log('skipped: tasks of a bid manager in a browser (no chromium)')

const roofOf = (number: number): TenderContent =>
  ({
    id: roofTenderId(number),
    title: `Dachsanierung Grundschule ${number}`,
    language: 'de',
    status: 'open',
    contractAmount: { value: number * 10_000, currency: 'EUR', estimated: false },
    contractingAuthority: { name: 'Stadt Quellmar', city: 'Quellmar', country: 'DE' },
    nutsCodes: ['DED21'],
    cpvCodes: ['45261000'],
    submissionDate: toInstant(startOfConsole + (20 + number) * dayMs),
    timeZone: 'Europe/Berlin',
    lots: [],
    originalSources: [],
  }) as unknown as TenderContent

const windows = (['en', 'de'] as const).flatMap((language) => [1280, 360].map((width) => [language, width] as const))
const said = {
  en: { keep: /^Keep/, undo: /^Undo/, kept: 'Kept', dismissed: 'Dismissed', new: 'New' },
  de: { keep: /^Behalten/, undo: /^Rückgängig/, kept: 'Behalten', dismissed: 'Verworfen', new: 'Neu' },
} as const

describe.skipIf(!hasChromium)('tasks of a bid manager', () => {
  const closing = new AsyncDisposableStack()
  let world: ConsoleWorld
  let browser: Browser
  beforeAll(async () => {
    world = closing.use(await openConsoleWorld('embedded'))
    await publishTenders(
      world,
      Array.from({ length: 30 }, (_, index) => roofOf(index + 1)),
    )
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 120_000)
  afterAll(async () => {
    expect(world?.faults ?? []).toEqual([])
    await closing.disposeAsync()
  })

  /** A window of somebody whose organization has thirty new hits; what is loaded in it is counted. */
  async function openTask(name: string, language: 'en' | 'de', width: number) {
    const organizationId = await world.organization(name)
    await world.command({
      command: 'search create',
      options: { organization: name, name: 'Roofs', cpv: ['45261000'], 'deliver-open': '100' },
    })
    const { cookie } = await world.person(`${name}@example.org`, { memberOf: [[organizationId, 'member']] })
    const context = await browser.newContext({ viewport: { width, height: 800 }, hasTouch: width === 360 })
    await context.addCookies([
      { name: 'session', value: cookie, url: world.origin },
      { name: 'language', value: language, url: world.origin },
    ])
    const page: Page = await context.newPage()
    const counts = { screens: 0, entries: 0 }
    const complaints: string[] = []
    page.on('load', () => counts.screens++)
    page.on('pageerror', (error) => complaints.push(String(error)))
    const startedAt = performance.now()
    return {
      page,
      at: `${world.origin}/o/${organizationId}`,
      complaints,
      counts,
      key: async (key: string) => {
        counts.entries++
        await page.keyboard.press(key)
      },
      tell: (task: string) => {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
        console.log(
          `${task} (${language}, ${width} px): ${seconds} s, ${counts.screens} screens, ${counts.entries} entries`,
        )
      },
      [Symbol.asyncDispose]: () => context.close(),
    }
  }

  test.each(windows)('thirty hits are triaged (%s, %i px)', { timeout: 120_000 }, async (language, width) => {
    const words = said[language]
    await using task = await openTask(`triage-${language}-${width}`, language, width)
    const { page, at, counts, key } = task
    await page.goto(`${at}/hits`)
    const open = page.locator('ul.hits > li:not([data-was])')
    expect(await open.count()).toBe(30)
    // town, region and trade
    expect(await open.first().innerText()).toMatch(/Quellmar · (?:Dresden|.*) · (?:Erection|Errichtung)/)
    const titles = await page.locator('ul.hits h3').allInnerTexts()
    if (width === 360)
      for (let hit = 0; hit < 30; hit++) {
        counts.entries++
        await open.first().getByRole('button', { name: words.keep }).tap()
      }
    else {
      for (let hit = 0; hit < 29; hit++) await key(hit % 3 === 0 ? 'y' : 'x')
      // the focus went on with each decision
      expect(await page.evaluate('document.activeElement.textContent')).toBe(titles[29])
      await open.getByRole('button', { name: words.keep }).focus()
      await key('Enter')
    }
    await expect.poll(() => open.count()).toBe(0)
    expect(counts.screens).toBe(1)
    expect(counts.entries).toBeLessThanOrEqual(width === 360 ? 30 : 60)
    task.tell('thirty hits')
    // each can be undone: the last by its key or a tap, any other by its button
    if (width === 360) await page.getByRole('button', { name: `${titles[29]}` }).tap()
    else await key('z')
    expect(await open.locator('h3').allInnerTexts()).toEqual([titles[29]])
    await page.getByRole('button', { name: words.undo }).first().click()
    expect(await open.count()).toBe(2)
    const tabs = await page.locator('.tabs').innerText()
    expect(tabs).toContain(`${words.new} 2`)
    await page.waitForLoadState('networkidle')
    await page.reload()
    // the service knows the same
    expect(await page.locator('.tabs').innerText()).toBe(tabs)
    expect(await page.locator('ul.hits > li').count()).toBe(2)
    if (width === 1280) {
      await key('?')
      expect(await page.locator('.keys p').isVisible()).toBe(true)
    }
    expect(task.complaints).toEqual([])
  })
})

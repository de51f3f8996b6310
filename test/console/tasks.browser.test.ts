// Tasks of a bid manager with the keyboard on a desk and with a thumb on a phone, in both languages: thirty hits are
// triaged, and the deadline of a restricted procedure in the Azores goes into a calendar. What each took is printed:
// seconds, screens, and keys or taps.
import type { Browser, Locator, Page } from 'playwright-core'
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

/** Requests to participate are due at 17:00 of the Azores, an hour behind UTC; it is announced in Portuguese. */
const portOf = (): TenderContent =>
  ({
    ...roofOf(99),
    title: 'Reabilitação do porto de Ponta Delgada',
    language: 'pt',
    procedureType: 'restricted',
    contractingAuthority: { name: 'Portos dos Açores', city: 'Ponta Delgada', country: 'PT' },
    nutsCodes: ['PT200'],
    cpvCodes: ['45241000'],
    participationDate: '2026-12-14T18:00:00.000Z',
    submissionDate: '2027-02-01T18:00:00.000Z',
    timeZone: 'Atlantic/Azores',
  }) as unknown as TenderContent

const windows = (['en', 'de'] as const).flatMap((language) => [1280, 360].map((width) => [language, width] as const))
const said = {
  en: {
    keep: /^Keep/,
    undo: /^Undo/,
    new: 'New',
    what: 'What',
    due: /Deadline for requests to participate\s+14 Dec 2026, 17:00 GMT-1/,
    mark: 'Add the deadline to my calendar',
    marked: 'The deadline is in your calendar.',
    file: 'Calendar file',
  },
  de: {
    keep: /^Behalten/,
    undo: /^Rückgängig/,
    new: 'Neu',
    what: 'Was',
    due: /Frist für Teilnahmeanträge\s+14\. Dez\. 2026, 17:00 GMT-1/,
    mark: 'Frist in meinen Kalender',
    marked: 'Die Frist steht in Ihrem Kalender.',
    file: 'Kalenderdatei',
  },
} as const

/** Stores what a page looks like, in both schemes. */
async function pictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${name}-${colorScheme}.png`, fullPage: false })
  }
}

describe.skipIf(!hasChromium)('tasks of a bid manager', () => {
  const closing = new AsyncDisposableStack()
  let world: ConsoleWorld
  let browser: Browser
  beforeAll(async () => {
    world = closing.use(await openConsoleWorld('embedded'))
    await publishTenders(world, [...Array.from({ length: 30 }, (_, index) => roofOf(index + 1)), portOf()])
    await world.editions.indexed(30_000)
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
    if (process.env['SCREENS'] !== undefined)
      await pictures(page, `${process.env['SCREENS']}/hits-${language}-${width}`)
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
    // the service knows the same, though the page is left at once
    const again = async () => {
      await page.reload()
      return page.locator('.tabs').innerText()
    }
    await expect.poll(again, { timeout: 10_000 }).toBe(tabs)
    expect(await page.locator('ul.hits > li').count()).toBe(2)
    // the page of a tender decides too, and leads to the next hit and back
    const ways = page.locator('.decide .to a')
    await page.locator('ul.hits h3 a').first().click()
    await page.waitForURL(/\/tenders\//)
    const here = page.url()
    if (process.env['SCREENS'] !== undefined)
      await pictures(page, `${process.env['SCREENS']}/tender-${language}-${width}`)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    await Promise.all([page.waitForURL((to) => to.href !== here), width === 360 ? ways.last().tap() : key('j')])
    const next = page.url()
    expect(await page.locator('h1').innerText()).not.toBe(titles[0])
    await Promise.all([page.waitForURL(here), width === 360 ? ways.nth(1).tap() : key('k')])
    await Promise.all([
      page.waitForURL(/undo=/),
      width === 360 ? page.locator('.decide.hit button').first().tap() : key('y'),
    ])
    await Promise.all([page.waitForURL(here), width === 360 ? page.locator('.undo button').tap() : key('z')])
    await Promise.all([page.waitForURL(/\/hits$/), width === 360 ? page.locator('.crumbs a').tap() : key('u')])
    expect(await page.locator('ul.hits > li').count()).toBe(2)
    expect(next).toContain('/tenders/')
    if (width === 1280) {
      await key('?')
      expect(await page.locator('.keys p').isVisible()).toBe(true)
    }
    expect(task.complaints).toEqual([])
  })

  test.each(windows)(
    'a deadline in the Azores is found and marked (%s, %i px)',
    { timeout: 120_000 },
    async (language, width) => {
      const words = said[language]
      world.wait(60_000)
      await using task = await openTask(`azores-${language}-${width}`, language, width)
      const { page, counts, key } = task
      /** Uses a control with the tab key or a tap. */
      const use = async (target: Locator) => {
        counts.entries++
        if (width === 360) return target.tap()
        await target.focus()
        return page.keyboard.press('Enter')
      }
      await page.goto(`${world.origin}/tenders`)
      await page.getByLabel(words.what, { exact: true }).focus()
      counts.entries++
      await page.keyboard.type('ponta delgada porto')
      await key('Enter')
      await use(page.locator('.finds h3 a').first())
      await page.waitForURL(/\/tenders\/0/)
      // kind, local time and zone, then what follows
      await expect.poll(() => page.locator('main').innerText()).toMatch(words.due)
      const text = await page.locator('main').innerText()
      expect(text).toContain('Atlantic/Azores')
      expect(text).toMatch(/Ponta Delgada|Portos dos Açores/)
      await use(page.getByRole('button', { name: words.mark }))
      await expect.poll(() => page.locator('.note.ok').innerText()).toBe(words.marked)
      task.tell('the Azores')
      const file = await page.evaluate(
        `fetch(document.querySelector('a[href$=".ics"]').href).then((answer) => answer.text())`,
      )
      expect(String(file).match(/DTSTART:\w+/g)).toEqual(['DTSTART:20261214T180000Z', 'DTSTART:20270201T180000Z'])
      if (process.env['SCREENS'] !== undefined)
        await pictures(page, `${process.env['SCREENS']}/azores-${language}-${width}`)
      expect(task.complaints).toEqual([])
    },
  )
})

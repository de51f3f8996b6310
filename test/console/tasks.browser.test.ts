// Tasks of a bid manager with the keyboard on a desk and with a thumb on a phone, in both languages: thirty hits are
// triaged, and the deadline of a restricted procedure in the Azores goes into a calendar. What each took is printed:
// seconds, screens, and keys or taps.
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TenderContent } from '../../src/domain/tender.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { openTask, taskWindows } from './counted-task.ts'
import { publishTenders } from './put-tenders.ts'
import { openRoof } from './roof-tenders.ts'

if (!hasChromium) console.log('skipped: tasks of a bid manager in a browser (no chromium)')

/** Requests to participate are due at 17:00 of the Azores, an hour behind UTC; it is announced in Portuguese. */
const portOf = (): TenderContent =>
  ({
    ...openRoof(99),
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
    mark: 'Frist in meinen Kalender eintragen',
    marked: 'Die Frist steht in Ihrem Kalender.',
    file: 'Kalenderdatei',
  },
} as const

describe.skipIf(!hasChromium)('tasks of a bid manager', () => {
  const closing = new AsyncDisposableStack()
  let world: ConsoleWorld
  let browser: Browser
  beforeAll(async () => {
    world = closing.use(await openConsoleWorld('embedded'))
    await publishTenders(world, [...Array.from({ length: 30 }, (_, index) => openRoof(index + 1)), portOf()])
    await world.editions.indexed(30_000)
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 120_000)
  afterAll(async () => {
    expect(world?.faults ?? []).toEqual([])
    await closing.disposeAsync()
  })

  /** A window of somebody whose organization has thirty new hits. */
  async function openHits(name: string, language: 'en' | 'de', width: number) {
    const organizationId = await world.organization(name)
    await world.command({
      command: 'search create',
      options: { organization: name, name: 'Roofs', cpv: ['45261000'], 'deliver-open': '100' },
    })
    const { cookie } = await world.person(`${name}@example.org`, { memberOf: [[organizationId, 'member']] })
    const task = await openTask(browser, { origin: world.origin, language, width, cookie })
    return { ...task, at: `${world.origin}/o/${organizationId}` }
  }

  test.each(taskWindows)('thirty hits are triaged (%s, %i px)', { timeout: 120_000 }, async (language, width) => {
    const words = said[language]
    await using task = await openHits(`triage-${language}-${width}`, language, width)
    const { page, at, counts, key } = task
    await page.goto(`${at}/hits`)
    const open = page.locator('ul.hits > li:not([data-was])')
    expect(await open.count()).toBe(30)
    // town, region and trade
    expect(await open.first().innerText()).toMatch(/Quellmar · (?:Dresden|.*) · (?:Erection|Errichtung)/)
    const titles = await page.locator('ul.hits h3').allInnerTexts()
    await task.look('hits')
    if (width === 360)
      for (let hit = 0; hit < 30; hit++)
        await task.entry(() => open.first().getByRole('button', { name: words.keep }).tap())
    else {
      for (let hit = 0; hit < 29; hit++) await key(hit % 3 === 0 ? 'y' : 'x')
      // the focus went on with each decision
      expect(await page.evaluate('document.activeElement.textContent')).toBe(titles[29])
      await task.reach(open.getByRole('button', { name: words.keep }))
      await key('Enter')
    }
    await expect.poll(() => open.count()).toBe(0)
    expect(counts.screens).toBe(1)
    expect(counts.entries).toBeLessThanOrEqual(width === 360 ? 30 : 60)
    task.tell('thirty hits')
    // each can be undone: the last by its key or a tap, any other by its button
    if (width === 360) await page.getByRole('button', { name: `${words.undo}: ${titles[29]}`, exact: true }).tap()
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
    await task.look('tender')
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
      // single keys can be turned off, and stay so
      const keysOn = page.locator('input[data-keys]')
      await keysOn.uncheck()
      await page.reload()
      await key('y')
      await key('?')
      expect([await page.locator('[data-was]').count(), await page.locator('.keys p').isVisible()]).toEqual([0, false])
      await page.locator('.keys summary').click()
      await keysOn.check()
      await page.locator('h1').click()
      await key('y')
      expect(await page.locator('[data-was]').count()).toBe(1)
    }
    expect(task.complaints).toEqual([])
  })

  test.each(taskWindows)(
    'a deadline in the Azores is found and marked (%s, %i px)',
    { timeout: 120_000 },
    async (language, width) => {
      const words = said[language]
      world.wait(60_000)
      await using task = await openHits(`azores-${language}-${width}`, language, width)
      const { page, key } = task
      /** Uses a control with the tab key or a tap. */
      const use = async (target: Locator) => {
        if (width === 360) return task.entry(() => target.tap())
        await task.reach(target)
        return key('Enter')
      }
      await page.goto(`${world.origin}/tenders`)
      await task.reach(page.getByLabel(words.what, { exact: true }))
      await task.entry(() => page.keyboard.type('ponta delgada porto'))
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
      await task.look('azores')
      expect(task.complaints).toEqual([])
    },
  )
})

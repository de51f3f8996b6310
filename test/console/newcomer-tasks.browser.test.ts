// Two more tasks of a bid manager by keyboard, on a desk and on a phone, in both languages: from an invitation to five
// hits, and who won the last cleaning contract of an authority. What each took is printed: seconds, screens, entries.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TenderContent } from '../../src/domain/tender.ts'
import { dayMs, toInstant } from '../../src/domain/time.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { type ConsoleWorld, openConsoleWorld, startOfConsole } from './console-world.ts'
import { marketCompany, publishMarket } from './market.ts'
import { fieldsOf } from './plain-form.ts'
import { publishTenders, roofTenderId } from './roof-tenders.ts'

if (!hasChromium) console.log('skipped: tasks of a newcomer in a browser (no chromium)')

const roofOf = (number: number): TenderContent =>
  ({
    id: roofTenderId(number),
    title: `Dachsanierung Grundschule ${number}`,
    language: 'de',
    status: 'open',
    contractAmount: null,
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
  en: { what: 'roofing', where: 'Saxony', trade: 'Waste, sewage, cleaning' },
  de: { what: 'Dachdecker', where: 'Sachsen', trade: 'Abfall, Abwasser, Reinigung' },
} as const

describe.skipIf(!hasChromium)('tasks of a newcomer', () => {
  const closing = new AsyncDisposableStack()
  let world: ConsoleWorld
  let browser: Browser
  beforeAll(async () => {
    world = closing.use(await openConsoleWorld('embedded'))
    await publishTenders(
      world,
      Array.from({ length: 12 }, (_, index) => roofOf(index + 1)),
    )
    await publishMarket(world)
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 240_000)
  afterAll(async () => {
    expect(world?.faults ?? []).toEqual([])
    await closing.disposeAsync()
  })

  async function openTask(language: 'en' | 'de', width: number, cookie?: string) {
    const context = await browser.newContext({ viewport: { width, height: 800 } })
    const cookies = [{ name: 'language', value: String(language), url: world.origin }]
    if (cookie) cookies.push({ name: 'session', value: cookie, url: world.origin })
    await context.addCookies(cookies)
    const page: Page = await context.newPage()
    const counts = { screens: 0, entries: 0 }
    page.on('load', () => counts.screens++)
    const startedAt = performance.now()
    const entry = async (work: () => Promise<unknown>) => {
      counts.entries++
      await work()
    }
    return {
      page,
      counts,
      entry,
      look: async (name: string) => {
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        const shots = process.env['TASK_SHOTS']
        if (shots === undefined) return
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.screenshot({ path: `${shots}/${name}-${language}-${width}-${colorScheme}.png`, fullPage: true })
        }
      },
      done: (name: string) => {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
        console.log(
          `${name}, ${language}, ${width} px: ${seconds} s, ${counts.screens} screens, ${counts.entries} entries`,
        )
      },
    }
  }

  /** Moves the focus by Tab to what matches. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let presses = 0; presses < 80; presses++) {
      if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) === true`)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`the keyboard does not reach ${selector}`)
  }

  test.each(windows)('from an invitation to five hits, %s, %i px', { timeout: 120_000 }, async (language, width) => {
    const organization = await world.organization(`Roofs ${language} ${width}`)
    const owner = await world.person(`owner.${language}${width}@example.org`, { memberOf: [[organization, 'owner']] })
    const at = `/o/${organization}/people`
    const invite = fieldsOf(await (await world.get(at, owner.cookie)).text(), `${at}/invite`)
    const sent = { ...invite, mail: `new.${language}${width}@example.org`, role: 'member' }
    const answer = await (await world.post(`${at}/invite`, sent, owner.cookie)).text()
    const link = /<code id="link"[^>]*>([^<]+)</.exec(answer)![1]!
    const { page, counts, entry, look, done } = await openTask(language, width)
    await page.goto(link)
    await tabTo(page, 'form[action^="/invitation/"] button')
    await entry(() => Promise.all([page.waitForURL('**/start'), page.keyboard.press('Enter')]))
    await look('start-1')
    const before = counts.screens
    await tabTo(page, '[name=what]')
    await entry(() => page.keyboard.type(said[language].what))
    await entry(() => Promise.all([page.waitForURL('**step=2**'), page.keyboard.press('Enter')]))
    await look('start-2')
    await tabTo(page, '[name=place]')
    await entry(() => page.keyboard.type(said[language].where))
    await entry(() => Promise.all([page.waitForURL('**step=3**'), page.keyboard.press('Enter')]))
    await look('start-3')
    await tabTo(page, 'form[method=post][action$="/start"] button')
    await entry(() => Promise.all([page.waitForURL('**/hits'), page.keyboard.press('Enter')]))
    expect(await page.locator('main a[href*="/hits/"], main a[href^="/tenders/"]').count()).toBeGreaterThanOrEqual(5)
    expect(counts.screens - before).toBeLessThanOrEqual(3)
    expect(counts.entries).toBeLessThanOrEqual(6)
    await look('start-hits')
    done('from an invitation to five hits')
    await page.context().close()
  })

  test.each(windows)('who won the last cleaning contract, %s, %i px', { timeout: 120_000 }, async (language, width) => {
    const organization = await world.organization(`Who ${language} ${width}`)
    const mail = `who.${language}${width}@example.org`
    const { cookie } = await world.person(mail, { memberOf: [[organization, 'member']] })
    const { page, entry, look, done } = await openTask(language, width, cookie)
    await page.goto(`${world.origin}/tenders?status=any`)
    await tabTo(page, '[name=words]')
    await entry(() => page.keyboard.type('Winterdienst'))
    // what is announced is found among all statuses
    await entry(() => Promise.all([page.waitForURL('**words=**'), page.keyboard.press('Enter')]))
    if ((await page.locator('a[href*="/authorities/"]').count()) === 0)
      await page.goto(`${world.origin}/tenders?status=any&words=Winterdienst`)
    await tabTo(page, 'a[href*="/authorities/"]')
    await entry(() => Promise.all([page.waitForURL('**/authorities/**'), page.keyboard.press('Enter')]))
    await look('authority')
    await tabTo(page, 'a.chip[href*="trade=90"]')
    await entry(() => Promise.all([page.waitForURL('**trade=90**'), page.keyboard.press('Enter')]))
    expect(await page.locator('#last a[aria-current]').innerText()).toBe(said[language].trade)
    expect(await page.locator('#last tbody tr').first().innerText()).toContain(marketCompany.name)
    done('who won the last cleaning contract')
    await tabTo(page, '#last tbody a[href*="/companies/"]')
    await Promise.all([page.waitForURL('**/companies/**'), page.keyboard.press('Enter')])
    await look('company')
    await page.context().close()
  })
})

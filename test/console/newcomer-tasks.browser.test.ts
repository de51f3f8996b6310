// Two more tasks of a bid manager by keyboard, on a desk and on a phone, in both languages: from an invitation to five
// hits, and who won the last cleaning contract of an authority. What each took is printed: seconds, screens, entries.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'
import { openTask, taskWindows } from './counted-task.ts'
import { invitedToHits } from './invited.ts'
import { marketCompany, publishMarket } from './market.ts'
import { publishTenders } from './put-tenders.ts'
import { openRoof } from './roof-tenders.ts'

if (!hasChromium) console.log('skipped: tasks of a newcomer in a browser (no chromium)')

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
      Array.from({ length: 12 }, (_, index) => openRoof(index + 1)),
    )
    await publishMarket(world)
    browser = await launchChromium()
    closing.defer(() => browser.close())
  }, 240_000)
  afterAll(async () => {
    expect(world?.faults ?? []).toEqual([])
    await closing.disposeAsync()
  })

  test.each(taskWindows)(
    'from an invitation to five hits, %s, %i px',
    { timeout: 120_000 },
    async (language, width) => {
      const name = `Roofs ${language} ${width}`
      const { what, where } = said[language]
      await using _task = await invitedToHits(world, browser, { name, language, width, what, where })
    },
  )

  test.each(taskWindows)(
    'who won the last cleaning contract, %s, %i px',
    { timeout: 120_000 },
    async (language, width) => {
      const organization = await world.organization(`Who ${language} ${width}`)
      const mail = `who.${language}${width}@example.org`
      const { cookie } = await world.person(mail, { memberOf: [[organization, 'member']] })
      await using task = await openTask(browser, { origin: world.origin, language, width, cookie })
      const { page, entry, look, reach } = task
      await page.goto(`${world.origin}/tenders?status=any`)
      await reach('[name=words]')
      await entry(() => page.keyboard.type('Winterdienst'))
      await entry(() => Promise.all([page.waitForURL('**words=**'), page.keyboard.press('Enter')]))
      await reach('a[href*="/authorities/"]')
      await entry(() => Promise.all([page.waitForURL('**/authorities/**'), page.keyboard.press('Enter')]))
      await look('authority')
      await reach('a.chip[href*="trade=90"]')
      await entry(() => Promise.all([page.waitForURL('**trade=90**'), page.keyboard.press('Enter')]))
      expect(await page.locator('#last a[aria-current]').innerText()).toBe(said[language].trade)
      expect(await page.locator('#last tbody tr').first().innerText()).toContain(marketCompany.name)
      task.tell('who won the last cleaning contract')
      await reach('#last tbody a[href*="/companies/"]')
      await Promise.all([page.waitForURL('**/companies/**'), page.keyboard.press('Enter')])
      await look('company')
      expect(task.complaints).toEqual([])
    },
  )
})

// Names and addresses without a blank, as long as the console accepts them: no table grows out of its page.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { receiveNotices } from '../receive-notices.ts'
import { hasChromium, launchChromium } from '../testing/chromium.ts'
import { notice } from '../testing/generate/notices.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

const long = 'Infrastrukturerhaltungsgesellschaft'.repeat(6).slice(0, 190)
const mail = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.example.org`

describe.skipIf(!hasChromium)('pages with long names', () => {
  let world: ConsoleWorld
  let browser: Browser
  beforeAll(async () => {
    world = await openConsoleWorld('embedded')
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  test('are no wider than the window, and their tables no wider than the pages', async () => {
    const acme = await world.organization(long, true)
    const owner = await world.person(mail, { isOperator: true, memberOf: [[acme, 'owner']] })
    const context = await browser.newContext()
    await context.addCookies([{ name: 'session', value: owner.cookie, url: world.origin }])
    const page = await context.newPage()
    const at = `/o/${acme}`
    const forms: readonly (readonly [path: string, fields: { readonly [selector: string]: string }])[] = [
      [`${at}/profiles/new`, { '#name': long, '#words': 'beton' }],
      [`${at}/webhooks/new`, { '#address': `https://hooks.example.org/${'p'.repeat(900)}`, '#description': long }],
    ]
    for (const [path, fields] of forms) {
      await page.goto(world.origin + path)
      for (const [field, value] of Object.entries(fields)) await page.fill(field, value)
      await page.click('main form button.go')
    }
    const wide: string[] = []
    const pages = ['', '/profiles', '/webhooks', '/people', '/audit', '/settings/api-access', '/contract']
    const paths = [...pages.map((path) => at + path), '/operator/organizations', '/operator/audit']
    for (const width of [1280, 1024, 360]) {
      await page.setViewportSize({ width, height: 900 })
      for (const path of paths) {
        expect((await page.goto(world.origin + path))?.status()).toBe(200)
        const beyond = await page.evaluate(`Math.max(
          document.documentElement.scrollWidth - document.documentElement.clientWidth,
          ...[...document.querySelectorAll('main table')].map((table) =>
            Math.floor(table.getBoundingClientRect().right - table.parentElement.getBoundingClientRect().right)))`)
        if (Number(beyond) > 0) wide.push(`${path} at ${width}: ${beyond} px`)
      }
    }
    expect(wide).toEqual([])
  })

  test('the names of what two records state stay whole, in the longer language', async () => {
    const notices = ['ted:1-2026', 'doe:2'].map((noticeKey) =>
      notice({ noticeKey, title: { de: `Halle ${noticeKey}` } }),
    )
    await receiveNotices(world.store, notices)
    await consolidate(world.store, { now: world.now() })
    const { cookie } = await world.person('op@example.org', { isOperator: true })
    const context = await browser.newContext({ locale: 'de-DE' })
    await context.addCookies([{ name: 'session', value: cookie, url: world.origin }])
    const page = await context.newPage()
    const broken: string[] = []
    for (const width of [1280, 1024, 640]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${world.origin}/operator/reviews/pair?left=ted:1-2026&right=doe:2`)
      const names = page.locator('.diff tbody th')
      expect(await names.count()).toBeGreaterThan(10)
      const lines = `(names) => names.flatMap((name) => {
        const range = document.createRange()
        range.selectNodeContents(name)
        const tops = [...range.getClientRects()].map(({ top }) => Math.round(top))
        return new Set(tops).size > 1 ? [name.innerText] : []
      })`
      broken.push(
        ...((await page.evaluate(`(${lines})([...document.querySelectorAll('.diff tbody th')])`)) as string[]),
      )
    }
    expect(broken).toEqual([])
    await context.close()
  })
})

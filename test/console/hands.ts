// Two people who use a page: one with the keyboard alone, who sees where the focus is, and one without script, who uses
// the mouse. A flow is written once, with actions that both can do.
import { type Browser, type BrowserContext, errors, type Locator, type Page } from 'playwright-core'

export type Way = 'by keys' | 'without script'
export const ways: readonly Way[] = ['by keys', 'without script']

/** Identified by its label, or directly. */
type Field = string | RegExp | Locator

export type Hands = AsyncDisposable & {
  readonly way: Way
  readonly page: Page
  readonly context: BrowserContext
  /** Problems on the way: violated policies, script errors, requests elsewhere, focus that cannot be seen. */
  readonly complaints: readonly string[]
  /** What it took by keys so far: pages that were loaded; links, buttons and fields that were used. */
  readonly counts: { readonly screens: number; readonly entries: number }
  /** Types an address. */
  readonly visit: (path: string) => Promise<void>
  readonly follow: (link: string | RegExp, where?: Locator) => Promise<void>
  /** Follows a link that opens a new tab. */
  readonly followInTab: (link: string | RegExp) => Promise<Hands>
  readonly press: (button: string | RegExp, where?: Locator) => Promise<void>
  /** Presses a button that does not navigate, such as one that copies. */
  readonly use: (button: string | RegExp) => Promise<void>
  /** Opens what is closed at first. */
  readonly open: (summary: string | RegExp) => Promise<void>
  /** Types into a field in place of what it holds. */
  readonly fill: (field: Field, text: string) => Promise<void>
  readonly choose: (field: Field, option: string) => Promise<void>
  readonly tick: (label: string | RegExp) => Promise<void>
  /** The text of the page below its navigation. */
  readonly text: () => Promise<string>
  readonly heading: () => Promise<string>
}

/** Number of presses of the tab key after which an element counts as unreachable. */
const maxStops = 400
const longestMs = 60_000

/** Opens a separate browser window. `session` signs in. */
export async function openHands(
  browser: Browser,
  way: Way,
  {
    origin,
    session,
    storageState,
  }: {
    readonly origin: string
    readonly session?: string
    readonly storageState?: Awaited<ReturnType<BrowserContext['storageState']>>
  },
): Promise<Hands> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
    javaScriptEnabled: way === 'by keys',
    ...(storageState && { storageState }),
  })
  if (session !== undefined) await context.addCookies([{ name: 'session', value: session, url: origin }])
  return handsOn(await context.newPage(), way, origin, [])
}

/** The actions of one person in one tab. */
function handsOn(page: Page, way: Way, origin: string, complaints: string[]): Hands {
  const context = page.context()
  page.setDefaultTimeout(longestMs)
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    // a page that says what is wrong is not an error, though the browser mentions its status; plain text has no icon
    const isExpected =
      /status of 4(?:03|04|09|22)/.test(message.text()) || message.location().url.endsWith('/favicon.ico')
    if (!isExpected) complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  const main = page.locator('main')
  const counts = { screens: 0, entries: 0 }
  page.on('load', () => counts.screens++)
  /** Performs an action that leads to another page, and waits for it. */
  const leave = async (act: () => Promise<void>): Promise<void> => {
    const loaded = page.waitForEvent('load')
    await Promise.all([loaded, act()])
  }
  const reach = (target: Locator) => {
    counts.entries++
    return reachByTab(page, target, complaints)
  }
  const found = (role: 'link' | 'button', name: string | RegExp, where: Locator | undefined) =>
    (where ?? page).getByRole(role, { name, exact: typeof name === 'string' }).first()
  const fieldOf = (field: Field): Locator =>
    typeof field === 'string' || field instanceof RegExp
      ? main.getByLabel(field, { exact: typeof field === 'string' }).first()
      : field
  const keys = way === 'by keys'
  return {
    way,
    page,
    context,
    complaints,
    counts,
    visit: async (path) => {
      const address = new URL(path, origin)
      // with the same fragment nothing would be requested
      address.hash = ''
      await page.goto(address.href)
    },
    follow: async (link, where) => {
      const target = found('link', link, where)
      if (keys) await reach(target)
      await leave(() => (keys ? page.keyboard.press('Enter') : target.click()))
    },
    followInTab: async (link) => {
      const target = found('link', link, undefined)
      if (keys) await reach(target)
      const [tab] = await Promise.all([
        context.waitForEvent('page'),
        keys ? page.keyboard.press('Enter') : target.click(),
      ])
      await tab.waitForLoadState()
      return handsOn(tab, way, origin, complaints)
    },
    press: async (button, where) => {
      const target = found('button', button, where)
      if (keys) await reach(target)
      await leave(() => (keys ? page.keyboard.press('Enter') : target.click()))
    },
    use: async (button) => {
      const target = found('button', button, undefined)
      if (!keys) return target.click()
      await reach(target)
      await page.keyboard.press('Enter')
    },
    open: async (summary) => {
      const target = page.locator('summary').filter({ hasText: summary }).first()
      if (keys) {
        await reach(target)
        await page.keyboard.press('Enter')
      } else await target.click()
    },
    fill: async (field, text) => {
      const target = fieldOf(field)
      if (!keys) return target.fill(text)
      await reach(target)
      if ((await target.getAttribute('type')) === 'date') {
        // month, day, year, as the field of an English browser expects
        const [year, month, day] = text.split('-')
        return page.keyboard.type(`${month}${day}${year}`)
      }
      await page.keyboard.press('Control+A')
      await page.keyboard.press('Delete')
      await page.keyboard.type(text)
    },
    choose: async (field, option) => {
      const target = fieldOf(field)
      if (!keys) return void (await target.selectOption({ label: option }))
      await reach(target)
      for (let step = 0; step < maxStops; step++) {
        if ((await target.locator('option:checked').innerText()) === option) return
        await page.keyboard.press(step === 0 ? 'Home' : 'ArrowDown')
      }
      throw new Error(`the list has no ${option}`)
    },
    tick: async (label) => {
      const target = main.getByLabel(label).first()
      if (!keys || (await target.isChecked())) return target.check()
      await reach(target)
      await page.keyboard.press('Space')
    },
    text: () => main.innerText(),
    heading: () => page.getByRole('heading', { level: 1 }).first().innerText(),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Determines where the focus is, and whether somebody sees it: runs in the page. */
const seeing = `(() => {
  const at = document.activeElement
  if (!at || at === document.body) return 'nowhere'
  // on a part that the browser draws and marks itself, such as the calendar of a date
  if (!at.matches(':focus')) return 'seen'
  const style = getComputedStyle(at)
  const isMarked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1
  const boxes = [...at.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
  const inView = boxes.find((box) => box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth)
  const name = at.localName + ' ' + (at.textContent || at.getAttribute('name') || '').trim().slice(0, 40)
  if (!isMarked) return 'the focus is not marked: ' + name
  if (!inView) return 'the focus is out of sight: ' + name
  const [x, y] = [Math.max(1, inView.left + 2), Math.min(innerHeight - 1, Math.max(1, inView.top + inView.height / 2))]
  const top = document.elementFromPoint(x, y)
  return top && !at.contains(top) && !top.contains(at) ? 'the focus is covered by ' + top.localName + '.' + top.className + ': ' + name : 'seen'
})()`

/** The members of an element that are used; the types of the browser are not those of the tests. */
type Focusable = {
  readonly ownerDocument: { readonly activeElement: unknown }
  readonly closest: (selector: string) => unknown
}

/**
 * Goes to an element by the tab key, like somebody who uses no mouse: past the navigation by the first link of every
 * page.
 */
export async function reachByTab(page: Page, target: Locator, complaints: string[]): Promise<void> {
  await target.waitFor()
  const isThere = () => target.evaluate((each: Focusable) => each.ownerDocument.activeElement === each)
  const isInMain = await target.evaluate((each: Focusable) => each.closest('main') !== null)
  for (let stop = 0; stop < maxStops; stop++) {
    if (await isThere()) return
    await page.keyboard.press('Tab')
    const seen = String(await page.evaluate(seeing))
    if (seen === 'seen') {
      if (isInMain && stop === 0 && (await page.evaluate('document.activeElement.className')) === 'skip')
        await page.keyboard.press('Enter')
    } else if (seen !== 'nowhere') complaints.push(`${new URL(page.url()).pathname}: ${seen}`)
  }
  throw new errors.TimeoutError(`Tab does not lead to ${target} on ${page.url()}`)
}

/** The stops of the tab key on a page, until it starts over: each once. */
export async function stopsOf(page: Page): Promise<string[]> {
  const stops: string[] = []
  for (let stop = 0; stop < maxStops; stop++) {
    await page.keyboard.press('Tab')
    const at = String(
      await page.evaluate(`(() => {
        const at = document.activeElement
        const { last, stops } = (globalThis.walk ??= { stops: new Set() })
        // a date has several stops
        if (at === last) return 'again'
        if (at === document.body || stops.has(at)) return ''
        stops.add(at)
        globalThis.walk.last = at
        return at.localName + ' ' + (at.textContent || at.name || '').trim().slice(0, 40)
      })()`),
    )
    if (at === '') return stops
    if (at !== 'again') stops.push(at)
  }
  throw new Error(`the tab key does not come back on ${page.url()}`)
}

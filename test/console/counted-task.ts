// A task of a person in a window, by keyboard or with a thumb: what is loaded and used in it is counted and printed.
import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { reachByTab } from './hands.ts'

/** Both languages, on a desk and on a phone. */
export const taskWindows = (['en', 'de'] as const).flatMap((language) =>
  ([1280, 360] as const).map((width) => [language, width] as const),
)

export type CountedTask = AsyncDisposable & {
  readonly page: Page
  readonly complaints: readonly string[]
  readonly counts: { readonly screens: number; readonly entries: number }
  /** Presses a key that decides something. */
  readonly key: (key: string) => Promise<void>
  /** One use of a control or a field. */
  readonly entry: (work: () => Promise<unknown>) => Promise<void>
  /** Moves the focus by Tab to the first of what matches. */
  readonly reach: (target: string | Locator) => Promise<void>
  /** Prints what the task took. */
  readonly tell: (task: string) => void
  /** Checks that nothing overflows; keeps a picture in both schemes in the folder `TASK_SHOTS`. */
  readonly look: (name: string) => Promise<void>
}

export async function openTask(
  browser: Browser,
  {
    origin,
    language,
    width,
    cookie,
  }: {
    readonly origin: string
    readonly language: 'en' | 'de'
    readonly width: number
    /** Of a session; absent: nobody is signed in. */
    readonly cookie?: string
  },
): Promise<CountedTask> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, hasTouch: width === 360 })
  await context.addCookies([
    { name: 'language', value: language, url: origin },
    ...(cookie === undefined ? [] : [{ name: 'session', value: cookie, url: origin }]),
  ])
  const page = await context.newPage()
  const counts = { screens: 0, entries: 0 }
  const complaints: string[] = []
  page.on('load', () => counts.screens++)
  page.on('pageerror', (error) => complaints.push(String(error)))
  const startedAt = performance.now()
  const entry = async (work: () => Promise<unknown>) => {
    counts.entries++
    await work()
  }
  return {
    page,
    complaints,
    counts,
    entry,
    key: (key) => entry(() => page.keyboard.press(key)),
    reach: (target) => reachByTab(page, typeof target === 'string' ? page.locator(target).first() : target, complaints),
    tell: (task) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      const { screens, entries } = counts
      console.log(`${task} (${language}, ${width} px): ${seconds} s, ${screens} screens, ${entries} entries`)
    },
    look: async (name) => {
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      const shots = process.env['TASK_SHOTS']
      if (shots === undefined) return
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: `${shots}/${name}-${language}-${width}-${colorScheme}.png`, fullPage: true })
      }
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

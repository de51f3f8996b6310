// The browser of the tests: Debian's Chromium, driven by playwright-core.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The one without a window's own interface needs half the CPU. */
export const chromiumPath = ['chromium-headless-shell', 'chromium', 'chromium-browser']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync)

/** Without it, tests in a browser are skipped. */
export const hasChromium = chromiumPath !== undefined

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath!,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })

// Every screen in a browser, found by following links from the first link on: no violation of axe or of the policy, no sideways
// scrolling, no dead end. `SCREENS=folder` keeps pictures; `PROOF=full` looks in both languages, schemes and widths.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routesOf } from '../../src/console/routes.ts'
import { putEmptyStock } from '../world.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync)
if (!executablePath) console.log('skipped: the screens of the console (no chromium)')
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

/** Routes as patterns of paths, the longest first. */
const patterns = routesOf(new Proxy({}, { get: () => undefined }) as never)
  .filter(({ method }) => method === 'GET')
  .map(({ path }) => ({
    path,
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*/g, '.*')}/?$`),
  }))
  .sort((left, right) => right.path.replace(/:\w+|\*/g, '').length - left.path.replace(/:\w+|\*/g, '').length)
/** Pages of the documentation that are made in their own way; guides are all alike. */
const ownDocs = /^\/docs(?:$|\/(?:search|fields|errors|errors\/:\w+|reference\/\w+)$)/
/** What an address is an example of. */
function routeOf(path: string): string | undefined {
  const route = patterns.find(({ pattern }) => pattern.test(path))?.path
  return route?.startsWith('/docs') && !ownDocs.test(route) && !isFull ? '/docs/guide' : route
}
/** What is no page, or ends the session. */
const isPage = (path: string) => !/\.(?:atom|txt|xml|json|svg)$|^\/(?:language|assets|sign-in\/oidc)/.test(path)

describe.skipIf(!executablePath)('the screens of a whole service', () => {
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
    browser = await chromium.launch({
      executablePath: executablePath!,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    })
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    service.kill('SIGTERM')
    await once(service, 'exit')
    await rm(folder, { recursive: true, force: true })
  })

  test('lead on, fit every window, and break no rule', { timeout: 900_000 }, async () => {
    const first = await browser.newContext()
    const page = await first.newPage()
    await page.goto(link)
    await page.locator('main form button').first().click()
    await page.waitForLoadState()
    expect(new URL(page.url()).pathname).toMatch(/^\/o\//)
    const storage = await first.storageState()
    await first.close()

    const found = await crawl(storage, new URL(page.url()).pathname)
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
    console.log(`screens: ${found.size} of ${patterns.length} routes, ${isFull ? looks.length : 1} windows each`)
    expect(faults.join('\n')).toBe('')
  })

  /** One address for each route that a person finds by following links, here and as a stranger. */
  async function crawl(storage: Awaited<ReturnType<BrowserContext['storageState']>>, home: string) {
    const found = new Map<string, string>()
    const dead: string[] = []
    const visited = new Set<string>()
    const waiting = [home, '/operator', '/docs', '/explorer?cpv=45000000&ask=1', '/me', '/codes/cpv', '/codes/nuts']
    const cookie = storage.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    while (waiting.length > 0) {
      const path = waiting.shift()!
      const plain = path.replace(/[?#].*/s, '')
      if (visited.has(plain)) continue
      visited.add(plain)
      const route = routeOf(plain)
      if (route !== undefined && found.has(route)) continue
      const answer = await fetch(ready.console + path, { headers: { cookie }, redirect: 'manual' })
      if (answer.status >= 400) dead.push(`${answer.status} ${path}`)
      const type = answer.headers.get('content-type') ?? ''
      if (answer.status !== 200 || !type.startsWith('text/html')) continue
      found.set(route ?? plain, path)
      for (const [, href] of (await answer.text()).matchAll(/<a [^>]*href="(\/[^"]*)"/g)) {
        const target = href!.replaceAll('&amp;', '&')
        if (isPage(target.replace(/[?#].*/s, ''))) waiting.push(target)
      }
    }
    expect(dead).toEqual([])
    return found
  }

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

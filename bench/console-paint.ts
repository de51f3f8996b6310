// How soon a browser with a slow line and a slow processor shows a page of the console, and what it loads, compared
// with a bare page.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { hasChromium, launchChromium } from '../test/testing/chromium.ts'
import { median } from './speed/row.ts'

/** A slow line: 150 ms, 1.6 Mbit/s down, 750 kbit/s up; a processor a quarter as fast. */
const line = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const slowerProcessor = 4
const bare = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Bare</title><h1>A bare page</h1>'

export type Painted = {
  readonly route: string
  /** Largest contentful paint in milliseconds, the median of the rounds. */
  readonly paintMs: number
  /** Bytes transferred on a first visit. */
  readonly bytes: number
  /** Sum of the layout shifts. */
  readonly shift: number
  /** Requests to other hosts. */
  readonly elsewhere: number
}

/** Measures the pages. Undefined if no Chromium is installed. The bare page is the first. */
export async function benchPaint(options: {
  readonly origin: string
  readonly cookie: string
  readonly pages: readonly (readonly [route: string, path: string])[]
  readonly rounds: number
}): Promise<Painted[] | undefined> {
  if (!hasChromium) return undefined
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end(bare))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const bareOrigin = `http://localhost:${(server.address() as AddressInfo).port}`
  const browser = await launchChromium()
  try {
    const looked: Painted[] = []
    const all = [
      ['a bare page', `${bareOrigin}/`],
      ...options.pages.map(([route, path]) => [route, options.origin + path]),
    ]
    for (const [route, address] of all as [string, string][]) {
      const rounds: Omit<Painted, 'route'>[] = []
      for (let round = 0; round < options.rounds; round++)
        rounds.push(await firstVisit(browser, address, options.cookie))
      looked.push({ route, ...rounds[0]!, paintMs: median(rounds.map(({ paintMs }) => paintMs)) })
    }
    return looked
  } finally {
    await browser.close()
    server.close()
  }
}

/** Visits a page with an empty cache. */
async function firstVisit(browser: Browser, address: string, cookie: string): Promise<Omit<Painted, 'route'>> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  try {
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url: new URL(address).origin }])
    const page = await context.newPage()
    const debug = await context.newCDPSession(page)
    await debug.send('Network.enable')
    await debug.send('Network.emulateNetworkConditions', line)
    await debug.send('Emulation.setCPUThrottlingRate', { rate: slowerProcessor })
    let [bytes, elsewhere] = [0, 0]
    debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    page.on('request', (request) => {
      if (new URL(request.url()).host !== new URL(address).host) elsewhere++
    })
    await page.goto(address, { waitUntil: 'load' })
    const seen = (await page.evaluate(`new Promise((resolve) => {
      let [paintMs, shift] = [0, 0]
      new PerformanceObserver((list) => { for (const each of list.getEntries()) paintMs = each.startTime })
        .observe({ type: 'largest-contentful-paint', buffered: true })
      new PerformanceObserver((list) => { for (const each of list.getEntries()) shift += each.value })
        .observe({ type: 'layout-shift', buffered: true })
      setTimeout(() => resolve({ paintMs, shift }), 1000)
    })`)) as { readonly paintMs: number; readonly shift: number }
    return { ...seen, bytes, elsewhere }
  } finally {
    await context.close()
  }
}

export function paintAsMarkdown(painted: readonly Painted[]): string {
  const [first] = painted
  const rows = painted.map(
    ({ route, paintMs, bytes, shift, elsewhere }) =>
      `| \`${route}\` | ${Math.round(paintMs)} | ${(paintMs / first!.paintMs).toFixed(1)} | ` +
      `${(bytes / 1000).toFixed(1)} | ${shift.toFixed(3)} | ${elsewhere} |`,
  )
  return [
    'A first visit on a phone: 150 ms, 1.6 Mbit/s, a processor four times slower (targets: 1,800 ms, no shift, no other host).',
    '',
    '| Page | largest paint, ms | ÷ a bare page | KB on the line | layout shift | other hosts |',
    '|---|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n')
}

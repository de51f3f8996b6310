// The access page on a phone, as Chromium lays it out: nothing overflows, and no number or timestamp is broken into two
// lines.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accessPage } from '../src/api/access-page.ts'
import { chromiumPath, hasChromium } from './testing/chromium.ts'

if (!hasChromium) console.log('skipped: the access page in a browser (no chromium)')

type Seen = { readonly broken: readonly string[]; readonly looked: number; readonly overflow: number }

/** Runs in the browser, in the page around the frame. */
const measuring = `
  const frame = document.querySelector('iframe')
  frame.addEventListener('load', () => {
    const page = frame.contentDocument
    const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT)
    const broken = []
    let looked = 0
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest('pre, style')) continue
      for (const found of node.data.matchAll(/\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z?|\\d[\\d.,]*\\d/g)) {
        const range = page.createRange()
        range.setStart(node, found.index)
        range.setEnd(node, found.index + found[0].length)
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        looked++
        if (tops.size > 1) broken.push(found[0])
      }
    }
    const { scrollWidth, clientWidth } = page.documentElement
    fetch('/seen', { method: 'POST', body: JSON.stringify({ broken, looked, overflow: scrollWidth - clientWidth }) })
  })
  frame.src = '/access'
`

async function look(width: number): Promise<Seen> {
  const { html } = accessPage({ baseUrl: 'https://tenders.example.org', docsUrl: 'https://tenders.example.org' })
  const { promise, resolve } = Promise.withResolvers<Seen>()
  const server = createServer((request, response) => {
    if (request.url === '/access') response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
    else if (request.method === 'POST') {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        response.end()
        resolve(JSON.parse(body) as Seen)
      })
    } else {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(
        `<!doctype html><iframe style="border:0;width:${width}px;height:800px"></iframe><script>${measuring}</script>`,
      )
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const profile = await mkdtemp(join(tmpdir(), 'chromium-'))
  const { port } = server.address() as AddressInfo
  const options = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`]
  const child = spawn(chromiumPath!, [...options, `http://127.0.0.1:${port}/`], { stdio: 'ignore' })
  const ended = new Promise<never>((_, reject) => {
    child.once('close', (code) => reject(new Error(`Chromium ended with ${code}`)))
  })
  ended.catch(() => {})
  try {
    return await Promise.race([promise, ended])
  } finally {
    child.kill('SIGKILL')
    await ended.catch(() => {})
    server.closeAllConnections()
    server.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

test.skipIf(!hasChromium).each([320, 360, 412])(
  'a whole visit to the access page works at %i pixels',
  async (width) => {
    const seen = await look(width)
    expect(seen.looked).toBeGreaterThan(20)
    expect(seen.broken).toEqual([])
    expect(seen.overflow).toBe(0)
  },
)

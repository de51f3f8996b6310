// The listener of /metrics: what it answers where, and what it does not reveal.
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../platform/log.ts'
import { serveMetrics } from './serve-metrics.ts'

const host = '127.0.0.1'

async function serve(scrape: () => Promise<string>) {
  const lines: string[] = []
  const log = openLog('warn', { write: (line) => void lines.push(line) })
  const served = await serveMetrics({ host, port: 0 }, { contentType: 'text/plain; version=0.0.4', scrape }, log)
  onTestFinished(served.close)
  return { ...served, lines }
}

test('GET and HEAD of its path are answered afresh, and nothing else causes a scrape', async () => {
  let scrapes = 0
  const { url } = await serve(async () => `scrape ${++scrapes}\n`)
  const got = await fetch(`${url}?from=prometheus`)
  expect([got.status, got.headers.get('cache-control'), await got.text()]).toEqual([200, 'no-store', 'scrape 1\n'])
  expect(got.headers.get('content-type')).toBe('text/plain; version=0.0.4')
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  for (const [path, method, status] of [
    ['/metrics/x', 'GET', 404],
    ['/', 'POST', 404],
    ['/metrics', 'POST', 405],
  ] as const)
    expect((await fetch(new URL(path, url), { method })).status).toBe(status)
  expect(scrapes).toBe(2)
})

test('the reason why it cannot be collected is only in the log', async () => {
  const { url, lines } = await serve(() => Promise.reject(new Error('the path /secret')))
  const answer = await fetch(url)
  expect([answer.status, await answer.text()]).toEqual([500, 'The metrics cannot be collected; the log says why.\n'])
  expect(lines.join('')).toContain('the path /secret')
})

test('a port in use is a sentence that names the option; closing ends a connection that is kept', async () => {
  const { url, close } = await serve(async () => '')
  await (await fetch(url)).text()
  const port = Number(new URL(url).port)
  const second = serveMetrics({ host, port }, { contentType: '', scrape: async () => '' }, openLog('silent'))
  await expect(second).rejects.toThrow(/is in use; .* with --metrics-port\.$/)
  await close()
  await expect(fetch(url)).rejects.toThrow()
})

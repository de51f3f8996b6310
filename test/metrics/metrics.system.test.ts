// The metrics of a real service as Prometheus reads them, and its access log as jq does.
import { execFile, execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MetricSpec, metricTable } from '../../src/service/metrics/metric-table.ts'
import { type ServiceProcess, startService } from './watched-process.ts'

const run = promisify(execFile)

/** Metrics without a value in a healthy service. */
const unseen = new Set([
  'source_alarm',
  'export_edition_number',
  'backup_timestamp_seconds',
  'backup_restored_timestamp_seconds',
])

/** The standard output of a program that reads `input`. */
const piped = (program: string, args: readonly string[], input: string): string =>
  execFileSync(program, args, { input, encoding: 'utf8' })

describe('a service with --metrics-port and --log-level info', () => {
  let service: ServiceProcess
  let token: string

  beforeAll(async () => {
    service = await startService(['start', '--source', 'no-doffin', '--log-level', 'info'], {
      env: { TENDERSTOCK_TRUSTED_HOPS: '1' },
    })
    token = (await readFile(join(service.folder, 'trial-token'), 'utf8')).trim()
  }, 300_000)
  afterAll(() => service?.[Symbol.asyncDispose]())

  const curl = async (...args: string[]): Promise<void> => void (await run('curl', ['-s', '--max-time', '30', ...args]))

  /** The sample lines of one metric, by their labels. */
  const samplesOf = (text: string, name: string): ReadonlyMap<string, number> =>
    new Map(
      [...text.matchAll(new RegExp(`^tenderstock_${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(([, labels, value]) => [
        labels ?? '',
        Number(value),
      ]),
    )

  test('shows exactly the metrics of the table with their labels, and promtool accepts them', async () => {
    await curl('-H', `Authorization: Bearer ${token}`, `${service.ready.api}/v1/tenders?limit=1`)
    const text = await service.scrape()
    expect(piped('promtool', ['check', 'metrics'], text)).toBe('')
    const shown = [...text.matchAll(/^# TYPE tenderstock_(\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`)
    const expected = Object.entries(metricTable).flatMap(([name, { type }]) =>
      unseen.has(name) ? [] : [`${name} ${type}`],
    )
    expect(shown.sort()).toEqual(expected.sort())
    for (const [name, { labels, type }] of Object.entries<MetricSpec>(metricTable)) {
      const samples = [...samplesOf(text, type === 'histogram' ? `${name}_count` : name).keys()]
      if (!unseen.has(name)) expect(samples, name).not.toEqual([])
      for (const each of samples)
        expect([...each.matchAll(/(\w+)="/g)].map(([, label]) => label).sort(), name).toEqual([...labels].sort())
    }
    expect(text).not.toContain(token)
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
  })

  test('counts a request by route, status and duration, on every path through the service', async () => {
    const count = async (labels: string) =>
      samplesOf(await service.scrape(), 'http_request_duration_seconds_count').get(labels) ?? 0
    const requests: readonly [labels: string, ...args: string[]][] = [
      ['route="/v1/tenders",status="200"', '-H', `Authorization: Bearer ${token}`, '/v1/tenders?limit=2'],
      // the long way, because of its body
      ['route="/v1/tenders",status="401"', '-X', 'GET', '-d', 'x', '-H', 'Authorization: Bearer wrong', '/v1/tenders'],
      ['route="/v1/tenders/:id",status="401"', '/v1/tenders/00000000-0000-8000-8000-000000000000'],
      ['route="/readyz",status="200"', '/readyz'],
      ['route="none",status="404"', '/some/organization'],
      ['route="none",status="405"', '-X', 'BREW', '/v1/tenders'],
    ]
    for (const [labels, ...args] of requests) {
      const before = await count(labels)
      await curl(...args.slice(0, -1), `${service.ready.api}${args.at(-1)}`)
      // counted once the client has its answer
      await expect.poll(() => count(labels), { timeout: 60_000, message: labels }).toBe(before + 1)
    }
    const text = await service.scrape()
    const sums = samplesOf(text, 'http_request_duration_seconds_sum')
    expect(sums.get('route="/v1/tenders",status="200"')).toBeGreaterThan(0)
    const last = [...samplesOf(text, 'http_request_duration_seconds_bucket')].filter(([labels]) =>
      labels.includes('+Inf'),
    )
    const total = [...samplesOf(text, 'http_request_duration_seconds_count').values()].reduce((sum, each) => sum + each)
    expect(last.reduce((sum, [, value]) => sum + value, 0)).toBe(total)
  })

  test('counts the requests to the samples', async () => {
    const text = await service.scrape()
    expect(samplesOf(text, 'edition_number').get('')).toBe(service.ready['edition'])
    expect(samplesOf(text, 'edition_records').get('')).toBe(service.ready['records'])
    expect(samplesOf(text, 'source_documents_total').get('source="no-doffin"')).toBeGreaterThan(0)
    expect(samplesOf(text, 'sources').get('state="ok"')).toBe(1)
    expect(samplesOf(text, 'stage_runs_total').get('stage="Publishing",outcome="succeeded"')).toBeGreaterThan(0)
    expect(samplesOf(text, 'readers').get('')).toBe(1)
  })

  test('answers no other request on that port', async () => {
    const { origin } = new URL(service.ready.metrics)
    expect((await fetch(`${origin}/v1/tenders`)).status).toBe(404)
    const wrong = await fetch(service.ready.metrics, { method: 'POST', body: 'x' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await fetch(service.ready.metrics, { method: 'HEAD' })).headers.get('content-type')).toMatch(/^text\/plain/)
    expect((await fetch(`${service.ready.api}/metrics`)).status).toBe(404)
  })

  test('logs a line for each request that jq can read, with the client behind the proxy and without secrets', async () => {
    const marked = (args: readonly string[], path: string) => curl(...args, `${service.ready.api}${path}`)
    const proxied = ['-H', 'X-Forwarded-For: 203.0.113.9, 198.51.100.7']
    const authorized = ['-H', `Authorization: Bearer ${token}`]
    await marked([...proxied, ...authorized, '-A', 'reader/1 "quoted"'], '/v1/tenders?limit=1&cursor=secretcursor')
    await marked([...proxied, ...authorized, '-A', 'head/1', '-I'], '/v1/tenders?limit=1')
    await marked([...proxied, '-A', `odd/1 \u009b31m ${token} ${'x'.repeat(500)}`], `/${token}?token=${token}`)
    await marked(['-A', 'bad/1', '-H', `Long: ${'y'.repeat(20_000)}`], '/v1/tenders')
    const lines = async () => {
      for (;;) {
        const text = service.log()
        const filter =
          'select(.msg == "request") | [.method, .path, .status, .bytes, .address, .agent, .tokenId != null]'
        const read = piped('jq', ['-c', filter], text.slice(0, text.lastIndexOf('\n') + 1))
        const found = read
          .trim()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown[])
        if (found.some(([, , status]) => status === 431)) return found
        await delay(100)
      }
    }
    const found = await lines()
    const lineOf = (agent: string) => found.find((line) => String(line[5]).startsWith(agent))
    const bytes = expect.any(Number)
    expect(lineOf('reader/1')).toEqual(['GET', '/v1/tenders', 400, bytes, '198.51.100.7', 'reader/1 "quoted"', true])
    expect(lineOf('reader/1')![3]).toBeGreaterThan(100)
    expect(lineOf('head/1')).toEqual(['HEAD', '/v1/tenders', 200, 0, '198.51.100.7', 'head/1', true])
    const [, path, status, odd, address, agent, hasToken] = lineOf('odd/1')!
    expect([path, status, address, hasToken]).toEqual(['/tdr_live_[hidden]', 404, '198.51.100.7', false])
    expect(odd).toBeGreaterThan(100)
    expect(agent).toMatch(/^odd\/1 .*\\x9b31m tdr_live_\[hidden\]/)
    expect(String(agent).length).toBeLessThan(260)
    expect(found.at(-1)!.slice(0, 4)).toEqual(['GET', '/v1/tenders', 431, bytes])
    expect(service.log()).not.toContain(token)
    expect(service.log()).not.toContain('secretcursor')
  })
})

// A real Prometheus reads a real service: each expression of dashboard and alerts has a sample, and a database that
// goes away is an alert that a real Alertmanager delivers.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { findPort } from '../../src/service/listening-address.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../world.ts'
import { openDoor } from './door.ts'
import { startService } from './watched-process.ts'

const deploy = join(import.meta.dirname, '../../deploy')
type Rule = { readonly alert: string; readonly expr: string }
const rules = (parse(readFileSync(join(deploy, 'prometheus/alerts.yml'), 'utf8')) as { groups: [{ rules: Rule[] }] })
  .groups[0].rules
const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana/tenderstock.json'), 'utf8')) as {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
}

/** Without a sample while all is well: these series exist only in a fault. */
const quietRules = new Set(['TenderstockNoPublisher', 'TenderstockSourceAlarm'])

function run(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGKILL')) await ended
  })
  return child
}

test.runIf(testDatabaseUrl !== undefined)(
  'Prometheus has a sample for each expression, and Alertmanager delivers the alert for a lost database',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenderstock-prometheus-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await using database = await openEmptyDatabase()
    const url = new URL(database.url)
    await using door = await openDoor({ host: url.hostname, port: Number(url.port || 5432) })
    url.host = `127.0.0.1:${door.port}`
    await using service = await startService(['start', '--source', 'no-doffin'], { env: { DATABASE_URL: url.href } })

    const delivered: unknown[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        const { alerts } = JSON.parse(body) as { alerts: { status: string; labels: { alertname: string } }[] }
        for (const { status, labels } of alerts) delivered.push(`${labels.alertname} ${status}`)
        response.end()
      })
    })
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
    onTestFinished(() => void receiver.close())
    const write = (name: string, content: object): string => {
      const path = join(folder, name)
      writeFileSync(path, stringify(content))
      return path
    }
    const alertmanagerPort = await findPort('127.0.0.1', 0)
    const alertmanagerConfig = write('alertmanager.yml', {
      route: {
        receiver: 'test',
        group_by: ['alertname'],
        group_wait: '0s',
        group_interval: '1s',
        repeat_interval: '1h',
      },
      receivers: [
        { name: 'test', webhook_configs: [{ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` }] },
      ],
    })
    run('prometheus-alertmanager', [
      `--config.file=${alertmanagerConfig}`,
      `--storage.path=${join(folder, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
      '--cluster.listen-address=',
    ])
    // the rules unchanged, except that they do not wait
    const hasty = rules.map(({ alert, expr }) => ({ alert, expr }))
    const config = write('prometheus.yml', {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [write('rules.yml', { groups: [{ name: 'hasty', rules: hasty }] })],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertmanagerPort}`] }] }] },
      scrape_configs: [
        { job_name: 'tenderstock', static_configs: [{ targets: [new URL(service.ready.metrics).host] }] },
      ],
    })
    const port = await findPort('127.0.0.1', 0)
    run('prometheus', [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ])
    const query = async (expression: string): Promise<readonly unknown[]> => {
      const asked = new URLSearchParams({ query: expression })
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${asked}`).catch(() => undefined)
      // while it starts
      if (!answer || answer.status === 503) return []
      const { status, data, error } = (await answer.json()) as { status: string; data: { result: [] }; error?: string }
      if (status !== 'success') throw new Error(`${expression}: ${error}`)
      return data.result
    }
    const until = async (what: string, isSo: () => Promise<boolean> | boolean) => {
      while (!(await isSo())) await delay(250)
      expect(what).toBeTruthy()
    }
    const expressions = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      // with `bool`, a comparison that does not hold has a sample too
      ...rules
        .filter(({ alert }) => !quietRules.has(alert))
        .map(({ expr }) => expr.replace(/ (==|>=|>|<) /g, ' $1 bool ')),
    ]
    expect(expressions.length).toBeGreaterThan(60)
    await fetch(`${service.ready.api}/v1/tenders`)
    for (const expression of expressions) await until(expression, async () => (await query(expression)).length > 0)

    const firing = async () =>
      (await query('ALERTS{alertname="TenderstockDatabaseDown",alertstate="firing"}')).length > 0
    expect(await firing()).toBe(false)
    door.shut()
    await until('it fires', firing)
    await until('it is delivered', () => delivered.includes('TenderstockDatabaseDown firing'))
    // all other metrics are still there
    const text = await service.scrape()
    expect(text).toMatch(/^tenderstock_database_up 0$/m)
    expect(text).toMatch(/^tenderstock_edition_number 1$/m)
    expect(text).toMatch(/^tenderstock_stock_edition_number 1$/m)
    door.open()
    await until('it is resolved', async () => !(await firing()))
  },
  600_000,
)

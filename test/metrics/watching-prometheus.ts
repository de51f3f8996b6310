// A real Prometheus that evaluates the rules of deploy/, and a real Alertmanager that delivers alerts to the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { findPort } from '../../src/service/nodes/listening-address.ts'

type Rule = { readonly alert: string; readonly expr: string; readonly for?: string }

const rulesFile = join(import.meta.dirname, '../../deploy/prometheus/alerts.yml')
export const shippedRules = (parse(readFileSync(rulesFile, 'utf8')) as { groups: [{ rules: Rule[] }] }).groups[0].rules

type Watching = {
  /** Scrapes these services, by the URLs of their metrics, from now on. */
  readonly watch: (metrics: readonly string[]) => void
  /** Series that the expression has now. */
  readonly query: (expression: string) => Promise<readonly unknown[]>
  /** What Alertmanager delivered so far: `Alert firing`, with the instance if it has one. */
  readonly delivered: ReadonlySet<string>
}

function run(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGKILL')) await ended
  })
  return child
}

/**
 * Scrapes every second. The rules are the shipped ones, except that those that wait only wait for `patience`.
 * `routing`: the configuration of the Alertmanager; without it, everything comes to the test.
 */
export async function startWatching(patience: string, routing?: object): Promise<Watching> {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-prometheus-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const delivered = new Set<string>()
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { alerts } = JSON.parse(body) as {
        alerts: { status: string; labels: { alertname: string; instance?: string } }[]
      }
      for (const { status, labels } of alerts) {
        delivered.add(`${labels.alertname} ${status}`)
        if (labels.instance !== undefined) delivered.add(`${labels.alertname} ${status} ${labels.instance}`)
      }
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
  const alertmanagerConfig = write(
    'alertmanager.yml',
    routing ?? {
      route: {
        receiver: 'test',
        group_by: ['alertname', 'instance'],
        group_wait: '0s',
        group_interval: '1s',
        repeat_interval: '1h',
      },
      receivers: [
        { name: 'test', webhook_configs: [{ url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` }] },
      ],
    },
  )
  run('prometheus-alertmanager', [
    `--config.file=${alertmanagerConfig}`,
    `--storage.path=${join(folder, 'alertmanager')}`,
    `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
    '--cluster.listen-address=',
  ])
  const hasty = shippedRules.map((rule) => ({ ...rule, ...(rule.for !== undefined && { for: patience }) }))
  const targets = join(folder, 'targets.json')
  const watch = (metrics: readonly string[]) =>
    writeFileSync(targets, JSON.stringify([{ targets: metrics.map((url) => new URL(url).host) }]))
  watch([])
  const config = write('prometheus.yml', {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [write('rules.yml', { groups: [{ name: 'hasty', rules: hasty }] })],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertmanagerPort}`] }] }] },
    scrape_configs: [{ job_name: 'tenderstock', file_sd_configs: [{ files: [targets], refresh_interval: '1s' }] }],
  })
  const port = await findPort('127.0.0.1', 0)
  run('prometheus', [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ])
  return {
    watch,
    delivered,
    query: async (expression) => {
      const asked = new URLSearchParams({ query: expression })
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${asked}`).catch(() => undefined)
      // while it starts
      if (!answer || answer.status === 503) return []
      const { status, data, error } = (await answer.json()) as { status: string; data: { result: [] }; error?: string }
      if (status !== 'success') throw new Error(`${expression}: ${error}`)
      return data.result
    },
  }
}

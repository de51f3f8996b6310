// Alerts on their way to people: the rules, the Prometheus and the Alertmanager of deploy/, with a mail server and a
// receiver of the person on duty.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { type MailReceiver, startMailReceiver } from '../digests/mail-receiver.ts'

import { startWatching } from './watching-prometheus.ts'

const shipped = join(import.meta.dirname, '../../deploy/prometheus/alertmanager.yml')
const hasPrograms = ['prometheus', 'prometheus-alertmanager'].every(
  (name) => spawnSync(name, ['--version']).error === undefined,
)

type Routing = {
  readonly global: object
  readonly route: { readonly routes: readonly object[] }
  readonly receivers: readonly { readonly webhook_configs?: readonly object[] }[]
}

/** The shipped configuration, with addresses of this test and without its patience. */
function routingTo(mails: MailReceiver, duty: string): object {
  const { global, route, receivers, ...rest } = parse(readFileSync(shipped, 'utf8')) as Routing
  return {
    ...rest,
    global: { ...global, smtp_smarthost: `127.0.0.1:${mails.settings.port}`, smtp_require_tls: false },
    route: { ...route, group_wait: '1s', group_interval: '1s' },
    receivers: receivers.map((receiver) =>
      receiver.webhook_configs ? { ...receiver, webhook_configs: [{ url: duty }] } : receiver,
    ),
  }
}

async function listen(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer!)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test.runIf(hasPrograms)(
  'what is critical reaches who is on duty, and the rest is a mail to the operators',
  async () => {
    await using mails = await startMailReceiver()
    const rung = new Set<string>()
    const duty = await listen((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        const { alerts } = JSON.parse(body) as { alerts: { labels: { alertname: string } }[] }
        for (const { labels } of alerts) rung.add(labels.alertname)
        response.end()
      })
    })
    const old = Date.now() / 1000 - 100 * 3600
    const metrics = await listen((_request, response) =>
      response.setHeader('content-type', 'text/plain; version=0.0.4').end(
        `tenderstock_database_up 0
tenderstock_degraded 1
tenderstock_stage_runs_total{stage="Publishing",outcome="succeeded"} 1
tenderstock_backup_timestamp_seconds ${old}
tenderstock_backup_restored_timestamp_seconds ${old}
tenderstock_webhook_endpoints{state="disabled"} 0
`,
      ),
    )
    const { watch } = await startWatching('1s', routingTo(mails, duty))
    watch([metrics])
    const mailed = (to: string) =>
      mails.received
        .filter((mail) => mail.to.includes(to))
        .flatMap(({ raw }) => /^Subject: .*?(Tenderstock\w+)/m.exec(raw.toString())?.[1] ?? [])
        .sort()
    await expect
      .poll(() => mailed('operators@example.org'), { timeout: 60_000 })
      .toEqual(['TenderstockBackupNotRestored', 'TenderstockBackupOld'])
    await expect.poll(() => [...rung], { timeout: 60_000 }).toEqual(['TenderstockDatabaseDown'])
    await expect.poll(() => mailed('duty@example.org'), { timeout: 60_000 }).toEqual(['TenderstockDatabaseDown'])
    // `degraded` follows from the database, and rings nobody
    expect(mailed('operators@example.org')).not.toContain('TenderstockDegraded')
  },
  180_000,
)

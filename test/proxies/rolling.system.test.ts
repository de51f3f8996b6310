// Rolling restarts behind the samples of docs/proxies, with the real programs: two nodes, one stopped and started after
// the other, while clients send requests without a pause. No request fails.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { publish } from '../../src/publish/publish.ts'
import { launchNode } from '../database-faults/node-process.ts'
import { makeTokens } from '../database-faults/tokens.ts'
import { freePort } from '../free-port.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { proofCount } from '../proof/proof-count.ts'
import { openTestStore, testDatabaseUrl } from '../world.ts'
import { makeCertificate, proxyHost, startProxy } from './proxy-process.ts'

if (testDatabaseUrl === undefined) console.log('skipped: rolling restarts (no TEST_DATABASE_URL)')

const proxyNames = ['haproxy', 'nginx'] as const
const restarts = proofCount({ share: 2, full: 20 })
/** Number of restarts behind each proxy. */
const minRequests = proofCount({ share: 200, full: 20_000 })
/** HAProxy notices within 6 seconds. */
const drainSeconds = String(proofCount({ share: 6, full: 10 }))
/** Number of clients behind each proxy, and how long each waits between two requests: other tests run beside these. */
const clients = 6
const pauseMs = proofCount({ share: 200, full: 40 })
const longestMs = proofCount({ share: 600_000, full: 3_600_000 })
/** How long a proxy may take to see that a node is back, with a margin. */
const settleMs = 3000

/** Sends requests until it is stopped, half of the clients on persistent connections. */
function startClients(port: number, { token, ca }: { readonly token: string; readonly ca: string }) {
  const counts = new Map<string, number>()
  const stopping = new AbortController()
  const paths = ['/v1/tenders?limit=20', '/v1/tenders?limit=100', '/v1/tenders?limit=1&archived=true']
  const ask = (agent: Agent, path: string) =>
    new Promise<string>((resolve) => {
      const headers = { host: proxyHost, authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' }
      const asked = request({ host: '127.0.0.1', port, path, agent, headers, servername: proxyHost, ca }, (answer) => {
        let length = 0
        answer.on('data', (chunk: Buffer) => (length += chunk.length))
        answer.on('end', () => resolve(length > 0 ? String(answer.statusCode) : `${answer.statusCode} without a body`))
        answer.on('error', (error) => resolve(`torn: ${error.message}`))
      })
      asked.on('error', (error) => resolve(`failed: ${error.message}`))
      asked.end()
    })
  const client = async (index: number) => {
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 })
    for (let number = index; !stopping.signal.aborted; number++) {
      const outcome = await ask(agent, paths[number % paths.length]!)
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      await delay(pauseMs)
    }
    agent.destroy()
  }
  const running = Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  const total = () => [...counts.values()].reduce((sum, each) => sum + each, 0)
  return {
    total,
    /** Returns what failed, and how often. */
    end: async () => {
      stopping.abort()
      await running
      return { failed: [...counts].filter(([outcome]) => outcome !== '200') }
    },
  }
}

describe.skipIf(testDatabaseUrl === undefined)('two nodes behind HAProxy and nginx', () => {
  test('are restarted one after the other, and no request fails', { timeout: longestMs }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolling-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await using store = await openTestStore('server')
    await putNumbered(store, 0, 200)
    await publish(store, { now: Date.now(), minIntervalMs: 0, overrideGate: true })
    const [made] = await makeTokens(store, 'Acme', 1, 1_000_000)
    const certificate = await makeCertificate(folder)
    const ports = [await freePort(), await freePort()] as const
    const launch = (index: number) => {
      const place = ['--data', join(folder, `node-${index}`), '--api-port', String(ports[index])]
      return launchNode(['serve', ...place, '--drain-seconds', drainSeconds], {
        databaseUrl: store.options.databaseUrl!,
        env: { TENDERSTOCK_BASE_URL: `https://${proxyHost}`, TENDERSTOCK_TRUSTED_HOPS: '1' },
      })
    }
    const nodes = [launch(0), launch(1)]
    onTestFinished(async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]()
    })
    await Promise.all(nodes.map((node) => node.event('ready')))
    const who = { token: made!.token, ca: readFileSync(certificate.certificate, 'utf8') }
    const loads = await Promise.all(
      proxyNames.map(async (name) => {
        const proxy = await startProxy(name, { folder, certificate, nodes: ports })
        onTestFinished(proxy.stop)
        return { name, ...startClients(proxy.port, who) }
      }),
    )
    for (let restart = 0; restart < restarts; restart++) {
      const index = restart % 2
      await delay(settleMs)
      expect((await nodes[index]!.end(60_000)).exitCode).toBe(0)
      nodes[index] = launch(index)
      await nodes[index]!.event('ready')
      await expect.poll(async () => (await nodes[index]!.get('/readyz')).status, { timeout: 30_000 }).toBe(200)
    }
    for (const { name, total, end } of loads) {
      await expect.poll(total, { timeout: 600_000, interval: 500 }).toBeGreaterThanOrEqual(minRequests)
      const { failed } = await end()
      console.log(`${name}: ${restarts} restarts, ${total()} requests, ${failed.length} kinds of failures`)
      expect(failed, name).toEqual([])
    }
  })
})

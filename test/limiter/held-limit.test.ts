// The shared limit, from outside: three processes on one PostgreSQL and a separate Redis, with requests without a
// pause while nodes stall (SIGSTOP) and Redis is delayed, swallowed, stopped, killed and restarted empty.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemRandom } from '../../src/platform/random.ts'
import { openStore } from '../../src/store/database.ts'
import { createOrganization, createToken } from '../../src/store/organizations.ts'
import { proofCount } from '../proof/proof-count.ts'
import { endOf, freePort, programOf } from '../proxies/proxy-process.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../world.ts'
import { denialsBelowShare, minuteMs, peakWithin, type Request } from './held-limit.ts'
import { type SwallowingProxy, startSwallowingProxy } from './swallowing-proxy.ts'

const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')
const redisProgram = programOf('redis-server') ?? programOf('valkey-server')
if (redisProgram === undefined)
  console.log('skipped: the shared limit under faults (no redis-server, no valkey-server)')

const limit = 60
const nodeCount = 3
const share = limit / nodeCount
/** Room for a process that is counted a little late. */
const mostAlone = 66
const stallsMs = [120, 700, 5000]

describe('judging from outside', () => {
  const request = (node: number, atMs: number, isAdmitted: boolean, tookMs = 0): Request => ({
    node,
    sentMs: atMs,
    answeredMs: atMs + tookMs,
    isAdmitted,
  })

  test('detects one request too many, and ignores one that may belong to the next minute', () => {
    const full = Array.from({ length: limit }, (_, index) => request(index % 3, index * 100, true))
    expect(peakWithin(full, 0, 120_000)).toBe(limit)
    expect(peakWithin([...full, request(0, 59_000, true)], 0, 120_000)).toBe(limit + 1)
    expect(peakWithin([...full, request(0, 59_000, true, 2000)], 0, 120_000)).toBe(limit)
    expect(peakWithin(full, 1, 120_000)).toBe(limit - 1)
  })

  test('detects a denial below the share, and none if the limit was used', () => {
    const own = Array.from({ length: share - 1 }, (_, index) => request(0, index, true))
    expect(denialsBelowShare([...own, request(0, 1000, false)], limit, nodeCount)).toHaveLength(1)
    expect(denialsBelowShare([...own, request(0, 500, true), request(0, 1000, false)], limit, nodeCount)).toEqual([])
    const others = Array.from({ length: limit - share + 1 }, (_, index) => request(1, index, true))
    expect(denialsBelowShare([...own, ...others, request(0, 1000, false)], limit, nodeCount)).toEqual([])
  })
})

describe.skipIf(!testDatabaseUrl || !redisProgram)('the shared limit under faults', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof openEmptyDatabase>>
  let redisPort: number
  let redis: ChildProcess
  let proxy: SwallowingProxy
  const nodes: ChildProcess[] = []
  const said: string[] = []
  /** All requests ever sent: what a test finds depends on the minute before it. */
  const history: Request[] = []
  const apis: string[] = []
  let token: string

  async function startRedis(): Promise<void> {
    redis = spawn(
      redisProgram!,
      ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
      { stdio: 'ignore' },
    )
    for (;;) {
      const isUp = await new Promise<boolean>((resolve) => {
        const socket = connect(redisPort, '127.0.0.1', () => {
          socket.destroy()
          resolve(true)
        })
        socket.once('error', () => resolve(false))
      })
      if (isUp) return
      await delay(20)
    }
  }

  async function startNode(index: number): Promise<string> {
    const data = join(folder, `node${index}`)
    const node = spawn(process.execPath, [program, 'serve', '--data', data, '--api-port', '0', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DATABASE_URL: database.url, REDIS_URL: `redis://127.0.0.1:${proxy.port}` },
    })
    nodes.push(node)
    createInterface({ input: node.stderr! }).on('line', (line) => said.push(`node ${index}: ${line}`))
    for await (const line of createInterface({ input: node.stdout! })) {
      const event = JSON.parse(line) as { readonly event: string; readonly api: string }
      if (event.event !== 'ready') continue
      node.stdout!.resume()
      return event.api
    }
    throw new Error(`node ${index} ended before it was ready: ${said.join('\n')}`)
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenderstock-limit-'))
    database = await openEmptyDatabase()
    const store = await openStore({ databaseUrl: database.url, dataFolder: '' })
    const now = Date.now()
    const made = await createOrganization(
      store.db,
      { name: 'One', requestsPerMinute: limit },
      { now, random: systemRandom },
    )
    if (made.kind !== 'created') throw new Error(made.kind)
    const issued = await createToken(
      store,
      { organizationId: made.organization.organizationId, name: 'crm' },
      { now, random: systemRandom },
    )
    if (issued.kind !== 'created') throw new Error(issued.kind)
    token = issued.plaintext
    await store.close()
    redisPort = await freePort()
    await startRedis()
    proxy = await startSwallowingProxy(redisPort)
    for (let index = 0; index < nodeCount; index++) apis.push(await startNode(index))
    // All have counted each other: a sign of life every few seconds.
    await delay(4000)
  }, 300_000)

  afterAll(async () => {
    for (const node of nodes) {
      node.kill('SIGCONT')
      node.kill('SIGKILL')
      await endOf(node)
    }
    redis?.kill('SIGCONT')
    redis?.kill('SIGKILL')
    if (redis) await endOf(redis)
    await proxy?.close()
    await database?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** Counted, and refused for its parameter: no edition is needed. */
  async function ask(node: number): Promise<Request> {
    const sentMs = performance.now()
    const response = await fetch(`${apis[node]}/v1/tenders?limit=0`, { headers: { authorization: `Bearer ${token}` } })
    await response.arrayBuffer()
    const answeredMs = performance.now()
    if (response.status !== 400 && response.status !== 429) throw new Error(`answer ${response.status}`)
    const request = { node, sentMs, answeredMs, isAdmitted: response.status === 400 }
    history.push(request)
    return request
  }

  /** Asks all nodes without a pause while `run` runs. */
  async function underLoad(run: () => Promise<void>): Promise<void> {
    let isOver = false
    const askers = Array.from({ length: nodeCount * 4 }, async (_, index) => {
      while (!isOver) {
        await ask(index % nodeCount)
        await delay(350)
      }
    })
    try {
      await run()
    } finally {
      isOver = true
      await Promise.all(askers)
    }
  }

  const countedAlone = () => said.filter((line) => line.includes('counted per node')).length

  test('C121, C131: a node that stalls stays with the shared count: 60 in any minute, and no denial below it', async () => {
    const rounds = proofCount({ share: 1, full: nodeCount })
    const startedMs = performance.now()
    await underLoad(async () => {
      for (let round = 0; round < rounds; round++) {
        for (const [index, stallMs] of stallsMs.entries()) {
          const node = (index + round) % nodeCount
          await delay(minuteMs / stallsMs.length)
          // Its requests arrive while it stalls, and some are being counted just then.
          const early = Array.from({ length: 20 }, () => ask(node))
          nodes[node]!.kill('SIGSTOP')
          const late = Array.from({ length: 40 }, () => ask(node))
          await delay(stallMs)
          nodes[node]!.kill('SIGCONT')
          await Promise.all([...early, ...late])
        }
      }
    })
    const peak = peakWithin(history, startedMs, performance.now())
    const admitted = history.filter(({ isAdmitted }) => isAdmitted).length
    console.log(
      `held limit: ${history.length} requests, ${admitted} admitted, at most ${peak} in a minute under stalls; ${countedAlone()} times alone`,
    )
    expect(peak, said.join('\n')).toBeLessThanOrEqual(limit)
    expect(denialsBelowShare(history, limit, nodeCount)).toEqual([])
  }, 600_000)

  /** Outages long enough for minutes that lie wholly in them, and all kinds of them. */
  const isFull = proofCount({ share: 0, full: 1 }) === 1
  type Outage = { readonly name: string; readonly begin: () => void; readonly end: () => void | Promise<void> }
  const outages: readonly Outage[] = [
    {
      name: 'a kill of Redis, which comes back empty',
      begin: () => void redis.kill('SIGKILL'),
      end: startRedis,
    },
    {
      name: 'a delay of 500 ms',
      begin: () => proxy.set({ kind: 'delay', ms: 500 }),
      end: () => proxy.set({ kind: 'pass' }),
    },
    {
      name: 'a Redis that is stopped',
      begin: () => void redis.kill('SIGSTOP'),
      end: () => void redis.kill('SIGCONT'),
    },
    {
      name: 'connections that swallow',
      begin: () => proxy.set({ kind: 'swallow' }),
      end: () => proxy.set({ kind: 'pass' }),
    },
  ]

  test.each(isFull ? outages : [outages[0]!])(
    'C131: $name: the shares hold in any minute of it, twice the limit at its ends',
    async ({ begin, end }) => {
      let beganMs = 0
      let endedMs = 0
      const startedMs = performance.now()
      await underLoad(async () => {
        await delay(5000)
        beganMs = performance.now()
        begin()
        await delay(isFull ? minuteMs + 8000 : 3000)
        endedMs = performance.now()
        await end()
        await delay(isFull ? 10_000 : 20_000)
      })
      const alone = peakWithin(history, beganMs, endedMs)
      const any = peakWithin(history, startedMs - minuteMs, performance.now() + minuteMs)
      console.log(`held limit: at most ${alone} in a minute wholly without the shared count, ${any} in any minute`)
      expect(alone).toBeLessThanOrEqual(mostAlone)
      if (isFull) expect(alone).toBeGreaterThanOrEqual(share)
      expect(any).toBeLessThanOrEqual(2 * limit)
      expect(denialsBelowShare(history, limit, nodeCount)).toEqual([])
    },
    600_000,
  )
})

// The shared limit, from outside: three processes on one PostgreSQL and a separate Redis, with requests without a pause
// while nodes stall (SIGSTOP) and Redis is delayed, swallowed, stopped, killed and restarted empty.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proofCount } from '../proof/proof-count.ts'
import { faultScenarios } from './fault-scenarios.ts'
import { admittedAfterDenial, denialsBelowShare, minuteMs, peakWithin, type Request } from './held-limit.ts'
import { type Caller, hasLimitedNodes, type LimitedNodes, startLimitedNodes } from './limited-nodes.ts'
import { plantedLimitEdits } from './planted-edits.ts'

const limit = 60
const nodeCount = 3
const share = limit / nodeCount
/** Margin for a process that is counted a little late. */
const maxAlone = 66
const stallsMs = [120, 700, 5000]
/**
 * Nodes wait at least this long for Redis. If it was slower, as seen from its proxy, this machine is too busy to show
 * more.
 */
const patienceMs = 100
/** Outages that are long enough to contain whole minutes, all kinds of them, and planted mistakes. */
const isFull = proofCount({ share: 0, full: 1 }) === 1

describe('the judge that sees answers only', () => {
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

  test('detects a request that is admitted while the requests for which its node denied another still count', () => {
    const full = Array.from({ length: limit }, (_, index) => request(0, index, true))
    const denied = [...full, request(1, 1000, false)]
    expect(admittedAfterDenial([...denied, request(1, 2000, true)], limit)).toHaveLength(1)
    expect(admittedAfterDenial([...denied, request(2, 2000, true)], limit)).toEqual([])
    expect(admittedAfterDenial([...denied, request(1, minuteMs, true)], limit)).toEqual([])
    expect(admittedAfterDenial([...denied.slice(1), request(1, 2000, true)], limit)).toEqual([])
  })
})

describe.skipIf(!hasLimitedNodes)('the shared limit under faults', () => {
  let world: LimitedNodes
  let caller: Caller
  beforeAll(async () => {
    world = await startLimitedNodes({ count: nodeCount, limit })
    caller = await world.open()
  }, 300_000)
  afterAll(async () => world?.[Symbol.asyncDispose]())

  const countedAlone = () => world.said.filter((line) => line.includes('counted per node')).length

  test('C121, C131: a node that stalls stays with the shared count: 60 in any minute, and no denial below it', async () => {
    const rounds = proofCount({ share: 1, full: nodeCount })
    const startedMs = performance.now()
    await world.proxy.slowestMs()
    await caller.underLoad(async () => {
      for (let round = 0; round < rounds; round++) {
        for (const [index, stallMs] of stallsMs.entries()) {
          const node = (index + round) % nodeCount
          await delay(minuteMs / stallsMs.length)
          // Its requests arrive while it stalls, and some are being counted just then.
          const early = caller.burst(node, 20)
          world.processes[node]!.kill('SIGSTOP')
          const late = caller.burst(node, 40)
          await delay(stallMs)
          world.processes[node]!.kill('SIGCONT')
          await Promise.all([early, late])
        }
      }
    })
    const { history } = caller
    const slowestMs = await world.proxy.slowestMs()
    const peak = peakWithin(history, startedMs, performance.now())
    const admitted = history.filter(({ isAdmitted }) => isAdmitted).length
    console.log(
      `held limit: ${history.length} requests, ${admitted} admitted, at most ${peak} in a minute under ` +
        `stalls; ${countedAlone()} times alone, Redis took up to ${Math.round(slowestMs)} ms`,
    )
    expect(peak, world.said.join('\n')).toBeLessThanOrEqual(slowestMs < patienceMs ? limit : 2 * limit)
    expect(denialsBelowShare(history, limit, nodeCount)).toEqual([])
  }, 600_000)

  type Outage = { readonly name: string; readonly begin: () => void; readonly end: () => void | Promise<void> }
  const outages: readonly Outage[] = [
    {
      name: 'a kill of Redis, which comes back empty',
      begin: () => world.redis.signal('SIGKILL'),
      end: () => world.redis.start(),
    },
    {
      name: 'a delay of 500 ms',
      begin: () => world.proxy.set({ kind: 'delay', ms: 500 }),
      end: () => world.proxy.set({ kind: 'pass' }),
    },
    {
      name: 'a Redis that is stopped',
      begin: () => world.redis.signal('SIGSTOP'),
      end: () => world.redis.signal('SIGCONT'),
    },
    {
      name: 'connections that swallow',
      begin: () => world.proxy.set({ kind: 'swallow' }),
      end: () => world.proxy.set({ kind: 'pass' }),
    },
  ]

  test.each(isFull ? outages : [outages[0]!])(
    'C131: $name: the shares hold in any minute of the fault, and twice the limit at its ends',
    async ({ begin, end }) => {
      let beganMs = 0
      let endedMs = 0
      const startedMs = performance.now()
      await caller.underLoad(async () => {
        await delay(5000)
        beganMs = performance.now()
        begin()
        await delay(isFull ? minuteMs + 8000 : 3000)
        endedMs = performance.now()
        await end()
        await delay(isFull ? 10_000 : 20_000)
      })
      const { history } = caller
      const alone = peakWithin(history, beganMs, endedMs)
      const any = peakWithin(history, startedMs - minuteMs, performance.now() + minuteMs)
      console.log(`held limit: at most ${alone} in a minute wholly without the shared count, ${any} in any minute`)
      expect(alone).toBeLessThanOrEqual(maxAlone)
      if (isFull) expect(alone).toBeGreaterThanOrEqual(share)
      expect(any).toBeLessThanOrEqual(2 * limit)
      expect(denialsBelowShare(history, limit, nodeCount)).toEqual([])
    },
    600_000,
  )
})

describe.skipIf(!hasLimitedNodes)('one fault at a time, on organizations that no node has seen', () => {
  test('C131: does not change the limit, the shares and the denials', async () => {
    await using world = await startLimitedNodes({ count: nodeCount, limit })
    for (const { name, violations } of faultScenarios)
      expect(await violations(world), `${name}\n${world.said.join('\n')}`).toEqual([])
  }, 300_000)

  test.runIf(isFull).each(plantedLimitEdits)(
    'the planted mistake is found: $name',
    async (edit) => {
      await using world = await startLimitedNodes({ count: nodeCount, limit, edit })
      const found: string[] = []
      for (const { name, violations } of faultScenarios) {
        found.push(...(await violations(world)).map((violation) => `${name}: ${violation}`))
        if (found.length > 0) break
      }
      console.log(`planted: ${edit.name}: ${found[0] ?? 'not found'}`)
      expect(found).not.toEqual([])
    },
    300_000,
  )
})

// Proves C131 on Valkey or Redis, and what happens without it.
import { randomUUID } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { startApi } from '../../../test/api-world.ts'
import { testRedisUrl } from '../../../test/redis.ts'
import { type Limiter, windowMs } from './limiter.ts'
import { createRedisLimiter } from './limiter-redis.ts'
import type { Patience } from './turn-patience.ts'

const clock = () => Date.now()

/** Waits forever, so that a slow machine does not look like an outage. */
const patience: Patience = { within: (answer) => answer }

/** Opens this many nodes. */
async function openLimiters(count: number, keyPrefix: string): Promise<Limiter[]> {
  const limiters = Array.from({ length: count }, () =>
    createRedisLimiter({ url: testRedisUrl!, clock, keyPrefix, patience }),
  )
  for (const { connected } of limiters) await connected
  return limiters
}

describe.skipIf(testRedisUrl === undefined)('the shared limit', () => {
  test('C122, C131: 3 nodes with 200 parallel requests each serve exactly 60', async () => {
    const limiters = await openLimiters(3, `test:${randomUUID()}:`)
    const admissions = await Promise.all(
      limiters.flatMap((limiter) => Array.from({ length: 200 }, () => limiter.take('one', 60))),
    )
    expect(admissions.filter(({ isAllowed }) => isAllowed).length).toBe(60)
    expect(
      admissions
        .filter(({ isAllowed }) => isAllowed)
        .map(({ remaining }) => remaining)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 60 }, (_, index) => index))
    for (const { isAllowed, resetSeconds } of admissions) if (!isAllowed) expect(resetSeconds).toBe(60)
    for (const limiter of limiters) await limiter.close()
  })

  test('C131: 2 tokens × 3 nodes × 200 parallel HTTP requests serve exactly 60', async () => {
    const keyPrefix = `test:${randomUUID()}:`
    const limiters = await openLimiters(3, keyPrefix)
    const worlds = await Promise.all(limiters.map((limiter) => startApi({ makeLimiter: () => limiter })))
    // The same organization is on all nodes, with two tokens on each.
    const tokens = worlds.map((world) => [world.tokens.add('shared'), world.tokens.add('shared')])
    for (const world of worlds) world.editions.publish(world.now, [])
    const statuses = await Promise.all(
      worlds.flatMap((world, node) =>
        Array.from({ length: 200 }, async (_, index) => {
          const response = await world.get('/v1/tenders', { authorization: `Bearer ${tokens[node]![index % 2]}` })
          await response.arrayBuffer()
          return response.status
        }),
      ),
    )
    expect(statuses.filter((status) => status === 200).length).toBe(60)
    expect(statuses.filter((status) => status === 429).length).toBe(540)
    for (const world of worlds) await world[Symbol.asyncDispose]()
    for (const limiter of limiters) await limiter.close()
  })

  test('C125: the oldest stamp leaves after exactly 60 s of the server', async () => {
    const keyPrefix = `test:${randomUUID()}:`
    const [limiter] = await openLimiters(1, keyPrefix)
    const redis = new Redis(testRedisUrl!)
    const [seconds, micros] = await redis.time()
    const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
    // One stamp is due to leave in 30 s, and one has already left.
    await redis.rpush(`${keyPrefix}one`, now - 5, now + 30_000)
    expect(await limiter!.take('one', 1)).toMatchObject({ isAllowed: false, remaining: 0, resetSeconds: 30 })
    await redis.lset(`${keyPrefix}one`, 0, now)
    expect((await limiter!.take('one', 1)).isAllowed).toBe(true)
    redis.disconnect()
    await limiter!.close()
  })

  test('a server clock that is set back never frees a stamp early', async () => {
    const keyPrefix = `test:${randomUUID()}:`
    const [limiter] = await openLimiters(1, keyPrefix)
    const redis = new Redis(testRedisUrl!)
    const ahead = Date.now() + 3_600_000
    await redis.rpush(`${keyPrefix}one`, ahead + windowMs)
    expect(await limiter!.take('one', 1)).toMatchObject({ isAllowed: false, resetSeconds: 60 })
    redis.disconnect()
    await limiter!.close()
  })

  test('C129: limits above 600 are counted in buckets', async () => {
    const [limiter] = await openLimiters(1, `test:${randomUUID()}:`)
    const admissions = await Promise.all(Array.from({ length: 700 }, () => limiter!.take('one', 650)))
    expect(admissions.filter(({ isAllowed }) => isAllowed).length).toBe(650)
    await limiter!.close()
  })
})

describe('without the shared store', () => {
  test('a process continues at once with its share of the limit, and says so once', async () => {
    // Accepts connections and never answers: the worst kind of outage.
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const lines: string[] = []
    const log = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      silent: () => {},
      error: (_: object, text: string) => lines.push(text),
    }
    const limiter = createRedisLimiter({
      url: `redis://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      clock: () => 1_000_000,
      log: log as never,
      processes: () => 3,
    })
    const admissions = []
    for (let index = 0; index < 21; index++) admissions.push(await limiter.take('one', 60))
    expect(admissions.map(({ isAllowed }) => isAllowed)).toEqual([...Array(20).fill(true), false])
    expect(lines).toEqual(['rate limits are counted per node: the shared store does not answer'])
    await limiter.close()
    silent.close()
  })
})

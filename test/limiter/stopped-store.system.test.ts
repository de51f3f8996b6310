// A store that is stopped while requests are under way: they are decided without it, and it counts none of them when it
// continues, whatever became of the connection.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedisLimiter } from '../../src/api/limits/limiter-redis.ts'
import { freePort } from '../free-port.ts'
import { endOf, programOf } from '../proxies/proxy-process.ts'
import { startSwallowingProxy } from './swallowing-proxy.ts'

const redisProgram = programOf('redis-server') ?? programOf('valkey-server')
const limit = 60
const processes = 3
const share = limit / processes

describe.skipIf(!redisProgram)('an unavailable store', () => {
  let folder: string
  let store: ChildProcess
  let url: string
  let port: number
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenderstock-stopped-'))
    port = await freePort()
    url = `redis://127.0.0.1:${port}`
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    store = spawn(redisProgram!, args, { stdio: 'ignore' })
    const redis = new Redis(url)
    redis.on('error', () => {})
    await redis.ping()
    redis.disconnect()
  })
  afterAll(async () => {
    store.kill('SIGCONT')
    store.kill('SIGKILL')
    await endOf(store)
    await rm(folder, { recursive: true, force: true })
  })

  const open = async (clock = () => Date.now(), at = url) => {
    const limiter = createRedisLimiter({ url: at, clock, processes: () => processes })
    await limiter.connected
    return limiter
  }

  // Shorter than it takes to abandon the connection, and longer.
  test.each([600, 6000])(
    'that is stopped for %d ms counts no request of a burst that was decided without it',
    async (stoppedMs) => {
      const [asking, other] = [await open(), await open()]
      // They know the time of the store.
      await Promise.all([asking.take('known', limit), other.take('known', limit)])
      const key = `burst ${stoppedMs}`
      store.kill('SIGSTOP')
      const alone = await Promise.all(Array.from({ length: 100 }, () => asking.take(key, limit)))
      expect(alone.filter(({ isAllowed }) => isAllowed).length).toBe(share)
      for (const untilMs = performance.now() + stoppedMs; performance.now() < untilMs; await delay(200))
        expect((await asking.take(key, limit)).isAllowed).toBe(false)
      store.kill('SIGCONT')
      await delay(1500)
      const admitted = (await Promise.all(Array.from({ length: limit }, () => other.take(key, limit)))).filter(
        ({ isAllowed }) => isAllowed,
      ).length
      // Of the requests that it counted and answered late, those that were admitted without it stay counted.
      expect(admitted).toBeGreaterThanOrEqual(limit - share)
      await Promise.all([asking.close(), other.close()])
    },
  )

  // Long enough that connections are opened during the fault: their greeting is never answered.
  test.each([1500, 8000])(
    'behind a network that drops packets for %d ms is shared again afterwards',
    async (swallowedMs) => {
      const proxy = await startSwallowingProxy(port)
      const redis = new Redis(url)
      const limiter = await open(undefined, `redis://127.0.0.1:${proxy.port}`)
      const key = `swallowed ${swallowedMs}`
      try {
        await limiter.take(key, limit)
        proxy.set({ kind: 'swallow' })
        for (const untilMs = performance.now() + swallowedMs; performance.now() < untilMs; await delay(200))
          await limiter.take(key, limit)
        proxy.set({ kind: 'pass' })
        const untilMs = performance.now() + 30_000
        let isShared = false
        for (let number = 0; !isShared && performance.now() < untilMs; await delay(200)) {
          const later = `${key}: ${number++}`
          await limiter.take(later, limit)
          isShared = (await redis.exists(`tenderstock:limit:${later}`)) === 1
        }
        expect(isShared).toBe(true)
      } finally {
        redis.disconnect()
        await limiter.close()
        await proxy.close()
      }
    },
  )

  test('a clock that is set or stands still delays and denies nothing', async () => {
    let setMs = 0
    let stoodMs: number | undefined
    const limiter = await open(() => stoodMs ?? Date.now() + setMs)
    for (const set of [0, -3_600_000, 7_200_000, -5000]) {
      setMs = set
      const answers = await Promise.all(Array.from({ length: 4 }, () => limiter.take(`set ${set}`, limit)))
      expect(answers.map(({ isAllowed, remaining }) => [isAllowed, remaining])).toEqual(
        [59, 58, 57, 56].map((remaining) => [true, remaining]),
      )
    }
    stoodMs = Date.now()
    for (let remaining = 59; remaining > 57; remaining--) {
      await delay(1200)
      expect(await limiter.take('stands', limit)).toMatchObject({ isAllowed: true, remaining })
    }
    await limiter.close()
  })
})

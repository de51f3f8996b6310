// Proves the limit in shared memory against a model that remembers every request, and what happens when it is full.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startApi } from '../../../test/api-world.ts'
import { OperatorError } from '../../platform/errors.ts'
import { openLog } from '../../platform/log.ts'
import { createFloodGuard, createFloodMemory } from './flood-guard.ts'
import { maxExactLimit, windowMs } from './limiter.ts'
import {
  createLimiterMemory,
  createLocalLimiter,
  MemoryLimiter,
  releaseThread,
  roomForOrganizations,
} from './limiter-memory.ts'
import { SharedLimiter } from './limiter-shared.ts'

/** Every request, with the moment from which it no longer counts; nothing is forgotten. */
function createModel() {
  const leaving: number[] = []
  let held = 0
  const live = (now: number): number[] => {
    held = Math.max(held, now)
    return leaving.filter((moment) => moment > held)
  }
  const add = (limit: number): void => {
    const due = limit > maxExactLimit ? Math.floor(held / 1000) * 1000 + 61_000 : held + windowMs
    leaving.push(Math.max(due, ...live(held).slice(-1)))
  }
  return {
    take: (now: number, limit: number) => {
      const isAllowed = live(now).length < limit
      if (isAllowed) add(limit)
      const counted = live(now)
      const next = counted[Math.max(0, counted.length - limit)]!
      return {
        isAllowed,
        limit,
        remaining: Math.max(0, limit - counted.length),
        resetSeconds: Math.max(1, Math.ceil((next - held) / 1000)),
      }
    },
    record: (now: number, limit: number) => {
      live(now)
      add(limit)
    },
  }
}

const wait = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -90_000, max: -1 }) },
  { weight: 1, arbitrary: fc.constantFrom(59_999, 60_000, 60_001, 61_000, 3_600_000) },
)
const limits = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(60, 599, 600, 601, 700, 100_000_000))

describe('the limit in shared memory', () => {
  test('equals the model for any traffic, limits, clock steps and requests admitted elsewhere, on any thread', () => {
    const step = fc.record({
      wait,
      limit: limits,
      key: fc.constantFrom('one', 'two', 'three'),
      thread: fc.nat(2),
      isRecord: fc.nat(9).map((drawn) => drawn === 0),
      times: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.nat(40) }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
        let now = 7_000
        const memory = createLimiterMemory({ organizations: 3 })
        const limiters = [0, 1, 2].map((thread) => new MemoryLimiter({ memory, clock: () => now, thread }))
        const models = new Map(['one', 'two', 'three'].map((key) => [key, createModel()]))
        for (const { wait, limit, key, thread, isRecord, times } of steps) {
          now += wait
          const limiter = limiters[thread]!
          const model = models.get(key)!
          for (let time = 0; time < times; time++) {
            if (isRecord) {
              limiter.record(key, limit)
              model.record(now, limit)
            } else expect(limiter.take(key, limit)).toEqual(model.take(now, limit))
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  test('more exact stamps than there is room for are counted to the second: safe, by at most a second', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(300), fc.nat(3)), { maxLength: 600, size: 'max' }), (steps) => {
        let now = 0
        const memory = createLimiterMemory({ organizations: 1, exactStamps: 5 })
        const limiter = new MemoryLimiter({ memory, clock: () => now, thread: 0 })
        const stamps: number[] = []
        const live = (window: number): number => stamps.filter((stamp) => stamp > now - window).length
        for (const [gap, drawn] of steps) {
          now += gap
          if (drawn === 0) {
            limiter.record('one', 60)
            stamps.push(now)
            continue
          }
          const { isAllowed, remaining, resetSeconds } = limiter.take('one', 60)
          expect(isAllowed ? live(windowMs) < 60 : live(windowMs + 1000) >= 60).toBe(true)
          if (isAllowed) stamps.push(now)
          expect(remaining).toBeLessThanOrEqual(Math.max(0, 60 - live(windowMs)))
          expect(remaining).toBeGreaterThanOrEqual(Math.max(0, 60 - live(windowMs + 1000)))
          expect(resetSeconds).toBeLessThanOrEqual(61)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('a limit of a hundred million takes no more memory than one of 60', () => {
    let now = 0
    const memory = createLimiterMemory({ organizations: 1 })
    const limiter = new MemoryLimiter({ memory, clock: () => now, thread: 0 })
    const limit = 100_000_000
    for (let second = 0; second < 200; second++) {
      for (let request = 0; request < 1000; request++) limiter.take('one', limit)
      now += 1000
    }
    // at the end of second 199, requests of seconds 139 to 199 count, each until the end of its second
    expect(limiter.take('one', limit)).toEqual({
      isAllowed: true,
      limit,
      remaining: limit - 60 * 1000 - 1,
      resetSeconds: 1,
    })
    expect(memory.byteLength).toBeLessThan(8200)
  })

  test('a limiter that begins later knows what the others counted', () => {
    const memory = createLimiterMemory({ organizations: 5 })
    const clock = () => 1000
    const first = new MemoryLimiter({ memory, clock, thread: 0 })
    for (let request = 0; request < 59; request++) first.take('one', 60)
    const second = new MemoryLimiter({ memory, clock, thread: 1 })
    expect(second.take('one', 60)).toMatchObject({ isAllowed: true, remaining: 0 })
    expect(first.take('one', 60).isAllowed).toBe(false)
  })

  test('the time of the latest thread holds for all', () => {
    const memory = createLimiterMemory({ organizations: 5 })
    const late = new MemoryLimiter({ memory, clock: () => 100_000, thread: 0 })
    const early = new MemoryLimiter({ memory, clock: () => 40_001, thread: 1 })
    expect(early.take('one', 1).isAllowed).toBe(true)
    expect(late.take('one', 1)).toMatchObject({ isAllowed: false, resetSeconds: 1 })
    expect(early.take('one', 1)).toMatchObject({ isAllowed: false, resetSeconds: 1 })
  })

  test('a failing clock leaves no lock behind', () => {
    const memory = createLimiterMemory({ organizations: 5 })
    let isBroken = false
    const clock = () => {
      if (isBroken) throw new Error('no time')
      return 1000
    }
    const limiter = new MemoryLimiter({ memory, clock, thread: 0 })
    limiter.take('one', 60)
    isBroken = true
    expect(() => limiter.take('one', 60)).toThrow('no time')
    expect(() => limiter.record('one', 60)).toThrow('no time')
    expect(releaseThread(memory, 0)).toBe(0)
    isBroken = false
    expect(limiter.take('one', 60).remaining).toBe(58)
  })

  test('refuses invalid memory, room and threads', () => {
    const clock = () => 0
    expect(() => new MemoryLimiter({ memory: new SharedArrayBuffer(4096), clock, thread: 0 })).toThrow(RangeError)
    expect(() => new MemoryLimiter({ memory: createLimiterMemory(), clock, thread: -1 })).toThrow(RangeError)
    expect(() => new MemoryLimiter({ memory: createLimiterMemory(), clock, thread: 2 ** 30 })).toThrow(RangeError)
    expect(() => createLimiterMemory({ organizations: 0 })).toThrow(RangeError)
  })
})

describe('room in the memory', () => {
  test('is for 16,384 organizations, each counted for itself', () => {
    const limiter = createLocalLimiter(() => 1000)
    const keys = Array.from({ length: 16_384 }, (_, index) => `organization ${index}`)
    for (const key of keys) expect(limiter.take(key, 2).remaining).toBe(1)
    for (const key of keys) expect(limiter.take(key, 2).remaining).toBe(0)
    for (const key of keys) expect(limiter.take(key, 2).isAllowed).toBe(false)
  })

  test('reports its bound when it is full, and continues to count the present ones', () => {
    const memory = createLimiterMemory({ organizations: 3 })
    let now = 1000
    const limiters = [0, 1].map((thread) => new MemoryLimiter({ memory, clock: () => now, thread }))
    for (const key of ['a', 'b', 'c']) limiters[0]!.take(key, 2)
    for (const limiter of limiters) {
      expect(() => limiter.take('d', 2)).toThrow(OperatorError)
      expect(() => limiter.take('d', 2)).toThrow('All 3 counters')
    }
    expect(limiters[1]!.take('a', 2).remaining).toBe(0)
    now += 60_999
    expect(() => limiters[0]!.take('d', 2)).toThrow(OperatorError)
    now += 61_000
    expect(limiters[0]!.take('d', 2).remaining).toBe(1)
    expect(releaseThread(memory, 0) + releaseThread(memory, 1)).toBe(0)
  })

  test('when full, answers one organization more with 503 and Retry-After, and no other: C137, D12', async () => {
    const lines: string[] = []
    const log = openLog('error', { write: (line) => lines.push(line) })
    await using world = await startApi({
      log,
      makeLimiter: (clock) =>
        new MemoryLimiter({ memory: createLimiterMemory({ organizations: 1 }), clock, thread: 0 }),
    })
    world.editions.publish(world.now, [])
    const other = world.tokens.add('two')
    const path = '/v1/tenders/00000000-0000-8000-8000-000000000000'
    const ask = (token: string, target: string) => world.get(target, { authorization: `Bearer ${token}` })
    const statuses = []
    for (const target of ['/v1/tenders', path])
      for (const token of [world.token, other, world.token]) statuses.push((await ask(token, target)).status)
    expect(statuses).toEqual([200, 503, 200, 404, 503, 404])
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'error',
      msg: expect.stringMatching(/^All 1 counters .* restart/),
    })

    const refused = await ask(other, '/v1/tenders')
    expect(await refused.json()).toMatchObject({
      type: `${world.docsUrl}/access#error-unavailable`,
      retryAfter: Number(refused.headers.get('retry-after')),
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(5)
    world.now += 61_000
    const admitted = await ask(other, '/v1/tenders')
    expect([admitted.status, admitted.headers.get('x-ratelimit-remaining')]).toEqual([200, '59'])
  })

  test('has room for four counts of twice the organizations that are known, and never for fewer than 16,384', () => {
    expect([2048, 2049].map(roomForOrganizations)).toEqual([16_384, 16_392])
    const organizations = roomForOrganizations(10_000)
    const limiter = new MemoryLimiter({
      memory: createLimiterMemory({ organizations }),
      clock: () => 1000,
      thread: 0,
    })
    for (let key = 0; key < 80_000; key++) if (!limiter.take(`${key}`, 2).isAllowed) expect.fail(`${key} is refused`)
    expect(() => limiter.take('one more', 2)).toThrow('All 80000 counters')
  })

  test('that is full loses no request that the shared store admitted', async () => {
    let isDown = false
    const limiter = new SharedLimiter({
      takeShared: async (_key, limit) => {
        if (isDown) throw new Error('no answer')
        return { isAllowed: true, count: limit - 7, waitMs: 60_000, epoch: 'one' }
      },
      giveBack: async () => {},
      probe: async () => {},
      clock: () => 1000,
      local: new MemoryLimiter({ memory: createLimiterMemory({ organizations: 1 }), clock: () => 1000, thread: 0 }),
      close: async () => {},
    })
    for (const key of ['a', 'b', 'a']) expect((await limiter.take(key, 9)).remaining).toBe(7)
    isDown = true
    expect((await limiter.take('a', 9)).remaining).toBe(6)
    await expect(limiter.take('b', 9)).rejects.toThrow(OperatorError)
  })

  test('is reused after a minute without requests; no count passes to another organization', () => {
    const key = fc.integer({ min: 0, max: 11 }).map(String)
    const step = fc.record({ key, thread: fc.nat(1), wait: fc.constantFrom(0, 0, 0, 5, 20_000, 61_000, 130_000) })
    let reused = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        let now = 1000
        const memory = createLimiterMemory({ organizations: 6 })
        const limiters = [0, 1].map((thread) => new MemoryLimiter({ memory, clock: () => now, thread }))
        const models = new Map(Array.from({ length: 12 }, (_, index) => [String(index), createModel()]))
        const seenAt = new Map<string, number>()
        for (const { key, thread, wait } of steps) {
          now += wait
          const recent = [...seenAt].filter(([other, at]) => other !== key && at > now - windowMs - 1000)
          let admission: unknown
          try {
            admission = limiters[thread]!.take(key, 3)
          } catch (error) {
            expect(error).toBeInstanceOf(OperatorError)
            expect(recent.length).toBe(6)
            continue
          }
          expect(admission).toEqual(models.get(key)!.take(now, 3))
          seenAt.set(key, now)
          if (seenAt.size > 6) reused++
        }
      }),
      { numRuns: 200 },
    )
    expect(reused).toBeGreaterThan(100)
  })
})

test('without the shared store all threads of a process use one count, which knows what the store admitted', async () => {
  const memory = createLimiterMemory({ organizations: 5 })
  let isDown = false
  let admitted = 0
  const readers = [0, 1].map(
    (thread) =>
      new SharedLimiter({
        takeShared: async () => {
          if (isDown) throw new Error('no answer')
          return { isAllowed: true, count: ++admitted, waitMs: 60_000, epoch: 'one' }
        },
        giveBack: async () => {},
        probe: async () => {},
        clock: () => 1000,
        local: new MemoryLimiter({ memory, clock: () => 1000, thread }),
        close: async () => {},
      }),
  )
  for (let index = 0; index < 20; index++) await readers[index % 2]!.take('one', 60)
  isDown = true
  const admissions = []
  for (let index = 0; index < 60; index++) admissions.push(await readers[index % 2]!.take('one', 60))
  expect(admissions.map(({ isAllowed }) => isAllowed)).toEqual([...Array(40).fill(true), ...Array(20).fill(false)])
})

describe('the guard of addresses', () => {
  test('is one for all threads', () => {
    const memory = createFloodMemory()
    let now = 1000
    const guards = [0, 1].map((thread) => createFloodGuard(() => now, 600, { memory, thread }))
    for (let index = 0; index < 600; index++) {
      expect(guards[index % 2]!.count('192.0.2.1')).toBeUndefined()
      now += 20
    }
    expect(guards[0]!.count('192.0.2.1')).toBe(48)
    expect(guards[1]!.count('192.0.2.1')).toBe(48)
    expect(guards[1]!.count('192.0.2.2')).toBeUndefined()
  })

  test('does not count addresses when there are too many; known ones are still limited', () => {
    const guard = createFloodGuard(() => 1000, 1)
    let uncounted = 0
    for (let address = 0; address < 20_000; address++) {
      guard.count(`2001:db8::${address.toString(16)}`)
      if (guard.count(`2001:db8::${address.toString(16)}`) === undefined) uncounted++
    }
    expect(uncounted).toBeGreaterThanOrEqual(20_000 - 16_384)
    expect(uncounted).toBeLessThan(20_000 - 16_000)
    expect(guard.count('2001:db8::0')).toBe(60)
  })
})

// Proves what processes admit together while the shared store answers, is late, is gone, or has lost its counts: using
// a model with its own clock that remembers every request.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { windowMs } from './limiter.ts'
import { type SharedAnswer, SharedLimiter } from './limiter-shared.ts'
import { createTurnPatience, LateAnswer } from './turn-patience.ts'

type Store = 'up' | 'late' | 'gone'

const limit = 12
const processCount = 3
const share = limit / processCount

/** Creates three processes on one store, into which faults are injected. */
function createWorld() {
  let now = 1_000_000
  let store: Store = 'up'
  let epoch = 1
  let counts: number[] = []
  const answerOf = (): SharedAnswer => {
    counts = counts.filter((at) => at > now - windowMs)
    const isAllowed = counts.length < limit
    if (isAllowed) counts.push(now)
    const waitMs = counts[Math.max(0, counts.length - limit)]! + windowMs - now
    return { isAllowed, count: counts.length, waitMs, epoch: `epoch ${epoch}` }
  }
  const limiters = Array.from(
    { length: processCount },
    () =>
      new SharedLimiter({
        takeShared: async () => {
          if (store === 'gone') throw new Error('the connection is lost')
          return answerOf()
        },
        patience: {
          within: async (answer) => {
            if (store === 'late') throw new LateAnswer()
            return await answer
          },
        },
        giveBack: async () => {
          counts.pop()
        },
        probe: async () => {
          if (store === 'gone') throw new Error('the connection is lost')
        },
        clock: () => now,
        processes: () => processCount,
        close: async () => {},
      }),
  )
  return {
    get now() {
      return now
    },
    wait: (ms: number) => {
      now += ms
    },
    set: (to: Store) => {
      store = to
    },
    lose: () => {
      counts = []
      epoch++
    },
    take: async (process: number) => {
      const admission = await limiters[process]!.take('one', limit)
      // Work after the answer runs to its end: a late answer, a check of the store.
      await new Promise(setImmediate)
      return admission
    },
    /** Number that the store counts now. */
    counted: () => counts.filter((at) => at > now - windowMs).length,
  }
}

type Accepted = { readonly at: number; readonly process: number }

const liveOf = (accepted: readonly Accepted[], now: number): readonly Accepted[] =>
  accepted.filter(({ at }) => at > now - windowMs)

const wait = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 3, arbitrary: fc.integer({ min: 400, max: 9000 }) },
  { weight: 1, arbitrary: fc.constantFrom(1000, 30_000, 59_999, 60_000, 61_001) },
)
const step = fc.record({
  wait,
  process: fc.nat(processCount - 1),
  requests: fc.integer({ min: 1, max: 14 }),
  store: fc.option(fc.constantFrom<Store>('up', 'up', 'late', 'gone'), { freq: 4 }),
})
const seeds = { numRuns: 150 }
/** How long a process may continue alone after the store counts again. */
const longestLookMs = 1000

describe('the shared limit and its faults', () => {
  test('at most the limit while the store answers, the limit in a minute without it, twice the limit in any', async () => {
    let aloneMinutes = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120, size: 'max' }), async (steps) => {
        const world = createWorld()
        const accepted: Accepted[] = []
        const never = Number.POSITIVE_INFINITY
        /** When the store started to answer, and when it stopped. */
        let upSince = Number.NEGATIVE_INFINITY
        let downSince = never
        for (const { wait: ms, process, requests, store } of steps) {
          world.wait(ms)
          if (store !== null) {
            world.set(store)
            if (store === 'up' && downSince !== never) {
              upSince = world.now
              downSince = never
            } else if (store !== 'up' && downSince === never) downSince = world.now
          }
          for (let index = 0; index < requests; index++) {
            const before = liveOf(accepted, world.now)
            const { isAllowed, remaining, resetSeconds } = await world.take(process)
            const own = before.filter((each) => each.process === process).length
            if (!isAllowed) {
              expect(own >= share || before.length >= limit, `denied with ${own} of ${share}`).toBe(true)
              expect(resetSeconds).toBeGreaterThanOrEqual(1)
              expect(resetSeconds).toBeLessThanOrEqual(61)
              continue
            }
            expect(remaining).toBeGreaterThanOrEqual(0)
            accepted.push({ at: world.now, process })
            const live = liveOf(accepted, world.now).length
            expect(live).toBeLessThanOrEqual(2 * limit)
            if (world.now - downSince >= windowMs) {
              aloneMinutes++
              expect(live).toBeLessThanOrEqual(limit)
            }
            if (downSince === never && world.now - upSince >= windowMs + longestLookMs)
              expect(live).toBeLessThanOrEqual(limit)
          }
        }
      }),
      seeds,
    )
    expect(aloneMinutes).toBeGreaterThan(100)
  })

  test('a store that comes back empty gives nobody a second limit: at most the previous limit and the shares after', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(processCount - 1), { minLength: 12, maxLength: 40 }),
        fc.array(fc.record({ wait: fc.nat(500), process: fc.nat(processCount - 1) }), { minLength: 60, maxLength: 90 }),
        fc.boolean(),
        async (first, second, isNoticed) => {
          const world = createWorld()
          const accepted: Accepted[] = []
          const ask = async (process: number) => {
            if ((await world.take(process)).isAllowed) accepted.push({ at: world.now, process })
          }
          // Every process has heard from the store before.
          for (const process of [0, 1, 2, ...first]) await ask(process)
          const before = accepted.length
          expect(before).toBeLessThanOrEqual(limit)
          if (isNoticed) {
            world.set('gone')
            for (const process of first.slice(0, 6)) await ask(process)
            world.wait(1500)
            world.set('up')
          }
          world.lose()
          for (const { wait: ms, process } of second) {
            world.wait(ms)
            await ask(process)
          }
          const live = liveOf(accepted, world.now).length
          expect(live).toBeLessThanOrEqual(2 * limit)
          for (let process = 0; process < processCount; process++)
            expect(accepted.slice(before).filter((each) => each.process === process).length).toBeLessThanOrEqual(share)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('a denied organization stays denied when the store is lost, until its requests leave, and receives the time', async () => {
    const world = createWorld()
    for (let index = 0; index < limit; index++) expect((await world.take(0)).isAllowed).toBe(true)
    world.wait(20_000)
    expect((await world.take(1)).isAllowed).toBe(false)
    world.set('gone')
    expect(await world.take(1)).toEqual({ isAllowed: false, limit, remaining: 0, resetSeconds: 40 })
    world.wait(40_000 - 1)
    expect((await world.take(1)).isAllowed).toBe(false)
    world.wait(1)
    const alone = await Promise.all(Array.from({ length: 6 }, () => world.take(1)))
    expect(alone.map(({ isAllowed }) => isAllowed)).toEqual([...Array(share).fill(true), false, false])
  })

  test('the count of the last shared answer continues: the remainder is all that is available', async () => {
    const world = createWorld()
    for (let index = 0; index < limit - 3; index++) await world.take(0)
    expect((await world.take(1)).remaining).toBe(2)
    world.set('late')
    const alone = []
    for (let index = 0; index < 4; index++) alone.push((await world.take(1)).isAllowed)
    expect(alone).toEqual([true, true, false, false])
    // The store has counted the request whose answer was late and that was admitted, and none that was denied.
    expect(world.counted()).toBe(limit - 1)
  })

  test('a request that is denied because of a late answer is withdrawn from the store', async () => {
    const world = createWorld()
    for (let index = 0; index < share; index++) await world.take(0)
    world.set('late')
    expect((await world.take(0)).isAllowed).toBe(false)
    expect(world.counted()).toBe(share)
  })

  test('a clock that is set back delays nobody for longer than a minute', async () => {
    const world = createWorld()
    for (let index = 0; index < limit; index++) await world.take(0)
    await world.take(1)
    world.wait(-3_600_000)
    world.set('gone')
    expect((await world.take(1)).isAllowed).toBe(true)
  })
})

describe('patience', () => {
  const block = (ms: number): void => {
    const until = performance.now() + ms
    while (performance.now() < until);
  }

  test('a stall of any length is one turn: what has arrived meanwhile is read first', async () => {
    const { createServer, connect } = await import('node:net')
    const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const socket = connect((server.address() as import('node:net').AddressInfo).port, '127.0.0.1')
    await new Promise((resolve) => socket.once('connect', resolve))
    const patience = createTurnPatience(5, 5)
    for (const stallMs of [1, 30, 120, 700]) {
      const answer = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))
      socket.write('ping')
      const within = patience.within(answer)
      // Each turn of the loop stalls for this long again.
      const stalls = setInterval(() => block(stallMs), 1)
      block(stallMs)
      await expect(within).resolves.toBe('ping')
      clearInterval(stalls)
    }
    socket.destroy()
    server.close()
  })

  test('ends for each waiting call if no answer comes', async () => {
    const patience = createTurnPatience(3, 1)
    const never = new Promise<string>(() => {})
    const first = patience.within(never)
    const second = patience.within(Promise.resolve('here'))
    const third = patience.within(never)
    await expect(second).resolves.toBe('here')
    await expect(first).rejects.toThrow(LateAnswer)
    await expect(third).rejects.toThrow(LateAnswer)
    await expect(patience.within(Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    await expect(patience.within(never)).rejects.toThrow(LateAnswer)
  })
})

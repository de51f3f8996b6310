import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { VirtualTime } from '../test/virtual-time.ts'
import { Pacer } from './pacing.ts'
import { TenderClient } from './tender-client.ts'

const windowMs = 60_000

/**
 * The API's limiter as its documents describe it: an exact sliding log, with latencies; only the rate headers matter.
 */
function createLimitedApi(time: VirtualTime, limit: number, nextLatencyMs: () => number) {
  const accepted: number[] = []
  const counts = { ok: 0, refused: 0 }
  const fetch = async (): Promise<Response> => {
    await time.wait(nextLatencyMs())
    const now = time.now
    const counted = accepted.filter((at) => at > now - windowMs)
    const isAllowed = counted.length < limit
    if (isAllowed) {
      accepted.push(now)
      counted.push(now)
    }
    counts[isAllowed ? 'ok' : 'refused']++
    const resetSeconds = Math.max(1, Math.ceil((counted[0]! + windowMs - now) / 1000))
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(limit - counted.length),
      'x-ratelimit-reset': String(resetSeconds),
      'retry-after': String(resetSeconds),
    }
    await time.wait(nextLatencyMs())
    return new Response('{"data":[],"nextCursor":null}', { status: isAllowed ? 200 : 429, headers })
  }
  return { fetch, counts }
}

/** Latencies that are the same for the same seed: mostly short, sometimes long. */
function latenciesOf(seed: number, maxMs: number): () => number {
  let state = seed | 1
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 1
    return (state % 1000) / 1000 > 0.9 ? state % (maxMs + 1) : state % (Math.ceil(maxMs / 10) + 1)
  }
}

const seed = Number(process.env.SEED ?? 20_261_102)

describe('pacing', () => {
  it(`a full load at the limit never meets a 429, with one request at a time or many (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer(),
        fc.constantFrom(0, 20, 400, 30_000),
        async (limit, callers, latencySeed, maxMs) => {
          const time = new VirtualTime()
          const { fetch, counts } = createLimitedApi(time, limit, latenciesOf(latencySeed, maxMs))
          const client = new TenderClient({
            baseUrl: 'https://x.example',
            token: 't',
            fetch,
            ...time,
            random: () => 0.5,
          })
          const requests = 3 * limit + 5
          let sent = 0
          const caller = async () => {
            while (sent < requests) {
              sent++
              await client.page()
            }
          }
          await time.run(Promise.all(Array.from({ length: callers }, caller)))
          expect(counts.refused).toBe(0)
          expect(counts.ok).toBe(requests)
          // At most two windows more than an ideal client would need: it waits no longer than it must.
          if (maxMs <= 400) expect(time.now).toBeLessThan((requests / limit + 2) * windowMs + requests * 800)
        },
      ),
      { seed, numRuns: proofCount({ share: 8, full: 300 }) },
    )
  })

  it('gives the whole quota back when the others have fallen silent', async () => {
    const time = new VirtualTime()
    const pacer = new Pacer({ ...time, random: () => 0 })
    const answered = async (remaining: number) =>
      pacer.leave(await pacer.enter(), { limit: 200, remaining, resetSeconds: 60 })
    const work = (async () => {
      await answered(199)
      // others took 58: a quarter of the limit is left to them
      for (let remaining = 140; remaining >= 20; remaining--) await answered(remaining)
      time.slept.length = 0
      for (let index = 0; index < 20; index++) await pacer.enter()
      expect(time.slept).toEqual([])
    })()
    await time.run(work)
  })

  it('spends the whole quota when alone: 6,000 records a minute at the default limit', async () => {
    const time = new VirtualTime()
    const { fetch, counts } = createLimitedApi(time, 60, () => 20)
    const client = new TenderClient({ baseUrl: 'https://x.example', token: 't', fetch, ...time, random: () => 0.5 })
    const work = (async () => {
      for (let page = 0; page < 600; page++) await client.page()
    })()
    await time.run(work)
    expect(counts).toEqual({ ok: 600, refused: 0 })
    // 600 requests at 60 a minute cannot end before nine windows have passed.
    expect(time.now).toBeLessThan(9.5 * windowMs)
  })

  it(`shares the quota with a second client of the organization almost without a 429 (seed ${seed})`, async () => {
    const totals = { ok: 0, refused: 0, ms: 0 }
    for (let round = 0; round < 10; round++) {
      const time = new VirtualTime()
      const next = latenciesOf(seed + round, 300)
      const { fetch, counts } = createLimitedApi(time, 60, next)
      const run = async (from: number) => {
        await time.wait(from)
        const client = new TenderClient({
          baseUrl: 'https://x.example',
          token: 't',
          fetch,
          ...time,
          random: () => (next() % 100) / 100,
        })
        for (let page = 0; page < 150; page++) await client.page()
      }
      await time.run(Promise.all([run(0), run(next() * 10)]))
      totals.ok += counts.ok
      totals.refused += counts.refused
      totals.ms += time.now
    }
    console.log(`two clients: ${totals.refused} of ${totals.ok + totals.refused} requests refused`)
    const idealMs = 10 * (300 / 60 - 1) * windowMs
    console.log(`two clients: ${(totals.ms / idealMs).toFixed(2)} of the shortest possible time`)
    expect(totals.ms).toBeLessThan(1.5 * idealMs)
    expect(totals.ok).toBe(3000)
    expect(totals.refused).toBeLessThan(totals.ok * 0.02)
  })
})

it('waits a little longer than the answer says: timers may fire early', async () => {
  const time = new VirtualTime()
  const pacer = new Pacer({ clock: time.clock, sleep: time.sleep, random: () => 0 })
  const first = await pacer.enter()
  pacer.leave(first, { limit: 60, remaining: 0, resetSeconds: 7 })
  await time.run(pacer.enter())
  expect(time.slept).toEqual([7025])
})

it('leaves a whole request to others for a part of one', async () => {
  const time = new VirtualTime()
  const pacer = new Pacer({ clock: time.clock, sleep: time.sleep, random: () => 0 })
  // others took two requests, and none since: 1.9 are left to them
  for (const remaining of [10, 7, 6]) pacer.leave(await pacer.enter(), { limit: 60, remaining, resetSeconds: 7 })
  let entered = 0
  const ending = new AbortController()
  const all = Array.from({ length: 6 }, () => pacer.enter(ending.signal).then(() => entered++))
  await new Promise(setImmediate)
  expect(entered).toBe(4)
  ending.abort(new Error('enough'))
  expect((await Promise.allSettled(all)).filter(({ status }) => status === 'rejected')).toHaveLength(2)
})

it('waits for the latest of the ends that overlapping answers name', async () => {
  const time = new VirtualTime()
  const pacer = new Pacer({ clock: time.clock, sleep: time.sleep, random: () => 0 })
  pacer.leave(await pacer.enter(), { limit: 60, remaining: 2, resetSeconds: 40 })
  const [early, late] = [await pacer.enter(), await pacer.enter()]
  pacer.leave(late, { limit: 60, remaining: 0, resetSeconds: 30 })
  pacer.leave(early, { limit: 60, remaining: 1, resetSeconds: 10 })
  await time.run(pacer.enter())
  expect(time.slept).toEqual([30_025])
})

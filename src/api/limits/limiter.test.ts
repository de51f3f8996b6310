// Proves C121 to C129 and D33 of the limit itself, against a model that remembers every request.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { type Admission, secondsUntil, windowMs } from './limiter.ts'
import { createLocalLimiter } from './limiter-memory.ts'

/** What "60 per minute" plainly means: accepted stamps of the last 60 s, nothing forgotten. */
function createModel() {
  const accepted: number[] = []
  return {
    accepted,
    take: (now: number, limit: number) => {
      const live = accepted.filter((stamp) => stamp > now - windowMs)
      const isAllowed = live.length < limit
      if (isAllowed) {
        accepted.push(now)
        live.push(now)
      }
      const leaver = live[Math.max(0, live.length - limit)]!
      return {
        isAllowed,
        limit,
        remaining: Math.max(0, limit - live.length),
        resetSeconds: Math.max(1, Math.ceil((leaver + windowMs - now) / 1000)),
      }
    },
  }
}

function peakIn(accepted: readonly number[]): number {
  let peak = 0
  let first = 0
  for (const [index, stamp] of accepted.entries()) {
    while (accepted[first]! <= stamp - windowMs) first++
    peak = Math.max(peak, index - first + 1)
  }
  return peak
}

const gap = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 50 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 3000 }) },
  { weight: 1, arbitrary: fc.constantFrom(59_999, 60_000, 60_001, 30_000) },
)

test.each([
  [999, 1],
  [1000, 1],
  [1001, 1],
  [2001, 2],
])('D33: what leaves at %i has left after %i s at the latest, and a wait is never 0', (leavesAt, seconds) => {
  expect(secondsUntil(leavesAt, 1000)).toBe(seconds)
})

describe('the limit in process', () => {
  test('C121, C124, C127, D33: 60 are served, the 61st is denied, exactly until the first leaves', () => {
    let now = 1_000_000
    const limiter = createLocalLimiter(() => now)
    const served = Array.from({ length: 60 }, () => limiter.take('one', 60))
    expect(served.every(({ isAllowed }) => isAllowed)).toBe(true)
    expect(served.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index))
    expect(limiter.take('one', 60)).toEqual({ isAllowed: false, limit: 60, remaining: 0, resetSeconds: 60 })
    now += windowMs - 1
    expect(limiter.take('one', 60)).toMatchObject({ isAllowed: false, resetSeconds: 1 })
    now += 1
    expect(limiter.take('one', 60).isAllowed).toBe(true)
  })

  test('C123: organizations do not share', () => {
    const limiter = createLocalLimiter(() => 0)
    expect(limiter.take('one', 1).isAllowed).toBe(true)
    expect(limiter.take('one', 1).isAllowed).toBe(false)
    expect(limiter.take('two', 1).isAllowed).toBe(true)
  })

  test('equals the model for any traffic and any changing limit up to 600', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(gap, fc.integer({ min: 1, max: 6 })), { maxLength: 300 }), (steps) => {
        let now = 5_000
        const limiter = createLocalLimiter(() => now)
        const model = createModel()
        for (const [wait, limit] of steps) {
          now += wait
          expect(limiter.take('one', limit)).toEqual(model.take(now, limit))
        }
      }),
      { numRuns: proofCount({ share: 100, full: 3000 }) },
    )
  })

  test('C121, C125: never more than the limit in any 60 s, no denial without cause, Retry-After exact', () => {
    fc.assert(
      fc.property(fc.array(gap, { minLength: 100, maxLength: 400 }), fc.integer({ min: 1, max: 60 }), (gaps, limit) => {
        let now = 0
        const accepted: number[] = []
        const limiter = createLocalLimiter(() => now)
        let last: Admission | undefined
        for (const wait of gaps) {
          now += wait
          last = limiter.take('one', limit)
          const live = accepted.filter((stamp) => stamp > now - windowMs).length
          expect(last.isAllowed).toBe(live < limit)
          if (last.isAllowed) accepted.push(now)
        }
        expect(peakIn(accepted)).toBeLessThanOrEqual(limit)
        if (last?.isAllowed === false) {
          now += last.resetSeconds * 1000
          expect(limiter.take('one', limit).isAllowed).toBe(true)
        }
      }),
      { numRuns: proofCount({ share: 70, full: 2000 }) },
    )
  })

  test('C129: above 600 a minute buckets of a second err on the safe side, by at most a second', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 700, maxLength: 2000 }), (gaps) => {
        let now = 123
        const limit = 601
        const accepted: number[] = []
        const limiter = createLocalLimiter(() => now)
        for (const wait of gaps) {
          now += wait
          const { isAllowed, resetSeconds } = limiter.take('one', limit)
          if (isAllowed) accepted.push(now)
          else {
            expect(accepted.filter((stamp) => stamp > now - windowMs - 1000).length).toBeGreaterThanOrEqual(limit)
            expect(resetSeconds).toBeLessThanOrEqual(61)
          }
        }
        expect(peakIn(accepted)).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 50 },
    )
  })

  test('a clock that is set back neither frees nor loses requests', () => {
    let now = 100_000
    const limiter = createLocalLimiter(() => now)
    limiter.take('one', 1)
    now = 0
    expect(limiter.take('one', 1)).toMatchObject({ isAllowed: false, resetSeconds: 60 })
    now = 160_000
    expect(limiter.take('one', 1).isAllowed).toBe(true)
  })

  test('C130: 60 pages of 100 records a minute, at any pace', () => {
    let now = 0
    const limiter = createLocalLimiter(() => now)
    for (let page = 0; page < 600; page++) {
      expect(limiter.take('one', 60).isAllowed).toBe(true)
      now += 1000
    }
  })
})

// Proves that a log is correct whenever its writer dies: each write in turn is the last one.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { windowMs } from './limiter.ts'
import { type LogViews, ringBytes, SlidingLogs } from './limiter-log.ts'

const headByte = 8
const ringByte = 64
const exactStamps = 4

class Death extends Error {}

/** Creates views whose writer dies at write number `deathAt`. */
function mortalViews(views: LogViews, deathAt: number): LogViews {
  let writes = 0
  const mortal = <T extends object>(array: T): T =>
    new Proxy(array, {
      get: (target, name) => Reflect.get(target, name),
      set: (target, name, value) => {
        if (writes++ === deathAt) throw new Death()
        return Reflect.set(target, name, value)
      },
    })
  return { words: mortal(views.words), counts: mortal(views.counts), times: mortal(views.times) }
}

type Step = { readonly wait: number; readonly limit: number }
const step: fc.Arbitrary<Step> = fc.record({
  wait: fc.constantFrom(0, 0, 1, 7, 400, 999, 1000, 30_000, 59_999, 60_000, 61_000),
  limit: fc.constantFrom(3, 600, 601, 5000),
})

test('no death of the writer hides a request, delays one for longer than due, or breaks the log', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30, size: 'max' }),
      step,
      fc.array(step, { maxLength: 10, size: 'max' }),
      (before, last, after) => {
        for (let deathAt = 0; ; deathAt++) {
          const memory = new SharedArrayBuffer(ringByte + ringBytes(exactStamps))
          const views = {
            words: new Int32Array(memory),
            counts: new Uint32Array(memory),
            times: new Float64Array(memory),
          }
          const logs = new SlidingLogs(views, exactStamps)
          logs.open(headByte, ringByte)
          let now = 5000
          const stamps: number[] = []
          const live = (window: number): number => stamps.filter((stamp) => stamp > now - window).length
          const check = (unsure: number): void => {
            expect(logs.advance(now)).toBe(now)
            expect(logs.count).toBeGreaterThanOrEqual(live(windowMs))
            expect(logs.count).toBeLessThanOrEqual(live(windowMs + 1000) + unsure)
            const moments = Array.from({ length: logs.count }, (_, index) => logs.leavesAt(index))
            expect(moments).toEqual(moments.toSorted((a, b) => a - b))
            for (const moment of moments) {
              expect(moment).toBeGreaterThan(now)
              expect(moment).toBeLessThanOrEqual(now + windowMs + 1000)
            }
          }
          const run = ({ wait, limit }: Step, unsure: number): void => {
            now += wait
            logs.push(logs.advance(now), limit)
            stamps.push(now)
            check(unsure)
          }
          for (const each of before) run(each, 0)
          let isDead = false
          now += last.wait
          try {
            const dying = new SlidingLogs(mortalViews(views, deathAt), exactStamps)
            dying.open(headByte, ringByte)
            dying.push(dying.advance(now), last.limit)
            stamps.push(now)
          } catch (error) {
            if (!(error instanceof Death)) throw error
            isDead = true
          }
          // No caller was told that the last request is admitted: it may count or not.
          check(isDead ? 1 : 0)
          for (const each of after) run(each, isDead ? 1 : 0)
          if (!isDead) return
        }
      },
    ),
    { numRuns: proofCount({ share: 12, full: 1000 }) },
  )
})

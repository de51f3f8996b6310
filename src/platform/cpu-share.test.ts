import { expect, test } from 'vitest'
import { cpuShare } from './cpu-share.ts'

/** Times of a thread that computes `workMs`, then waits `waitMs`, again and again. */
function timesOf(workMs: number, waitMs: number) {
  let [passedMs, computedMs] = [1000, 50]
  return {
    passed: () => passedMs,
    computed: () => {
      passedMs += workMs + waitMs
      computedMs += workMs
      return computedMs
    },
  }
}

test.each([
  ['alone on a core', 1, 0, 1],
  ['with one other thread', 1, 1, 0.5],
  ['with 79 others on two cores', 2, 78, 0.025],
  ['under a quota of a twentieth', 5, 95, 0.05],
])('the share of a thread %s', (_, workMs, waitMs, share) => {
  expect(cpuShare(timesOf(workMs, waitMs))).toBeCloseTo(share, 2)
})

test('is measured', () => {
  const share = cpuShare()
  expect(share).toBeGreaterThan(0)
  expect(share).toBeLessThanOrEqual(1)
})

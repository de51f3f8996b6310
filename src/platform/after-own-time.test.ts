import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { afterOwnTime } from './after-own-time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  [1, 10_000],
  [0.5, 18_000],
  [0.0625, 144_000],
])('a limit of ten seconds with %d of a core ends after %d ms', (share, afterMs) => {
  const end = vi.fn()
  afterOwnTime(10_000, end, () => share)
  vi.advanceTimersByTime(afterMs - 1001)
  expect(end).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1001)
  expect(end).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(10 * afterMs)
  expect(end).toHaveBeenCalledOnce()
})

test('it never ends without a core, and not after it was ended', () => {
  const end = vi.fn()
  const endLimit = afterOwnTime(10_000, end, () => 0)
  vi.advanceTimersByTime(3_600_000)
  endLimit()
  afterOwnTime(10_000, end, () => 1)()
  vi.advanceTimersByTime(3_600_000)
  expect(end).not.toHaveBeenCalled()
})

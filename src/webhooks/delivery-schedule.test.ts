import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../domain/time.ts'
import { type AttemptOutcome, nextStep, retryAfterMs } from './delivery-schedule.ts'

const now = Date.UTC(2026, 10, 22)
const status = (code: number, retryAfter?: number): AttemptOutcome => ({
  kind: 'answered',
  status: code,
  ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
})
const timeout: AttemptOutcome = { kind: 'failed', failure: 'timeout' }

describe('the schedule', () => {
  test('has ten attempts over 75 hours and 35 minutes, then gives up', () => {
    const pauses: number[] = []
    let attempts = 1
    for (;;) {
      const step = nextStep(timeout, attempts++, now, 0.5)
      if (step.event !== 'retry') {
        expect(step).toEqual({ event: 'last' })
        break
      }
      pauses.push(step.dueAt - now)
    }
    const expected = [5_000, 5 * minuteMs, 30 * minuteMs, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)]
    expect(pauses).toEqual(expected)
  })

  test('varies each pause by a tenth', () => {
    expect(nextStep(timeout, 2, now, 0)).toEqual({ event: 'retry', dueAt: now + 4.5 * minuteMs })
    expect(nextStep(timeout, 2, now, 1)).toEqual({ event: 'retry', dueAt: now + 5.5 * minuteMs })
  })

  test.each([200, 201, 202, 204, 299])('%i is a success', (code) => {
    expect(nextStep(status(code), 1, now, 0.5)).toEqual({ event: 'success' })
    expect(nextStep(status(code), 10, now, 0.5)).toEqual({ event: 'success' })
  })

  test.each([100, 301, 302, 307, 308, 400, 401, 404, 500, 502, 504])('%i is a failure', (code) => {
    expect(nextStep(status(code, dayMs), 1, now, 0.5)).toEqual({ event: 'retry', dueAt: now + 5_000 })
  })

  test('410 disables the endpoint and holds the message, also at the last attempt', () => {
    for (const attempts of [1, 10])
      expect(nextStep(status(410), attempts, now, 0.5)).toEqual({ event: 'gone', disables: 'gone' })
  })

  test.each([429, 503])('%i may ask for more time, up to a day, but not for less', (code) => {
    expect(nextStep(status(code, hourMs), 1, now, 0.5)).toEqual({ event: 'retry', dueAt: now + hourMs })
    expect(nextStep(status(code, 30 * dayMs), 1, now, 0.5)).toEqual({ event: 'retry', dueAt: now + dayMs })
    expect(nextStep(status(code, 0), 2, now, 0.5)).toEqual({ event: 'retry', dueAt: now + 5 * minuteMs })
    expect(nextStep(status(code, hourMs), 10, now, 0.5)).toEqual({ event: 'last' })
  })
})

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Sun, 22 Nov 2026 00:02:00 GMT', 120_000],
  ['Sat, 21 Nov 2026 00:00:00 GMT', 0],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['2026', 2_026_000],
  ['9999999999', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %s', (text, expected) => {
  expect(retryAfterMs(text, now)).toBe(expected)
})

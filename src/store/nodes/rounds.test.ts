// The rounds of several processes as one state.
import { describe, expect, test } from 'vitest'
import { joinRounds, readRounds, whyFailing } from './rounds.ts'

const healthy = { failedRounds: 0, isStopped: false, lastRoundAt: 2000 }

describe('the rounds of several processes', () => {
  test('fail if one fails, and are as old as the oldest', () => {
    const lastFailure = { code: 'disk-full', stage: 'publish', detail: 'full' } as const
    const failing = { failedRounds: 3, isStopped: false, lastRoundAt: 1000, lastFailure }
    for (const states of [
      [healthy, failing],
      [failing, undefined, healthy],
    ])
      expect(joinRounds(states)).toEqual(failing)
    expect(joinRounds([healthy, { ...healthy, lastRoundAt: 1500 }])).toEqual({ ...healthy, lastRoundAt: 1500 })
  })

  test('count those that were stopped only when all were', () => {
    const stopped = { failedRounds: 5, isStopped: true, lastRoundAt: 10 }
    expect(joinRounds([stopped, healthy])).toEqual(healthy)
    expect(joinRounds([stopped])).toEqual(stopped)
    expect(joinRounds([])).toBeUndefined()
  })

  test('are read from what was stored, and what cannot be read is left out', () => {
    expect(readRounds(['{broken', '7', JSON.stringify(healthy)])).toEqual(healthy)
    expect(readRounds(['{broken'])).toBeUndefined()
    const failed = { ...healthy, failedRounds: 1, lastFailure: { code: 'disk-full', stage: 'publish', detail: 'full' } }
    expect(readRounds([JSON.stringify(failed)])).toEqual(failed)
    // by a newer version, which knows other codes and stages
    const unknown = { ...failed, lastFailure: { code: 'moon-phase', stage: 'dream', detail: 'x' } }
    expect(whyFailing(readRounds([JSON.stringify(unknown)]), 3000)).toEqual({
      code: 'stage-failed',
      stage: null,
      detail: 'x',
    })
  })
})

test.each([
  ['three hours after the last round', healthy, 3, false],
  ['a millisecond later', { ...healthy, lastRoundAt: 1999 }, 3, true],
  ['after a clean stop', { ...healthy, isStopped: true }, 9, false],
  ['before the first round', { failedRounds: 0, isStopped: false }, 9, false],
  ['after a round that failed', { ...healthy, failedRounds: 1 }, 0, true],
  ['where no service ran', undefined, 9, false],
])('the pipeline %s: fails or not', (_, state, hours, isFailing) => {
  expect(whyFailing(state, 2000 + hours * 3_600_000) !== undefined).toBe(isFailing)
})

import { expect, test } from 'vitest'
import { drainSeconds, isBeyondOpening } from './start-until-stopped.ts'

test('a node drains for 10 s where a load balancer may be in front, unless it is told otherwise', () => {
  const behind = { hasServer: true, isTerminal: false }
  expect(drainSeconds({}, behind)).toBe(10)
  expect(drainSeconds({}, { ...behind, isTerminal: true })).toBe(0)
  expect(drainSeconds({}, { ...behind, hasServer: false })).toBe(0)
  expect(drainSeconds({ 'drain-seconds': 0 }, behind)).toBe(0)
  expect(drainSeconds({ 'drain-seconds': 30 }, { hasServer: false, isTerminal: true })).toBe(30)
})

test('what is reported while the stock is opened does not end the wait for it', () => {
  for (const event of ['starting', 'migrating', 'opened', 'warning', 'note', 'progress'] as const)
    expect({ event, isBeyond: isBeyondOpening({ event }) }).toEqual({ event, isBeyond: false })
  expect(isBeyondOpening({ event: 'ready' })).toBe(true)
})

import { expect, test } from 'vitest'
import { drainSeconds } from './start-until-stopped.ts'

test('a node drains for 10 s where a load balancer may be in front, unless it is told otherwise', () => {
  const behind = { hasServer: true, isTerminal: false }
  expect(drainSeconds({}, behind)).toBe(10)
  expect(drainSeconds({}, { ...behind, isTerminal: true })).toBe(0)
  expect(drainSeconds({}, { ...behind, hasServer: false })).toBe(0)
  expect(drainSeconds({ 'drain-seconds': 0 }, behind)).toBe(0)
  expect(drainSeconds({ 'drain-seconds': 30 }, { hasServer: false, isTerminal: true })).toBe(30)
})

// Faults as they are set: for some sources only, with a share of nothing, and all but one.
import { expect, test } from 'vitest'
import { faultDice, faultNames, readFaults } from './faults.ts'

test('a fault for some sources happens to no other', () => {
  const dice = faultDice('seed', { 'rate-limit': { share: 1, sources: ['ted'] }, late: { share: 1, sources: ['ted'] } })
  expect(dice.happens('rate-limit', 'doe', '/a')).toBe(false)
  expect(dice.happens('rate-limit', 'ted', '/a')).toBe(true)
  expect(dice.lateHours('doe', '1', 20)).toBe(0)
  expect(dice.lateHours('ted', '1', 20)).toBeGreaterThan(0)
  expect(dice.counts()).toEqual({ 'rate-limit': 1 })
})

test('an address has at most so many faults as are set; a late entry appears within the hours of its card', () => {
  const dice = faultDice('seed', { reset: { share: 1, most: 1 }, duplicates: 1, late: 1 })
  expect([1, 2].map(() => dice.happens('reset', 'ted', '/a'))).toEqual([true, false])
  expect([1, 2].map(() => dice.happens('duplicates', 'ted', '/a'))).toEqual([true, false])
  expect(dice.lateHours('ted', '1', 0.5)).toBe(0)
  // the 429 after a 403 is the second one
  const forbidding = faultDice('seed', { forbidden: 1, reset: 1 })
  expect(forbidding.happens('forbidden', 'ted', '/a')).toBe(true)
  expect(forbidding.happens('reset', 'ted', '/a')).toBe(false)
})

test('shares are read from 0 to 1; one that is named keeps its own beside all', () => {
  expect(readFaults([])).toEqual({})
  expect(readFaults(['late=0', 'gone=1', 'slow'])).toEqual({ late: 0, gone: 1, slow: 0.05 })
  const all = readFaults(['gone=0', 'all=0.5'])
  expect(Object.keys(all).sort()).toEqual([...faultNames].sort())
  expect([all.gone, all.late]).toEqual([0, 0.5])
  for (const wrong of ['late=2', 'late=-1', 'late=x', 'other', 'toString'])
    expect(() => readFaults([wrong]), wrong).toThrow(RangeError)
})

import { expect, test } from 'vitest'
import { compareMatching, madeUpFilters, madeUpRecords } from './compare-matching.ts'

test('the index gives what the plain loop gives on two million pairs', () => {
  const records = madeUpRecords(4, 1000)
  const filters = madeUpFilters(5, 1990, records)
  const { differences, matches } = compareMatching(filters, records, records.slice(0, 300))
  console.log(`${filters.length * records.length} pairs, ${matches} matches`)
  expect(differences).toEqual([])
  expect(matches).toBeGreaterThan(10_000)
})

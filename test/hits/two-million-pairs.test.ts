import { expect, test } from 'vitest'
import { compareMatching, madeUpFilters, madeUpRecords } from './compare-matching.ts'

/** Rounds of two million pairs, each with records and filters of its own. `npm run proof -- pairs` sets it. */
const rounds = Number(process.env['PAIR_ROUNDS'] ?? 1)

test(
  'the index gives what the plain loop gives on two million pairs',
  () => {
    let [pairs, found] = [0, 0]
    for (let round = 1; round <= rounds; round++) {
      const records = madeUpRecords(4 * round, 1000)
      const filters = madeUpFilters(5 * round, 1990, records)
      const { differences, matches } = compareMatching(filters, records, records.slice(0, 300))
      expect(differences, `round ${round}`).toEqual([])
      expect(matches).toBeGreaterThan(10_000)
      pairs += filters.length * records.length
      found += matches
    }
    console.log(`${pairs} pairs, ${found} matches`)
  },
  60_000 + rounds * 60_000,
)

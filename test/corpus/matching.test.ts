// Saved searches on the records of collected notices: the index returns what the plain loop returns.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCorpusRecords } from '../../quality/corpus-records.ts'
import { compareMatching, madeUpFilters } from '../hits/compare-matching.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')

describe.skipIf(!existsSync(corpus))('the corpus, matched', () => {
  test('agrees with the plain loop for 240 searches drawn from it, 900,000 pairs', async () => {
    // treats all as open
    const records = (await readCorpusRecords(corpus)).map(({ archiveReason: _, ...record }) => record)
    const { differences, matches } = compareMatching(madeUpFilters(8, 230, records), records, records.slice(0, 500))
    console.log(`${240 * records.length} pairs, ${matches} matches`)
    expect(differences).toEqual([])
    expect(matches).toBeGreaterThan(5000)
  })
})

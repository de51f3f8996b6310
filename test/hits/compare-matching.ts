// Compares the index with the plain loop on made-up records, with an index that is built twice, and prints the pairs
// that differ. node test/hits/compare-matching.ts [SEED]
import { fileURLToPath } from 'node:url'
import type { TenderRecord } from '../../src/domain/tender.ts'
import { matchOf } from '../../src/hits/plain-match.ts'
import { parseSearchFilter, type SearchFilter } from '../../src/hits/saved-search.ts'
import { indexSearches } from '../../src/hits/search-index.ts'
import { randomOf } from '../testing/generate/random.ts'
import { generateFilter } from '../testing/generate/searches.ts'
import { generateTender } from '../testing/generate/stock.ts'

export const comparedAt = Date.parse('2026-11-22T06:00:00.000Z')
const instant = '2026-11-22T06:00:00.000Z'

/** Most are open: archived ones match nothing. */
export const madeUpRecords = (seed: number, count: number): TenderRecord[] =>
  Array.from({ length: count }, (_each, index) => {
    const { archiveReason, ...content } = generateTender({ seed, count, size: 'small', now: comparedAt }, index)
    const isArchived = archiveReason !== undefined && index % 3 === 0
    return { ...content, ...(isArchived && { archiveReason }), lastModified: instant, checkedAt: instant }
  })

/** Filters for whole divisions in addition to the drawn ones: their zeros are not digits. */
export function madeUpFilters(seed: number, count: number, records: readonly TenderRecord[]): SearchFilter[] {
  const random = randomOf(seed, 5)
  const drawn = Array.from({ length: count }, () => generateFilter(records, random, 'mixed'))
  const divisions = ['30', '31', '33', '40', '45', '50', '60', '70', '80', '90']
  return [...drawn, ...divisions.map((division) => parseSearchFilter({ cpv: [division] }))]
}

/** Pairs that match only by one of the two, and the number that match by both. */
export function compareMatching(
  filters: readonly SearchFilter[],
  records: readonly TenderRecord[],
  sample: readonly TenderRecord[],
): { readonly differences: readonly string[]; readonly matches: number } {
  const index = indexSearches(filters, sample)
  const differences: string[] = []
  let matches = 0
  for (const record of records) {
    const found = index.match(record, comparedAt)
    const byIndex = new Set(found)
    if (byIndex.size !== found.length) differences.push(`${record.id} found twice`)
    filters.forEach((filter, number) => {
      const isPlain = matchOf(filter, record, comparedAt) !== undefined
      if (isPlain) matches++
      if (isPlain !== byIndex.has(number))
        differences.push(`${record.id} ${isPlain ? 'missed' : 'too many'}: ${JSON.stringify(filter)}`)
    })
  }
  return { differences, matches }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const seed = Number(process.argv[2] ?? 1)
  const records = madeUpRecords(seed, 150)
  const differences = [1, 2].flatMap(
    (round) => compareMatching(madeUpFilters(seed + round, 150, records), records, records.slice(0, 50)).differences,
  )
  console.log(JSON.stringify(differences.slice(0, 3)))
}

import { expect, test } from 'vitest'
import { generateTender } from '../../test/testing/generate/stock.ts'
import { openMatcher } from './matcher.ts'
import { parseSearchFilter } from './saved-search.ts'

const now = Date.parse('2026-11-22T06:00:00.000Z')

test('the matcher answers in its thread, for the searches loaded last', async () => {
  const matcher = openMatcher()
  try {
    const record = { ...generateTender({ seed: 1, count: 1, size: 'small', now }, 0), cpvCodes: ['45233141'] }
    const { archiveReason: _, ...open } = record
    const search = { version: 1, filter: parseSearchFilter({ cpv: ['45233000'] }), profileId: null, threshold: 1 }
    expect(matcher.serial()).toBeUndefined()
    await matcher.load([{ searchNo: 7, ...search }], [], 3)
    expect(matcher.serial()).toBe(3)
    const matches = await matcher.match([JSON.stringify(open)], now)
    expect(matches.map(({ searchNo, tenderId, matched }) => ({ searchNo, tenderId, matched }))).toEqual([
      { searchNo: 7, tenderId: record.id, matched: ['cpv: 45233141 by 45233000'] },
    ])
    await matcher.load([], [], 4)
    expect(await matcher.match([JSON.stringify(open)], now)).toEqual([])
    await expect(matcher.match(['no JSON'], now)).rejects.toThrow(/JSON/)
  } finally {
    await matcher.close()
  }
  await expect(matcher.match([], now)).rejects.toThrow('the matcher is closed')
})

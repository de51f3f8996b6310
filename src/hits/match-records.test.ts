import { expect, test } from 'vitest'
import { randomOf } from '../../test/testing/generate/random.ts'
import { generateSearches } from '../../test/testing/generate/searches.ts'
import { generateTender } from '../../test/testing/generate/stock.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { type CompanyProfile, profileOfSearch } from './company-profile.ts'
import { fitOf } from './fit/fit.ts'
import { readFitModel } from './fit/fit-model.ts'
import { loadSearches, type Match } from './match-records.ts'
import { matchedLine, matchOf } from './plain-match.ts'
import type { Search } from './saved-search.ts'

const now = Date.parse('2026-11-22T06:00:00.000Z')
const instant = '2026-11-22T06:00:00.000Z'
const model = readFitModel()
const records: TenderRecord[] = Array.from({ length: 120 }, (_, index) => ({
  ...generateTender({ seed: 21, count: 120, size: 'small', now }, index),
  lastModified: instant,
  checkedAt: instant,
}))
const profiles = records.slice(0, 5).map(({ cpvCodes, title }, index) => ({
  profileId: `p${index}`,
  profile: {
    cpv: cpvCodes.length > 0 ? cpvCodes : ['45000000'],
    words: [title.split(' ')[0]!.toLowerCase()],
  } as CompanyProfile,
  wins: index % 2 === 0 ? [JSON.stringify(records[index])] : [],
}))

function searchesOf(seed: number): Search[] {
  const random = randomOf(seed)
  const drawn = generateSearches(records, { seed, count: 250, style: 'mixed', threshold: 50 })
  // some have the same filter, with other profiles and thresholds
  return [...drawn, ...drawn.slice(0, 40)].map((search, index) => ({
    ...search,
    searchNo: index + 1,
    threshold: random.pick([0, 1, 30, 50, 50, 80]),
    profileId: random.pick([null, null, 'p0', 'p1', 'p2', 'p3']),
  }))
}

function plainly(searches: readonly Search[]): Match[] {
  const byId = new Map(profiles.map((each) => [each.profileId, each]))
  return records.flatMap((record) =>
    searches.flatMap(({ searchNo, filter, profileId, threshold }) => {
      const matched = matchOf(filter, record, now)
      if (!matched) return []
      const known = byId.get(profileId ?? '')
      const wins = (known?.wins ?? []).map((text) => JSON.parse(text) as TenderRecord)
      const { fitScore, fit, reasons } = fitOf(
        { profileId, profile: known?.profile ?? profileOfSearch(filter), wins },
        record,
        model,
      )
      if (fitScore === 0 || fitScore < threshold) return []
      const lines = matched.map(matchedLine)
      const all = { ...reasons, matched: matched.map(({ clause, reason }) => ({ clause, reason })) }
      return [{ searchNo, tenderId: record.id, fitScore, fit, matched: lines, reasons: all }]
    }),
  )
}

const inOrder = (matches: readonly Match[]): Match[] =>
  matches.toSorted((a, b) => (a.tenderId < b.tenderId ? -1 : a.tenderId > b.tenderId ? 1 : a.searchNo - b.searchNo))

test('searches that share filters and profiles get exactly the matches and scores of a plain loop', () => {
  const searches = searchesOf(3)
  const loaded = loadSearches(searches, profiles, model)
  // one by one, then many: the index is rebuilt as the sample grows
  const texts = records.map((record) => JSON.stringify(record))
  const found = [
    ...texts.slice(0, 3).flatMap((text) => loaded.match([text], now)),
    ...loaded.match(texts.slice(3), now),
  ]
  const expected = plainly(searches)
  expect(expected.length).toBeGreaterThan(30)
  expect(inOrder(found)).toEqual(inOrder(expected))
})

test('searches that are loaded again keep nothing of earlier ones except the sample', () => {
  const sample: string[] = []
  const texts = records.map((record) => JSON.stringify(record))
  loadSearches(searchesOf(4), profiles, model, sample).match(texts, now)
  expect(sample.length).toBe(records.length)
  const searches = searchesOf(5)
  const found = loadSearches(searches, profiles, model, sample).match(texts, now)
  expect(inOrder(found)).toEqual(inOrder(plainly(searches)))
})

test('a profile that was not loaded is a mistake of the caller', () => {
  const search = { ...searchesOf(6)[0]!, profileId: 'gone' }
  expect(() => loadSearches([search], [], model)).toThrow('names the profile gone, which was not loaded')
})

import { expect, test } from 'vitest'
import { canonicalCompanyProfile, parseCompanyProfile, profileOfSearch } from './company-profile.ts'
import { parseSearchFilter } from './saved-search.ts'

test('a profile is read with every member, and its canonical text reads back', () => {
  const profile = parseCompanyProfile({
    words: ['Asphalt'],
    cpv: ['45233000'],
    nuts: ['de212'],
    valueMin: 1,
    countries: ['DEU', 'at'],
    contractNatures: ['works'],
    pastAuthorities: ['Stadt Quellmar'],
    pastWins: ['0C7E1737-6318-841f-8ae0-c734a95fc48a'],
    excludedWords: ['Reinigung'],
    excludedCpv: ['90'],
  })
  expect(profile).toEqual({
    words: ['asphalt'],
    cpv: ['45233000'],
    nuts: ['DE212'],
    valueMin: 1,
    countries: ['AT', 'DE'],
    contractNatures: ['works'],
    pastAuthorities: ['Stadt Quellmar'],
    pastWins: ['0c7e1737-6318-841f-8ae0-c734a95fc48a'],
    excludedWords: ['reinigung'],
    excludedCpv: ['90000000'],
  })
  expect(parseCompanyProfile(JSON.parse(canonicalCompanyProfile(profile)))).toEqual(profile)
})

test.each([
  [{ nuts: ['DE'] }, /at least one CPV code, word or past win/],
  [{ cpv: ['45'], pastWins: ['1'] }, /is no id of a tender/],
  [{ cpv: ['45'], countries: ['Atlantis'] }, /is no country/],
  [{ cpv: ['45'], radius: 5 }, /has no member "radius"/],
])('%j is refused', (input, says) => {
  expect(() => parseCompanyProfile(input)).toThrow(says)
})

test('a search without a profile implies one', () => {
  const filter = parseSearchFilter({
    cpv: ['45'],
    words: ['bau'],
    authorities: ['Stadt'],
    valueMax: 9,
    excluded: { cpv: ['33'] },
  })
  expect(profileOfSearch(filter)).toEqual({ cpv: ['45000000'], words: ['bau'], valueMax: 9 })
})

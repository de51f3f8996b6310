// What a company does, as the fit score sees it. If a search has no profile, one is derived from it.
import {
  type ContractNature,
  HitInputError,
  present,
  readAuthority,
  readContractNature,
  readCountry,
  readCpv,
  readList,
  readMembers,
  readNuts,
  readTenderId,
  readValueRange,
  readWord,
} from './read-input.ts'
import type { SearchFilter } from './saved-search.ts'

/** Lists are sorted and unique. Whatever is absent is not known of the company and does not count. */
export type CompanyProfile = {
  readonly cpv?: readonly string[]
  readonly words?: readonly string[]
  readonly nuts?: readonly string[]
  /** Whole euros. */
  readonly valueMin?: number
  readonly valueMax?: number
  /** ISO 3166: tenders known to be of other countries have the score 0. */
  readonly countries?: readonly string[]
  /** Tenders known to be of another nature have the score 0. */
  readonly contractNatures?: readonly ContractNature[]
  /** Names or national ids of authorities that the company has worked for. */
  readonly pastAuthorities?: readonly string[]
  /** Ids of tenders that the company has won. */
  readonly pastWins?: readonly string[]
  readonly excludedWords?: readonly string[]
  readonly excludedCpv?: readonly string[]
}

/** A profile as the matcher loads it. */
export type LoadedProfile = {
  readonly profileId: string
  readonly profile: CompanyProfile
  /** JSON of the records of the past wins that the stock holds. */
  readonly wins: readonly string[]
}

const members = [
  'cpv',
  'words',
  'nuts',
  'valueMin',
  'valueMax',
  'countries',
  'contractNatures',
  'pastAuthorities',
  'pastWins',
  'excludedWords',
  'excludedCpv',
]

/** Parses a written profile. Throws a HitInputError that says what to change. */
export function parseCompanyProfile(input: unknown): CompanyProfile {
  const given = readMembers(input, 'A profile', members)
  const profile: CompanyProfile = present({
    cpv: readList(given['cpv'], 'cpv', readCpv),
    words: readList(given['words'], 'words', readWord),
    nuts: readList(given['nuts'], 'nuts', readNuts),
    ...readValueRange(given['valueMin'], given['valueMax']),
    countries: readList(given['countries'], 'countries', readCountry),
    contractNatures: readList(given['contractNatures'], 'contractNatures', readContractNature),
    pastAuthorities: readList(given['pastAuthorities'], 'pastAuthorities', readAuthority),
    pastWins: readList(given['pastWins'], 'pastWins', readTenderId),
    excludedWords: readList(given['excludedWords'], 'excludedWords', readWord),
    excludedCpv: readList(given['excludedCpv'], 'excludedCpv', readCpv),
  })
  if (!profile.cpv && !profile.words && !profile.pastWins)
    throw new HitInputError(
      'nothing-to-match',
      'A profile needs at least one CPV code, word or past win: a score compares with them.',
    )
  return profile
}

/** Returns the profile that a search implies. It holds nothing to compare if the search names only authorities. */
export function profileOfSearch(filter: SearchFilter): CompanyProfile {
  const { cpv, nuts, valueMin, valueMax } = filter
  const named = new Set([...(filter.words ?? []), ...(filter.allWords ?? [])])
  const words = named.size === 0 ? undefined : [...named].sort()
  return present({ cpv, words, nuts, valueMin, valueMax }) as CompanyProfile
}

/** JSON of a parsed profile: equal profiles give equal text, and parsing it gives the profile again. */
export const canonicalCompanyProfile = (profile: CompanyProfile): string =>
  JSON.stringify(Object.fromEntries(members.map((name) => [name, (profile as { [name: string]: unknown })[name]])))

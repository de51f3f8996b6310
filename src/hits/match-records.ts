// All matches of some records at or above the searches' thresholds: what the worker of the matcher does.
import type { TenderRecord } from '../domain/tender.ts'
import { type LoadedProfile, profileOfSearch } from './company-profile.ts'
import { type Fit, type FitReasons, openScorer, type Scored } from './fit/fit.ts'
import type { FitModel } from './fit/fit-model.ts'
import type { ProfileToFit } from './fit/prepare-profile.ts'
import { type Clause, matchedLine, matchOf } from './plain-match.ts'
import { canonicalSearchFilter, type Search, type SearchFilter } from './saved-search.ts'
import { indexSearches, type SearchIndex } from './search-index.ts'

/** Why a hit is one, as it is stored beside its lines: of the parts and rules of its score, and of its clauses. */
export type HitReasons = FitReasons & { readonly matched: readonly Pick<Clause, 'clause' | 'reason'>[] }

export type Match = {
  readonly searchNo: number
  readonly tenderId: string
  readonly fitScore: number
  readonly fit: Fit
  /** What satisfied each clause, one line each. */
  readonly matched: readonly string[]
  /** What both say, as codes with values. */
  readonly reasons: HitReasons
}

/** Matches records with the searches and profiles with which it was made. */
export type LoadedSearches = {
  /**
   * `records`: JSON of entries of one edition; `at`: when it was published, epoch ms. Archived records match nothing.
   */
  readonly match: (records: readonly string[], at: number) => Match[]
}

/** Searches with the same filter and the same profile: matched and scored once. */
type Question = { readonly profile: number; readonly searches: Search[]; threshold: number }
/** Searches with the same filter. */
type Asked = { readonly filter: SearchFilter; readonly questions: Question[] }

/** Maximum number of records that determine which clause of a search is the rarest. */
const maxSampled = 500
/** The index is rebuilt when the number of known records has grown by this factor since it was built. */
const betterSample = 8

/** `sample`: JSON of records that were matched before, if any; it is added to. */
export function loadSearches(
  searches: readonly Search[],
  profiles: readonly LoadedProfile[],
  model: FitModel,
  sample: string[] = [],
): LoadedSearches {
  const { asked, toFit } = groupedSearches(searches, profiles)
  const filters = asked.map(({ filter }) => filter)
  const scorer = openScorer(toFit, model)
  let index: SearchIndex | undefined
  let indexedWith = 0

  const indexNow = (): SearchIndex => {
    if (index === undefined || sample.length >= betterSample * Math.max(1, indexedWith)) {
      index = indexSearches(
        filters,
        sample.map((text) => JSON.parse(text) as TenderRecord),
      )
      indexedWith = sample.length
    }
    return index
  }

  const matchRecord = (record: TenderRecord, found: readonly number[], at: number, matches: Match[]): void => {
    scorer.read(record)
    /** Of the profiles of several searches: one that is derived is scored for its search alone. */
    const scores = new Map<number, { readonly least: number; readonly scored: Scored | undefined }>()
    const scoreOf = (profile: number, least: number): Scored | undefined => {
      if (profile >= profiles.length) return scorer.score(profile, least)
      const known = scores.get(profile)
      if (known && (known.scored !== undefined || known.least <= least)) return known.scored
      const scored = scorer.score(profile, least)
      scores.set(profile, { least, scored })
      return scored
    }
    for (const number of found) {
      const { filter, questions } = asked[number]!
      let because: Because | undefined
      for (const { profile, searches: own, threshold } of questions) {
        const scored = scoreOf(profile, Math.max(1, threshold))
        if (scored === undefined) continue
        because ??= becauseOf(filter, record, at)
        if (because === undefined)
          throw new Error(`index and plain loop differ: tender ${record.id}, search ${own[0]!.searchNo}`)
        addMatches(matches, record.id, own, scored, because)
      }
    }
  }

  return {
    match: (records, at) => {
      for (const text of records.slice(0, maxSampled - sample.length)) sample.push(text)
      const current = indexNow()
      const matches: Match[] = []
      for (const text of records) {
        const record = JSON.parse(text) as TenderRecord
        const found = current.match(record, at)
        if (found.length > 0) matchRecord(record, found, at, matches)
      }
      return matches
    },
  }
}

/** What satisfied the clauses of a filter, as each of its hits has it. */
type Because = { readonly lines: readonly string[]; readonly matched: HitReasons['matched'] }

function becauseOf(filter: SearchFilter, record: TenderRecord, at: number): Because | undefined {
  const matched = matchOf(filter, record, at)
  return (
    matched && {
      lines: matched.map(matchedLine),
      matched: matched.map(({ clause, reason }) => ({ clause, reason })),
    }
  )
}

function addMatches(
  matches: Match[],
  tenderId: string,
  searches: readonly Search[],
  { fitScore, fit, reasons: ofScore }: Scored,
  { lines, matched }: Because,
): void {
  const reasons = { ...ofScore, matched }
  for (const { searchNo, threshold } of searches)
    if (fitScore >= Math.max(1, threshold)) matches.push({ searchNo, tenderId, fitScore, fit, matched: lines, reasons })
}

/** Each filter once, with the profiles that it is matched for; a search without a profile has one derived from it. */
function groupedSearches(searches: readonly Search[], profiles: readonly LoadedProfile[]) {
  const toFit: ProfileToFit[] = [...profiles]
  const numberOf = new Map(profiles.map(({ profileId }, number) => [profileId, number]))
  const derived = new Map<string, number>()
  const byFilter = new Map<string, Asked>()
  for (const search of searches) {
    const text = canonicalSearchFilter(search.filter)
    const asked = byFilter.get(text) ?? { filter: search.filter, questions: [] }
    byFilter.set(text, asked)
    let profile = search.profileId === null ? derived.get(text) : numberOf.get(search.profileId)
    if (profile === undefined) {
      if (search.profileId !== null)
        throw new Error(`search ${search.searchNo} names the profile ${search.profileId}, which was not loaded`)
      profile = toFit.push({ profileId: null, profile: profileOfSearch(search.filter), wins: [] }) - 1
      derived.set(text, profile)
    }
    const question = asked.questions.find((each) => each.profile === profile)
    if (question) {
      question.searches.push(search)
      question.threshold = Math.min(question.threshold, search.threshold)
    } else asked.questions.push({ profile, searches: [search], threshold: search.threshold })
  }
  return { asked: [...byFilter.values()], toFit }
}

// Why a search matches a published tender, or why it does not: the same clauses and the same score as for a hit.
import type { TenderRecord } from '../domain/tender.ts'
import type { Store } from '../store/database/database.ts'
import { findProfileById, publishedBodies, type StoredSearch } from '../store/hits/searches.ts'
import { type CompanyProfile, profileOfSearch } from './company-profile.ts'
import { type Fit, type FitReasons, fitOf } from './fit/fit.ts'
import { readFitModel } from './fit/fit-model.ts'
import { type Clause, clausesOf } from './plain-match.ts'
import type { SearchFilter } from './saved-search.ts'

export type ExplainedMatch = {
  /** Whether every clause holds and the score reaches the threshold. */
  readonly isMatch: boolean
  readonly clauses: readonly Clause[]
  readonly fitScore: number
  readonly threshold: number
  readonly fit: Fit
  readonly reasons: FitReasons
}

/**
 * Uses the newest version of the search, and the record as it is published now. Undefined if it was never published.
 */
export async function explainMatch(
  store: Pick<Store, 'db'>,
  { filter: text, profileId, threshold }: StoredSearch,
  tenderId: string,
  now: number,
): Promise<ExplainedMatch | undefined> {
  const body = (await publishedBodies(store.db, [tenderId])).get(tenderId)
  if (body === undefined) return undefined
  const record = JSON.parse(body) as TenderRecord
  const filter = JSON.parse(text) as SearchFilter
  const model = readFitModel()
  const stored = profileId === null ? undefined : await findProfileById(store.db, profileId)
  const profile = stored ? (JSON.parse(stored.content) as CompanyProfile) : profileOfSearch(filter)
  const wins = [...(await publishedBodies(store.db, profile.pastWins ?? [])).values()]
  const toFit = {
    profileId: stored ? profileId : null,
    profile,
    wins: wins.map((win) => JSON.parse(win) as TenderRecord),
  }
  const clauses = clausesOf(filter, record, now)
  const { fitScore, fit, reasons } = fitOf(toFit, record, model)
  const isMatch = clauses.every(({ holds }) => holds) && fitScore > 0 && fitScore >= threshold
  return { isMatch, clauses, fitScore, threshold, fit, reasons }
}

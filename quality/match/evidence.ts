// What a pair of records indicates for and against one tender, as terms whose weights are in a table
// (`match-weights.ts`).
import type { Comparison } from '../../src/consolidate/match/comparison.ts'
import type { MatchRecord } from '../../src/consolidate/match/match-record.ts'
import { hasLoneDiscriminator } from '../../src/consolidate/match/vetoes.ts'

/** A name in the table of weights, and how often its weight counts. */
export type Term = readonly [name: string, factor: number]

/** Levels of one measure, each at least as much evidence for one tender as the previous one; `unknown` is separate. */
export const levels = {
  buyer: ['conflict', 'partial', 'contained', 'equal'],
  deadline: ['far', 'near', 'next-day', 'day', 'shifted', 'minute'],
  publication: ['later', 'quarter', 'month', 'days'],
  CPV: ['conflict', 'near', 'ancestor', 'same'],
  place: ['conflict', 'other-region', 'same-region', 'compatible'],
  description: ['other', 'little', 'some', 'half', 'most'],
  'translation: codes': ['ancestor', 'one of a trade', 'one', 'several'],
} as const satisfies { readonly [measure: string]: readonly string[] }

function publicationLevel(days: number | undefined): (typeof levels.publication)[number] | 'unknown' {
  if (days === undefined) return 'unknown'
  return days <= 5 ? 'days' : days <= 30 ? 'month' : days <= 90 ? 'quarter' : 'later'
}

function descriptionLevel(share: number | undefined): (typeof levels.description)[number] | 'unknown' {
  if (share === undefined) return 'unknown'
  return share >= 0.8 ? 'most' : share >= 0.5 ? 'half' : share >= 0.25 ? 'some' : share >= 0.1 ? 'little' : 'other'
}

/** All terms of a compared pair; those of the titles are missing if they have no common language. */
export function termsOf(a: MatchRecord, b: MatchRecord, comparison: Comparison, twins: number): Term[] {
  const { title, buyer, deadline, cpv, place, description, descriptionRest } = comparison
  const terms: Term[] = [
    ['basis', 1],
    [`buyer ${buyer}`, 1],
    [`deadline ${deadline}`, 1],
    [`publication ${publicationLevel(comparison.publishedDaysApart)}`, 1],
    [`CPV ${cpv}`, 1],
    [`place ${place}`, 1],
    [`description ${descriptionLevel(description)}`, 1],
  ]
  if (comparison.sharedReference) terms.push(['reference number', 1])
  if (comparison.isRewritten) terms.push(['texts rewritten', 1])
  if (descriptionRest > 0) terms.push(['texts name other things', Math.min(10, descriptionRest) / 5])
  if (hasLoneDiscriminator(a, b))
    terms.push([a.isMarkedInTitle || b.isMarkedInTitle ? 'mark in one title' : 'mark in one text', 1])
  if (twins > 2) terms.push(['several like them', 1])
  if (!title) return terms
  const { jaccard, shared, smallerRest, largerRest } = title
  terms.push(
    ['title', jaccard ** 2 * (0.35 + 0.65 * Math.min(1, shared / 22))],
    ['words of both titles', Math.min(40, shared) / 10],
  )
  if (title.isEqual) terms.push(['same title', 1])
  if (title.isNumberMore) terms.push(['number in one title', 1])
  if (smallerRest < 1 && largerRest > 1) {
    terms.push(['one title says more', 1])
    if (title.isTruncated) terms.push(['the other title is cut', 1])
    if (title.isBeginning) terms.push(['the other title is its beginning', 1])
  }
  return terms
}

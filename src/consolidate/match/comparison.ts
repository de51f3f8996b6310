// Two records, measured against each other once; vetoes, score and corroboration read the measures.
import {
  type BuyerRelation,
  bestTitles,
  buyerRelation,
  type CpvRelation,
  cpvRelation,
  type DeadlineRelation,
  deadlineRelation,
  descriptionShare,
  descriptionSubstitution,
  type PlaceRelation,
  placeRelation,
  type TitleComparison,
} from './compare.ts'
import type { MatchRecord } from './match-record.ts'
import { differenceOf } from './text-words.ts'
import { ownWordsOfOneTender, sameNoticeDays } from './thresholds.ts'
import { translatedShare, type WordTables } from './translated-words.ts'

export type Comparison = {
  /** Undefined if the titles have no common language. */
  readonly title: TitleComparison | undefined
  /**
   * Share of the weight of two titles in two languages that both have; undefined if they have a common language, or if
   * no table has the two languages.
   */
  readonly translatedShare: number | undefined
  readonly buyer: BuyerRelation
  readonly deadline: DeadlineRelation
  readonly cpv: CpvRelation
  readonly place: PlaceRelation
  /** Share of the smaller description that is in the larger one; undefined if one is missing or too short. */
  readonly description: number | undefined
  /** Smaller weight of what each of two short descriptions has alone. */
  readonly descriptionRest: number
  /**
   * Whether each description has many words that the other lacks: forms of one authority are similar whatever is
   * bought.
   */
  readonly isRewritten: boolean
  /** First publications; undefined when one has no date. */
  readonly publishedDaysApart: number | undefined
  readonly sharedReference: boolean
  readonly isSameSource: boolean
}

/** `tables`: of the service, unless others are tested. */
export function compareRecords(a: MatchRecord, b: MatchRecord, tables?: WordTables): Comparison {
  const title = bestTitles(a, b)
  return {
    title,
    translatedShare: title ? undefined : shareOfTitles(a, b, tables),
    buyer: buyerRelation(a, b),
    deadline: deadlineRelation(a, b),
    cpv: cpvRelation(a.cpv, b.cpv),
    place: placeRelation(a.nuts, b.nuts),
    description: descriptionShare(a, b),
    descriptionRest: descriptionSubstitution(a, b),
    isRewritten: isRewritten(a, b),
    publishedDaysApart: publishedDaysApart(a, b),
    sharedReference: a.references.some((reference) => b.references.includes(reference)),
    isSameSource: a.publishers.some((publisher) => b.publishers.includes(publisher)),
  }
}

function shareOfTitles(a: MatchRecord, b: MatchRecord, tables: WordTables | undefined): number | undefined {
  const [first, second] = [a.titles[0], b.titles[0]]
  return first && second && translatedShare(first, second, tables)
}

function isRewritten(a: MatchRecord, b: MatchRecord): boolean {
  const { shared, onlyA, onlyB } = differenceOf(a.textWords, b.textWords)
  return Math.min(onlyA.length, onlyB.length) > ownWordsOfOneTender.least + ownWordsOfOneTender.ofShared * shared
}

/**
 * Between the nearest of first and last publications: one portal may have seen only the change. Undefined for notices
 * of different stages, unless they were published at the same time.
 */
function publishedDaysApart(a: MatchRecord, b: MatchRecord): number | undefined {
  if (a.firstDay === undefined || b.firstDay === undefined) return undefined
  const days = Math.min(
    Math.abs(a.firstDay - b.firstDay),
    Math.abs((a.lastDay ?? a.firstDay) - b.firstDay),
    Math.abs(a.firstDay - (b.lastDay ?? b.firstDay)),
  )
  return a.stage === b.stage || days <= sameNoticeDays ? days : undefined
}

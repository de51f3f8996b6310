// Whether two records are one tender: vetoes, then log-odds points, then corroboration. Pure and symmetric.
import { contradictionLine } from '../../domain/contradiction.ts'
import { type Comparison, compareRecords } from './comparison.ts'
import type { MatchContext, MatchRecord, Verdict } from './match-record.ts'
import { isBoughtByTrade, isNamed, samePortalFinding } from './same-portal.ts'
import {
  agreedDays,
  buyerPoints,
  cpvPoints,
  deadlinePoints,
  mergeScore,
  placePoints,
  strongWeights,
  translatedScore,
  translatedWords,
  translationPoints,
  weakWeights,
} from './thresholds.ts'
import { hasLoneDiscriminator, type Veto, vetoOf } from './vetoes.ts'

type Point = readonly [name: string, points: number]

function titlePoints({ title }: Comparison): Point[] {
  if (!title) return [['title', -2]]
  const { jaccard, shared, smallerRest, largerRest } = title
  const points: Point[] = [['title', -2 + 9 * jaccard ** 2 * (0.35 + 0.65 * Math.min(1, shared / 22))]]
  if (smallerRest < 1 && largerRest > 0 && shared > 8) points.push(['one title holds the other', 1.2])
  return points
}

function publicationPoints(days: number | undefined): number {
  if (days === undefined) return 0
  return days <= 5 ? 0.8 : days <= 30 ? 0 : days <= 90 ? -0.9 : -2.5
}

function descriptionPoints(share: number | undefined): number {
  if (share === undefined) return 0
  return share >= 0.8 ? 2.5 : share >= 0.5 ? 1.2 : share >= 0.25 ? 0 : share >= 0.1 ? -1.5 : -2.8
}

function pointsOf(comparison: Comparison): Point[] {
  const points: Point[] = [
    ...titlePoints(comparison),
    [`buyer ${comparison.buyer}`, buyerPoints[comparison.buyer]],
    [`deadline ${comparison.deadline}`, deadlinePoints[comparison.deadline]],
    ['publication', publicationPoints(comparison.publishedDaysApart)],
    [`CPV ${comparison.cpv}`, cpvPoints[comparison.cpv]],
    [`place ${comparison.place}`, placePoints[comparison.place]],
    ['description', descriptionPoints(comparison.description)],
  ]
  if (comparison.sharedReference) points.push(['reference number', 3.5])
  return points.filter(([, value]) => value !== 0)
}

function corroboration({
  deadline,
  description,
  descriptionRest,
  isRewritten,
  sharedReference,
  cpv,
  publishedDaysApart,
}: Comparison): { readonly strong: number; readonly weak: number } {
  const isSameText = (description ?? 0) >= 0.8 && descriptionRest <= 3 && !isRewritten
  const isSameDay = deadline === 'day' || deadline === 'shifted'
  const isSamePublication = publishedDaysApart !== undefined && publishedDaysApart <= agreedDays
  return {
    strong:
      (deadline === 'minute' ? strongWeights.minute : 0) +
      (isSameText ? strongWeights.description : 0) +
      (sharedReference ? strongWeights.reference : 0),
    weak:
      (isSameDay ? weakWeights.day : 0) +
      (cpv === 'same' ? weakWeights.cpv : 0) +
      (isSamePublication ? weakWeights.publication : 0),
  }
}

/** The rule by which the pair merges; undefined if there is too little evidence apart from title and buyer. */
function ruleOf(a: MatchRecord, b: MatchRecord, comparison: Comparison, twins: number): string | undefined {
  const { strong, weak } = corroboration(comparison)
  const { title, buyer } = comparison
  if (!title) return undefined
  const isLone = hasLoneDiscriminator(a, b)
  // A mark in the title is a part of the project; one in a text may be there by chance.
  const isLoneInTitle = isLone && (a.isMarkedInTitle || b.isMarkedInTitle)
  if (isLone && strong === 0 && (isLoneInTitle || weak < 2)) return undefined
  // Whole and part have one text and one deadline: only a number says that a title without the mark is that of the
  // part.
  const isPart = (isLoneInTitle && !title.isCompleted) || title.isNumberMore
  if (isPart && !title.isTruncated && !comparison.sharedReference) return undefined
  if (twins > 2 && strong === 0) return undefined
  if (!title.isEqual && (comparison.description ?? 1) < 0.1 && !comparison.sharedReference) return undefined
  if (title.jaccard < 0.9 || title.isTruncated || title.largerRest > 4)
    return isPartOfTitleEnough(a, b, comparison) ? 'partial-title' : undefined
  if (title.shared < 8) return strong + weak >= 2 ? 'short-title' : undefined
  if (title.shared >= 18 || strong + weak >= 1) return 'title-and-buyer'
  return title.isEqual && title.shared >= 14 && buyer === 'equal' && twins <= 1 ? 'title-and-buyer' : undefined
}

export const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((code) => b.includes(code))

/** One title says more than the other: cut by a portal, or the title of the whole and of a part of the project. */
function isPartOfTitleEnough(a: MatchRecord, b: MatchRecord, comparison: Comparison): boolean {
  const { title, deadline, cpv, description, sharedReference, publishedDaysApart } = comparison
  if (!title) return false
  if (sharedReference) return true
  if (comparison.isRewritten) return false
  // Different codes, and one title names more: the other trade of a project.
  const isOtherCode = cpv !== 'same' && cpv !== 'unknown' && !isSameSet(a.cpv, b.cpv)
  if (isOtherCode && (title.isTruncated || title.largerRest > 4)) return false
  if (title.largerRest > 4 && !title.isTruncated) {
    // A part of the project has the title of the whole, and often its text: but it is published on a different day.
    if ((description ?? 0) < 0.8 || comparison.isRewritten || deadline === 'near' || deadline === 'far') return false
    if (publishedDaysApart !== undefined && publishedDaysApart > 5) return false
  }
  return corroboration(comparison).strong > 0 || ((deadline === 'day' || deadline === 'shifted') && cpv === 'same')
}

/** Whether neither has more than twice as many words, give or take two: languages differ by less. */
const isOfLikeLength = (a: number, b: number): boolean => a === 0 || b === 0 || Math.max(a, b) <= 2 * Math.min(a, b) + 2

/** How many words, numbers apart, both titles have: names and abbreviations stay as they are in a translation. */
function sharedNames(a: MatchRecord, b: MatchRecord): number {
  const words = a.titles[0]?.words ?? []
  const others = b.titles[0]?.words ?? []
  return words.filter((word) => word.length > 1 && !/^\d/.test(word) && others.includes(word)).length
}

/** Works and engineering are bought trade by trade: one code may stand for all. */
function translatedCpvPoints({ cpv: codes }: MatchRecord, cpv: Comparison['cpv']): number {
  if (cpv !== 'same') return cpv === 'ancestor' ? 1 : 0
  if (codes.length > 1) return 2.5
  return codes[0]!.length >= 4 && !isBoughtByTrade(codes[0]!) ? 2 : 1
}

/** Numbers without the letter after them: that of `19 à 21` is a word, which the other language has not. */
const plainNumbers = (numbers: readonly string[]): string[] => numbers.filter((number) => /^\d+$/.test(number))

function translatedWordPoints(share: number | undefined): number {
  if (share === undefined) return 0
  const { perShare, siblings, most } = translatedWords
  return Math.min(most, (share - siblings) * perShare)
}

/**
 * Notices in different languages: what needs no words can agree, and words whose translation a table has; nothing may
 * disagree. The score rises with what agrees, so that of several tenders of one buyer with one deadline the right one
 * scores highest; undefined if it is not a translation.
 */
function translationScore(a: MatchRecord, b: MatchRecord, comparison: Comparison): number | undefined {
  const { title, buyer, deadline, cpv, place, publishedDaysApart, isSameSource } = comparison
  if (title || isSameSource || a.language === 'und' || b.language === 'und') return undefined
  if (buyer !== 'equal' && buyer !== 'contained') return undefined
  if (deadline !== 'minute' && deadline !== 'day') return undefined
  if (place === 'conflict' || place === 'other-region' || place === 'same-region') return undefined
  if (publishedDaysApart === undefined || publishedDaysApart > 7) return undefined
  if (cpv === 'conflict' || cpv === 'near') return undefined
  if (cpv !== 'unknown' && !isSameSet(a.cpv, b.cpv)) return undefined
  // A translation keeps every number of the title, and nearly all of the text.
  const numbers = plainNumbers(a.numbers)
  if (!isSameSet(numbers, plainNumbers(b.numbers))) return undefined
  const [own, others] = [plainNumbers(a.descriptionNumbers), plainNumbers(b.descriptionNumbers)]
  const shared = own.filter((number) => others.includes(number)).length
  const fewer = Math.min(own.length, others.length)
  if (fewer >= 2 && shared < fewer * 0.7) return undefined
  if (!isOfLikeLength(a.descriptionLength, b.descriptionLength)) return undefined
  if (!isOfLikeLength(a.titles[0]?.words.length ?? 0, b.titles[0]?.words.length ?? 0)) return undefined
  const names = sharedNames(a, b)
  const isNarrowPlace = a.nuts.some((code) => code.length === 5 && b.nuts.includes(code))
  const sum =
    translatedCpvPoints(a, cpv) +
    (isNarrowPlace ? 1 : place === 'compatible' ? 0.5 : 0) +
    Math.min(2, numbers.length) +
    (shared >= fewer * 0.9 ? Math.min(2, shared) : 0) +
    (deadline === 'minute' ? 1 : 0) +
    Math.min(2, names) +
    (publishedDaysApart <= 3 ? 0.5 : 0) +
    translatedWordPoints(comparison.translatedShare)
  const points = Math.round(sum * 10) / 10
  return points < translationPoints ? undefined : translatedScore + points - translationPoints
}

/** Words are matched greedily, so the order of the two is fixed: verdicts are symmetric. */
const inOrder = (a: MatchRecord, b: MatchRecord): readonly [MatchRecord, MatchRecord] =>
  a.key <= b.key ? [a, b] : [b, a]

const none = (rule: string, score: number, evidence: string): Verdict => ({ kind: 'none', rule, score, evidence })

/** Whether two records of stage A are one tender. Symmetric: decide(a, b) equals decide(b, a). */
export function decide(first: MatchRecord, second: MatchRecord, context: MatchContext): Verdict {
  const [a, b] = inOrder(first, second)
  return verdictOn(a, b, compareRecords(a, b), context)
}

/** As `decide`, of two records that were compared. */
export function verdictOn(a: MatchRecord, b: MatchRecord, comparison: Comparison, { twins }: MatchContext): Verdict {
  const points = pointsOf(comparison)
  const score = Math.round(points.reduce((total, [, value]) => total + value, 0) * 100) / 100
  const veto = vetoOf(a, b, comparison)
  if (veto) return { ...none(`veto-${veto.name}`, score, contradictionLine(veto.why)), contradiction: veto.why }
  const translated = translationScore(a, b, comparison)
  if (translated !== undefined)
    return { kind: 'merge', rule: 'translation', score: translated, evidence: evidenceOf(points) }
  const found = comparison.isSameSource ? samePortalFinding(a, b, comparison, twins) : undefined
  if (found && (score >= mergeScore || isNamed(found, comparison)))
    return { ...found, score, evidence: evidenceOf(points) }
  if (score < mergeScore) return none('score', score, evidenceOf(points))
  if (comparison.isSameSource) return none('one-portal', score, evidenceOf(points))
  const rule = ruleOf(a, b, comparison, twins)
  if (rule) return { kind: 'merge', rule, score, evidence: evidenceOf(points) }
  const isLikely = comparison.title !== undefined && comparison.title.jaccard >= 0.8 && twins <= 2
  if (isLikely && score >= mergeScore + 1)
    return { kind: 'review', rule: 'uncorroborated', score, evidence: evidenceOf(points) }
  return none('uncorroborated', score, evidenceOf(points))
}

/** Points in one line: `title 5.1, buyer equal 2.6`. */
function evidenceOf(points: readonly Point[]): string {
  return points.map(([name, value]) => `${name} ${value > 0 ? '+' : ''}${value.toFixed(1)}`).join(', ')
}

/** Whether the two can be one tender at all: no veto, and not two that one portal lists separately. */
export function isExcluded(first: MatchRecord, second: MatchRecord): Veto | undefined {
  const [a, b] = inOrder(first, second)
  return vetoOf(a, b, compareRecords(a, b))
}

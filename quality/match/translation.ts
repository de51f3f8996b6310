// Notices in two languages: only evidence that needs no words, and words in a table of translations, can agree.
import type { Comparison } from '../../src/consolidate/match/comparison.ts'
import type { MatchRecord } from '../../src/consolidate/match/match-record.ts'
import { isBoughtByTrade } from '../../src/consolidate/match/same-portal.ts'
import { translatedShare, type WordTables } from '../../src/consolidate/match/translated-words.ts'
import type { Term } from './evidence.ts'

/** Whether neither has more than twice as many words, give or take two: languages differ by less. */
const isOfLikeLength = (a: number, b: number): boolean => a === 0 || b === 0 || Math.max(a, b) <= 2 * Math.min(a, b) + 2

/** How many words, numbers apart, both titles have: names and abbreviations stay as they are in a translation. */
function sharedNames(a: MatchRecord, b: MatchRecord): number {
  const words = a.titles[0]?.words ?? []
  const others = b.titles[0]?.words ?? []
  return words.filter((word) => word.length > 1 && !/^\d/.test(word) && others.includes(word)).length
}

/** Works and engineering are bought trade by trade: one code may be that of all. */
function codes({ cpv: own }: MatchRecord, cpv: Comparison['cpv']): string {
  if (cpv !== 'same') return cpv
  if (own.length > 1) return 'several'
  return own[0]!.length >= 4 && !isBoughtByTrade(own[0]!) ? 'one' : 'one of a trade'
}

const hasSameCodes = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((code) => b.includes(code))

/** A different number, place, code or length: no translation. */
function isOther(a: MatchRecord, b: MatchRecord, { cpv, place }: Comparison): boolean {
  if (place === 'conflict' || place === 'other-region' || place === 'same-region') return true
  if (cpv === 'conflict' || cpv === 'near') return true
  if (cpv !== 'unknown' && !hasSameCodes(a.cpv, b.cpv)) return true
  // Whether one can be the other's translation: it keeps every number of the title, and nearly all of the text.
  if (a.numbers.length !== b.numbers.length || a.numbers.some((number) => !b.numbers.includes(number))) return true
  const [shared, fewer] = textNumbers(a, b)
  if (fewer >= 2 && shared < fewer * 0.7) return true
  if (!isOfLikeLength(a.descriptionLength, b.descriptionLength)) return true
  return !isOfLikeLength(a.titles[0]?.words.length ?? 0, b.titles[0]?.words.length ?? 0)
}

/** How many numbers both texts have, and how many the text with fewer has. */
function textNumbers(a: MatchRecord, b: MatchRecord): readonly [shared: number, fewer: number] {
  const shared = a.descriptionNumbers.filter((number) => b.descriptionNumbers.includes(number)).length
  return [shared, Math.min(a.descriptionNumbers.length, b.descriptionNumbers.length)]
}

/** The agreement besides buyer and deadline; undefined if the two cannot be a notice and its translation. */
export function translationTerms(
  a: MatchRecord,
  b: MatchRecord,
  comparison: Comparison,
  tables?: WordTables,
): Term[] | undefined {
  const { title, buyer, deadline, cpv, place, publishedDaysApart, isSameSource } = comparison
  if (title || isSameSource || a.language === 'und' || b.language === 'und') return undefined
  if (buyer !== 'equal' && buyer !== 'contained') return undefined
  if (deadline !== 'minute' && deadline !== 'day') return undefined
  if (publishedDaysApart === undefined || publishedDaysApart > 7) return undefined
  if (isOther(a, b, comparison)) return undefined
  const [shared, fewer] = textNumbers(a, b)
  const isNarrowPlace = a.nuts.some((code) => code.length === 5 && b.nuts.includes(code))
  const [first, second] = [a.titles[0], b.titles[0]]
  const share = first && second ? translatedShare(first, second, tables) : undefined
  const terms: Term[] = [
    ['translation', 1],
    [`translation: codes ${codes(a, cpv)}`, 1],
    ['translation: numbers', Math.min(2, a.numbers.length)],
    ['translation: numbers of the text', shared >= fewer * 0.9 ? Math.min(2, shared) : 0],
    ['translation: names', Math.min(2, sharedNames(a, b))],
    ...(isNarrowPlace ? [['translation: narrow place', 1] as const] : []),
    ...(!isNarrowPlace && place === 'compatible' ? [['translation: wide place', 1] as const] : []),
    ...(deadline === 'minute' ? [['translation: minute', 1] as const] : []),
    ...(publishedDaysApart <= 3 ? [['translation: publication', 1] as const] : []),
    share === undefined ? ['translation: words not counted', 1] : ['translation: words', share],
  ]
  return terms.filter(([, factor]) => factor !== 0)
}

// Two records of one portal are two tenders unless it published one of them twice: differences count here, not
// similarities.
import { type CpvRelation, isGenericCpv } from './compare.ts'
import type { Comparison } from './comparison.ts'
import { documentsRelation } from './documents.ts'
import type { MatchRecord } from './match-record.ts'
import { areMisspelled, differenceOf, textWordsOf } from './text-words.ts'
import {
  fewestOwnWords,
  fewestWords,
  fewestWordsOfLongText,
  maxChangedWords,
  maxLettersChanged,
  titleOfTrade,
} from './thresholds.ts'
import { discriminatorConflict, hasLoneDiscriminator } from './vetoes.ts'

/**
 * `merge`: published twice; `review`: nearly all is the same, and what differs may be a correction or another trade.
 */
export type PortalFinding = { readonly kind: 'merge' | 'review'; readonly rule: string }

/** Number or documents name the award, under one title: a correction that says little else needs no score. */
export const isNamed = ({ kind, rule }: PortalFinding, { title }: Comparison): boolean =>
  kind === 'merge' && (rule === 'same-number' || rule === 'same-documents') && title?.isEqual === true

/**
 * How the two texts differ. `same`: not at all; `longer`: one continues; `changed`: each has a few words that the
 * other lacks; `other`: each has many; `missing`: one or both say no more than the title.
 */
type TextRelation = 'same' | 'longer' | 'changed' | 'other' | 'missing'

function textRelation(a: MatchRecord, b: MatchRecord): TextRelation {
  if (a.textWords.length === 0 || b.textWords.length === 0) return 'missing'
  const { shared, onlyA, onlyB } = differenceOf(a.textWords, b.textWords)
  const [less, more] = [onlyA.length, onlyB.length].sort((one, other) => one - other) as [number, number]
  if (more === 0) return 'same'
  if (more === 1 && less === 1 && areMisspelled(onlyA[0]!, onlyB[0]!)) return 'same'
  if (less === 0) return more <= shared ? 'longer' : 'other'
  return less <= maxChangedWords && more <= shared ? 'changed' : 'other'
}

const telling = (codes: readonly string[]): string[] => codes.filter((code) => !isGenericCpv(code))

/** The codes of one side, except generic ones, are all on the other: a portal that adds codes, not another trade. */
function haveCodesInCommon(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true
  const [tellingA, tellingB] = [telling(a), telling(b)]
  const within = (codes: readonly string[], others: readonly string[]) => codes.every((code) => others.includes(code))
  return within(tellingA, tellingB) || within(tellingB, tellingA)
}

/** One names its trade and the other only the whole, of which that may be another trade. */
function hidesTrade(a: readonly string[], b: readonly string[]): boolean {
  const isByTrade = [...a, ...b].some(isBoughtByTrade)
  return isByTrade && a.length > 0 && b.length > 0 && (telling(a).length === 0) !== (telling(b).length === 0)
}

const isOtherTrade = (cpv: CpvRelation): boolean => cpv === 'near' || cpv === 'conflict'

/** Whether all titles agree, up to spelling; an additional number means another part. */
function haveSameTitle(a: MatchRecord, b: MatchRecord, { title }: Comparison): boolean {
  if (!title || title.isTruncated) return false
  if (a.numbers.length !== b.numbers.length || a.numbers.some((number) => !b.numbers.includes(number))) return false
  if (title.isEqual) return true
  const [first, second] = [a.titles[0]?.joined ?? '', b.titles[0]?.joined ?? '']
  return title.smallerRest === 0 && title.largerRest === 0 && lettersBetween(first, second) <= maxLettersChanged
}

/** Letters of the longer text between the beginning and the end that both have. */
function lettersBetween(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start++
  let end = 0
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return Math.max(a.length, b.length) - start - end
}

/** Published on one day and due at different times: the trades of a project, opened one after the other. */
function areOpenedInTurn(a: MatchRecord, b: MatchRecord, { deadline, publishedDaysApart }: Comparison): boolean {
  if (publishedDaysApart === undefined || publishedDaysApart > 1) return false
  if (deadline === 'minute' || deadline === 'unknown') return false
  return ![...a.deadlines, ...b.deadlines].some(({ isDateOnly }) => isDateOnly)
}

/** Works and engineering, where one project is bought trade by trade. */
export const isBoughtByTrade = (code: string): boolean => code.startsWith('45') || code.startsWith('71')

const haveSameCodes = (a: MatchRecord, b: MatchRecord): boolean =>
  a.cpv.length > 0 && a.cpv.length === b.cpv.length && a.cpv.every((code) => b.cpv.includes(code))

/** Whether what both state is enough to distinguish a purchase from the next one of the same project. */
function isTelling(a: MatchRecord, b: MatchRecord, { cpv }: Comparison): boolean {
  const words = Math.min(a.textWords.length, b.textWords.length)
  if (words >= fewestWordsOfLongText) return true
  if (a.cpv.length === 0 || b.cpv.length === 0) return Math.min(ownWords(a), ownWords(b)) >= fewestOwnWords
  const byTrade = a.cpv.some(isBoughtByTrade)
  if (!byTrade) return true
  if (!haveSameCodes(a, b)) return cpv === 'same' && a.cpv[0] === b.cpv[0]
  return cpv === 'same' || Math.min(allWords(a), allWords(b)) >= fewestWords
}

export function samePortalFinding(
  a: MatchRecord,
  b: MatchRecord,
  comparison: Comparison,
  twins: number,
): PortalFinding | undefined {
  const { title, cpv, sharedReference } = comparison
  if (!title || title.jaccard < 0.8) return undefined
  const areOtherParts = discriminatorConflict(a.parts, b.parts) !== undefined
  const documents = documentsRelation(a.documents, b.documents)
  if (sharedReference) {
    // A project's number may be on all its trades.
    const isLone = hasLoneDiscriminator(a, b) && (a.isMarkedInTitle || b.isMarkedInTitle)
    const isDoubtful = isLone || title.isNumberMore || isOtherTrade(cpv) || areOtherParts || documents === 'other'
    return isDoubtful ? { kind: 'review', rule: 'same-number-other-part' } : { kind: 'merge', rule: 'same-number' }
  }
  if (!haveSameTitle(a, b, comparison) || areOtherParts || documents === 'other') return undefined
  if (a.references.length > 0 && b.references.length > 0) return { kind: 'review', rule: 'other-number' }
  if (!haveCodesInCommon(a.cpv, b.cpv)) return undefined
  if (documents === 'same') return { kind: 'merge', rule: 'same-documents' }
  const text = textRelation(a, b)
  if (text === 'missing') return rowAndPage(a, b, comparison, twins)
  if (text === 'other') return undefined
  if (text === 'changed') return { kind: 'review', rule: 'changed-text' }
  if (areOpenedInTurn(a, b, comparison)) return { kind: 'review', rule: 'opened-in-turn' }
  if (hidesTrade(a.cpv, b.cpv)) return { kind: 'review', rule: 'general-code' }
  if (!isTelling(a, b, comparison) || hasLoneDiscriminator(a, b))
    return { kind: 'review', rule: 'same-text-tells-little' }
  return { kind: 'merge', rule: 'same-text' }
}

/** Distinct words of title and text together. */
function allWords(record: MatchRecord): number {
  return new Set([...record.textWords, ...titleHashes(record)]).size
}

/** Words of the text that the title does not have. */
function ownWords(record: MatchRecord): number {
  const inTitle = new Set(titleHashes(record))
  return record.textWords.filter((word) => !inTitle.has(word)).length
}

const titleHashes = (record: MatchRecord): number[] => textWordsOf(record.titles[0]?.words ?? [])

/** A row that is listed again with a later deadline while the first one still runs: it was extended. */
function isListedAgain(a: MatchRecord, b: MatchRecord, { title, buyer, cpv }: Comparison): boolean {
  if (buyer !== 'equal' || (title?.shared ?? 0) < titleOfTrade.known || (cpv !== 'same' && cpv !== 'unknown'))
    return false
  const [first, later] = (a.firstDay ?? 0) <= (b.firstDay ?? 0) ? [a, b] : [b, a]
  const [before, after] = [first.deadlines[0], later.deadlines[0]]
  if (!before || !after || first.firstDay === undefined || later.firstDay === undefined) return false
  return later.firstDay > first.firstDay && later.firstDay <= before.day && after.day > before.day
}

/** The row of a list and its page, or two rows: one of them has no text. Documents of a journal are neither. */
function rowAndPage(a: MatchRecord, b: MatchRecord, comparison: Comparison, twins: number): PortalFinding | undefined {
  const { title, buyer, cpv, deadline, publishedDaysApart } = comparison
  if (!a.isFromPages || !b.isFromPages || !title?.isEqual) return undefined
  const merge: PortalFinding = { kind: 'merge', rule: 'row-and-page' }
  if (deadline === 'minute' && title.shared > titleOfTrade.any && twins <= 2) return merge
  if (isListedAgain(a, b, comparison) && twins <= 2) return { kind: 'merge', rule: 'listed-again' }
  if (buyer !== 'equal' || deadline === 'near' || deadline === 'far') return undefined
  const isOfOneDay = publishedDaysApart !== undefined && publishedDaysApart <= 3
  const isDay = deadline === 'day' || deadline === 'shifted'
  if (twins <= 2 && (isOfOneDay || isDay) && (cpv === 'same' || (isOfOneDay && isDay))) return merge
  if (!isOfOneDay) return undefined
  // Neither has a text: the portal published one page several times, if the title names the trade.
  const haveNoText = a.textWords.length === 0 && b.textWords.length === 0
  if (haveNoText && haveSameCodes(a, b)) {
    const least = !a.cpv.some(isBoughtByTrade)
      ? titleOfTrade.none
      : cpv === 'same'
        ? titleOfTrade.known
        : titleOfTrade.any
    if (title.shared >= least) return merge
  }
  return twins <= 2 ? { kind: 'review', rule: 'row-without-codes' } : undefined
}

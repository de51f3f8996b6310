// What two records have in common, measure by measure. Every measure is symmetric.
import { containment } from './description-sketch.ts'
import type { MatchBuyer, MatchRecord, MatchTitle } from './match-record.ts'
import { tellingText } from './thresholds.ts'
import { titleCount, titleWeight } from './word-weights.ts'
import { longStopWords } from './words.ts'

export type TitleComparison = {
  /** Shared weight divided by the weight of all words of both. */
  readonly jaccard: number
  /** Shared weight. */
  readonly shared: number
  /** Smaller and larger weight of the words that only one side has. */
  readonly smallerRest: number
  readonly largerRest: number
  /** The side with less left over is cut off. */
  readonly isTruncated: boolean
  /** Whether one is the beginning of the other, letter by letter. */
  readonly isBeginning: boolean
  readonly isEqual: boolean
  /** Whether one title only has an additional number of one or two digits: `Bauhof` and `Bauhof 2`. */
  readonly isNumberMore: boolean
  /** Whether it is cut, but the text of the same record continues like the other title. */
  readonly isCompleted?: true
}

/** Edit distance of at most one (insertion, deletion, substitution or swap of neighbors). */
function isOneEdit(a: string, b: string): boolean {
  if (a === b) return true
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (long.length - short.length > 1) return false
  let from = 0
  while (from < short.length && short[from] === long[from]) from++
  if (short.length < long.length) return short.slice(from) === long.slice(from + 1)
  if (short.slice(from + 1) === long.slice(from + 1)) return true
  return (
    short[from] === long[from + 1] && short[from + 1] === long[from] && short.slice(from + 2) === long.slice(from + 2)
  )
}

const isNumber = (word: string): boolean => word.charCodeAt(0) >= 48 && word.charCodeAt(0) <= 57

/** Whether two words are spellings of one: a typo, an ending, an abbreviation. Numbers are never nearly equal. */
function isSoftlyEqual(a: string, b: string): boolean {
  if (isNumber(a) || isNumber(b)) return false
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (short.length >= 4 && long.length >= 5 && isOneEdit(short, long)) return true
  return short.length >= 4 && short.length >= long.length * 0.6 && long.startsWith(short)
}

/**
 * Edit distance of at most two, a swap of neighbors counting as one, for words of eight letters or more with the same
 * beginning.
 */
function isTwoEdits(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 8 || Math.abs(a.length - b.length) > 2 || a[0] !== b[0]) return false
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let least = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        least = Math.min(least, beforeLast[column - 2]! + 1)
      next.push(least)
    }
    if (Math.min(...next) > 2) return false
    ;[beforeLast, last] = [last, next]
  }
  return last[b.length]! <= 2
}

/**
 * One of the two is in no counted title, so it may be the other one misspelt; two words that are both known are two
 * words.
 */
function isMisspelt(a: string, b: string, language: string): boolean {
  if (isNumber(a) || isNumber(b)) return false
  if (isSlipOf(a, b, language) || isSlipOf(b, a, language)) return true
  return (titleCount(language, a) === 1) !== (titleCount(language, b) === 1) && isTwoEdits(a, b)
}

/**
 * A word in no counted title that is one edit from another one with the same beginning. Words are compared with `ä` and
 * `ae` as `a`, so a slip that makes two such letters neighbors has lost the second: `Thetaer` is `thetar`.
 */
function isSlipOf(slip: string, word: string, language: string): boolean {
  if (slip[0] !== word[0] || word.length < 4 || Math.abs(slip.length - word.length) > 2) return false
  if (isNumber(slip) || slip === word || titleCount(language, slip) > 1) return false
  if (slip.length >= 4 && isOneEdit(slip, word)) return true
  if (word.length < 5) return false
  for (let at = 1; at <= slip.length; at++) {
    if (!'aou'.includes(slip[at - 1]!)) continue
    const written = `${slip.slice(0, at)}e${slip.slice(at)}`
    // left out or swapped: another letter makes another word, as in `nordost` and `nordwest`
    const isSwap = written.length === word.length && [...written].sort().join() === [...word].sort().join()
    if ((isSwap || written.length < word.length) && isOneEdit(written, word)) return true
  }
  return false
}

/**
 * Removes what is left of a title and only misspells a word that the other one says too, or a stop word, which is never
 * the last word.
 */
function dropSlips(rest: Rest, title: MatchTitle, { words, language }: MatchTitle): void {
  for (let index = rest.words.length - 1; index >= 0; index--) {
    const slip = rest.words[index]!
    const stopWords = slip === title.words.at(-1) ? [] : longStopWords
    if ([...words, ...stopWords].some((word) => isSlipOf(slip, word, language))) drop(rest, index)
  }
}

/** The words of one title that have no match in the other title so far, with their weights. */
type Rest = { readonly words: string[]; readonly weights: number[] }

/**
 * Matches two words of one side with the compound that the other side writes; removes all three from the rests and
 * counts the weight as shared.
 */
function takeCompounds(rest: Rest, words: readonly string[], other: Rest, shared: { weight: number }): void {
  for (let index = 0; index + 1 < words.length; index++) {
    const [first, second] = [words[index]!, words[index + 1]!]
    const compound = first + second
    const at = other.words.indexOf(compound)
    if (at < 0) continue
    shared.weight += other.weights[at]!
    drop(other, at)
    for (const part of [first, second]) {
      const position = rest.words.indexOf(part)
      if (position >= 0) drop(rest, position)
    }
  }
}

function drop(rest: Rest, index: number): void {
  rest.words.splice(index, 1)
  rest.weights.splice(index, 1)
}

const sum = (weights: readonly number[]): number => weights.reduce((total, weight) => total + weight, 0)

export function compareTitles(a: MatchTitle, b: MatchTitle): TitleComparison {
  if (a.joined === b.joined) {
    const shared = Math.max(sum(a.weights), sum(b.weights))
    const isTruncated = a.isTruncated || b.isTruncated
    return {
      jaccard: 1,
      shared,
      smallerRest: 0,
      largerRest: 0,
      isTruncated,
      isBeginning: true,
      isEqual: true,
      isNumberMore: false,
    }
  }
  if (isCutOff(a, b) || isCutOff(b, a)) return compareBeginning(a, b)
  const inA = new Set(a.words)
  const inB = new Set(b.words)
  const shared = { weight: 0 }
  a.words.forEach((word, index) => {
    if (inB.has(word)) shared.weight += Math.max(a.weights[index]!, weightIn(b, word))
  })
  const restA = restOf(a, inB)
  const restB = restOf(b, inA)
  if (restA.words.length > 0 && restB.words.length > 0) {
    for (let index = restA.words.length - 1; index >= 0; index--) {
      const at = restB.words.findIndex(
        (word) => isSoftlyEqual(word, restA.words[index]!) || isMisspelt(word, restA.words[index]!, a.language),
      )
      if (at < 0) continue
      shared.weight += Math.min(restA.weights[index]!, restB.weights[at]!)
      drop(restA, index)
      drop(restB, at)
    }
    takeCompounds(restA, a.words, restB, shared)
    takeCompounds(restB, b.words, restA, shared)
    // The word at the end of a title that was cut off is a beginning of a word.
    takeCutWord(a, restA, restB, shared)
    takeCutWord(b, restB, restA, shared)
  }
  dropSlips(restA, a, b)
  dropSlips(restB, b, a)
  const [weightA, weightB] = [sum(restA.weights), sum(restB.weights)]
  const total = shared.weight + weightA + weightB
  const shorter = weightA === weightB ? undefined : weightA < weightB ? a : b
  const wordsShort = shorter ?? a
  return {
    jaccard: total === 0 ? 0 : shared.weight / total,
    shared: shared.weight,
    smallerRest: Math.min(weightA, weightB),
    largerRest: Math.max(weightA, weightB),
    isTruncated: wordsShort.isTruncated,
    isBeginning: false,
    isEqual: false,
    isNumberMore: isOnlyNumber(restA, restB) || isOnlyNumber(restB, restA),
  }
}

function isOnlyNumber(more: Rest, none: Rest): boolean {
  return none.words.length === 0 && more.words.length > 0 && more.words.every((word) => /^\d{1,2}$/.test(word))
}

/** The last word of the shorter title, a number too, is the beginning of a word of the longer one. */
function compareBeginning(a: MatchTitle, b: MatchTitle): TitleComparison {
  const [short, long] = a.joined.length < b.joined.length ? [a, b] : [b, a]
  const inShort = new Set(short.words)
  const cut = short.words.find((word) => !long.words.includes(word))
  const rest = restOf(long, inShort)
  const at = cut === undefined ? -1 : rest.words.findIndex((word) => word.startsWith(cut))
  const cutWeight = at < 0 ? 0 : rest.weights[at]!
  const shared = sum(long.weights) - sum(rest.weights) + cutWeight
  const total = sum(long.weights)
  return {
    jaccard: total === 0 ? 0 : shared / total,
    shared,
    smallerRest: 0,
    largerRest: total - shared,
    // A word cut in two shows that a portal cut; a title that ends with a word may name the whole project.
    isTruncated: short.isTruncated || cut !== undefined,
    isBeginning: true,
    isEqual: false,
    isNumberMore: isOnlyNumber(rest, { words: [], weights: [] }),
  }
}

function weightIn(title: MatchTitle, word: string): number {
  return title.weights[title.words.indexOf(word)] ?? 0
}

function restOf(side: MatchTitle | MatchBuyer, others: ReadonlySet<string>): Rest {
  const rest: Rest = { words: [], weights: [] }
  side.words.forEach((word, index) => {
    if (others.has(word)) return
    rest.words.push(word)
    rest.weights.push(side.weights[index]!)
  })
  return rest
}

/** True if one title, of at least 30 letters and digits, is the beginning of the other: portals cut long titles. */
function isCutOff(short: MatchTitle, long: MatchTitle): boolean {
  return short.joined.length >= 30 && short.joined.length < long.joined.length && long.joined.startsWith(short.joined)
}

function takeCutWord(cut: MatchTitle, rest: Rest, other: Rest, shared: { weight: number }): void {
  const last = cut.words.at(-1)
  const at = last === undefined ? -1 : rest.words.indexOf(last)
  if (last === undefined || at < 0 || isNumber(last)) return
  if (!cut.isTruncated && cut.joined.length < 30) return
  const position = other.words.findIndex((word) => word.length > last.length && word.startsWith(last))
  if (position < 0) return
  shared.weight += Math.min(rest.weights[at]!, other.weights[position]!)
  drop(rest, at)
  drop(other, position)
}

/**
 * The shorter title is cut, and its record's own short text names every word of the longer one: the text continues
 * where the title was cut.
 */
function isCompletedByText(found: TitleComparison, short: MatchRecord, long: MatchTitle): boolean {
  if (!found.isTruncated || short.descriptionWords.length === 0) return false
  return long.words.every((word) => short.descriptionWords.includes(word))
}

/** The two titles of one language that are most similar; undefined if the records have no common language. */
export function bestTitles(a: MatchRecord, b: MatchRecord): TitleComparison | undefined {
  const best = nearestTitles(a, b)
  const [first, second] = [a.titles[0], b.titles[0]]
  if (!best || !first || !second || first.language !== second.language) return best
  const [short, long] = first.joined.length < second.joined.length ? [a, second] : [b, first]
  if (!isCompletedByText(best, short, long)) return best
  const shared = sum(long.weights)
  return {
    ...best,
    jaccard: 1,
    shared,
    smallerRest: 0,
    largerRest: 0,
    isTruncated: false,
    isBeginning: true,
    isCompleted: true,
  }
}

function nearestTitles(a: MatchRecord, b: MatchRecord): TitleComparison | undefined {
  let best: TitleComparison | undefined
  for (const first of a.titles)
    for (const second of b.titles) {
      if (first.language !== second.language && first.language !== 'und' && second.language !== 'und') continue
      const found = compareTitles(first, second)
      if (!best || found.jaccard > best.jaccard || (found.jaccard === best.jaccard && found.shared > best.shared))
        best = found
    }
  return best
}

export type BuyerRelation = 'equal' | 'contained' | 'partial' | 'conflict' | 'unknown'

function compareBuyers(a: MatchBuyer, b: MatchBuyer): { readonly relation: BuyerRelation; readonly share: number } {
  if (a.name === b.name) return { relation: 'equal', share: 1 }
  const inB = new Set(b.words)
  let shared = 0
  a.words.forEach((word, index) => {
    if (inB.has(word)) shared += a.weights[index]!
  })
  const restA = restOf(a, inB)
  const restB = restOf(b, new Set(a.words))
  for (let index = restA.words.length - 1; index >= 0; index--) {
    const at = restB.words.findIndex((word) => isSoftlyEqual(word, restA.words[index]!))
    if (at < 0) continue
    shared += Math.min(restA.weights[index]!, restB.weights[at]!)
    drop(restA, index)
    drop(restB, at)
  }
  const [weightA, weightB] = [sum(restA.weights), sum(restB.weights)]
  const smaller = Math.min(shared + weightA, shared + weightB)
  const share = smaller === 0 ? 0 : shared / smaller
  if (weightA === 0 && weightB === 0) return { relation: 'equal', share }
  if (Math.min(weightA, weightB) > 3) return { relation: share >= 0.6 ? 'partial' : 'conflict', share }
  return { relation: share >= 0.6 ? 'contained' : share > 0 ? 'partial' : 'conflict', share }
}

const relationOrder: readonly BuyerRelation[] = ['equal', 'contained', 'partial', 'conflict']

/** The nearest of all pairs of buyers; equal ids mean equal buyers. */
export function buyerRelation(a: MatchRecord, b: MatchRecord): BuyerRelation {
  if (a.buyerIds.some((id) => b.buyerIds.includes(id))) return 'equal'
  let best: BuyerRelation | undefined
  for (const first of a.buyers)
    for (const second of b.buyers) {
      const { relation } = compareBuyers(first, second)
      if (best === undefined || relationOrder.indexOf(relation) < relationOrder.indexOf(best)) best = relation
    }
  return best ?? 'unknown'
}

export type DeadlineRelation = 'minute' | 'shifted' | 'day' | 'next-day' | 'near' | 'far' | 'unknown'

/**
 * The nearest of all pairs. `shifted`: one or two hours apart, as when a portal drops the zone; `day` when one side has
 * only the day, or another hour of it; `near` up to 45 days.
 */
export function deadlineRelation(a: MatchRecord, b: MatchRecord): DeadlineRelation {
  if (a.deadlines.length === 0 || b.deadlines.length === 0) return 'unknown'
  let best = 5
  for (const first of a.deadlines)
    for (const second of b.deadlines) {
      const minutes = Math.abs(first.minute - second.minute)
      const days = Math.abs(first.day - second.day)
      const isDay = first.isDateOnly || second.isDateOnly
      const rank =
        minutes === 0 && !isDay
          ? 0
          : (minutes === 60 || minutes === 120) && !isDay
            ? 1
            : days === 0
              ? 2
              : days === 1
                ? 3
                : days <= 45
                  ? 4
                  : 5
      if (rank < best) best = rank
    }
  return (['minute', 'shifted', 'day', 'next-day', 'near', 'far'] as const)[best]!
}

export type CpvRelation = 'same' | 'ancestor' | 'near' | 'conflict' | 'unknown'

/** Codes that buyers give for want of a better one: divisions, works in general, engineering in general. */
const genericCpv = new Set([
  '45',
  '452',
  '4521',
  '45210',
  '454',
  '4545',
  '71',
  '713',
  '72',
  '79',
  '50',
  '90',
  '98',
  '48',
  '4522',
])
export const isGenericCpv = (code: string): boolean => code.length <= 2 || genericCpv.has(code)

export function cpvRelation(a: readonly string[], b: readonly string[]): CpvRelation {
  if (a.length === 0 || b.length === 0) return 'unknown'
  if (a[0] === b[0] && !isGenericCpv(a[0]!)) return 'same'
  const [telling, others] = [a.filter((code) => !isGenericCpv(code)), b.filter((code) => !isGenericCpv(code))]
  if (telling.length === 0 || others.length === 0) {
    if (a.some((code) => b.some((other) => code.startsWith(other) || other.startsWith(code)))) return 'ancestor'
    const divisions = new Set(b.map((code) => code.slice(0, 2)))
    return a.some((code) => divisions.has(code.slice(0, 2))) ? 'near' : 'conflict'
  }
  // Parts of one project share the code of the whole: most codes of one side must be on the other.
  const shared = telling.filter((code) => code.length >= 4 && others.includes(code)).length
  if (shared > 0)
    return shared * 2 >= Math.min(telling.length, others.length) && telling[0] === others[0]
      ? 'same'
      : shared * 3 >= Math.min(telling.length, others.length) * 2
        ? 'same'
        : 'ancestor'
  let relation: CpvRelation = 'conflict'
  for (const code of telling)
    for (const other of others) {
      if (code.startsWith(other) || other.startsWith(code)) return 'ancestor'
      if (code.slice(0, 3) === other.slice(0, 3)) relation = 'near'
    }
  return relation
}

export type PlaceRelation = 'compatible' | 'same-region' | 'other-region' | 'conflict' | 'unknown'

const area = (nuts: string): string => nuts.replace(/Z+$/, '')

/** Compatible: one area contains the other, by at least three characters. */
export function placeRelation(a: readonly string[], b: readonly string[]): PlaceRelation {
  if (a.length === 0 || b.length === 0) return 'unknown'
  let best: PlaceRelation | undefined
  for (const first of a)
    for (const second of b) {
      const [x, y] = [area(first), area(second)]
      if (x.slice(0, 2) !== y.slice(0, 2)) {
        best ??= 'conflict'
        continue
      }
      if (x.startsWith(y) || y.startsWith(x)) {
        if (Math.min(x.length, y.length) >= 3) return 'compatible'
        best = best === 'same-region' ? best : 'unknown'
      } else if (x.slice(0, 3) === y.slice(0, 3)) best = 'same-region'
      else if (best === undefined || best === 'conflict') best = 'other-region'
    }
  return best ?? 'unknown'
}

/**
 * Share of the smaller description that is in the larger one; undefined if one is missing or has few words, unless
 * these are the same words and say more than the title.
 */
export function descriptionShare(a: MatchRecord, b: MatchRecord): number | undefined {
  return containment(a.shingles, b.shingles) ?? (isSameShortText(a, b) ? 1 : undefined)
}

function isSameShortText(a: MatchRecord, b: MatchRecord): boolean {
  if (a.descriptionWords.length === 0 || a.descriptionWords.length !== b.descriptionWords.length) return false
  if (a.descriptionWords.some((word) => !b.descriptionWords.includes(word))) return false
  const named = new Set([...(a.titles[0]?.words ?? []), ...(b.titles[0]?.words ?? [])])
  const own = a.descriptionWords.filter((word) => !named.has(word))
  return own.reduce((total, word) => total + titleWeight(a.language, word), 0) >= tellingText
}

/**
 * Weight of the words that each of two records has alone in title and description together, the smaller side; 0 unless
 * both have a short description. The trade may be in the title on one portal, in the description on the other.
 */
export function descriptionSubstitution(a: MatchRecord, b: MatchRecord): number {
  if (a.descriptionWords.length === 0 || b.descriptionWords.length === 0) return 0
  if (a.language !== b.language && a.language !== 'und' && b.language !== 'und') return 0
  if (a.descriptionLength > 25 && b.descriptionLength > 25) return 0
  const alone = (record: MatchRecord, other: MatchRecord): number => {
    const others = [...other.descriptionWords, ...(other.titles[0]?.words ?? [])]
    const known = new Set(others)
    return record.descriptionWords
      .filter((word) => !known.has(word) && !others.some((otherWord) => isSoftlyEqual(word, otherWord)))
      .reduce((total, word) => total + titleWeight(record.language, word), 0)
  }
  return Math.min(alone(a, b), alone(b, a))
}

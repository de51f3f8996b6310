// How similar a tender is to a profile, part by part, each from 0 to 1.

import type { TenderRecord } from '../../domain/tender.ts'
import { type FoundBuyer, foundBuyersOf } from '../authorities.ts'
import type { FitModel } from './fit-model.ts'
import { codesOf, euroValueOf, type PreparedProfile, type PreparedWin, regionsOf } from './prepare-profile.ts'
import type { TermCounter, TermCounters } from './term-counter.ts'
import { codeOfTitle } from './title-code.ts'

/** Similarity of two codes by the number of digits on which they agree. */
const depthWeights: readonly number[] = [0, 0, 0.25, 0.55, 0.75, 0.88, 0.93, 0.97, 1]
/** Similarity of two codes if one lies below the other. */
const nested = 0.95
/**
 * How much slower the words of a search saturate: all its matches have one of them, and those with more of them, or
 * with one in the title, shall be ahead.
 */
const slowerBySearch = 3
/** Information of digits that no other tender has, nats. */
const fullRarity = 8

const regionShared: readonly number[] = [0, 0, 0.35, 0.55, 0.8, 1]
/** Similarity by common levels if the tender's code is coarser than the profile's. */
const regionCoarser: readonly number[] = [0, 0, 0.6, 0.75, 0.9, 1]

/** Saturation and normalization of BM25. */
const saturation = 1.2
const lengthShare = 0.6
/** Share by which an estimated value counts, and a code that only the title tells. */
export const estimatedShare = 0.5

/**
 * A record as the parts read it; the term counter holds its terms. What it shares with a code, a region or a past win
 * is kept, because profiles share these.
 */
export type RecordToFit = {
  readonly record: TenderRecord
  readonly codes: readonly string[]
  /** If it states no code: the one that its title tells. */
  readonly titleCode: string | undefined
  readonly regions: readonly string[]
  readonly value: number | undefined
  readonly buyers: readonly FoundBuyer[]
  readonly byCode: Map<string, CodeLikeness>
  readonly byRegion: Map<string, CodeNearness>
  /** Of regions that a profile names: all regions inside them count. */
  readonly byNamedRegion: Map<string, CodeNearness>
  readonly byWin: Map<PreparedWin, WinLikeness>
}

/** The code of a record, by its place among them, that is nearest to one of a profile. */
type CodeNearness = { readonly likeness: number; readonly place: number }
type CodeLikeness = {
  readonly depth: number
  readonly rarity: number
  readonly place: number
  /** The places of the codes that are the profile's or lie below it. */
  readonly covered: readonly number[]
}

/** What is kept under this key, or what `make` makes of it. */
function keptIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

export function recordToFit(record: TenderRecord): RecordToFit {
  const codes = codesOf(record)
  return {
    record,
    codes,
    titleCode: codes.length === 0 ? codeOfTitle(record.title) : undefined,
    regions: regionsOf(record),
    value: euroValueOf(record),
    buyers: foundBuyersOf(record),
    byCode: new Map(),
    byRegion: new Map(),
    byNamedRegion: new Map(),
    byWin: new Map(),
  }
}

export type CpvLikeness = {
  readonly depth: number
  readonly rarity: number
  readonly code: string
  readonly own: string
  readonly isByTitle: boolean
}

/** Similarity of the two codes that agree best, the first of equal ones; undefined if either side has none. */
export function cpvLikeness(
  profile: PreparedProfile,
  { codes: stated, titleCode, byCode }: RecordToFit,
  model: FitModel,
): CpvLikeness | undefined {
  // what matches a search by its codes states one
  const isByTitle = titleCode !== undefined && profile.profileId !== null
  const codes = isByTitle ? [titleCode] : stated
  if (profile.cpv.length === 0 || codes.length === 0) return undefined
  const likenesses = profile.cpv.map((own) => keptIn(byCode, own, () => codeLikeness(own, codes, model)))
  let best = 0
  for (let index = 1; index < likenesses.length; index++)
    if (isBetter(likenesses[index]!, likenesses[best]!)) best = index
  const { depth, rarity, place } = likenesses[best]!
  const found = { depth, rarity, code: codes[place]!, own: profile.cpv[best]!, isByTitle }
  return profile.profileId === null ? { ...found, ...coverageBySearch(likenesses, codes, model) } : found
}

function isBetter(one: CodeLikeness, other: CodeLikeness): boolean {
  const [sum, otherSum] = [one.depth + one.rarity, other.depth + other.rarity]
  return sum > otherSum || (sum === otherSum && one.place < other.place)
}

function codeLikeness(own: string, codes: readonly string[], model: FitModel): CodeLikeness {
  let [depth, rarity, place] = [0, 0, 0]
  const covered: number[] = []
  codes.forEach((code, at) => {
    const shared = sharedDigits(code, own)
    const [ownDigits, digits] = [significant(own), significant(code)]
    if (shared >= ownDigits) covered.push(at)
    if (shared < 2) return
    const common = Math.min(shared, ownDigits, digits)
    const isNested = shared >= Math.min(ownDigits, digits)
    const weight = (isNested && ownDigits !== digits ? nested : 1) * depthWeights[isNested ? common : shared]!
    const found = Math.min(1, model.words.cpvWeightOf(code.slice(0, common)) / fullRarity)
    if (weight + found > depth + rarity) [depth, rarity, place] = [weight, found, at]
  })
  return { depth, rarity, place, covered }
}

/**
 * Whatever matches a search lies below its codes. Ahead is what is mainly that: its main code and most of its codes
 * are covered, and the covered one is rare.
 */
function coverageBySearch(
  likenesses: readonly CodeLikeness[],
  codes: readonly string[],
  model: FitModel,
): { readonly depth: number; readonly rarity: number } {
  const covered = new Set(likenesses.flatMap((each) => each.covered))
  const rarities = [...covered].map((place) => {
    const code = codes[place]!
    return model.words.cpvWeightOf(code.slice(0, significant(code))) / fullRarity
  })
  return {
    depth: (covered.has(0) ? 0.5 : 0) + (0.5 * covered.size) / codes.length,
    rarity: Math.min(1, Math.max(0, ...rarities)),
  }
}

/** Digits before the zeros at the end, at least two. */
export function significant(code: string): number {
  let digits = 8
  while (digits > 2 && code.charCodeAt(digits - 1) === 48) digits--
  return digits
}

export function sharedDigits(a: string, b: string): number {
  let shared = 0
  while (shared < 8 && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++
  return shared
}

/** BM25 over the terms of the profile, saturated; undefined when the profile has none. */
export function keywordLikeness(profile: PreparedProfile, reader: TermCounter, model: FitModel): number | undefined {
  if (profile.terms.length === 0) return undefined
  const length = 1 - lengthShare + (lengthShare * reader.length()) / model.words.meanLength
  let sum = 0
  for (const { numbers, weight } of profile.terms) {
    const count = countOf(numbers, reader)
    if (count > 0) sum += (weight * count * (saturation + 1)) / (count + saturation * length)
  }
  return 1 - Math.exp(-sum / (profile.profileId === null ? slowerBySearch * profile.kappa : profile.kappa))
}

export function countOf(numbers: readonly number[], reader: TermCounter): number {
  let count = 0
  for (const number of numbers) count += reader.countOf(number)
  return count
}

/** Share by which the likeness to past wins counts for a tender of another trade. */
const otherTradeShare = 0.5
/** Likeness of codes of one division: building works are all of one. */
const oneDivision = 0.3

/**
 * Whether a tender is of another trade than the profile names: it states codes, which share no more than the division
 * with the profile's and those of its wins, and has no word of it. Texts of one building, or of one authority, are
 * alike all the same.
 */
function isOfOtherTrade(
  { profileId, terms, ownWords, namesTrade }: PreparedProfile,
  cpv: CpvLikeness | undefined,
  reader: TermCounter,
): boolean {
  if (profileId === null || !namesTrade || cpv === undefined || cpv.isByTitle || cpv.depth > oneDivision) return false
  return terms.slice(0, ownWords).every(({ numbers }) => countOf(numbers, reader) === 0)
}

/** Cosines to the past wins most similar to the tender, each from 0 to 1. */
export type WinLikeness = { readonly texts: number; readonly titles: number; readonly authority: number }

/** Similarity of each of the three to the win that is nearest in it; undefined without past wins. */
export function winLikeness(
  profile: PreparedProfile,
  cpv: CpvLikeness | undefined,
  { byWin }: RecordToFit,
  readers: TermCounters,
): WinLikeness | undefined {
  if (profile.wins.length === 0) return undefined
  let [texts, titles, authority] = [0, 0, 0]
  for (const win of profile.wins) {
    const likeness = keptIn(byWin, win, () => likenessTo(win, readers))
    texts = Math.max(texts, likeness.texts)
    titles = Math.max(titles, likeness.titles)
    authority = Math.max(authority, likeness.authority)
  }
  const share = isOfOtherTrade(profile, cpv, readers.words) ? otherTradeShare : 1
  return { texts: share * Math.min(1, texts), titles: share * Math.min(1, titles), authority: Math.min(1, authority) }
}

const likenessTo = ({ pieces, titles, authority }: PreparedWin, readers: TermCounters): WinLikeness => ({
  texts: readers.pieces.cosineWith(pieces),
  titles: readers.titles.cosineWith(titles),
  authority: readers.authority.cosineWith(authority),
})

export type RegionLikeness = { readonly likeness: number; readonly code: string; readonly own: string }

export function regionLikeness(
  profile: PreparedProfile,
  { regions, byRegion, byNamedRegion }: RecordToFit,
): RegionLikeness | undefined {
  if (profile.nuts.length === 0 || regions.length === 0) return undefined
  let best = { likeness: 0, place: 0, own: profile.nuts[0]! }
  for (const own of profile.nuts) {
    const isNamed = profile.namedNuts.has(own)
    const found = keptIn(isNamed ? byNamedRegion : byRegion, own, () => nearnessOf(own, regions, isNamed))
    const { likeness, place } = found
    if (likeness > best.likeness || (likeness === best.likeness && place < best.place)) best = { likeness, place, own }
  }
  return { likeness: best.likeness, code: regions[best.place]!, own: best.own }
}

function nearnessOf(own: string, codes: readonly string[], isNamed: boolean): CodeNearness {
  let [best, place] = [0, 0]
  codes.forEach((code, at) => {
    let shared = 0
    while (shared < code.length && code[shared] === own[shared]) shared++
    const isInside = shared === own.length && isNamed
    const likeness = isInside
      ? 1
      : shared === code.length && shared < own.length
        ? regionCoarser[shared]!
        : regionShared[shared]!
    if (likeness > best) [best, place] = [likeness, at]
  })
  return { likeness: best, place }
}

/** 1 in the range that the profile names, else by the distance to the values won; undefined when nothing is known. */
export function valueLikeness(profile: PreparedProfile, { value }: RecordToFit): number | undefined {
  const { valueMin, valueMax, meanValue } = profile
  if (value === undefined) return undefined
  if (valueMin !== undefined || valueMax !== undefined) {
    const factor = Math.max((valueMin ?? 0) / value, value / (valueMax ?? Infinity))
    return factor <= 1 ? 1 : 0.5 ** Math.log2(factor)
  }
  return meanValue === undefined ? undefined : Math.exp(-((Math.log10(value) - meanValue) ** 2) / 2)
}

// Pairs for learning: copies of notices as other portals show them, pairs that people labeled, and free labels.
import { join } from 'node:path'
import { compareTitles } from '../../src/consolidate/match/compare.ts'
import { compareRecords } from '../../src/consolidate/match/comparison.ts'
import type { MatchRecord } from '../../src/consolidate/match/match-record.ts'
import type { WordTables } from '../../src/consolidate/match/translated-words.ts'
import { twinKey } from '../../src/consolidate/match/twin-key.ts'
import { vetoOf } from '../../src/consolidate/match/vetoes.ts'
import { randomOf } from '../../test/testing/generate/random.ts'
import { type Listing, nameOf, readLabels, readPortalListings, recordOf } from '../cross-portal.ts'
import { MatchIndex } from '../match-index.ts'
import { type CpvLabels, perturb, profiles } from '../perturb.ts'
import { termsOf } from './evidence.ts'
import type { LabeledPair } from './free-labels.ts'
import type { TrainingCase } from './learn-weights.ts'
import { translationTerms } from './translation.ts'
import type { Translated } from './translations.ts'

/** Undefined if a veto keeps the two apart, or they are in two languages and cannot be a translation. */
export function trainingCase(
  { a, b, isSame, authority }: Pick<LabeledPair, 'a' | 'b' | 'isSame' | 'authority'>,
  twins: number,
  placed: string,
  tables?: WordTables,
): TrainingCase | undefined {
  const [left, right] = a.key <= b.key ? [a, b] : [b, a]
  const comparison = compareRecords(left, right)
  if (vetoOf(left, right, comparison)) return undefined
  const terms = comparison.title
    ? termsOf(left, right, comparison, twins)
    : translationTerms(left, right, comparison, tables)
  return terms && { terms, isSame, authority, placed }
}

export const authorityOfRecord = (record: MatchRecord): string => record.buyers[0]?.words.toSorted().join(' ') ?? ''

/** Nobody knows whether a portal published one tender twice under nearly the same title. */
function mayBeOne(a: MatchRecord, b: MatchRecord): boolean {
  if (twinKey(a) === twinKey(b)) return true
  const [first, second] = [a.titles[0], b.titles[0]]
  return first !== undefined && second !== undefined && compareTitles(first, second).jaccard > 0.99
}

export type CopySource = {
  readonly listings: readonly Listing[]
  readonly index: MatchIndex
  readonly labels: CpvLabels
}

/** Copies against every record that shares a block with them. */
export function casesOfCopies({ listings, index, labels }: CopySource, copies: number, seed: number): TrainingCase[] {
  const random = randomOf(seed)
  const ownProfiles = profiles.filter((profile) => profile !== 'translated')
  const found: TrainingCase[] = []
  for (let number = 0; number < copies; number++) {
    const base = random.pick(listings)
    const copy = recordOf(perturb(base, ownProfiles[number % ownProfiles.length]!, labels, random))
    const truth = index.records.get(nameOf(base))!
    const authority = authorityOfRecord(truth)
    for (const other of index.candidates(copy)) {
      const isSame = other.key === truth.key
      if (!isSame && mayBeOne(other, truth)) continue
      const own = trainingCase({ a: copy, b: other, isSame, authority }, index.twins(copy, other), `${number}`)
      if (own) found.push(own)
    }
  }
  return found
}

/** Copies in another language against every record of their authorities; a notice and its own lots are no pair. */
export function casesOfTranslations(
  translated: readonly Translated[],
  copies: number,
  seed: number,
  tables: WordTables,
): TrainingCase[] {
  const random = randomOf(seed)
  const index = new MatchIndex()
  const noticeOfKey = new Map(translated.map((each) => [nameOf(each.listing), each.noticeKey]))
  const isLotOfKey = new Map(translated.map((each) => [nameOf(each.listing), each.isLot]))
  for (const { listing } of translated) index.add(recordOf(listing))
  const found: TrainingCase[] = []
  for (let number = 0; number < copies && translated.length > 0; number++) {
    const { listing, authority, noticeKey, isLot } = random.pick(translated)
    const copy = recordOf(perturb(listing, 'translated', new Map(), random))
    for (const other of index.candidates(copy)) {
      const isSame = other.key === nameOf(listing)
      const isOwnPart = noticeOfKey.get(other.key) === noticeKey && isLotOfKey.get(other.key) !== isLot
      if (isOwnPart) continue
      const own = trainingCase({ a: copy, b: other, isSame, authority }, 1, `translated ${number}`, tables)
      if (own) found.push(own)
    }
  }
  return found
}

/** Pairs of portals that people labeled; unlabeled pairs that share a block are strangers. */
export function casesOfPeople(corpus: string): TrainingCase[] {
  const folder = join(corpus, 'cross-portal')
  const index = new MatchIndex()
  for (const listing of readPortalListings(folder)) index.add(recordOf(listing))
  const labels = new Map(readLabels(folder).map(({ a, b, label }) => [[a, b].sort().join('\n'), label]))
  const found: TrainingCase[] = []
  for (const a of index.records.values())
    for (const b of index.candidates(a)) {
      if (a.key >= b.key) continue
      const label = labels.get(`${a.key}\n${b.key}`) ?? 'different'
      if (label !== 'same' && label !== 'different') continue
      if (a.publishers[0] === b.publishers[0]) continue
      const pair = { a, b, isSame: label === 'same', authority: authorityOfRecord(a) }
      const own = trainingCase(pair, index.twins(a, b), `people ${a.key}`)
      if (own) found.push(own)
    }
  return found
}

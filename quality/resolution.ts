// How well records that share no key are joined: hand-labeled pairs, list rows, copies with a known answer, linked
// groups.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blockingKeys } from '../src/consolidate/match/blocking-keys.ts'
import { compareTitles } from '../src/consolidate/match/compare.ts'
import { compareRecords } from '../src/consolidate/match/comparison.ts'
import { decide } from '../src/consolidate/match/decide.ts'
import type { MatchRecord } from '../src/consolidate/match/match-record.ts'
import { twinKey } from '../src/consolidate/match/twin-key.ts'
import { resolve } from '../src/consolidate/resolve.ts'
import { wordsOf } from '../src/domain/name-words.ts'
import type { Notice } from '../src/domain/notice.ts'
import { randomOf } from '../test/testing/generate/random.ts'
import { readNotices } from './corpus-notices.ts'
import {
  type Listing,
  nameOf,
  readDoeListings,
  readLabels,
  readListRows,
  readPortalListings,
  recordOf,
} from './cross-portal.ts'
import { isToLearn } from './match/learn-weights.ts'
import { decideByLearned } from './match/learned-verdict.ts'
import { authorityOfRecord } from './match/training-pairs.ts'
import { isOfLearning, readTranslated } from './match/translations.ts'
import { MatchIndex, type Rules } from './match-index.ts'
import { type CpvLabels, type Profile, perturb, profiles, withDeadline } from './perturb.ts'
import { type WithinPortalReport, withinPortal } from './within-portal.ts'

export type PairFigures = {
  readonly records: number
  readonly samePairs: number
  readonly precision: number
  readonly recall: number
  readonly wrong: readonly string[]
  readonly missed: readonly string[]
  readonly unlabeled: number
  readonly bCubedPrecision: number
  readonly bCubedRecall: number
  readonly reviewRate: number
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)

/** Pairs as labeled by hand; unlabeled pairs are strangers, and pairs labeled unclear are left out. */
export function labeledPairs(folder: string): PairFigures | undefined {
  const labels = readLabels(folder)
  const listings = readPortalListings(folder)
  if (labels.length === 0 || listings.length === 0) return undefined
  const index = new MatchIndex()
  for (const listing of listings) index.add(recordOf(listing))
  const clusters = index.clusters()
  const clusterOf = new Map(clusters.flatMap(({ keys }, number) => keys.map((key) => [key, number] as const)))
  const pair = (a: string, b: string): string => (a < b ? `${a} = ${b}` : `${b} = ${a}`)
  const same = new Set(labels.filter(({ label }) => label === 'same').map(({ a, b }) => pair(a, b)))
  const unclear = new Set(labels.filter(({ label }) => label === 'unclear').map(({ a, b }) => pair(a, b)))
  const known = [...same].filter((name) => name.split(' = ').every((key) => clusterOf.has(key)))
  const joined = clusters.flatMap(({ keys }) => keys.flatMap((a, at) => keys.slice(at + 1).map((b) => pair(a, b))))
  const wrong = joined.filter((name) => !same.has(name) && !unclear.has(name))
  const missed = known.filter((name) => !joined.includes(name))
  const truthOf = componentsOf(
    [...clusterOf.keys()],
    [...same].map((name) => name.split(' = ') as [string, string]),
  )
  const bCubed = bCubedOf(
    [...clusterOf.keys()],
    (key) => clusterOf.get(key)!,
    (key) => truthOf.get(key)!,
  )
  return {
    records: listings.length,
    samePairs: known.length,
    precision: ratio(joined.length - wrong.length, joined.length),
    recall: ratio(known.length - missed.length, known.length),
    wrong,
    missed: missed.map((name) => `${name}: ${whyApart(index, name)}`),
    unlabeled: joined.filter((name) => unclear.has(name)).length,
    ...bCubed,
    reviewRate: ratio(clusters.filter(({ reviews }) => reviews.length > 0).length, clusters.length),
  }
}

function whyApart(index: MatchIndex, name: string): string {
  const [a, b] = name.split(' = ').map((key) => index.records.get(key)!)
  if (!index.candidates(a!).includes(b!)) return 'no block'
  const { kind, rule, score, evidence } = index.edge(a!, b!)
  return `${kind} ${rule} ${score} (${evidence})`
}

function componentsOf(keys: readonly string[], pairs: readonly (readonly [string, string])[]): Map<string, string> {
  const parents = new Map(keys.map((key) => [key, key]))
  const root = (key: string): string => {
    const parent = parents.get(key)
    return parent === undefined || parent === key ? key : root(parent)
  }
  for (const [a, b] of pairs) parents.set(root(a), root(b))
  return new Map(keys.map((key) => [key, root(key)]))
}

function bCubedOf(keys: readonly string[], found: (key: string) => unknown, truth: (key: string) => unknown) {
  const byFound = Map.groupBy(keys, found)
  const byTruth = Map.groupBy(keys, truth)
  let [precision, recall] = [0, 0]
  for (const key of keys) {
    const [cluster, group] = [byFound.get(found(key))!, byTruth.get(truth(key))!]
    const both = cluster.filter((other) => truth(other) === truth(key)).length
    precision += both / cluster.length
    recall += both / group.length
  }
  return { bCubedPrecision: ratio(precision, keys.length), bCubedRecall: ratio(recall, keys.length) }
}

export type ListRowFigures = {
  readonly rows: number
  readonly withCounterpart: number
  readonly assigned: number
  readonly recall: number
  readonly wrong: readonly string[]
  readonly missed: readonly string[]
}

/**
 * List rows against the notices of the national service. Nobody labeled them: a row counts as having a counterpart if a
 * notice has exactly its title after folding (or one title continues where the other ends) and a buyer with half of its
 * words; as wrong if it was assigned to a notice with neither.
 */
export function listRows(folder: string, doe: MatchIndex): ListRowFigures | undefined {
  const rows = readListRows(folder)
  if (rows.length === 0 || doe.records.size === 0) return undefined
  const all = [...doe.records.values()]
  const missed: string[] = []
  const wrong: string[] = []
  let [assigned, counterparts, found] = [0, 0, 0]
  for (const row of rows) {
    const record = recordOf(row)
    const isCounterpart = (other: MatchRecord): boolean => {
      const [a, b] = [record.titles[0]?.joined ?? '', other.titles[0]?.joined ?? '']
      const isTitle =
        a === b ||
        (Math.min(a.length, b.length) >= 30 && (a.startsWith(b) || b.startsWith(a) || a.endsWith(b) || b.endsWith(a)))
      return isTitle && shareOfWords(record, other) >= 0.5
    }
    const truth = all.filter(isCounterpart)
    const { cluster } = doe.place(record)
    const others = cluster.keys.filter((key) => key !== record.key)
    if (truth.length > 0) counterparts++
    if (others.length > 0) assigned++
    if (others.some((key) => truth.some((other) => other.key === key))) found++
    else if (truth.length > 0) missed.push(`${row.id}: ${whyMissed(doe, record, truth)}`)
    if (others.some((key) => !truth.some((other) => other.key === key))) wrong.push(`${row.id}: ${others.join(' ')}`)
  }
  return {
    rows: rows.length,
    withCounterpart: counterparts,
    assigned,
    recall: ratio(found, counterparts),
    wrong,
    missed,
  }
}

/**
 * Nearly the same title and buyer within two months: the national service has many tenders from two feeders, or
 * corrected and published again. Whether the two are one tender nobody knows.
 */
export function isTwinByTitle(a: MatchRecord, b: MatchRecord): boolean {
  const [first, second] = [a.titles[0], b.titles[0]]
  if (!first || !second || shareOfWords(a, b) < 0.5) return false
  return compareTitles(first, second).jaccard > 0.99 && Math.abs((a.firstDay ?? 0) - (b.firstDay ?? 0)) <= 60
}

function whyMissed(index: MatchIndex, record: MatchRecord, truth: readonly MatchRecord[]): string {
  const found = truth.map((other) => index.edge(record, other)).sort((a, b) => b.score - a.score)[0]
  return found ? `${truth.length} like it, ${found.kind} ${found.rule} ${found.score} (${found.evidence})` : ''
}

function shareOfWords(a: MatchRecord, b: MatchRecord): number {
  const words = (record: MatchRecord): Set<string> => new Set(wordsOf(record.buyers[0]?.name ?? ''))
  const [small, large] = [words(a), words(b)].sort((x, y) => x.size - y.size)
  return ratio([...small!].filter((word) => large!.has(word)).length, small!.size)
}

export type CopyFigures = {
  readonly copies: number
  readonly assigned: number
  readonly wrong: number
  /** Assigned to a record with the title and buyer of the true one: nobody knows whether it is the same tender. */
  readonly twins: number
  readonly precision: number
  readonly recall: number
  readonly recallWithoutTwins: number
  readonly reviewRate: number
  readonly blockRecall: number
  readonly openWorldFalse: number
  /** Placed although the true one is absent, with one of nearly its title and buyer. */
  readonly openWorldTwins: number
}

export type CopyReport = {
  readonly seed: number
  readonly records: number
  readonly all: CopyFigures
  /** Copies with title, buyer, a date, and CPV or description. */
  readonly full: CopyFigures
  readonly byProfile: { readonly [profile: string]: CopyFigures }
  /** Wrong placements first, then missed ones, at most 40 in all. */
  readonly examples: readonly string[]
}

type Outcome = {
  readonly profile: Profile
  readonly isFull: boolean
  readonly isTwin: boolean
  readonly closed: 'right' | 'wrong' | 'twin' | 'none'
  readonly open: 'wrong' | 'twin' | 'none'
  readonly isReview: boolean
  readonly isBlocked: boolean
}

function figuresOf(outcomes: readonly Outcome[]): CopyFigures {
  const count = (test: (outcome: Outcome) => boolean): number => outcomes.filter(test).length
  const right = count(({ closed }) => closed === 'right')
  const wrong = count(({ closed }) => closed === 'wrong')
  const single = outcomes.filter(({ isTwin }) => !isTwin)
  return {
    copies: outcomes.length,
    assigned: count(({ closed }) => closed !== 'none'),
    wrong,
    twins: count(({ closed }) => closed === 'twin'),
    precision: ratio(right, right + wrong),
    recall: ratio(right, outcomes.length),
    recallWithoutTwins: ratio(single.filter(({ closed }) => closed === 'right').length, single.length),
    reviewRate: ratio(
      count(({ isReview }) => isReview),
      outcomes.length,
    ),
    blockRecall: ratio(
      count(({ isBlocked }) => isBlocked),
      outcomes.length,
    ),
    openWorldTwins: ratio(
      count(({ open }) => open === 'twin'),
      outcomes.length,
    ),
    openWorldFalse: ratio(
      count(({ open }) => open === 'wrong'),
      outcomes.length,
    ),
  }
}

const maxExamples = 40

export type CopyOptions = {
  readonly seed: number
  readonly copies: number
  readonly corpus: string
  /** The notices from which copies in another language are made; if there are none, there are no such copies. */
  readonly translated: readonly Listing[]
}

/** Copies of notices by profile, placed among all notices: once with the true one present, once without it. */
export function placedCopies(
  listings: readonly Listing[],
  index: MatchIndex,
  { seed, copies, corpus, translated }: CopyOptions,
): CopyReport | undefined {
  if (listings.length === 0) return undefined
  const random = randomOf(seed)
  const labels = readCpvLabels(corpus)
  const outcomes: Outcome[] = []
  const examples: string[] = []
  for (let number = 0; number < copies; number++) {
    const profile = profiles[number % profiles.length]!
    if (profile === 'translated' && translated.length === 0) continue
    const base = random.pick(profile === 'translated' ? translated : listings)
    const listing = perturb(base, profile, labels, random)
    const copy = recordOf(listing)
    const truth = index.records.get(nameOf(base))!
    const isTwinOf = (key: string): boolean => {
      const other = index.records.get(key)
      return other !== undefined && (twinKey(other) === twinKey(truth) || isTwinByTitle(other, truth))
    }
    const { candidates, cluster } = index.place(copy)
    const others = cluster.keys.filter((key) => key !== copy.key)
    const isStranger = (key: string): boolean => key !== truth.key && !isTwinOf(key)
    const closed =
      others.length === 0 ? 'none' : others.includes(truth.key) ? 'right' : others.some(isTwinOf) ? 'twin' : 'wrong'
    const open = index.without(truth, () => {
      const placed = index.place(copy).cluster.keys.filter((key) => key !== copy.key)
      return placed.length === 0 ? 'none' : placed.some(isStranger) ? 'wrong' : 'twin'
    })
    const isFull =
      profile !== 'list-row' &&
      [copy, truth].every(({ cpv, descriptionLength }) => cpv.length > 0 || descriptionLength > 0)
    outcomes.push({
      profile,
      isFull,
      isTwin: index.twins(truth, truth) > 1,
      closed,
      open,
      isReview: closed === 'none' && cluster.reviews.length > 0,
      isBlocked: candidates.some(({ key }) => key === truth.key),
    })
    if (closed === 'wrong' || open === 'wrong')
      examples.push(
        `${open === 'wrong' ? 'open' : 'closed'} ${copy.key} with ` +
          `${(closed === 'wrong' ? others : index.without(truth, () => index.place(copy).cluster.keys)).join(' ')}`,
      )
    else if (closed === 'none') {
      const edge = index.edge(copy, truth)
      examples.push(`missed ${copy.key}: ${edge.kind} ${edge.rule} ${edge.score} (${edge.evidence})`)
    }
  }
  return {
    seed,
    records: listings.length,
    all: figuresOf(outcomes),
    full: figuresOf(outcomes.filter(({ isFull }) => isFull)),
    byProfile: Object.fromEntries(
      profiles.map((profile) => [profile, figuresOf(outcomes.filter((outcome) => outcome.profile === profile))]),
    ),
    examples: examples
      .sort((a, b) => Number(a.startsWith('missed')) - Number(b.startsWith('missed')))
      .slice(0, maxExamples),
  }
}

export function readCpvLabels(corpus: string): CpvLabels {
  const path = join(corpus, 'codelists/cpv.csv')
  if (!existsSync(path)) return new Map()
  const [head, ...rows] = readFileSync(path, 'utf8').trim().split('\n')
  const column = head!.split(',').indexOf('label_de')
  // Labels hold commas only within quotes; the fields before the German one hold none.
  return new Map(
    rows.map((row) => {
      const fields = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        (match) => match[1] ?? match[2] ?? '',
      )
      return [fields[0]!, fields[column] ?? '']
    }),
  )
}

type GroupFigures = {
  readonly groups: number
  readonly joined: number
  readonly apart: readonly string[]
  readonly mergedByCopiedIds: number
  readonly notices: number
  readonly orphanShare: number
  readonly largeGroupShare: number
}

/** Stage A on the linked groups, with ids kept. */
async function linkedGroups(corpus: string): Promise<GroupFigures | undefined> {
  const path = join(corpus, 'LINKED-GROUPS.tsv')
  if (!existsSync(path)) return undefined
  const byFile = new Map<string, readonly Notice[]>()
  for await (const { file, notices } of readNotices(corpus)) byFile.set(file, notices)
  const all = [...byFile.values()].flat()
  const components = resolve(
    all.map((notice, index) => ({ rowId: String(index).padStart(8, '0'), sourceId: notice.publisher, notice })),
  )
  const componentOf = new Map(
    components.flatMap(({ units }, number) => units.map(({ notice }) => [notice.noticeKey, number] as const)),
  )
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
  const groups = Map.groupBy(rows, (fields) => fields[0]!)
  const apart = [...groups]
    .filter(
      ([, fields]) =>
        new Set(
          fields.flatMap((field) => (byFile.get(field[2]!) ?? []).map(({ noticeKey }) => componentOf.get(noticeKey))),
        ).size !== 1,
    )
    .map(([group]) => group)
  const copied = components.filter(
    ({ units }) =>
      new Set(
        units
          .filter(({ notice }) => notice.procedureId === 'aff2863e-b4cc-4e91-baba-b3b85f709117')
          .map(({ notice }) => notice.noticeKey),
      ).size > 1,
  )
  return {
    groups: groups.size,
    joined: groups.size - apart.length,
    apart: apart.sort(),
    mergedByCopiedIds: copied.length,
    notices: all.length,
    orphanShare: ratio(components.filter(({ units }) => units.length === 1).length, components.length),
    largeGroupShare: ratio(components.filter(({ units }) => units.length > 10).length, components.length),
  }
}

type StockFigures = {
  readonly records: number
  readonly tenders: number
  readonly orphanShare: number
  readonly largeGroups: number
  readonly reviewShare: number
  readonly candidatesPerRecord: number
  readonly keysPerRecord: number
  readonly prepareMs: number
  readonly decideMs: number
}

/**
 * All notices of the national service placed together: how many are joined, and what it costs. `prepareMs` was measured
 * before.
 */
function wholeStock(index: MatchIndex, prepareMs: number): StockFigures | undefined {
  const records = [...index.records.values()]
  if (records.length === 0) return undefined
  const pairs: (readonly [MatchRecord, MatchRecord])[] = []
  for (const record of records)
    for (const other of index.candidates(record)) if (record.key < other.key) pairs.push([record, other])
  const start = performance.now()
  for (const [a, b] of pairs) decide(a, b, { twins: 1 })
  const decideMs = (performance.now() - start) / Math.max(1, pairs.length)
  const clusters = index.clusters()
  return {
    records: records.length,
    tenders: clusters.length,
    orphanShare: ratio(clusters.filter(({ keys }) => keys.length === 1).length, clusters.length),
    largeGroups: clusters.filter(({ keys }) => keys.length > 10).length,
    reviewShare: ratio(clusters.filter(({ reviews }) => reviews.length > 0).length, clusters.length),
    candidatesPerRecord: (2 * pairs.length) / records.length,
    keysPerRecord: records.reduce((total, record) => total + blockingKeys(record).length, 0) / records.length,
    prepareMs,
    decideMs,
  }
}

/** One set of rules on copies of notices of authorities from which nothing was learned. */
type RulesFigures = {
  readonly rules: string
  readonly precision: number
  readonly recall: number
  readonly openWorldFalse: number
  readonly reviewRate: number
  readonly translatedRecall: number
  readonly translatedWrong: number
  readonly translatedFalse: number
}

type RulesReport = {
  readonly copies: number
  readonly translated: number
  readonly rows: readonly RulesFigures[]
}

/** The last key of DIGIWHIST: the authority's number, if the bodies are the same. It never uses titles. */
const byNumber: Rules = (a, b) => {
  const { sharedReference, buyer } = compareRecords(a, b)
  const isOne = sharedReference && (buyer === 'equal' || buyer === 'contained')
  return { kind: isOne ? 'merge' : 'none', rule: 'number', score: isOne ? 1 : 0, evidence: '' }
}

/** The same copies for each set of rules, of authorities that provided no pair for learning. */
function comparedRules(listings: readonly Listing[], index: MatchIndex, options: CopyOptions): RulesReport | undefined {
  const kept = listings.filter((listing) => !isToLearn(authorityOfRecord(index.records.get(nameOf(listing))!)))
  const before = index.rules
  const sets: readonly (readonly [name: string, rules: Rules])[] = [
    ['set by hand', decide],
    ['learned', decideByLearned],
    ['number and body (DIGIWHIST)', byNumber],
  ]
  const rows = sets.flatMap(([name, rules]) => {
    index.rules = rules
    const report = placedCopies(kept, index, options)
    const translated = report?.byProfile['translated']
    if (!report || !translated) return []
    return [
      {
        rules: name,
        precision: report.full.precision,
        recall: report.full.recall,
        openWorldFalse: report.all.openWorldFalse,
        reviewRate: report.all.reviewRate,
        translatedRecall: translated.recall,
        translatedWrong: translated.wrong,
        translatedFalse: translated.openWorldFalse,
      },
    ]
  })
  index.rules = before
  return rows.length === 0 ? undefined : { copies: options.copies, translated: options.translated.length, rows }
}

export type ResolutionReport = {
  readonly rules?: RulesReport
  readonly labeledPairs?: PairFigures
  readonly listRows?: ListRowFigures
  readonly copies?: CopyReport
  readonly withinPortal?: WithinPortalReport
  readonly linkedGroups?: GroupFigures
  readonly wholeStock?: StockFigures
}

export type ResolutionOptions = Omit<CopyOptions, 'translated'> & { readonly onProgress?: (text: string) => void }

/** All parts of the evaluation for which the corpus has data. */
export async function benchResolution({
  onProgress = () => {},
  ...options
}: ResolutionOptions): Promise<ResolutionReport> {
  const folder = join(options.corpus, 'cross-portal')
  onProgress('labeled pairs')
  const pairs = labeledPairs(folder)
  onProgress('notices of the national service')
  const translated = await listingsInOtherLanguages(options.corpus)
  const doe = doeIndex(folder, translated)
  onProgress('list rows')
  const rows = listRows(folder, doe.withoutDeadlines)
  onProgress('merges inside one portal')
  const within = withinPortal(options.corpus, doe.withoutDeadlines)
  onProgress(`${options.copies} copies`)
  const copies = placedCopies(doe.listings, doe.index, { ...options, translated })
  onProgress('the same by other rules')
  const rules = comparedRules(doe.listings, doe.index, { ...options, translated })
  onProgress('all notices together')
  const stock = wholeStock(doe.withoutDeadlines, doe.prepareMs)
  onProgress('linked groups')
  const groups = await linkedGroups(options.corpus)
  return {
    ...(pairs ? { labeledPairs: pairs } : {}),
    ...(rows ? { listRows: rows } : {}),
    ...(copies ? { copies } : {}),
    ...(rules ? { rules } : {}),
    ...(within ? { withinPortal: within } : {}),
    ...(groups ? { linkedGroups: groups } : {}),
    ...(stock ? { wholeStock: stock } : {}),
  }
}

/** Notices with titles in several languages, of authorities from which nothing was learned. */
export async function listingsInOtherLanguages(corpus: string): Promise<Listing[]> {
  const translated = await readTranslated(corpus)
  return translated.filter((each) => !each.isLot && !isOfLearning(each)).map(({ listing }) => listing)
}

/** The notices of the national service with their deadlines, in an index; other notices are only in `index`. */
export function doeIndex(
  folder: string,
  others: readonly Listing[] = [],
): {
  readonly listings: Listing[]
  readonly index: MatchIndex
  readonly withoutDeadlines: MatchIndex
  readonly prepareMs: number
} {
  const listings = readDoeListings(folder).map(withDeadline)
  const start = performance.now()
  const records = listings.map(recordOf)
  const prepareMs = (performance.now() - start) / Math.max(1, listings.length)
  const index = new MatchIndex()
  const withoutDeadlines = new MatchIndex()
  for (const record of records) {
    index.add(record)
    withoutDeadlines.add({ ...record, deadlines: [] })
  }
  if (listings.length > 0) for (const other of others) index.add(recordOf(other))
  return { listings, index, withoutDeadlines, prepareMs }
}

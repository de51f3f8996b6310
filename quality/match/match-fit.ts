// `npm run bench -- match`: counts the labels of a corpus or of a stock, learns the weights of matching from them on
// half of the authorities, tests them on authorities that they have not seen, and writes the tables.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WordTables } from '../../src/consolidate/match/translated-words.ts'
import type { Notice } from '../../src/domain/notice.ts'
import { openStore } from '../../src/store/database/database.ts'
import { listNotices } from '../../src/store/received/notices.ts'
import { listDecisions } from '../../src/store/stock/reviews.ts'
import { readNotices } from '../corpus-notices.ts'
import { doeIndex, readCpvLabels } from '../resolution.ts'
import { countPair, parallelTexts } from './count-translations.ts'
import {
  countLabels,
  freeLabels,
  isBetween,
  type LabelCounts,
  type LabeledPair,
  labelsOfDecisions,
} from './free-labels.ts'
import {
  calibrationOf,
  folds,
  isToLearn,
  learnWeights,
  minScore,
  type Scored,
  scoredByFolds,
  type TrainingCase,
} from './learn-weights.ts'
import type { MatchWeights } from './match-weights.ts'
import { authorityOfRecord, casesOfCopies, casesOfPeople, casesOfTranslations, trainingCase } from './training-pairs.ts'
import { isOfLearning, readTranslated } from './translations.ts'

const root = join(import.meta.dirname, '../..')
const data = join(import.meta.dirname, 'data')
const wordTables = join(root, 'src/consolidate/match/data/word-translations.json')

/**
 * Maximum share of placed notices that may be merged with a stranger: between portals 0.002 is the goal for all
 * together.
 */
const wantedFalse = 0.001
/** Even odds: a pair with less is not worth an operator's minute. */
const leastToReview = 0
/** Languages of the official journal's labels; Norwegian is counted in Danish ones (`count-translations.ts`). */
const withEnglish = 'bg cs da de el es et fi fr ga hr hu it lt lv mt nl no pl pt ro sk sl sv'.split(' ')
/** Languages of one country, in which its authorities write one title; all other pairs are read by way of English. */
const ofOneCountry = ['de-fr', 'de-it', 'de-nl', 'fi-sv', 'fr-it', 'fr-nl']
const languagePairs = [
  ...withEnglish.map((language) => (language < 'en' ? `${language}-en` : `en-${language}`)),
  ...ofOneCountry,
].sort()

export type MatchFitOptions = {
  readonly corpus: string
  readonly seed: number
  readonly copies: number
  readonly fit: boolean
  /** A data folder, or the address of a PostgreSQL server, in place of the corpus. */
  readonly stock?: string
  readonly onProgress: (text: string) => void
}

export type MatchFitReport = {
  readonly labels: LabelCounts
  readonly cases: number
  readonly same: number
  readonly authorities: number
  readonly table: MatchWeights
  /** Results on an authority of weights that were learned without it. */
  readonly kept: readonly { readonly wanted: number; readonly least: number; readonly recall: number }[]
  readonly isWritten: boolean
}

export type FitSource = {
  readonly cases: readonly TrainingCase[]
  readonly translations: readonly TrainingCase[]
  readonly commit: string
  readonly seed: number
}

const isTranslation = ({ terms }: TrainingCase): boolean => terms.some(([term]) => term === 'translation')

const countOf = (cases: readonly TrainingCase[]): number => new Set(cases.map(({ placed }) => placed)).size

/** Writes the table: the same cases give the same table. */
export function fitTable(
  { cases, translations, commit, seed }: FitSource,
  scored: readonly Scored[] = scoredByFolds(cases),
): MatchWeights {
  const all = [...cases, ...translations]
  const digest = hash('sha256', JSON.stringify(all))
  return {
    version: digest.slice(0, 8),
    origin: {
      commit,
      data: digest,
      seed,
      cases: all.length,
      authorities: new Set(all.map(({ authority }) => authority)).size,
    },
    weights: { ...translatedWeights(translations), ...weightsOf(cases) },
    wantedFalse,
    least: minScore(scored, countOf(cases), wantedFalse),
    leastOfTranslation: minScore(scoredByFolds(translations), countOf(translations), wantedFalse),
    leastToReview,
    calibration: calibrationOf(scored),
  }
}

const isOfTranslation = (term: string): boolean => term.startsWith('translation')

const weightsOf = (cases: readonly TrainingCase[]): MatchWeights['weights'] =>
  Object.fromEntries(Object.entries(learnWeights(cases)).filter(([term]) => !isOfTranslation(term)))

const translatedWeights = (translations: readonly TrainingCase[]): MatchWeights['weights'] =>
  Object.fromEntries(Object.entries(learnWeights(translations)).filter(([term]) => isOfTranslation(term)))

export async function benchMatchFit(options: MatchFitOptions): Promise<MatchFitReport | undefined> {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const read = options.stock === undefined ? await readCorpus(options) : await readStock(options.stock)
  if (read === undefined) return undefined
  options.onProgress('learning')
  const { cases, translations, labels } = read
  const scored = scoredByFolds(cases)
  const table = fitTable({ cases, translations, commit, seed: options.seed }, scored)
  if (options.fit) {
    writeFileSync(join(data, 'match-weights.json'), asFormatted(table))
    if (read.words) writeFileSync(wordTables, `${JSON.stringify({ pairs: read.words }, null, 2)}\n`)
  }
  const all = [...cases, ...translations]
  return {
    labels: countLabels(labels),
    cases: all.length,
    same: all.filter(({ isSame }) => isSame).length,
    authorities: table.origin.authorities,
    table,
    kept: curveOf(scored, countOf(cases)),
    isWritten: options.fit,
  }
}

/** Recall of pairs without a veto at several rates of wrong merges. */
function curveOf(scored: readonly Scored[], placed: number): MatchFitReport['kept'] {
  const same = scored.filter(({ isSame }) => isSame)
  return [0.0005, 0.001, 0.002, 0.004].map((wanted) => {
    const least = minScore(scored, placed, wanted)
    return { wanted, least, recall: same.filter(({ score }) => score >= least).length / Math.max(1, same.length) }
  })
}

type Read = {
  readonly labels: readonly LabeledPair[]
  readonly cases: readonly TrainingCase[]
  readonly translations: readonly TrainingCase[]
  readonly words?: { readonly [pair: string]: string }
}

async function readCorpus({ corpus, seed, copies, onProgress }: MatchFitOptions): Promise<Read | undefined> {
  const folder = join(corpus, 'cross-portal')
  if (!existsSync(folder)) return undefined
  onProgress('labels')
  const notices: Notice[] = []
  for await (const { notices: own } of readNotices(corpus)) notices.push(...own)
  const labels = freeLabels(notices)
  onProgress('titles in several languages')
  const translated = (await readTranslated(corpus)).filter(isOfLearning)
  const texts = await parallelTexts(corpus, translated)
  const words = Object.fromEntries(
    languagePairs
      .map((pair) => [pair, countPair(texts, pair.slice(0, 2), pair.slice(3))] as const)
      .filter(([, lines]) => lines !== ''),
  )
  const tables = new WordTables(words)
  const translations = casesOfTranslations(translated, copies, seed, tables)
  onProgress(`${copies} copies`)
  const { listings, index } = doeIndex(folder)
  const own = listings.filter((listing) => isToLearn(authorityOfRecord(index.records.get(`doe:${listing.id}`)!)))
  const cases = [
    ...casesOfCopies({ listings: own, index, labels: readCpvLabels(corpus) }, copies, seed),
    ...casesOfPeople(corpus).filter(({ authority }) => isToLearn(authority)),
    ...casesOfLabels(labels).filter(({ authority }) => isToLearn(authority)),
  ]
  return { labels, cases: cases.filter((each) => !isTranslation(each)), translations, words }
}

/** Pairs of two portals only: within one portal, rules decide. */
function casesOfLabels(labels: readonly LabeledPair[]): TrainingCase[] {
  return labels.filter(isBetween).flatMap((pair) => trainingCase(pair, 1, `${pair.a.key} ${pair.b.key}`) ?? [])
}

const page = 2000

async function readStock(stock: string): Promise<Read> {
  const isServer = /^postgres(?:ql)?:/.test(stock)
  const store = await openStore(isServer ? { databaseUrl: stock, dataFolder: '' } : { dataFolder: stock })
  try {
    const notices: Notice[] = []
    for (let after = ''; ; ) {
      const rows = await listNotices(store.db, after, page)
      notices.push(...rows.map(({ notice }) => notice))
      if (rows.length < page) break
      after = rows.at(-1)!.noticeId
    }
    return casesOfStock(notices, await listDecisions(store.db))
  } finally {
    await store.close()
  }
}

/** What a stock provides for learning: procedure IDs that several portals show, and decisions of operators. */
export function casesOfStock(
  notices: readonly Notice[],
  decisions: readonly { readonly left: string; readonly right: string; readonly decision: 'merge' | 'split' }[],
): Read {
  const labels = [...freeLabels(notices), ...labelsOfDecisions(notices, decisions)]
  const cases = casesOfLabels(labels)
  return { labels, cases: cases.filter((each) => !isTranslation(each)), translations: cases.filter(isTranslation) }
}

const asFormatted = (table: MatchWeights): string =>
  `${JSON.stringify(table, null, 2).replace(/\{\s+"from"[^}]*\}/g, (row) => row.replace(/\s+/g, ' '))}\n`

export function matchFitAsMarkdown({
  labels,
  cases,
  same,
  authorities,
  table,
  kept,
  isWritten,
}: MatchFitReport): string {
  const counts = ({ same: one, different }: LabelCounts['within']): string => `${one} | ${different}`
  return [
    'Labels by procedure ID, and decisions of operators:',
    '',
    '| | One tender | Two tenders |',
    '|---|--:|--:|',
    `| within one portal | ${counts(labels.within)} |`,
    `| between two portals | ${counts(labels.between)} |`,
    '',
    `Learned from ${cases} pairs without a veto (${same} of one tender) of ${authorities} authorities; ` +
      `version ${table.version}, least score ${table.least}, of translations ${table.leastOfTranslation}.`,
    '',
    `What weights say of authorities that they were not learned from (${folds} folds):`,
    '',
    '| Wrong merges wanted | Least score | Recall of pairs without a veto |',
    '|--:|--:|--:|',
    ...kept.map(({ wanted, least, recall }) => `| ${wanted} | ${least} | ${recall.toFixed(4)} |`),
    '',
    '| Score from | Pairs | One tender, said | is |',
    '|--:|--:|--:|--:|',
    ...table.calibration.map((row) => `| ${row.from} | ${row.pairs} | ${row.said} | ${row.true} |`),
    '',
    '| Evidence | Points |',
    '|---|--:|',
    ...Object.entries(table.weights).map(([term, weight]) => `| ${term} | ${weight} |`),
    ...(isWritten ? ['', 'Written to quality/match/data and src/consolidate/match/data.'] : []),
  ].join('\n')
}

// How well the fit score finds what companies won, compared with simpler scores; and the table of weights that is
// shipped.
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TenderRecord } from '../../src/domain/tender.ts'
import { type FitWeights, modelOf, readFitModel, type StoredModel } from '../../src/hits/fit/fit-model.ts'
import { readCorpusRecords } from '../corpus-records.ts'
import { countAuthorityTerms, countPieces, countTerms } from './count-terms.ts'
import {
  type Case,
  type CaseParts,
  type Company,
  casesOf,
  companiesOf,
  countryOf,
  dateOf,
  partCount,
  partNames,
  partsOf,
} from './fit-cases.ts'
import { learnWeights, scoreOfParts, weightList } from './learn-weights.ts'

const root = join(import.meta.dirname, '../..')
const modelPath = join(root, 'src/hits/fit/data/fit-model.json')

/** Start of the learning: the formula, with half of CPV by its rarity and the nearest past wins. */
const start: FitWeights = {
  cpv: 0.21,
  cpvRarity: 0.21,
  keywords: 0.34,
  pastWins: 0.2,
  winTitles: 0.2,
  winAuthorities: 0.2,
  region: 0.16,
  value: 0.08,
  pastAuthority: 6,
}
const formula: FitWeights = { ...start, cpv: 0.42, cpvRarity: 0, pastWins: 0, winTitles: 0, winAuthorities: 0 }
const folds = 5
/** Share of the cases, oldest first, from which the weights are learned that are tested on the later ones. */
const earlier = 0.6
/** Shares of the earlier cases, the latest first, for the learning curve: 0 is the start of the learning. */
const learningShares = [0, 0.25, 0.5, 0.75, 1]
/** Number of stretches of time with equally many cases: each but the first is tested with what was known before it. */
const stretches = 5

type Score = (parts: Float64Array, at: number) => number
type Figures = { readonly cases: number; readonly mrr: number; readonly error: number; readonly top10: number }
type FitRow = { readonly score: string; readonly all: Figures; readonly newAuthority: Figures }
type Gain = { readonly mean: number; readonly error: number }
type FitPartReport = {
  readonly title: string
  readonly medianPool: number
  readonly rows: readonly FitRow[]
  readonly gain: Gain
}
/**
 * What the score gains over the formula on later awards, by the number of earlier ones from which its weights were
 * learned.
 */
type LearningRow = { readonly learnedOn: number; readonly mrr: number; readonly gain: Gain }
export type FitReport = {
  readonly records: number
  readonly companies: number
  readonly ofCryostats: number
  readonly parts: readonly FitPartReport[]
  readonly learning: readonly LearningRow[]
  /** Results by stretches of time, with the weights with which the learning begins. */
  readonly unlearned: Gain
  /** The table to ship, if `--fit` was given. */
  readonly written?: StoredModel
}

export type FitOptions = {
  readonly corpus: string
  readonly seed: number
  readonly fit: boolean
  readonly onProgress: (text: string) => void
}

const orZero = (likeness: number | undefined): number =>
  likeness === undefined || Number.isNaN(likeness) ? 0 : likeness
const single =
  (part: (typeof partNames)[number]): Score =>
  (parts, at) =>
    orZero(parts[at + partNames.indexOf(part)])
const authorityAt = partNames.length + 1

/** The shipped score before calibration, which does not change an order. */
function ours(weights: FitWeights): Score {
  const list = weightList(weights)
  return (parts, at) =>
    Math.min(1, scoreOfParts(parts, at, list) + (weights.pastAuthority / 100) * parts[at + authorityAt]!)
}

/** The formula from which the score was developed: weights set by hand, halved if neither code nor word is similar. */
const byFormula: Score = (parts, at) => {
  const sum = scoreOfParts(parts, at, weightList(formula))
  const isFar = parts[at]! < 0.5 && parts[at + partNames.indexOf('keywords')]! < 0.25
  const raw = (isFar ? sum / 2 : sum) + (formula.pastAuthority / 100) * parts[at + authorityAt]!
  return Math.min(1, isOneMissing(parts, at) ? Math.min(raw, 0.6) : raw)
}

const isOneMissing = (parts: Float64Array, at: number): boolean =>
  Number.isNaN(parts[at]!) !== Number.isNaN(parts[at + partNames.indexOf('keywords')]!)

/** Rank of the won tender; candidates of the same score share the mean of their ranks. */
function rankOf({ answer, parts, count }: CaseParts, score: Score): number {
  const own = score(parts, answer * partCount)
  let [above, same] = [0, 0]
  for (let candidate = 0; candidate < count; candidate++) {
    if (candidate === answer) continue
    const other = score(parts, candidate * partCount)
    if (other > own) above++
    else if (other === own) same++
  }
  return 1 + above + same / 2
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const errorOf = (values: readonly number[]): number => {
  const center = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - center) ** 2)) / Math.max(1, values.length - 1))
}

function figuresOf(ranks: readonly number[]): Figures {
  const inverse = ranks.map((rank) => 1 / rank)
  return {
    cases: ranks.length,
    mrr: mean(inverse),
    error: errorOf(inverse),
    top10: mean(ranks.map((rank) => (rank <= 10 ? 1 : 0))),
  }
}

function reportOf(
  title: string,
  cases: readonly Case[],
  parts: readonly CaseParts[],
  learned: readonly FitWeights[],
): FitPartReport {
  const scores: readonly (readonly [string, (index: number) => Score])[] = [
    ['CPV alone', () => single('cpv')],
    ['words alone (BM25)', () => single('keywords')],
    ['texts of the nearest past win alone', () => single('pastWins')],
    ['the formula', () => byFormula],
    ['the score', (index) => ours(learned[index]!)],
  ]
  const ranks = scores.map(([, scoreAt]) => parts.map((each, index) => rankOf(each, scoreAt(index))))
  const gains = ranks[4]!.map((rank, index) => 1 / rank - 1 / ranks[3]![index]!)
  const pools = parts.map(({ count }) => count).sort((a, b) => a - b)
  return {
    title,
    medianPool: pools[pools.length >> 1] ?? 0,
    rows: scores.map(([score], row) => ({
      score,
      all: figuresOf(ranks[row]!),
      newAuthority: figuresOf(ranks[row]!.filter((_, index) => cases[index]!.isNewAuthority)),
    })),
    gain: { mean: mean(gains), error: errorOf(gains) },
  }
}

const countsOnly = (records: readonly TenderRecord[]): StoredModel => ({
  commit: '',
  data: '',
  seed: 0,
  weights: start,
  calibration: readFitModel().calibration,
  words: countTerms(records),
  pieces: countPieces(records),
  authorities: countAuthorityTerms(records),
})

export async function benchFit({ corpus, seed, fit, onProgress }: FitOptions): Promise<FitReport | undefined> {
  // that of the running program, whatever is committed meanwhile
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  onProgress('reading the corpus')
  const records = await readCorpusRecords(corpus)
  if (records.length === 0) return undefined
  const pools = Map.groupBy(records, countryOf)
  const all = companiesOf(records)
  const companies = all.filter(({ isOfCryostats }) => !isOfCryostats)
  onProgress('counting terms')
  const stored = countsOnly(records)

  const byFold = (from: readonly Company[], title: string): FitPartReport => {
    onProgress(title)
    const cases = casesOf(from, pools, false)
    const parts = partsOf(cases, pools, modelOf(stored))
    const foldOf = ({ company }: Case): number =>
      Number.parseInt(hash('sha256', `${seed}|${company.name}`).slice(0, 8), 16) % folds
    const weights = Array.from({ length: folds }, (_, fold) =>
      learnWeights(
        parts.filter((_, index) => foldOf(cases[index]!) !== fold),
        start,
      ),
    )
    return reportOf(
      title,
      cases,
      parts,
      cases.map((each) => weights[foldOf(each)]!),
    )
  }
  const world = { companies, pools, records }
  onProgress('awards in time')
  const time = inTime(world)
  onProgress('stretch by stretch')
  const stretched = stretchByStretch(world)
  const measured = {
    records: records.length,
    companies: companies.length,
    ofCryostats: all.length - companies.length,
    parts: [
      byFold(companies, `Weights of other companies (${folds} folds)`),
      byFold(all, 'The same with the makers of cryostats'),
      time.report,
      stretched.report,
    ],
    learning: time.learning,
    unlearned: stretched.unlearned,
  }
  if (!fit) return measured
  onProgress('fitting the table')
  const cases = casesOf(companies, pools, false)
  const weights = learnWeights(partsOf(cases, pools, modelOf(stored)), start)
  const written: StoredModel = {
    commit,
    data: hash('sha256', JSON.stringify(records)),
    seed,
    weights,
    calibration: readFitModel().calibration,
    words: stored.words,
    pieces: stored.pieces,
    authorities: stored.authorities,
  }
  writeFileSync(modelPath, `${asFormatted(written)}\n`)
  return { ...measured, written }
}

/** Formats it as the linter requires: points of the calibration in one line. */
const asFormatted = (model: StoredModel): string =>
  JSON.stringify(model, null, 2).replace(/\[[\s\d.,[\]]+\](?=,?\n)/g, (points) =>
    points.replace(/\s+/g, '').replaceAll(',', ', '),
  )

type World = {
  readonly companies: readonly Company[]
  readonly pools: ReadonlyMap<string, readonly TenderRecord[]>
  readonly records: readonly TenderRecord[]
}

/** What was known before a day: counts of terms, and the awards from which to learn, the oldest first. */
function knownBefore({ companies, records }: World, day: string) {
  const before = records.filter((record) => dateOf(record) < day)
  const pools = Map.groupBy(before, countryOf)
  // of the earlier awards, those before a company's others are used too: there are few
  const cases = casesOf(
    companies.map((company) => ({ ...company, wins: company.wins.filter((win) => dateOf(win) < day) })),
    pools,
    false,
  ).sort((a, b) => (dateOf(a.won) < dateOf(b.won) ? -1 : 1))
  const model = modelOf(countsOnly(before))
  return { model, parts: partsOf(cases, pools, model) }
}

/** Tests later awards by weights and counts of what was known before. */
function inTime(world: World): { readonly report: FitPartReport; readonly learning: LearningRow[] } {
  const all = casesOf(world.companies, world.pools, true)
  const dates = all.map(({ won }) => dateOf(won)).sort()
  const day = dates[Math.floor(dates.length * earlier)]!
  const known = knownBefore(world, day)
  const late = all.filter(({ won }) => dateOf(won) >= day)
  const parts = partsOf(late, world.pools, known.model)
  const report = (weights: FitWeights) =>
    reportOf(
      `Awards from ${day.slice(0, 10)} on, by what was known before (${known.parts.length} cases to learn from)`,
      late,
      parts,
      late.map(() => weights),
    )
  const learning = learningShares.map((share) => {
    const learnedOn = Math.round(known.parts.length * share)
    const newest = known.parts.slice(known.parts.length - learnedOn)
    const { rows, gain } = report(learnedOn === 0 ? start : learnWeights(newest, start))
    return { learnedOn, mrr: rows.at(-1)!.all.mrr, gain }
  })
  return { report: report(learnWeights(known.parts, start)), learning }
}

/** Tests each award but the oldest by weights and counts of what was known before its stretch of time. */
function stretchByStretch(world: World): { readonly report: FitPartReport; readonly unlearned: Gain } {
  const all = casesOf(world.companies, world.pools, true)
  const dates = all.map(({ won }) => dateOf(won)).sort()
  const days = Array.from({ length: stretches - 1 }, (_, index) => {
    return dates[Math.floor((dates.length * (index + 1)) / stretches)]!
  })
  const tried = days.map((day, index) => {
    const known = knownBefore(world, day)
    const end = days[index + 1]
    const cases = all.filter(({ won }) => dateOf(won) >= day && (end === undefined || dateOf(won) < end))
    const weights = learnWeights(known.parts, start)
    return { cases, parts: partsOf(cases, world.pools, known.model), weights: cases.map(() => weights) }
  })
  const cases = tried.flatMap((each) => each.cases)
  const parts = tried.flatMap((each) => each.parts)
  const report = (weights: readonly FitWeights[]) =>
    reportOf(
      `Awards from ${days[0]!.slice(0, 10)} on, in ${days.length} stretches, each by what was known before it`,
      cases,
      parts,
      weights,
    )
  return {
    report: report(tried.flatMap(({ weights }) => weights)),
    unlearned: report(cases.map(() => start)).gain,
  }
}

const figures = ({ mrr, error, top10 }: Figures): string =>
  Number.isNaN(mrr) ? '–' : `${mrr.toFixed(3)} ± ${error.toFixed(3)} / ${top10.toFixed(2)}`

export function fitAsMarkdown({
  records,
  companies,
  ofCryostats,
  parts,
  learning,
  unlearned,
  written,
}: FitReport): string {
  const lines = [
    `${records} records; ${companies} companies with two wins or more, besides ${ofCryostats} makers of cryostats.`,
  ]
  for (const { title, medianPool, rows, gain } of parts)
    lines.push(
      '',
      `${title}: ${rows[0]!.all.cases} cases, ${rows[0]!.newAuthority.cases} with an authority new to the ` +
        `company; median pool ${medianPool}. MRR ± standard error / R@10:`,
      '',
      '| Score | all | new authority |',
      '|---|--:|--:|',
      ...rows.map(({ score, all, newAuthority }) => `| ${score} | ${figures(all)} | ${figures(newAuthority)} |`),
      '',
      `The score above the formula: ${gain.mean.toFixed(3)} MRR, paired, standard error ${gain.error.toFixed(3)}.`,
    )
  lines.push(
    '',
    'Awards in time, by how many earlier cases the weights were learned on, the newest ones; none: as the learning begins:',
    '',
    '| Cases | MRR | above the formula, paired |',
    '|--:|--:|--:|',
    ...learning.map(
      ({ learnedOn, mrr, gain }) =>
        `| ${learnedOn} | ${mrr.toFixed(3)} | ${gain.mean.toFixed(3)} ± ${gain.error.toFixed(3)} |`,
    ),
    '',
    `In stretches, as the learning begins: ${unlearned.mean.toFixed(3)} above the formula, standard error ${unlearned.error.toFixed(3)}.`,
  )
  if (written)
    lines.push('', `Written: ${JSON.stringify(written.weights)}, calibration ${JSON.stringify(written.calibration)}.`)
  else if (existsSync(modelPath)) {
    const { commit, seed } = JSON.parse(readFileSync(modelPath, 'utf8')) as StoredModel
    lines.push('', `The shipped table was made at commit ${commit.slice(0, 12)} with seed ${seed}.`)
  }
  return lines.join('\n')
}

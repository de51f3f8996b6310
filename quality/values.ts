// How good estimated values are: published values are removed and estimated, split by time and by authority, compared
// with medians.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { estimateValue } from '../src/consolidate/estimate/estimate-value.ts'
import { pricedTenderOf } from '../src/consolidate/estimate/fit-stock.ts'
import { hashTerm } from '../src/consolidate/estimate/text-terms.ts'
import { type ValueInputs, valueInputsOf } from '../src/consolidate/estimate/value-inputs.ts'
import { fitValueModel, openValueModel, type PricedTender } from '../src/consolidate/estimate/value-model.ts'
import { mergeTender } from '../src/consolidate/merge.ts'
import type { Notice } from '../src/domain/notice.ts'
import { toNutsCode } from '../src/domain/nuts.ts'
import type { TenderContent } from '../src/domain/tender.ts'
import { parseSourceDateTime } from '../src/domain/time.ts'
import { readNotices } from './corpus-notices.ts'

/**
 * Errors as factors: `medianFactor` 2 means that half of the estimates are within half and double of the published
 * value.
 */
type ErrorFigures = {
  readonly tenders: number
  readonly medianFactor: number
  readonly within2: number
  readonly within3: number
  readonly within10: number
  /** Coefficient of determination of the log10 values. */
  readonly r2: number
  readonly meanAbsoluteLog: number
}

export type SplitFigures = {
  readonly split: string
  readonly fitted: number
  readonly naive: ErrorFigures
  readonly cpvMedian: ErrorFigures
  readonly all: ErrorFigures
  readonly answered: ErrorFigures
  /** The medians on the same tenders that the estimator answers. */
  readonly naiveOnAnswered: ErrorFigures
  readonly cpvMedianOnAnswered: ErrorFigures
  readonly answerRate: number
  readonly coverage: number
  readonly coverageOfAll: number
  /** Median of high / low over the answered tenders. */
  readonly width: number
  /** The six tenths with the narrowest intervals, answered or not. */
  readonly narrowest: ErrorFigures
  /** How far the mean error is below that of the CPV median, as a share of it. */
  readonly gain: Share
  /** Countries with a hundred tenders: of the answered ones, how many are in their interval. */
  readonly countries: readonly { readonly country: string; readonly answered: number; readonly coverage: Share }[]
  /** What a search by a least value finds among the estimates. */
  readonly bounds: readonly BoundFigures[]
}

/**
 * `chance` is the share of all tested tenders with at least this value; `precision` that of the estimates above it,
 * `recall` how many of the tenders with such a value they find.
 */
type BoundFigures = {
  readonly euros: number
  readonly above: number
  readonly precision: Share
  readonly chance: number
  readonly recall: number
}

/** A share with its standard error. */
type Share = { readonly share: number; readonly error: number }

/** Every authority estimated from some of the others: what more published values are worth. */
type CurvePoint = {
  readonly fitted: number
  readonly error: Share
  readonly cpvMedian: number
  /** Within ×3, of the six tenths with the narrowest intervals. */
  readonly narrowWithin3: Share
  readonly answerRate: number
  readonly coverage: number
}

export type ValuesReport = {
  readonly [set in 'german' | 'ted']?: {
    readonly priced: number
    readonly splits: readonly SplitFigures[]
    readonly curve: readonly CurvePoint[]
    /**
     * Notices without a value: how many of them receive an estimate, and how many from a value stated in their text.
     */
    readonly valueless: { readonly notices: number; readonly answered: number; readonly stated: number } | undefined
  }
}

type ValueSet = { readonly priced: readonly PricedTender[]; readonly valueless: readonly ValueInputs[] }

type DoeRow = {
  readonly id: string
  readonly title: string
  readonly issuer: string | null
  readonly region: string | null
  readonly publicationDate: string
  readonly procedureType: string
  readonly estimatedValueMin: number
  readonly estimatedValueMax: number
  readonly keywords: readonly string[]
  readonly description: string | null
}

const natures = ['works', 'supplies', 'services']

/** What the national service publishes of a row of the collector. */
function doeContentOf(row: DoeRow): TenderContent {
  const id = row.id.replace(/^\D+-/, '')
  const publicationDate = parseSourceDateTime(row.publicationDate, 'Europe/Berlin', 'start-of-day')
  const nature = row.keywords.find((word) => natures.includes(word))
  const nutsCode = toNutsCode(row.region ?? '')
  const notice: Notice = {
    noticeKey: `doe:${id}`,
    publisher: 'doe',
    format: 'eforms',
    profile: /^\d+$/.test(id) ? 'eforms-sdk-0.1' : 'eforms-de',
    noticeId: id,
    formType: 'competition',
    noticeType: 'cn-standard',
    language: 'de',
    languages: ['de'],
    title: { de: row.title },
    ...(row.description ? { description: { de: row.description } } : {}),
    ...(publicationDate ? { publicationDate } : {}),
    ...(nature ? { contractNature: nature } : {}),
    procedureType: row.procedureType === 'offen' ? 'open' : 'restricted',
    contractingAuthorities: [{ name: row.issuer ?? '', country: 'DE' }],
    cpvCodes: row.keywords.filter((word) => /^\d{8}$/.test(word)),
    nutsCodes: nutsCode ? [nutsCode] : [],
    lots: [],
    references: [],
  }
  const { content } = mergeTender(notice.noticeKey, [notice], { now: 0, isSucceeded: false })
  return JSON.parse(content) as TenderContent
}

/** The German notices of cross-portal by id, and what the collector's range says of their value. */
function readDoeRows(corpus: string): Map<string, DoeRow> {
  const path = join(corpus, 'cross-portal/doe-notices-2026-04-06.jsonl.gz')
  if (!existsSync(path)) return new Map()
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n')
  return new Map(lines.map((line) => JSON.parse(line) as DoeRow).map((row) => [row.id.replace(/^\D+-/, ''), row]))
}

/** German notices of cross-portal. A value is published where the collector's range is one point. */
export function readGermanValues(corpus: string): ValueSet | undefined {
  const rows = readDoeRows(corpus)
  if (rows.size === 0) return undefined
  const priced: PricedTender[] = []
  const valueless: ValueInputs[] = []
  for (const row of rows.values()) {
    const content = doeContentOf(row)
    const euros = row.estimatedValueMax
    if (!euros) valueless.push(valueInputsOf(content))
    else if (euros === row.estimatedValueMin) {
      const found = pricedTenderOf({ ...content, contractAmount: { value: euros, currency: 'EUR', estimated: false } })
      if (found) priced.push(found)
    }
  }
  return { priced, valueless }
}

/** A notice whose legal level was read by eye. */
export type LevelLabel = { readonly id: string; readonly level: string; readonly inputs: ValueInputs }

/** Labels of `acts/level.tsv` that are sure, with what the estimator reads of the notice. */
export function readLevelLabels(corpus: string): LevelLabel[] {
  const path = join(corpus, 'acts/level.tsv')
  const rows = readDoeRows(corpus)
  if (!existsSync(path) || rows.size === 0) return []
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  const columns = head!.split('\t')
  return lines.flatMap((line) => {
    const cells = line.split('\t')
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? ''
    const id = cell('id').replace('doe:', '')
    const own = {
      id,
      title: cell('title'),
      issuer: null,
      region: null,
      publicationDate: '2025-12-06',
      description: null,
    }
    const row = rows.get(id) ?? { ...own, procedureType: '', estimatedValueMin: 0, estimatedValueMax: 0, keywords: [] }
    if (cell('sure') !== 'sure') return []
    const [legalBasis, procedure] = [cell('legalBasis'), cell('procedureCode')].map((code) => code.replace(/^-$/, ''))
    const content = { ...doeContentOf(row), ...(legalBasis ? { legalBasis } : {}) }
    const inputs = valueInputsOf(procedure ? { ...content, procedureTypeNational: procedure } : content)
    return [{ id, level: cell('level'), inputs }]
  })
}

/** Notices of the official journal, each as a separate record; those of several currencies in euros. */
async function readTedValues(corpus: string): Promise<ValueSet | undefined> {
  const priced = new Map<string, PricedTender>()
  const valueless = new Map<string, ValueInputs>()
  for await (const { notices } of readNotices(corpus, ['ted-eforms', 'ted-legacy']))
    for (const notice of notices) {
      const { content } = mergeTender(notice.noticeKey, [notice], { now: 0, isSucceeded: false })
      const record = JSON.parse(content) as TenderContent
      const found = pricedTenderOf(record)
      if (found) priced.set(found.id, found)
      else if (!record.contractAmount && notice.formType === 'competition')
        valueless.set(record.id, valueInputsOf(record))
    }
  return priced.size > 0 ? { priced: [...priced.values()], valueless: [...valueless.values()] } : undefined
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

type Case = {
  readonly country: string
  /** Of the interval in log10, answered or not. */
  readonly spread: number
  readonly truth: number
  readonly naive: number
  readonly cpvMedian: number
  readonly model: number
  readonly isInside: boolean
  readonly answer: { readonly log: number; readonly isInside: boolean; readonly width: number } | undefined
}

function errorsOf(cases: readonly Case[], read: (each: Case) => number): ErrorFigures {
  const errors = cases.map((each) => Math.abs(read(each) - each.truth))
  const within = (factor: number): number =>
    errors.filter((error) => error <= Math.log10(factor) + 1e-9).length / errors.length
  const mean = cases.reduce((sum, { truth }) => sum + truth, 0) / cases.length
  const squares = cases.reduce((sum, { truth }) => sum + (truth - mean) ** 2, 0)
  return {
    tenders: cases.length,
    medianFactor: 10 ** median(errors),
    within2: within(2),
    within3: within(3),
    within10: within(10),
    r2: 1 - errors.reduce((sum, error) => sum + error ** 2, 0) / squares,
    meanAbsoluteLog: errors.reduce((sum, error) => sum + error, 0) / errors.length,
  }
}

/** Median by nature; and by the deepest CPV prefix with five priced tenders, else by nature. */
function mediansOf(priced: readonly PricedTender[]) {
  const logs = (members: readonly PricedTender[]): number[] => members.map(({ euros }) => Math.log10(euros))
  const all = median(logs(priced))
  const byNature = new Map(
    [...Map.groupBy(priced, ({ inputs }) => inputs.nature)].map(([nature, own]) => [nature, median(logs(own))]),
  )
  const byPrefix = new Map<string, number>()
  for (const depth of [2, 3, 4, 5, 8])
    for (const [prefix, own] of Map.groupBy(priced, ({ inputs }) => inputs.cpvCodes[0]?.slice(0, depth) ?? ''))
      if (prefix && own.length >= 5) byPrefix.set(prefix, median(logs(own)))
  const naive = ({ nature }: ValueInputs): number => byNature.get(nature) ?? all
  const cpvMedian = (inputs: ValueInputs): number => {
    const prefixes = [8, 5, 4, 3, 2].map((depth) => inputs.cpvCodes[0]?.slice(0, depth) ?? '')
    return byPrefix.get(prefixes.find((prefix) => byPrefix.has(prefix)) ?? '') ?? naive(inputs)
  }
  return { naive, cpvMedian }
}

function casesOf(fitted: readonly PricedTender[], tested: readonly PricedTender[]): Case[] {
  const model = openValueModel(fitValueModel(fitted))
  const { naive, cpvMedian } = mediansOf(fitted)
  return tested.map(({ inputs, euros }) => {
    const truth = Math.log10(euros)
    const { log, low, high } = model.predict(inputs)
    const judgement = estimateValue(model, inputs, 'bench')
    // a value stated in the text is not an achievement of the model, and does not count as its answer
    const amount =
      judgement.kind === 'estimate' && judgement.amount.basis?.includes('similar') ? judgement.amount : undefined
    const [least = 0, greatest = 0] = [amount?.low, amount?.high]
    return {
      country: inputs.country ?? '-',
      spread: high - low,
      truth,
      naive: naive(inputs),
      cpvMedian: cpvMedian(inputs),
      model: log,
      isInside: truth >= low && truth <= high,
      answer: amount && {
        log: Math.log10(amount.value),
        isInside: euros >= least && euros <= greatest,
        width: greatest / least,
      },
    }
  })
}

const binomial = (share: number, count: number): Share => ({
  share,
  error: Math.sqrt((share * (1 - share)) / Math.max(1, count)),
})

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Mean with its standard error. */
function meanShare(values: readonly number[]): Share {
  const share = meanOf(values)
  return { share, error: Math.sqrt(meanOf(values.map((value) => (value - share) ** 2)) / values.length) }
}

const errorOf = ({ model, truth }: Case): number => Math.abs(model - truth)

const narrowestOf = (cases: readonly Case[]): Case[] =>
  [...cases].sort((a, b) => a.spread - b.spread).slice(0, Math.round(cases.length * 0.6))

function gainOf(cases: readonly Case[]): Share {
  const median = meanOf(cases.map((each) => Math.abs(each.cpvMedian - each.truth)))
  const { share, error } = meanShare(cases.map((each) => Math.abs(each.cpvMedian - each.truth) - errorOf(each)))
  return { share: share / median, error: error / median }
}

const boundsInEuros = [250_000, 1_000_000, 5_000_000]

function boundsOf(cases: readonly Case[]): BoundFigures[] {
  return boundsInEuros.map((euros) => {
    const isTrue = ({ truth }: Case): boolean => truth >= Math.log10(euros)
    const above = cases.filter(({ answer }) => answer && answer.log >= Math.log10(euros))
    const [right, all] = [above.filter(isTrue).length, cases.filter(isTrue).length]
    const precision = binomial(right / Math.max(1, above.length), above.length)
    return { euros, above: above.length, precision, chance: all / cases.length, recall: right / Math.max(1, all) }
  })
}

const manyOfCountry = 100

function figuresOf(split: string, fitted: number, cases: readonly Case[]): SplitFigures {
  const answered = cases.filter(({ answer }) => answer)
  const share = (count: number, whole: number): number => count / Math.max(1, whole)
  return {
    split,
    fitted,
    naive: errorsOf(cases, (each) => each.naive),
    cpvMedian: errorsOf(cases, (each) => each.cpvMedian),
    all: errorsOf(cases, (each) => each.model),
    answered: errorsOf(answered, (each) => each.answer!.log),
    naiveOnAnswered: errorsOf(answered, (each) => each.naive),
    cpvMedianOnAnswered: errorsOf(answered, (each) => each.cpvMedian),
    answerRate: share(answered.length, cases.length),
    coverage: share(answered.filter(({ answer }) => answer!.isInside).length, answered.length),
    coverageOfAll: share(cases.filter(({ isInside }) => isInside).length, cases.length),
    width: median(answered.map(({ answer }) => answer!.width)),
    narrowest: errorsOf(narrowestOf(cases), (each) => each.model),
    gain: gainOf(cases),
    countries: [...Map.groupBy(cases, ({ country }) => country)]
      .filter(([, own]) => own.length >= manyOfCountry)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([country, own]) => {
        const answers = own.flatMap(({ answer }) => (answer ? [answer] : []))
        const inside = answers.filter(({ isInside }) => isInside).length
        return { country, answered: answers.length, coverage: binomial(share(inside, answers.length), answers.length) }
      }),
    bounds: boundsOf(cases),
  }
}

/** The newest three tenths, estimated from everything that was published before their first day. */
function splitInTime(priced: readonly PricedTender[]): SplitFigures {
  const dates = priced.map(({ date }) => date).sort()
  const cut = dates[Math.floor(dates.length * 0.7)] ?? ''
  const before = priced.filter(({ date }) => date < cut)
  const after = priced.filter(({ date }) => date >= cut)
  return figuresOf('time', before.length, casesOf(before, after))
}

const folds = 5
const parts = 8

/** Every authority estimated from the other four fifths of the authorities, or from some eighths of those. */
function casesByBuyer(priced: readonly PricedTender[], seed: number, used = parts) {
  const hashOf = ({ inputs }: PricedTender): number => hashTerm(`${seed} ${inputs.buyer.trim().toLowerCase()}`)
  let fitted = 0
  const cases = Array.from({ length: folds }, (_, fold) => {
    const others = priced.filter(
      (each) => hashOf(each) % folds !== fold && Math.floor(hashOf(each) / folds) % parts < used,
    )
    fitted += others.length / folds
    return casesOf(
      others,
      priced.filter((each) => hashOf(each) % folds === fold),
    )
  }).flat()
  return { fitted: Math.round(fitted), cases }
}

/** Every authority estimated from the other four fifths of the authorities. */
export function splitByBuyer(priced: readonly PricedTender[], seed: number): SplitFigures {
  const { fitted, cases } = casesByBuyer(priced, seed)
  return figuresOf('buyer', fitted, cases)
}

/** The error over the number of priced tenders: the model of an eighth, a quarter, a half and all of them. */
function learningCurve(priced: readonly PricedTender[], seed: number): CurvePoint[] {
  return [1, 2, 4, 8].map((used) => {
    const { fitted, cases } = casesByBuyer(priced, seed, used)
    const { answerRate, coverage, cpvMedian, narrowest } = figuresOf('buyer', fitted, cases)
    return {
      fitted,
      error: meanShare(cases.map(errorOf)),
      cpvMedian: cpvMedian.meanAbsoluteLog,
      narrowWithin3: binomial(narrowest.within3, narrowest.tenders),
      answerRate,
      coverage,
    }
  })
}

const maxValueless = 3000

/** How many notices without a value a model of all published values answers; if there are many, every nth. */
function answersOf({ priced, valueless }: ValueSet) {
  if (valueless.length === 0) return undefined
  const model = openValueModel(fitValueModel(priced))
  const step = Math.ceil(valueless.length / maxValueless)
  const asked = valueless.filter((_, index) => index % step === 0)
  const judgements = asked.map((inputs) => estimateValue(model, inputs, 'bench'))
  const amounts = judgements.flatMap((each) => (each.kind === 'estimate' ? [each.amount] : []))
  return {
    notices: asked.length,
    answered: amounts.length,
    stated: amounts.filter(({ basis }) => basis?.includes('stated in the text')).length,
  }
}

export type ValuesOptions = {
  readonly corpus: string
  readonly seed: number
  readonly onProgress?: (text: string) => void
}

export async function benchValues({ corpus, seed, onProgress = () => {} }: ValuesOptions): Promise<ValuesReport> {
  const measure = (set: ValueSet | undefined) =>
    set && {
      priced: set.priced.length,
      splits: [splitInTime(set.priced), splitByBuyer(set.priced, seed)],
      curve: learningCurve(set.priced, seed),
      valueless: answersOf(set),
    }
  onProgress('values of German notices')
  const german = measure(readGermanValues(corpus))
  onProgress('values of the official journal')
  const ted = measure(await readTedValues(corpus))
  return { ...(german && { german }), ...(ted && { ted }) }
}

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`
const withError = ({ share, error }: Share): string => `${(share * 100).toFixed(1)} ± ${(error * 100).toFixed(1)} %`

function curveAsMarkdown(curve: readonly CurvePoint[]): string[] {
  const rows = curve.map(({ fitted, error, cpvMedian, narrowWithin3, answerRate, coverage }) => {
    const cells = [
      fitted,
      `${error.share.toFixed(3)} ± ${error.error.toFixed(3)}`,
      cpvMedian.toFixed(3),
      withError(narrowWithin3),
      percent(answerRate),
      percent(coverage),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '',
    '| Priced tenders of the model | Mean abs. log10, all | CPV median | ×3 of the narrowest 60 % | Answered | 80 % interval holds |',
    '|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ]
}

/** Tables for people. */
export function valuesAsMarkdown(report: ValuesReport): string {
  const lines: string[] = []
  for (const [name, set] of Object.entries(report)) {
    const { priced, splits, curve, valueless } = set
    lines.push('', `Values, ${name === 'ted' ? 'TED' : 'German notices'}: ${priced} published.`, '')
    lines.push('| Split | Estimator | Tenders | Median factor | Within ×2 | ×3 | ×10 | R² | Mean abs. log10 |')
    lines.push('|---|---|--:|--:|--:|--:|--:|--:|--:|')
    for (const each of splits) {
      const row = (estimator: string, figures: ErrorFigures) =>
        `| ${each.split} | ${estimator} | ${[
          figures.tenders,
          ...[
            figures.medianFactor,
            figures.within2,
            figures.within3,
            figures.within10,
            figures.r2,
            figures.meanAbsoluteLog,
          ].map((figure) => figure.toFixed(3)),
        ].join(' | ')} |`
      lines.push(
        row('median by nature', each.naive),
        row('CPV median', each.cpvMedian),
        row('model, all', each.all),
        row('median by nature, where answered', each.naiveOnAnswered),
        row('CPV median, where answered', each.cpvMedianOnAnswered),
        row('model, answered', each.answered),
      )
    }
    for (const each of splits)
      lines.push(
        '',
        `Split by ${each.split}: answered ${percent(each.answerRate)}, 80 % interval holds ` +
          `${percent(each.coverage)} of the answered and ${percent(each.coverageOfAll)} of all, median high / ` +
          `low ${each.width.toFixed(0)}; mean error ${withError(each.gain)} below the CPV median, of the ` +
          `narrowest 60 % ${withError(binomial(each.narrowest.within3, each.narrowest.tenders))} within ×3; by ` +
          'country ' +
          `${each.countries.map(({ country, answered, coverage }) => `${country} ${withError(coverage)} of ${answered}`).join(', ')}.`,
        '',
        ...each.bounds.map(
          ({ euros, above, precision, chance, recall }) =>
            `From ${euros} euros: ${above} estimates, ${withError(precision)} rightly (by chance ${percent(chance)}), ` +
            `${percent(recall)} of such tenders found.`,
        ),
      )
    lines.push(...curveAsMarkdown(curve))
    if (valueless)
      lines.push(
        '',
        `Without a published value: ${valueless.answered} of ${valueless.notices} answered, ${valueless.stated} of them from a value stated in the text.`,
      )
  }
  return lines.join('\n')
}

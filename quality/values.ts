// How good estimated values are: published values are removed and estimated, split by time and by authority, compared
// with medians.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { estimateValue } from '../src/consolidate/estimate/estimate-value.ts'
import { pricedTenderOf } from '../src/consolidate/estimate/fit-stock.ts'
import { hashTerm } from '../src/consolidate/estimate/text-terms.ts'
import type { ValueInputs } from '../src/consolidate/estimate/value-inputs.ts'
import { fitValueModel, openValueModel, type PricedTender } from '../src/consolidate/estimate/value-model.ts'
import { mergeTender } from '../src/consolidate/merge.ts'
import type { TenderContent } from '../src/domain/tender.ts'
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
}

export type ValuesReport = {
  readonly [set in 'german' | 'ted']?: {
    readonly priced: number
    readonly splits: readonly SplitFigures[]
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

/** German notices of cross-portal. A value is published where the collector's range is one point. */
export function readGermanValues(corpus: string): ValueSet | undefined {
  const path = join(corpus, 'cross-portal/doe-notices-2026-04-06.jsonl.gz')
  if (!existsSync(path)) return undefined
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n')
  const rows = new Map(lines.map((line) => JSON.parse(line) as DoeRow).map((row) => [row.id, row]))
  const priced: PricedTender[] = []
  const valueless: ValueInputs[] = []
  for (const row of rows.values()) {
    const inputs: ValueInputs = {
      title: row.title,
      description: row.description ?? '',
      buyer: row.issuer ?? '',
      cpvCodes: row.keywords.filter((word) => /^\d{8}$/.test(word)),
      nature: row.keywords.find((word) => natures.includes(word)),
      country: 'DE',
      nutsCode: row.region ?? undefined,
      lots: 0,
      months: undefined,
      isFramework: false,
      isDynamicPurchasingSystem: false,
      legalBasis: undefined,
      procedureType: row.procedureType === 'offen' ? 'open' : 'restricted',
      level: undefined,
      year: Number(row.publicationDate.slice(0, 4)),
      kind: 'call',
    }
    const euros = row.estimatedValueMax
    if (!euros) valueless.push(inputs)
    else if (euros === row.estimatedValueMin && euros >= 1000 && euros <= 1e9)
      priced.push({ id: row.id, inputs, euros, date: row.publicationDate })
  }
  return { priced, valueless }
}

/** Notices of the official journal, each as a separate record; those of several currencies in euros. */
async function readTedValues(corpus: string): Promise<ValueSet | undefined> {
  const priced = new Map<string, PricedTender>()
  for await (const { notices } of readNotices(corpus, ['ted-eforms', 'ted-legacy']))
    for (const notice of notices) {
      const { content } = mergeTender(notice.noticeKey, [notice], { now: 0, isSucceeded: false })
      const found = pricedTenderOf(JSON.parse(content) as TenderContent)
      if (found) priced.set(found.id, found)
    }
  return priced.size > 0 ? { priced: [...priced.values()], valueless: [] } : undefined
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

type Case = {
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
  }
}

/** The newest three tenths, estimated from everything that was published before their first day. */
export function splitInTime(priced: readonly PricedTender[]): SplitFigures {
  const dates = priced.map(({ date }) => date).sort()
  const cut = dates[Math.floor(dates.length * 0.7)] ?? ''
  const before = priced.filter(({ date }) => date < cut)
  const after = priced.filter(({ date }) => date >= cut)
  return figuresOf('time', before.length, casesOf(before, after))
}

/** Every authority estimated from the other four fifths of the authorities. */
export function splitByBuyer(priced: readonly PricedTender[], seed: number, folds = 5): SplitFigures {
  const foldOf = ({ inputs }: PricedTender): number => hashTerm(`${seed} ${inputs.buyer.trim().toLowerCase()}`) % folds
  const cases = Array.from({ length: folds }, (_, fold) =>
    casesOf(
      priced.filter((each) => foldOf(each) !== fold),
      priced.filter((each) => foldOf(each) === fold),
    ),
  ).flat()
  return figuresOf('buyer', Math.round((priced.length * (folds - 1)) / folds), cases)
}

const maxValueless = 3000

/** How many notices without a value a model of all published values answers; if there are many, every nth. */
export function answersOf({ priced, valueless }: ValueSet) {
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
      valueless: answersOf(set),
    }
  onProgress('values of German notices')
  const german = measure(readGermanValues(corpus))
  onProgress('values of the official journal')
  const ted = measure(await readTedValues(corpus))
  return { ...(german && { german }), ...(ted && { ted }) }
}

/** Tables for people. */
export function valuesAsMarkdown(report: ValuesReport): string {
  const lines: string[] = []
  for (const [name, set] of Object.entries(report)) {
    const { priced, splits, valueless } = set
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
    for (const { split, answerRate, coverage, coverageOfAll, width } of splits)
      lines.push(
        '',
        `Split by ${split}: answered ${(answerRate * 100).toFixed(1)} %, 80 % interval holds ${(coverage * 100).toFixed(1)} % of the answered and ${(coverageOfAll * 100).toFixed(1)} % of all, median high / low ${width.toFixed(0)}.`,
      )
    if (valueless)
      lines.push(
        '',
        `Without a published value: ${valueless.answered} of ${valueless.notices} answered, ${valueless.stated} of them from a value stated in the text.`,
      )
  }
  return lines.join('\n')
}

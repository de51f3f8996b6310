// Which estimates are worth publishing: a filter by value counts them, so the held-out errors of the model decide.

/** A tender that the model estimated without having seen it; all in log10 euros. */
export type HeldOutEstimate = {
  readonly country: string
  readonly truth: number
  readonly log: number
  readonly low: number
  readonly high: number
  /** Whether everything else allows an answer, such as enough similar tenders. */
  readonly isAnswerable: boolean
}

/** What an estimate of one country, or of all countries without a rule of their own, must satisfy. */
type Admission = {
  /** Maximum ratio of high to low; 0: none is published. */
  readonly widest: number
  /**
   * By bound: how far an estimate above it must be from it, as a share of the interval between the two; null: none
   * above it is published.
   */
  readonly margins: readonly (number | null)[]
}

export type Admissions = { readonly [country: string]: Admission }

/** Euros from which people search: an estimate above one of them is published if that is likely true. */
const bounds = [250_000, 1_000_000, 5_000_000].map(Math.log10)
/** Minimum share of the estimates above a bound whose value is above it, and how far it must be above chance. */
const leastPrecision = 0.75
const aboveChance = 0.15
/** Minimum share of the estimates within a factor of three. */
const leastWithin3 = 0.75
/** Number of standard errors by which the held-out errors must be better: a rule is chosen by its own figures. */
const caution = 1
/** Number of answers from which a country has a rule of its own. */
const ownRule = 100
/** Number of estimates above a bound from which their errors say something. */
const leastAbove = 12
const widths = [50, 42, 36, 31, 27, 24, 21, 18, 16, 14, 12, 10, 8, 6, 4]
const marginSteps = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
/** Key of the rule for countries without one of their own. */
const others = '*'

type Interval = { readonly log: number; readonly low: number; readonly high: number }

const isBeyond = ({ log, low }: Interval, bound: number, margin: number): boolean => log - bound >= margin * (log - low)

function isAboveAllowed(interval: Interval, margins: readonly (number | null)[]): boolean {
  return bounds.every((bound, index) => {
    if (interval.log < bound) return true
    const margin = margins[index] ?? null
    return margin !== null && isBeyond(interval, bound, margin)
  })
}

const shareOf = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
  items.filter(holds).length / Math.max(1, items.length)

/** Whether a share that was found in so many cases is surely enough at least the one that is asked for. */
const isReached = (share: number, wanted: number, cases: number): boolean =>
  wanted < 1 && share >= wanted + caution * Math.sqrt((wanted * (1 - wanted)) / Math.max(1, cases))

/** The smallest margins that make the estimates above each bound precise, from the highest bound down. */
function marginsOf(answered: readonly HeldOutEstimate[], all: readonly HeldOutEstimate[]): (number | null)[] {
  const margins: (number | null)[] = bounds.map(() => 0)
  for (let index = bounds.length - 1; index >= 0; index--) {
    const bound = bounds[index]!
    const wanted = Math.max(leastPrecision, shareOf(all, ({ truth }) => truth >= bound) + aboveChance)
    margins[index] =
      marginSteps.find((margin) => {
        margins[index] = margin
        const above = answered.filter((each) => each.log >= bound && isAboveAllowed(each, margins))
        const precision = shareOf(above, ({ truth }) => truth >= bound)
        return above.length >= leastAbove && isReached(precision, wanted, above.length)
      }) ?? null
  }
  return margins
}

function admissionOf(all: readonly HeldOutEstimate[]): Admission {
  for (const widest of widths) {
    const answered = all.filter((each) => each.isAnswerable && each.high - each.low <= Math.log10(widest))
    const margins = marginsOf(answered, all)
    const admitted = answered.filter((each) => isAboveAllowed(each, margins))
    const within3 = shareOf(admitted, ({ truth, log }) => Math.abs(truth - log) <= Math.log10(3))
    if (isReached(within3, leastWithin3, admitted.length)) return { widest, margins }
  }
  return { widest: 0, margins: bounds.map(() => null) }
}

/** The rules of a model, from tenders that it had not seen. */
export function admissionsOf(tested: readonly HeldOutEstimate[]): Admissions {
  const isAnswered = ({ isAnswerable, low, high }: HeldOutEstimate): boolean =>
    isAnswerable && high - low <= Math.log10(widths[0]!)
  const byCountry = Map.groupBy(tested, ({ country }) => country)
  const own = [...byCountry].filter(([, cases]) => cases.filter(isAnswered).length >= ownRule)
  const named = new Set(own.map(([country]) => country))
  const rest = tested.filter(({ country }) => !named.has(country))
  return Object.fromEntries([
    [others, admissionOf(rest)],
    ...own.sort(([a], [b]) => (a < b ? -1 : 1)).map(([country, cases]) => [country, admissionOf(cases)] as const),
  ])
}

/** Whether an estimate may be published, or why not: too wide an interval, or a bound too near below it. */
export function admit(
  admissions: Admissions,
  country: string,
  interval: Interval,
): 'admitted' | 'tooWide' | 'unsureBound' {
  const rule = admissions[country] ?? admissions[others]!
  const { low, high } = interval
  if (rule.widest === 0 || high - low > Math.log10(rule.widest)) return 'tooWide'
  return isAboveAllowed(interval, rule.margins) ? 'admitted' : 'unsureBound'
}

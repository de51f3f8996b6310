// The model of values: what the CPV tree and the circumstances indicate, corrected by the most similar priced tenders.
// It uses only sums, counts and similarities, in a fixed order: the same tenders give the same model to the bit.

import { foldLetters } from '../../domain/name-words.ts'
import { type Admissions, admissionsOf } from './admission.ts'
import { hashTerm, termsOf } from './text-terms.ts'
import { buyerClassOf, type ValueInputs } from './value-inputs.ts'

/** A tender whose value an authority published. */
export type PricedTender = {
  readonly id: string
  readonly inputs: ValueInputs
  /** Without VAT, by the reference rate of its year. */
  readonly euros: number
  /** ISO date of publication; if there are too many priced tenders, the newest stay. */
  readonly date: string
}

/** The model as stored: JSON; arrays of numbers in base64. Documents are in ascending order of their ids. */
export type ValueModelParameters = {
  readonly format: 2
  readonly mean: number
  readonly effects: { readonly [level: string]: number }
  /** Priced tenders at a CPV node: how many, and the median of their values (log10 euros). */
  readonly nodes: { readonly [prefix: string]: readonly [count: number, median: number] }
  /** Additive model of the logarithm of the error, with authorities held out. */
  readonly spread: {
    readonly mean: number
    readonly effects: { readonly [level: string]: number }
    /** How much of the effects held for errors with which they were not fitted. */
    readonly slope: number
    /** How much wider or narrower the interval is, by country with enough errors. */
    readonly countries: { readonly [country: string]: number }
  }
  /** Tenth and ninetieth percentile of (value - estimate) / spread, with documents held out. */
  readonly quantiles: readonly [low: number, high: number]
  /** Which of its estimates are worth publishing. */
  readonly admissions: Admissions
  /** Number of priced tenders by level, nature and country; see `evidenceKey`. */
  readonly evidence: { readonly [key: string]: number }
  readonly ids: readonly string[]
  /** Float32: log10 value, and what the additive part leaves of it. */
  readonly values: string
  readonly residuals: string
  /** Float32: effect of a term, zero for properties that are not words. */
  readonly words: string
  /**
   * Inverted index: terms ascending (Uint32), in how many documents (Uint16), first posting (Uint32), documents
   * (Uint16), weights (Uint8).
   */
  readonly terms: string
  readonly frequencies: string
  readonly offsets: string
  readonly documents: string
  readonly weights: string
}

/** Prediction for one tender. All in log10 euros. */
type Prediction = {
  readonly log: number
  readonly low: number
  readonly high: number
  /** Sum of the neighbors' weights: how much evidence there is. */
  readonly closeness: number
  /** Most similar first. */
  readonly neighbors: readonly { readonly id: string; readonly log: number; readonly likeness: number }[]
  /** The deepest node of the main CPV code with five priced tenders. */
  readonly node: { readonly prefix: string; readonly count: number; readonly median: number } | undefined
}

export type ValueModel = {
  readonly parameters: ValueModelParameters
  readonly predict: (inputs: ValueInputs) => Prediction
}

/**
 * Maximum priced tenders in a model: it bounds memory and the time for one estimate, and document numbers fit 16 bits.
 */
export const maxPricedTenders = 50_000

/** Maximum ratio of high to low for an estimate: one that is expected to be farther off is not made. */
const widestInterval = 50

/** Minimum number of neighbors, and minimum similarity of all of them together. */
const minNeighbors = 8
const minCloseness = 0.4

/** Whether there are enough similar priced tenders for an answer. */
export const hasNeighbors = ({
  closeness,
  neighbors,
}: Pick<Prediction, 'closeness'> & { readonly neighbors: readonly unknown[] }): boolean =>
  neighbors.length >= minNeighbors && closeness >= minCloseness

/** How much wider the interval is for an authority without a tender in the model: more than codes and words differs. */
const unknownBuyerCaution = 1.06

/** Minimum error, in log10: smaller ones (less than an eighth) count as equal. */
const minError = 0.05

/** Number of errors from which a country has an interval of its own, and which weighs as much as all. */
const minCountry = 25

const tuning = {
  sweeps: 6,
  cpvShrinkage: 8,
  otherShrinkage: 25,
  wordShrinkage: 3,
  wordSweeps: 10,
  neighbors: 30,
  power: 3,
  neighborShrinkage: 4,
  vectorLength: 48,
  titleWeight: 2,
  cpvLevel: 0.06,
  nature: 0.25,
  buyerClass: 0.25,
  buyer: 0.15,
  folds: 5,
  maxHeldOut: 3000,
  /** Errors scatter more than values: their levels are shrunk twice as much. */
  spreadCaution: 2,
}

const cpvDepths = [2, 3, 4, 5, 8] as const

/** Prefixes of the main code down to its last significant digit. */
function cpvPath(code: string | undefined): string[] {
  if (!code) return []
  const significant = code.replace(/0+$/, '').length
  return cpvDepths
    .filter((depth, index) => depth === 2 || significant > cpvDepths[index - 1]!)
    .map((depth) => code.slice(0, depth))
}

const bucket = (value: number, bounds: readonly number[]): number => bounds.findLastIndex((bound) => value >= bound)

/** Levels of one tender, by shrinkage: the CPV path, and everything else. */
type Levels = { readonly cpv: readonly string[]; readonly other: readonly string[] }

/** Framework agreement in de, fr, it, es, pt, pl, nl, en, after folding: many portals have no field for it. */
const frameworkWords =
  /rahmenver(?:einbarung|trag)|accord.cadre|accordo quadro|acuerdo marco|acordo.quadro|umow\p{L} ramow|raamovereenkomst|framework (?:agreement|contract)/u

type Effects = { readonly mean: number; readonly effects: ReadonlyMap<string, number> }

function levelsOf(inputs: ValueInputs): Levels {
  const { nature = '-', country = '-', level = '-', nutsCode, lots, months } = inputs
  const length = inputs.description.length
  const buyer = buyerClassOf(inputs.buyer)
  const procedure = inputs.procedureType ?? '-'
  const size = bucket(lots, [0, 1, 2, 4, 10])
  const isFramework = inputs.isFramework || frameworkWords.test(foldLetters(`${inputs.title}\n${inputs.description}`))
  return {
    cpv: cpvPath(inputs.cpvCodes[0]).map((prefix) => `cpv:${prefix}`),
    other: [
      `nature:${nature}`,
      `country:${country}`,
      `region:${nutsCode?.slice(0, 3) ?? '-'}`,
      `buyer:${buyer}`,
      `buyer:${buyer}:${country}`,
      `lots:${size}`,
      `lots:${size}:${nature}:${level}`,
      `months:${months === undefined ? '-' : bucket(months, [0, 2, 6, 12, 13, 24, 36, 48, 60])}`,
      `framework:${isFramework}:${inputs.isDynamicPurchasingSystem}:${nature}`,
      `law:${inputs.legalBasis ?? '-'}`,
      `procedure:${procedure}`,
      `procedure:${procedure}:${country}`,
      `level:${level}:${nature}`,
      `level:${level}:${nature}:${country}`,
      `codes:${bucket(inputs.cpvCodes.length, [0, 1, 2, 4, 8])}`,
      `text:${bucket(length, [0, 60, 200, 500, 1000, 2000])}`,
    ],
  }
}

type Vector = ReadonlyMap<number, number>

const buyerMark = (buyer: string): number => hashTerm(`#buyer:${foldLetters(buyer).trim()}`)

/** Properties besides words that make two tenders similar; they are terms of the index too. */
function marksOf(inputs: ValueInputs): Map<number, number> {
  const marks = new Map<number, number>()
  for (const prefix of cpvPath(inputs.cpvCodes[0])) marks.set(hashTerm(`#cpv:${prefix}`), tuning.cpvLevel)
  if (inputs.nature) marks.set(hashTerm(`#nature:${inputs.nature}`), tuning.nature)
  if (inputs.buyer.trim()) {
    marks.set(hashTerm(`#class:${buyerClassOf(inputs.buyer)}`), tuning.buyerClass)
    marks.set(buyerMark(inputs.buyer), tuning.buyer)
  }
  return marks
}

function countsOf(inputs: ValueInputs): Map<number, number> {
  const counts = new Map<number, number>()
  termsOf(inputs.title, '', counts, tuning.titleWeight)
  termsOf(inputs.description, '', counts, 1)
  return counts
}

/** The heaviest terms of a text by tf × idf, normalized to length one. */
function vectorOf(counts: ReadonlyMap<number, number>, frequencyOf: (term: number) => number, total: number): Vector {
  const weighted = [...counts]
    .map(([term, count]) => ({
      term,
      weight: (1 + Math.log(count)) * Math.max(0, Math.log((total + 1) / (frequencyOf(term) + 0.5))),
    }))
    .sort((a, b) => b.weight - a.weight || a.term - b.term)
    .slice(0, tuning.vectorLength)
  const length = Math.sqrt(weighted.reduce((sum, { weight }) => sum + weight * weight, 0))
  return length === 0 ? new Map() : new Map(weighted.map(({ term, weight }) => [term, weight / length]))
}

type Index = {
  readonly terms: Uint32Array
  readonly frequencies: Uint16Array
  readonly offsets: Uint32Array
  readonly documents: Uint16Array
  readonly weights: Uint8Array
}

type Core = {
  readonly mean: number
  readonly effects: ReadonlyMap<string, number>
  readonly index: Index
  readonly values: Float32Array
  readonly residuals: Float32Array
  readonly words: Float32Array
}

function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN
  const position = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(position)]!, sorted[Math.ceil(position)]!]
  return below + (above - below) * (position - Math.floor(position))
}

/**
 * Values beyond the 5th and 95th percentile of their division count as those percentiles; a typo may add three zeros.
 */
function winsorised(inputs: readonly ValueInputs[], values: readonly number[]): number[] {
  const groups = Map.groupBy(values.keys(), (index) => inputs[index]!.cpvCodes[0]?.slice(0, 2) ?? '-')
  const all = Float64Array.from(values).sort()
  const result = [...values]
  for (const members of groups.values()) {
    const own = Float64Array.from(members, (index) => values[index]!).sort()
    const sorted = own.length >= 20 ? own : all
    const [low, high] = [percentile(sorted, 0.05), percentile(sorted, 0.95)]
    for (const index of members) result[index] = Math.min(Math.max(values[index]!, low), high)
  }
  return result
}

/**
 * Back-fitting: in each sweep each level receives the mean of what the others leave, shrunk toward zero if there are
 * few observations.
 */
function fitEffects(
  levels: readonly Levels[],
  values: readonly number[],
  caution = 1,
): Effects & { readonly rest: readonly number[] } {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const ids = new Map<string, number>()
  const column = (shrinkage: number, levelOf: (levels: Levels) => string | undefined) => ({
    shrinkage: shrinkage * caution,
    /** The number of each observation's level, −1 where it has none. */
    own: Int32Array.from(levels, (each) => {
      const level = levelOf(each)
      if (level === undefined) return -1
      const known = ids.get(level) ?? ids.size
      ids.set(level, known)
      return known
    }),
  })
  const columns = [
    ...cpvDepths.map((_, depth) => column(tuning.cpvShrinkage, ({ cpv }) => cpv[depth])),
    ...(levels[0]?.other ?? []).map((_, position) => column(tuning.otherShrinkage, ({ other }) => other[position])),
  ]
  const effectOf = new Float64Array(ids.size)
  const changeOf = new Float64Array(ids.size)
  const rest = values.map((value) => value - mean)
  for (let sweep = 0; sweep < tuning.sweeps; sweep++)
    for (const { shrinkage, own } of columns) {
      const sums = new Float64Array(ids.size)
      const counts = new Uint32Array(ids.size)
      for (const [index, level] of own.entries()) {
        if (level < 0) continue
        sums[level] = sums[level]! + (rest[index]! + effectOf[level]!)
        counts[level] = counts[level]! + 1
      }
      for (const [level, count] of counts.entries()) {
        if (count === 0) continue
        const effect = sums[level]! / (count + shrinkage)
        changeOf[level] = effect - effectOf[level]!
        effectOf[level] = effect
      }
      for (const [index, level] of own.entries()) if (level >= 0) rest[index] = rest[index]! - changeOf[level]!
    }
  const effects = new Map([...ids].map(([level, id]) => [level, effectOf[id]!]))
  return { mean, effects, rest }
}

function additive({ mean, effects }: Effects, { cpv, other }: Levels): number {
  return [...cpv, ...other].reduce((sum, level) => sum + (effects.get(level) ?? 0), mean)
}

/** Least squares through the origin, between none and all. */
function slopeOf(pairs: readonly (readonly [given: number, found: number])[]): number {
  const [product, squares] = pairs.reduce(([a, b], [given, found]) => [a + given * found, b + given * given], [0, 0])
  return squares > 0 ? Math.min(Math.max(product / squares, 0), 1) : 1
}

/** Inputs that indicate how far an estimate may be off. */
function spreadLevelsOf(inputs: ValueInputs, { log, local, closeness, neighbors }: Guess): Levels {
  const { nature = '-', country = '-', cpvCodes, lots } = inputs
  return {
    cpv: cpvPath(cpvCodes[0])
      .slice(0, 3)
      .map((prefix) => `cpv:${prefix}`),
    other: [
      `nature:${nature}`,
      `country:${country}`,
      `buyer:${buyerClassOf(inputs.buyer)}`,
      `lots:${bucket(lots, [0, 1, 2, 4, 10])}`,
      `log:${bucket(log, [0, 4.25, 4.75, 5.25, 5.75, 6.25, 6.75])}:${nature}`,
      `local:${bucket(local, [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6])}`,
      `closeness:${bucket(closeness, [0, 0.5, 1, 2, 3, 5, 8])}`,
      `nearest:${bucket(neighbors[0]?.likeness ?? 0, [0, 0.5, 0.7, 0.8, 0.9, 1, 1.2])}`,
      `text:${bucket(inputs.description.length, [0, 60, 200, 500, 1000, 2000])}`,
    ],
  }
}

function indexOf(inputs: readonly ValueInputs[], counts: readonly ReadonlyMap<number, number>[]): Index {
  const frequency = new Map<number, number>()
  for (const each of counts) for (const term of each.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  const postings = new Map<number, { readonly documents: number[]; readonly weights: number[] }>()
  const post = (term: number, document: number, weight: number) => {
    const known = postings.get(term) ?? { documents: [], weights: [] }
    known.documents.push(document)
    known.weights.push(weight)
    postings.set(term, known)
  }
  counts.forEach((each, document) => {
    const vector = vectorOf(each, (term) => frequency.get(term) ?? 0, counts.length)
    for (const [term, weight] of vector)
      if (frequency.get(term)! > 1 || counts.length < 1000) post(term, document, Math.round(weight * 255))
    for (const mark of marksOf(inputs[document]!).keys()) post(mark, document, 255)
  })
  const terms = Uint32Array.from(postings.keys()).sort()
  const size = terms.reduce((sum, term) => sum + postings.get(term)!.documents.length, 0)
  const index = {
    terms,
    frequencies: Uint16Array.from(terms, (term) => Math.min(frequency.get(term) ?? 0, 65_535)),
    offsets: new Uint32Array(terms.length + 1),
    documents: new Uint16Array(size),
    weights: new Uint8Array(size),
  }
  let offset = 0
  terms.forEach((term, position) => {
    const { documents, weights } = postings.get(term)!
    index.documents.set(documents, offset)
    index.weights.set(weights, offset)
    offset += documents.length
    index.offsets[position + 1] = offset
  })
  return index
}

function positionOf(terms: Uint32Array, term: number): number {
  let [low, high] = [0, terms.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    if (terms[middle]! < term) low = middle + 1
    else if (terms[middle]! > term) high = middle - 1
    else return middle
  }
  return -1
}

const isKnownBuyer = ({ index }: Core, buyer: string): boolean => positionOf(index.terms, buyerMark(buyer)) >= 0

type Neighbor = { readonly document: number; readonly likeness: number }

function wordsOf({ index, values }: Core, inputs: ValueInputs): Vector {
  const frequencyOf = (term: number): number => {
    const position = positionOf(index.terms, term)
    return position < 0 ? 0 : index.frequencies[position]!
  }
  return vectorOf(countsOf(inputs), frequencyOf, values.length)
}

/** The most similar documents; ties go to the smaller ids. */
function neighborsOf({ index, values }: Core, query: Iterable<[number, number]>, scratch: Float32Array): Neighbor[] {
  scratch.fill(0)
  for (const [term, weight] of query) {
    const position = positionOf(index.terms, term)
    if (position < 0) continue
    const end = index.offsets[position + 1]!
    for (let at = index.offsets[position]!; at < end; at++) {
      const document = index.documents[at]!
      scratch[document] = scratch[document]! + (weight * index.weights[at]!) / 255
    }
  }
  const best: Neighbor[] = []
  for (let document = 0; document < values.length; document++) {
    const likeness = scratch[document]!
    if (likeness <= 0 || (best.length === tuning.neighbors && likeness <= best.at(-1)!.likeness)) continue
    let at = best.length
    while (at > 0 && best[at - 1]!.likeness < likeness) at--
    best.splice(at, 0, { document, likeness })
    if (best.length > tuning.neighbors) best.pop()
  }
  return best
}

/** Ridge regression of what the effects leave on the weights of the words, term by term; what then remains. */
function fitWords(index: Index, rest: readonly number[]): Pick<Core, 'words' | 'residuals'> {
  const words = new Float32Array(index.terms.length)
  const residuals = Float32Array.from(rest)
  for (let sweep = 0; sweep < tuning.wordSweeps; sweep++)
    for (const [term, frequency] of index.frequencies.entries()) {
      // the properties that are no words are among the effects
      if (frequency === 0) continue
      const known = words[term]!
      let [product, squares] = [0, 0]
      for (let at = index.offsets[term]!; at < index.offsets[term + 1]!; at++) {
        const weight = index.weights[at]! / 255
        product += weight * residuals[index.documents[at]!]!
        squares += weight * weight
      }
      words[term] = (product + squares * known) / (squares + tuning.wordShrinkage)
      for (let at = index.offsets[term]!; at < index.offsets[term + 1]!; at++) {
        const document = index.documents[at]!
        residuals[document] = residuals[document]! - ((words[term]! - known) * index.weights[at]!) / 255
      }
    }
  return { words, residuals }
}

function buildCore(
  inputs: readonly ValueInputs[],
  raw: readonly number[],
  counts: readonly ReadonlyMap<number, number>[],
): Core {
  const values = winsorised(inputs, raw)
  const { mean, effects, rest } = fitEffects(inputs.map(levelsOf), values)
  const index = indexOf(inputs, counts)
  return { mean, effects, index, values: Float32Array.from(values), ...fitWords(index, rest) }
}

type Guess = {
  readonly log: number
  /** Variance of the neighbors' residuals. */
  readonly local: number
  /** Sum of the neighbors' weights. */
  readonly closeness: number
  readonly neighbors: readonly Neighbor[]
}

function guess(core: Core, inputs: ValueInputs, scratch: Float32Array): Guess {
  const words = wordsOf(core, inputs)
  const neighbors = neighborsOf(core, [...words, ...marksOf(inputs)], scratch)
  let wording = 0
  for (const [term, weight] of words) wording += weight * (core.words[positionOf(core.index.terms, term)] ?? 0)
  let [closeness, mean, local] = [0, 0, 0]
  const weightOf = ({ likeness }: Neighbor): number => likeness ** tuning.power
  for (const each of neighbors) {
    closeness += weightOf(each)
    mean += weightOf(each) * core.residuals[each.document]!
  }
  if (closeness > 0) mean /= closeness
  for (const each of neighbors) local += weightOf(each) * (core.residuals[each.document]! - mean) ** 2
  if (closeness > 0) local /= closeness
  return {
    log: additive(core, levelsOf(inputs)) + wording + (mean * closeness) / (closeness + tuning.neighborShrinkage),
    local,
    closeness,
    neighbors,
  }
}

/** Predictions of documents by a model that never saw them. */
function heldOut(
  inputs: readonly ValueInputs[],
  values: readonly number[],
  counts: readonly ReadonlyMap<number, number>[],
  ids: readonly string[],
) {
  const { folds, maxHeldOut } = tuning
  // An authority is held out with all its tenders: the same purchase is often published more than once.
  const foldOf = inputs.map(({ buyer }, index) => hashTerm(foldLetters(buyer).trim() || ids[index]!) % folds)
  const step = Math.max(1, Math.ceil(ids.length / maxHeldOut))
  const found: { readonly index: number; readonly rank: number; readonly core: Core }[] = []
  for (let fold = 0; fold < folds; fold++) {
    const inside = [...ids.keys()].filter((index) => foldOf[index] !== fold)
    const pick = <Item>(items: readonly Item[]): Item[] => inside.map((index) => items[index]!)
    const core = buildCore(pick(inputs), pick(values), pick(counts))
    for (let index = 0; index < ids.length; index += 1)
      if (foldOf[index] === fold && index % step === 0) found.push({ index, rank: index / step, core })
  }
  return found
}

const base64 = (array: {
  readonly buffer: ArrayBufferLike
  readonly byteOffset: number
  readonly byteLength: number
}): string => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64')

/** A copy with its own, aligned memory. */
function bytesOf(text: string): ArrayBuffer {
  const bytes = Buffer.from(text, 'base64')
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
}

/** Medians by CPV prefix, for the basis of an estimate; nodes with fewer than five priced tenders are left out. */
function nodesOf(inputs: readonly ValueInputs[], values: readonly number[]): ValueModelParameters['nodes'] {
  const members = new Map<string, number[]>()
  for (const [index, each] of inputs.entries())
    for (const prefix of cpvPath(each.cpvCodes[0])) {
      const known = members.get(prefix)
      if (known) known.push(values[index]!)
      else members.set(prefix, [values[index]!])
    }
  return Object.fromEntries(
    [...members]
      .filter(([, own]) => own.length >= 5)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([prefix, own]) => [prefix, [own.length, percentile(Float64Array.from(own).sort(), 0.5)] as const]),
  )
}

/** The newest of all priced tenders, in order of their IDs: the basis of a model. */
export function sampleOf(priced: readonly PricedTender[]): PricedTender[] {
  return [...priced]
    .sort((a, b) => (a.date > b.date ? -1 : a.date < b.date ? 1 : a.id < b.id ? -1 : 1))
    .slice(0, maxPricedTenders)
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

const sortedEffects = ({ effects }: Effects): { readonly [level: string]: number } =>
  Object.fromEntries([...effects].sort(([a], [b]) => (a < b ? -1 : 1)))

/** What a priced tender is evidence for: tenders of its level, nature and country. */
const evidenceKey = ({ level, nature, country }: ValueInputs): string =>
  `${level ?? '-'} ${nature ?? '-'} ${country ?? '-'}`

/** How many priced tenders of the level, nature and country of a tender the model has. */
export const evidenceFor = ({ evidence }: ValueModelParameters, inputs: ValueInputs): number =>
  evidence[evidenceKey(inputs)] ?? 0

function evidenceOf(inputs: readonly ValueInputs[]): ValueModelParameters['evidence'] {
  const cells = [...Map.groupBy(inputs, evidenceKey)].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(cells.map(([key, own]) => [key, own.length]))
}

/** How much wider the interval of a country must be to hold for 80 % of its errors that receive an answer. */
function countryFactors(
  scaled: readonly { readonly country: string; readonly spread: number; readonly error: number }[],
  [low, high]: readonly [number, number],
): { readonly [country: string]: number } {
  if (low === 0 || high === 0) return {}
  const answered = scaled.filter(({ spread }) => (high - low) * spread <= Math.log10(widestInterval))
  return Object.fromEntries(
    [...Map.groupBy(answered, ({ country }) => country)]
      .filter(([, own]) => own.length >= minCountry)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([country, own]) => {
        const needed = Float64Array.from(own, ({ error }) => error / (error < 0 ? low : high)).sort()
        return [country, percentile(needed, 0.8) ** (own.length / (own.length + minCountry))]
      }),
  )
}

/** Fits a model. The order of the tenders does not matter; beyond `maxPricedTenders` the oldest are left out. */
export function fitValueModel(priced: readonly PricedTender[]): ValueModelParameters {
  const sample = sampleOf(priced)
  const ids = sample.map(({ id }) => id)
  const inputs = sample.map((each) => each.inputs)
  const values = sample.map(({ euros }) => Math.log10(euros))
  const counts = inputs.map(countsOf)
  const scratch = new Float32Array(sample.length)

  const tested = heldOut(inputs, values, counts, ids).map(({ index, rank, core }) => {
    const found = guess(core, inputs[index]!, scratch)
    const levels = spreadLevelsOf(inputs[index]!, found)
    const isAnswerable = hasNeighbors(found)
    return { error: values[index]! - found.log, levels, log: found.log, isAnswerable, position: index, rank }
  })
  const spreadOf = (rows: typeof tested): Effects =>
    fitEffects(
      rows.map(({ levels }) => levels),
      rows.map(({ error }) => Math.log(Math.abs(error) + minError)),
      tuning.spreadCaution,
    )
  // The data for the spread must not include the errors with which it is compared.
  const halves = [0, 1].map((half) => tested.filter(({ rank }) => rank % 2 === half))
  const predicted = halves.flatMap((half, which) => {
    const other = spreadOf(halves[1 - which]!)
    return half.map(({ error, levels, position, log, isAnswerable }) => ({
      error,
      log,
      isAnswerable,
      expected: additive(other, levels) - other.mean,
      mean: other.mean,
      country: inputs[position]!.country ?? '-',
    }))
  })
  const slope = slopeOf(
    predicted.map(({ expected, mean, error }) => [expected, Math.log(Math.abs(error) + minError) - mean]),
  )
  const scaled = predicted.map(({ error, expected, mean, country, log, isAnswerable }) => {
    const spread = Math.exp(mean + slope * expected)
    return { spread, error: error / spread, country, log, isAnswerable }
  })
  const quantilesOf = (rows: typeof scaled): readonly [number, number] => {
    const sorted = Float64Array.from(rows, ({ error }) => error).sort()
    return [Math.min(0, percentile(sorted, 0.1) || 0), Math.max(0, percentile(sorted, 0.9) || 0)]
  }
  // The interval must hold for those that receive an answer: the narrow ones, whose spread is a little too small on
  // the whole.
  let quantiles = quantilesOf(scaled)
  for (let round = 0; round < 3; round++) {
    const answered = scaled.filter(({ spread }) => (quantiles[1] - quantiles[0]) * spread <= Math.log10(widestInterval))
    if (answered.length >= 50) quantiles = quantilesOf(answered)
  }
  const spread = spreadOf(tested)
  const countries = countryFactors(scaled, quantiles)
  const admissions = admissionsOf(
    scaled.map(({ spread: own, error, country, log, isAnswerable }) => {
      // the authorities were held out, so that each interval is that of an unknown one
      const width = own * unknownBuyerCaution * (countries[country] ?? 1)
      const [low, high] = [log + quantiles[0] * width, log + quantiles[1] * width]
      return { country, truth: log + error * own, log, low, high, isAnswerable }
    }),
  )

  const core = buildCore(inputs, values, counts)
  return {
    format: 2,
    mean: core.mean,
    effects: sortedEffects(core),
    nodes: nodesOf(inputs, values),
    spread: {
      mean: spread.mean,
      effects: sortedEffects(spread),
      slope,
      countries,
    },
    quantiles,
    admissions,
    evidence: evidenceOf(inputs),
    ids,
    values: base64(core.values),
    residuals: base64(core.residuals),
    words: base64(core.words),
    terms: base64(core.index.terms),
    frequencies: base64(core.index.frequencies),
    offsets: base64(core.index.offsets),
    documents: base64(core.index.documents),
    weights: base64(core.index.weights),
  }
}

/** A fitted model, ready to estimate: about 60 MB for 50,000 priced tenders, a millisecond or two per estimate. */
export function openValueModel(parameters: ValueModelParameters): ValueModel {
  const core: Core = {
    mean: parameters.mean,
    effects: new Map(Object.entries(parameters.effects)),
    values: new Float32Array(bytesOf(parameters.values)),
    residuals: new Float32Array(bytesOf(parameters.residuals)),
    words: new Float32Array(bytesOf(parameters.words)),
    index: {
      terms: new Uint32Array(bytesOf(parameters.terms)),
      frequencies: new Uint16Array(bytesOf(parameters.frequencies)),
      offsets: new Uint32Array(bytesOf(parameters.offsets)),
      documents: new Uint16Array(bytesOf(parameters.documents)),
      weights: new Uint8Array(bytesOf(parameters.weights)),
    },
  }
  const scratch = new Float32Array(parameters.ids.length)
  const spreads: Effects = { mean: parameters.spread.mean, effects: new Map(Object.entries(parameters.spread.effects)) }
  const { slope, countries } = parameters.spread
  const [lowest, highest] = parameters.quantiles
  return {
    parameters,
    predict: (inputs) => {
      const found = guess(core, inputs, scratch)
      const { log, closeness, neighbors } = found
      const caution = isKnownBuyer(core, inputs.buyer) ? 1 : unknownBuyerCaution
      const expected = additive(spreads, spreadLevelsOf(inputs, found)) - spreads.mean
      const spread = Math.exp(spreads.mean + slope * expected) * caution * (countries[inputs.country ?? '-'] ?? 1)
      const prefix = cpvPath(inputs.cpvCodes[0]).findLast((each) => parameters.nodes[each])
      const node = prefix === undefined ? undefined : parameters.nodes[prefix]
      return {
        log,
        low: log + lowest * spread,
        high: log + highest * spread,
        closeness,
        neighbors: neighbors.map(({ document, likeness }) => ({
          id: parameters.ids[document]!,
          log: core.values[document]!,
          likeness,
        })),
        node: node && { prefix: prefix!, count: node[0], median: node[1] },
      }
    },
  }
}

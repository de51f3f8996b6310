// One estimate for one record without a published value: stated evidence first, then the model within what the law
// allows.
import type { TenderContent } from '../../domain/tender.ts'
import { admit } from './admission.ts'
import { statedValue } from './stated-value.ts'
import { termsOf } from './text-terms.ts'
import { legalBounds } from './thresholds.ts'
import type { ValueInputs } from './value-inputs.ts'
import { evidenceFor, hasNeighbors, type ValueModel } from './value-model.ts'

/** `contractAmount` of a record whose value is estimated. */
type EstimatedAmount = NonNullable<TenderContent['contractAmount']> & { readonly estimated: true }

/** Why there is no estimate. */
export type Refusal =
  | 'planning'
  | 'qualification'
  | 'modification'
  | 'noEvidence'
  /** The model has too few priced tenders of this level, nature and country. */
  | 'noPrices'
  | 'tooFewAlike'
  | 'tooWide'
  /** It would be above a bound of the filter by value and too often wrongly so. */
  | 'unsureBound'
  /** It, or the value that the text states, is outside of what the law allows at the tender's level. */
  | 'outsideLaw'

export type Judgment =
  | { readonly kind: 'estimate'; readonly amount: EstimatedAmount }
  | {
      readonly kind: 'refusal'
      readonly reason: Refusal
      /** Number of priced tenders of the refusing model; a model with clearly more is tried again. */
      readonly priced?: number
    }

/** Refusals that a model of more priced tenders may reverse; the other reasons lie in the record. */
export const refusalsOfModel: readonly Refusal[] = ['noPrices', 'tooFewAlike', 'tooWide', 'unsureBound', 'outsideLaw']

/** Minimum number of priced tenders of the same level, nature and country. */
const minEvidence = 20
/** Minimum distinct terms of a title that may replace a missing CPV code. */
const minTerms = 4
/**
 * Factor around a stated value, which may be rounded or include options: most published estimates and final values
 * differ by less.
 */
const statedMargin = 1.25

/** Rounds to two significant digits: more would claim a precision that does not exist. */
export function rounded(value: number): number {
  return Number(value.toPrecision(2))
}

function isSocial({ cpvCodes }: ValueInputs): boolean {
  return /^(?:75[0-4]|79[67]|80|85|98[1-3]|55[1-5]|92)/.test(cpvCodes[0] ?? '')
}

function confidenceOf(ratio: number): 'high' | 'medium' | 'low' {
  return ratio <= 8 ? 'high' : ratio <= 20 ? 'medium' : 'low'
}

/** The estimate, or why there is none. The same inputs and model give the same answer to the digit. */
export function estimateValue(model: ValueModel, inputs: ValueInputs, modelVersion: string): Judgment {
  if (inputs.kind !== 'call') return { kind: 'refusal', reason: inputs.kind }
  const { least, greatest } = legalBounds({
    level: inputs.level,
    nature: inputs.nature,
    isUtilities: /^320(?:14L0025|04L0017)/.test(inputs.legalBasis ?? ''),
    isSocial: isSocial(inputs),
    year: inputs.year,
  })
  const stated = statedValue(`${inputs.title}\n${inputs.description}`, inputs.country)
  if (stated) {
    const { value, currency, isMaximum, quote } = stated
    const most = currency === 'EUR' ? greatest : Number.POSITIVE_INFINITY
    if (value > most) return { kind: 'refusal', reason: 'outsideLaw' }
    return {
      kind: 'estimate',
      amount: {
        value: Math.min(rounded(value), most),
        currency,
        estimated: true,
        low: rounded(value / (isMaximum ? widestStated : statedMargin)),
        high: Math.min(rounded(value * (isMaximum ? 1 : statedMargin)), most),
        confidence: 'high',
        basis: `${isMaximum ? 'maximum stated' : 'stated'} in the text: ${quote.slice(0, 160)}`.toWellFormed(),
        modelVersion,
      },
    }
  }
  const terms = new Map<number, number>()
  termsOf(inputs.title, '', terms, 1)
  if (inputs.cpvCodes.length === 0 && terms.size < minTerms) return { kind: 'refusal', reason: 'noEvidence' }
  const { parameters } = model
  const priced = parameters.ids.length
  const refuse = (reason: Refusal): Judgment => ({ kind: 'refusal', reason, priced })
  if (evidenceFor(parameters, inputs) < minEvidence) return refuse('noPrices')
  const prediction = model.predict(inputs)
  const { log, low, high, neighbors, node } = prediction
  if (!hasNeighbors(prediction)) return refuse('tooFewAlike')
  const admitted = admit(parameters.admissions, inputs.country ?? '-', prediction)
  if (admitted !== 'admitted') return refuse(admitted)
  if (10 ** log > greatest) return refuse('outsideLaw')
  const within = (logarithm: number): number => Math.min(rounded(Math.max(10 ** logarithm, least)), greatest)
  const named = neighbors.slice(0, 3).map(({ id }) => id)
  const grounds = [
    `${neighbors.length} similar tenders with a published value: ${named.join(', ')}…`,
    ...(node ? [`CPV ${node.prefix}: median ${rounded(10 ** node.median)} EUR of ${node.count}`] : []),
  ]
  return {
    kind: 'estimate',
    amount: {
      value: within(log),
      currency: 'EUR',
      estimated: true,
      low: within(low),
      high: within(high),
      confidence: confidenceOf(10 ** (high - low)),
      basis: grounds.join('; '),
      modelVersion,
    },
  }
}

/** Factor for a framework's maximum: the actual orders are often far below it. */
const widestStated = 4

// One estimate for one record without a published value: stated evidence first, then the model within what the law
// allows.
import type { TenderContent } from '../../domain/tender.ts'
import { statedValue } from './stated-value.ts'
import { termsOf } from './text-terms.ts'
import { legalBounds } from './thresholds.ts'
import type { ValueInputs } from './value-inputs.ts'
import { type ValueModel, widestInterval } from './value-model.ts'

/** `contractAmount` of a record whose value is estimated. */
type EstimatedAmount = NonNullable<TenderContent['contractAmount']> & { readonly estimated: true }

/** Why there is no estimate. */
export type Refusal =
  | 'planning'
  | 'qualification'
  | 'modification'
  | 'noEvidence'
  | 'tooFewAlike'
  /** Only of earlier versions: similar tenders differ too much. */
  | 'tooMixed'
  | 'tooWide'

export type Judgment =
  | { readonly kind: 'estimate'; readonly amount: EstimatedAmount }
  | {
      readonly kind: 'refusal'
      readonly reason: Refusal
      /** Number of priced tenders of the refusing model; a model with clearly more is tried again. */
      readonly priced?: number
    }

/** Refusals that a model of more priced tenders may reverse; the other reasons lie in the record. */
export const refusalsOfModel: readonly Refusal[] = ['tooFewAlike', 'tooMixed', 'tooWide']

/** Minimum number of neighbors, and minimum similarity of all of them together. */
const minNeighbors = 8
const minCloseness = 0.4
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
  const stated = statedValue(`${inputs.title}\n${inputs.description}`, inputs.country)
  if (stated) {
    const { value, currency, isMaximum, quote } = stated
    return {
      kind: 'estimate',
      amount: {
        value: rounded(value),
        currency,
        estimated: true,
        low: rounded(value / (isMaximum ? widestStated : statedMargin)),
        high: rounded(value * (isMaximum ? 1 : statedMargin)),
        confidence: 'high',
        basis: `${isMaximum ? 'maximum stated' : 'stated'} in the text: ${quote.slice(0, 160)}`.toWellFormed(),
        modelVersion,
      },
    }
  }
  const terms = new Map<number, number>()
  termsOf(inputs.title, '', terms, 1)
  if (inputs.cpvCodes.length === 0 && terms.size < minTerms) return { kind: 'refusal', reason: 'noEvidence' }
  const { log, low, high, closeness, neighbors, node } = model.predict(inputs)
  const priced = model.parameters.ids.length
  if (neighbors.length < minNeighbors || closeness < minCloseness)
    return { kind: 'refusal', reason: 'tooFewAlike', priced }
  if (high - low > Math.log10(widestInterval)) return { kind: 'refusal', reason: 'tooWide', priced }

  const { least, greatest } = legalBounds({
    level: inputs.level,
    nature: inputs.nature,
    isUtilities: /^320(?:14L0025|04L0017)/.test(inputs.legalBasis ?? ''),
    isSocial: isSocial(inputs),
    year: inputs.year,
  })
  const within = (logarithm: number): number => rounded(Math.min(Math.max(10 ** logarithm, least), greatest))
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

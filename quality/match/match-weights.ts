// The weights of the evidence, learned from labeled pairs (`npm run bench -- match --fit`).
import { readFileSync } from 'node:fs'

export type MatchWeights = {
  /** The beginning of `origin.data`. */
  readonly version: string
  /** What the weights were learned from, so that they can be reproduced. */
  readonly origin: {
    readonly commit: string
    /** SHA-256 of the cases, in their order. */
    readonly data: string
    readonly seed: number
    readonly cases: number
    readonly authorities: number
  }
  /** Points of each term (`evidence.ts`), log-odds; 0 for a term that is not named. */
  readonly weights: { readonly [term: string]: number }
  /** Maximum share of placed notices that may be merged with a stranger, and the minimum score that follows from it. */
  readonly wantedFalse: number
  readonly least: number
  /** The same for a notice and its translation. */
  readonly leastOfTranslation: number
  /** Minimum score from which a pair below `least` is shown to operators. */
  readonly leastToReview: number
  /**
   * Of pairs scored without their authorities, from `from` on: the share that is predicted to be one tender, and the
   * share that is.
   */
  readonly calibration: readonly {
    readonly from: number
    readonly pairs: number
    readonly said: number
    readonly true: number
  }[]
}

let shipped: MatchWeights | undefined

export function matchWeights(): MatchWeights {
  shipped ??= JSON.parse(readFileSync(new URL('./data/match-weights.json', import.meta.url), 'utf8')) as MatchWeights
  return shipped
}

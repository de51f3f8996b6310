// The weights of the evidence, learned from labeled pairs (`npm run bench -- match --fit`).
import { readFileSync } from 'node:fs'

export type MatchWeights = {
  /** The beginning of `origin.data`. */
  readonly version: string
  /** What the weights were learned from, so that they can be made again. */
  readonly origin: {
    readonly commit: string
    /** SHA-256 of the cases, in order. */
    readonly data: string
    readonly seed: number
    readonly cases: number
    readonly authorities: number
  }
  /** Points of each term (`evidence.ts`), log-odds; a term that is not named has none. */
  readonly weights: { readonly [term: string]: number }
  /** Share of placed notices that may be merged with a stranger, and the least score that follows from it. */
  readonly wantedFalse: number
  readonly least: number
  /** The same for a notice and its translation. */
  readonly leastOfTranslation: number
  /** From here on a pair below `least` is shown to operators. */
  readonly leastToReview: number
  /** Of pairs scored without their authorities, from `from` on: which share is said, and is, one tender. */
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

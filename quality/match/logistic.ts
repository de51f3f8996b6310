// Logistic regression with a pull toward given weights: Newton's method, so that the same cases give the same weights.

/** One case: the weights that count, each with its factor, and the outcome. */
export type Case = {
  readonly terms: readonly (readonly [term: string, factor: number])[]
  readonly isSame: boolean
  /** How many cases this one stands for. */
  readonly count: number
}

export type LogisticOptions = {
  /** The value toward which each weight is pulled; 0 for a term that is not named. */
  readonly prior: { readonly [term: string]: number }
  /** Strength of the pull, in cases: a weight that fewer cases touch stays near its prior. */
  readonly pull: number
  readonly start?: { readonly [term: string]: number }
}

const maxSteps = 50
const precise = 1e-6

/** The weights under which the cases are likeliest, by term; the search begins at `start`, otherwise at the prior. */
export function learnLogistic(
  cases: readonly Case[],
  { prior, pull, start = prior }: LogisticOptions,
): { readonly [term: string]: number } {
  const terms = [
    ...new Set([...Object.keys(prior), ...cases.flatMap((each) => each.terms.map(([term]) => term))]),
  ].sort()
  const size = terms.length
  const at = new Map(terms.map((term, index) => [term, index]))
  const first = Float64Array.from(terms, (term) => prior[term] ?? 0)
  const weights = Float64Array.from(terms, (term) => start[term] ?? prior[term] ?? 0)
  const rows = cases.map(({ terms: own, isSame, count }) => ({
    indexes: Int32Array.from(own, ([term]) => at.get(term)!),
    factors: Float64Array.from(own, ([, factor]) => factor),
    target: isSame ? 1 : 0,
    count,
  }))
  for (let step = 0; step < maxSteps; step++) {
    const slope = Float64Array.from(weights, (weight, index) => -pull * (weight - first[index]!))
    const curve = new Float64Array(size * size)
    for (let index = 0; index < size; index++) curve[index * size + index] = pull
    for (const { indexes, factors, target, count } of rows) {
      let sum = 0
      for (let term = 0; term < indexes.length; term++) sum += weights[indexes[term]!]! * factors[term]!
      const chance = chanceOf(sum)
      const miss = count * (target - chance)
      const bend = count * chance * (1 - chance)
      for (let term = 0; term < indexes.length; term++) {
        const row = indexes[term]! * size
        slope[indexes[term]!]! += miss * factors[term]!
        const bent = bend * factors[term]!
        for (let other = 0; other < indexes.length; other++) curve[row + indexes[other]!]! += bent * factors[other]!
      }
    }
    const change = solve(curve, slope)
    // A step that is too long on separable cases would overshoot.
    const longest = Math.max(...change.map(Math.abs))
    const scale = longest > 2 ? 2 / longest : 1
    change.forEach((by, index) => {
      weights[index]! += by * scale
    })
    if (longest < precise) break
  }
  return Object.fromEntries(terms.map((term, index) => [term, weights[index]!]))
}

export const chanceOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** Gaussian elimination of a symmetric, positive matrix, row after row. */
function solve(matrix: Float64Array, right: Float64Array): number[] {
  const size = right.length
  for (let pivot = 0; pivot < size; pivot++)
    for (let below = pivot + 1; below < size; below++) {
      const factor = matrix[below * size + pivot]! / matrix[pivot * size + pivot]!
      if (factor === 0) continue
      for (let column = pivot; column < size; column++)
        matrix[below * size + column]! -= factor * matrix[pivot * size + column]!
      right[below]! -= factor * right[pivot]!
    }
  const found: number[] = Array.from({ length: size }, () => 0)
  for (let pivot = size - 1; pivot >= 0; pivot--) {
    let rest = right[pivot]!
    for (let column = pivot + 1; column < size; column++) rest -= matrix[pivot * size + column]! * found[column]!
    found[pivot] = rest / matrix[pivot * size + pivot]!
  }
  return found
}

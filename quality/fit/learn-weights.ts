// Learns the weights of the score's parts from cases: those under which the won tenders are most likely among their
// candidates.
import type { FitWeights } from '../../src/hits/fit/fit-model.ts'
import { type CaseParts, partCount, partNames } from './fit-cases.ts'

const valuePart = partNames.indexOf('value')
/** Index of a candidate's past authority among its parts. */
const authorityPart = partNames.length + 1

export const weightList = (weights: FitWeights): number[] => partNames.map((name) => weights[name])

/** The score of one candidate from 0 to 1, before the rules: uses the weights of the known parts. */
export function scoreOfParts(parts: Float64Array, at: number, weights: readonly number[]): number {
  let sum = 0
  let total = 0
  for (let part = 0; part < weights.length; part++) {
    const likeness = parts[at + part]!
    if (Number.isNaN(likeness)) continue
    const weight = part === valuePart ? weights[part]! * parts[at + partNames.length]! : weights[part]!
    sum += weight * likeness
    total += weight
  }
  return total === 0 ? 0 : sum / total
}

const steps = 400
const rate = 0.05
/**
 * Strength of the pull toward the start, counted in cases: the fewer there are to learn from, the less a weight moves.
 * The logarithms of the weights have a normal prior with this precision, a standard deviation of .45.
 */
const priorCases = 5

/**
 * Gradient ascent (Adam) on the likelihood of each won tender among those of its case, over logarithms of the weights
 * and the sharpness. Deterministic.
 */
export function learnWeights(cases: readonly CaseParts[], start: FitWeights): FitWeights {
  const first = [...weightList(start).map(Math.log), Math.log(start.pastAuthority / 100), Math.log(15)]
  const point = [...first]
  const mean = point.map(() => 0)
  const square = point.map(() => 0)
  const pull = priorCases / cases.length
  for (let step = 1; step <= steps; step++) {
    const gradient = gradientAt(cases, point)
    for (let index = 0; index < point.length; index++) {
      const slope = gradient[index]! - pull * (point[index]! - first[index]!)
      mean[index] = 0.9 * mean[index]! + 0.1 * slope
      square[index] = 0.999 * square[index]! + 0.001 * slope * slope
      const [m, s] = [mean[index]! / (1 - 0.9 ** step), square[index]! / (1 - 0.999 ** step)]
      point[index] = point[index]! + (rate * m) / (Math.sqrt(s) + 1e-8)
    }
  }
  const weights = point.slice(0, partNames.length).map(Math.exp)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const shares = partNames.map((name, index) => [name, Math.round((1000 * weights[index]!) / sum) / 1000])
  return { ...Object.fromEntries(shares), pastAuthority: Math.round(100 * Math.exp(point[partNames.length]!)) }
}

/** Mean slope of the log-likelihood for each logarithm. */
function gradientAt(cases: readonly CaseParts[], point: readonly number[]): number[] {
  const weights = point.slice(0, partNames.length).map(Math.exp)
  const pastAuthority = Math.exp(point[partNames.length]!)
  const sharpness = Math.exp(point.at(-1)!)
  const gradient = point.map(() => 0)
  for (const { answer, parts, count } of cases) {
    const scores = new Float64Array(count)
    let top = -Infinity
    for (let candidate = 0; candidate < count; candidate++) {
      const at = candidate * partCount
      scores[candidate] = sharpness * (scoreOfParts(parts, at, weights) + pastAuthority * parts[at + authorityPart]!)
      top = Math.max(top, scores[candidate]!)
    }
    let total = 0
    for (let candidate = 0; candidate < count; candidate++) total += Math.exp(scores[candidate]! - top)
    for (let candidate = 0; candidate < count; candidate++) {
      const pulled = (candidate === answer ? 1 : 0) - Math.exp(scores[candidate]! - top) / total
      if (Math.abs(pulled) < 1e-6) continue
      addSlopes(gradient, parts, candidate * partCount, weights, sharpness, pulled / cases.length)
      gradient[partNames.length]! +=
        (sharpness * pastAuthority * parts[candidate * partCount + authorityPart]! * pulled) / cases.length
      gradient[point.length - 1]! += (scores[candidate]! * pulled) / cases.length
    }
  }
  return gradient
}

function addSlopes(
  gradient: number[],
  parts: Float64Array,
  at: number,
  weights: readonly number[],
  sharpness: number,
  pulled: number,
): void {
  let total = 0
  for (let part = 0; part < weights.length; part++) {
    const likeness = parts[at + part]!
    if (!Number.isNaN(likeness)) total += weights[part]! * (part === valuePart ? parts[at + partNames.length]! : 1)
  }
  if (total === 0) return
  const score = scoreOfParts(parts, at, weights)
  for (let part = 0; part < weights.length; part++) {
    const likeness = parts[at + part]!
    if (Number.isNaN(likeness)) continue
    const weight = weights[part]! * (part === valuePart ? parts[at + partNames.length]! : 1)
    gradient[part]! += (pulled * sharpness * weight * (likeness - score)) / total
  }
}

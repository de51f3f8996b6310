// Learns the table of weights from labeled pairs, tests it on authorities that it has not seen, and sets the minimum
// score from a permitted rate of wrong merges.
import { createHash } from 'node:crypto'
import { levels, type Term } from './evidence.ts'
import { type Case, chanceOf, learnLogistic } from './logistic.ts'

export type Weights = { readonly [term: string]: number }

/** The data of a pair without a veto that learning needs. */
export type TrainingCase = {
  readonly terms: readonly Term[]
  readonly isSame: boolean
  readonly authority: string
  /** What was placed: several wrong merges of one copy count as one. */
  readonly placed: string
}

/** Start of the learning: weights that people set before, so that a term that hardly occurs keeps that weight. */
const handSet: Weights = {
  basis: -8,
  title: 9,
  'buyer equal': 2.6,
  'buyer contained': 1.2,
  'buyer partial': -0.6,
  'buyer conflict': -0.6,
  'buyer unknown': -0.7,
  'deadline minute': 2.2,
  'deadline shifted': 1.9,
  'deadline day': 1.6,
  'deadline next-day': 0.8,
  'deadline near': -0.6,
  'deadline far': -1.8,
  'publication days': 0.8,
  'publication quarter': -0.9,
  'publication later': -2.5,
  'CPV same': 1.2,
  'CPV ancestor': 0.5,
  'CPV near': -0.8,
  'CPV conflict': -2,
  'place compatible': 0.5,
  'place other-region': -0.8,
  'place conflict': -2,
  'description most': 2.5,
  'description half': 1.2,
  'description little': -1.5,
  'description other': -2.8,
  'reference number': 3.5,
  translation: -4,
  'translation: codes several': 2.5,
  'translation: codes one': 2,
  'translation: codes one of a trade': 1,
  'translation: codes ancestor': 1,
  'translation: numbers': 1,
  'translation: numbers of the text': 1,
  'translation: names': 1,
  'translation: narrow place': 1,
  'translation: wide place': 0.5,
  'translation: minute': 1,
  'translation: publication': 0.5,
}

/** Terms whose sign may not change, whatever the pairs contain by chance. */
const signs: { readonly [term: string]: 1 | -1 } = {
  title: 1,
  'words of both titles': 1,
  'same title': 1,
  'reference number': 1,
  'one title says more': -1,
  'number in one title': -1,
  'mark in one title': -1,
  'mark in one text': -1,
  'several like them': -1,
  'texts rewritten': -1,
  'texts name other things': -1,
  'translation: numbers': 1,
  'translation: numbers of the text': 1,
  'translation: names': 1,
  'translation: narrow place': 1,
  'translation: wide place': 1,
  'translation: minute': 1,
  'translation: publication': 1,
  'translation: words': 1,
}

const measures = Object.entries(levels) as readonly (readonly [string, readonly string[]])[]
const stepsOf = new Map<string, readonly string[]>(
  measures.flatMap(([measure, own]) =>
    own.map(
      (level, at) => [`${measure} ${level}`, own.slice(1, at + 1).map((each) => `${measure} > ${each}`)] as const,
    ),
  ),
)
const isBound = (term: string): boolean => signs[term] !== undefined || term.includes(' > ')

/** Turns levels into the steps up to them: if no step is negative, more agreement never counts less. */
const stepped = (terms: readonly Term[]): Term[] =>
  terms.flatMap(([term, factor]): Term[] => {
    const steps = stepsOf.get(term)
    if (steps) return steps.map((step) => [step, factor])
    return [[term, factor * (signs[term] ?? 1)]]
  })

/** The prior in steps; the lowest level of each measure is part of the basis. */
function steppedPrior(prior: Weights): Weights {
  const found: { [term: string]: number } = {}
  let basis = prior['basis'] ?? 0
  for (const [measure, own] of measures) {
    const at = (level: string): number => prior[`${measure} ${level}`] ?? 0
    basis += at(own[0]!)
    own.slice(1).forEach((level, index) => {
      found[`${measure} > ${level}`] = Math.max(0, at(level) - at(own[index]!))
    })
    found[`${measure} unknown`] = at('unknown') - at(own[0]!)
  }
  for (const [term, weight] of Object.entries(prior))
    if (!stepsOf.has(term) && !term.endsWith(' unknown')) found[term] = weight * (signs[term] ?? 1)
  return { ...found, basis }
}

/** Points for people: unknown counts as zero, and the rest is relative to it. */
function tableOf(weights: Weights): Weights {
  const table: { [term: string]: number } = {}
  let basis = weights['basis'] ?? 0
  for (const [measure, own] of measures) {
    const unknown = weights[`${measure} unknown`] ?? 0
    basis += unknown
    let sum = 0
    own.forEach((level, at) => {
      if (at > 0) sum += weights[`${measure} > ${level}`] ?? 0
      table[`${measure} ${level}`] = sum - unknown
    })
  }
  for (const [term, weight] of Object.entries(weights))
    if (!term.includes(' > ') && !term.endsWith(' unknown') && term !== 'basis')
      table[term] = weight * (signs[term] ?? 1)
  const rounded = Object.entries({ ...table, basis }).map(
    ([term, weight]) => [term, Math.round(weight * 100) / 100] as const,
  )
  return Object.fromEntries(rounded.filter(([, weight]) => weight !== 0).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Strength of the pull toward the prior, in cases. */
const pull = 2

export function learnWeights(cases: readonly TrainingCase[]): Weights {
  const prior = steppedPrior(handSet)
  const all: Case[] = cases.map(({ terms, isSame }) => ({ terms: stepped(terms), isSame, count: 1 }))
  const dropped = new Set<string>()
  let start = prior
  for (;;) {
    const kept = all.map((each) => ({ ...each, terms: each.terms.filter(([term]) => !dropped.has(term)) }))
    const left = Object.fromEntries(Object.entries(prior).filter(([term]) => !dropped.has(term)))
    const found = learnLogistic(kept, { prior: left, pull, start })
    start = found
    const wrong = Object.entries(found).filter(([term, weight]) => isBound(term) && weight < 0)
    if (wrong.length === 0) return tableOf(found)
    for (const [term] of wrong) dropped.add(term)
  }
}

function scoreOf(terms: readonly Term[], weights: Weights): number {
  return terms.reduce((sum, [term, factor]) => sum + (weights[term] ?? 0) * factor, 0)
}

/** Half of the authorities: learning and counting use them, measuring uses the others. */
export const isToLearn = (authority: string): boolean =>
  createHash('sha256').update(`half ${authority}`).digest()[0]! % 2 === 0

export const folds = 5
const foldOf = (authority: string): number => createHash('sha256').update(authority).digest()[0]! % folds

export type Scored = { readonly score: number; readonly isSame: boolean; readonly placed: string }

/** Each case with its score by weights that were learned without its authority. */
export function scoredByFolds(cases: readonly TrainingCase[]): Scored[] {
  return Array.from({ length: folds }, (_, fold) => {
    const weights = learnWeights(cases.filter(({ authority }) => foldOf(authority) !== fold))
    return cases
      .filter(({ authority }) => foldOf(authority) === fold)
      .map(({ terms, isSame, placed }) => ({ score: scoreOf(terms, weights), isSame, placed }))
  }).flat()
}

/** The minimum score at which at most this share of what was placed is merged with a stranger. */
export function minScore(scored: readonly Scored[], placed: number, wanted: number): number {
  const worst = new Map<string, number>()
  for (const { score, isSame, placed: name } of scored)
    if (!isSame) worst.set(name, Math.max(score, worst.get(name) ?? Number.NEGATIVE_INFINITY))
  const strangers = [...worst.values()].sort((a, b) => b - a)
  const allowed = Math.floor(wanted * placed)
  // Just above the first score that is one too many.
  const limit = strangers[allowed] ?? 0
  return Math.ceil((Math.max(0, limit) + 0.01) * 10) / 10
}

export type Calibration = readonly {
  readonly from: number
  readonly pairs: number
  readonly said: number
  readonly true: number
}[]

/** The share of pairs of a score that are one tender, and the share that the score predicts. */
export function calibrationOf(scored: readonly Scored[]): Calibration {
  const bounds = [Number.NEGATIVE_INFINITY, -4, -2, 0, 2, 4, 6, 8]
  return bounds.flatMap((from, at) => {
    const own = scored.filter(({ score }) => score >= from && score < (bounds[at + 1] ?? Number.POSITIVE_INFINITY))
    if (own.length === 0) return []
    const share = (sum: number): number => Math.round((1000 * sum) / own.length) / 1000
    return {
      from: at === 0 ? -99 : from,
      pairs: own.length,
      said: share(own.reduce((sum, { score }) => sum + chanceOf(score), 0)),
      true: share(own.filter(({ isSame }) => isSame).length),
    }
  })
}

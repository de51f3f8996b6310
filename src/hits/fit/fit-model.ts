// The weights, calibration and counts of the fit score: one versioned table, made by `npm run bench -- fit --fit`.
import { readFileSync } from 'node:fs'

export type FitWeights = {
  /** How deep the best code of the tender and of the profile agree. */
  readonly cpv: number
  /** How rare the digits are on which they agree. */
  readonly cpvRarity: number
  readonly keywords: number
  /** Similarity of the texts to those of the nearest past win, of the titles, and of the names of the authorities. */
  readonly pastWins: number
  readonly winTitles: number
  readonly winAuthorities: number
  readonly region: number
  readonly value: number
  /** Points of 100 that are added for an authority that the company has worked for. */
  readonly pastAuthority: number
}

/**
 * A profile with known past wins or without, whose other parts reach more; `Home`: that names regions, whose points all
 * tenders there have.
 */
export type CalibratedKind = 'wins' | 'noWins' | 'winsHome' | 'noWinsHome'

export type FitModel = {
  readonly weights: FitWeights
  readonly calibration: {
    readonly version: string
    /** For each kind of profile, ascending; between two points the score is interpolated linearly. */
    readonly points: { readonly [kind in CalibratedKind]: readonly (readonly [raw: number, score: number])[] }
  }
  readonly words: TermCounts
  /** Information of a piece of a word, and of a term in the name of an authority, nats. */
  readonly pieces: (piece: string) => number
  readonly authorities: (term: string) => number
}

/** What was counted in the records that the model was made from. */
type TermCounts = {
  /** Information of a term, nats: by its share of the texts of the language in which it is most frequent. */
  readonly weightOf: (term: string) => number
  /** Information of the digits that two codes share, nats. */
  readonly cpvWeightOf: (digits: string) => number
  /** Mean number of words of a record. */
  readonly meanLength: number
}

/** As stored in the file: numbers are tenths of nats, and a term that is not listed is as rare as `unlisted`. */
export type StoredTerms = {
  readonly unlisted: number
  /** `term weight` pairs separated by spaces. */
  readonly terms: string
}
export type StoredCounts = StoredTerms & {
  readonly meanLength: number
  readonly unlistedCpv: number
  readonly cpv: string
}

export type StoredModel = {
  /** Commit of the program that made it. */
  readonly commit: string
  /** SHA-256 of the records that it was made from. */
  readonly data: string
  readonly seed: number
  readonly weights: FitWeights
  readonly calibration: FitModel['calibration']
  readonly words: StoredCounts
  readonly pieces: StoredTerms
  readonly authorities: StoredTerms
}

export function modelOf({ weights, calibration, words, pieces, authorities }: StoredModel): FitModel {
  const cpv = pairsOf(words.cpv)
  return {
    weights,
    calibration,
    words: {
      meanLength: words.meanLength,
      weightOf: weightIn(words),
      cpvWeightOf: (digits) => (cpv.get(digits) ?? words.unlistedCpv) / 10,
    },
    pieces: weightIn(pieces),
    authorities: weightIn(authorities),
  }
}

function weightIn({ terms: text, unlisted }: StoredTerms): (term: string) => number {
  const terms = pairsOf(text)
  return (term) => (terms.get(term) ?? unlisted) / 10
}

function pairsOf(text: string): ReadonlyMap<string, number> {
  const parts = text.split(' ')
  const pairs = new Map<string, number>()
  for (let index = 0; index + 1 < parts.length; index += 2) pairs.set(parts[index]!, Number(parts[index + 1]))
  return pairs
}

/** The model that is shipped. */
export const readFitModel = (): FitModel =>
  modelOf(JSON.parse(readFileSync(new URL('./data/fit-model.json', import.meta.url), 'utf8')) as StoredModel)

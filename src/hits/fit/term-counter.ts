// The terms of one record after the other, counted in arrays: comparing a profile with it is one lookup per term.
import type { TenderRecord } from '../../domain/tender.ts'
import { manyWords, openTokenTable } from '../../domain/token-table.ts'
import type { FitModel } from './fit-model.ts'
import { piecesOfToken, spellingsInToken, termsOfToken } from './fit-terms.ts'
import { authorityForFit, textsForFit, titlesForFit, type WeighedText } from './fit-texts.ts'

/**
 * Maximum number of terms for each word of the token table that are known besides those of profiles; beyond it they are
 * forgotten, so that memory is bounded.
 */
const termsEachWord = 4

export type TermCounter = {
  /** Number of a term or, with `=` before it, of a spelling of a profile. */
  readonly numberOf: (term: string) => number
  /** Call it when all profiles are prepared: terms that have a number by then keep it. */
  readonly ready: () => void
  readonly read: (record: TenderRecord) => void
  /**
   * How often a term occurs in the record that was read, titles counted twice; 0 if it does not occur. Only for words,
   * as `length` is.
   */
  readonly countOf: (term: number) => number
  /** Cosine of a vector and of the record's. */
  readonly cosineWith: (vector: TermVector) => number
  /** Number of words, of titles twice. */
  readonly length: () => number
  /** The record's vector, of length 1: its heaviest terms first, at most `most`. */
  readonly heaviest: (most: number) => TermVector
  readonly nameOf: (term: number) => string
  /** Nats. */
  readonly informationOf: (term: number) => number
}

/** Terms with their weights. */
export type TermVector = { readonly numbers: Int32Array; readonly weights: Float64Array }

const dampedOf = (count: number): number => (count > 0 ? 1 + Math.log(count) : 0)
const dampedSmall = Float64Array.from({ length: 256 }, (_, count) => dampedOf(count))
/** Weight of a term that occurs `count` times in a text, a whole number. */
const damped = (count: number): number => (count < dampedSmall.length ? dampedSmall[count]! : dampedOf(count))

/** Which terms are read from which texts. */
type TermKind = {
  readonly texts: (record: TenderRecord) => Iterable<WeighedText>
  readonly termsOf: (token: string) => readonly string[]
  /** Information of a term, nats. */
  readonly weightOf: (term: string) => number
  /** Whether the spellings of profiles are searched for too, and the counts of terms are asked for. */
  readonly hasSpellings?: boolean
}

/** The terms that the score reads of a record, one counter for each kind. */
export type TermCounters = {
  readonly words: TermCounter
  readonly pieces: TermCounter
  readonly titles: TermCounter
  readonly authority: TermCounter
  /** This and the next function do the same for all of them. */
  readonly read: (record: TenderRecord) => void
  readonly ready: () => void
}

/** `maxWords`: see the token table. */
export function openTermCounters(model: FitModel, maxWords?: number): TermCounters {
  const pieces = { termsOf: piecesOfToken, weightOf: model.pieces }
  const readers = {
    words: openTermCounter(
      { texts: textsForFit, termsOf: termsOfToken, weightOf: model.words.weightOf, hasSpellings: true },
      maxWords,
    ),
    pieces: openTermCounter({ texts: textsForFit, ...pieces }, maxWords),
    titles: openTermCounter({ texts: titlesForFit, ...pieces }, maxWords),
    authority: openTermCounter(
      { texts: authorityForFit, termsOf: termsOfToken, weightOf: model.authorities },
      maxWords,
    ),
  }
  const each = Object.values(readers)
  return {
    ...readers,
    read: (record) => {
      for (const reader of each) reader.read(record)
    },
    ready: () => {
      for (const reader of each) reader.ready()
    },
  }
}

function openTermCounter({ texts, termsOf, weightOf, hasSpellings }: TermKind, maxWords = manyWords): TermCounter {
  const numbers = new Map<string, number>()
  const names: string[] = []
  let weights = new Float64Array(1 << 12)
  let found = new Float64Array(1 << 12)
  let rounds = new Int32Array(1 << 12)
  /** Weights in the vector of the record; 0 for terms that do not occur. */
  let vector = new Float64Array(1 << 12)
  let present: number[] = []
  /** The record whose terms are not counted yet; those of words are at once. */
  let pending: TenderRecord | undefined
  /** Whether `vector` has the weights of `present`. */
  let isWeighed = false
  let round = 0
  let words = 0
  let weightOfText = 1
  /** Terms up to this number belong to profiles; all do until these are prepared. */
  let kept = Infinity

  const numberOf = (term: string): number => {
    const known = numbers.get(term)
    if (known !== undefined) return known
    const number = numbers.size
    numbers.set(term, number)
    names.push(term)
    if (number === weights.length) {
      weights = grown(weights, new Float64Array(number * 2))
      found = grown(found, new Float64Array(number * 2))
      rounds = grown(rounds, new Int32Array(number * 2))
      vector = grown(vector, new Float64Array(number * 2))
    }
    weights[number] = hasSpellings && term.startsWith('=') ? 0 : weightOf(term)
    return number
  }
  const numbersOfToken = (token: string): Int32Array => {
    const own = termsOf(token).map(numberOf)
    if (!hasSpellings) return Int32Array.from(own)
    const spellings: number[] = []
    for (const part of spellingsInToken(token)) {
      const known = numbers.get(`=${part}`)
      if (known !== undefined) spellings.push(known)
    }
    return Int32Array.from([...own, ...spellings])
  }
  const table = openTokenTable(numbersOfToken, maxWords)
  const count = (terms: Int32Array, start: number, end: number): void => {
    words += weightOfText
    for (let index = start; index < end; index++) {
      const term = terms[index]!
      if (rounds[term] === round) found[term] = found[term]! + weightOfText
      else {
        rounds[term] = round
        found[term] = weightOfText
        present.push(term)
      }
    }
  }
  const forget = (): void => {
    table.forget()
    for (const term of names.splice(kept)) numbers.delete(term)
    rounds.fill(0)
  }
  const countAll = (record: TenderRecord): void => {
    pending = undefined
    for (const { text, weight } of texts(record)) {
      weightOfText = weight
      table.read(text, count)
    }
  }
  const weigh = (): void => {
    if (pending !== undefined) countAll(pending)
    isWeighed = true
    let squares = 0
    for (const term of present) {
      vector[term] = damped(found[term]!) * weights[term]!
      squares += vector[term] ** 2
    }
    const norm = Math.sqrt(squares)
    if (norm > 0) for (const term of present) vector[term] = vector[term]! / norm
  }

  return {
    numberOf,
    ready: () => {
      kept = numbers.size
      table.forget()
    },
    read: (record) => {
      if (isWeighed) for (const term of present) vector[term] = 0
      isWeighed = false
      present = []
      words = 0
      if (numbers.size - kept > termsEachWord * maxWords) forget()
      round++
      pending = record
      if (hasSpellings) countAll(record)
    },
    countOf: (term) => (rounds[term] === round ? found[term]! : 0),
    cosineWith: ({ numbers: terms, weights: theirs }) => {
      if (!isWeighed) weigh()
      let sum = 0
      for (let index = 0; index < terms.length; index++) sum += vector[terms[index]!]! * theirs[index]!
      return sum
    },
    length: () => words,
    heaviest: (most) => {
      if (!isWeighed) weigh()
      const sorted = Float64Array.from(present, (term) => vector[term]!).sort()
      // below it, at least that many weigh more
      const least = sorted[sorted.length - most] ?? 0
      const heavy = present.filter((term) => vector[term]! > 0 && vector[term]! >= least)
      heavy.sort((a, b) => vector[b]! - vector[a]! || (names[a]! < names[b]! ? -1 : 1))
      const terms = Int32Array.from(heavy.slice(0, most))
      return { numbers: terms, weights: new Float64Array(terms.length).map((_, index) => vector[terms[index]!]!) }
    },
    nameOf: (term) => names[term]!,
    informationOf: (term) => weights[term]!,
  }
}

function grown<T extends Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from as never)
  return to
}

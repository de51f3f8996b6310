// The terms of one record after the other, counted in arrays: comparing a profile with it is one lookup per term.
import type { TenderRecord } from '../../domain/tender.ts'
import { openTokenTable } from '../../domain/token-table.ts'
import type { FitModel } from './fit-model.ts'
import { piecesOfToken, spellingsInToken, termsOfToken } from './fit-terms.ts'
import { authorityForFit, textsForFit, titlesForFit, type WeighedText } from './fit-texts.ts'

/**
 * Maximum number of terms that are known besides those of profiles; beyond it they are forgotten, so that memory is
 * bounded.
 */
const maxTerms = 1 << 20

export type TermCounter = {
  /** Number of a term or, with `=` before it, of a spelling of a profile. */
  readonly numberOf: (term: string) => number
  /** Call it when all profiles are prepared: terms that have a number by then keep it. */
  readonly ready: () => void
  readonly read: (record: TenderRecord) => void
  /** How often a term occurs in the record that was read, titles counted twice; 0 if it does not occur. */
  readonly countOf: (term: number) => number
  /** Weight of a term in the record's vector of length 1; 0 if it does not occur. */
  readonly weightOf: (term: number) => number
  /** Number of words, of titles twice. */
  readonly length: () => number
  /** The record's terms with their weights in its vector, of length 1: heaviest first, at most `most`. */
  readonly heaviest: (most: number) => readonly HeavyTerm[]
}

type HeavyTerm = { readonly term: string; readonly number: number; readonly weight: number }

/** Weight of a term that occurs `count` times in a text. */
const damped = (count: number): number => (count > 0 ? 1 + Math.log(count) : 0)

/** Which terms are read from which texts. */
type TermKind = {
  readonly texts: (record: TenderRecord) => Iterable<WeighedText>
  readonly termsOf: (token: string) => readonly string[]
  /** Information of a term, nats. */
  readonly weightOf: (term: string) => number
  /** Whether the spellings of profiles are searched for too. */
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

function openTermCounter({ texts, termsOf, weightOf, hasSpellings }: TermKind, maxWords?: number): TermCounter {
  const numbers = new Map<string, number>()
  const names: string[] = []
  let weights = new Float64Array(1 << 12)
  let found = new Float64Array(1 << 12)
  let rounds = new Int32Array(1 << 12)
  let present: number[] = []
  let round = 0
  let words = 0
  let norm = 0
  let weightOfText = 1
  /** Terms up to this number belong to profiles. */
  let kept = 0

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
  const vectorWeight = (term: number): number => (norm === 0 ? 0 : (damped(found[term]!) * weights[term]!) / norm)
  const table = openTokenTable(numbersOfToken, maxWords)
  const count = (terms: Int32Array): void => {
    words += weightOfText
    for (let index = 0; index < terms.length; index++) {
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

  return {
    numberOf,
    ready: () => {
      kept = numbers.size
      table.forget()
    },
    read: (record) => {
      if (numbers.size - kept > maxTerms) forget()
      round++
      present = []
      words = 0
      for (const { text, weight } of texts(record)) {
        weightOfText = weight
        table.read(text, count)
      }
      let squares = 0
      for (const term of present) squares += (damped(found[term]!) * weights[term]!) ** 2
      norm = Math.sqrt(squares)
    },
    countOf: (term) => (rounds[term] === round ? found[term]! : 0),
    weightOf: (term) => (rounds[term] === round ? vectorWeight(term) : 0),
    length: () => words,
    heaviest: (most) =>
      present
        .map((number) => ({
          term: names[number]!,
          number,
          weight: vectorWeight(number),
        }))
        .filter(({ weight }) => weight > 0)
        .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
        .slice(0, most),
  }
}

function grown<T extends Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from as never)
  return to
}

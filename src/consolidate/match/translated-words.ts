// What two titles in two languages have in common, according to tables of words that are counted once and shipped
// (`quality/match/count-translations.ts`): so no decision changes with the stock.
import { readFileSync } from 'node:fs'
import type { MatchTitle } from './match-record.ts'

/** Beginnings of words are counted: endings and compounds differ even if the words are the same. */
const stemLength = 6

export const stemOf = (word: string): string => word.slice(0, stemLength)

type Stems = ReadonlyMap<string, readonly string[]>

/**
 * By pair of languages in alphabetical order, `de-fr`: lines with a stem of the first language and its stems in the
 * second.
 */
type StoredPairs = { readonly [pair: string]: string }

/** Whether a stem of one language means the same as one of the other. */
type Meets = (first: string, second: string) => boolean

/** Tables of words for pairs of languages; a pair without its own table is read by way of English. */
export class WordTables {
  readonly #pairs: StoredPairs
  readonly #known = new Map<string, Stems | undefined>()

  constructor(pairs: StoredPairs) {
    this.#pairs = pairs
  }

  /** Undefined if nothing is known of the two languages. */
  between(from: string, to: string): Meets | undefined {
    const own = this.#table(from, to)
    if (own) return (first, second) => own.get(first)?.includes(second) === true
    const [english, others] = [this.#table(from, 'en'), this.#table(to, 'en')]
    if (!english || !others) return undefined
    return (first, second) => {
      const meanings = others.get(second)
      return meanings !== undefined && english.get(first)?.some((each) => meanings.includes(each)) === true
    }
  }

  #table(from: string, to: string): Stems | undefined {
    const pair = `${from}-${to}`
    if (!this.#known.has(pair)) this.#known.set(pair, this.#read(pair, `${to}-${from}`))
    return this.#known.get(pair)
  }

  #read(pair: string, reversed: string): Stems | undefined {
    const [lines, others] = [this.#pairs[pair], this.#pairs[reversed]]
    if (lines !== undefined) return stemsOf(lines)
    return others === undefined ? undefined : turned(stemsOf(others))
  }
}

const stemsOf = (lines: string): Stems =>
  new Map(
    lines.split('\n').map((line) => {
      const [stem, ...others] = line.split(' ')
      return [stem!, others] as const
    }),
  )

function turned(stems: Stems): Stems {
  const found = new Map<string, string[]>()
  for (const [stem, others] of stems)
    for (const other of others) {
      const known = found.get(other)
      if (known) known.push(stem)
      else found.set(other, [stem])
    }
  return found
}

let shipped: WordTables | undefined

function shippedTables(): WordTables {
  const path = new URL('./data/word-translations.json', import.meta.url)
  shipped ??= new WordTables((JSON.parse(readFileSync(path, 'utf8')) as { readonly pairs: StoredPairs }).pairs)
  return shipped
}

/** Whether it is a name, an abbreviation or another word that both languages have. */
const isOneWord = (a: string, b: string): boolean => a === b || (a.length >= 5 && a.slice(0, 5) === b.slice(0, 5))

/**
 * Share of the weight of all words of both titles that the other title has too; undefined if nothing is known of the
 * two languages. Symmetric.
 */
export function translatedShare(a: MatchTitle, b: MatchTitle, tables = shippedTables()): number | undefined {
  const [first, second] = a.language < b.language ? [a, b] : [b, a]
  const meets = tables.between(first.language, second.language)
  if (!meets) return undefined
  const stems = second.words.map(stemOf)
  const isFound = second.words.map(() => false)
  let [shared, total] = [0, 0]
  first.words.forEach((word, index) => {
    const stem = stemOf(word)
    total += first.weights[index]!
    let isShared = false
    second.words.forEach((other, at) => {
      if (!isOneWord(word, other) && !meets(stem, stems[at]!)) return
      isShared = true
      isFound[at] = true
    })
    if (isShared) shared += first.weights[index]!
  })
  second.weights.forEach((weight, at) => {
    total += weight
    if (isFound[at]) shared += weight
  })
  return total === 0 ? undefined : shared / total
}

// What two titles in two languages have in common, according to a table of words that is counted once.
import { readFileSync } from 'node:fs'
import type { MatchTitle } from '../../src/consolidate/match/match-record.ts'

/** Beginnings of words are counted: endings and compounds differ even if the words are the same. */
const stemLength = 6

export const stemOf = (word: string): string => word.slice(0, stemLength)

/** By pair of languages in order, `de-fr`: lines with a stem of the first language and its stems in the second. */
type StoredWords = { readonly pairs: { readonly [pair: string]: readonly string[] } }

let tables: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> | undefined

function read(): NonNullable<typeof tables> {
  const { pairs } = JSON.parse(
    readFileSync(new URL('./data/word-translations.json', import.meta.url), 'utf8'),
  ) as StoredWords
  return new Map(Object.entries(pairs).map(([pair, lines]) => [pair, tableOf(lines)]))
}

export function tableOf(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    lines.map((line) => {
      const [stem, ...others] = line.split(' ')
      return [stem!, new Set(others)] as const
    }),
  )
}

/** One table per pair of languages, the languages in order. */
export type WordTables = NonNullable<typeof tables>

/** Whether it is a name, an abbreviation or another word that both languages have. */
const isOneWord = (a: string, b: string): boolean => a === b || (a.length >= 5 && a.slice(0, 5) === b.slice(0, 5))

/**
 * Share of the weight of all words of both titles that the other title has too; undefined if there is no table for the
 * two languages.
 */
export function translatedShare(a: MatchTitle, b: MatchTitle, given?: WordTables): number | undefined {
  tables ??= read()
  const [first, second] = a.language < b.language ? [a, b] : [b, a]
  const table = (given ?? tables).get(`${first.language}-${second.language}`)
  if (!table) return undefined
  const stems = second.words.map(stemOf)
  const isFound = second.words.map(() => false)
  let [shared, total] = [0, 0]
  first.words.forEach((word, index) => {
    const translations = table.get(stemOf(word))
    total += first.weights[index]!
    let isShared = false
    second.words.forEach((other, at) => {
      if (!isOneWord(word, other) && translations?.has(stems[at]!) !== true) return
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

// The weight of a word, from tables that are counted once and shipped: so no decision changes with the stock.
import { readFileSync } from 'node:fs'

/** `words`: `word count` pairs separated by spaces, for words in at least three of `documents` texts. */
type Counts = { readonly documents: number; readonly words: string }
type Tables = { readonly titles: { readonly [language: string]: Counts }; readonly buyers: Counts }
type Table = { readonly documents: number; readonly counts: ReadonlyMap<string, number> }

let tables: { readonly titles: ReadonlyMap<string, Table>; readonly buyers: Table } | undefined

function read(): NonNullable<typeof tables> {
  const raw = JSON.parse(readFileSync(new URL('./data/word-counts.json', import.meta.url), 'utf8')) as Tables
  return {
    titles: new Map(Object.entries(raw.titles).map(([language, counts]) => [language, tableOf(counts)])),
    buyers: tableOf(raw.buyers),
  }
}

function tableOf({ documents, words }: Counts): Table {
  const parts = words.split(' ')
  const counts = new Map<string, number>()
  for (let index = 0; index + 1 < parts.length; index += 2) counts.set(parts[index]!, Number(parts[index + 1]))
  return { documents, counts }
}

function titleTable(language: string): Table {
  tables ??= read()
  return tables.titles.get(language) ?? tables.titles.get('all')!
}

/** How many of the counted titles of a language hold the word; 1 for a word that was not counted. */
export function titleCount(language: string, word: string): number {
  return titleTable(language).counts.get(word) ?? 1
}

/** Information of a word in a title, nats: ln(titles / titles with it). An unknown word is the rarest. */
export function titleWeight(language: string, word: string): number {
  const { documents, counts } = titleTable(language)
  return Math.log(documents / (counts.get(word) ?? 1))
}

/** As titleWeight, for words in names of buyers. */
export function buyerWeight(word: string): number {
  tables ??= read()
  return Math.log(tables.buyers.documents / (tables.buyers.counts.get(word) ?? 1))
}

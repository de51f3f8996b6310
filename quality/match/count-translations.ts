// Counts which words of two languages correspond to each other: in labels of CPV codes, as the code list and the
// official journal print them, and in titles and texts that authorities wrote in both languages. Stems and counts only,
// no text.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stemOf } from '../../src/consolidate/match/translated-words.ts'
import { allWords, tellingWords } from '../../src/consolidate/match/words.ts'
import { readPath } from '../../src/sources/files.ts'
import type { Translated } from './translations.ts'

/** One text in several languages. */
export type Parallel = { readonly [language: string]: string }

/** Labels of the official journal, in 24 languages; each once. */
async function journalLabels(corpus: string): Promise<Parallel[]> {
  const folder = join(corpus, 'ted-legacy')
  if (!existsSync(folder)) return []
  const found = new Map<string, Parallel>()
  for await (const { bytes, unreadable } of readPath(folder)) {
    if (unreadable) continue
    const labels: { [language: string]: string } = {}
    for (const [, language, block] of new TextDecoder()
      .decode(bytes)
      .matchAll(/<ML_TI_DOC LG="([A-Z]{2})">([\s\S]*?)<\/ML_TI_DOC>/g)) {
      const text = /<TI_TEXT>([\s\S]*?)<\/TI_TEXT>/.exec(block!)?.[1]
      if (text) labels[language!.toLowerCase()] = text.replace(/<[^>]*>/g, ' ')
    }
    if (labels['en'] !== undefined) found.set(labels['en'], withNorwegian(labels))
  }
  return [...found.values()]
}

/** No label is in Norwegian; most of its words begin as the Danish ones do. */
const withNorwegian = (labels: Parallel): Parallel =>
  labels['da'] === undefined ? labels : { ...labels, no: labels['da'] }

/** The code list, in English, German and French. */
function codeLabels(corpus: string): Parallel[] {
  const path = join(corpus, 'codelists/cpv.csv')
  if (!existsSync(path)) return []
  const [head, ...rows] = readFileSync(path, 'utf8').trim().split('\n')
  const names = head!.split(',')
  return rows.map((row) => {
    const fields = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((match) => match[1] ?? match[2] ?? '')
    return Object.fromEntries(
      ['en', 'de', 'fr'].map((language) => [language, fields[names.indexOf(`label_${language}`)]!]),
    )
  })
}

export async function parallelTexts(corpus: string, translated: readonly Translated[]): Promise<Parallel[]> {
  return [...codeLabels(corpus), ...(await journalLabels(corpus)), ...translated.flatMap(parallelOf)]
}

/** Titles, and the sentences of texts if both languages have equally many. */
function parallelOf({ listing }: Pick<Translated, 'listing'>): Parallel[] {
  const { language, title, description } = listing
  return Object.entries(listing.translations).flatMap(([other, text]) => {
    const [own, others] = [sentencesOf(description), sentencesOf(text.description)]
    const sentences =
      own.length === others.length ? own.map((each, at) => ({ [language]: each, [other]: others[at]! })) : []
    return [{ [language]: title, [other]: text.title }, ...sentences]
  })
}

const sentencesOf = (text: string | undefined): string[] =>
  (text ?? '').split(/(?<=[.;:!?])\s+|\n+/).filter((each) => /\p{L}/u.test(each))

/**
 * Minimum number of texts in which two stems occur together, and minimum share of the texts in which each of them
 * occurs (Dice).
 */
const [fewestTexts, minShare] = [2, 0.25]
/**
 * Maximum number of stems that correspond to one, and of stems for a pair of languages; the most frequent ones stay.
 */
const [maxOfStem, maxOfPair] = [2, 1200]

/** Lines of the table for one pair of languages: a stem and its stems in the other language. */
export function countPair(texts: readonly Parallel[], first: string, second: string): string {
  const counts = { first: new Map<string, number>(), second: new Map<string, number>() }
  const both = new Map<string, Map<string, number>>()
  const stemsOf = (text: string): Set<string> =>
    new Set(
      tellingWords(allWords(text))
        .filter((word) => word.length > 2 && !/^\d/.test(word))
        .map(stemOf),
    )
  for (const text of texts) {
    if (text[first] === undefined || text[second] === undefined) continue
    const [own, others] = [stemsOf(text[first]), stemsOf(text[second])]
    for (const stem of own) counts.first.set(stem, (counts.first.get(stem) ?? 0) + 1)
    for (const stem of others) counts.second.set(stem, (counts.second.get(stem) ?? 0) + 1)
    for (const stem of own) {
      const found = both.get(stem) ?? new Map<string, number>()
      for (const other of others) found.set(other, (found.get(other) ?? 0) + 1)
      both.set(stem, found)
    }
  }
  const kept = [...both].flatMap(([stem, found]) => {
    const scored = [...found]
      .map(([other, count]) => ({
        other,
        count,
        share: (2 * count) / (counts.first.get(stem)! + counts.second.get(other)!),
      }))
      .filter(
        ({ other, count, share }) =>
          count >= fewestTexts && share >= minShare && other.slice(0, 5) !== stem.slice(0, 5),
      )
      .sort((a, b) => b.share - a.share || (a.other < b.other ? -1 : 1))
      .slice(0, maxOfStem)
    return scored.length === 0
      ? []
      : [{ stem, count: counts.first.get(stem)!, others: scored.map(({ other }) => other).sort() }]
  })
  return kept
    .sort((a, b) => b.count - a.count || (a.stem < b.stem ? -1 : 1))
    .slice(0, maxOfPair)
    .map(({ stem, others }) => [stem, ...others].join(' '))
    .sort()
    .join('\n')
}

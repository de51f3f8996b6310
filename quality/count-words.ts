// Counts in how many titles, and in how many names of buyers, each word occurs, and writes the tables of word weights
// for the matcher. node quality/count-words.ts [--corpus DIR] [--half] — words and counts only, no text; words in fewer
// than three are left out.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { plainText, plainTitle } from '../src/consolidate/match/title-text.ts'
import { allWords, tellingWords } from '../src/consolidate/match/words.ts'
import { distinguishingWords } from '../src/domain/name-words.ts'
import type { Notice } from '../src/domain/notice.ts'
import { readNotices } from './corpus-notices.ts'
import { noticeOf, readDoeListings, readPortalListings } from './cross-portal.ts'

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({
  options: {
    corpus: { type: 'string', default: join(root, '../shared/corpus') },
    out: { type: 'string', default: join(root, 'src/consolidate/match/data/word-counts.json') },
    half: { type: 'boolean', default: false },
  },
})
const minCount = 3
/** Languages with fewer titles share the table of all. */
const minDocuments = 150

const titles = new Map<string, Set<string>>()
const buyers = new Set<string>()

function take(notice: Notice): void {
  for (const [language, text] of Object.entries(notice.title ?? {})) {
    const known = titles.get(language) ?? new Set()
    titles.set(language, known.add(plainTitle(text).text.toLowerCase().trim()))
  }
  for (const { name } of notice.contractingAuthorities) buyers.add(plainText(name).toLowerCase().trim())
}

/** Every second notice by the hash of its key, so that the other half can be used to measure. */
const isTaken = ({ noticeKey }: Notice): boolean =>
  !values.half || createHash('sha256').update(noticeKey).digest()[0]! % 2 === 0

const folder = join(values.corpus, 'cross-portal')
for (const listing of [...readDoeListings(folder), ...readPortalListings(folder)]) {
  const notice = noticeOf(listing)
  if (isTaken(notice)) take(notice)
}
for await (const { notices } of readNotices(values.corpus))
  for (const notice of notices) if (isTaken(notice)) take(notice)

function counted(texts: Iterable<string>, wordsOf: (text: string) => Iterable<string>) {
  const counts = new Map<string, number>()
  let documents = 0
  for (const text of texts) {
    documents++
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const kept = [...counts].filter(([, count]) => count >= minCount).sort(([a], [b]) => (a < b ? -1 : 1))
  return { documents, words: kept.flat().join(' ') }
}

const titleWordsOf = (text: string): string[] => tellingWords(allWords(text))
const tables: { [language: string]: ReturnType<typeof counted> } = {}
for (const [language, texts] of [...titles].sort(([a], [b]) => (a < b ? -1 : 1)))
  if (texts.size >= minDocuments) tables[language] = counted(texts, titleWordsOf)
tables['all'] = counted(
  [...titles].flatMap(([, texts]) => [...texts]),
  titleWordsOf,
)
const text = JSON.stringify({ titles: tables, buyers: counted(buyers, distinguishingWords) }, null, 1)
writeFileSync(values.out, `${text}\n`)
console.log(
  `${(text.length / 1024).toFixed(0)} KiB; titles by language: ${Object.entries(tables)
    .map(([language, { documents }]) => `${language} ${documents}`)
    .join(', ')}; buyers ${buyers.size}`,
)

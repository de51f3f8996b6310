// What the tenders of the newest edition are about that have typed words in their titles.
import type { TenderRecord } from '../../domain/tender.ts'
import { hourMs } from '../../domain/time.ts'
import { isSpellingIn, searchWordsOf, spellingsOf, tokensOf } from '../../domain/words.ts'
import type { EditionView, TenderFinder } from '../../edition/read/edition-view.ts'
import type { TitleCodes } from './rank-codes.ts'

/** Tenders that are read for one typed text: enough to see what most of them have in common. */
const maxRead = 100
/** Minimum letters of a typed text: the beginning of a word says little, and each letter is a question. */
const minLetters = 4
/** Texts that are remembered for an edition. */
const maxRemembered = 500

export type TitleReader = (text: string) => TitleCodes | undefined

/** Remembers its answers until the next edition. */
export function openTitleReader(
  editions: Pick<EditionView, 'newest' | 'record'> & TenderFinder,
  clock: () => number,
): TitleReader {
  let edition: number | undefined
  const known = new Map<string, TitleCodes>()
  return (text) => {
    const words = searchWordsOf(text).filter((word) => word.length > 1)
    if (!editions.newest || words.join('').length < minLetters) return undefined
    if (edition !== editions.newest.edition) known.clear()
    edition = editions.newest.edition
    const key = words.join(' ')
    const answer = known.get(key) ?? readTitles(editions, words, clock())
    if (known.size >= maxRemembered) known.clear()
    known.set(key, answer)
    return answer
  }
}

/** Nothing may come between the answer and its records. Tenders with all words in their titles come first. */
function readTitles(
  editions: Pick<EditionView, 'record'> & TenderFinder,
  words: readonly string[],
  now: number,
): TitleCodes {
  const at = Math.floor(now / hourMs) * hourMs
  const { positions } = editions.findTenders({ allWords: words, order: 'relevance', offset: 0, limit: maxRead, at })
  const byCode = new Map<string, number>()
  let tenders = 0
  for (const position of positions) {
    const { bytes, release } = editions.record(position, 'identity')
    const record = JSON.parse(Buffer.from(bytes).toString('utf8')) as TenderRecord
    release?.()
    if (!hasInTitle(record, words)) break
    tenders++
    for (const code of new Set([...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)]))
      byCode.set(code, (byCode.get(code) ?? 0) + 1)
  }
  return { tenders, byCode }
}

function hasInTitle({ title, translations }: TenderRecord, words: readonly string[]): boolean {
  const titles = [title, ...Object.values(translations ?? {}).map((each) => each.title ?? '')]
  const tokens = titles.flatMap(tokensOf)
  return words.every((word) =>
    spellingsOf(word).some((spelling) => tokens.some((token) => isSpellingIn(spelling, token))),
  )
}

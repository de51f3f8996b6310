// Looks up what companies with a name won, as published: for past wins that somebody ticks, and for links.
import { isCompany, winnersOf } from '../../domain/companies/companies.ts'
import { hasLegalForm } from '../../domain/companies/legal-forms.ts'
import type { Redactor } from '../../domain/redaction.ts'
import type { TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import { searchWordsOf, spellingsOf, tokensOf } from '../../domain/words.ts'
import type { ExplorerStock } from '../frame/console-context.ts'
import { recordsAt } from '../frame/published-record.ts'

export type NamedWin = { readonly record: TenderRecord; readonly winner: TenderOrganization }

/** Maximum records that are read: the words of a name may be of two winners, so not each one is a win. */
const maxRead = 200
/** Maximum words of a name that are looked up. */
const maxWords = 8
/** Letters from which on the beginning of a word is enough. */
const beginning = 4

/** The words of a typed name that tell companies apart: legal forms only if there is nothing else. */
export function wordsOfName(typed: string): string[] {
  const words = searchWordsOf(typed).slice(0, maxWords)
  const telling = words.filter((word) => !hasLegalForm(tokensOf(word)))
  return telling.length > 0 ? telling : words
}

/**
 * The newest wins of companies whose name has all these words, or begins words with them. `hasMore`: not all records
 * were read. Only companies are found (domain/companies/companies.ts). Synchronous, as the answers of an edition are.
 */
export function winsByName(
  editions: ExplorerStock['editions'],
  redactor: Pick<Redactor, 'value'>,
  { typed, limit, at }: { readonly typed: string; readonly limit: number; readonly at: number },
): { readonly wins: readonly NamedWin[]; readonly hasMore: boolean } {
  const winnerWords = wordsOfName(typed)
  if (winnerWords.length === 0) return { wins: [], hasMore: false }
  const found = editions.findTenders({ winnerWords, order: 'newest', offset: 0, limit: maxRead, at })
  const wins: NamedWin[] = []
  for (const record of recordsAt(editions, found.positions, redactor)) {
    const winner = winnersOf(record).find((each) => isCompany(each) && hasWords(each.name, winnerWords))
    if (winner) wins.push({ record, winner })
    if (wins.length > limit) break
  }
  return { wins: wins.slice(0, limit), hasMore: wins.length > limit || found.total > maxRead }
}

function hasWords(name: string, words: readonly string[]): boolean {
  const tokens = tokensOf(name)
  return words.every((word) =>
    spellingsOf(word).some((spelling) =>
      tokens.some((token) => token === spelling || (spelling.length >= beginning && token.startsWith(spelling))),
    ),
  )
}

// Tenders as people name them, by a title, a link or a winner, where a search or a profile needs one of them.
import type { TenderRecord } from '../../domain/tender.ts'
import { hourMs } from '../../domain/time.ts'
import { searchWordsOf, tokensOf } from '../../domain/words.ts'
import { loadRedactor } from '../../store/received/redactions.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import type { OrganizationRequest } from '../frame/page.ts'
import { recordsAt } from '../frame/published-record.ts'
import { titleOf } from '../frame/record-texts.ts'
import { readsStock } from '../frame/stock-access.ts'
import { type NamedWin, winsByName } from '../market/wins-by-name.ts'

/** Maximum tenders to choose from, for a title and for a winner. */
const [maxCalled, maxWins] = [8, 20]
/** Maximum words of a title that are looked up. */
const maxWords = 8

/** The id in what somebody typed: itself, or in a link to a page or to the API. */
export const tenderIdIn = (typed: string): string | undefined =>
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(typed)?.[0].toLowerCase()

/** Whether somebody typed or sent an id and nothing else. */
export const isTenderId = (typed: string): boolean => tenderIdIn(typed) === typed.toLowerCase()

/** The newest tenders whose texts have all words of a title; only those called exactly so, if there are any. */
export async function tendersCalled(
  context: ConsoleContext,
  request: OrganizationRequest,
  typed: string,
): Promise<TenderRecord[]> {
  const { editions, store, stockLimits } = context
  const allWords = searchWordsOf(typed).slice(0, maxWords)
  if (allWords.length === 0 || !editions.newest || !readsStock(context, request)) return []
  stockLimits.takePage(request)
  const redactor = await loadRedactor(store.db)
  const at = Math.floor(request.now / hourMs) * hourMs
  const found = editions.findTenders({ allWords, order: 'relevance', offset: 0, limit: maxCalled, at })
  const records = recordsAt(editions, found.positions, redactor)
  const wanted = tokensOf(typed).join(' ')
  const exact = records.filter((record) => tokensOf(titleOf(record).text).join(' ') === wanted)
  return exact.length > 0 ? exact : records
}

/** The newest tenders that a company of this name won. */
export async function winsCalled(
  context: ConsoleContext,
  request: OrganizationRequest,
  typed: string,
  limit = maxWins,
): Promise<readonly NamedWin[]> {
  const { editions, store, stockLimits } = context
  if (!editions.newest || !readsStock(context, request)) return []
  stockLimits.takePage(request)
  const redactor = await loadRedactor(store.db)
  const at = Math.floor(request.now / hourMs) * hourMs
  return winsByName(editions, redactor, { typed, limit, at }).wins
}

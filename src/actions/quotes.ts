// Requests for a quote: a visitor asks, an operator accepts, declines or erases. Each runs in the transaction of its
// caller; an answer leaves one entry of the audit log, which names the request by its id only.
import { dayMs } from '../domain/time.ts'
import type { Random } from '../platform/random.ts'
import type { Executor } from '../store/database/database.ts'
import {
  countQuotes,
  deleteQuote,
  endQuote,
  findQuote,
  insertQuote,
  type QuoteInput,
  type QuoteOutcome,
} from '../store/people/quotes.ts'
import { takeQuoteAttempt } from '../store/people/sign-in-attempts.ts'
import { type ActingNow, record } from './acting.ts'

/** Maximum requests of everybody in a day; beyond it, the form says so. */
const maxInDay = 200
/** Number in a day up to which each is mailed to operators; the desk lists all. */
const maxMailed = 20

/** `isMailed`: whether operators hear of it by mail. `tooMany`: of this network in an hour, or of all in a day. */
export type QuoteRequest =
  | { readonly kind: 'asked'; readonly quoteId: string; readonly isMailed: boolean }
  | { readonly kind: 'tooMany' }

/** A visitor asks. `networkHash`: SHA-256 in hex of where from; it is forgotten after an hour. */
export async function askQuote(
  trx: Executor,
  { now, random }: { readonly now: number; readonly random: Random },
  { input, networkHash }: { readonly input: QuoteInput; readonly networkHash: string },
): Promise<QuoteRequest> {
  if (!(await takeQuoteAttempt(trx, networkHash, now))) return { kind: 'tooMany' }
  const before = await countQuotes(trx, now - dayMs)
  if (before >= maxInDay) return { kind: 'tooMany' }
  const quoteId = random.uuid()
  await insertQuote(trx, { ...input, quoteId }, now)
  return { kind: 'asked', quoteId, isMailed: before < maxMailed }
}

export type QuoteClosing = 'closed' | 'notOpen' | 'gone'

/** Accepts or declines; `organizationId`: what was set up for it. */
export async function closeQuote(
  trx: Executor,
  acting: ActingNow,
  wanted: { readonly quoteId: string; readonly state: QuoteOutcome; readonly organizationId?: string },
): Promise<QuoteClosing> {
  const { quoteId, state } = wanted
  if (!(await endQuote(trx, { ...wanted, by: acting.actor }, acting.now)))
    return (await findQuote(trx, quoteId)) ? 'notOpen' : 'gone'
  await record(trx, acting, { action: state === 'accepted' ? 'quote.accept' : 'quote.decline', subject: quoteId })
  return 'closed'
}

/** Erases a request before its time, answered or not, for whoever asks for it. Returns false if there is none. */
export async function eraseQuote(trx: Executor, acting: ActingNow, quoteId: string): Promise<boolean> {
  if (!(await deleteQuote(trx, quoteId))) return false
  await record(trx, acting, { action: 'quote.erase', subject: quoteId })
  return true
}

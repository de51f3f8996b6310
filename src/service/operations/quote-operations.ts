// The commands about requests for a quote.
import { closeQuote, eraseQuote } from '../../actions/quotes.ts'
import { OperatorError } from '../../platform/errors.ts'
import { inTransaction } from '../../store/database/database.ts'
import { findQuote, listQuotes, type QuoteOutcome } from '../../store/people/quotes.ts'
import { actingNow, type Operation, type Operations } from '../control/operation-context.ts'

const maxListed = 1000

/** `quote list` */
const listAll: Operation = async ({ store }, _request, emit) => {
  const quotes = await listQuotes(store.db, maxListed)
  if (quotes.length === 0) emit({ event: 'none', message: 'Nobody has asked for a quote in the last 180 days.' })
  for (const quote of quotes) emit({ event: 'quote', ...quote })
  return 0
}

/** `quote show` */
const showOne: Operation = async ({ store }, { operands }, emit) => {
  const quote = await findQuote(store.db, operands[0]!)
  if (!quote) throw noQuote(operands[0]!)
  emit({ event: 'quote', ...quote })
  return 0
}

/** `quote close` */
const closeOne: Operation = async (context, { operands, options }, emit) => {
  const [quoteId, state] = [operands[0]!, options['as'] as QuoteOutcome]
  const outcome = await inTransaction(context.store, (trx) => closeQuote(trx, actingNow(context), { quoteId, state }))
  if (outcome === 'gone') throw noQuote(quoteId)
  if (outcome === 'notOpen') throw new OperatorError('nothing-to-do', `The request ${quoteId} was answered before.`)
  emit({ event: 'quoteClosed', quoteId, state })
  return 0
}

/** `quote erase` */
const eraseOne: Operation = async (context, { operands }, emit) => {
  const quoteId = operands[0]!
  if (!(await inTransaction(context.store, (trx) => eraseQuote(trx, actingNow(context), quoteId))))
    throw noQuote(quoteId)
  emit({ event: 'quoteErased', quoteId })
  return 0
}

const noQuote = (id: string) =>
  new OperatorError('no-quote', `There is no request for a quote ${id}; \`tenderstock quote list\` shows them.`)

export const operations = {
  'quote list': listAll,
  'quote show': showOne,
  'quote close': closeOne,
  'quote erase': eraseOne,
} satisfies Operations

// Find tenders: a question in the address, its answer as a page, and as a file.
import { setImmediate as turn } from 'node:timers/promises'
import { dayMs, toInstant } from '../../domain/time.ts'
import { maxFound, type TenderQuestion } from '../../edition/read/tender-question.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { type PageAnswer, PageError, type PageRequest, type PageRoute, publicPage, redirect } from '../frame/page.ts'
import { publishedRecord, recordsAt } from '../frame/published-record.ts'
import { accessOf } from '../frame/stock-access.ts'
import { type Asked, addressOf, orderOf, pageSize, readAddress } from './asked.ts'
import { type Chip, chipsOf, tradesMeant } from './facet-parts.ts'
import { findPage, type Wider, withoutStock } from './find-page.ts'
import { findTexts } from './find-texts.ts'
import { type FoundStock, hourOf, stockFor } from './found-stock.ts'
import { csvHead, csvRow } from './tenders-csv.ts'

/** Rows of a file between two turns of other work. */
const rowsAtOnce = 100
/** How long a page waits for an edition that was just published to be indexed. */
const indexWaitMs = 500
/** Ways to widen a question that finds nothing. */
const maxWider = 6

export const findPages = (context: ConsoleContext): PageRoute[] => [
  publicPage('GET', '/tenders', (request) => answerOf(context, request)),
  publicPage('GET', '/tenders.csv', (request) => fileOf(context, request)),
]

/** What is asked of an edition. */
export function questionOf(asked: Asked, at: number, part: Pick<TenderQuestion, 'offset' | 'limit'>): TenderQuestion {
  const { words, cpv, nuts, statuses, min, max, due, month, authorities } = asked
  const list = <Item>(items: readonly Item[]) => (items.length === 0 ? undefined : items)
  const members = {
    allWords: list(words),
    cpv: list(cpv),
    nuts: list(nuts),
    statuses,
    valueMin: min,
    valueMax: max,
    ...(due !== undefined && { deadlineFrom: at, deadlineBefore: at + due * dayMs }),
    ...(month !== undefined && spanOf(month)),
    authorities: list(authorities),
  }
  const present = Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined))
  return { ...present, order: orderOf(asked), at, ...part }
}

function spanOf(month: string): Pick<TenderQuestion, 'publishedFrom' | 'publishedBefore'> {
  const [year, number] = month.split('-').map(Number)
  return { publishedFrom: Date.UTC(year!, number! - 1), publishedBefore: Date.UTC(year!, number!) }
}

async function answerOf(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { query, language } = request
  const read = readAddress(query, language)
  const { asked, faults } = read
  // a region that was typed by name: the address says its code from now on
  if (read.hasPlace && faults.length === 0) return redirect(addressOf(asked, { page: asked.page }))
  const stock = stockFor(context, request)
  if (typeof stock === 'string') return withoutStock(stock, request)
  context.stockLimits.takePage(request)
  const { editions } = stock
  if (!editions.newest) return withoutStock('noEdition', request)
  await editions.indexed(indexWaitMs)
  const at = hourOf(stock)
  const offset = (asked.page - 1) * pageSize
  const found = editions.findTenders(questionOf(asked, at, { offset, limit: pageSize }))
  const records = recordsAt(editions, found.positions)
  const isNothing = found.total === 0
  const wider = isNothing ? widerOf(stock, asked, chipsOf(asked, language).slice(0, maxWider)) : []
  const trades = isNothing ? widerOf(stock, asked, tradesMeant(asked, language)) : []
  const organization = accessOf(context, request) ?? request.viewer?.memberships[0]
  return findPage({ request, read, stock, found, records, wider: wider.sort(byTotal), trades, at, organization })
}

/** The other questions that find something. */
function widerOf({ editions, ...stock }: FoundStock, asked: Asked, ways: readonly Chip[]): Wider[] {
  const at = hourOf(stock)
  return ways
    .map(({ plain, without }) => {
      const question = questionOf({ ...asked, page: 1, ...without }, at, { offset: 0, limit: 1 })
      return { name: plain, href: addressOf(asked, without), total: editions.findTenders(question).total }
    })
    .filter(({ total }) => total > 0)
}

const byTotal = (left: Wider, right: Wider): number => right.total - left.total

/** The first rows in the order of the question, as a file. */
async function fileOf(context: ConsoleContext, request: PageRequest): Promise<PageAnswer> {
  const { query, language } = request
  const { asked, faults } = readAddress(query, language)
  if (faults[0]) throw new PageError(400, faults[0].text)
  const stock = stockFor(context, request)
  if (typeof stock === 'string' || !stock.editions.newest) throw new PageError(503, findTexts[language].noEdition)
  context.stockLimits.takeFile(request)
  const { editions, pages } = stock
  await editions.indexed(indexWaitMs)
  const { positions } = editions.findTenders(questionOf(asked, hourOf(stock), { offset: 0, limit: maxFound }))
  // positions are valid only now, and thousands of records take too long to read at once
  const ids = positions.map((position) => editions.meta(position).id)
  const address = `${context.origin}${pages}`
  const rows = [csvHead(language)]
  for (let done = 0; done < ids.length; done += rowsAtOnce) {
    for (const id of ids.slice(done, done + rowsAtOnce)) {
      const record = publishedRecord(editions, id)
      if (record) rows.push(csvRow(record, language, address))
    }
    await turn()
  }
  const name = `tenders-${toInstant(request.now).slice(0, 10)}.csv`
  return {
    kind: 'content',
    type: 'text/csv; charset=utf-8',
    body: rows.join(''),
    headers: { 'content-disposition': `attachment; filename="${name}"` },
  }
}

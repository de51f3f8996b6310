// Which tenders somebody may look through: the stock for people whose organization has access to it, and for operators;
// made-up samples for everybody else.
import { hourMs } from '../../domain/time.ts'
import type { ConsoleContext, ExplorerStock } from '../frame/console-context.ts'
import { formatDay, formatNumber } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import type { PageRequest } from '../frame/page.ts'
import { accessOf, readsStock } from '../frame/stock-access.ts'
import { findTexts } from './find-texts.ts'

export type FoundStock = {
  readonly editions: ExplorerStock['editions']
  /** Path of the pages of its tenders, with a slash at the end. */
  readonly pages: '/tenders/' | '/samples/'
  /** To which deadlines refer, epoch milliseconds. */
  readonly now: number
  readonly stamp: Html
}

export function stockFor(context: ConsoleContext, request: PageRequest): FoundStock | 'making' | 'failed' {
  const { language, viewer, now } = request
  const texts = findTexts[language]
  const samples = html`<b>${texts.samples}</b> ${texts.samplesDetail}`
  const own = accessOf(context, request)
  if (readsStock(context, request))
    return {
      editions: context.editions,
      pages: viewer ? '/tenders/' : '/samples/',
      now,
      stamp: context.hasSamples ? samples : html`${own && texts.live(own.name)}`,
    }
  const stock = context.samples()
  if (typeof stock === 'string') return stock
  const { newest } = stock.editions
  const detail =
    newest && texts.frozenDetail(formatNumber(newest.records, language), formatDay(newest.publishedAt, language))
  const way = viewer ? texts.needsAccess : html`<a href="/sign-in?return=/tenders">${texts.signIn}</a>`
  return {
    editions: stock.editions,
    pages: '/samples/',
    // a frozen edition stays as it was when it was made
    now: stock.isFrozen && newest ? newest.publishedAt : now,
    stamp: stock.isFrozen ? html`<b>${texts.samples}</b> ${detail} ${way}` : samples,
  }
}

/** The hour to which a question refers, so that equal ones are answered once. */
export const hourOf = ({ now }: Pick<FoundStock, 'now'>): number => Math.floor(now / hourMs) * hourMs

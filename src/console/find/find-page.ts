// The page of tenders as markup: the question, what narrows it, the results, and what can be done with them.
import type { TenderRecord } from '../../domain/tender.ts'
import { maxFound, maxOffset, type TendersFound } from '../../edition/read/tender-question.ts'
import { regionName } from '../codes/region-names.ts'
import { formatMoment, formatNumber, formatShare } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { askAgainSeconds, type PageAnswer, type PageRequest, page, type ViewerMembership } from '../frame/page.ts'
import { empty, field, noteBox, pager } from '../frame/parts.ts'
import { searchFormAddress } from '../hits/search-form.ts'
import { type Asked, addressOf, type Field, orderOf, pageSize, type ReadAddress, tenderOrders } from './asked.ts'
import { chipRow, chipsOf, facets, hiddenOf, tradesMeant } from './facet-parts.ts'
import { bottomCharts, topCharts } from './find-charts.ts'
import { findTexts } from './find-texts.ts'
import type { FoundStock } from './found-stock.ts'
import { saveableOf } from './saved-filter.ts'
import { tenderCard } from './tender-card.ts'

/** A question with one part fewer, and how many it finds. */
export type Wider = { readonly name: string; readonly href: string; readonly total: number }

export type FindView = {
  readonly request: PageRequest
  readonly read: ReadAddress
  readonly stock: FoundStock
  readonly found: TendersFound
  readonly records: readonly TenderRecord[]
  readonly wider: readonly Wider[]
  /** The trades that people mean by words that find nothing, in place of the words. */
  readonly trades: readonly Wider[]
  /** To which weeks refer, epoch milliseconds. */
  readonly at: number
  /** Where a search would be saved. */
  readonly organization: ViewerMembership | undefined
}

const headOf = (language: Language) => ({
  title: findTexts[language].title,
  lead: findTexts[language].lead,
  description: findTexts[language].lead,
  current: '/tenders',
  styles: ['find'],
})

/** There is nothing to look through yet. */
export function withoutStock(why: 'making' | 'failed' | 'noEdition', { language, viewer }: PageRequest): PageAnswer {
  const texts = findTexts[language]
  const signIn = !viewer && html`<a class="btn" href="/sign-in?return=/tenders">${texts.shared.signIn}</a>`
  const bodies: { readonly [reason in typeof why]: Html } = {
    making: empty(
      texts.making,
      texts.makingDetail,
      html`<p class="row"><a class="btn" href="/tenders">${texts.shared.checkAgain}</a>${signIn}</p>`,
    ),
    failed: empty(texts.failed, texts.failedDetail, signIn),
    noEdition: empty(texts.noEdition, texts.noEditionDetail, html`<a class="btn" href="/status">${texts.howFar}</a>`),
  }
  return page({ ...headOf(language), ...(why !== 'failed' && { refreshSeconds: askAgainSeconds }), body: bodies[why] })
}

export function findPage(view: FindView): PageAnswer {
  const { request, read, stock, found } = view
  const { language } = request
  const { asked, faults } = read
  const isWrong = faults.length > 0
  return page({
    ...headOf(language),
    isWithoutSecrets: true,
    ...(isWrong && { status: 400 as const }),
    ...(found.indexed < 1 && { refreshSeconds: askAgainSeconds }),
    body: html`<p class="stamp">${stock.stamp}</p>
${questionForm(read, language)}
${otherFaults(read, language)}
${!isWrong && html`${chipRow(asked, language)}${(found.total > 0 || found.indexed < 1) && tradesFor(asked, language)}`}
${found.indexed < 1 && noteBox('info', findTexts[language].indexing(formatShare(found.indexed, language)), findTexts[language].indexingDetail)}
${!isWrong && (found.total > 0 || found.indexed === 1) && results(view)}`,
  })
}

const glass = html`<svg class="i" viewBox="0 0 16 16" aria-hidden="true">
  <path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14"/>
</svg>`

/** Words and place; the rest of the question stays. */
function questionForm({ asked, faults, remarks, places, typed }: ReadAddress, language: Language): Html {
  const texts = findTexts[language]
  const errorAt = (name: Field) => faults.find((fault) => fault.field === name)?.text
  const wordsError = errorAt('words')
  const placeError = errorAt('place')
  return html`<form class="ask" role="search" action="/tenders" aria-label="${texts.title}">
${field({
  name: 'words',
  label: texts.words,
  type: 'search',
  value: wordsError === undefined ? asked.words.join(' ') : typed.words,
  placeholder: texts.wordsHint,
  maxLength: 200,
  error: wordsError,
  ...(remarks.length > 0 && { hint: remarks.join(' ') }),
})}
${field({
  name: 'place',
  label: texts.place,
  value: placeError === undefined ? '' : typed.place,
  placeholder: texts.placeHint,
  maxLength: 200,
  error: placeError,
  ...(places.length > 0 && { hint: choicesOf(asked, places, language) }),
})}
${hiddenOf(asked, ['words'])}<button><span>${texts.search}</span>${glass}</button></form>`
}

/** Trades that people mean by the words: a word finds only what says it. */
function tradesFor(asked: Asked, language: Language): Html | false {
  const trades = tradesMeant(asked, language)
  if (trades.length === 0) return false
  return html`<p class="hint trades">${findTexts[language].wholeTrade} ${trades.map(
    ({ plain, without }, index) =>
      html`${index > 0 && ' · '}<a href="${addressOf(asked, without)}" rel="nofollow">${plain}</a>`,
  )}</p>`
}

/** Regions with the name that was typed. */
const choicesOf = (asked: Asked, places: readonly string[], language: Language): Content =>
  places.map(
    (code, index) =>
      html`${index > 0 && ' · '}<a href="${addressOf(asked, { nuts: [...asked.nuts, code] })}">${regionName(code, language)}</a>`,
  )

function otherFaults({ faults }: ReadAddress, language: Language): Html | false {
  const texts = findTexts[language]
  const others = faults.filter(({ field: name }) => name === 'other' || name === 'value')
  if (faults.length === 0) return false
  return html`${
    others.length > 0 &&
    noteBox(
      'bad',
      texts.wrong,
      others.map(({ text }) => html`${text} `),
    )
  }<p><a class="btn" href="/tenders">${texts.startAgain}</a></p>`
}

function results(view: FindView): Html {
  const { request, read, found, at } = view
  const { language } = request
  const { asked } = read
  if (found.total === 0) return nothing(view)
  const texts = findTexts[language]
  return html`<div class="finder">${facets(asked, found.facets, language)}
<div>${tally(view)}
${saveSentence(view)}
${topCharts(asked, found.facets, at, language)}
${orders(asked, language)}
<ol class="finds">${view.records.map((record) =>
    tenderCard(record, {
      asked,
      language,
      now: view.stock.now,
      pages: view.stock.pages,
      hasParties: view.request.viewer !== undefined,
    }),
  )}</ol>
${pages(view)}
${bottomCharts(asked, found.facets, language)}
${part(texts.spelling, texts.spellingText)}</div></div>`
}

const part = (heading: string, text: string): Html =>
  html`<section class="part"><h2>${heading}</h2><p class="soft small">${text}</p></section>`

function tally(view: FindView): Html {
  const { request, read, stock, found } = view
  const { language } = request
  const { asked } = read
  const texts = findTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const { newest } = stock.editions
  const filters = chipsOf(asked, language).length
  const rows = Math.min(found.total, maxFound)
  return html`<div class="tally"><h2>${texts.found(number(found.total))}<small>
  ${newest && texts.asOf(formatMoment(newest.publishedAt, language))}${found.total > maxOffset && html` · ${texts.pagedOnly(number(maxOffset))}`}
</small></h2>
<div class="row tools">
<button class="only-small" type="button" popovertarget="facets">${filters === 0 ? texts.filters : texts.filtersOn(number(filters))}</button>
<details class="drop"><summary class="btn">${texts.download}</summary>
<ul><li><a href="${addressOf(asked, {}, '/tenders.csv')}" rel="nofollow">${texts.csv}<span>${
    found.total > maxFound ? texts.csvMost(number(rows)) : texts.csvDetail(number(rows))
  }</span></a></li></ul></details>
${saveButton(view, texts.save)}</div></div>`
}

const bell = html`<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.7 14.2h2.6"/></svg>`

/** Leads to the form of a new search that finds what the page shows. */
function saveButton({ request, read, organization }: FindView, label: string): Html | false {
  const { language, viewer } = request
  const saveable = saveableOf(read.asked)
  if (saveable.kind === 'refused') return false
  if (!viewer)
    return html`<a class="btn go" href="/sign-in?return=${encodeURIComponent(addressOf(read.asked))}">${bell}${findTexts[language].saveFirst}</a>`
  if (!organization) return false
  const name = nameOf(read.asked, language)
  const form = `/o/${organization.organizationId}/searches/new?${searchFormAddress(saveable.filter, name)}`
  return html`<a class="btn go" href="${form}" rel="nofollow">${bell}${label}</a>`
}

/** A name for the search, from what it asks. */
const nameOf = (asked: Asked, language: Language): string =>
  [
    asked.words.join(' '),
    ...asked.authorities,
    ...chipsOf(
      { ...asked, words: [], authorities: [], statuses: undefined, due: undefined, month: undefined },
      language,
    ).map(({ plain }) => plain),
  ]
    .filter(Boolean)
    .join(', ')
    .slice(0, 200)

/** What a saved search would find, as far as it is not exactly what the page shows. */
function saveSentence({ request, read, found }: FindView): Html {
  const isNothing = found.total === 0
  const texts = findTexts[request.language]
  const saveable = saveableOf(read.asked)
  const sentence =
    saveable.kind === 'refused'
      ? texts.cannotSave[saveable.why]
      : saveable.lost.length === 0
        ? isNothing
          ? texts.savedNone
          : texts.saved
        : texts.savedWithout(saveable.lost.map((each) => texts.lost[each]).join(texts.and))
  return html`<p class="hint" id="saved-means">${sentence}</p>`
}

function orders(asked: Asked, language: Language): Html {
  const texts = findTexts[language]
  const current = orderOf(asked)
  return html`<div class="sorts"><nav class="tabs" aria-label="${texts.order}">${tenderOrders
    .filter((order) => order !== 'relevance' || asked.words.length > 0)
    .map(
      (order) =>
        html`<a href="${addressOf(asked, { order })}"${order === current && html` aria-current="true"`} rel="nofollow">${texts.orders[order]}</a>`,
    )}</nav><span>${texts.orderNotes[current]}</span></div>`
}

function pages({ request, read, found }: FindView): Html | false {
  const { language } = request
  const texts = findTexts[language]
  const { asked } = read
  const last = Math.ceil(Math.min(found.total, maxOffset) / pageSize)
  if (last <= 1 && asked.page === 1) return false
  const to = (number: number) => addressOf(asked, { page: number })
  const number = (value: number) => formatNumber(value, language)
  return pager({
    text: texts.page(number(asked.page), number(last)),
    previous: asked.page > 1 ? [texts.previous, to(Math.min(asked.page - 1, Math.max(1, last)))] : undefined,
    next: asked.page < last ? [texts.next, to(asked.page + 1)] : undefined,
  })
}

function nothing(view: FindView): Html {
  const { request, wider, trades } = view
  const { language } = request
  const texts = findTexts[language]
  const list = (lead: string, ways: readonly Wider[], say: typeof texts.without) =>
    ways.length > 0 &&
    html`<p>${lead}</p><ul class="finds">${ways.map(
      ({ name, href, total }) =>
        html`<li><h3><a href="${href}" rel="nofollow">${say(name, formatNumber(total, language))}</a></h3></li>`,
    )}</ul>`
  return html`<div class="card none stack"><h2>${texts.nothing}</h2>
${list(texts.inTrade, trades, texts.tradeWith)}
${list(texts.leaveOut, wider, texts.without)}
${saveSentence(view)}
<div class="row">${saveButton(view, texts.saveNone)}<a href="/tenders">${texts.startAgain}</a></div></div>
${part(texts.spelling, texts.spellingText)}`
}

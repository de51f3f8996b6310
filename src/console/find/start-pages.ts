// First steps of somebody who was invited: what they do, where, what they have won. Three pages make a saved search, a
// profile if there are wins, and hits of what is open. All answers travel in the address, so nothing is stored before
// the last button.
import { addProfile } from '../../actions/profiles.ts'
import { addSearch } from '../../actions/searches.ts'
import { findCodes } from '../../domain/code-labels.ts'
import { searchWordsOf } from '../../domain/words.ts'
import type { TenderFinder } from '../../edition/read/edition-view.ts'
import { HitInputError } from '../../hits/read-input.ts'
import { parseSearchFilter, type SearchFilter } from '../../hits/saved-search.ts'
import { type CodeCounts, openCodeCounts } from '../codes/code-counts.ts'
import { rankCodes } from '../codes/rank-codes.ts'
import { regionName } from '../codes/region-names.ts'
import { openTitleReader, type TitleReader } from '../codes/title-codes.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatDay, formatNumber } from '../frame/format.ts'
import { actingOf, fieldOf, formKey, once, Refused } from '../frame/forms.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import {
  type OrganizationRequest,
  organizationPage,
  type PageAnswer,
  PageError,
  type PageRoute,
  page,
  redirect,
} from '../frame/page.ts'
import { field, fieldset, quoted, tick } from '../frame/parts.ts'
import { titleOf } from '../frame/record-texts.ts'
import { readsStock } from '../frame/stock-access.ts'
import { tenderIdIn, winsCalled } from '../hits/named-tenders.ts'
import { deliverNow } from '../hits/search-changes.ts'
import { tradeName } from './facet-parts.ts'
import { withoutStock } from './find-page.ts'
import { findTexts } from './find-texts.ts'
import { hourOf } from './found-stock.ts'
import { regionsCalled } from './regions-called.ts'
import { startTexts } from './start-texts.ts'

/** Trades that are offered, and how many of them are ticked at first; wins that are offered. */
const [maxTrades, tickedTrades, maxWins] = [6, 3, 8]
/** Every match becomes a hit: a newcomer sees first, and narrows later. */
const lowestThreshold = 1
const longestTyped = 200
const statuses = ['open', 'planned'] as const

export const startPages = (context: ConsoleContext): PageRoute[] => {
  const { editions, clock } = context
  const desk = { context, titles: openTitleReader(editions, clock), counts: openCodeCounts(editions, clock) }
  return [
    organizationPage('GET', '/o/:organization/start', 'member', (request) => show(desk, request)),
    organizationPage('POST', '/o/:organization/start', 'member', (request) => finish(context, request)),
  ]
}

type StartDesk = { readonly context: ConsoleContext; readonly titles: TitleReader; readonly counts: CodeCounts }

/** Where somebody is sent who does not read the stock: hits come from there, so samples would promise wrong ones. */
const withoutAccess = ({ url }: OrganizationRequest): PageAnswer => redirect(url.pathname.replace(/\/start$/, ''))

/** What was answered so far. */
type Answers = {
  readonly what: string
  readonly cpv: readonly string[]
  readonly place: string
  readonly nuts: readonly string[]
  readonly placeError: string | undefined
}

function answersOf(sent: URLSearchParams, { language }: OrganizationRequest): Answers {
  const typed = (name: string) => fieldOf(sent, name).slice(0, longestTyped)
  const place = typed('place')
  const texts = startTexts[language]
  const nuts: string[] = []
  let placeError: string | undefined
  for (const name of place.split(/[,;]/).map((part) => part.trim())) {
    if (name === '') continue
    const called = regionsCalled(name)
    const found = called.length > 0 ? called : findCodes('nuts', name, maxTrades)
    if (found.length === 1) nuts.push(found[0]!)
    else
      placeError ??=
        found.length === 0
          ? texts.unknownPlace(name)
          : texts.whichPlace(found.map((code) => regionName(code, language)).join(', '))
  }
  const cpv = [...new Set(sent.getAll('cpv'))].filter((code) => /^\d{8}$/.test(code)).slice(0, maxTrades)
  return { what: typed('what'), cpv, place, nuts: [...new Set(nuts)], placeError }
}

/** The saved search of the answers: its trades, or the words if no trade was found. */
function filterOf({ what, cpv, nuts }: Answers): SearchFilter {
  const words = searchWordsOf(what).filter((word) => word.length > 1)
  return {
    ...(cpv.length > 0 ? { cpv: [...cpv].sort() } : words.length > 0 && { allWords: [...words].sort() }),
    ...(nuts.length > 0 && { nuts: [...nuts].sort() }),
    status: [...statuses],
  }
}

/** Undefined for what no search may look for. */
function readFilter(answers: Answers): SearchFilter | undefined {
  try {
    return parseSearchFilter(filterOf(answers))
  } catch (error) {
    if (error instanceof HitInputError) return undefined
    throw error
  }
}

async function show(desk: StartDesk, request: OrganizationRequest): Promise<PageAnswer> {
  const { context, titles, counts } = desk
  if (!readsStock(context, request)) return withoutAccess(request)
  const { editions, stockLimits } = context
  if (!editions.newest) return withoutStock('noEdition', request)
  const { query, language } = request
  const texts = startTexts[language]
  const answers = answersOf(query, request)
  const step = Number(query.get('step'))
  const hasWords = searchWordsOf(answers.what).length > 0
  if (step < 2 || !hasWords || Number.isNaN(step)) {
    const error = step >= 2 ? texts.whatMissing : undefined
    return stepPage(0, request, whatForm(answers, request, error), undefined, error !== undefined)
  }
  if (step === 2 || answers.placeError !== undefined) {
    stockLimits.takePage(request)
    const offered = rankCodes('cpv', answers.what, maxTrades, titles(answers.what))
    const seen = query.has('seen')
    const ticked = seen ? answers.cpv : offered.slice(0, tickedTrades)
    const shown = { ...answers, cpv: ticked }
    return stepPage(
      1,
      request,
      whereForm(shown, offered, counts.of('cpv', offered), request),
      nowCard(shown, editions, request),
      answers.placeError !== undefined,
    )
  }
  if (!readFilter(answers)) return redirect(`${request.url.pathname}?step=2&what=${encodeURIComponent(answers.what)}`)
  const wins = await winsPart(context, request)
  return stepPage(2, request, wonForm(context, answers, wins, request), nowCard(answers, editions, request))
}

function stepPage(
  step: 0 | 1 | 2,
  { language, url }: OrganizationRequest,
  form: Html,
  aside: Html | undefined,
  isWrong = false,
): PageAnswer {
  const texts = startTexts[language]
  return page({
    title: texts.names[step],
    lead: texts.leads[step],
    current: url.pathname.replace(/\/start$/, ''),
    ...(isWrong && { status: 422 as const }),
    body: html`<ol class="walk" aria-label="${texts.steps}">${texts.names.map(
      (name, index) =>
        html`<li${index < step && html` class="done"`}${index === step && html` aria-current="step"`}>${index + 1}. ${name}</li>`,
    )}</ol>
<div class="split after"><div>${form}</div><aside class="stay stack" aria-label="${texts.now}">${aside}<p class="soft small">${texts.final}</p></aside></div>`,
  })
}

function whatForm({ what }: Answers, { language, url }: OrganizationRequest, error: string | undefined): Html {
  const texts = startTexts[language]
  return html`<form class="stack" action="${url.pathname}"><input type="hidden" name="step" value="2">${field({
    name: 'what',
    label: texts.what,
    value: what,
    hint: texts.whatHint,
    maxLength: longestTyped,
    isRequired: true,
    error,
  })}<div><button class="go">${texts.goOn}</button></div></form>`
}

function whereForm(
  answers: Answers,
  offered: readonly string[],
  counts: ReadonlyMap<string, number>,
  request: OrganizationRequest,
): Html {
  const { language, url } = request
  const texts = startTexts[language]
  const backTo = `${url.pathname}?what=${encodeURIComponent(answers.what)}`
  return html`<form class="stack" action="${url.pathname}"><input type="hidden" name="step" value="3"><input
    type="hidden" name="seen" value="yes"><input type="hidden" name="what" value="${answers.what}">${field({
      name: 'place',
      label: texts.place,
      value: answers.place,
      hint: texts.placeHint,
      maxLength: longestTyped,
      error: answers.placeError,
    })}${
      offered.length === 0
        ? html`<p class="soft">${texts.noTrade}</p>`
        : fieldset(
            texts.trades,
            html`<p class="hint">${texts.tradesHint}</p>${offered.map((code) =>
              tick({
                name: 'cpv',
                value: code,
                label: tradeName(code, language),
                isOn: answers.cpv.includes(code),
                ...(counts.has(code) && { count: texts.open(formatNumber(counts.get(code)!, language)) }),
              }),
            )}`,
          )
    }<div class="row"><button class="go">${texts.goOn}</button><a href="${backTo}">${texts.back}</a></div></form>`
}

const hiddenOf = ({ what, cpv, place }: Answers): Html =>
  html`<input type="hidden" name="what" value="${what}"><input type="hidden" name="place" value="${place}">${cpv.map(
    (code) => html`<input type="hidden" name="cpv" value="${code}">`,
  )}`

function wonForm(context: ConsoleContext, answers: Answers, wins: Html, request: OrganizationRequest): Html {
  const { language, url } = request
  const texts = startTexts[language]
  const backTo = `${url.pathname}?${new URLSearchParams([
    ['step', '2'],
    ['seen', 'yes'],
    ['what', answers.what],
    ['place', answers.place],
    ...answers.cpv.map((code): [string, string] => ['cpv', code]),
  ])}`
  return html`<form class="stack" action="${url.pathname}"><input type="hidden" name="step" value="3">${hiddenOf(answers)}${field(
    {
      name: 'company',
      label: texts.company,
      value: companyOf(request),
      maxLength: longestTyped,
    },
  )}<div><button>${texts.find}</button></div></form>
<form class="stack after" method="post" action="${url.pathname}">${formKey(context)}${hiddenOf(answers)}${wins}<div class="row"><button
  class="go">${texts.finish}</button><a href="${backTo}">${texts.back}</a></div></form>`
}

const companyOf = ({ query, organization }: OrganizationRequest): string =>
  query.has('company') ? fieldOf(query, 'company').slice(0, longestTyped) : organization.name

async function winsPart(context: ConsoleContext, request: OrganizationRequest): Promise<Html> {
  const { language } = request
  const texts = startTexts[language]
  const wins = await winsCalled(context, request, companyOf(request), maxWins)
  if (wins.length === 0) return html`<p class="soft">${texts.noWins}</p>`
  const label = ({ record, winner }: (typeof wins)[number]): Content => {
    const { text, lang } = titleOf(record)
    const buyer = record.contractingAuthority
    const at = Date.parse(record.publicationDate ?? '')
    const about = html`${buyer && html`${quoted(buyer.name, record.language)} · `}${quoted(winner.name)}`
    const day = Number.isNaN(at) ? '' : ` · ${formatDay(at, language)}`
    return html`${quoted(text || findTexts[language].untitled, lang)}<br><span class="soft small">${about}${day}</span>`
  }
  return fieldset(
    texts.wins,
    wins.map((win) => tick({ name: 'win', value: win.record.id, label: label(win), isOn: false })),
  )
}

function countOf(
  answers: Answers,
  editions: TenderFinder,
  request: OrganizationRequest,
): { readonly open: number; readonly planned: number } {
  const { cpv, nuts, allWords } = filterOf(answers)
  const asked = { ...(cpv && { cpv }), ...(nuts && { nuts }), ...(allWords && { allWords }) }
  const found = editions.findTenders({
    ...asked,
    statuses,
    order: 'deadline',
    offset: 0,
    limit: 1,
    at: hourOf(request),
  })
  const of = (status: string) => found.facets.statuses.find(({ code }) => code === status)?.count ?? 0
  return { open: of('open'), planned: of('planned') }
}

function nowCard(answers: Answers, editions: TenderFinder, request: OrganizationRequest): Html {
  const { language } = request
  const texts = startTexts[language]
  const { open, planned } = countOf(answers, editions, request)
  return html`<div class="card">
    <p class="soft small">${texts.now}</p>
    <p><b>${texts.openTenders(formatNumber(open, language))}</b></p>
    ${planned > 0 && html`<p class="soft small">${texts.announced(formatNumber(planned, language))}</p>`}
  </div>`
}

async function finish(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  if (!readsStock(context, request)) return withoutAccess(request)
  const { form, language, organization, url } = request
  const texts = startTexts[language]
  const { organizationId } = organization
  const answers = answersOf(form, request)
  const filter = answers.placeError === undefined ? readFilter(answers) : undefined
  if (!filter) throw new PageError(400, texts.nothing)
  const wins = [...new Set(form.getAll('win'))].filter((id) => tenderIdIn(id) === id).slice(0, maxWins)
  const outcome = await once(context, request, async (trx) => {
    const acting = actingOf(context, request)
    let profileId: string | null = null
    if (wins.length > 0) {
      const { cpv, nuts } = filter
      const profile = { ...(cpv && { cpv }), ...(nuts && { nuts }), pastWins: wins.sort() }
      for (const name of namesFrom(organization.name)) {
        const creation = await addProfile(trx, acting, { organizationId, name, profile })
        if (creation.kind !== 'created') continue
        profileId = creation.profile.profileId
        break
      }
    }
    for (const name of namesFrom([answers.what, answers.place].filter(Boolean).join(' · '))) {
      const wanted = { filter, profileId, threshold: lowestThreshold, organizationId, name }
      const creation = await addSearch(trx, acting, wanted)
      if (creation.kind === 'created') return creation.search
      if (creation.kind !== 'nameTaken') break
    }
    return new Refused('tooMany')
  })
  const hits = url.pathname.replace(/start$/, 'hits')
  if (outcome.kind === 'refused') throw new PageError(409, texts.tooMany)
  if (outcome.kind === 'sent') return redirect(hits, { notice: texts.shared.alreadySent })
  const delivered = await deliverNow(context, request, outcome.result)
  return redirect(hits, { notice: `${texts.made(outcome.result.name)} ${delivered}` })
}

/** A name, and what is tried if it is taken. */
const namesFrom = (name: string): string[] =>
  [name, ...[2, 3, 4, 5].map((number) => `${name} ${number}`)].map((each) => each.slice(0, 100))

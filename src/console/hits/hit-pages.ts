// Hits of an organization: lists by state, what made each score, and what people do with them.

import { markHits } from '../../actions/hits.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'
import { inTransaction } from '../../store/database/database.ts'
import {
  countHitTabs,
  findHits,
  type HitState,
  type HitTab,
  hitKeyOf,
  hitStates,
  listHitPage,
  type PageHit,
  type TabCounts,
} from '../../store/hits/hit-lists.ts'
import { type SearchName, searchNames } from '../../store/hits/searches.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { actingOf } from '../frame/forms.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Html, html } from '../frame/html.ts'
import { returnPath } from '../frame/own-path.ts'
import {
  type OrganizationRequest,
  organizationPage,
  orNotFound,
  type PageAnswer,
  type PageRoute,
  page,
  redirect,
} from '../frame/page.ts'
import { empty, noteBox, pager, select } from '../frame/parts.ts'
import { publishedRecords } from '../frame/published-record.ts'
import { keyHelp, undoForm } from './decision-parts.ts'
import {
  type Asked,
  askedOf,
  hitAddress,
  hitsAddress,
  hitTabs,
  isHitId,
  maxMarked,
  queryOf,
  undosOf,
  withUndo,
} from './hit-addresses.ts'
import { hitItem } from './hit-parts.ts'
import { hitsTexts } from './hits-texts.ts'

/** As many as somebody decides about in one sitting, so that none of them waits on a further page. */
const pageSize = 30
/** Maximum count shown on a tab. */
const maxCounted = 250
const closingMs = 7 * dayMs

export const hitPages = (context: ConsoleContext): PageRoute[] => [
  organizationPage('GET', '/o/:organization/hits', 'member', (request) => listPage(context, request)),
  organizationPage('POST', '/o/:organization/hits', 'member', (request) => markPage(context, request)),
  organizationPage('GET', '/o/:organization/hits/:hit/next', 'member', (request) => step(context, request, 'next')),
  organizationPage('GET', '/o/:organization/hits/:hit/previous', 'member', (request) =>
    step(context, request, 'previous'),
  ),
]

/** The numbers of the searches whose hits are listed. */
const listedSearches = (searches: readonly SearchName[], asked: Asked): number[] => {
  const chosen = searches.filter(({ searchId }) => searchId === asked.search)
  return (chosen.length > 0 ? chosen : searches).map(({ searchNo }) => searchNo)
}

/** Deadlines of the list, if it asks for near ones. */
const closingOf = ({ isClosing }: Asked, now: number) => isClosing && { deadline: { from: now, to: now + closingMs } }

/** To the page of the tender beside a hit, whatever somebody has decided about it meanwhile. */
async function step(
  { store: { db } }: ConsoleContext,
  request: OrganizationRequest,
  to: 'next' | 'previous',
): Promise<PageAnswer> {
  const { organization, language, now, params, query } = request
  const { organizationId } = organization
  const [hit] = await findHits(db, [organizationId], { hitId: params['hit'] ?? '' })
  const { deadline, fitScore, hitId } = orNotFound(hit, frameTexts[language].noPage)
  const asked = askedOf(query)
  const { tab, order } = asked
  const key = hitKeyOf({ hitId, deadline, fitScore }, tab === 'closed' ? 'score' : order)
  const searchNos = listedSearches(await searchNames(db, organizationId), asked)
  const listing = { searchNos, tab, order, ...closingOf(asked, now), limit: 1 }
  const [found] = await listHitPage(db, { ...listing, ...(to === 'next' ? { after: key } : { before: key }) })
  const list = queryOf(asked)
  if (found) return redirect(hitAddress(found, list))
  return redirect(hitsAddress(organizationId, list), { notice: hitsTexts[language].noMore[to] })
}

async function listPage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { organization, language, now } = request
  const { store } = context
  const texts = hitsTexts[language]
  const asked = askedOf(request.query)
  const searches = await searchNames(store.db, organization.organizationId)
  const head = { title: texts.pageNames.hits, lead: texts.lead }
  if (searches.length === 0) {
    const create = html`<a class="btn go" href="/o/${organization.organizationId}/searches/new">${texts.shared.newSearch}</a>`
    return page({ ...head, body: empty(texts.noSearch, texts.noSearchDetail, create) })
  }
  const searchNos = listedSearches(searches, asked)
  const { tab, order, after, before } = asked
  const found = await listHitPage(store.db, {
    searchNos,
    tab,
    order,
    ...closingOf(asked, now),
    ...(before ? { before } : after && { after }),
    // one more tells whether there is another page
    limit: pageSize + 1,
  })
  const counts = await countHitTabs(store.db, searchNos, maxCounted + 1)
  const isBack = before !== undefined
  const hits = isBack ? found.slice(-pageSize) : found.slice(0, pageSize)
  const hasMore = found.length > pageSize
  const records = await publishedRecords(
    context,
    hits.map(({ tenderId }) => tenderId),
  )
  const listed = {
    asked,
    hits,
    counts,
    hasPrevious: isBack ? hasMore : after !== undefined,
    hasNext: isBack || hasMore,
  }
  return page({
    ...head,
    styles: ['decide'],
    scripts: ['triage'],
    body: html`
${undoForm(request, organization.organizationId)}
${heldNotes(request, searches)}
${tabList(request, asked, counts)}
${filterForm(request, asked, searches)}
${
  hits.length === 0
    ? empty(texts.none, texts.noneDetail)
    : html`${hitForm(request, asked, hits, records, searches)}${pages(request, listed)}`
}`,
  })
}

function heldNotes({ organization, language }: OrganizationRequest, searches: readonly SearchName[]): Html[] {
  const texts = hitsTexts[language]
  return searches
    .filter(({ heldEditions }) => heldEditions > 0)
    .map(({ name, searchId }) =>
      noteBox(
        'warn',
        texts.tooBroad(name),
        html`${texts.tooBroadDetail} <a href="/o/${organization.organizationId}/searches/${searchId}">${texts.look}</a>`,
      ),
    )
}

function countText(count: number, language: OrganizationRequest['language']): string {
  const number = formatNumber(Math.min(count, maxCounted), language)
  return count > maxCounted ? hitsTexts[language].moreThan(number) : number
}

function tabList(request: OrganizationRequest, asked: Asked, counts: TabCounts): Html {
  const { language, organization } = request
  const texts = hitsTexts[language]
  const { search, order, isClosing } = asked
  const addressOf = (tab: HitTab) =>
    hitsAddress(organization.organizationId, queryOf({ tab, search, order, isClosing }))
  return html`<nav class="tabs line" aria-label="${texts.shared.state}">
    ${hitTabs.map(
      (tab) =>
        html`<a href="${addressOf(tab)}"${tab === asked.tab && html` aria-current="page"`}>
          ${texts.tabs[tab]} <span data-count="${tab}">${countText(counts[tab], language)}</span>
        </a>`,
    )}
  </nav>`
}

function filterForm(request: OrganizationRequest, asked: Asked, searches: readonly SearchName[]): Html {
  const { language, url } = request
  const texts = hitsTexts[language]
  const choose = (name: string, label: string, value: string, choices: readonly (readonly [string, string])[]) =>
    select({ name, label, value, choices })
  return html`<form class="row" action="${url.pathname}">
    <input type="hidden" name="state" value="${asked.tab}">
    ${choose('search', texts.shared.search, asked.search, [
      ['', texts.all],
      ...searches.map(({ searchId, name }) => [searchId, name] as const),
    ])}
    ${choose('order', texts.order, asked.order, [
      ['score', texts.best],
      ['deadline', texts.deadline],
    ])}
    ${choose('closing', texts.shared.deadline, asked.isClosing ? '7' : '', [
      ['', texts.anyDeadline],
      ['7', texts.closing],
    ])}
    <button>${texts.shared.show}</button>
  </form>`
}

function hitForm(
  request: OrganizationRequest,
  asked: Asked,
  hits: readonly PageHit[],
  records: ReadonlyMap<string, TenderRecord>,
  searches: readonly SearchName[],
): Html {
  const { language, url, organization } = request
  const texts = hitsTexts[language]
  const names = new Map(searches.map((search) => [search.searchNo, search]))
  const list = queryOf(asked)
  const items = hits.map((hit, index) =>
    hitItem({
      hit,
      record: records.get(hit.tenderId),
      search: names.get(hit.searchNo),
      organizationId: organization.organizationId,
      list,
      next: hits[index + 1] ?? hits[index - 1],
      now: request.now,
      language,
    }),
  )
  const button = (state: HitState, text: string) =>
    html`<button class="tiny" name="do" value="${state}">${text}</button>`
  const said = texts.tabs
  return html`${keyHelp(texts.keyList, language)}<form method="post" action="${url.pathname}">
    <input type="hidden" name="return" value="${withUndo(url.pathname + url.search, [])}">
    <h2 class="hide">${texts.pageNames.hits}</h2>
    <ul class="list hits" data-new="${said.new}" data-seen="${said.seen}" data-kept="${said.kept}"
      data-dismissed="${said.dismissed}" data-undo="${texts.undo}" data-failed="${texts.notSaved}">
      ${items}
    </ul>
    <p class="hide" role="status" id="decided"></p>
    <div class="row" role="group" aria-label="${texts.chosen}">
      <span class="soft small">${texts.chosen}:</span>
      ${button('kept', texts.keep)}
      ${button('dismissed', texts.dismiss)}
      ${button('seen', texts.seen)}
      ${button('new', texts.again)}
    </div>
  </form>`
}

type Listed = {
  readonly asked: Asked
  readonly hits: readonly PageHit[]
  readonly counts: TabCounts
  readonly hasPrevious: boolean
  readonly hasNext: boolean
}

function pages(
  { language, organization }: OrganizationRequest,
  { asked, hits, counts, hasPrevious, hasNext }: Listed,
): Html {
  const texts = hitsTexts[language]
  const { tab, search, order, isClosing, first } = asked
  const common = { tab, search, order, isClosing }
  const keyOrder = tab === 'closed' ? 'score' : order
  const number = (value: number) => formatNumber(value, language)
  const [from, to] = [number(first), number(first + hits.length - 1)]
  const previous = { ...common, before: hitKeyOf(hits[0]!, keyOrder), first: Math.max(1, first - pageSize) }
  const next = { ...common, after: hitKeyOf(hits.at(-1)!, keyOrder), first: first + hits.length }
  return pager({
    text: isClosing ? texts.shared.range(from, to) : texts.rangeOf(from, to, countText(counts[tab], language)),
    previous: hasPrevious
      ? [texts.shared.previous, hitsAddress(organization.organizationId, queryOf(previous))]
      : undefined,
    next: hasNext ? [texts.shared.next, hitsAddress(organization.organizationId, queryOf(next))] : undefined,
  })
}

/**
 * `do`: a state for the chosen hits, `STATE HITID` for one, or `undo` for what the form names. `answer=none` asks for
 * no page: the script of the list shows what happened.
 */
async function markPage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, organization, language, url } = request
  const texts = hitsTexts[language]
  const { organizationId } = organization
  const back = returnPath(form.get('return'))
  const to = back.startsWith(url.pathname) || back.startsWith('/tenders/') ? back : url.pathname
  const [wanted = '', one] = (form.get('do') ?? '').split(' ')
  if (wanted === 'undo') {
    const undos = undosOf(form.getAll('undo'))
    await inTransaction(context.store, async (trx) => {
      for (const undo of undos) await markHits(trx, actingOf(context, request), { organizationId, ...undo })
    })
    return redirect(to, { notice: texts.undone })
  }
  const state = hitStates.find((each) => each === wanted)
  const ids = (one === undefined ? form.getAll('hit') : [one]).filter(isHitId).slice(0, maxMarked)
  if (!state || ids.length === 0) return redirect(to, { notice: texts.noneChosen })
  const marked = await inTransaction(context.store, (trx) =>
    markHits(trx, actingOf(context, request), { organizationId, hitIds: ids, state }),
  )
  if (form.get('answer') === 'none')
    return { kind: 'content', type: 'text/plain; charset=utf-8', body: '', status: 204 }
  const count = marked.length
  return redirect(withUndo(to, marked), {
    notice: texts.done(formatNumber(count, language), count === 1, texts.did[state]),
  })
}

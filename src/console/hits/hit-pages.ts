// Hits of an organization: lists by state, what made each score, and what people do with them.

import { markHits } from '../../actions/hits.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'
import { inTransaction } from '../../store/database/database.ts'
import {
  countHitTabs,
  type HitKey,
  type HitOrder,
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
import { type Html, html } from '../frame/html.ts'
import { returnPath } from '../frame/own-path.ts'
import {
  type OrganizationRequest,
  organizationPage,
  type PageAnswer,
  type PageRoute,
  page,
  redirect,
} from '../frame/page.ts'
import { empty, noteBox, pager, select } from '../frame/parts.ts'
import { publishedRecords } from '../frame/published-record.ts'
import { hitItem } from './hit-parts.ts'
import { hitsTexts } from './hits-texts.ts'

const pageSize = 25
/** Maximum count shown on a tab. */
const maxCounted = 250
/** Maximum hits that one form changes. */
const maxMarked = 200
const closingMs = 7 * dayMs
const tabs = [...hitStates, 'closed'] as const

export const hitPages = (context: ConsoleContext): PageRoute[] => [
  organizationPage('GET', '/o/:organization/hits', 'member', (request) => listPage(context, request)),
  organizationPage('POST', '/o/:organization/hits', 'member', (request) => markPage(context, request)),
]

type Asked = {
  readonly tab: HitTab
  readonly order: HitOrder
  readonly isClosing: boolean
  /** Its id; empty: all. */
  readonly search: string
  readonly after: HitKey | undefined
  readonly before: HitKey | undefined
  /** The number of the first hit on the page, from 1. */
  readonly first: number
}

function askedOf({ query }: OrganizationRequest): Asked {
  const first = Number(query.get('n') ?? 1)
  return {
    tab: tabs.find((each) => each === query.get('state')) ?? 'new',
    order: query.get('order') === 'deadline' ? 'deadline' : 'score',
    isClosing: query.get('closing') === '7',
    search: query.get('search') ?? '',
    after: keyOf(query.get('after')),
    before: keyOf(query.get('before')),
    first: Number.isSafeInteger(first) && first > 0 ? first : 1,
  }
}

/** `VALUE.HITID` of an address; undefined for anything else. */
function keyOf(text: string | null): HitKey | undefined {
  const match = /^(\d{1,16})\.([0-9a-f-]{36})$/.exec(text ?? '')
  const value = Number(match?.[1])
  return match && Number.isSafeInteger(value) ? { value, hitId: match[2]! } : undefined
}

function addressOf({ organization }: OrganizationRequest, asked: Partial<Asked> & Pick<Asked, 'tab'>): string {
  const query = new URLSearchParams()
  if (asked.tab !== 'new') query.set('state', asked.tab)
  if (asked.search) query.set('search', asked.search)
  if (asked.order === 'deadline') query.set('order', 'deadline')
  if (asked.isClosing) query.set('closing', '7')
  if (asked.after) query.set('after', `${asked.after.value}.${asked.after.hitId}`)
  if (asked.before) query.set('before', `${asked.before.value}.${asked.before.hitId}`)
  if ((asked.after || asked.before) && asked.first !== undefined) query.set('n', String(asked.first))
  const text = query.toString()
  return `/o/${organization.organizationId}/hits${text === '' ? '' : `?${text}`}`
}

async function listPage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { organization, language, now } = request
  const { store } = context
  const texts = hitsTexts[language]
  const asked = askedOf(request)
  const searches = await searchNames(store.db, organization.organizationId)
  const head = { title: texts.pageNames.hits, lead: texts.lead }
  if (searches.length === 0) {
    const create = html`<a class="btn go" href="/o/${organization.organizationId}/searches/new">${texts.shared.newSearch}</a>`
    return page({ ...head, body: empty(texts.noSearch, texts.noSearchDetail, create) })
  }
  const chosen = searches.filter(({ searchId }) => searchId === asked.search)
  const searchNos = (chosen.length > 0 ? chosen : searches).map(({ searchNo }) => searchNo)
  const { tab, order, after, before } = asked
  const found = await listHitPage(store.db, {
    searchNos,
    tab,
    order,
    ...(asked.isClosing && { deadline: { from: now, to: now + closingMs } }),
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
    body: html`${heldNotes(request, searches)}${tabList(request, asked, counts)}${filterForm(request, asked, searches)}${
      hits.length === 0
        ? empty(texts.none, texts.noneDetail)
        : html`${hitForm(request, hits, records, searches)}${pages(request, listed)}`
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
  const { language } = request
  const texts = hitsTexts[language]
  const { search, order, isClosing } = asked
  return html`<nav class="tabs line" aria-label="${texts.shared.state}">
    ${tabs.map(
      (tab) =>
        html`<a href="${addressOf(request, { tab, search, order, isClosing })}"${tab === asked.tab && html` aria-current="page"`}>
          ${texts.tabs[tab]} ${countText(counts[tab], language)}
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
  hits: readonly PageHit[],
  records: ReadonlyMap<string, TenderRecord>,
  searches: readonly SearchName[],
): Html {
  const { language, url, organization } = request
  const texts = hitsTexts[language]
  const names = new Map(searches.map((search) => [search.searchNo, search]))
  const items = hits.map((hit) =>
    hitItem({
      hit,
      record: records.get(hit.tenderId),
      search: names.get(hit.searchNo),
      organizationId: organization.organizationId,
      now: request.now,
      language,
    }),
  )
  const button = (state: HitState, text: string) =>
    html`<button class="tiny" name="do" value="${state}">${text}</button>`
  return html`<form method="post" action="${url.pathname}">
    <input type="hidden" name="return" value="${url.pathname + url.search}">
    <h2 class="hide">${texts.pageNames.hits}</h2>
    <ul class="list hits">${items}</ul>
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

function pages(request: OrganizationRequest, { asked, hits, counts, hasPrevious, hasNext }: Listed): Html {
  const { language } = request
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
    previous: hasPrevious ? [texts.shared.previous, addressOf(request, previous)] : undefined,
    next: hasNext ? [texts.shared.next, addressOf(request, next)] : undefined,
  })
}

const isId = (text: string): boolean => /^[0-9a-f-]{36}$/.test(text)

/** `do`: a state for the chosen hits, or `STATE HITID` for one. */
async function markPage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, organization, language, url } = request
  const texts = hitsTexts[language]
  const [wanted = '', one] = (form.get('do') ?? '').split(' ')
  const state = hitStates.find((each) => each === wanted)
  const ids = (one === undefined ? form.getAll('hit') : [one]).filter(isId).slice(0, maxMarked)
  const back = returnPath(form.get('return'))
  const to = back.startsWith(url.pathname) ? back : url.pathname
  if (!state || ids.length === 0) return redirect(to, { notice: texts.noneChosen })
  const { organizationId } = organization
  const count = await inTransaction(context.store, (trx) =>
    markHits(trx, actingOf(context, request), { organizationId, hitIds: ids, state }),
  )
  return redirect(to, { notice: texts.done(formatNumber(count, language), count === 1, texts.did[state]) })
}

// What people change about searches: new ones, versions, pause and resume, and what the cap held.
import { activateSearch, addSearch, editSearch, releaseSearch, type SearchEdit } from '../../actions/searches.ts'
import { openMatcher } from '../../hits/matcher.ts'
import { deliverOpen } from '../../hits/search-stock.ts'
import { inTransaction } from '../../store/database/database.ts'
import { stockIdOf } from '../../store/editions/editions.ts'
import { maxSearches, type StoredSearch } from '../../store/hits/searches.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { actingOf, fieldOf, once, Refused } from '../frame/forms.ts'
import type { Language } from '../frame/languages.ts'
import { type OrganizationRequest, type PageAnswer, PageError, redirect } from '../frame/page.ts'
import { noteBox } from '../frame/parts.ts'
import { settledWithin } from '../frame/settled-within.ts'
import { criteriaTexts } from './criteria-texts.ts'
import {
  addressOf,
  type BuilderView,
  builder,
  profilesOf,
  questionOf,
  type SearchDesk,
  searchOf,
} from './search-builder.ts'
import { formSent, type ReadSearch, readSearchForm } from './search-form.ts'
import { maxOpenDelivered } from './search-form-parts.ts'
import { searchesTexts } from './searches-texts.ts'

/** How long a page waits for open tenders to become hits. */
const deliverWaitMs = 10_000

/** The answer to every button of the form except the one that saves; undefined: it is to be saved. */
async function withoutSaving(
  desk: SearchDesk,
  request: OrganizationRequest,
  view: BuilderView,
  read: ReadSearch,
): Promise<PageAnswer | undefined> {
  const button = request.form.get('do')
  if (button === 'save' && read.kind === 'read') return undefined
  if (button !== 'save' && button !== 'count') return builder(desk, request, view)
  if (read.kind === 'wrong') return builder(desk, request, { ...view, errors: read.errors, status: 422 })
  const answer = await desk.previews.ask(questionOf(read)).catch(() => 'failed' as const)
  return builder(desk, request, { ...view, answer })
}

export async function newSearch(desk: SearchDesk, request: OrganizationRequest): Promise<PageAnswer> {
  const { context } = desk
  const { language, organization } = request
  const texts = searchesTexts[language]
  const form = formSent(request.form)
  const profiles = await profilesOf(context, request)
  const read = readSearchForm(form, profiles, language)
  const view = { form, profiles }
  const shown = await withoutSaving(desk, request, view, countable(request, read))
  if (shown !== undefined || read.kind === 'wrong') return shown ?? builder(desk, request, view)
  const wanted = { ...termsOf(read), organizationId: organization.organizationId, name: read.name }
  const outcome = await once(context, request, async (trx) => {
    const creation = await addSearch(trx, actingOf(context, request), wanted)
    return creation.kind === 'created' ? creation.search : new Refused(creation.kind)
  })
  const at = addressOf(request)
  if (outcome.kind === 'sent') return redirect(at, { notice: texts.shared.alreadySent })
  if (outcome.kind === 'refused') {
    const text = outcome.reason === 'nameTaken' ? criteriaTexts[language].nameTaken : texts.tooMany(maxSearches)
    return builder(desk, request, { ...view, errors: new Map([['name', text]]), status: 422 })
  }
  const delivered = form.deliversOpen ? ` ${await deliverNow(context, request, outcome.result)}` : ''
  return redirect(`${at}/${outcome.result.searchId}`, { notice: texts.created(read.name) + delivered })
}

/** A count needs no name yet. */
const countable = ({ form }: OrganizationRequest, read: ReadSearch): ReadSearch =>
  form.get('do') === 'count' && read.kind === 'wrong' && read.criteria
    ? { kind: 'read', name: '', ...read.criteria }
    : read

const termsOf = ({ filter, profile, threshold }: ReadSearch & { readonly kind: 'read' }) => ({
  filter,
  profileId: profile?.profileId ?? null,
  threshold,
})

/** The result for the open tenders, as a sentence. Long work continues in the background. */
export async function deliverNow(
  { store, clock }: ConsoleContext,
  { language }: OrganizationRequest,
  search: StoredSearch,
): Promise<string> {
  const texts = searchesTexts[language]
  const stockId = await stockIdOf(store.db)
  const matcher = openMatcher()
  const work = deliverOpen(store, { search, limit: maxOpenDelivered, matcher, now: clock(), stockId }).finally(() =>
    matcher.close(),
  )
  const made = await settledWithin(work, deliverWaitMs)
  return made === undefined ? texts.delivering : texts.delivered(formatNumber(made, language))
}

export async function changeSearch(desk: SearchDesk, request: OrganizationRequest): Promise<PageAnswer> {
  const { context } = desk
  const { language } = request
  const texts = searchesTexts[language]
  const search = await searchOf(context, request)
  const form = formSent(request.form)
  const profiles = await profilesOf(context, request)
  const read = readSearchForm(form, profiles, language)
  const view = { form, profiles, search }
  const shown = await withoutSaving(desk, request, view, read)
  if (shown !== undefined || read.kind === 'wrong') return shown ?? builder(desk, request, view)
  const seen = { searchNo: search.searchNo, version: Number(fieldOf(request.form, 'version')) }
  const outcome = await inTransaction(context.store, (trx) =>
    editSearch(trx, actingOf(context, request), { seen, name: read.name, terms: termsOf(read) }),
  )
  if (outcome.kind === 'stale') {
    const notice = noteBox('bad', texts.elsewhere, texts.shared.readNewestFirst)
    return builder(desk, request, { ...view, search: await searchOf(context, request), notice, status: 409 })
  }
  if (outcome.kind === 'nameTaken') {
    const errors = new Map([['name', criteriaTexts[language].nameTaken]])
    return builder(desk, request, { ...view, errors, status: 422 })
  }
  return redirect(`${addressOf(request)}/${search.searchId}`, { notice: editNotice(outcome, language) })
}

/** What was saved, in a sentence or two. */
function editNotice(outcome: Extract<SearchEdit, { kind: 'edited' | 'unchanged' }>, language: Language): string {
  const texts = searchesTexts[language]
  if (outcome.kind === 'unchanged') return texts.shared.nothingChanged
  const { search, isRenamed, hasNewTerms } = outcome
  const renamed = isRenamed ? [texts.renamed(search.name)] : []
  return [...renamed, ...(hasNewTerms ? [texts.shared.versionSaved(search.version)] : [])].join(' ')
}

export async function activate(
  context: ConsoleContext,
  request: OrganizationRequest,
  isActive: boolean,
): Promise<PageAnswer> {
  const texts = searchesTexts[request.language]
  const search = await searchOf(context, request)
  const outcome = await inTransaction(context.store, (trx) =>
    activateSearch(trx, actingOf(context, request), search.searchNo, isActive),
  )
  if (outcome.kind === 'gone') throw new PageError(404, texts.noSearch)
  const notice = isActive ? texts.nowActive(search.name) : texts.nowPaused(search.name)
  return redirect(`${addressOf(request)}/${search.searchId}`, { notice })
}

export async function release(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language } = request
  const { store, clock } = context
  const search = await searchOf(context, request)
  let released = 0
  for await (const { deliveries } of releaseSearch(store, { ...actingOf(context, request), clock }, search))
    released += deliveries
  const notice = searchesTexts[language].released(formatNumber(released, language))
  return redirect(`${addressOf(request)}/${search.searchId}`, { notice })
}

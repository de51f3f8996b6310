// What people change about searches: new ones, versions, pause and resume, and what the cap held.
import { openMatcher } from '../../hits/matcher.ts'
import { canonicalSearchFilter, searchFilterHash } from '../../hits/saved-search.ts'
import { deliverOpen } from '../../hits/search-stock.ts'
import { inTransaction } from '../../store/database.ts'
import { stockIdOf } from '../../store/editions.ts'
import { heldEditions, releaseDeliveries } from '../../store/hits.ts'
import { changeSearch, createSearch, maxSearches, renameSearch, type StoredSearch } from '../../store/searches.ts'
import type { ConsoleContext } from '../console-context.ts'
import { formatNumber } from '../format.ts'
import { fieldOf, note, once, Refused } from '../forms.ts'
import { type OrganizationRequest, type PageAnswer, redirect } from '../page.ts'
import { noteBox } from '../parts.ts'
import { formSent, type ReadSearch, readSearchForm } from '../search-form.ts'
import { settledWithin } from '../settled-within.ts'
import { criteriaTexts } from '../text/criteria-texts.ts'
import { searchesTexts } from '../text/searches-texts.ts'
import {
  addressOf,
  type BuilderView,
  builder,
  profilesOf,
  questionOf,
  type SearchDesk,
  searchOf,
} from './search-builder.ts'
import { maxOpenDelivered } from './search-form-parts.ts'

/** Maximum deliveries released in one go, so that nobody waits long for the database. */
const releasedAtOnce = 500
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
  const { language, organization, viewer, now } = request
  const texts = searchesTexts[language]
  const form = formSent(request.form)
  const profiles = await profilesOf(context, request)
  const read = readSearchForm(form, profiles, language)
  const view = { form, profiles }
  const shown = await withoutSaving(desk, request, view, countable(request, read))
  if (shown !== undefined || read.kind === 'wrong') return shown ?? builder(desk, request, view)
  const { organizationId } = organization
  const wanted = { ...termsOf(read), isActive: true, organizationId, name: read.name, createdBy: viewer.person.mail }
  const outcome = await once(context, request, async (trx) => {
    const creation = await createSearch({ db: trx }, wanted, { now, random: context.random })
    if (creation.kind !== 'created') return new Refused(creation.kind)
    const detail = { threshold: read.threshold }
    await note(trx, request, { action: 'search.create', subject: read.name, detail })
    return creation.search
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
  filter: canonicalSearchFilter(filter),
  filterHash: searchFilterHash(filter),
  profileId: profile?.profileId ?? null,
  threshold,
})

/** The result for the open tenders, as a sentence. Long work continues in the background. */
async function deliverNow(
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

export async function editSearch(desk: SearchDesk, request: OrganizationRequest): Promise<PageAnswer> {
  const { context } = desk
  const { language, now } = request
  const texts = searchesTexts[language]
  const search = await searchOf(context, request)
  const form = formSent(request.form)
  const profiles = await profilesOf(context, request)
  const read = readSearchForm(form, profiles, language)
  const view = { form, profiles, search }
  const shown = await withoutSaving(desk, request, view, read)
  if (shown !== undefined || read.kind === 'wrong') return shown ?? builder(desk, request, view)
  if (fieldOf(request.form, 'version') !== String(search.version)) {
    const notice = noteBox('bad', texts.elsewhere, texts.shared.readNewestFirst)
    return builder(desk, request, { ...view, notice, status: 409 })
  }
  const terms = termsOf(read)
  const hasNewTerms = (['filter', 'profileId', 'threshold'] as const).some((each) => terms[each] !== search[each])
  const hasNewName = read.name !== search.name
  const isSaved = await inTransaction(context.store, async (trx) => {
    if (hasNewName && !(await renameSearch(trx, search, read.name))) return false
    if (hasNewTerms) await changeSearch({ db: trx }, search.searchNo, terms, now)
    if (hasNewName || hasNewTerms) {
      const detail = { before: search.name, version: search.version + (hasNewTerms ? 1 : 0), threshold: read.threshold }
      await note(trx, request, {
        action: 'search.edit',
        subject: read.name,
        detail,
      })
    }
    return true
  })
  if (!isSaved) {
    const errors = new Map([['name', criteriaTexts[language].nameTaken]])
    return builder(desk, request, { ...view, errors, status: 422 })
  }
  const notices = [
    ...(hasNewName ? [texts.renamed(read.name)] : []),
    ...(hasNewTerms ? [texts.shared.versionSaved(search.version + 1)] : []),
  ]
  return redirect(`${addressOf(request)}/${search.searchId}`, {
    notice: notices.join(' ') || texts.shared.nothingChanged,
  })
}

export async function activate(
  context: ConsoleContext,
  request: OrganizationRequest,
  isActive: boolean,
): Promise<PageAnswer> {
  const { language, now } = request
  const texts = searchesTexts[language]
  const search = await searchOf(context, request)
  if (search.isActive !== isActive)
    await inTransaction(context.store, async (trx) => {
      await changeSearch({ db: trx }, search.searchNo, { isActive }, now)
      const action = isActive ? 'search.resume' : 'search.pause'
      await note(trx, request, { action, subject: search.name })
    })
  const notice = isActive ? texts.nowActive(search.name) : texts.nowPaused(search.name)
  return redirect(`${addressOf(request)}/${search.searchId}`, { notice })
}

export async function release(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, now } = request
  const search = await searchOf(context, request)
  let deliveries = 0
  for (const { edition } of await heldEditions(context.store.db, search.searchNo)) {
    for (let taken = releasedAtOnce; taken === releasedAtOnce; ) {
      const released = await inTransaction(context.store, (trx) =>
        releaseDeliveries(trx, { edition, searchNo: search.searchNo, now }, releasedAtOnce),
      )
      deliveries += released.due
      taken = released.taken
    }
    await note(context.store.db, request, {
      action: 'search.release',
      subject: search.name,
      detail: { edition },
    })
  }
  const notice = searchesTexts[language].released(formatNumber(deliveries, language))
  return redirect(`${addressOf(request)}/${search.searchId}`, { notice })
}

// Mail digests of an organization: who receives the hits of which search, and when.
import { addDigest, editDigest, removeDigest, startDigest, usualDigestTerms } from '../../actions/digests.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { hasOtherDigests, type ListedDigest, listDigests, maxDigests } from '../../store/hits/digests.ts'
import { listSearches, type StoredSearch } from '../../store/hits/searches.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { actingOf, fieldOf, formKey, once, Refused } from '../frame/forms.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  type OrganizationRequest,
  organizationPage,
  orNotFound,
  type PageAnswer,
  PageError,
  type PageRoute,
  page,
  redirect,
} from '../frame/page.ts'
import { empty, field, moment, noteBox, part, question, select, state, table, unseen } from '../frame/parts.ts'
import type { FieldErrors } from './criteria.ts'
import { readTerms, rhythmText, type TermsForm, termFields, termsForm, termsSent } from './digest-terms.ts'
import { digestsTexts } from './digests-texts.ts'
import { errorNote } from './search-form-parts.ts'

export const digestPages = (context: ConsoleContext): PageRoute[] => [
  organizationPage('GET', '/o/:organization/digests', 'member', (request) => listPage(context, request)),
  organizationPage('POST', '/o/:organization/digests', 'member', (request) => add(context, request)),
  organizationPage('GET', '/o/:organization/digests/:digest', 'member', async (request) => {
    const digest = await digestOf(context, request)
    await refuseOthers(context, request, digest)
    return editPage(request, digest, formOf(digest))
  }),
  organizationPage('POST', '/o/:organization/digests/:digest', 'member', (request) => edit(context, request)),
  organizationPage('POST', '/o/:organization/digests/:digest/start', 'member', (request) => start(context, request)),
  organizationPage('GET', '/o/:organization/digests/:digest/remove', 'member', (request) =>
    removePage(context, request),
  ),
  organizationPage('POST', '/o/:organization/digests/:digest/remove', 'member', (request) => remove(context, request)),
]

const addressOf = ({ organization }: OrganizationRequest): string => `/o/${organization.organizationId}/digests`

async function digestOf({ store }: ConsoleContext, request: OrganizationRequest): Promise<ListedDigest> {
  const { organization, params, language } = request
  const all = await listDigests(store.db, organization.organizationId)
  return orNotFound(
    all.find(({ digestId }) => digestId === params['digest']),
    digestsTexts[language].noDigest,
  )
}

/** The terms belong to the person: members change them for who receives hits of this organization alone. */
async function refuseOthers(
  { store }: ConsoleContext,
  request: OrganizationRequest,
  digest: ListedDigest,
): Promise<void> {
  const isOwn = digest.person.toLowerCase() === request.viewer.person.mail
  if (!isOwn && (await hasOtherDigests(store.db, digest)))
    throw new PageError(403, digestsTexts[request.language].ofPerson(digest.person))
}

/** The fields of the form, as typed. */
type DigestForm = TermsForm & { readonly search: string; readonly person: string }

const formOf = (digest: ListedDigest): DigestForm => ({ search: '', person: digest.person, ...termsForm(digest) })

const formSent = (request: OrganizationRequest): DigestForm => ({
  search: fieldOf(request.form, 'search'),
  person: fieldOf(request.form, 'person'),
  ...termsSent(request),
})

async function listPage(
  context: ConsoleContext,
  request: OrganizationRequest,
  shown: { readonly form: DigestForm; readonly errors: FieldErrors } | undefined = undefined,
): Promise<PageAnswer> {
  const { organization, language, viewer } = request
  const texts = digestsTexts[language]
  const { organizationId } = organization
  const digests = await listDigests(context.store.db, organizationId)
  const searches = await listSearches(context.store.db, organizationId)
  const usual = { ...termsForm({ ...usualDigestTerms, language }), search: '', person: viewer.person.mail }
  const { form, errors } = shown ?? { form: usual, errors: new Map<string, string>() }
  const newSearch = html`<a class="btn go" href="/o/${organizationId}/searches/new">${texts.shared.newSearch}</a>`
  return page({
    title: texts.pageNames.digests,
    lead: texts.lead,
    ...(errors.size > 0 && { status: 422 }),
    body: html`${errorNote(errors, language)}${!context.config.mail && noteBox('warn', texts.waits, texts.waitsDetail)}${
      searches.length === 0
        ? empty(texts.noSearch, texts.noSearchDetail, newSearch)
        : html`
          ${endedNotes(request, digests)}
          ${digests.length === 0 ? empty(texts.none, texts.noneDetail) : digestTable(request, digests)}
          ${digests.some(({ lastError }) => lastError !== null) && html`<p class="hint">${texts.whenGivenUp}</p>`}
          ${part(texts.add, addForm(context, request, form, errors, searches))}
        `
    }`,
  })
}

/** Of each person whose mails ended, once. */
function endedNotes(request: OrganizationRequest, digests: readonly ListedDigest[]): Html {
  const texts = digestsTexts[request.language]
  const ended = digests.filter(({ endedAt }) => endedAt !== null)
  const people = new Map(ended.map((digest) => [digest.person.toLowerCase(), digest]))
  return html`${[...people.values()].map(
    ({ person, digestId, lastError }) =>
      html`${noteBox('bad', texts.endedTitle(person), texts.endedBody(lastError))}
        <form method="post" action="${addressOf(request)}/${digestId}/start"><button>${texts.startFor(person)}</button></form>`,
  )}`
}

function digestTable(request: OrganizationRequest, digests: readonly ListedDigest[]): Html {
  const { language } = request
  const texts = digestsTexts[language]
  const at = addressOf(request)
  const number = (count: number) => formatNumber(count, language)
  return table({
    caption: texts.pageNames.digests,
    columns: [texts.person, texts.shared.search, texts.rhythm, texts.next, texts.mails, unseen(texts.shared.action)],
    rows: digests.map((digest) => [
      html`<bdi>${digest.person}</bdi>`,
      digest.search === null ? texts.nothing : html`<bdi>${digest.search}</bdi>`,
      html`${rhythmText(digest, language)}${digest.rhythm !== 'atOnce' && html` <span class="soft">${texts.hourOf(String(digest.hour), digest.zone)}</span>`}`,
      nextText(digest, language),
      [
        texts.sent(number(digest.mailsSent)),
        ...(digest.mailsDue > 0 ? [texts.due(number(digest.mailsDue))] : []),
        ...(digest.mailsGivenUp > 0 ? [texts.failed(number(digest.mailsGivenUp))] : []),
        ...(digest.lastError === null ? [] : [digest.lastError]),
      ].join(', '),
      html`<div class="row">
        <a class="btn tiny" href="${at}/${digest.digestId}">
          ${texts.shared.change}
          <span class="hide">: ${named(digest)}</span>
        </a>
        <a class="btn tiny stop" href="${at}/${digest.digestId}/remove">
          ${texts.shared.remove}
          <span class="hide">: ${named(digest)}</span>
        </a>
      </div>`,
    ]),
  })
}

/** Which digest a link is about, for somebody who hears it alone. */
const named = ({ person, search }: ListedDigest): string => (search === null ? person : `${person}, ${search}`)

function nextText({ search, rhythm, dueAt, endedAt }: ListedDigest, language: Language): Content {
  if (search === null) return ''
  if (endedAt !== null) return state('bad', digestsTexts[language].ended)
  return rhythm === 'atOnce' ? digestsTexts[language].nextHits : moment(dueAt, language)
}

function addForm(
  context: ConsoleContext,
  request: OrganizationRequest,
  form: DigestForm,
  errors: FieldErrors,
  searches: readonly StoredSearch[],
): Html {
  const { language } = request
  const texts = digestsTexts[language]
  return html`<form method="post" action="${addressOf(request)}" class="stack" novalidate>
    ${formKey(context)}
    ${select({
      name: 'search',
      label: texts.shared.search,
      value: form.search,
      error: errors.get('search'),
      choices: searches.map(({ searchId, name }) => [searchId, name] as const),
    })}
    ${field({
      name: 'person',
      label: texts.person,
      type: 'email',
      value: form.person,
      isRequired: true,
      maxLength: 254,
      error: errors.get('person'),
    })}
    ${termFields(form, errors, language, { isNew: true })}
    <p class="soft small">${texts.oneMail}</p>
    <div class="row"><button class="go">${texts.addButton}</button></div>
  </form>`
}

async function add(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, organization } = request
  const texts = digestsTexts[language]
  const form = formSent(request)
  const errors = new Map<string, string>()
  const searches = await listSearches(context.store.db, organization.organizationId)
  const search = searches.find(({ searchId }) => searchId === form.search)
  const person = mailAddressOf(form.person)
  if (!search) errors.set('search', texts.badSearch)
  if (person === undefined) errors.set('person', texts.badMail)
  const terms = readTerms(form, errors, language)
  if (!search || person === undefined || errors.size > 0) return listPage(context, request, { form, errors })
  const outcome = await once(context, request, async (trx) => {
    const made = await addDigest(trx, actingOf(context, request), { search, person, terms })
    return made.kind === 'created' ? made : new Refused(made.kind)
  })
  if (outcome.kind === 'refused') {
    errors.set('person', outcome.reason === 'exists' ? texts.exists : texts.tooMany(maxDigests))
    return listPage(context, request, { form, errors })
  }
  return redirect(addressOf(request), {
    notice: outcome.kind === 'sent' ? texts.shared.alreadySent : texts.added(person),
  })
}

function editPage(
  request: OrganizationRequest,
  digest: ListedDigest,
  form: DigestForm,
  errors: FieldErrors = new Map(),
): PageAnswer {
  const { language } = request
  const texts = digestsTexts[language]
  const at = addressOf(request)
  return page({
    title: texts.editTitle(digest.person),
    lead: digest.search === null ? texts.nothing : html`<bdi>${digest.search}</bdi>`,
    crumbs: [[texts.pageNames.digests, at]],
    current: at,
    ...(errors.size > 0 && { status: 422 }),
    body: html`
      ${errorNote(errors, language)}
      <form method="post" action="${at}/${digest.digestId}" class="stack" novalidate>
        ${termFields(form, errors, language)}
        <div class="row">
          <button class="go">${texts.shared.save}</button>
          <a class="btn bare" href="${at}">${texts.shared.cancel}</a>
        </div>
      </form>
    `,
  })
}

async function edit(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language } = request
  const digest = await digestOf(context, request)
  await refuseOthers(context, request, digest)
  const form = formSent(request)
  const errors = new Map<string, string>()
  const terms = readTerms(form, errors, language)
  if (errors.size > 0) return editPage(request, digest, form, errors)
  const outcome = await inTransaction(context.store, (trx) =>
    editDigest(trx, actingOf(context, request), digest.digestId, terms),
  )
  if (outcome.kind === 'gone') throw new PageError(404, digestsTexts[language].noDigest)
  const { shared, changed } = digestsTexts[language]
  const notice = outcome.kind === 'unchanged' ? shared.nothingChanged : changed(digest.person)
  return redirect(addressOf(request), { notice })
}

async function start(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language } = request
  const { digestId, person } = await digestOf(context, request)
  const outcome = await inTransaction(context.store, (trx) => startDigest(trx, actingOf(context, request), digestId))
  const { shared, started } = digestsTexts[language]
  const notice = outcome.kind === 'started' ? started(person) : shared.nothingChanged
  return redirect(addressOf(request), { notice })
}

async function removePage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const texts = digestsTexts[request.language]
  const digest = await digestOf(context, request)
  const at = addressOf(request)
  return page({
    title: texts.removeTitle(digest.person),
    crumbs: [[texts.pageNames.digests, at]],
    current: at,
    body: question({
      action: `${at}/${digest.digestId}/remove`,
      body: html`<p>${digest.search !== null && html`<bdi>${digest.search}</bdi>. `}${texts.removeBody}</p>`,
      button: texts.shared.removeButton,
      cancel: [texts.shared.cancel, at],
    }),
  })
}

async function remove(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language } = request
  const digest = await digestOf(context, request)
  await inTransaction(context.store, (trx) => removeDigest(trx, actingOf(context, request), digest.digestId))
  return redirect(addressOf(request), { notice: digestsTexts[language].removed(digest.person) })
}

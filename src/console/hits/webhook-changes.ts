// What Owners change about webhook endpoints: new ones, their settings, secrets, test events, replays, removal.
import type { Acting } from '../../actions/acting.ts'
import {
  addEndpoint,
  deleteEndpoint,
  type EndpointEdit,
  editEndpoint,
  enterChannelAddress,
  releaseEndpoint,
  replayEndpoint,
  rotateEndpoint,
  settingsVersion,
  turnOff,
  turnOn,
} from '../../actions/webhooks.ts'
import { hitEventKinds } from '../../domain/hit-event.ts'
import { parseDate } from '../../domain/time.ts'
import { OperatorError } from '../../platform/errors.ts'
import { type Executor, inTransaction } from '../../store/database/database.ts'
import { listSearches, type StoredSearch } from '../../store/hits/searches.ts'
import { listEndpoints, maxEndpoints, type WebhookEndpoint } from '../../store/hits/webhook-endpoints.ts'
import { sealChatAddress } from '../../webhooks/chat-address.ts'
import { type ChatKind, chatKinds, chatRate } from '../../webhooks/chat-body.ts'
import { checkEndpointName, parseEndpointAddress, RefusedAddressError } from '../../webhooks/endpoint-address.ts'
import { makeWebhookSecret, webhookSecretBytes } from '../../webhooks/signature.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatMoment, formatNumber } from '../frame/format.ts'
import { actingOf, actorOf, fieldOf, formKey, once, Refused } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
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
import { field, fieldset, noteBox, question, select, state, tick } from '../frame/parts.ts'
import { settledWithin } from '../frame/settled-within.ts'
import { CriteriaParser, type FieldErrors } from './criteria.ts'
import { errorNote } from './search-form-parts.ts'
import { failureWords, webhooksTexts } from './webhooks-texts.ts'

/** Default maximum requests a second to one endpoint. */
const defaultRate = 10
const maxRate = 1000
/** How long a page waits for a receiver. */
const testWaitMs = 15_000
/** How long an old secret still signs, as in the store. */
const rotationMs = 24 * 3_600_000

export function webhookChangePages(context: ConsoleContext): PageRoute[] {
  const at = '/o/:organization/webhooks' as const
  const change = (
    path: string,
    answer: (context: ConsoleContext, request: OrganizationRequest) => Promise<PageAnswer>,
  ) => organizationPage('POST', `${at}/:endpoint/${path}`, 'owner', (request) => answer(context, request))
  // requested before the form is shown, so that a sign-in never loses typed text
  const isSensitive = { isSensitive: true }
  return [
    organizationPage(
      'GET',
      `${at}/new`,
      'owner',
      async (request) => newPage(context, request, { form: emptyForm, searches: await searchesOf(context, request) }),
      isSensitive,
    ),
    organizationPage('POST', `${at}/new`, 'owner', (request) => create(context, request), isSensitive),
    organizationPage('GET', `${at}/:endpoint/edit`, 'owner', (request) => editPage(context, request), isSensitive),
    organizationPage('POST', `${at}/:endpoint/edit`, 'owner', (request) => edit(context, request), isSensitive),
    organizationPage('GET', `${at}/:endpoint/secret`, 'owner', (request) => secretPage(context, request), isSensitive),
    organizationPage('POST', `${at}/:endpoint/secret`, 'owner', (request) => rotate(context, request), isSensitive),
    organizationPage('GET', `${at}/:endpoint/remove`, 'owner', (request) => removePage(context, request)),
    change('remove', remove),
    change('enable', (...asked) => switchState(...asked, true)),
    change('disable', (...asked) => switchState(...asked, false)),
    change('release', release),
    change('replay', replay),
    change('test', test),
  ]
}

const addressOf = ({ organization }: OrganizationRequest): string => `/o/${organization.organizationId}/webhooks`
const nameOf = ({ description, address }: WebhookEndpoint): string => description || address
const searchesOf = ({ store }: ConsoleContext, { organization }: OrganizationRequest): Promise<StoredSearch[]> =>
  listSearches(store.db, organization.organizationId)

async function endpointOf(
  { store }: { readonly store: Pick<ConsoleContext['store'], 'db'> },
  request: OrganizationRequest,
): Promise<WebhookEndpoint> {
  const { organization, params, language } = request
  const all = await listEndpoints(store.db, organization.organizationId)
  return orNotFound(
    all.find(({ endpointId }) => endpointId === params['endpoint']),
    webhooksTexts[language].noEndpoint,
  )
}

type EndpointForm = {
  /** Empty: signed messages. */
  readonly chat: string
  readonly address: string
  readonly description: string
  readonly kinds: readonly string[]
  readonly allSearches: boolean
  readonly searches: readonly string[]
  readonly rate: string
}

const emptyForm: EndpointForm = {
  chat: '',
  address: '',
  description: '',
  kinds: ['search.hit'],
  allSearches: true,
  searches: [],
  rate: '',
}

const formSent = ({ form }: OrganizationRequest): EndpointForm => ({
  chat: chatKinds.find((kind) => kind === form.get('chat')) ?? '',
  address: fieldOf(form, 'address'),
  description: fieldOf(form, 'description').slice(0, 200),
  kinds: hitEventKinds.filter((kind) => form.getAll('kind').includes(kind)),
  allSearches: form.get('which') !== 'some',
  searches: form.getAll('search'),
  rate: fieldOf(form, 'rate'),
})

type FormView = {
  readonly form: EndpointForm
  readonly searches: readonly StoredSearch[]
  readonly errors?: FieldErrors
}

function newPage(
  context: ConsoleContext,
  request: OrganizationRequest,
  { form, searches, errors = new Map() }: FormView,
): PageAnswer {
  const { language } = request
  const texts = webhooksTexts[language]
  const at = addressOf(request)
  return page({
    title: texts.create,
    lead: texts.newLead,
    crumbs: [[texts.pageNames.webhooks, at]],
    current: at,
    ...(errors.size > 0 && { status: 422 }),
    body: html`${errorNote(errors, language)}<form method="post" action="${at}/new" class="stack" novalidate>${formKey(context)}
${chatField(form, language)}
${formFields({ form, searches, errors }, language)}
<div class="row"><button class="go">${texts.createButton}</button><a class="btn bare" href="${at}">${texts.shared.cancel}</a></div></form>`,
  })
}

function chatField({ chat }: EndpointForm, language: Language): Html {
  const texts = webhooksTexts[language]
  const choices = ['', ...chatKinds].map((kind): [string, string] => [kind, texts.chats[kind as '' | ChatKind]])
  return select({ name: 'chat', label: texts.chat, value: chat, hint: texts.chatHint, choices })
}

function formFields({ form, searches, errors = new Map() }: FormView, language: Language, isChannel = false): Html {
  const texts = webhooksTexts[language]
  const why = (name: string) => errors.has(name) && html`<p class="why" id="${name}-error">${errors.get(name)}</p>`
  const address = field({
    name: 'address',
    label: texts.address,
    type: 'url',
    value: form.address,
    hint: texts.addressHint,
    isRequired: true,
    maxLength: 2000,
    error: errors.get('address'),
  })
  // the rest of the address of a channel is its secret: it stays
  return html`${isChannel ? html`<p>${texts.channelStays(form.address)}</p>` : address}
${field({
  name: 'description',
  label: texts.shared.name,
  value: form.description,
  hint: texts.descriptionHint,
  maxLength: 200,
})}
${fieldset(
  texts.kinds,
  html`<div class="stack" id="kind">
  ${why('kind')}
  ${hitEventKinds.map((kind) =>
    tick({
      name: 'kind',
      value: kind,
      label: html`${texts.kindNames[kind]} <code>${kind}</code>`,
      isOn: form.kinds.includes(kind),
    }),
  )}
</div>`,
)}
${fieldset(
  texts.searches,
  html`<div class="stack" id="which">
  ${why('which')}
  ${tick({ name: 'which', value: 'all', type: 'radio', label: texts.allSearches, isOn: form.allSearches })}
  ${tick({ name: 'which', value: 'some', type: 'radio', label: texts.someSearches, isOn: !form.allSearches })}
  ${searches.map(({ searchId, name }) =>
    tick({ name: 'search', value: searchId, label: html`<bdi>${name}</bdi>`, isOn: form.searches.includes(searchId) }),
  )}
</div>`,
)}
${field({
  name: 'rate',
  label: texts.rate,
  value: form.rate,
  hint: texts.rateHint(defaultRate, chatRate),
  error: errors.get('rate'),
})}`
}

/**
 * Reads the fields, with sentences for invalid ones. `address` is undefined if it is not allowed; `former`, the current
 * one, is allowed.
 */
async function readForm(
  context: ConsoleContext,
  { language }: OrganizationRequest,
  form: EndpointForm,
  searches: readonly StoredSearch[],
  former?: string,
) {
  const texts = webhooksTexts[language]
  const reader = new CriteriaParser(language)
  const usual = form.chat === '' ? defaultRate : chatRate
  const rate = reader.whole('rate', form.rate || String(usual), 1, maxRate) ?? usual
  if (form.kinds.length === 0) reader.errors.set('kind', texts.noKind)
  const chosen = searches.map(({ searchId }) => searchId).filter((id) => form.searches.includes(id))
  if (!form.allSearches && chosen.length === 0) reader.errors.set('which', texts.noneTicked)
  const address =
    form.address === former ? former : await addressChecked(context, form.address, { errors: reader.errors, language })
  return { errors: reader.errors, address, rate, searches: form.allSearches ? undefined : chosen }
}

async function create(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, organization } = request
  const texts = webhooksTexts[language]
  const form = formSent(request)
  const searches = await searchesOf(context, request)
  const read = await readForm(context, request, form, searches)
  const { errors, address } = read
  if (errors.size > 0 || address === undefined) return newPage(context, request, { form, searches, errors })
  const made = await placeOf(context, form, address, language)
  if (typeof made === 'string')
    return newPage(context, request, { form, searches, errors: new Map([['address', made]]) })
  const wanted = {
    organizationId: organization.organizationId,
    address: made.address,
    chat: made.chat,
    description: form.description,
    kinds: form.kinds,
    searches: read.searches,
    requestsPerSecond: read.rate,
    secret: made.stored,
  }
  const outcome = await once(context, request, async (trx) => {
    const creation = await addEndpoint(trx, actingOf(context, request), wanted)
    return creation.kind === 'created' ? creation.endpoint : new Refused(creation.kind)
  })
  if (outcome.kind === 'sent') return redirect(addressOf(request), { notice: texts.sent })
  if (outcome.kind === 'refused') {
    const [name, why] =
      outcome.reason === 'tooMany' ? ['address', texts.tooMany(maxEndpoints)] : ['rate', texts.channelRate(chatRate)]
    return newPage(context, request, { form, searches, errors: new Map([[name, why]]) })
  }
  const { endpointId } = outcome.result
  if (made.secret === undefined)
    return redirect(`${addressOf(request)}/${endpointId}`, { notice: texts.channelCreated })
  return secretShown(request, endpointId, made.secret, texts.created, false)
}

const formOf = (endpoint: WebhookEndpoint): EndpointForm => ({
  chat: endpoint.chat?.kind ?? '',
  address: endpoint.address,
  description: endpoint.description,
  kinds: endpoint.kinds,
  allSearches: endpoint.searches === undefined,
  searches: endpoint.searches ?? [],
  rate: String(endpoint.requestsPerSecond),
})

async function editPage(
  context: ConsoleContext,
  request: OrganizationRequest,
  sent?: { readonly form: EndpointForm; readonly errors?: FieldErrors; readonly isLate?: boolean },
): Promise<PageAnswer> {
  const { language } = request
  const texts = webhooksTexts[language]
  const endpoint = await endpointOf(context, request)
  const at = `${addressOf(request)}/${endpoint.endpointId}`
  const view = { form: formOf(endpoint), ...sent, searches: await searchesOf(context, request) }
  const { errors = new Map<string, string>(), isLate = false } = sent ?? {}
  return page({
    title: texts.editTitle,
    lead: texts.editLead,
    crumbs: [
      [texts.pageNames.webhooks, addressOf(request)],
      [nameOf(endpoint), at],
    ],
    current: addressOf(request),
    ...(errors.size > 0 && { status: 422 }),
    ...(isLate && { status: 409 }),
    body: html`
      ${isLate && noteBox('bad', texts.elsewhere, texts.shared.elsewhereDetail)}
      ${errorNote(errors, language)}
      <form method="post" action="${at}/edit" class="stack" novalidate>
      <input type="hidden" name="was" value="${settingsVersion(endpoint)}">
${formFields(view, language, endpoint.chat !== undefined)}
<div class="row">
  <button class="go">${texts.saveButton}</button>
  <a class="btn bare" href="${at}">${texts.shared.cancel}</a>
</div>
  </form>`,
  })
}

async function edit(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language } = request
  const texts = webhooksTexts[language]
  const searches = await searchesOf(context, request)
  const { endpointId, address: former, chat } = await endpointOf(context, request)
  const sent = formSent(request)
  const form = chat ? { ...sent, chat: chat.kind, address: former } : sent
  // an unchanged address is not checked again: every attempt checks what it may reach
  const { errors, address, ...read } = await readForm(context, request, form, searches, former)
  if (errors.size > 0 || address === undefined) return editPage(context, request, { form, errors })
  const change = {
    address,
    description: form.description,
    kinds: form.kinds,
    searches: read.searches ?? null,
    requestsPerSecond: read.rate,
  }
  const seen = fieldOf(request.form, 'was')
  const outcome = await inTransaction(context.store, (trx) =>
    editEndpoint(trx, actingOf(context, request), { endpointId, seen, change }),
  )
  if (outcome.kind === 'gone') throw new PageError(404, texts.noEndpoint)
  if (outcome.kind === 'stale') return editPage(context, request, { form, isLate: true })
  if (outcome.kind === 'tooFast')
    return editPage(context, request, { form, errors: new Map([['rate', texts.channelRate(outcome.most)]]) })
  return redirect(`${addressOf(request)}/${endpointId}`, { notice: editNotice(outcome, language) })
}

function editNotice(outcome: Extract<EndpointEdit, { kind: 'edited' | 'unchanged' }>, language: Language): string {
  const { edited, disabledDetail, shared } = webhooksTexts[language]
  if (outcome.kind === 'unchanged') return shared.nothingChanged
  return outcome.endpoint.state === 'disabled' ? `${edited} ${disabledDetail}` : edited
}

/** The address as it is stored; undefined, and a sentence, for one that is not allowed. */
async function addressChecked(
  { webhooks }: ConsoleContext,
  typed: string,
  { errors, language }: { readonly errors: Map<string, string>; readonly language: Language },
): Promise<string | undefined> {
  try {
    const address = parseEndpointAddress(typed, await webhooks.addressRule())
    await checkEndpointName(address)
    return address.url
  } catch (error) {
    if (!(error instanceof RefusedAddressError)) throw error
    errors.set('address', webhooksTexts[language].addressRefusals[error.reason])
    return undefined
  }
}

async function newSecret({ webhooks, random }: ConsoleContext) {
  const sealer = await webhooks.sealer()
  const secret = makeWebhookSecret(random.bytes)
  const secretId = random.uuid()
  return { secret, stored: { secretId, sealed: sealer.seal(webhookSecretBytes(secret)!, secretId) } }
}

/** Where a new endpoint is, with its secret: of a channel, the rest of the address. A sentence if it is no channel. */
async function placeOf(context: ConsoleContext, form: EndpointForm, url: string, language: Language) {
  const kind = chatKinds.find((each) => each === form.chat)
  if (!kind) return { ...(await newSecret(context)), address: url, chat: undefined }
  const channel = await channelAt(context, url)
  if (!channel) return webhooksTexts[language].noChannel
  return { secret: undefined, stored: channel.stored, address: channel.host, chat: { kind, language } }
}

const channelAt = async ({ webhooks, random }: ConsoleContext, url: string) =>
  sealChatAddress(url, await webhooks.sealer(), random.uuid())

/** The answer to the form itself: the only page that ever shows it. */
function secretShown(
  request: OrganizationRequest,
  endpointId: string,
  secret: string,
  title: string,
  hasOld: boolean,
): PageAnswer {
  const { language, now } = request
  const texts = webhooksTexts[language]
  return page({
    title,
    crumbs: [[texts.pageNames.webhooks, addressOf(request)]],
    current: addressOf(request),
    body: html`<section class="card">
      <div class="stack">
        <div>
          <p class="row">${state('good', title)}</p>
          <h2>${texts.copyNow}</h2>
          ${
            hasOld &&
            html`<p class="soft small">${texts.oldUntil(formatMoment(now + rotationMs, language))} ${texts.onTheirWay}</p>`
          }
        </div>
        <div class="secret">
          <code id="secret" tabindex="0">${secret}</code>
          <button type="button" class="go" data-copy="secret" data-copied="${texts.shared.copied}">
            ${texts.shared.copy}
          </button>
        </div>
        <p><a class="btn" href="${addressOf(request)}/${endpointId}">${texts.toEndpoint}</a></p>
      </div>
    </section>`,
  })
}

async function asked(
  context: ConsoleContext,
  request: OrganizationRequest,
  path: 'secret' | 'remove',
  texts: { readonly title: (name: string) => string; readonly body: string; readonly button: string },
  fields?: Html,
): Promise<PageAnswer> {
  const { pageNames, shared } = webhooksTexts[request.language]
  const endpoint = await endpointOf(context, request)
  const at = `${addressOf(request)}/${endpoint.endpointId}`
  return page({
    title: texts.title(nameOf(endpoint)),
    crumbs: [
      [pageNames.webhooks, addressOf(request)],
      [nameOf(endpoint), at],
    ],
    current: addressOf(request),
    body: question({
      action: `${at}/${path}`,
      body: html`<p>${texts.body}</p>`,
      button: texts.button,
      cancel: [shared.cancel, at],
      fields,
    }),
  })
}

async function secretPage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const endpoint = await endpointOf(context, request)
  if (endpoint.chat) return channelPage(context, request, endpoint)
  const { rollTitle, rollBody, rollButton } = webhooksTexts[request.language]
  return asked(
    context,
    request,
    'secret',
    { title: () => rollTitle, body: rollBody, button: rollButton },
    formKey(context),
  )
}

/** The secret of a channel is its address, which people enter again. */
function channelPage(
  context: ConsoleContext,
  request: OrganizationRequest,
  endpoint: WebhookEndpoint,
  sent?: { readonly typed: string; readonly why: string | undefined },
): PageAnswer {
  const texts = webhooksTexts[request.language]
  const at = `${addressOf(request)}/${endpoint.endpointId}`
  return page({
    title: texts.channelTitle,
    lead: texts.channelLead(endpoint.address),
    crumbs: [
      [texts.pageNames.webhooks, addressOf(request)],
      [nameOf(endpoint), at],
    ],
    current: addressOf(request),
    ...(sent && { status: 422 }),
    body: html`<form method="post" action="${at}/secret" class="stack" novalidate>${formKey(context)}
${field({
  name: 'address',
  label: texts.address,
  type: 'url',
  value: sent?.typed ?? '',
  isRequired: true,
  maxLength: 2000,
  error: sent?.why,
})}
<div class="row"><button class="go">${texts.channelButton}</button><a class="btn bare" href="${at}">${texts.shared.cancel}</a></div></form>`,
  })
}

async function readdress(
  context: ConsoleContext,
  request: OrganizationRequest,
  endpoint: WebhookEndpoint,
): Promise<PageAnswer> {
  const { language } = request
  const texts = webhooksTexts[language]
  const typed = fieldOf(request.form, 'address')
  const errors = new Map<string, string>()
  const url = await addressChecked(context, typed, { errors, language })
  if (url === undefined) return channelPage(context, request, endpoint, { typed, why: errors.get('address') })
  const channel = await channelAt(context, url)
  if (!channel) return channelPage(context, request, endpoint, { typed, why: texts.noChannel })
  const outcome = await once(context, request, async (trx) => {
    const { kind } = await enterChannelAddress(trx, actingOf(context, request), endpoint.endpointId, channel)
    return kind === 'entered' ? kind : new Refused(kind)
  })
  if (outcome.kind === 'refused') {
    if (outcome.reason === 'gone') throw new PageError(404, texts.noEndpoint)
    return channelPage(context, request, endpoint, { typed, why: texts.otherHost(endpoint.address) })
  }
  const notice = outcome.kind === 'sent' ? texts.sent : texts.channelEntered
  return redirect(`${addressOf(request)}/${endpoint.endpointId}`, { notice })
}

function removePage(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { removeTitle, removeBody, removeButton } = webhooksTexts[request.language]
  return asked(context, request, 'remove', { title: removeTitle, body: removeBody, button: removeButton })
}

async function rotate(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language } = request
  const texts = webhooksTexts[language]
  const endpoint = await endpointOf(context, request)
  if (endpoint.chat) return readdress(context, request, endpoint)
  const made = await newSecret(context)
  const outcome = await once(context, request, (trx) =>
    rotateEndpoint(trx, actingOf(context, request), endpoint.endpointId, made.stored),
  )
  if (outcome.kind === 'sent') return redirect(`${addressOf(request)}/${endpoint.endpointId}`, { notice: texts.sent })
  return secretShown(request, endpoint.endpointId, made.secret, texts.rotated, true)
}

/** Runs an action on the endpoint of the page. Throws PageError 404 if it was removed meanwhile. */
async function changed<Outcome extends { readonly kind: string }>(
  context: ConsoleContext,
  request: OrganizationRequest,
  action: (trx: Executor, acting: Acting, endpointId: string) => Promise<Outcome | { readonly kind: 'gone' }>,
): Promise<Exclude<Outcome, { readonly kind: 'gone' }>> {
  const { endpointId } = await endpointOf(context, request)
  const outcome = await inTransaction(context.store, (trx) => action(trx, actingOf(context, request), endpointId))
  if (outcome.kind === 'gone') throw new PageError(404, webhooksTexts[request.language].noEndpoint)
  return outcome as Exclude<Outcome, { readonly kind: 'gone' }>
}

const pageOf = (request: OrganizationRequest): string => `${addressOf(request)}/${request.params['endpoint']}`

async function remove(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  await changed(context, request, deleteEndpoint)
  return redirect(addressOf(request), { notice: webhooksTexts[request.language].removed })
}

async function switchState(context: ConsoleContext, request: OrganizationRequest, isOn: boolean): Promise<PageAnswer> {
  const texts = webhooksTexts[request.language]
  await changed(context, request, (trx, acting, endpointId) =>
    isOn ? turnOn(trx, acting, endpointId) : turnOff(trx, acting, endpointId, 'owner'),
  )
  return redirect(pageOf(request), { notice: isOn ? texts.enabled : texts.isDisabled })
}

async function release(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language } = request
  const { deliveredHeld, isDisabled } = webhooksTexts[language]
  const outcome = await changed(context, request, releaseEndpoint)
  const notice = outcome.kind === 'disabled' ? isDisabled : deliveredHeld(formatNumber(outcome.deliveries, language))
  return redirect(pageOf(request), { notice })
}

/** Replays one delivery by `message`, or those created since a day. */
async function replay(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { form, language } = request
  const texts = webhooksTexts[language]
  const message = fieldOf(form, 'message')
  const since = parseDate(fieldOf(form, 'since'))?.utcMidnightMs
  if (message === '' && since === undefined) {
    const endpoint = await endpointOf(context, request)
    return redirect(`${addressOf(request)}/${endpoint.endpointId}`, { notice: texts.badDay })
  }
  const choice =
    message !== ''
      ? { messageId: message }
      : { since: since!, only: form.get('which') === 'all' ? ('all' as const) : ('failed' as const) }
  const { deliveries } = await changed(context, request, (trx, acting, endpointId) =>
    replayEndpoint(trx, acting, endpointId, choice),
  )
  const notice = deliveries === 0 ? texts.replayedNone : texts.replayed(formatNumber(deliveries, language))
  return redirect(pageOf(request), { notice })
}

async function test(context: ConsoleContext, request: OrganizationRequest): Promise<PageAnswer> {
  const { language, form } = request
  const endpoint = await endpointOf(context, request)
  const isWrong = form.get('wrong') === 'yes'
  const sent = context.run({
    by: actorOf(request),
    command: 'webhook test',
    operands: [endpoint.endpointId],
    options: isWrong ? { 'wrong-signature': true } : {},
  })
  const { testLate, why } = webhooksTexts[language]
  const unsent = { 'other-key': endpoint.chat ? why.address : why.secret, 'newer-version': why.unknownChat }
  let notice = testLate
  try {
    const outcome = await settledWithin(sent, testWaitMs)
    const tested = outcome?.events.find(({ event }) => event === 'webhookTested')
    if (tested) notice = testNotice(tested, isWrong, language)
  } catch (error) {
    // a refusal that concerns the whole stock has a page of its own
    if (!(error instanceof OperatorError) || error.refusal || !Object.hasOwn(unsent, error.code)) throw error
    notice = unsent[error.code as keyof typeof unsent]
  }
  return redirect(`${addressOf(request)}/${endpoint.endpointId}`, { notice })
}

function testNotice(
  { isSuccess, status, error, milliseconds }: { readonly [name: string]: unknown },
  isWrong: boolean,
  language: OrganizationRequest['language'],
): string {
  const texts = webhooksTexts[language]
  const ms = formatNumber(Number(milliseconds), language)
  const answer = typeof status === 'number' ? String(status) : failureWords(String(error), language)
  // a receiver that was not reached has refused nothing
  if (isWrong && typeof status === 'number') return isSuccess === true ? texts.testWrongBad : texts.testWrongOk(answer)
  return isSuccess === true ? texts.testOk(Number(status), ms) : texts.testBad(answer, ms)
}

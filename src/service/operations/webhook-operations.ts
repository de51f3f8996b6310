// The operator's commands about webhooks: endpoints, their secrets, and what was sent to them.
import {
  addEndpoint,
  deleteEndpoint,
  editEndpoint,
  enterChannelAddress,
  noteTest,
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
import type { Sealer } from '../../platform/sealing.ts'
import { inTransaction } from '../../store/database/database.ts'
import { countDeliveries, listDeliveries, type ReplayChoice } from '../../store/hits/deliveries.ts'
import { findSearch } from '../../store/hits/searches.ts'
import {
  type EndpointChange,
  findEndpoint,
  listEndpoints,
  maxEndpoints,
  type NewSecret,
  signingSecrets,
  type WebhookEndpoint,
} from '../../store/hits/webhook-endpoints.ts'
import { findOrganization, listOrganizations } from '../../store/people/organizations.ts'
import { chatAddress, chatOf, sealChatAddress } from '../../webhooks/chat-address.ts'
import { chatBody, chatKinds, chatLanguages, chatRate } from '../../webhooks/chat-body.ts'
import { checkEndpointName, parseEndpointAddress } from '../../webhooks/endpoint-address.ts'
import { testBody } from '../../webhooks/hit-body.ts'
import { openSender } from '../../webhooks/send-attempt.ts'
import { makeWebhookSecret, webhookHeaders, webhookSecretBytes } from '../../webhooks/signature.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { actingOf, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'
import { organizationNamed } from '../control/organization-named.ts'
import { secretInFile } from '../control/secret-file.ts'
import type { Emit, EventOf } from '../events/command-event.ts'
import { webhookAddressRule } from '../hits/loopback-webhooks.ts'
import { openSealer } from '../hits/webhook-sealer.ts'

/** Default number of requests per second to an endpoint. */
const defaultRate = 10

/** `webhook create`: the secret is in the event, once. */
export const createWebhook: Operation = async (context, { options }, emit) => {
  const { store } = context
  const organization = await organizationNamed(store, String(options.organization))
  const kinds = kindsOf(options.kind)
  const searches = await searchesOf(context, organization.organizationId, options.search)
  const { address, chat, made } = await placeOf(context, options)
  const wanted = {
    organizationId: organization.organizationId,
    address,
    chat,
    description: String(options.description ?? ''),
    kinds,
    searches,
    requestsPerSecond: Number(options.rate ?? (chat ? chatRate : defaultRate)),
    secret: made.stored,
  }
  const outcome = await inTransaction(store, (trx) => addEndpoint(trx, actingOf(context), wanted))
  if (outcome.kind === 'tooFast') throw tooFast(outcome)
  if (outcome.kind === 'tooMany')
    throw new OperatorError(
      'limit-reached',
      `"${organization.name}" has ${maxEndpoints} webhook endpoints, which is the maximum; remove one first: tenderstock webhook remove ID`,
    )
  emit({
    ...endpointEvent(outcome.endpoint, organization.name),
    ...(made.secret !== undefined && { secret: made.secret }),
  })
  return 0
}

/** `webhook update ID` */
export const updateWebhook: Operation = async (context, { operands, options }, emit) => {
  const { store } = context
  const endpoint = await endpointNamed(context, operands)
  if (options.url !== undefined && endpoint.chat)
    throw new OperatorError(
      'options-conflict',
      `The address of a channel is its secret: tenderstock webhook rotate ${endpoint.endpointId} --url URL`,
    )
  const { endpointId, organizationId } = endpoint
  if (options.search !== undefined && options['all-searches'] === true)
    throw new OperatorError('options-conflict', 'Pass either --search or --all-searches.')
  const searches = await searchesOf(context, organizationId, options.search)
  const change: EndpointChange = {
    ...(options.url !== undefined && { address: await addressOf(context, String(options.url)) }),
    ...(options.kind !== undefined && { kinds: kindsOf(options.kind) }),
    ...(options['all-searches'] === true ? { searches: null } : searches !== undefined && { searches }),
    ...(options.rate !== undefined && { requestsPerSecond: Number(options.rate) }),
    ...(options.description !== undefined && { description: String(options.description) }),
  }
  const seen = settingsVersion(endpoint)
  const outcome = await inTransaction(store, (trx) =>
    editEndpoint(trx, actingOf(context), { endpointId, seen, change }),
  )
  if (outcome.kind === 'gone') throw noEndpoint(operands[0]!)
  if (outcome.kind === 'tooFast') throw tooFast(outcome)
  if (outcome.kind === 'stale')
    throw new OperatorError(
      'changed-meanwhile',
      'Somebody changed the endpoint while this command ran; look at it, and run the command again.',
    )
  if (outcome.kind === 'unchanged')
    throw new OperatorError(
      'nothing-to-change',
      'Nothing to change: pass a different --url, --kind, --search or --all-searches, --rate or --description.',
    )
  const organization = await findOrganization(store.db, organizationId)
  emit(endpointEvent(outcome.endpoint, organization?.name ?? organizationId))
  return 0
}

/** `webhook list`: of one organization, or of all. */
export const listWebhooks: Operation = async ({ store }, { options }, emit) => {
  const only =
    options.organization === undefined ? undefined : await organizationNamed(store, String(options.organization))
  const names = new Map((await listOrganizations(store.db)).map(({ organizationId, name }) => [organizationId, name]))
  const endpoints = await listEndpoints(store.db, only?.organizationId)
  if (endpoints.length === 0)
    emit({
      event: 'none',
      message: 'There is no webhook endpoint yet: tenderstock webhook create --organization NAME --url URL',
    })
  for (const endpoint of endpoints)
    emit({
      ...endpointEvent(endpoint, names.get(endpoint.organizationId) ?? endpoint.organizationId),
      deliveries: await countDeliveries(store.db, endpoint.endpointNo),
    })
  return 0
}

/** `webhook test ID`: sends a test event now. If it succeeds, the endpoint is enabled. Exit code 1 when it fails. */
export const testWebhook: Operation = async (context, { operands, options }, emit) => {
  const { store, clock, random, version } = context
  const endpoint = await endpointNamed(context, operands)
  const address = parseEndpointAddress(endpoint.address, await webhookAddressRule(store, context.config))
  const sealer = await openSealer(context)
  const sealed = await signingSecrets(store.db, endpoint.endpointNo, clock())
  const keys = sealed.flatMap(({ secretId, sealed: bytes }) => sealer.open(bytes, secretId) ?? [])
  const isWrong = options['wrong-signature'] === true
  const body = testBody(context.wallClock(), endpoint.endpointId)
  const message = { id: `msg_test_${random.uuid()}`, timestamp: Math.floor(context.wallClock() / 1000), body }
  const chat = chatOf({ chat: endpoint.chat?.kind ?? null, language: endpoint.chat?.language ?? null })
  if (chat === 'unknown')
    throw new OperatorError('newer-version', 'This version does not know the chat of this channel: update the program.')
  if (chat && isWrong) throw new OperatorError('options-conflict', 'Messages to a chat are not signed.')
  if (keys.length === 0)
    throw new OperatorError(
      'other-key',
      chat
        ? `The key to the address of this channel is lost; enter it again: ${readdressing(endpoint)}`
        : `The key to the secret of this endpoint is lost; replace it: tenderstock webhook rotate ${endpoint.endpointId}`,
    )
  const posted = chat
    ? {
        url: chatAddress(address.url, keys[0]!),
        network: address.network,
        headers: {},
        body: chatBody(chat, body, undefined),
      }
    : { ...address, headers: webhookHeaders(message, isWrong ? [random.bytes(32)] : keys), body }
  // before it is sent: if the process dies during the request, the entry exists
  await noteTest(store.db, actingOf(context), endpoint)
  const sender = openSender({ version, now: context.wallClock })
  try {
    const { outcome, milliseconds, answer } = await sender.send(posted)
    const status = outcome.kind === 'answered' ? outcome.status : null
    const isSuccess = status !== null && status >= 200 && status < 300
    emit({
      event: 'webhookTested',
      id: endpoint.endpointId,
      isSuccess,
      status,
      error: outcome.kind === 'failed' ? outcome.failure : null,
      milliseconds,
      answer: answer ?? null,
      isSignatureWrong: isWrong,
    })
    if (isWrong) {
      if (isSuccess)
        emit({
          event: 'warning',
          message: 'The receiver accepted a wrong signature: it must verify the signature before it answers 2xx.',
        })
      // a receiver that was not reached has refused nothing
      return isSuccess || status === null ? 1 : 0
    }
    if (isSuccess && endpoint.state === 'disabled') {
      await inTransaction(store, (trx) => turnOn(trx, actingOf(context), endpoint.endpointId))
      await reportHeld(context, endpoint, emit)
    }
    return isSuccess ? 0 : 1
  } finally {
    await sender.close()
  }
}

/**
 * `webhook rotate ID`: the new secret is in the event, once; the old one signs for another day. The secret of a
 * channel is its address.
 */
export const rotateWebhook: Operation = async (context, request, emit) => {
  const { operands, options } = request
  const { store, random } = context
  const endpoint = await endpointNamed(context, operands)
  if (endpoint.chat) return readdressChannel(context, endpoint, request, emit)
  if (options.url !== undefined)
    throw new OperatorError('options-conflict', 'Only a channel has its address as its secret: leave --url out.')
  const { endpointId } = endpoint
  const sealer = await openSealer(context, { acceptsNewKey: options['accept-new-key'] === true })
  const made = await newSecret(sealer, random, options['secret-file'])
  const outcome = await inTransaction(store, (trx) => rotateEndpoint(trx, actingOf(context), endpointId, made.stored))
  if (outcome.kind === 'gone') throw noEndpoint(operands[0]!)
  emit({ event: 'webhookRotated', id: endpointId, secret: made.secret })
  return 0
}

const readdressing = ({ endpointId }: WebhookEndpoint): string => `tenderstock webhook rotate ${endpointId} --url URL`

/** Without an address, only the key can be accepted: Owners have the address, and enter it on the page. */
async function readdressChannel(
  context: ServiceContext,
  endpoint: WebhookEndpoint,
  { options }: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { endpointId, address } = endpoint
  refuseSecretFile(options)
  const acceptsNewKey = options['accept-new-key'] === true
  if (options.url === undefined && !acceptsNewKey)
    throw new OperatorError('option-missing', `The secret of a channel is its address: ${readdressing(endpoint)}`)
  const sealer = await openSealer(context, { acceptsNewKey })
  if (options.url === undefined) {
    emit({
      event: 'note',
      message: `The current key is used from now on. Owners enter the address of this channel again on its page, or: ${readdressing(endpoint)}`,
    })
    return 0
  }
  const channel = channelAt(await addressOf(context, String(options.url)), sealer, context)
  const outcome = await inTransaction(context.store, (trx) =>
    enterChannelAddress(trx, actingOf(context), endpointId, channel),
  )
  if (outcome.kind === 'gone') throw noEndpoint(endpointId)
  if (outcome.kind === 'otherPlace')
    throw new OperatorError('webhook-address', `Another host is another endpoint: this channel is at ${address}…`)
  emit({ event: 'webhookReaddressed', id: endpointId })
  return 0
}

export const enableWebhook: Operation = async (context, { operands }, emit) => {
  const endpoint = await endpointNamed(context, operands)
  const outcome = await inTransaction(context.store, (trx) => turnOn(trx, actingOf(context), endpoint.endpointId))
  if (outcome.kind === 'gone') throw noEndpoint(operands[0]!)
  emit({ event: 'webhookEnabled', id: endpoint.endpointId })
  await reportHeld(context, endpoint, emit)
  return 0
}

export const disableWebhook: Operation = async (context, { operands }, emit) => {
  const { endpointId } = await endpointNamed(context, operands)
  const outcome = await inTransaction(context.store, (trx) => turnOff(trx, actingOf(context), endpointId, 'operator'))
  if (outcome.kind === 'gone') throw noEndpoint(operands[0]!)
  emit({ event: 'webhookDisabled', id: endpointId })
  return 0
}

export const removeWebhook: Operation = async (context, { operands }, emit) => {
  const { endpointId } = await endpointNamed(context, operands)
  const outcome = await inTransaction(context.store, (trx) => deleteEndpoint(trx, actingOf(context), endpointId))
  if (outcome.kind === 'gone') throw noEndpoint(operands[0]!)
  emit({ event: 'webhookRemoved', id: endpointId })
  return 0
}

/** `webhook release ID`: sends the deliveries held while the endpoint was disabled. */
export const releaseWebhook: Operation = async (context, { operands }, emit) => {
  const { endpointId } = await endpointNamed(context, operands)
  const outcome = await inTransaction(context.store, (trx) => releaseEndpoint(trx, actingOf(context), endpointId))
  if (outcome.kind === 'gone') throw noEndpoint(operands[0]!)
  if (outcome.kind === 'disabled')
    throw new OperatorError(
      'endpoint-disabled',
      `The endpoint is disabled, so nothing would be sent; test it first: tenderstock webhook test ${endpointId}`,
    )
  emit({ event: 'webhookReleased', id: endpointId, deliveries: outcome.deliveries })
  return 0
}

/** `webhook deliveries ID`: the newest first. */
export const listWebhookDeliveries: Operation = async ({ store, ...context }, { operands, options }, emit) => {
  const endpoint = await endpointNamed({ store, ...context }, operands)
  const deliveries = await listDeliveries(store.db, {
    endpointNo: endpoint.endpointNo,
    limit: Number(options.limit ?? 50),
    ...(options.state !== undefined && { state: String(options.state) }),
  })
  if (deliveries.length === 0) {
    const which = options.state === undefined ? '' : ` that is "${String(options.state)}"`
    emit({ event: 'none', message: `This endpoint has no delivery${which} of the last 30 days.` })
  }
  for (const delivery of deliveries) emit({ event: 'webhookDelivery', ...delivery })
  return 0
}

/** `webhook replay ID`: one delivery, the failed ones, or all; each with its ID. */
export const replayWebhook: Operation = async (context, { operands, options }, emit) => {
  const { endpointId } = await endpointNamed(context, operands)
  const choice = replayChoice(options)
  const outcome = await inTransaction(context.store, (trx) =>
    replayEndpoint(trx, actingOf(context), endpointId, choice),
  )
  if (outcome.kind === 'gone') throw noEndpoint(operands[0]!)
  const { deliveries } = outcome
  if (deliveries === 0 && options.message !== undefined)
    throw new OperatorError(
      'no-delivery',
      `The endpoint has no delivery "${options.message}" that could be sent again; \`tenderstock webhook deliveries ${endpointId}\` shows them.`,
    )
  emit({ event: 'webhookReplayed', id: endpointId, deliveries })
  return 0
}

function replayChoice(options: ControlRequest['options']): ReplayChoice {
  const { message, 'failed-since': failed, 'all-since': all } = options
  const given = [message, failed, all].filter((each) => each !== undefined)
  if (given.length !== 1)
    throw new OperatorError(
      'option-missing',
      'Say what to send again, one of: --message ID, --failed-since DATE, --all-since DATE.',
    )
  if (message !== undefined) return { messageId: String(message) }
  return { since: parseDate(String(failed ?? all))!.utcMidnightMs, only: failed === undefined ? 'all' : 'failed' }
}

async function endpointNamed(
  { store }: Pick<ServiceContext, 'store'>,
  operands: readonly string[],
): Promise<WebhookEndpoint> {
  const endpoint = await findEndpoint(store.db, operands[0]!.toLowerCase())
  if (!endpoint) throw noEndpoint(operands[0]!)
  return endpoint
}

const tooFast = ({ most }: { readonly most: number }) =>
  new OperatorError('invalid-option', `A channel takes at most ${most} message a second: leave --rate out.`)

const noEndpoint = (id: string) =>
  new OperatorError('no-endpoint', `There is no webhook endpoint "${id}"; \`tenderstock webhook list\` shows the ids.`)

/** The address in its canonical form. Throws OperatorError for one that is not allowed. */
async function addressOf({ store, config }: ServiceContext, typed: string): Promise<string> {
  const address = parseEndpointAddress(typed, await webhookAddressRule(store, config))
  await checkEndpointName(address)
  return address.url
}

async function reportHeld(
  { store }: ServiceContext,
  { endpointNo, endpointId }: WebhookEndpoint,
  emit: Emit,
): Promise<void> {
  const { held } = await countDeliveries(store.db, endpointNo)
  if (held > 0)
    emit({
      event: 'note',
      message: `${held} deliveries were held meanwhile; to send them: tenderstock webhook release ${endpointId}`,
    })
}

/** Where a new endpoint is, and its secret: of a channel of a chat, the rest of its address. */
async function placeOf(context: ServiceContext, options: ControlRequest['options']) {
  const sealer = await openSealer(context)
  const url = await addressOf(context, String(options.url))
  const kind = chatKinds.find((each) => each === options.chat)
  if (!kind) {
    if (options.language !== undefined)
      throw new OperatorError('options-conflict', '--language is for --chat: signed messages have no language.')
    return { address: url, chat: undefined, made: await newSecret(sealer, context.random, options['secret-file']) }
  }
  refuseSecretFile(options)
  const channel = channelAt(url, sealer, context)
  const language = chatLanguages.find((each) => each === options.language) ?? 'en'
  return { address: channel.host, chat: { kind, language }, made: { secret: undefined, stored: channel.stored } }
}

function refuseSecretFile(options: ControlRequest['options']): void {
  if (options['secret-file'] !== undefined)
    throw new OperatorError('options-conflict', 'Messages to a chat are not signed: leave --secret-file out.')
}

function channelAt(url: string, sealer: Sealer, { random }: ServiceContext) {
  const channel = sealChatAddress(url, sealer, random.uuid())
  if (!channel)
    throw new OperatorError('webhook-address', 'The address of a channel goes on after the host: copy it as a whole.')
  return channel
}

function kindsOf(given: unknown): readonly string[] {
  const wanted = Array.isArray(given) ? given.map(String) : ['search.hit']
  const unknown = wanted.find((each) => !(hitEventKinds as readonly string[]).includes(each))
  if (unknown !== undefined)
    throw new OperatorError(
      'invalid-option',
      `There is no type "${unknown}"; an endpoint can receive ${hitEventKinds.join(' and ')}.`,
    )
  return [...new Set(wanted)]
}

async function searchesOf(
  { store }: ServiceContext,
  organizationId: string,
  given: unknown,
): Promise<string[] | undefined> {
  if (!Array.isArray(given)) return undefined
  const ids: string[] = []
  for (const name of given.map(String)) {
    const search = await findSearch(store.db, organizationId, name)
    if (!search)
      throw new OperatorError('no-search', `There is no search "${name}"; \`tenderstock search list\` shows them.`)
    ids.push(search.searchId)
  }
  return ids
}

/** A new secret, or the one in a file: then an existing receiver need not change. */
async function newSecret(
  sealer: Sealer,
  random: ServiceContext['random'],
  file: unknown,
): Promise<{ readonly secret: string; readonly stored: NewSecret }> {
  const secret = file === undefined ? makeWebhookSecret(random.bytes) : await secretInFile(String(file))
  const bytes = webhookSecretBytes(secret)
  if (!bytes)
    throw new OperatorError(
      'secret-file-unusable',
      'This is not a secret: write whsec_ and 24 to 64 bytes in base64, or leave --secret-file out.',
    )
  const secretId = random.uuid()
  return { secret, stored: { secretId, sealed: sealer.seal(bytes, secretId) } }
}

const endpointEvent = (endpoint: WebhookEndpoint, organization: string): EventOf<'webhook'> => ({
  event: 'webhook',
  id: endpoint.endpointId,
  organization,
  url: endpoint.address,
  description: endpoint.description,
  kinds: endpoint.kinds,
  searches: endpoint.searches ?? null,
  state: endpoint.state,
  disabledWhy: endpoint.disabledWhy ?? null,
  failingSince: endpoint.failingSince ?? null,
  requestsPerSecond: endpoint.requestsPerSecond,
  chat: endpoint.chat?.kind ?? null,
})

export const operations = {
  'webhook create': createWebhook,
  'webhook update': updateWebhook,
  'webhook list': listWebhooks,
  'webhook test': testWebhook,
  'webhook rotate': rotateWebhook,
  'webhook enable': enableWebhook,
  'webhook disable': disableWebhook,
  'webhook remove': removeWebhook,
  'webhook deliveries': listWebhookDeliveries,
  'webhook replay': replayWebhook,
  'webhook release': releaseWebhook,
} satisfies Operations

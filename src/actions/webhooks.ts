// Changes of webhook endpoints. Each runs in the transaction of its caller, and leaves one entry of the audit log if it
// changed something.
import type { Executor } from '../store/database/database.ts'
import { type ReplayChoice, releaseHeld, replayDeliveries } from '../store/hits/deliveries.ts'
import { listSearches } from '../store/hits/searches.ts'
import {
  changeEndpoint,
  createEndpoint,
  disable,
  type EndpointChange,
  enableEndpoint,
  endpointChanges,
  endpointLabel,
  findEndpoint,
  lockEndpoint,
  type NewEndpoint,
  type NewSecret,
  removeEndpoint,
  replaceChannelAddress,
  rotateSecret,
  type WebhookEndpoint,
} from '../store/hits/webhook-endpoints.ts'
import { chatRate } from '../webhooks/chat-body.ts'
import { type Acting, type Entry, record, versionOf } from './acting.ts'

/** `gone`: there is no such endpoint any more. */
type Gone = { readonly kind: 'gone' }
/** `tooFast`: a channel of a chat takes at most `most` messages a second. */
type TooFast = { readonly kind: 'tooFast'; readonly most: number }

const tooFast = (isChannel: boolean, rate: number | undefined): TooFast | undefined =>
  isChannel && rate !== undefined && rate > chatRate ? { kind: 'tooFast', most: chatRate } : undefined

export type EndpointCreation =
  | { readonly kind: 'created'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'tooMany' }
  | TooFast

export async function addEndpoint(
  trx: Executor,
  acting: Acting,
  wanted: Omit<NewEndpoint, 'endpointId'>,
): Promise<EndpointCreation> {
  const refusal = tooFast(wanted.chat !== undefined, wanted.requestsPerSecond)
  if (refusal) return refusal
  const endpoint = await createEndpoint({ db: trx }, { ...wanted, endpointId: acting.random.uuid() }, acting.now)
  if (!endpoint) return { kind: 'tooMany' }
  await note(trx, acting, 'webhook.create', endpoint)
  return { kind: 'created', endpoint }
}

/** Tells two states of the settings of an endpoint apart. */
export const settingsVersion = (endpoint: WebhookEndpoint): string => {
  const { address, description, kinds, searches = null, requestsPerSecond } = endpoint
  return versionOf([address, description, kinds, searches, requestsPerSecond])
}

/** `stale`: somebody changed the endpoint since `seen` was read. */
export type EndpointEdit =
  | { readonly kind: 'edited'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'stale' }
  | TooFast
  | Gone

/** Changes the settings of an endpoint. `seen` is their version that whoever acts had before them. */
export async function editEndpoint(
  trx: Executor,
  acting: Acting,
  { endpointId, seen, change }: { readonly endpointId: string; readonly seen: string; readonly change: EndpointChange },
): Promise<EndpointEdit> {
  const before = await locked(trx, endpointId)
  if (!before) return { kind: 'gone' }
  if (settingsVersion(before) !== seen) return { kind: 'stale' }
  const refusal = tooFast(before.chat !== undefined, change.requestsPerSecond)
  if (refusal) return refusal
  const detail = endpointChanges(before, change, await listSearches(trx, before.organizationId))
  if (Object.keys(detail).length === 0) return { kind: 'unchanged' }
  await changeEndpoint(trx, before.endpointNo, change, acting.now)
  await note(trx, acting, 'webhook.update', before, detail)
  return { kind: 'edited', endpoint: (await findEndpoint(trx, endpointId))! }
}

/** Gives an endpoint a new secret; the one before signs for another day. */
export async function rotateEndpoint(
  trx: Executor,
  acting: Acting,
  endpointId: string,
  secret: NewSecret,
): Promise<{ readonly kind: 'rotated' } | Gone> {
  const endpoint = await locked(trx, endpointId)
  if (!endpoint) return { kind: 'gone' }
  await rotateSecret({ db: trx }, endpoint.endpointNo, secret, acting.now)
  await note(trx, acting, 'webhook.rotate', endpoint)
  return { kind: 'rotated' }
}

/** `otherPlace`: the endpoint is no channel, or one of another host, which is another endpoint. */
export type ChannelEntry = { readonly kind: 'entered' } | { readonly kind: 'otherPlace' } | Gone

/** Stores the address of a channel again: the key to it was lost, or the chat gave the channel another one. */
export async function enterChannelAddress(
  trx: Executor,
  acting: Acting,
  endpointId: string,
  { host, stored }: { readonly host: string; readonly stored: NewSecret },
): Promise<ChannelEntry> {
  const endpoint = await locked(trx, endpointId)
  if (!endpoint) return { kind: 'gone' }
  if (!endpoint.chat || endpoint.address !== host) return { kind: 'otherPlace' }
  await replaceChannelAddress(trx, endpoint.endpointNo, stored, acting.now)
  await note(trx, acting, 'webhook.readdress', endpoint)
  return { kind: 'entered' }
}

/** `unchanged`: it was in that state already. */
export type EndpointSwitch = { readonly kind: 'changed' } | { readonly kind: 'unchanged' } | Gone

/** Enables an endpoint; what was held stays held until somebody releases it. */
export async function turnOn(trx: Executor, acting: Acting, endpointId: string): Promise<EndpointSwitch> {
  const endpoint = await locked(trx, endpointId)
  if (!endpoint) return { kind: 'gone' }
  if (endpoint.state === 'active') return { kind: 'unchanged' }
  await enableEndpoint(trx, endpoint.endpointNo)
  await note(trx, acting, 'webhook.enable', endpoint)
  return { kind: 'changed' }
}

/** Disables an endpoint: its deliveries are held from now on. `by` is shown as the reason. */
export async function turnOff(
  trx: Executor,
  acting: Acting,
  endpointId: string,
  by: 'operator' | 'owner',
): Promise<EndpointSwitch> {
  const endpoint = await locked(trx, endpointId)
  if (!endpoint) return { kind: 'gone' }
  if (!(await disable(trx, endpoint.endpointNo, by))) return { kind: 'unchanged' }
  await note(trx, acting, 'webhook.disable', endpoint)
  return { kind: 'changed' }
}

/** Removes an endpoint with its secrets; what waits is given up. */
export async function deleteEndpoint(
  trx: Executor,
  acting: Acting,
  endpointId: string,
): Promise<{ readonly kind: 'removed' } | Gone> {
  const endpoint = await locked(trx, endpointId)
  if (!endpoint) return { kind: 'gone' }
  await removeEndpoint({ db: trx }, endpoint.endpointNo, acting.now)
  await note(trx, acting, 'webhook.remove', endpoint)
  return { kind: 'removed' }
}

/** `disabled`: nothing would be sent, so nothing is released. */
export type EndpointRelease =
  | { readonly kind: 'released'; readonly deliveries: number }
  | { readonly kind: 'disabled' }
  | Gone

/** Sends what was held because the endpoint was disabled. */
export async function releaseEndpoint(trx: Executor, acting: Acting, endpointId: string): Promise<EndpointRelease> {
  const endpoint = await locked(trx, endpointId)
  if (!endpoint) return { kind: 'gone' }
  if (endpoint.state === 'disabled') return { kind: 'disabled' }
  const deliveries = await releaseHeld({ db: trx }, endpoint.endpointNo, acting.now)
  if (deliveries > 0) await note(trx, acting, 'webhook.release', endpoint, { deliveries })
  return { kind: 'released', deliveries }
}

/** Sends deliveries again, each with its id. */
export async function replayEndpoint(
  trx: Executor,
  acting: Acting,
  endpointId: string,
  choice: ReplayChoice,
): Promise<{ readonly kind: 'replayed'; readonly deliveries: number } | Gone> {
  const endpoint = await locked(trx, endpointId)
  if (!endpoint) return { kind: 'gone' }
  const deliveries = await replayDeliveries({ db: trx }, endpoint.endpointNo, choice, acting.now)
  if (deliveries > 0) await note(trx, acting, 'webhook.replay', endpoint, { deliveries })
  return { kind: 'replayed', deliveries }
}

/** Notes that a test event is about to be sent: if the process dies during the request, the entry exists. */
export const noteTest = (db: Executor, acting: Acting, endpoint: WebhookEndpoint): Promise<void> =>
  note(db, acting, 'webhook.test', endpoint)

/** The endpoint as it is now; others that change it or its deliveries wait. */
async function locked(trx: Executor, endpointId: string): Promise<WebhookEndpoint | undefined> {
  const endpoint = await findEndpoint(trx, endpointId)
  if (!endpoint) return undefined
  await lockEndpoint(trx, endpoint.endpointNo)
  return findEndpoint(trx, endpointId)
}

const note = (
  trx: Executor,
  acting: Acting,
  action: Entry['action'],
  endpoint: WebhookEndpoint,
  detail: NonNullable<Entry['detail']> = {},
): Promise<void> =>
  record(trx, acting, { action, subject: endpointLabel(endpoint), organizationId: endpoint.organizationId, detail })

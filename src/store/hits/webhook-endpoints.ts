// Where webhooks go: the endpoints of organizations, and the secrets that sign for them.
import { sql } from 'kysely'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import type { AuditEntry } from '../people/audit.ts'
import { isMovedBy, moved } from './delivery-states.ts'

/** Times in epoch milliseconds. */
export type WebhookEndpoint = {
  readonly endpointNo: number
  readonly endpointId: string
  readonly organizationId: string
  readonly address: string
  readonly description: string
  readonly kinds: readonly string[]
  /** Ids of the only searches whose hits it receives; undefined: all searches of the organization. */
  readonly searches: readonly string[] | undefined
  readonly state: 'active' | 'disabled'
  /**
   * Why it is disabled: `gone` (it answered 410), `failing` (only failures for five days), `secret` and `address` (the
   * key to them is lost), `untested` (then it got a new one), `unknownChat` (of a newer version), `operator`, `owner`.
   */
  readonly disabledWhy: string | undefined
  /** Since when every attempt has failed. */
  readonly failingSince: number | undefined
  readonly requestsPerSecond: number
  /** A channel of a chat, whose messages are not signed. Its address is a host; what follows it is the secret. */
  readonly chat?: { readonly kind: string; readonly language: string } | undefined
  readonly createdAt: number
}

export type NewEndpoint = Omit<
  WebhookEndpoint,
  'endpointNo' | 'state' | 'disabledWhy' | 'failingSince' | 'createdAt'
> & { readonly secret: NewSecret }

export type NewSecret = { readonly secretId: string; readonly sealed: Uint8Array }

/** How long an old secret still signs after a rotation. */
const rotationMs = 24 * 3_600_000
/** Maximum number of endpoints of one organization. */
export const maxEndpoints = 20

/**
 * Creates an endpoint; undefined if the organization has the maximum already. It receives hits from the next edition
 * on.
 */
export function createEndpoint(
  store: Pick<Store, 'db'>,
  wanted: NewEndpoint,
  now: number,
): Promise<WebhookEndpoint | undefined> {
  return inTransaction(store, async (trx) => {
    // two creations at once are counted one after the other
    await sql`select from organization where organization_id = ${wanted.organizationId} for update`.execute(trx)
    // no edition becomes visible before this ends: the next one is the first whose hits it receives
    await sql`select from change_signal where topic = 'edition' for share`.execute(trx)
    if ((await listEndpoints(trx, wanted.organizationId)).length >= maxEndpoints) return undefined
    const searches = wanted.searches === undefined ? null : JSON.stringify(wanted.searches)
    const { rows } = await sql<{ endpointNo: number }>`
      insert into webhook_endpoint (endpoint_id, organization_id, address, description, from_edition, kinds, searches,
        requests_per_second, chat, language, created_at)
      values (${wanted.endpointId}, ${wanted.organizationId}, ${wanted.address}, ${wanted.description},
        (select coalesce(max(edition), 0) + 1 from edition), ${JSON.stringify(wanted.kinds)}, ${searches},
        ${wanted.requestsPerSecond}, ${wanted.chat?.kind ?? null}, ${wanted.chat?.language ?? null}, ${now})
      returning endpoint_no as "endpointNo"`.execute(trx)
    const { endpointNo } = rows[0]!
    await insertSecret(trx, endpointNo, wanted.secret, now)
    return (await listEndpoints(trx, wanted.organizationId)).find((each) => each.endpointNo === endpointNo)
  })
}

type EndpointRow = Omit<WebhookEndpoint, 'kinds' | 'searches' | 'disabledWhy' | 'failingSince' | 'chat'> & {
  readonly chat: string | null
  readonly language: string | null
  readonly kinds: string
  readonly searches: string | null
  readonly disabledWhy: string | null
  readonly failingSince: number | null
}

const endpointColumns = sql`endpoint_no as "endpointNo", endpoint_id as "endpointId", organization_id as "organizationId", address,
  description, kinds, searches, state, disabled_why as "disabledWhy", failing_since as "failingSince",
  requests_per_second as "requestsPerSecond", chat, language, created_at as "createdAt"`

function endpointOf({
  kinds,
  searches,
  disabledWhy,
  failingSince,
  chat,
  language,
  ...row
}: EndpointRow): WebhookEndpoint {
  return {
    ...row,
    kinds: JSON.parse(kinds) as string[],
    searches: searches === null ? undefined : (JSON.parse(searches) as string[]),
    disabledWhy: disabledWhy ?? undefined,
    failingSince: failingSince ?? undefined,
    ...(chat !== null && { chat: { kind: chat, language: language ?? 'en' } }),
  }
}

/** Endpoints that were not removed, oldest first; of one organization or of all. */
export async function listEndpoints(db: Executor, organizationId?: string): Promise<WebhookEndpoint[]> {
  const { rows } = await sql<EndpointRow>`
    select ${endpointColumns} from webhook_endpoint
    where state <> 'removed' and (${organizationId ?? null}::text is null or organization_id = ${organizationId ?? null})
    order by endpoint_no`.execute(db)
  return rows.map(endpointOf)
}

/** By its id; undefined when there is none, or it was removed. */
export async function findEndpoint(db: Executor, endpointId: string): Promise<WebhookEndpoint | undefined> {
  const { rows } = await sql<EndpointRow>`
    select ${endpointColumns} from webhook_endpoint where endpoint_id = ${endpointId} and state <> 'removed'`.execute(
    db,
  )
  return rows.map(endpointOf)[0]
}

/** What a change sets; members that are absent stay. `searches` null: all searches of the organization. */
export type EndpointChange = Partial<
  Pick<NewEndpoint, 'address' | 'description' | 'kinds' | 'requestsPerSecond'> & {
    readonly searches: readonly string[] | null
  }
>

/** For the audit log: its name, else the host of its address, whose path or query may be a secret. */
export const endpointLabel = ({ description, address }: Pick<WebhookEndpoint, 'description' | 'address'>): string =>
  description || new URL(address).host

/** Maximum letters of a list in an entry of the audit log. */
const maxListed = 500

/**
 * The settings that a change alters, as the audit log shows them; empty if nothing changes. `searches` are those of the
 * organization. Only the host of an address is returned.
 */
export function endpointChanges(
  before: WebhookEndpoint,
  change: EndpointChange,
  searches: readonly { readonly searchId: string; readonly name: string }[],
): AuditEntry['detail'] {
  const after = { ...before, ...change, searches: change.searches === undefined ? before.searches : change.searches }
  const names = (ids: readonly string[] | null | undefined) =>
    ids
      ? searches
          .filter(({ searchId }) => ids.includes(searchId))
          .map(({ name }) => name)
          .join(', ')
          .slice(0, maxListed)
      : 'all'
  const sorted = (list: readonly string[] | null | undefined) => [...(list ?? ['all'])].sort().join(', ')
  const hostOf = (address: string) => new URL(address).host
  return {
    ...(after.address !== before.address && { address: hostOf(after.address), addressBefore: hostOf(before.address) }),
    ...(after.description !== before.description && { name: after.description, nameBefore: before.description }),
    ...(sorted(after.kinds) !== sorted(before.kinds) && {
      kinds: sorted(after.kinds),
      kindsBefore: sorted(before.kinds),
    }),
    ...(sorted(after.searches) !== sorted(before.searches) && {
      searches: names(after.searches),
      searchesBefore: names(before.searches),
    }),
    ...(after.requestsPerSecond !== before.requestsPerSecond && {
      rate: after.requestsPerSecond,
      rateBefore: before.requestsPerSecond,
    }),
  }
}

/**
 * Changes an endpoint; false if it was removed. Kinds and searches apply to messages created from now on. A worker that
 * holds the endpoint loses it, so that nothing more goes to the former address. At a new address nothing has failed
 * yet: deliveries that wait for their next attempt are tried there now, beginning with the first attempt. Call it in a
 * transaction.
 */
export async function changeEndpoint(
  trx: Executor,
  endpointNo: number,
  change: EndpointChange,
  now: number,
): Promise<boolean> {
  const { rows } = await sql<{ address: string }>`
    select address from webhook_endpoint where endpoint_no = ${endpointNo} and state <> 'removed'
    for no key update`.execute(trx)
  if (!rows[0]) return false
  const set = [
    ...(change.address !== undefined ? [sql`address = ${change.address}`] : []),
    ...(change.description !== undefined ? [sql`description = ${change.description}`] : []),
    ...(change.kinds !== undefined ? [sql`kinds = ${JSON.stringify(change.kinds)}`] : []),
    ...(change.searches !== undefined
      ? [sql`searches = ${change.searches === null ? null : JSON.stringify(change.searches)}`]
      : []),
    ...(change.requestsPerSecond !== undefined ? [sql`requests_per_second = ${change.requestsPerSecond}`] : []),
  ]
  const isMoved = change.address !== undefined && change.address !== rows[0].address
  await sql`
    update webhook_endpoint set ${sql.join([...set, sql`fence = fence + 1`, sql`taken_until = 0`, sql`worker = ''`])}
    where endpoint_no = ${endpointNo}`.execute(trx)
  if (isMoved) await beginAnew(trx, endpointNo, now)
  return true
}

/** At a new address nothing has failed yet. */
async function beginAnew(trx: Executor, endpointNo: number, now: number): Promise<void> {
  await sql`
    update webhook_endpoint set failing_since = null, failures = 0 where endpoint_no = ${endpointNo}`.execute(trx)
  await sql`
    update delivery d set attempts = 0, due_at = ${now}, ${moved('readdress')}
    where d.endpoint_no = ${endpointNo} and ${isMovedBy('readdress')} and d.attempts > 0`.execute(trx)
}

/** Stores the rest of the address of a channel in place of the former one, as `changeEndpoint` does for an address. */
export async function replaceChannelAddress(
  trx: Executor,
  endpointNo: number,
  secret: NewSecret,
  now: number,
): Promise<void> {
  await sql`
    update webhook_endpoint set fence = fence + 1, taken_until = 0, worker = '' where endpoint_no = ${endpointNo}`.execute(
    trx,
  )
  await sql`delete from webhook_secret where endpoint_no = ${endpointNo}`.execute(trx)
  await insertSecret(trx, endpointNo, secret, now)
  await noteMended(trx, endpointNo)
  await beginAnew(trx, endpointNo, now)
}

/** Moves an endpoint to another address: a receiver on this machine has another port after each start. */
export async function moveEndpoint(db: Executor, endpointId: string, address: string): Promise<void> {
  await sql`update webhook_endpoint set address = ${address} where endpoint_id = ${endpointId}`.execute(db)
}

/** Disables an endpoint: its deliveries are held from now on. */
export function disableEndpoint(store: Pick<Store, 'db'>, endpointNo: number, why: string): Promise<boolean> {
  return inTransaction(store, (trx) => disable(trx, endpointNo, why))
}

/**
 * Call it before deliveries of the endpoint are changed: otherwise two transactions that change several of them could
 * deadlock. Returns the fence of the lease.
 */
export async function lockEndpoint(trx: Executor, endpointNo: number): Promise<number | undefined> {
  const { rows } = await sql<{ fence: number }>`
    select fence from webhook_endpoint where endpoint_no = ${endpointNo} for no key update`.execute(trx)
  return rows[0]?.fence
}

/** Like `disableEndpoint`, within a transaction. False if it was not active. */
export async function disable(trx: Executor, endpointNo: number, why: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_endpoint set state = 'disabled', disabled_why = ${why}
    where endpoint_no = ${endpointNo} and state = 'active'`.execute(trx)
  await sql`
    update delivery d set ${moved('disable')} where d.endpoint_no = ${endpointNo} and ${isMovedBy('disable')}`.execute(
    trx,
  )
  return numAffectedRows === 1n
}

/** Enables an endpoint; held deliveries stay held until they are released. */
export async function enableEndpoint(db: Executor, endpointNo: number): Promise<void> {
  await sql`
    update webhook_endpoint set state = 'active', disabled_why = null, failing_since = null, failures = 0
    where endpoint_no = ${endpointNo} and state = 'disabled'`.execute(db)
}

/** Removes an endpoint: nothing more is sent to it, and its secrets are deleted. Its deliveries end as given up. */
export function removeEndpoint(store: Pick<Store, 'db'>, endpointNo: number, now: number): Promise<void> {
  return inTransaction(store, async (trx) => {
    await sql`update webhook_endpoint set state = 'removed' where endpoint_no = ${endpointNo}`.execute(trx)
    await sql`delete from webhook_secret where endpoint_no = ${endpointNo}`.execute(trx)
    await sql`
      update delivery d set ${moved('remove', sql`${now}`)}
      where d.endpoint_no = ${endpointNo} and ${isMovedBy('remove')}`.execute(trx)
  })
}

/** A secret as it is stored; `secretId` is what it was sealed for. */
export type SealedSecret = { readonly secretId: string; readonly sealed: Uint8Array }

/** The secrets that sign at `now`, newest first. */
export async function signingSecrets(db: Executor, endpointNo: number, now: number): Promise<SealedSecret[]> {
  const { rows } = await sql<SealedSecret>`
    select secret_id as "secretId", sealed from webhook_secret
    where endpoint_no = ${endpointNo} and (ends_at is null or ends_at > ${now})
    order by ends_at nulls first, created_at desc`.execute(db)
  return rows
}

/** Creates a secret; the one before still signs for a day, older ones end now. */
export function rotateSecret(
  store: Pick<Store, 'db'>,
  endpointNo: number,
  secret: NewSecret,
  now: number,
): Promise<void> {
  return inTransaction(store, async (trx) => {
    await sql`select from webhook_endpoint where endpoint_no = ${endpointNo} for update`.execute(trx)
    await sql`delete from webhook_secret where endpoint_no = ${endpointNo} and ends_at is not null`.execute(trx)
    await sql`update webhook_secret set ends_at = ${now + rotationMs} where endpoint_no = ${endpointNo}`.execute(trx)
    await insertSecret(trx, endpointNo, secret, now)
    await noteMended(trx, endpointNo)
  })
}

/** An endpoint that lacked what it has now waits for a test. */
async function noteMended(trx: Executor, endpointNo: number): Promise<void> {
  await sql`
    update webhook_endpoint set disabled_why = 'untested'
    where endpoint_no = ${endpointNo} and state = 'disabled' and disabled_why in ('secret', 'address')`.execute(trx)
}

async function insertSecret(trx: Executor, endpointNo: number, { secretId, sealed }: NewSecret, now: number) {
  await sql`
    insert into webhook_secret (secret_id, endpoint_no, sealed, created_at)
    values (${secretId}, ${endpointNo}, ${sealed}, ${now})`.execute(trx)
}

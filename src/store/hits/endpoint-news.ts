// The mails to the Owners of an organization about an endpoint that fails or was disabled by the service.
import type { Executor } from '../database/database.ts'
import { mailOwners, type Posting } from '../people/owner-mails.ts'
import { disable, endpointLabel } from './webhook-endpoints.ts'

export type EndpointNewsKind = 'webhookFails' | 'webhookDisabled'

/** What a mail about an endpoint says; of its address only the host, as the rest may be a secret. */
export type EndpointNewsData = {
  readonly organizationId: string
  readonly organization: string
  readonly endpointId: string
  readonly name: string
  /** When it began to fail, epoch milliseconds; null if it did not. */
  readonly failingSince: number | null
  /** Why it was disabled: `gone`, `failing`, `secret`, `address` or `unknownChat`; null if it was not. */
  readonly why: string | null
}

/** Mails Owners that an endpoint has been failing, once for each series of failures. */
export function mailFailing(trx: Executor, endpointNo: number, posting: Posting): Promise<void> {
  return mailAbout(trx, endpointNo, null, posting)
}

/** Disables an endpoint, which no person asked for, and mails its Owners why. Call it in a transaction. */
export async function disableAndMail(trx: Executor, endpointNo: number, why: string, posting: Posting): Promise<void> {
  if (await disable(trx, endpointNo, why)) await mailAbout(trx, endpointNo, why, posting)
}

async function mailAbout(trx: Executor, endpointNo: number, why: string | null, posting: Posting): Promise<void> {
  const { organization_id, endpoint_id, address, description, failing_since } = await trx
    .selectFrom('webhook_endpoint')
    .select(['organization_id', 'endpoint_id', 'address', 'description', 'failing_since'])
    .where('endpoint_no', '=', endpointNo)
    .executeTakeFirstOrThrow()
  const data: Omit<EndpointNewsData, 'organizationId' | 'organization'> = {
    endpointId: endpoint_id,
    name: endpointLabel({ description, address }),
    failingSince: failing_since,
    why,
  }
  const kind: EndpointNewsKind = why === null ? 'webhookFails' : 'webhookDisabled'
  const occasion = [endpoint_id, failing_since ?? posting.now]
  await mailOwners(trx, { kind, organizationId: organization_id, occasion, data }, posting)
}

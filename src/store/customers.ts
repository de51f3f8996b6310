// Organizations as an operator sees them: contract, token hints and counts, but never their searches; and setting up
// access.
import { sql } from 'kysely'
import { type AuditEntry, addAuditEntry } from './audit.ts'
import { type ContractTerms, endContract, putContract, takeContractChanges } from './contracts.ts'
import type { Executor } from './database.ts'
import { createInvitation } from './invitations.ts'
import { changeOrganization, type Organization } from './organizations.ts'
import type { Actor } from './token-changes.ts'

/** Times in epoch milliseconds. */
export type Customer = Organization & {
  /** Null: no contract was set up. */
  readonly startsAt: number | null
  readonly endsAt: number | null
  readonly endedAt: number | null
  readonly note: string | null
  readonly setUpBy: string | null
  /** Valid ones, oldest first. */
  readonly tokens: readonly { readonly hint: string; readonly name: string; readonly lastUsedAt: number | null }[]
  readonly owners: number
  readonly people: number
  readonly searches: number
  readonly endpoints: number
  readonly invitations: number
  /** Requests that were answered in the last 24 hours. */
  readonly requests: number
}

/** All organizations by name, or one. */
export async function listCustomers(db: Executor, now: number, organizationId?: string): Promise<Customer[]> {
  const { rows } = await sql<Omit<Customer, 'tokens'> & { readonly tokens: string }>`
    select o.organization_id as "organizationId", o.name, o.has_api_access as "hasApiAccess",
      o.requests_per_minute as "requestsPerMinute", o.created_at as "createdAt", c.starts_at as "startsAt",
      c.ends_at as "endsAt", c.ended_at as "endedAt", c.note, c.set_up_by as "setUpBy",
      coalesce((select json_agg(json_build_object('hint', t.prefix || '…' || t.last_four, 'name', t.name,
          'lastUsedAt', t.last_used_at) order by t.created_at)
        from api_token t where t.organization_id = o.organization_id and t.revoked_at is null
          and (t.expires_at is null or t.expires_at > ${now})), '[]')::text as tokens,
      (select count(*) from membership m join person p using (person_id)
        where m.organization_id = o.organization_id and p.ended_at is null and m.role = 'owner')::integer as owners,
      (select count(*) from membership m join person p using (person_id)
        where m.organization_id = o.organization_id and p.ended_at is null)::integer as people,
      (select count(*) from saved_search s where s.organization_id = o.organization_id)::integer as searches,
      (select count(*) from webhook_endpoint w
        where w.organization_id = o.organization_id and w.state <> 'removed')::integer as endpoints,
      (select count(*) from invitation i where i.organization_id = o.organization_id and i.used_at is null
        and i.until_ms > ${now})::integer as invitations,
      (select coalesce(sum(u.answered), 0) from api_use u where u.organization_id = o.organization_id and u.token_id = ''
        and u.hour_ms > ${now - 24 * 3_600_000})::integer as requests
    from organization o left join contract c using (organization_id)
    where ${organizationId ?? null}::text is null or o.organization_id = ${organizationId ?? null}
    order by o.name`.execute(db)
  return rows.map(({ tokens, ...row }) => ({ ...row, tokens: JSON.parse(tokens) as Customer['tokens'] }))
}

export type InvitedOwner = { readonly mail: string; readonly invitationId: string }

export type AccessSetup = {
  readonly terms: ContractTerms
  readonly requestsPerMinute: number
  /** The first Owner to invite. */
  readonly owner: InvitedOwner | undefined
}

/**
 * Sets up access after the contract, or changes its terms, with everything that belongs to it. Call it in a
 * transaction.
 */
export async function setUpAccess(trx: Executor, by: Actor, setup: AccessSetup, now: number): Promise<void> {
  const { terms, requestsPerMinute, owner } = setup
  const { organizationId, startsAt, endsAt, note } = terms
  await changeOrganization({ db: trx }, organizationId, { requestsPerMinute })
  await putContract(trx, terms, now)
  const detail = { startsAt, endsAt: endsAt ?? null, requestsPerMinute, note }
  await recordCustomer(trx, by, { action: 'contract.set-up', organizationId, subject: organizationId, detail }, now)
  if (owner) await inviteOwner(trx, by, { organizationId, ...owner }, now)
}

/** Invites an Owner; false when too many are invited. The caller sends the mail. Call it in a transaction. */
export async function inviteOwner(
  trx: Executor,
  by: Actor,
  { organizationId, mail, invitationId }: InvitedOwner & { readonly organizationId: string },
  now: number,
): Promise<boolean> {
  const invitation = { invitationId, organizationId, mail, role: 'owner', invitedBy: by.actor } as const
  if ((await createInvitation(trx, invitation, now)) === 'tooMany') return false
  const detail = { role: 'owner' }
  await recordCustomer(trx, by, { action: 'member.invite', organizationId, subject: mail, detail }, now)
  return true
}

/** Ends a contract now. False when none is in force. Call it in a transaction. */
export async function endContractBy(trx: Executor, by: Actor, organizationId: string, now: number): Promise<boolean> {
  const hasEnded = await endContract(trx, organizationId, now)
  const entry = { action: 'contract.end', organizationId, subject: organizationId, detail: {} } as const
  if (hasEnded) await recordCustomer(trx, by, entry, now)
  return hasEnded
}

/** The actor when contracts begin and end by their dates. */
const service: Actor = { actor: 'service', addressPrefix: '' }

/** Begins and ends contracts whose time has come, each once, however many processes check. Call it in a transaction. */
export async function turnContracts(trx: Executor, now: number): Promise<void> {
  const { begun, ended } = await takeContractChanges(trx, now)
  for (const [action, ids] of [['contract.begin', begun] as const, ['contract.end', ended] as const])
    for (const organizationId of ids)
      await recordCustomer(trx, service, { action, organizationId, subject: organizationId, detail: {} }, now)
}

/** Adds an entry to the audit log of an organization. */
export async function recordCustomer(
  trx: Executor,
  by: Actor,
  entry: Pick<AuditEntry, 'action' | 'organizationId' | 'subject' | 'detail'>,
  now: number,
): Promise<void> {
  await addAuditEntry(trx, { at: now, ...by, ...entry })
}

// Organizations as an operator sees them: contract, token hints and counts, but never their searches.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import type { Organization } from './organizations.ts'

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
      o.requests_per_minute as "requestsPerMinute", coalesce(o.has_bulk_files, false) as "hasBulkFiles",
      o.created_at as "createdAt", c.starts_at as "startsAt",
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

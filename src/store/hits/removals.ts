// Deletes searches and profiles, with everything that was derived from them.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import { keepCounts } from './deliveries.ts'
import { lockEndpointsOf } from './hits.ts'
import type { StoredProfile, StoredSearch } from './searches.ts'

/** What was deleted with a search: its hits, and the messages that waited to be sent about them. */
export type RemovedWith = { readonly hits: number; readonly messages: number }

/**
 * Deletes a locked search with its versions, its hits, and every message about them. An attempt in progress ends: its
 * worker loses the endpoint. Endpoints that named the search no longer do, and its digests have nothing to send.
 */
export async function deleteSearch(
  trx: Executor,
  { searchNo, searchId, organizationId }: Pick<StoredSearch, 'searchNo' | 'searchId' | 'organizationId'>,
  now: number,
): Promise<RemovedWith> {
  await lockEndpointsOf(trx, searchNo)
  // Whoever writes a message about one of these hits has the lock of the hit: it ends first, and what follows sees it.
  await sql`select from hit where search_no = ${searchNo}::integer order by tender_id for update`.execute(trx)
  const { rows } = await sql<RemovedWith>`
    with gone as (delete from hit where search_no = ${searchNo}::integer returning hit_id),
    messages as (
      delete from delivery d using gone where d.hit_id = gone.hit_id returning d.endpoint_no, d.hit_id, d.state, d.ended_at
    ),
    counted as (${keepCounts('messages')}),
    fenced as (
      update webhook_endpoint set fence = fence + 1, worker = '', taken_until = 0
      where endpoint_no in (select endpoint_no from messages where state = 'due')
    )
    select (select count(*) from gone)::integer as hits,
      (select count(*) from messages where state in ('due', 'held'))::integer as messages`.execute(trx)
  await sql`
    update webhook_endpoint set searches = (searches::jsonb - ${searchId}::text)::text
    where organization_id = ${organizationId} and searches::jsonb @> to_jsonb(${searchId}::text)`.execute(trx)
  await sql`
    update digest set search_no = null, organization_id = ${organizationId} where search_no = ${searchNo}::integer`.execute(
    trx,
  )
  await sql`delete from search_edition where search_no = ${searchNo}::integer`.execute(trx)
  await sql`
    with versions as (delete from saved_search_version where search_no = ${searchNo}::integer returning version)
    insert into removal (removed_id, organization_id, removed_at, versions)
    select ${searchId}, ${organizationId}, ${now}, count(*) from versions`.execute(trx)
  await sql`delete from saved_search where search_no = ${searchNo}::integer`.execute(trx)
  return rows[0]!
}

/** The names of the searches that use a profile now. */
export async function searchesWithProfile(trx: Executor, profileId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from saved_search s where ${profileId} = (
      select profile_id from saved_search_version v where v.search_no = s.search_no order by version desc limit 1)
    order by name`.execute(trx)
  return rows.map(({ name }) => name)
}

/** Deletes a locked profile that no search uses now. Former versions of searches that used it name none. */
export async function deleteProfile(
  trx: Executor,
  { profileId, organizationId }: Pick<StoredProfile, 'profileId' | 'organizationId'>,
  now: number,
): Promise<void> {
  await sql`update saved_search_version set profile_id = null where profile_id = ${profileId}`.execute(trx)
  await sql`
    with versions as (delete from company_profile_version where profile_id = ${profileId} returning version)
    insert into removal (removed_id, organization_id, removed_at, versions)
    select ${profileId}, ${organizationId}, ${now}, count(*) from versions`.execute(trx)
  await sql`delete from company_profile where profile_id = ${profileId}`.execute(trx)
}

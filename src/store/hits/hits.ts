// Hits and the messages about them: what the matching writes, and what people list and release.
import { sql } from 'kysely'
import { type DeadlineKind, firstDeadline } from '#flat/record/first-deadline'
import type { HitReason } from '../../domain/hit-event.ts'
import type { TenderRecord } from '../../domain/tender.ts'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import { loadRedactor } from '../received/redactions.ts'
import { isClosed, isReplaced } from './closed-hits.ts'
import { isMovedBy, moved } from './delivery-states.ts'
import { lockMark } from './hit-mark.ts'

/** The data of a tender from which a change is derived, as in one of its entries. */
export type WatchedState = {
  /** Why the hit is closed, in `hit.archive_reason`. */
  readonly closedAs: string | null
  readonly status: string | null
  readonly mergedInto: string | null
  readonly deadlineMs: number | null
  readonly deadlineKind: DeadlineKind | null
  /** Amount and currency. */
  readonly value: string | null
}

export type NewHit = WatchedState & {
  readonly searchNo: number
  readonly tenderId: string
  readonly hitId: string
  readonly edition: number
  /** Of the entry from which it was made. */
  readonly lastModified: number
  readonly searchVersion: number
  readonly fitScore: number
  /** JSON, all three. */
  readonly fit: string
  readonly matched: string
  readonly reasons: string
}

/** A hit whose tender changed. */
export type KnownHit = WatchedState & {
  readonly searchNo: number
  readonly searchId: string
  readonly organizationId: string
  readonly tenderId: string
  readonly hitId: string
  /** The tender whose entry it takes in: its own, or the one into which that was merged. */
  readonly entryOf: string
  /** Its tender is merged by that entry, into one that has a hit of its own. */
  readonly isReplaced: boolean
  /** JSON: the statuses for which the version of the search that made it asks; null: it does not ask. */
  readonly askedStatus: string | null
}

type Entry = { readonly lastModified: number; readonly tenderId: string; readonly body: string }
/** Entries with `after` < lastModified <= `upTo`. */
type Span = { readonly after: number; readonly upTo: number }

/** The next `limit` entries of a span whose tenders have hits, or stand for tenders that have. */
export async function entriesWithHits(db: Executor, { after, upTo }: Span, limit: number): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select last_modified as "lastModified", tender_id as "tenderId", body from edition_entry e
    where last_modified > ${after} and last_modified <= ${upTo} 
      and (exists (select from hit where tender_id = e.tender_id) or exists (select from hit where merged_into = e.tender_id))
    order by last_modified limit ${limit}::integer`.execute(db)
  return rows
}

/** The entries of these tenders in a span, as JSON by tender. */
export async function entriesOf(
  db: Executor,
  { after, upTo }: Span,
  tenderIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (tenderIds.length === 0) return new Map()
  const { rows } = await sql<{ tenderId: string; body: string }>`
    select tender_id as "tenderId", body from edition_entry
    where last_modified > ${after} and last_modified <= ${upTo}
      and tender_id = any (${arrayText(tenderIds)}::text[])`.execute(db)
  return new Map(rows.map(({ tenderId, body }) => [tenderId, body]))
}

/**
 * The hits of these tenders, and of those that were merged into them, that have not yet taken in these entries or later
 * ones. A hit whose survivor has one of its own is none of that survivor's.
 */
export async function hitsOf(
  db: Executor,
  entries: readonly { readonly tenderId: string; readonly lastModified: number; readonly mergedInto: string | null }[],
): Promise<KnownHit[]> {
  const { rows } = await sql<KnownHit>`
    select h.search_no as "searchNo", s.search_id as "searchId", s.organization_id as "organizationId",
      h.tender_id as "tenderId", h.hit_id as "hitId", h.archive_reason as "closedAs", h.merged_into as "mergedInto",
      e.tender_id as "entryOf", exists (
        select from hit o where o.search_no = h.search_no and o.tender_id = e.merged_into) as "isReplaced",
      h.deadline_ms as "deadlineMs", h.deadline_kind as "deadlineKind", h.value,
      v.filter::json ->> 'status' as "askedStatus",
      coalesce(h.tender_status, (
        select b.body::json ->> 'status' from edition_entry b
        where b.last_modified = greatest(h.last_modified, h.state_modified))) as status
    from unnest(${arrayText(entries.map(({ tenderId }) => tenderId))}::text[],
      ${arrayText(entries.map(({ lastModified }) => lastModified))}::bigint[],
      ${entries.map(({ mergedInto }) => mergedInto)}::text[]) as e (tender_id, last_modified, merged_into)
    cross join lateral (
      select * from hit h where h.tender_id = e.tender_id
      union all
      select * from hit h where h.merged_into = e.tender_id and not (${isReplaced})
    ) h
    join saved_search s using (search_no)
    join saved_search_version v on v.search_no = h.search_no and v.version = h.search_version
    where h.state_modified < e.last_modified`.execute(db)
  return rows
}

/** Those of these tenders of which a notice was received after the edition before this one. */
export async function tendersWithNews(
  db: Executor,
  tenderIds: readonly string[],
  edition: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ tenderId: string }>`
    select distinct t.tender_id as "tenderId"
    from tender_notice t join notice n using (notice_id) join source_document d using (document_id)
    where t.tender_id = any (${arrayText(tenderIds)}::text[]) and d.received_at > (
      select coalesce(max(published_at), 0) from edition where edition < ${edition}::integer)`.execute(db)
  return new Set(rows.map(({ tenderId }) => tenderId))
}

/** Updates these hits to the new state of their tenders. Returns the ids of those that still exist. */
export async function updateHits(
  trx: Executor,
  hits: readonly (WatchedState & { readonly hitId: string; readonly lastModified: number })[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ hitId: string }>`
    update hit h set archive_reason = n."closedAs", tender_status = n.status, merged_into = n."mergedInto", deadline_ms = n."deadlineMs",
      deadline_kind = n."deadlineKind", value = n.value, state_modified = n."lastModified"
    from json_to_recordset(${JSON.stringify(hits)}::json) as n ("hitId" text, "closedAs" text, status text, "mergedInto" text,
      "deadlineMs" bigint, "deadlineKind" text, value text, "lastModified" bigint)
    where h.hit_id = n."hitId" returning h.hit_id as "hitId"`.execute(trx)
  return new Set(rows.map(({ hitId }) => hitId))
}

/**
 * Gives the deadline of today's rule to at most `limit` hits that have no kind of deadline yet, from the entry
 * that they have taken in. A hit whose tender has a newer entry is left: the matching takes that one in.
 */
export async function renewDeadlines(trx: Executor, limit: number): Promise<number> {
  // one after the other with the process that matches editions, which changes the same hits
  await lockMark(trx)
  const { rows } = await sql<{ hitId: string; body: string }>`
    select h.hit_id as "hitId", e.body
    from hit h join published_tender p using (tender_id) join edition_entry e on e.last_modified = p.last_modified
    where h.deadline_ms is not null and h.deadline_kind is null
      and p.last_modified <= greatest(h.state_modified, (select last_modified from hit_mark))
    limit ${limit}::integer`.execute(trx)
  const deadlines = rows.map(({ hitId, body }) => {
    const deadline = firstDeadline(JSON.parse(body) as TenderRecord)
    return { hitId, ms: deadline === undefined ? null : Date.parse(deadline.at), kind: deadline?.kind ?? null }
  })
  await sql`
    update hit h set deadline_ms = n.ms, deadline_kind = n.kind
    from json_to_recordset(${JSON.stringify(deadlines)}::json) as n ("hitId" text, ms bigint, kind text)
    where h.hit_id = n."hitId"`.execute(trx)
  return rows.length
}

/**
 * Adds the missing hits of searches that still exist, in a transaction that keeps the mark from moving, so that no
 * digest can have passed the edition assigned to them. A tender into which another was merged has none while a hit
 * of that one represents it. Existing ones record that they matched again. Returns the IDs of the added ones.
 */
export async function insertHits(trx: Executor, hits: readonly NewHit[], madeAt: number): Promise<ReadonlySet<string>> {
  const { rows: added } = await sql<{ hitId: string }>`
    with n as materialized (
      select * from json_to_recordset(${JSON.stringify(hits)}::json) as n ("searchNo" integer, "tenderId" text, "hitId" text,
        edition integer, "lastModified" bigint, "searchVersion" integer, "fitScore" smallint, fit text, matched text, reasons text,
        "closedAs" text, status text, "mergedInto" text, "deadlineMs" bigint, "deadlineKind" text, value text)
    ), live as materialized (
      select search_no from saved_search where search_no in (select "searchNo" from n) for key share
    ), again as (
      update hit h set score_now = n."fitScore", last_edition = n.edition
      from n where h.search_no = n."searchNo" and h.tender_id = n."tenderId" and h.last_edition < n.edition
    )
    insert into hit (search_no, tender_id, hit_id, edition, last_modified, search_version, fit_score, fit, matched, reasons, made_at,
      score_now, last_edition, archive_reason, tender_status, merged_into, deadline_ms, deadline_kind, value, state_modified, digest_edition)
    select "searchNo", "tenderId", "hitId", edition, "lastModified", "searchVersion", "fitScore", fit, matched, reasons, ${madeAt},
      "fitScore", edition, "closedAs", status, "mergedInto", "deadlineMs", "deadlineKind", value, "lastModified",
      (select edition + 1 from hit_mark)
    from n join live on live.search_no = n."searchNo"
    where not exists (select from hit s where s.merged_into = n."tenderId" and s.search_no = n."searchNo")
    on conflict (search_no, tender_id) do nothing
    returning hit_id as "hitId"`.execute(trx)
  return new Set(added.map(({ hitId }) => hitId))
}

/** Counts hits that an edition made, for the cap. */
export async function countEditionHits(
  trx: Executor,
  edition: number,
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  if (counts.size === 0) return
  await sql`
    insert into search_edition (edition, search_no, hits)
    select ${edition}::integer, search_no, hits
    from unnest(${arrayText([...counts.keys()])}::integer[], ${arrayText([...counts.values()])}::integer[]) as c (search_no, hits)
    on conflict (edition, search_no) do update set hits = search_edition.hits + excluded.hits`.execute(trx)
}

/** An endpoint as the matching sees it. */
export type Subscription = {
  readonly endpointNo: number
  readonly endpointId: string
  readonly organizationId: string
  readonly kinds: readonly string[]
  /** Null: all searches of the organization. */
  readonly searches: readonly string[] | null
  readonly isActive: boolean
}

/** The endpoints of these organizations that existed before `edition` was published. */
export async function subscriptionsOf(
  db: Executor,
  organizationIds: Iterable<string>,
  edition: number,
): Promise<Subscription[]> {
  const { rows } = await sql<{
    endpointNo: number
    endpointId: string
    organizationId: string
    kinds: string
    searches: string | null
    isActive: boolean
  }>`
    select endpoint_no as "endpointNo", endpoint_id as "endpointId", organization_id as "organizationId", kinds, searches,
      state = 'active' as "isActive"
    from webhook_endpoint
    where organization_id = any (${arrayText([...organizationIds])}::text[]) and state <> 'removed'
      and from_edition <= ${edition}::integer`.execute(db)
  return rows.map(({ kinds, searches, ...row }) => ({
    ...row,
    kinds: JSON.parse(kinds) as string[],
    searches: searches === null ? null : (JSON.parse(searches) as string[]),
  }))
}

/** A number above every edition. */
const anyEdition = 2 ** 31 - 1

/** All endpoints that an organization has now. */
export function subscriptionsNow(db: Executor, organizationId: string): Promise<Subscription[]> {
  return subscriptionsOf(db, [organizationId], anyEdition)
}

export type NewDelivery = {
  readonly messageId: string
  readonly endpointNo: number
  readonly kind: 'search.hit' | 'search.hit.changed'
  readonly hitId: string
  readonly edition: number
  readonly lastModified: number
  readonly changes: readonly string[] | null
  readonly reason: HitReason | null
  /** Held when the endpoint is disabled. */
  readonly isDue: boolean
}

/** Queues messages, in the transaction of what they report. An existing one stays unchanged. */
export async function insertDeliveries(trx: Executor, deliveries: readonly NewDelivery[], now: number): Promise<void> {
  if (deliveries.length === 0) return
  const rows = deliveries.map(({ changes, reason, ...row }) => ({
    ...row,
    changes: changes && JSON.stringify(changes),
    reason: reason && JSON.stringify(reason),
  }))
  await sql`
    insert into delivery (message_id, endpoint_no, kind, hit_id, edition, last_modified, changes, reason, state, held_why, due_at, created_at)
    select "messageId", "endpointNo", kind, "hitId", edition, "lastModified", changes, reason,
      case when "isDue" then 'due' else 'held' end, case when not "isDue" then 'endpoint' end, ${now}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as n ("messageId" text, "endpointNo" integer, kind text, "hitId" text,
      edition integer, "lastModified" bigint, changes text, reason text, "isDue" boolean)
    on conflict (message_id) do nothing`.execute(trx)
}

/** Searches for which `edition` made more hits than the cap allows, and whose deliveries are not held yet. */
export async function floodedSearches(db: Executor, edition: number, maxHits: number): Promise<number[]> {
  const { rows } = await sql<{ searchNo: number }>`
    select search_no as "searchNo" from search_edition
    where edition = ${edition}::integer and hits > ${maxHits}::integer and state = 'open' order by search_no`.execute(
    db,
  )
  return rows.map(({ searchNo }) => searchNo)
}

/**
 * Call it before deliveries to several endpoints are changed: others that change deliveries of one of them wait,
 * without a deadlock.
 */
export async function lockEndpointsOf(trx: Executor, searchNo: number): Promise<void> {
  await sql`
    select from webhook_endpoint e join saved_search s using (organization_id)
    where s.search_no = ${searchNo}::integer order by e.endpoint_no for no key update of e`.execute(trx)
}

/**
 * Holds the deliveries of the next `limit` hits that `edition` made for a search, after `afterId`. Returns the last
 * ID; null after the last.
 */
export async function holdDeliveries(
  trx: Executor,
  { edition, searchNo, afterId }: { edition: number; searchNo: number; afterId: string },
  limit: number,
): Promise<string | null> {
  await lockEndpointsOf(trx, searchNo)
  const { rows } = await sql<{ lastId: string | null }>`
    with page as materialized (
      select tender_id, hit_id from hit
      where search_no = ${searchNo}::integer and tender_id > ${afterId} and edition = ${edition}::integer
      order by tender_id limit ${limit}::integer
    ), held as (
      update delivery d set ${moved('flood')}
      from page where d.hit_id = page.hit_id and d.kind = 'search.hit' and ${isMovedBy('flood')}
    )
    select max(tender_id) as "lastId" from page`.execute(trx)
  return rows[0]!.lastId
}

/** Call it after its deliveries: they wait until someone releases them. */
export async function markHeld(trx: Executor, edition: number, searchNo: number): Promise<void> {
  await sql`
    update search_edition set state = 'held' where edition = ${edition}::integer and search_no = ${searchNo}::integer`.execute(
    trx,
  )
}

/** An edition that made too many hits for a search: its deliveries are held. */
export type HeldEdition = { readonly edition: number; readonly hits: number }

export async function heldEditions(db: Executor, searchNo: number): Promise<HeldEdition[]> {
  const { rows } = await sql<HeldEdition>`
    select edition, hits from search_edition where search_no = ${searchNo}::integer and state = 'held' order by edition`.execute(
    db,
  )
  return rows
}

/**
 * Releases the next `limit` held deliveries of an edition; those of a disabled endpoint remain held for that reason.
 * Returns how many it took, and how many of these are due; after the last ones the edition is no longer held.
 */
export async function releaseDeliveries(
  trx: Executor,
  { edition, searchNo, now }: { edition: number; searchNo: number; now: number },
  limit: number,
): Promise<{ readonly taken: number; readonly due: number }> {
  await lockEndpointsOf(trx, searchNo)
  const { rows } = await sql<{ taken: number; due: number }>`
    with page as materialized (
      select d.message_id, e.state = 'active' as is_active
      from hit h join delivery d on d.hit_id = h.hit_id join webhook_endpoint e using (endpoint_no)
      where h.search_no = ${searchNo}::integer and h.edition = ${edition}::integer and ${isMovedBy('releaseCap')}
      limit ${limit}::integer
    ), released as (
      update delivery d set ${moved('releaseCap')}, due_at = ${now}
      from page where d.message_id = page.message_id and page.is_active
    ), disabled as (
      update delivery d set ${moved('releaseCapDisabled')}, due_at = ${now}
      from page where d.message_id = page.message_id and not page.is_active
    )
    select count(*)::integer as taken, (count(*) filter (where is_active))::integer as due from page`.execute(trx)
  const page = rows[0]!
  if (page.taken < limit)
    await sql`
      update search_edition set state = 'released'
      where edition = ${edition}::integer and search_no = ${searchNo}::integer`.execute(trx)
  return page
}

/** A hit as people see it. */
export type ListedHit = {
  readonly hitId: string
  readonly search: string
  readonly tenderId: string
  readonly title: string
  readonly fitScore: number
  readonly edition: number
  readonly madeAt: number
  /** `closed` when its tender is archived or no longer what the search asks for, otherwise what people did with it. */
  readonly state: string
  /** The record of which its tender is now part; null: its own record. */
  readonly mergedInto: string | null
}

/** The newest hits of an organization or of one search, or of all, at most `limit`. */
export async function listHits(
  db: Executor,
  {
    organizationId,
    searchNo,
  }: { readonly organizationId?: string | undefined; readonly searchNo?: number | undefined },
  limit: number,
): Promise<ListedHit[]> {
  const { rows } = await sql<Omit<ListedHit, 'title'> & { body: string | null }>`
    with h as materialized (
      select h.*, s.name from hit h join saved_search s using (search_no)
      where (${organizationId ?? null}::text is null or s.organization_id = ${organizationId ?? null})
        and (${searchNo ?? null}::integer is null or s.search_no = ${searchNo ?? null}::integer)
      order by h.edition desc, h.fit_score desc, h.hit_id limit ${limit}::integer
    )
    select h.hit_id as "hitId", h.name as search, h.tender_id as "tenderId", h.fit_score as "fitScore", h.edition,
      h.made_at as "madeAt", h.merged_into as "mergedInto", e.body,
      case when ${isClosed} then 'closed' else h.state end as state
    from h
    left join published_tender p on p.tender_id = h.tender_id
    left join edition_entry e on e.last_modified = p.last_modified
    order by h.edition desc, h.fit_score desc, h.hit_id`.execute(db)
  const redactor = await loadRedactor(db)
  return rows.map(({ body, ...row }) => ({
    ...row,
    title: body === null ? '' : redactor.text((JSON.parse(body) as { title: string }).title),
  }))
}

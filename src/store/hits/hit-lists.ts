// Hits as people browse them: pages by score or deadline, how many there are of each state, and what people did with
// them.
import { type RawBuilder, sql } from 'kysely'
import type { DeadlineKind } from '#flat/record/first-deadline'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import { isClosed, isReplaced, representedId } from './closed-hits.ts'

export const hitStates = ['new', 'seen', 'kept', 'dismissed'] as const
/** What people did with a hit. */
export type HitState = (typeof hitStates)[number]
/** `closed`: its tender is archived or no longer what the search asks for, whatever its state. */
export type HitTab = HitState | 'closed'

export type HitOrder = 'score' | 'deadline'

/** Position of a hit in the order of a list: its score or deadline, then its ID. */
export type HitKey = { readonly value: number; readonly hitId: string }

export type HitListing = {
  readonly searchNos: readonly number[]
  readonly tab: HitTab
  /** Closed ones are always ordered by score. */
  readonly order: HitOrder
  /** Only deadlines in this range, epoch milliseconds. */
  readonly deadline?: { readonly from: number; readonly to: number }
  readonly after?: HitKey
  /** The hits directly before this one, in the order of the list. */
  readonly before?: HitKey
  readonly limit: number
}

type HitDelivery = {
  readonly messageId: string
  readonly endpointId: string
  readonly endpoint: string
  readonly state: string
  readonly heldWhy: string | null
}

/** A hit on a page. */
export type PageHit = {
  readonly hitId: string
  readonly searchNo: number
  readonly searchVersion: number
  /** The record that it represents now: the one into which its tender was merged, if that one has no hit of its own. */
  readonly tenderId: string
  readonly edition: number
  readonly madeAt: number
  readonly fitScore: number
  /** JSON, all three; `reasons` is null if an older version wrote the hit. */
  readonly fit: string
  readonly matched: string
  readonly reasons: string | null
  readonly state: HitState
  readonly isClosed: boolean
  readonly deadline: number | null
  readonly deadlineKind: DeadlineKind | null
  readonly deliveries: readonly HitDelivery[]
}

const noDeadline = Number.MAX_SAFE_INTEGER
const deadlineOf = sql`coalesce(h.deadline_ms, ${sql.lit(noDeadline)})`
/** `isClosed` of a merged hit. The hit is looked up again, because the indexes of the tabs lack its reason. */
const isMergedAndClosed = sql`(select m.archive_reason <> 'merged' or ${isReplaced} from hit m where m.hit_id = h.hit_id)`

/**
 * Written as in the indexes, which contain everything that is queried: `archive_reason` is null in them unless the
 * tender was merged.
 */
const isOnTab = (tab: HitTab): RawBuilder<unknown> =>
  tab === 'closed'
    ? sql`h.archive_reason is not null and (h.merged_into is null or ${isMergedAndClosed})`
    : sql`h.state = ${sql.lit(tab)} and (h.archive_reason is null or h.merged_into is not null)
        and (h.merged_into is null or not ${isMergedAndClosed})`

/** At most `limit` hits, in the order of the list. */
export async function listHitPage(db: Executor, listing: HitListing): Promise<PageHit[]> {
  const { searchNos, tab, deadline, after, before, limit } = listing
  const byScore = listing.order === 'score' || tab === 'closed'
  const isBack = before !== undefined
  const key = before ?? after
  const value = byScore ? sql`h.fit_score` : deadlineOf
  // scores fall and deadlines rise along the list
  const isFalling = byScore !== isBack
  const direction = isFalling ? sql`desc` : sql`asc`
  const idDirection = isBack ? sql`desc` : sql`asc`
  const conditions = [
    isOnTab(tab),
    ...(deadline ? [sql`${deadlineOf} between ${deadline.from} and ${deadline.to}`] : []),
    ...(key ? [beyond(value, key, isFalling, isBack)] : []),
  ]
  const { rows } = await sql<Omit<PageHit, 'deliveries'> & { deliveries: string | null }>`
    with page as materialized (
      select h.* from unnest(${arrayText(searchNos)}::integer[]) as s (search_no)
      cross join lateral (
        select h.hit_id, ${value} as place from hit h
        where h.search_no = s.search_no and ${sql.join(conditions, sql` and `)}
        order by ${value} ${direction}, h.hit_id ${idDirection} limit ${limit}::integer
      ) h
      order by h.place ${direction}, h.hit_id ${idDirection} limit ${limit}::integer
    ), shown as (
      select h.*, page.place, ${isClosed} as is_closed, ${representedId} as shown_id from page join hit h using (hit_id)
    )
    select h.hit_id as "hitId", h.search_no as "searchNo", h.search_version as "searchVersion", h.shown_id as "tenderId",
      h.edition, h.made_at as "madeAt", h.fit_score as "fitScore", h.fit, h.matched, h.reasons, h.state, h.is_closed as "isClosed",
      h.deadline_ms as "deadline", h.deadline_kind as "deadlineKind",
      (select json_agg(json_build_object('messageId', d.message_id, 'endpointId', w.endpoint_id, 'state', d.state,
          'heldWhy', d.held_why, 'endpoint', case when w.description = '' then w.address else w.description end)
          order by w.endpoint_no)::text
        from delivery d join webhook_endpoint w using (endpoint_no)
        where d.hit_id = h.hit_id and d.kind = 'search.hit' and w.state <> 'removed') as deliveries
    from shown h
    order by h.place ${direction}, h.hit_id ${idDirection}`.execute(db)
  const hits = rows.map(({ deliveries, ...row }) => ({
    ...row,
    deliveries: deliveries === null ? [] : (JSON.parse(deliveries) as HitDelivery[]),
  }))
  return isBack ? hits.reverse() : hits
}

/** Rows after a position in the direction of reading. An index can use the bound that includes the position itself. */
function beyond(value: RawBuilder<unknown>, { value: at, hitId }: HitKey, isFalling: boolean, isBack: boolean) {
  const idBeyond = isBack ? sql`h.hit_id < ${hitId}` : sql`h.hit_id > ${hitId}`
  return isFalling
    ? sql`${value} <= ${at} and (${value} < ${at} or ${idBeyond})`
    : sql`${value} >= ${at} and (${value} > ${at} or ${idBeyond})`
}

/** The key of a hit in an order. */
export const hitKeyOf = (
  { hitId, fitScore, deadline }: Pick<PageHit, 'hitId' | 'fitScore' | 'deadline'>,
  order: HitOrder,
): HitKey => ({
  hitId,
  value: order === 'score' ? fitScore : (deadline ?? noDeadline),
})

export type TabCounts = { readonly [tab in HitTab]: number }

/** How many hits of these searches each tab has, at most `most` of each. */
export async function countHitTabs(db: Executor, searchNos: readonly number[], most: number): Promise<TabCounts> {
  const tabs = [...hitStates, 'closed'] as const
  const counts = tabs.map(
    (tab) => sql`(select count(*)::integer from (
      select 1 from unnest(${arrayText(searchNos)}::integer[]) as s (search_no)
      cross join lateral (select 1 from hit h where h.search_no = s.search_no and ${isOnTab(tab)}
        order by h.fit_score desc, h.hit_id limit ${most}::integer) h
      limit ${most}::integer) counted) as ${sql.ref(tab)}`,
  )
  const { rows } = await sql<TabCounts>`select ${sql.join(counts)}`.execute(db)
  return rows[0]!
}

/** A hit whose state changed. */
export type MarkedHit = {
  readonly hitId: string
  /** What it was before. */
  readonly before: HitState
  /** Name of its search. */
  readonly search: string
}

/** Records what people did with these hits; hits of other organizations do not change. Returns those that changed. */
export async function markHits(
  trx: Executor,
  organizationId: string,
  hitIds: readonly string[],
  state: HitState,
): Promise<MarkedHit[]> {
  const { rows } = await sql<MarkedHit>`
    with old as (
      select h.hit_id, h.state, s.name from hit h join saved_search s using (search_no)
      where h.hit_id = any (${arrayText(hitIds)}::text[]) and s.organization_id = ${organizationId} and h.state <> ${state}
      order by h.hit_id for update of h
    )
    update hit h set state = ${state} from old where h.hit_id = old.hit_id
    returning h.hit_id as "hitId", old.state as before, old.name as search`.execute(trx)
  return rows
}

/** A hit on the page of its tender. */
export type TenderHit = Omit<PageHit, 'edition' | 'madeAt' | 'isClosed' | 'deliveries'> & {
  readonly organizationId: string
  readonly searchId: string
  readonly search: string
}

/** Maximum hits of one tender that its page shows. */
const maxOfTender = 20

/** Hits of these organizations that a tender has, or one hit; the best first. */
export async function findHits(
  db: Executor,
  organizationIds: readonly string[],
  which: { readonly tenderId: string } | { readonly hitId: string },
): Promise<TenderHit[]> {
  if (organizationIds.length === 0) return []
  const isWanted =
    'hitId' in which
      ? sql`h.hit_id = ${which.hitId}`
      : sql`(h.tender_id = ${which.tenderId} or h.merged_into = ${which.tenderId} and not (${isReplaced}))`
  const { rows } = await sql<TenderHit>`
    select h.hit_id as "hitId", h.search_no as "searchNo", h.search_version as "searchVersion",
      coalesce(h.merged_into, h.tender_id) as "tenderId", h.fit_score as "fitScore", h.fit, h.matched, h.reasons, h.state,
      h.deadline_ms as "deadline", h.deadline_kind as "deadlineKind", s.organization_id as "organizationId",
      s.search_id as "searchId", s.name as search
    from hit h join saved_search s using (search_no)
    where ${isWanted} and s.organization_id = any (${arrayText(organizationIds)}::text[])
    order by h.fit_score desc, h.hit_id limit ${sql.lit(maxOfTender)}`.execute(db)
  return rows
}

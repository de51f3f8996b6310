// What the first screen of an organization shows: figures, what needs somebody, the best hits of today, and its
// searches.
import { type RawBuilder, sql } from 'kysely'
import type { DeadlineKind } from '#flat/record/first-deadline'
import { dayMs, hourMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'

/** Times in epoch milliseconds. */
export type OverviewFigures = {
  readonly searches: number
  /**
   * Hits of editions published since midnight, UTC: all, strong ones (from 80), good ones (from 60). A score by the
   * search alone is neither.
   */
  readonly hitsToday: number
  readonly strongToday: number
  readonly goodToday: number
  /** Kept hits of open tenders, and those that close within a week. */
  readonly keptHits: number
  readonly keptClosing: number
  /** Requests that the API answered in 24 hours, those refused because of the limit, and the busiest minute. */
  readonly requests: number
  readonly refused: number
  readonly peakMinute: number
  /** Webhooks delivered in 24 hours, and those that are waiting. */
  readonly delivered: number
  readonly waiting: number
  readonly endpoints: readonly OverviewEndpoint[]
  /** Valid tokens that end within 30 days. */
  readonly endingTokens: readonly {
    readonly name: string
    readonly expiresAt: number
    readonly lastUsedAt: number | null
  }[]
  readonly validTokens: number
  readonly contractEndsAt: number | null
  readonly contractEndedAt: number | null
}

/** An endpoint that fails or is disabled. */
type OverviewEndpoint = {
  readonly name: string
  readonly state: string
  readonly failingSince: number | null
  readonly waiting: number
}

/**
 * The hits of a search of editions since a moment, by the index on editions. `offset 0`: a planner that joins all
 * searches at once takes the new hits for a third of all, and reads the whole table.
 */
const hitsSince = (searchNo: RawBuilder<unknown>, at: number) => sql`
  select * from hit where search_no = ${searchNo}
    and digest_edition >= (select min(edition) from edition where published_at >= ${at}) offset 0`

/** Whether the score of a hit comes from the search alone. */
const isBySearch = sql`position('"profile":null' in fit) > 0`

/** The figures of one organization, in one statement. */
export async function readOverview(db: Executor, organizationId: string, now: number): Promise<OverviewFigures> {
  const today = now - (now % dayMs)
  const soon = now + 30 * dayMs
  const hour = now - (now % hourMs) - 23 * hourMs
  const { rows } = await sql<{ overview: string }>`
    with s as materialized (select search_no from saved_search where organization_id = ${organizationId}),
    e as materialized (select * from webhook_endpoint where organization_id = ${organizationId} and state <> 'removed'),
    t as materialized (select * from api_token where organization_id = ${organizationId} and revoked_at is null
      and (expires_at is null or expires_at > ${now})),
    d as (select e.endpoint_no,
        ((select count(*) from delivery d where d.endpoint_no = e.endpoint_no and d.state = 'due')
          + (select count(*) from delivery d where d.endpoint_no = e.endpoint_no and d.state = 'held'))::integer as waiting,
        (select count(*) from delivery_attempt a where a.endpoint_no = e.endpoint_no and a.attempted_at > ${now - dayMs}
          and a.status between 200 and 299)::integer as delivered
      from e),
    h as (select count(*) as hits, count(*) filter (where fit_score >= 80 and not ${isBySearch}) as strong,
        count(*) filter (where fit_score between 60 and 79 and not ${isBySearch}) as good
      from s cross join lateral (${hitsSince(sql`s.search_no`, today)}) h where state <> 'dismissed'),
    k as (select count(*) as kept, count(*) filter (where deadline_ms between ${now} and ${now + 7 * dayMs}) as closing
      from hit join s using (search_no) where state = 'kept' and archive_reason is null),
    u as (select coalesce(sum(answered), 0) as answered, coalesce(sum(refused), 0) as refused,
        coalesce(max(peak_minute), 0) as peak
      from api_use where organization_id = ${organizationId} and token_id = '' and hour_ms >= ${hour})
    select json_build_object(
      'searches', (select count(*) from s), 'hitsToday', h.hits, 'strongToday', h.strong, 'goodToday', h.good,
      'keptHits', k.kept, 'keptClosing', k.closing, 'requests', u.answered, 'refused', u.refused, 'peakMinute', u.peak,
      'delivered', coalesce((select sum(delivered) from d), 0), 'waiting', coalesce((select sum(waiting) from d), 0),
      'endpoints', coalesce((select json_agg(json_build_object('name', case when description = '' then address else description end,
          'state', e.state, 'failingSince', failing_since, 'waiting', coalesce(d.waiting, 0)) order by e.endpoint_no)
        from e left join d using (endpoint_no) where e.state = 'disabled' or failing_since is not null), '[]'::json),
      'validTokens', (select count(*) from t),
      'endingTokens', coalesce((select json_agg(json_build_object('name', name, 'expiresAt', expires_at,
          'lastUsedAt', last_used_at) order by expires_at) from t where expires_at <= ${soon}), '[]'::json),
      'contractEndsAt', (select ends_at from contract where organization_id = ${organizationId}),
      'contractEndedAt', (select ended_at from contract where organization_id = ${organizationId}))::text as overview
    from h, k, u`.execute(db)
  return JSON.parse(rows[0]!.overview) as OverviewFigures
}

export type TodaysHit = {
  readonly hitId: string
  readonly tenderId: string
  readonly fitScore: number
  readonly isBySearch: boolean
  readonly deadlineMs: number | null
  readonly deadlineKind: DeadlineKind | null
}

/** The best hits of editions published since midnight, UTC. */
export async function bestHits(db: Executor, organizationId: string, now: number, limit: number): Promise<TodaysHit[]> {
  const { rows } = await sql<TodaysHit>`
    select hit_id as "hitId", tender_id as "tenderId", fit_score as "fitScore", deadline_ms as "deadlineMs",
      deadline_kind as "deadlineKind", ${isBySearch} as "isBySearch"
    from (select distinct on (tender_id) hit_id, tender_id, fit_score, fit, deadline_ms, deadline_kind
      from saved_search s cross join lateral (${hitsSince(sql`s.search_no`, now - (now % dayMs))}) h
      where s.organization_id = ${organizationId} and state <> 'dismissed'
      order by tender_id, fit_score desc, hit_id) best
    order by fit_score desc, hit_id limit ${limit}::integer`.execute(db)
  return rows
}

export type SearchOfWeek = {
  readonly searchId: string
  readonly name: string
  readonly isActive: boolean
  /** Hits of the last 7 days. */
  readonly hits: number
}

/** The searches of an organization with what they found in a week, those with most hits first. */
export async function searchesOfWeek(
  db: Executor,
  organizationId: string,
  now: number,
  limit: number,
): Promise<SearchOfWeek[]> {
  const { rows } = await sql<SearchOfWeek>`
    select s.search_id as "searchId", s.name, v.is_active as "isActive",
      (select count(*) from (${hitsSince(sql`s.search_no`, now - 7 * dayMs)}) h)::integer as hits
    from saved_search s
    cross join lateral (select is_active from saved_search_version where search_no = s.search_no
      order by version desc limit 1) v
    where s.organization_id = ${organizationId} order by hits desc, s.name limit ${limit}::integer`.execute(db)
  return rows
}

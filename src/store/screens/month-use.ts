// What each organization used, by month in UTC, from the counts that there are.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import { getSetting } from '../database/settings.ts'
import { countedSinceSetting, deliveryHistoryMs, deliveryUse } from '../hits/deliveries.ts'

export type MonthUse = {
  readonly organizationId: string
  readonly organization: string
  /** Such as 2026-11. */
  readonly month: string
  /** Requests of all tokens that were answered, whatever the status. */
  readonly answered: number
  /** Requests refused because of the limit (429). */
  readonly refused: number
  /** Records in the answers, and their bytes without headers. Null: they were not counted. */
  readonly records: number | null
  readonly bytes: number | null
  /** Saved searches made by the end of the month, of those that there still are. */
  readonly searches: number
  /** Hits that the month made, of the searches that there still are. */
  readonly hits: number
  /** Messages about hits that webhooks accepted. Null: some of this month were deleted before they were counted. */
  readonly deliveries: number | null
}

/** The columns of what organizations used by month. */
export const monthUseColumns = [
  'organizationId',
  'organization',
  'month',
  'answered',
  'refused',
  'records',
  'bytes',
  'searches',
  'hits',
  'deliveries',
] as const

/** This month and the twelve before, since the organization exists, by name and month. */
export async function listMonthUse(db: Executor, now: number): Promise<MonthUse[]> {
  const since = Number((await getSetting(db, countedSinceSetting)) ?? now - deliveryHistoryMs)
  const monthOf = (at: string) => sql`to_char(to_timestamp(${sql.ref(at)} / 1000.0) at time zone 'UTC', 'YYYY-MM')`
  const { rows } = await sql<MonthUse>`
    with ends as (select date_trunc('month', to_timestamp(${now}::bigint / 1000.0) at time zone 'UTC') as last),
    months as (
      select to_char(at, 'YYYY-MM') as month, extract(epoch from at)::bigint * 1000 as from_ms,
        extract(epoch from at + interval '1 month')::bigint * 1000 as until_ms
      from ends, generate_series(last - interval '12 months', last, interval '1 month') at
    ),
    span as (select min(from_ms) as from_ms from months),
    requests as (
      select organization_id, ${monthOf('hour_ms')} as month, sum(answered)::integer as answered, sum(refused)::integer as refused,
        sum(records)::bigint as records, sum(bytes)::bigint as bytes
      from api_use, span where token_id = '' and hour_ms >= from_ms group by 1, 2
    ),
    past as (
      select organization_id, ${monthOf('hour_ms')} as month, sum(answered)::integer as deliveries
      from api_use, span where token_id = ${deliveryUse} and hour_ms >= from_ms group by 1, 2
    ),
    found as (
      select organization_id, ${monthOf('made_at')} as month, count(*)::integer as hits
      from hit join saved_search using (search_no), span where made_at >= from_ms group by 1, 2
    ),
    delivered as (
      select organization_id, ${monthOf('ended_at')} as month, count(*)::integer as deliveries
      from delivery join webhook_endpoint using (endpoint_no)
      where delivery.state = 'delivered' and hit_id is not null group by 1, 2
    )
    select o.organization_id as "organizationId", o.name as organization, m.month,
      coalesce(r.answered, 0) as answered, coalesce(r.refused, 0) as refused, r.records, r.bytes,
      (select count(*) from saved_search s where s.organization_id = o.organization_id and s.created_at < m.until_ms)::integer
        as searches,
      coalesce(f.hits, 0) as hits,
      case when greatest(m.from_ms, o.created_at) >= ${since}::bigint
        then coalesce(p.deliveries, 0) + coalesce(d.deliveries, 0) end as deliveries
    from organization o join months m on m.until_ms > o.created_at
    left join requests r on r.organization_id = o.organization_id and r.month = m.month
    left join past p on p.organization_id = o.organization_id and p.month = m.month
    left join found f on f.organization_id = o.organization_id and f.month = m.month
    left join delivered d on d.organization_id = o.organization_id and d.month = m.month
    order by o.name, o.organization_id, m.month`.execute(db)
  return rows
}

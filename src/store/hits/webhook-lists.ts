// Webhook endpoints as people see them: what is waiting, attempts by hour, and what was sent.
import { sql } from 'kysely'
import { hourMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'
import { withoutRedacted } from '../received/redactions.ts'
import type { Delivery } from './deliveries.ts'
import type { WebhookEndpoint } from './webhook-endpoints.ts'

/** Maximum count of waiting deliveries. */
export const maxWaiting = 10_000

/** An endpoint with its waiting deliveries and its secrets, without their values. */
export type EndpointOverview = Omit<WebhookEndpoint, 'disabledWhy' | 'failingSince' | 'searches' | 'chat'> & {
  /** `slack`, `teams`; null: signed messages. */
  readonly chat: string | null
  /** Null: all searches of the organization. */
  readonly searches: readonly string[] | null
  readonly disabledWhy: string | null
  readonly failingSince: number | null
  /** At most `maxWaiting`, each. */
  readonly due: number
  readonly held: number
  /** When the next attempt is due; null: nothing is. */
  readonly nextAt: number | null
  /** Newest first. */
  readonly secrets: readonly { readonly createdAt: number; readonly endsAt: number | null }[]
}

/** Endpoints of an organization that were not removed, oldest first. */
export async function endpointOverviews(
  db: Executor,
  organizationId: string,
  now: number,
): Promise<EndpointOverview[]> {
  type Row = Omit<EndpointOverview, 'kinds' | 'searches' | 'secrets'>
  const { rows } = await sql<Row & { kinds: string; searches: string | null; secrets: string | null }>`
    select e.endpoint_no as "endpointNo", e.endpoint_id as "endpointId", e.organization_id as "organizationId", e.address, e.chat,
      e.description, e.kinds, e.searches, e.state, e.disabled_why as "disabledWhy", e.failing_since as "failingSince",
      e.requests_per_second as "requestsPerSecond", e.created_at as "createdAt",
      (select count(*)::integer from (select from delivery d where d.endpoint_no = e.endpoint_no and d.state = 'due'
        limit ${maxWaiting}) due) as due,
      (select count(*)::integer from (select from delivery d where d.endpoint_no = e.endpoint_no and d.state = 'held'
        limit ${maxWaiting}) held) as held,
      (select min(d.due_at) from delivery d where d.endpoint_no = e.endpoint_no and d.state = 'due') as "nextAt",
      (select json_agg(json_build_object('createdAt', s.created_at, 'endsAt', s.ends_at) order by s.created_at desc)::text
        from webhook_secret s where s.endpoint_no = e.endpoint_no and (s.ends_at is null or s.ends_at > ${now})) as secrets
    from webhook_endpoint e
    where e.organization_id = ${organizationId} and e.state <> 'removed' order by e.endpoint_no`.execute(db)
  return rows.map(({ kinds, searches, secrets, ...row }) => ({
    ...row,
    kinds: JSON.parse(kinds) as string[],
    searches: searches === null ? null : (JSON.parse(searches) as string[]),
    secrets: secrets === null ? [] : (JSON.parse(secrets) as EndpointOverview['secrets']),
  }))
}

/** Attempts of one hour. */
export type AttemptHour = {
  /** When it began, epoch milliseconds. */
  readonly hour: number
  readonly delivered: number
  readonly failed: number
  /** How many milliseconds 95 of 100 of the newest successful attempts of all hours took at most; null without one. */
  readonly p95: number | null
}

/** Maximum number of successful attempts from which that time is taken. */
const maxTimed = 1_000

/** Hours since `since` that have attempts, in order. */
export async function attemptHours(db: Executor, endpointNo: number, since: number): Promise<AttemptHour[]> {
  const { rows } = await sql<AttemptHour>`
    with timed as (
      select percentile_disc(0.95) within group (order by duration_ms) as p95 from (
        select duration_ms from delivery_attempt
        where endpoint_no = ${endpointNo}::integer and attempted_at >= ${since} and status between 200 and 299
        order by attempted_at desc limit ${sql.lit(maxTimed)}) newest
    )
    select a.hour * ${sql.lit(hourMs)} as hour, a.delivered, a.attempts - a.delivered as failed, timed.p95
    from (
      select attempted_at / ${sql.lit(hourMs)} as hour, count(*)::integer as attempts,
        (count(*) filter (where status between 200 and 299))::integer as delivered
      from delivery_attempt where endpoint_no = ${endpointNo}::integer and attempted_at >= ${since} group by 1
    ) a cross join timed order by a.hour`.execute(db)
  return rows
}

export type ListedDelivery = Omit<Delivery, 'endpointId'> & {
  /** JSON of the newest record of its hit's tender; null when there is none. */
  readonly body: string | null
  readonly tenderId: string | null
  readonly lastMs: number | null
}

/** Deliveries of an endpoint, the newest first, after a position in the list; at most `limit`. */
export async function listDeliveryPage(
  db: Executor,
  endpointNo: number,
  which: {
    readonly state?: Delivery['state'] | undefined
    readonly after?: { readonly createdAt: number; readonly messageId: string } | undefined
    readonly limit: number
  },
): Promise<ListedDelivery[]> {
  const { state, after, limit } = which
  const conditions = [
    sql`endpoint_no = ${endpointNo}::integer`,
    ...(state ? [sql`state = ${sql.lit(state)}`] : []),
    ...(after
      ? [
          sql`created_at <= ${after.createdAt}
            and (created_at < ${after.createdAt} or message_id > ${after.messageId})`,
        ]
      : []),
  ]
  const { rows } = await sql<ListedDelivery>`
    with d as materialized (
      select * from delivery where ${sql.join(conditions, sql` and `)}
      order by created_at desc, message_id limit ${limit}::integer
    )
    select d.message_id as "messageId", d.kind, d.hit_id as "hitId", d.state, d.held_why as "heldWhy", d.attempts,
      d.due_at as "dueAt", d.created_at as "createdAt", d.ended_at as "endedAt", last.status as "lastStatus",
      last.error as "lastError", last.duration_ms as "lastMs", h.tender_id as "tenderId", e.body
    from d
    left join lateral (
      select status, error, duration_ms from delivery_attempt a where a.message_id = d.message_id order by attempt desc limit 1
    ) last on true
    left join hit h on h.hit_id = d.hit_id
    left join published_tender p on p.tender_id = h.tender_id
    left join edition_entry e on e.last_modified = p.last_modified
    order by d.created_at desc, d.message_id`.execute(db)
  return withoutRedacted(db, rows)
}

/** One attempt. Times in milliseconds. */
type ListedAttempt = {
  readonly attempt: number
  readonly at: number
  readonly status: number | null
  /** Class of the failure; null when there was an answer. */
  readonly error: string | null
  readonly milliseconds: number
  /** The beginning of the answer. */
  readonly answer: string
}

export type DeliveryDetail = Pick<Delivery, 'messageId' | 'kind' | 'state' | 'heldWhy' | 'dueAt' | 'createdAt'> & {
  /** Packed; null before the first attempt, and after 30 days. */
  readonly packed: Uint8Array | null
  /** Newest first. */
  readonly attempts: readonly ListedAttempt[]
}

/** One delivery of an endpoint with its body and attempts; undefined if the endpoint has no such delivery. */
export async function findDelivery(
  db: Executor,
  endpointNo: number,
  messageId: string,
): Promise<DeliveryDetail | undefined> {
  const { rows } = await sql<Omit<DeliveryDetail, 'attempts'> & { attempts: string | null }>`
    select d.message_id as "messageId", d.kind, d.state, d.held_why as "heldWhy", d.due_at as "dueAt",
      d.created_at as "createdAt", b.packed,
      (select json_agg(json_build_object('attempt', a.attempt, 'at', a.attempted_at, 'status', a.status, 'error', a.error,
          'milliseconds', a.duration_ms, 'answer', a.answer) order by a.attempt desc)::text
        from delivery_attempt a where a.message_id = d.message_id) as attempts
    from delivery d left join delivery_body b using (message_id)
    where d.endpoint_no = ${endpointNo}::integer and d.message_id = ${messageId}`.execute(db)
  return rows.map(({ attempts, ...row }) => ({
    ...row,
    attempts: attempts === null ? [] : (JSON.parse(attempts) as ListedAttempt[]),
  }))[0]
}

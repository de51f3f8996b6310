// The deliveries of webhooks: queue, log and history in one table. Only one worker at a time delivers to an endpoint,
// under a lease with a fence.
import { type RawBuilder, sql } from 'kysely'
import { dayMs, hourMs } from '../../domain/time.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { getOrCreateSetting } from '../database/settings.ts'
import { loadRedactor } from '../received/redactions.ts'
import { type DeliveryEvent, isMovedBy, moved } from './delivery-states.ts'
import { disableAndMail, mailFailing } from './endpoint-news.ts'
import { lockEndpoint } from './webhook-endpoints.ts'

/** How long attempts, bodies and ended deliveries are kept. */
export const deliveryHistoryMs = 30 * dayMs

/** An endpoint that a worker holds exclusively until the lease ends. */
export type EndpointLease = {
  readonly endpointNo: number
  readonly endpointId: string
  readonly address: string
  readonly requestsPerSecond: number
  readonly chat: string | null
  readonly language: string | null
  /** Number of consecutive failures. */
  readonly failures: number
  readonly fence: number
}

/**
 * Messages of an edition wait until it is matched completely: only then is it known whether a search has more hits than
 * the cap allows (docs/decisions/0031-matching-editions.md).
 */
export const isMatched = sql`(d.edition is null or d.edition <= (select edition from hit_mark))`

type Claim = {
  readonly worker: string
  readonly now: number
  readonly leaseMs: number
  /** Numbers of endpoints that come after all others; default: none. */
  readonly last?: readonly number[]
}

/**
 * Takes the endpoint whose oldest due delivery has waited longest. Undefined when none is due, or others hold those
 * that are.
 */
export function claimEndpoint(
  store: Pick<Store, 'db'>,
  { worker, now, leaseMs, last = [] }: Claim,
): Promise<EndpointLease | undefined> {
  return inTransaction(store, async (trx) => {
    const { rows } = await sql<EndpointLease>`
      update webhook_endpoint set worker = ${worker}, taken_until = ${now + leaseMs}, fence = fence + 1
      where endpoint_no = (
        select e.endpoint_no from webhook_endpoint e
        cross join lateral (
          select d.due_at from delivery d where d.endpoint_no = e.endpoint_no and d.state = 'due' and ${isMatched}
          order by d.due_at limit 1
        ) oldest
        where e.state = 'active' and e.taken_until <= ${now} and oldest.due_at <= ${now}
        order by e.endpoint_no = any (${last}::int[]), oldest.due_at limit 1
        for update of e skip locked)
      returning endpoint_no as "endpointNo", endpoint_id as "endpointId", address, requests_per_second as "requestsPerSecond",
        chat, language, failures, fence`.execute(trx)
    return rows[0]
  })
}

/** False when the lease has passed on. */
export async function renewEndpoint(
  db: Executor,
  { endpointNo, fence }: EndpointLease,
  takenUntil: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_endpoint set taken_until = ${takenUntil} where endpoint_no = ${endpointNo} and fence = ${fence}
      and state = 'active'`.execute(db)
  return numAffectedRows === 1n
}

export async function releaseEndpoint(db: Executor, { endpointNo, fence }: EndpointLease): Promise<void> {
  await sql`
    update webhook_endpoint set taken_until = 0, worker = ''
    where endpoint_no = ${endpointNo} and fence = ${fence}`.execute(db)
}

/** When the next delivery to an active endpoint is due; undefined when none is. */
export async function nextDueAt(db: Executor): Promise<number | undefined> {
  const { rows } = await sql<{ dueAt: number | null }>`
    select min(oldest.due_at) as "dueAt" from webhook_endpoint e
    cross join lateral (
      select d.due_at from delivery d where d.endpoint_no = e.endpoint_no and d.state = 'due' and ${isMatched}
      order by d.due_at limit 1
    ) oldest
    where e.state = 'active'`.execute(db)
  return rows[0]?.dueAt ?? undefined
}

/** A delivery that is to be attempted now. */
export type DueDelivery = {
  readonly messageId: string
  readonly kind: string
  /** Attempts made so far. */
  readonly attempts: number
  /** The stored body, packed; null before the first attempt. */
  readonly packed: Uint8Array | null
}

/** The oldest first. */
export async function dueDeliveries(
  db: Executor,
  { endpointNo }: EndpointLease,
  now: number,
  limit: number,
): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    select d.message_id as "messageId", d.kind, d.attempts, b.packed
    from delivery d left join delivery_body b using (message_id)
    where d.endpoint_no = ${endpointNo} and d.state = 'due' and d.due_at <= ${now} and ${isMatched}
    order by d.due_at, d.message_id limit ${limit}`.execute(db)
  return rows
}

/** What the body of a delivery is built from. */
export type DeliverySubject = {
  readonly hitId: string
  /** JSON array of what changed; null for a new hit. */
  readonly changes: string | null
  /** JSON of domain/hit-event.ts HitReason. */
  readonly reason: string | null
  readonly edition: number
  readonly searchId: string
  readonly searchName: string
  readonly searchVersion: number
  readonly fitScore: number
  /** JSON, both. */
  readonly fit: string
  readonly matched: string
  readonly mergedInto: string | null
  /** JSON of the record as of the edition, without checkedAt. */
  readonly record: string
  readonly lastModified: number
  /** JSON array of source ids, and JSON of the checks of the edition by source id. */
  readonly sources: string
  readonly checks: string
}

/**
 * The subjects of deliveries without a body. If the edition's own entry was pruned meanwhile, the record's newest entry
 * is used.
 */
export async function deliverySubjects(
  db: Executor,
  messageIds: readonly string[],
): Promise<Map<string, DeliverySubject>> {
  const { rows } = await sql<DeliverySubject & { readonly messageId: string }>`
    select d.message_id as "messageId", h.hit_id as "hitId", d.changes, d.reason, e.edition, s.search_id as "searchId",
      s.name as "searchName", h.search_version as "searchVersion", h.fit_score as "fitScore", h.fit, h.matched,
      h.merged_into as "mergedInto", entry.body as record,
      entry.last_modified as "lastModified", entry.sources, e.checks
    from delivery d
    join hit h on h.hit_id = d.hit_id
    join saved_search s on s.search_no = h.search_no
    left join edition_entry own on own.last_modified = d.last_modified
    left join published_tender p on own.last_modified is null
      and p.tender_id = case when d.kind = 'search.hit' then h.tender_id else coalesce(h.merged_into, h.tender_id) end
    join edition_entry entry on entry.last_modified = coalesce(own.last_modified, p.last_modified)
    join edition e on e.edition = entry.edition
    where d.message_id = any (${[...messageIds]}::text[])`.execute(db)
  const { json } = await loadRedactor(db)
  return new Map(
    rows.map(({ messageId, ...subject }) => [
      messageId,
      { ...subject, record: json(subject.record), matched: json(subject.matched) },
    ]),
  )
}

/**
 * Stores packed bodies by message before their first attempt, so that every later one sends the same. An existing body
 * is kept and returned. A message that was deleted meanwhile gets none.
 */
export async function keepBodies(
  db: Executor,
  bodies: ReadonlyMap<string, Uint8Array>,
  now: number,
): Promise<Map<string, Uint8Array>> {
  const ids = [...bodies.keys()]
  const { rows } = await sql<{ messageId: string }>`
    with live as materialized (select message_id from delivery where message_id = any (${ids}::text[]) for key share)
    insert into delivery_body (message_id, packed, created_at)
    select message_id, decode(packed, 'base64'), ${now}
    from unnest(${ids}::text[], ${[...bodies.values()].map((packed) => Buffer.from(packed).toString('base64'))}::text[])
      kept (message_id, packed) join live using (message_id)
    on conflict (message_id) do nothing returning message_id as "messageId"`.execute(db)
  const kept = new Set(rows.map(({ messageId }) => messageId))
  const known = ids.filter((id) => !kept.has(id))
  if (known.length === 0) return new Map()
  const found = await sql<{ messageId: string; packed: Uint8Array }>`
    select message_id as "messageId", packed from delivery_body where message_id = any (${known}::text[])`.execute(db)
  return new Map(found.rows.map(({ messageId, packed }) => [messageId, packed]))
}

export type AttemptRecord = {
  readonly messageId: string
  /** The number of this attempt since the delivery became due the first time or was replayed, from 1. */
  readonly attempts: number
  readonly at: number
  readonly status: number | undefined
  readonly error: string | undefined
  readonly milliseconds: number
  readonly answer: string
  readonly step: AttemptStep
}

/** What an attempt means for its delivery. `disables`: why its endpoint is disabled. */
type AttemptStep =
  | { readonly event: 'success' | 'last' }
  | { readonly event: 'retry'; readonly dueAt: number }
  | { readonly event: 'gone'; readonly disables: string }

/** The effect of an attempt on the worker that made it. */
export type AttemptEffect = {
  /** Another worker holds the endpoint. */
  readonly isLeaseLost: boolean
  /** Why the endpoint was disabled by it, if it was. */
  readonly disabled: string | undefined
}

/** After how long without one success Owners are mailed, and the endpoint is disabled. */
export type FailurePolicy = {
  readonly warnedAfterMs: number
  readonly disabledAfterMs: number
  /** Domain from which mails are sent. */
  readonly mailDomain: string
}

/** An attempt that delivered its message, and the lease under which it was made. */
export type Delivered = { readonly lease: EndpointLease; readonly attempt: AttemptRecord }

/**
 * Stores the outcome of an attempt that failed, and what it means for the endpoint. The attempt of a worker that lost
 * its lease changes nothing but the log: its successor decides, and a person may have asked for the message again
 * meanwhile.
 */
export function recordFailed(
  store: Pick<Store, 'db'>,
  { endpointNo, fence }: EndpointLease,
  attempt: AttemptRecord,
  { warnedAfterMs, disabledAfterMs, mailDomain }: FailurePolicy,
): Promise<AttemptEffect> {
  const { messageId, attempts, at, status, error, milliseconds, answer, step } = attempt
  return inTransaction(store, async (trx) => {
    const isLeaseLost = (await lockEndpoint(trx, endpointNo)) !== fence
    await sql`
      insert into delivery_attempt (message_id, endpoint_no, attempt, attempted_at, status, error, duration_ms, answer)
      select d.message_id, ${endpointNo}::integer,
        (select coalesce(max(attempt), 0) + 1 from delivery_attempt a where a.message_id = d.message_id), ${at},
        ${status ?? null}, ${error ?? null}, ${milliseconds}, ${answer}
      from delivery d where d.message_id = ${messageId}`.execute(trx)
    if (isLeaseLost) return { isLeaseLost, disabled: undefined }
    const { numAffectedRows } = await sql`
      update delivery d set attempts = ${attempts}, due_at = ${step.event === 'retry' ? step.dueAt : at},
        ${moved(step.event, sql`${at}`)}
      where d.message_id = ${messageId} and ${isMovedBy(step.event)} and d.attempts = ${attempts - 1}`.execute(trx)
    if (numAffectedRows !== 1n) return { isLeaseLost, disabled: undefined }
    const { rows } = await sql<{ failingSince: number }>`
      update webhook_endpoint set failing_since = coalesce(failing_since, ${at}), failures = failures + 1
      where endpoint_no = ${endpointNo} returning failing_since as "failingSince"`.execute(trx)
    const failingMs = at - rows[0]!.failingSince
    const why = step.event === 'gone' ? step.disables : failingMs >= disabledAfterMs ? 'failing' : undefined
    const posting = { now: at, mailDomain }
    if (why !== undefined) await disableAndMail(trx, endpointNo, why, posting)
    else if (failingMs >= warnedAfterMs) await mailFailing(trx, endpointNo, posting)
    return { isLeaseLost, disabled: why }
  })
}

/** Another deliverer recorded an attempt at the same moment; the message was deleted at the same moment. */
const met: readonly unknown[] = ['23505', '23503']
/** How often outcomes may meet a change of others. */
const maxMeetings = 10

/**
 * Records the usual outcome of many attempts in one statement: nearly all of the database's cost of delivering. A lost
 * lease means the same as in `recordFailed`. The endpoints are locked first, in their order, as before every change of
 * their deliveries. Not to be called in a transaction. Returns whose lease was lost, in the order given.
 */
export async function recordDelivered(db: Executor, delivered: readonly Delivered[]): Promise<boolean[]> {
  for (let meetings = 1; ; meetings++) {
    try {
      return await recordTogether(db, delivered)
    } catch (error) {
      // The statement waited for the lock of somebody whose change it does not see: it must begin again.
      if (!met.includes((error as { readonly code?: string }).code) || meetings === maxMeetings) throw error
    }
  }
}

async function recordTogether(db: Executor, delivered: readonly Delivered[]): Promise<boolean[]> {
  const leases = delivered.map(({ lease }) => lease)
  const attempts = delivered.map(({ attempt }) => attempt)
  const { rows } = await sql<{ endpointNo: number; fence: number }>`
    with given as (
      select * from unnest(${attempts.map(({ messageId }) => messageId)}::text[],
        ${sql.val(leases.map(({ endpointNo }) => endpointNo))}::integer[], ${sql.val(leases.map(({ fence }) => fence))}::integer[],
        ${sql.val(attempts.map((each) => each.attempts))}::integer[], ${sql.val(attempts.map(({ at }) => at))}::bigint[],
        ${sql.val(attempts.map(({ status }) => status!))}::integer[], ${sql.val(attempts.map(({ milliseconds }) => milliseconds))}::integer[],
        ${attempts.map(({ answer }) => answer)}::text[])
        given (message_id, endpoint_no, fence, attempts, at, status, duration_ms, answer)
    ),
    locked as (
      select endpoint_no, fence from webhook_endpoint where endpoint_no in (select endpoint_no from given)
      order by endpoint_no for no key update
    ),
    logged as (
      insert into delivery_attempt (message_id, endpoint_no, attempt, attempted_at, status, error, duration_ms, answer)
      select message_id, endpoint_no,
        coalesce((select max(attempt) from delivery_attempt before where before.message_id = given.message_id), 0) + 1,
        at, status, null, duration_ms, answer
      from given join locked using (endpoint_no)
      where exists (select from delivery d where d.message_id = given.message_id)
    ),
    ended as (
      update delivery d set attempts = given.attempts, due_at = given.at, ${moved('success', sql`given.at`)}
      from given join locked using (endpoint_no, fence)
      where d.message_id = given.message_id and ${isMovedBy('success')} and d.attempts = given.attempts - 1
      returning d.endpoint_no
    ),
    well as (
      update webhook_endpoint set failing_since = null, failures = 0
      where failures > 0 and endpoint_no in (select endpoint_no from ended)
    )
    select endpoint_no as "endpointNo", fence from locked`.execute(db)
  const fences = new Map(rows.map(({ endpointNo, fence }) => [endpointNo, fence]))
  return leases.map(({ endpointNo, fence }) => fences.get(endpointNo) !== fence)
}

/** Ends a delivery whose hit or record no longer exists: it cannot be built, and is shown as given up. */
export async function giveUp(db: Executor, messageId: string, now: number): Promise<void> {
  await sql`
    update delivery d set ${moved('unbuildable', sql`${now}`)}
    where d.message_id = ${messageId} and ${isMovedBy('unbuildable')}`.execute(db)
}

export type Delivery = {
  readonly messageId: string
  readonly endpointId: string
  readonly kind: string
  readonly hitId: string | null
  readonly state: 'due' | 'delivered' | 'given-up' | 'held'
  readonly heldWhy: string | null
  readonly attempts: number
  readonly dueAt: number
  readonly createdAt: number
  readonly endedAt: number | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** The newest first. */
export async function listDeliveries(
  db: Executor,
  { endpointNo, state, limit }: { readonly endpointNo: number; readonly state?: string; readonly limit: number },
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    select d.message_id as "messageId", e.endpoint_id as "endpointId", d.kind, d.hit_id as "hitId", d.state,
      d.held_why as "heldWhy", d.attempts, d.due_at as "dueAt", d.created_at as "createdAt", d.ended_at as "endedAt",
      last.status as "lastStatus", last.error as "lastError"
    from delivery d join webhook_endpoint e using (endpoint_no)
    left join lateral (
      select status, error from delivery_attempt a where a.message_id = d.message_id order by attempt desc limit 1
    ) last on true
    where d.endpoint_no = ${endpointNo} and (${state ?? null}::text is null or d.state = ${state ?? null})
    order by d.created_at desc, d.message_id limit ${limit}`.execute(db)
  return rows
}

export type DeliveryCounts = { readonly [state in Delivery['state']]: number }

/** How many deliveries of an endpoint are in each state. */
export async function countDeliveries(db: Executor, endpointNo: number): Promise<DeliveryCounts> {
  const { rows } = await sql<{ state: Delivery['state']; count: number }>`
    select state, count(*)::integer as count from delivery where endpoint_no = ${endpointNo} group by state`.execute(db)
  const counts = { due: 0, delivered: 0, 'given-up': 0, held: 0 }
  for (const { state, count } of rows) counts[state] = count
  return counts
}

/** Which deliveries are sent now, with the same ID. Those that wait for a retry are among the failed ones. */
export type ReplayChoice =
  | { readonly messageId: string }
  /** Those created since then that failed, or all of them but the held ones. */
  | { readonly since: number; readonly only: 'failed' | 'all' }

/**
 * Makes them due now: what has ended begins its schedule again, what waits for a retry goes on with it. What is due
 * already stays as it is. Returns how many.
 */
export function replayDeliveries(
  store: Pick<Store, 'db'>,
  endpointNo: number,
  choice: ReplayChoice,
  now: number,
): Promise<number> {
  const isLate = sql`(d.state <> 'due' or d.due_at > ${now})`
  if ('messageId' in choice)
    return makeDue(store, endpointNo, 'replay', sql`${isLate} and d.message_id = ${choice.messageId}`, now)
  const since = Math.max(choice.since, now - deliveryHistoryMs)
  const event = choice.only === 'failed' ? 'replayFailed' : 'replayAll'
  return makeDue(store, endpointNo, event, sql`${isLate} and d.created_at >= ${since}`, now)
}

/** Sends what was held because its endpoint was disabled. Returns how many. */
export function releaseHeld(store: Pick<Store, 'db'>, endpointNo: number, now: number): Promise<number> {
  return makeDue(store, endpointNo, 'release', sql`true`, now)
}

function makeDue(
  store: Pick<Store, 'db'>,
  endpointNo: number,
  event: DeliveryEvent,
  which: RawBuilder<unknown>,
  now: number,
): Promise<number> {
  return inTransaction(store, async (trx) => {
    await lockEndpoint(trx, endpointNo)
    const { numAffectedRows } = await sql`
      update delivery d set ${moved(event, sql`${now}`)}, due_at = ${now},
        attempts = case when d.state = 'due' then d.attempts else 0 end
      where d.endpoint_no = ${endpointNo} and ${isMovedBy(event)} and ${which}`.execute(trx)
    return Number(numAffectedRows ?? 0)
  })
}

/** The setting since when no delivery was deleted without being counted: epoch milliseconds. */
export const countedSinceSetting = 'deliveries-counted-since'

/** The token of requests under which deleted deliveries stay counted. */
export const deliveryUse = 'deliveries'

/** Part of a statement that deletes deliveries, and calls them so: the accepted messages about hits stay counted. */
export const keepCounts = (deleted: string): RawBuilder<unknown> => sql`
  insert into api_use (organization_id, token_id, hour_ms, answered, refused, peak_minute, minute_ms, minute_answered)
  select organization_id, ${deliveryUse}::text, ended_at - ended_at % ${sql.lit(hourMs)}, count(*), 0, 0, 0, 0
  from ${sql.table(deleted)} as d join webhook_endpoint using (endpoint_no)
  where d.state = 'delivered' and d.hit_id is not null
  group by 1, 3 order by 1, 3
  on conflict (organization_id, token_id, hour_ms) do update set answered = api_use.answered + excluded.answered`

/**
 * Deletes deliveries that ended more than 30 days ago, and bodies and attempts that are older, at most `limit` of each.
 * True when there are more.
 */
export async function pruneDeliveries(db: Executor, now: number, limit: number): Promise<boolean> {
  const before = now - deliveryHistoryMs
  await getOrCreateSetting(db, countedSinceSetting, String(before))
  const statements = [
    sql`with gone as (
        delete from delivery where message_id in (
          select message_id from delivery where ended_at < ${before} order by ended_at limit ${limit})
        returning endpoint_no, hit_id, state, ended_at
      ), counted as (${keepCounts('gone')})
      select 1 from gone`,
    sql`delete from delivery_body where message_id in (
      select message_id from delivery_body where created_at < ${before} order by created_at limit ${limit})`,
    sql`delete from delivery_attempt where (message_id, attempt) in (
      select message_id, attempt from delivery_attempt where attempted_at < ${before} order by attempted_at limit ${limit})`,
  ]
  let isMore = false
  for (const statement of statements) {
    const { numAffectedRows, rows } = await statement.execute(db)
    isMore ||= Number(numAffectedRows ?? rows.length) === limit
  }
  return isMore
}

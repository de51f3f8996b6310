// What operators decide about possible duplicates, and which of them are open.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import { edgeColumns, type StoredEdge } from './matches.ts'

/** A decision on two notices by key, `left` < `right`: it applies to the records that they are in. */
export type ReviewDecision = {
  readonly left: string
  readonly right: string
  readonly decision: 'merge' | 'split'
  /** Epoch milliseconds. */
  readonly decidedAt: number
  readonly note: string
}

/** Lets no other transaction decide until this one ends. */
export async function lockDecisions(trx: Executor): Promise<void> {
  await sql`lock table review_decision in share row exclusive mode`.execute(trx)
}

/** Every notice of the tenders that these notices are in, as `tender notice`. */
export async function noticesBeside(db: Executor, noticeKeys: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select distinct o.tender_id || ' ' || m.notice_key as line
    from notice n join tender_notice t on t.notice_id = n.notice_id
    join tender_notice o on o.tender_id = t.tender_id join notice m on m.notice_id = o.notice_id
    where n.notice_key = any(${[...noticeKeys]}::text[]) order by line`.execute(db)
  return rows.map(({ line }) => line)
}

/** Stores a decision; an earlier one on the same two notices is replaced. */
export async function upsertDecision(db: Executor, decision: ReviewDecision): Promise<void> {
  await sql`
    insert into review_decision (left_key, right_key, decision, decided_at, note)
    values (${decision.left}, ${decision.right}, ${decision.decision}, ${decision.decidedAt}, ${decision.note})
    on conflict (left_key, right_key) do update set
      decision = excluded.decision, decided_at = excluded.decided_at, note = excluded.note`.execute(db)
}

/** Removes the decisions on these pairs of notices. */
export async function deleteDecisions(
  db: Executor,
  pairs: readonly Pick<ReviewDecision, 'left' | 'right'>[],
): Promise<void> {
  await sql`
    delete from review_decision where (left_key, right_key) in (
      select * from unnest(${pairs.map(({ left }) => left)}::text[], ${pairs.map(({ right }) => right)}::text[]))`.execute(
    db,
  )
}

const decisionColumns = sql`left_key as left, right_key as right, decision, decided_at as "decidedAt", note`

/** All decisions, the newest last. There are as many as operators made. */
export async function listDecisions(db: Executor): Promise<ReviewDecision[]> {
  const { rows } = await sql<ReviewDecision>`
    select ${decisionColumns} from review_decision order by decided_at, left_key, right_key`.execute(db)
  return rows
}

/** The newest decisions, the newest first. */
export async function listNewestDecisions(db: Executor, limit: number): Promise<ReviewDecision[]> {
  const { rows } = await sql<ReviewDecision>`
    select ${decisionColumns} from review_decision order by decided_at desc, left_key limit ${limit}`.execute(db)
  return rows
}

/** The records that notices are in now, by notice key; keys without a consolidated notice are left out. */
export async function recordsOfNoticeKeys(
  db: Executor,
  noticeKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (noticeKeys.length === 0) return new Map()
  const { rows } = await sql<{ notice_key: string; record_key: string }>`
    select n.notice_key, m.record_key from notice n join match_member m on m.notice_id = n.notice_id
    where n.notice_key = any(${[...noticeKeys]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.notice_key, row.record_key]))
}

/** Lets the next run consolidate the notices with these keys again: a decision about them has changed. */
export async function reconsiderNotices(db: Executor, noticeKeys: readonly string[]): Promise<void> {
  await sql`
    update notice set is_consolidated = false where notice_key = any(${[...noticeKeys]}::text[])`.execute(db)
}

/**
 * An edge whose ends are in two tenders, with what a decision on it is expected to bring: the chance that the two are
 * one, and the people who have one of them among their open hits.
 */
export type OpenReview = StoredEdge & {
  readonly leftTender: string
  readonly rightTender: string
  readonly chance: number
  readonly readers: number
}

/**
 * Chance that a pair is one tender before anybody decided on one of its rule (17 of 31 labeled pairs of one portal that
 * the rules leave to people are one), and the number of decisions for which it counts.
 */
const chanceBefore = { share: 0.55, weight: 4 } as const

/**
 * Possible duplicates that are separate records, by expected gain: the chance that they are one, by what operators
 * decided on pairs of the same rule, times the number of those who read them (the API counts as one, and so does each
 * open hit). Pairs that an operator kept apart are included: the caller knows the decisions.
 */
export async function listOpenReviews(db: Executor, limit: number): Promise<OpenReview[]> {
  const { share, weight } = chanceBefore
  const { rows } = await sql<OpenReview>`
    with taught as (
      select e.rule, count(*) filter (where d.decision = 'merge') as merged, count(*) as decided
      from review_decision d
      join notice a on a.notice_key = d.left_key join match_member l on l.notice_id = a.notice_id
      join notice b on b.notice_key = d.right_key join match_member r on r.notice_id = b.notice_id
      join tender_match e on (e.left_key = l.record_key and e.right_key = r.record_key)
        or (e.left_key = r.record_key and e.right_key = l.record_key)
      group by e.rule
    ), waiting as (
      select e.*, l.tender_id as left_tender, r.tender_id as right_tender,
        round((coalesce(t.merged, 0) + ${share * weight}::numeric) / (coalesce(t.decided, 0) + ${weight}::numeric), 2)::float8
          as chance,
        (select count(*)::integer from hit h
          where h.tender_id in (l.tender_id, r.tender_id) and h.archive_reason is null) as readers
      from tender_match e
      cross join lateral (
        select t.tender_id from match_member m join tender_notice t on t.notice_id = m.notice_id
        where m.record_key = e.left_key limit 1) l
      cross join lateral (
        select t.tender_id from match_member m join tender_notice t on t.notice_id = m.notice_id
        where m.record_key = e.right_key limit 1) r
      left join taught t on t.rule = e.rule
      where l.tender_id <> r.tender_id
    )
    select ${edgeColumns}, left_tender as "leftTender", right_tender as "rightTender", chance, readers from waiting e
    order by chance * (1 + readers) desc, score desc, left_key, right_key limit ${limit}`.execute(db)
  return rows
}

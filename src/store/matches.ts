// What the matcher keeps: records, their blocking keys, and the edges between them. All of it is derived from the notices.
import { sql } from 'kysely'
import type { Executor } from './database.ts'

/** A row of `match_record`; `content` is JSON of the stage's own. */
export type StoredMatchRecord = {
  readonly recordKey: string
  readonly isSucceeded: boolean
  /** Blocking keys, sorted. */
  readonly keys: readonly string[]
  /** Keys of the groups in which it is counted, sorted. */
  readonly twinKeys: readonly string[]
  readonly content: string
}

type RawRecord = {
  readonly record_key: string
  readonly is_succeeded: boolean
  readonly keys: string
  readonly twin_keys: string
  readonly content: string
}

const toRecord = (row: RawRecord): StoredMatchRecord => ({
  recordKey: row.record_key,
  isSucceeded: row.is_succeeded,
  keys: JSON.parse(row.keys) as string[],
  twinKeys: JSON.parse(row.twin_keys) as string[],
  content: row.content,
})

export async function loadMatchRecords(db: Executor, recordKeys: readonly string[]): Promise<StoredMatchRecord[]> {
  if (recordKeys.length === 0) return []
  const { rows } = await sql<RawRecord>`
    select record_key, is_succeeded, keys, twin_keys, content from match_record
    where record_key = any(${[...recordKeys]}::text[])`.execute(db)
  return rows.map(toRecord)
}

/** Keys of the records that these notices stand in. */
export async function listRecordsOfNotices(db: Executor, noticeIds: readonly string[]): Promise<string[]> {
  if (noticeIds.length === 0) return []
  const { rows } = await sql<{ record_key: string }>`
    select distinct record_key from match_member where notice_id = any(${[...noticeIds]}::text[])`.execute(db)
  return rows.map((row) => row.record_key)
}

export async function upsertMatchRecords(db: Executor, records: readonly StoredMatchRecord[]): Promise<void> {
  if (records.length === 0) return
  await sql`
    insert into match_record (record_key, is_succeeded, keys, twin_keys, content)
    select * from unnest(
      ${records.map((each) => each.recordKey)}::text[], ${records.map((each) => each.isSucceeded)}::boolean[],
      ${records.map((each) => JSON.stringify(each.keys))}::text[],
      ${records.map((each) => JSON.stringify(each.twinKeys))}::text[], ${records.map((each) => each.content)}::text[])
    on conflict (record_key) do update set
      is_succeeded = excluded.is_succeeded, keys = excluded.keys, twin_keys = excluded.twin_keys, content = excluded.content`.execute(
    db,
  )
}

export async function deleteMatchRecords(db: Executor, recordKeys: readonly string[]): Promise<void> {
  if (recordKeys.length === 0) return
  await sql`delete from match_record where record_key = any(${[...recordKeys]}::text[])`.execute(db)
}

export type MatchMember = { readonly noticeId: string; readonly recordKey: string }

/** Says in which record each notice stands; rows that stand so already are not touched. */
export async function assignMatchMembers(db: Executor, members: readonly MatchMember[]): Promise<void> {
  await sql`
    insert into match_member (notice_id, record_key)
    select * from unnest(${members.map((each) => each.noticeId)}::text[], ${members.map((each) => each.recordKey)}::text[])
    on conflict (notice_id) do update set record_key = excluded.record_key
    where match_member.record_key <> excluded.record_key`.execute(db)
}

/** The notices of records. */
export async function listMatchMembers(db: Executor, recordKeys: readonly string[]): Promise<MatchMember[]> {
  if (recordKeys.length === 0) return []
  const { rows } = await sql<{ notice_id: string; record_key: string }>`
    select notice_id, record_key from match_member where record_key = any(${[...recordKeys]}::text[])`.execute(db)
  return rows.map((row) => ({ noticeId: row.notice_id, recordKey: row.record_key }))
}

/** Records of which a notice stands in one tender with a notice of the given ones. */
export async function listRecordsOfSameTenders(db: Executor, recordKeys: readonly string[]): Promise<string[]> {
  if (recordKeys.length === 0) return []
  const { rows } = await sql<{ record_key: string }>`
    select distinct other.record_key from match_member own
    join tender_notice here on here.notice_id = own.notice_id
    join tender_notice there on there.tender_id = here.tender_id
    join match_member other on other.notice_id = there.notice_id
    where own.record_key = any(${[...recordKeys]}::text[])`.execute(db)
  return rows.map((row) => row.record_key)
}

export type KeyHolder = { readonly key: string; readonly recordKey: string }

export async function insertMatchKeys(db: Executor, pairs: readonly KeyHolder[]): Promise<void> {
  if (pairs.length === 0) return
  await sql`
    insert into match_key (match_key, record_key)
    select * from unnest(${pairs.map((each) => each.key)}::text[], ${pairs.map((each) => each.recordKey)}::text[])
    on conflict do nothing`.execute(db)
}

export async function deleteMatchKeys(db: Executor, pairs: readonly KeyHolder[]): Promise<void> {
  if (pairs.length === 0) return
  await sql`
    delete from match_key m using unnest(
      ${pairs.map((each) => each.key)}::text[], ${pairs.map((each) => each.recordKey)}::text[]) as gone (match_key, record_key)
    where m.match_key = gone.match_key and m.record_key = gone.record_key`.execute(db)
}

/** The records that hold each key: at most `limit` of them. */
export async function listKeyHolders(db: Executor, keys: readonly string[], limit: number): Promise<KeyHolder[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ match_key: string; record_key: string }>`
    select k.match_key, h.record_key from unnest(${[...keys]}::text[]) as k (match_key)
    cross join lateral (
      select record_key from match_key m where m.match_key = k.match_key order by m.record_key limit ${limit}) h`.execute(
    db,
  )
  return rows.map((row) => ({ key: row.match_key, recordKey: row.record_key }))
}

/** How many records hold each key, counted up to `limit`. */
export async function countKeyHolders(
  db: Executor,
  keys: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ match_key: string; holders: number }>`
    select k.match_key, (
      select count(*) from (select 1 from match_key m where m.match_key = k.match_key limit ${limit}) h)::integer as holders
    from unnest(${[...keys]}::text[]) as k (match_key)`.execute(db)
  return new Map(rows.map((row) => [row.match_key, row.holders]))
}

/** Those of the keys that too many records hold. */
export async function listDroppedKeys(db: Executor, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const { rows } = await sql<{ match_key: string }>`
    select match_key from dropped_match_key where match_key = any(${[...keys]}::text[])`.execute(db)
  return new Set(rows.map((row) => row.match_key))
}

export async function dropKeys(db: Executor, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into dropped_match_key (match_key) select * from unnest(${[...keys]}::text[]) on conflict do nothing`.execute(
    db,
  )
}

export async function reviveKeys(db: Executor, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await sql`delete from dropped_match_key where match_key = any(${[...keys]}::text[])`.execute(db)
}

/** An edge between two records, `left` < `right`. */
export type StoredEdge = {
  readonly left: string
  readonly right: string
  readonly kind: 'merge' | 'review'
  readonly rule: string
  readonly score: number
  readonly evidence: string
}

type RawEdge = {
  readonly left_key: string
  readonly right_key: string
  readonly outcome: string
  readonly rule: string
  readonly score: number
  readonly evidence: string
}

const toEdge = (row: RawEdge): StoredEdge => ({
  left: row.left_key,
  right: row.right_key,
  kind: row.outcome as StoredEdge['kind'],
  rule: row.rule,
  score: row.score,
  evidence: row.evidence,
})

/** All edges of which at least one end is among the records. */
export async function listEdgesOf(db: Executor, recordKeys: readonly string[]): Promise<StoredEdge[]> {
  if (recordKeys.length === 0) return []
  const keys = [...recordKeys]
  const { rows } = await sql<RawEdge>`
    select left_key, right_key, outcome, rule, score, evidence from tender_match where left_key = any(${keys}::text[])
    union
    select left_key, right_key, outcome, rule, score, evidence from tender_match where right_key = any(${keys}::text[])`.execute(
    db,
  )
  return rows.map(toEdge)
}

export async function upsertEdges(db: Executor, edges: readonly StoredEdge[]): Promise<void> {
  if (edges.length === 0) return
  await sql`
    insert into tender_match (left_key, right_key, outcome, rule, score, evidence)
    select * from unnest(
      ${edges.map((each) => each.left)}::text[], ${edges.map((each) => each.right)}::text[],
      ${edges.map((each) => each.kind)}::text[], ${edges.map((each) => each.rule)}::text[],
      ${edges.map((each) => each.score)}::double precision[], ${edges.map((each) => each.evidence)}::text[])
    on conflict (left_key, right_key) do update set
      outcome = excluded.outcome, rule = excluded.rule, score = excluded.score, evidence = excluded.evidence`.execute(
    db,
  )
}

export async function deleteEdges(
  db: Executor,
  edges: readonly { readonly left: string; readonly right: string }[],
): Promise<void> {
  if (edges.length === 0) return
  await sql`
    delete from tender_match m using unnest(
      ${edges.map((each) => each.left)}::text[], ${edges.map((each) => each.right)}::text[]) as gone (left_key, right_key)
    where m.left_key = gone.left_key and m.right_key = gone.right_key`.execute(db)
}

/** Forgets all that was derived; what operators decided stays. */
export async function clearMatches(db: Executor): Promise<void> {
  await sql`truncate match_record, match_member, match_key, dropped_match_key, tender_match`.execute(db)
}

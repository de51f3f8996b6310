// What the matcher stores: records, their blocking keys, and the edges between them. All of it is derived from the
// notices.
import { sql } from 'kysely'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'

/** A row of `match_record`; `content` is text of the stage's own. */
export type StoredMatchRecord = {
  readonly recordKey: string
  readonly isSucceeded: boolean
  /** The data stored with each of its keys in the index. */
  readonly mark: number
  /** Numbers of its blocking keys, ascending. */
  readonly keys: readonly number[]
  /** Numbers of the groups in which it is counted, ascending. */
  readonly twinKeys: readonly number[]
  readonly content: string
}

/** `recordNo` is assigned by the database and stays as long as the record exists; no decision depends on it. */
export type NumberedMatchRecord = StoredMatchRecord & { readonly recordNo: number }

/** A row as the database stores it: lists of numbers are texts. */
type Kept<Row> = { readonly [Name in keyof Row]: Row[Name] extends readonly number[] ? string : Row[Name] }

const toText = (keys: readonly number[]): string => keys.join(' ')
const fromText = (text: string): number[] => (text === '' ? [] : text.split(' ').map(Number))

export async function loadMatchRecords(db: Executor, recordKeys: readonly string[]): Promise<NumberedMatchRecord[]> {
  if (recordKeys.length === 0) return []
  const { rows } = await sql<Kept<NumberedMatchRecord>>`
    select record_no as "recordNo", record_key as "recordKey", is_succeeded as "isSucceeded", mark, keys, twin_keys as "twinKeys", content
    from match_record where record_key = any(${[...recordKeys]}::text[])`.execute(db)
  return rows.map((row) => ({ ...row, keys: fromText(row.keys), twinKeys: fromText(row.twinKeys) }))
}

/** The part of a record that is compared. */
export type Candidate = Pick<NumberedMatchRecord, 'recordNo' | 'recordKey' | 'twinKeys' | 'content'>

export async function loadCandidates(db: Executor, recordNos: readonly number[]): Promise<Candidate[]> {
  if (recordNos.length === 0) return []
  const { rows } = await sql<Kept<Candidate>>`
    select record_no as "recordNo", record_key as "recordKey", twin_keys as "twinKeys", content from match_record
    where record_no = any(${[...recordNos]}::bigint[])`.execute(db)
  return rows.map((row) => ({ ...row, twinKeys: fromText(row.twinKeys) }))
}

/** The part of a record that is filed. */
export type FiledRecord = Pick<NumberedMatchRecord, 'recordNo' | 'recordKey' | 'mark' | 'keys'>

export async function listFiledRecords(db: Executor, recordNos: readonly number[]): Promise<FiledRecord[]> {
  if (recordNos.length === 0) return []
  const { rows } = await sql<Kept<FiledRecord>>`
    select record_no as "recordNo", record_key as "recordKey", mark, keys from match_record
    where record_no = any(${[...recordNos]}::bigint[])`.execute(db)
  return rows.map((row) => ({ ...row, keys: fromText(row.keys) }))
}

/** Like loadMatchRecords, without what is compared: which records are announcements that were succeeded. */
export async function listSucceeded(
  db: Executor,
  recordKeys: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  if (recordKeys.length === 0) return new Map()
  const { rows } = await sql<{ record_key: string; is_succeeded: boolean }>`
    select record_key, is_succeeded from match_record where record_key = any(${[...recordKeys]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.record_key, row.is_succeeded]))
}

/** Keys of the records that these notices are in. */
export async function listRecordsOfNotices(db: Executor, noticeIds: readonly string[]): Promise<string[]> {
  if (noticeIds.length === 0) return []
  const { rows } = await sql<{ record_key: string }>`
    select distinct record_key from match_member where notice_id = any(${[...noticeIds]}::text[])`.execute(db)
  return rows.map((row) => row.record_key)
}

/** Writes records. Returns the number of each, by key. */
export async function upsertMatchRecords(
  db: Executor,
  records: readonly StoredMatchRecord[],
): Promise<ReadonlyMap<string, number>> {
  if (records.length === 0) return new Map()
  const { rows } = await sql<{ record_key: string; record_no: number }>`
    insert into match_record (record_key, is_succeeded, mark, keys, twin_keys, content)
    select * from unnest(
      ${arrayText(records.map((each) => each.recordKey))}::text[], ${records.map((each) => each.isSucceeded)}::boolean[],
      ${arrayText(records.map((each) => each.mark))}::integer[], ${arrayText(records.map((each) => toText(each.keys)))}::text[],
      ${arrayText(records.map((each) => toText(each.twinKeys)))}::text[], ${arrayText(records.map((each) => each.content))}::text[])
    on conflict (record_key) do update set
      is_succeeded = excluded.is_succeeded, mark = excluded.mark, keys = excluded.keys, twin_keys = excluded.twin_keys,
      content = excluded.content
    returning record_key, record_no`.execute(db)
  return new Map(rows.map((row) => [row.record_key, row.record_no]))
}

export async function deleteMatchRecords(db: Executor, recordKeys: readonly string[]): Promise<void> {
  if (recordKeys.length === 0) return
  await sql`delete from match_record where record_key = any(${[...recordKeys]}::text[])`.execute(db)
}

export type MatchMember = { readonly noticeId: string; readonly recordKey: string }

/** Assigns each notice to its record; unchanged rows are not touched. */
export async function assignMatchMembers(db: Executor, members: readonly MatchMember[]): Promise<void> {
  await sql`
    insert into match_member (notice_id, record_key)
    select * from unnest(${arrayText(members.map((each) => each.noticeId))}::text[], ${arrayText(members.map((each) => each.recordKey))}::text[])
    on conflict (notice_id) do update set record_key = excluded.record_key
    where match_member.record_key <> excluded.record_key`.execute(db)
}

/** The notices of records. */
export async function listMatchMembers(db: Executor, recordKeys: readonly string[]): Promise<MatchMember[]> {
  if (recordKeys.length === 0) return []
  const { rows } = await sql<MatchMember>`
    select notice_id as "noticeId", record_key as "recordKey" from match_member
    where record_key = any(${[...recordKeys]}::text[])`.execute(db)
  return rows
}

/** Records that have a notice in the same tender as one of the given ones. */
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

/**
 * Number of records whose keys are filed together: enough that each page of the index takes several keys, in bounded
 * memory.
 */
const filedAtOnce = 20_000

/**
 * Fills `match_key` from the records after a crash or a change to a standby server has emptied it: it is not logged.
 * Returns whether it had to. The caller holds the lock of the stock.
 */
export async function ensureMatchKeys(db: Executor): Promise<boolean> {
  const { rows: whole } = await sql`select from match_key_whole`.execute(db)
  if (whole.length > 0) return false
  await sql`truncate match_key`.execute(db)
  for (let after: number | null = 0; after !== null; ) {
    const { rows }: { rows: { last: number | null }[] } = await sql<{ last: number | null }>`
      with slice as (
        select record_no, mark, keys, twin_keys from match_record
        where record_no > ${after} order by record_no limit ${filedAtOnce}),
      filed as (
        insert into match_key (match_key, record_no, mark)
        select key::bigint, record_no, mark from slice, unnest(string_to_array(concat_ws(' ', nullif(keys, ''), nullif(twin_keys, '')), ' ')) as key
        order by 1)
      select max(record_no) as last from slice`.execute(db)
    after = rows[0]!.last
  }
  await sql`insert into match_key_whole (is_whole) values (true)`.execute(db)
  return true
}

/** A record that is filed under a key. */
export type KeyHolder = { readonly key: number; readonly recordNo: number; readonly mark: number }

/** Files records under keys under which they are not filed yet. */
export async function insertMatchKeys(db: Executor, holders: readonly KeyHolder[]): Promise<void> {
  if (holders.length === 0) return
  await sql`
    insert into match_key (match_key, record_no, mark)
    select * from unnest(
      ${arrayText(holders.map((each) => each.key))}::bigint[], ${arrayText(holders.map((each) => each.recordNo))}::bigint[],
      ${arrayText(holders.map((each) => each.mark))}::integer[])`.execute(db)
}

export async function deleteMatchKeys(db: Executor, holders: readonly KeyHolder[]): Promise<void> {
  if (holders.length === 0) return
  await sql`
    delete from match_key m using unnest(
      ${arrayText(holders.map((each) => each.key))}::bigint[], ${arrayText(holders.map((each) => each.recordNo))}::bigint[]) as gone (match_key, record_no)
    where m.match_key = gone.match_key and m.record_no = gone.record_no`.execute(db)
}

/** All holders of keys that are not dropped: their number is bounded. */
export async function listKeyHolders(db: Executor, keys: readonly number[]): Promise<KeyHolder[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<KeyHolder>`
    select match_key as key, record_no as "recordNo", mark from match_key
    where match_key = any(${arrayText(keys)}::bigint[])`.execute(db)
  return rows
}

/** Holders of keys of any size: at most `limit` of each. */
export async function listSomeKeyHolders(
  db: Executor,
  keys: readonly number[],
  limit: number,
): Promise<Omit<KeyHolder, 'mark'>[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<Omit<KeyHolder, 'mark'>>`
    select k.match_key as key, h.record_no as "recordNo" from unnest(${arrayText(keys)}::bigint[]) as k (match_key)
    cross join lateral (select record_no from match_key m where m.match_key = k.match_key limit ${limit}) h`.execute(db)
  return rows
}

/** How many records hold each key, counted up to `limit`. */
export async function countKeyHolders(
  db: Executor,
  keys: readonly number[],
  limit: number,
): Promise<ReadonlyMap<number, number>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ match_key: number; holders: number }>`
    select k.match_key, (
      select count(*) from (select 1 from match_key m where m.match_key = k.match_key limit ${limit}) h)::integer as holders
    from unnest(${arrayText(keys)}::bigint[]) as k (match_key)`.execute(db)
  return new Map(rows.map((row) => [row.match_key, row.holders]))
}

/** Those of the keys that are held by too many records. */
export async function listDroppedKeys(db: Executor, keys: readonly number[]): Promise<Set<number>> {
  if (keys.length === 0) return new Set()
  const { rows } = await sql<{ match_key: number }>`
    select match_key from dropped_match_key where match_key = any(${arrayText(keys)}::bigint[])`.execute(db)
  return new Set(rows.map((row) => row.match_key))
}

export async function dropKeys(db: Executor, keys: readonly number[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into dropped_match_key (match_key) select * from unnest(${arrayText(keys)}::bigint[]) on conflict do nothing`.execute(
    db,
  )
}

export async function reviveKeys(db: Executor, keys: readonly number[]): Promise<void> {
  if (keys.length === 0) return
  await sql`delete from dropped_match_key where match_key = any(${arrayText(keys)}::bigint[])`.execute(db)
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

export const edgeColumns = sql`e.left_key as left, e.right_key as right, e.outcome as kind, e.rule, e.score, e.evidence`

/** All edges with at least one end among the records. */
export async function listEdgesOf(db: Executor, recordKeys: readonly string[]): Promise<StoredEdge[]> {
  if (recordKeys.length === 0) return []
  const keys = [...recordKeys]
  const { rows } = await sql<StoredEdge>`
    select ${edgeColumns} from tender_match e where left_key = any(${keys}::text[])
    union
    select ${edgeColumns} from tender_match e where right_key = any(${keys}::text[])`.execute(db)
  return rows
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

/** Deletes everything derived; decisions of operators stay. */
export async function clearMatches(db: Executor): Promise<void> {
  await sql`truncate match_record, match_member, match_key, dropped_match_key, tender_match, tender_doubt`.execute(db)
}

// The stock: tenders, and the notices of each.
import { sql } from 'kysely'
import type { ArchiveReason } from '../../domain/tender.ts'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import { type NoticeRow, readNotice } from '../received/notices.ts'
import { loadRedactor } from '../received/redactions.ts'

/** Numbers of the locks: arbitrary, but the same for all code that writes the stock. */
const stockLock = 7_271_101
const turnLock = 7_271_102

/**
 * Held to the end of the transaction by code that changes or publishes the stock, so that a tender cannot vanish
 * between being read for an edition and being claimed by it.
 */
export async function lockStock(db: Executor): Promise<void> {
  await sql`select pg_advisory_xact_lock(${stockLock})`.execute(db)
}

/** Held to the end of the transaction by consolidators: several at a time, but never beside `lockStock`. */
export async function shareStock(db: Executor): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${stockLock})`.execute(db)
}

/** Whether another consolidator has `shareStock` at this moment. */
export async function isStockShared(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ isShared: boolean }>`
    select exists (
      select from pg_locks where locktype = 'advisory' and objid = ${stockLock}::integer::oid and mode = 'ShareLock' and granted
      and database = (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()
    ) as "isShared"`.execute(db)
  return rows[0]!.isShared
}

/**
 * Held to the end of the transaction by the one consolidator that writes, under `shareStock`. It waits for no lock of a
 * consolidator that waits for its turn, so that they cannot wait for each other.
 */
export async function takeTurn(db: Executor): Promise<void> {
  await sql`select pg_advisory_xact_lock(${turnLock})`.execute(db)
}

/** A row of the stock without its content. */
export type TenderRow = {
  readonly tenderId: string
  readonly foundingKey: string
  /** The edition that first held it; null while its id may still vanish. */
  readonly firstEdition: number | null
  readonly contentHash: string
  readonly nextTransitionMs: number | null
  readonly mergedInto: string | null
  /** JSON array of source ids. */
  readonly sources: string
}

/** A TenderRow, `from` tenderTables. */
const tenderColumns = sql.raw(`tender_id as "tenderId", founding_key as "foundingKey", first_edition as "firstEdition",
  t.content_hash as "contentHash", next_transition_ms as "nextTransitionMs", merged_into as "mergedInto", t.sources`)
const tenderTables = sql.raw('tender t left join published_tender p using (tender_id)')

/** Tenders that one of these notice keys founded, and tenders that these notices are in. */
export async function findTendersOf(
  db: Executor,
  foundingKeys: readonly string[],
  noticeIds: readonly string[],
): Promise<TenderRow[]> {
  const { rows } = await sql<TenderRow>`
    select ${tenderColumns} from ${tenderTables}
    where founding_key = any(${[...foundingKeys]}::text[])
    union
    select ${tenderColumns} from ${tenderTables}
    where tender_id in (select tender_id from tender_notice where notice_id = any(${[...noticeIds]}::text[]))`.execute(
    db,
  )
  return rows
}

export type NewTender = Omit<TenderRow, 'firstEdition'> & {
  readonly content: string
  /** As in the content; null: not archived. */
  readonly archiveReason: ArchiveReason | null
}

/**
 * Writes tenders, and lists those that differ from what is published: publication reads no others. A rebuild derives
 * all: rows that are the same are not written again.
 */
export async function upsertTenders(db: Executor, tenders: readonly NewTender[]): Promise<void> {
  if (tenders.length === 0) return
  const texts = (of: (each: NewTender) => string | number | null) => arrayText(tenders.map(of))
  await sql`
    with derived as materialized (
      select * from unnest(
        ${texts((each) => each.tenderId)}::text[], ${texts((each) => each.foundingKey)}::text[],
        ${texts((each) => each.content)}::text[], ${texts((each) => each.contentHash)}::text[],
        ${texts((each) => each.archiveReason)}::text[], ${texts((each) => each.nextTransitionMs)}::bigint[],
        ${texts((each) => each.mergedInto)}::text[], ${texts((each) => each.sources)}::text[])
      as d (tender_id, founding_key, content, content_hash, archive_reason, next_transition_ms, merged_into, sources)
    ), written as (
      insert into tender (tender_id, founding_key, content, content_hash, archive_reason, next_transition_ms, merged_into,
        sources)
      select * from derived
      on conflict (tender_id) do update set
        content = excluded.content, content_hash = excluded.content_hash, archive_reason = excluded.archive_reason,
        next_transition_ms = excluded.next_transition_ms,
        merged_into = excluded.merged_into, sources = excluded.sources
      where (tender.content_hash, tender.archive_reason, tender.next_transition_ms, tender.merged_into, tender.sources,
        tender.content) is distinct from (excluded.content_hash, excluded.archive_reason, excluded.next_transition_ms,
        excluded.merged_into, excluded.sources, excluded.content)
    )
    insert into tender_change (tender_id)
    select tender_id from derived t left join published_tender p using (tender_id)
    where t.content_hash is distinct from p.content_hash
    on conflict do nothing`.execute(db)
}

/** Removes tenders that no edition ever held; a published one always stays (P3: no ID disappears). */
export async function deleteUnpublishedTenders(db: Executor, tenderIds: readonly string[]): Promise<void> {
  if (tenderIds.length === 0) return
  await sql`
    with removed as (
      delete from tender t where tender_id = any(${[...tenderIds]}::text[])
      and not exists (select from published_tender p where p.tender_id = t.tender_id)
      returning tender_id
    )
    delete from tender_change where tender_id in (select tender_id from removed)`.execute(db)
}

/** Removes unpublished tenders that no notice is in. Returns how many. */
export async function deleteEmptyTenders(db: Executor): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with removed as (
      delete from tender t
      where not exists (select from published_tender p where p.tender_id = t.tender_id)
      and not exists (select from tender_notice n where n.tender_id = t.tender_id)
      returning tender_id
    ), noted as (
      delete from tender_change where tender_id in (select tender_id from removed)
    )
    select count(*)::integer as count from removed`.execute(db)
  return rows[0]!.count
}

export type Assignment = { readonly noticeId: string; readonly tenderId: string }

/** Assigns each notice to its tender; unchanged rows are not touched. */
export async function assignNotices(db: Executor, assignments: readonly Assignment[]): Promise<void> {
  await sql`
    insert into tender_notice (notice_id, tender_id)
    select * from unnest(${arrayText(assignments.map((each) => each.noticeId))}::text[], ${arrayText(assignments.map((each) => each.tenderId))}::text[])
    on conflict (notice_id) do update set tender_id = excluded.tender_id
    where tender_notice.tender_id <> excluded.tender_id`.execute(db)
}

/** Up to `limit` tenders whose content the clock changes at `now` (epoch milliseconds) or changed before. */
export async function listDueTenders(db: Executor, now: number, limit: number): Promise<TenderRow[]> {
  const { rows } = await sql<TenderRow>`
    select ${tenderColumns} from ${tenderTables}
    where next_transition_ms <= ${now} order by next_transition_ms, tender_id limit ${limit}`.execute(db)
  return rows
}

/** Records that another record holds, by the ids of those others, with their contents. */
export async function listMergedInto(
  db: Executor,
  tenderIds: readonly string[],
): Promise<(TenderRow & { readonly content: string })[]> {
  if (tenderIds.length === 0) return []
  const { rows } = await sql<TenderRow & { readonly content: string }>`
    select ${tenderColumns}, content
    from ${tenderTables} where merged_into = any(${[...tenderIds]}::text[])`.execute(db)
  return rows
}

/** Live tenders that were published, and that no notice is in any more, with their contents. */
export async function listForsaken(db: Executor, limit: number): Promise<(TenderRow & { readonly content: string })[]> {
  const { rows } = await sql<TenderRow & { readonly content: string }>`
    select ${tenderColumns}, content from ${tenderTables}
    where t.archive_reason is null and not exists (select from tender_notice n where n.tender_id = t.tender_id)
    order by tender_id limit ${limit}`.execute(db)
  return rows
}

/** For tenders that no notice is in any more: the clock can derive nothing for them. */
export async function clearTransitions(db: Executor, tenderIds: readonly string[]): Promise<void> {
  if (tenderIds.length === 0) return
  await sql`update tender set next_transition_ms = null where tender_id = any(${[...tenderIds]}::text[])`.execute(db)
}

/** The notices of tenders, by tender. */
export async function loadNoticesOfTenders(
  db: Executor,
  tenderIds: readonly string[],
): Promise<ReadonlyMap<string, NoticeRow[]>> {
  const { rows } = await sql<{ tender_id: string; notice_id: string; source_id: string; content: string }>`
    select t.tender_id, n.notice_id, n.source_id, n.content from tender_notice t join notice n using (notice_id)
    where t.tender_id = any(${[...tenderIds]}::text[])`.execute(db)
  const redactor = await loadRedactor(db)
  const found = new Map<string, NoticeRow[]>(tenderIds.map((tenderId) => [tenderId, []]))
  for (const row of rows)
    found.get(row.tender_id)!.push({
      noticeId: row.notice_id,
      sourceId: row.source_id,
      notice: readNotice(row.content, redactor),
    })
  return found
}

/** One record of the stock with its content, published or not. */
export async function findTender(
  db: Executor,
  tenderId: string,
): Promise<(TenderRow & { readonly content: string }) | undefined> {
  const { rows } = await sql<TenderRow & { readonly content: string }>`
    select ${tenderColumns}, content
    from ${tenderTables} where tender_id = ${tenderId}`.execute(db)
  return rows[0]
}

/** Contents of records of the stock, by their ids. */
export async function contentsOfTenders(
  db: Executor,
  tenderIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (tenderIds.length === 0) return new Map()
  const { rows } = await sql<{ tender_id: string; content: string }>`
    select tender_id, content from tender where tender_id = any(${[...tenderIds]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.tender_id, row.content]))
}

/** The tenders that notices are in now, by notice key. */
export async function tendersOfNoticeKeys(
  db: Executor,
  noticeKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ notice_key: string; tender_id: string }>`
    select n.notice_key, t.tender_id from notice n join tender_notice t on t.notice_id = n.notice_id
    where n.notice_key = any(${[...noticeKeys]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.notice_key, row.tender_id]))
}

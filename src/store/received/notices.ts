// Notices as the consolidation reads them, without what is redacted, and the exact keys that connect them.
import { sql } from 'kysely'
import type { Notice } from '../../domain/notice.ts'
import type { Redactor } from '../../domain/redaction.ts'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import { quarantineKind } from '../sources/source-fill.ts'
import { loadRedactor } from './redactions.ts'

/** A notice with the id of its row and the source that received it. */
export type NoticeRow = { readonly noticeId: string; readonly sourceId: string; readonly notice: Notice }

type RawRow = Omit<NoticeRow, 'notice'> & { readonly content: string }

const columns = sql`notice_id as "noticeId", source_id as "sourceId", content`

/**
 * Notices by their contents, which are parsed once. Only for one transaction that keeps others out of the stock: then
 * redactions stay the same.
 */
type ParsedNotices = Map<string, Notice>

async function toRows(db: Executor, rows: readonly RawRow[], parsed?: ParsedNotices): Promise<NoticeRow[]> {
  if (rows.length === 0) return []
  const redactor = await loadRedactor(db)
  return rows.map(({ content, ...row }) => {
    const notice = parsed?.get(content) ?? readNotice(content, redactor)
    parsed?.set(content, notice)
    return { ...row, notice }
  })
}

/** A notice as it is stored, without what is redacted. */
export function readNotice(content: string, redactor: Redactor): Notice {
  return redactor.value(JSON.parse(content) as Notice)
}

/** Waits for the consolidation, and its source is not in quarantine. */
export const isWaiting = sql`not is_consolidated and not exists (
  select from source_alarm a where a.source_id = notice.source_id and a.kind = ${quarantineKind} and a.cleared_at is null)`

/**
 * Up to `limit` notices not yet consolidated, by id, without those of sources in quarantine and those that others have
 * taken. Locked, so that a notice read again meanwhile is not marked by mistake; others may still refer to them.
 */
export async function takeNoticesToConsolidate(
  db: Executor,
  limit: number,
  parsed?: ParsedNotices,
): Promise<NoticeRow[]> {
  const { rows } = await sql<RawRow>`
    select ${columns} from notice
    where ${isWaiting} order by notice_id limit ${limit} for no key update of notice skip locked`.execute(db)
  return toRows(db, rows, parsed)
}

/**
 * Waits until a notice that another has taken is consolidated, or free because the other one has died, and takes it
 * then. One only: a process that waits and has nothing cannot be waited for.
 */
export async function awaitNoticeToConsolidate(db: Executor, parsed?: ParsedNotices): Promise<NoticeRow[]> {
  const { rows } = await sql<RawRow>`
    select ${columns} from notice
    where ${isWaiting} order by notice_id limit 1 for no key update of notice`.execute(db)
  return toRows(db, rows, parsed)
}

export async function countNoticesToConsolidate(db: Executor): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from notice where ${isWaiting}`.execute(db)
  return rows[0]!.count
}

/** Notices by the ids of their rows; ids that are gone are left out. */
export async function loadNotices(
  db: Executor,
  noticeIds: readonly string[],
  parsed?: ParsedNotices,
): Promise<NoticeRow[]> {
  if (noticeIds.length === 0) return []
  const { rows } = await sql<RawRow>`
    select ${columns} from notice where notice_id = any(${[...noticeIds]}::text[])`.execute(db)
  return toRows(db, rows, parsed)
}

/** A page of all notices in the order of their ids, after the given one. */
export async function listNotices(db: Executor, after: string, limit: number): Promise<NoticeRow[]> {
  const { rows } = await sql<RawRow>`
    select ${columns} from notice
    where notice_id > ${after} order by notice_id limit ${limit}`.execute(db)
  return toRows(db, rows)
}

export async function markConsolidated(db: Executor, noticeIds: readonly string[]): Promise<void> {
  await sql`update notice set is_consolidated = true where notice_id = any(${[...noticeIds]}::text[])`.execute(db)
}

export async function markAllUnconsolidated(db: Executor): Promise<void> {
  await sql`update notice set is_consolidated = false where is_consolidated`.execute(db)
}

export type NoticeLinks = { readonly noticeId: string; readonly keys: readonly string[] }

/** Replaces the keys of notices; those that stay the same are not written again. */
export async function replaceLinks(db: Executor, notices: readonly NoticeLinks[]): Promise<void> {
  const { rows } = await sql<{ notice_id: string; keys: string[] }>`
    select notice_id, array_agg(link_key) as keys from notice_link
    where notice_id = any(${arrayText(notices.map((each) => each.noticeId))}::text[]) group by notice_id`.execute(db)
  const before = new Map(rows.map((row) => [row.notice_id, new Set(row.keys)]))
  const changed = notices
    .map(({ noticeId, keys }) => ({ noticeId, keys: new Set(keys) }))
    .filter(({ noticeId, keys }) => {
      const known = before.get(noticeId) ?? new Set()
      return known.size !== keys.size || [...keys].some((key) => !known.has(key))
    })
  const outdated = changed.filter(({ noticeId }) => before.has(noticeId)).map(({ noticeId }) => noticeId)
  if (outdated.length > 0)
    await sql`delete from notice_link where notice_id = any(${arrayText(outdated)}::text[])`.execute(db)
  if (changed.length === 0) return
  const pairs = changed.flatMap(({ noticeId, keys }) => [...keys].map((key) => ({ key, noticeId })))
  await sql`
    insert into notice_link (link_key, notice_id)
    select * from unnest(${arrayText(pairs.map((pair) => pair.key))}::text[], ${arrayText(pairs.map((pair) => pair.noticeId))}::text[])`.execute(
    db,
  )
}

export type NoticeLink = { readonly key: string; readonly noticeId: string }

/**
 * All keys of the given notices, with the notices that hold them: for each key at most `limit` holders, so that a key
 * held by thousands costs no more than that.
 */
export async function listLinks(db: Executor, noticeIds: readonly string[], limit: number): Promise<NoticeLink[]> {
  if (noticeIds.length === 0) return []
  const { rows } = await sql<{ link_key: string; notice_id: string }>`
    select k.link_key, h.notice_id
    from (select distinct link_key from notice_link where notice_id = any(${[...noticeIds]}::text[])) k
    cross join lateral (
      select notice_id from notice_link l where l.link_key = k.link_key order by l.notice_id limit ${limit}) h`.execute(
    db,
  )
  return rows.map((row) => ({ key: row.link_key, noticeId: row.notice_id }))
}

/** All notices that are in one tender with one of the given notices. */
export async function listNoticesOfSameTenders(db: Executor, noticeIds: readonly string[]): Promise<string[]> {
  if (noticeIds.length === 0) return []
  const { rows } = await sql<{ notice_id: string }>`
    select notice_id from tender_notice where tender_id in (
      select tender_id from tender_notice where notice_id = any(${[...noticeIds]}::text[]))`.execute(db)
  return rows.map((row) => row.notice_id)
}

// Deletes what the operator does not want to keep forever: raw documents, rejections, and where a token was last used.
import { sql } from 'kysely'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import type { DocumentStore } from '../files/document-store.ts'
import { unparsedVersion } from '../received/documents.ts'

/** How long each is kept, in milliseconds; absent: forever. */
export type Retention = {
  readonly documentsMs?: number
  readonly rejectionsMs?: number
  readonly lastUseMs?: number
  /** Absent: 24 months. */
  readonly auditMs?: number
}

/** Where documents are kept outside of the database; undefined: not known. */
type Outside = Pick<DocumentStore, 'remove'> | undefined

/** Removes at most `limit` rows of each kind. True when there may be more. */
export async function pruneKept(
  db: Executor,
  now: number,
  { documentsMs, rejectionsMs, lastUseMs }: Retention,
  limit: number,
  outside?: Outside,
): Promise<boolean> {
  const counts = [
    // work that needs only the database comes first
    lastUseMs === undefined ? 0 : await forgetLastUse(db, now - lastUseMs),
    documentsMs === undefined ? 0 : await pruneDocuments(db, now - documentsMs, limit),
    documentsMs === undefined ? 0 : await pruneOutside(db, now - documentsMs, limit, outside),
    rejectionsMs === undefined ? 0 : await pruneRejections(db, now - rejectionsMs, limit, outside),
  ]
  return counts.some((count) => count === limit)
}

/** Deletes only the bytes: the row says that the document is known, and what was read from it stays. */
async function pruneDocuments(db: Executor, before: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update source_document set parser_version = ${unparsedVersion}, packed = case when packed is null then null else ''::bytea end
    where document_id in (
      select document_id from source_document
      where received_at < ${before} and (parser_version <> ${unparsedVersion} or octet_length(packed) > 0)
      order by received_at limit ${limit}::integer)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/**
 * Deletes bytes outside the database: first the row says that they must not be read, then they are removed, then the
 * row says that they are gone. Each step may be repeated.
 */
async function pruneOutside(db: Executor, before: number, limit: number, outside: Outside): Promise<number> {
  if (!outside) return 0
  const { rows } = await sql<{ id: string }>`
    update source_document set parser_version = ${unparsedVersion}
    where document_id in (
      select document_id from source_document
      where received_at < ${before} and packed is null order by received_at limit ${limit}::integer)
    returning document_id as id`.execute(db)
  await removeOutside(db, rows, outside)
  return rows.length
}

async function removeOutside(
  db: Executor,
  rows: readonly { readonly id: string }[],
  outside: NonNullable<Outside>,
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await outside.remove(ids)
  await sql`update source_document set packed = ''::bytea where document_id = any(${arrayText(ids)}::text[])`.execute(
    db,
  )
}

/** Deletes rejections, and the bytes of documents from which nothing was read. */
async function pruneRejections(db: Executor, before: number, limit: number, outside: Outside): Promise<number> {
  if (outside) {
    const { rows: kept } = await sql<{ id: string }>`
      update source_document d set parser_version = ${unparsedVersion}
      where packed is null and document_id in (
          select document_id from rejection where rejected_at < ${before} order by rejected_at limit ${limit}::integer)
        and not exists (select from notice n where n.document_id = d.document_id)
      returning document_id as id`.execute(db)
    await removeOutside(db, kept, outside)
  }
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from rejection where (document_id, pointer) in (
        select document_id, pointer from rejection where rejected_at < ${before} order by rejected_at limit ${limit}::integer)
      returning document_id
    ), emptied as (
      update source_document d
      set parser_version = ${unparsedVersion}, packed = case when packed is null then null else ''::bytea end
      where document_id in (select document_id from gone)
        and not exists (select from notice n where n.document_id = d.document_id)
    )
    select count(*)::integer as count from gone`.execute(db)
  return rows[0]!.count
}

/** Deletes network and program; the time of the last use stays. */
async function forgetLastUse(db: Executor, before: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update api_token set last_used_from = null, last_used_agent = null
    where last_used_at < ${before} and (last_used_from is not null or last_used_agent is not null)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** How long an unused invitation is kept after its end. */
const endedInvitationMs = 30 * 24 * 3_600_000

/** Deletes invitations that ended unused, with their mail addresses. */
export async function pruneInvitations(db: Executor, now: number): Promise<void> {
  await sql`delete from invitation where used_at is null and until_ms < ${now - endedInvitationMs}`.execute(db)
}

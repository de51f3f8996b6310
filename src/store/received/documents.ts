// The received side of the store: raw documents, what was read from them, and when each source was last checked.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Notice, Rejection } from '../../domain/notice.ts'
import { OperatorError } from '../../platform/errors.ts'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'
import type { DocumentStore } from '../files/document-store.ts'
import { inParallel } from '../files/in-parallel.ts'
import { isWaiting } from './notices.ts'
import { loadRedactor } from './redactions.ts'

/** `parser_version` of a document that no parser can read again: it was rejected when it was received. */
export const unparsedVersion = 0

/**
 * A document to store. `documentId` is the SHA-256 of the bytes (of address and reason too when it was unreadable),
 * hex.
 */
export type NewDocument = {
  readonly documentId: string
  readonly sourceId: string
  readonly address: string
  readonly receivedAt: number
  readonly byteSize: number
  /** From `packDocument`; null: the bytes are already durable in the document store outside the database. */
  readonly packed: Buffer | null
  readonly parserVersion: number
}

export type NewNotice = {
  readonly documentId: string
  readonly pointer: string
  readonly sourceId: string
  readonly notice: Notice
}
export type NewRejection = {
  readonly documentId: string
  readonly pointer: string
  readonly rejection: Rejection
  readonly rejectedAt: number
}

/** A stored document as it was received. */
export type KeptDocument = { readonly documentId: string; readonly sourceId: string; readonly bytes: Uint8Array }

/** Returns those of the given IDs that are already stored. */
export async function findKnownDocuments(db: Executor, documentIds: readonly string[]): Promise<Set<string>> {
  if (documentIds.length === 0) return new Set()
  const { rows } = await sql<{ document_id: string }>`
    select document_id from source_document where document_id = any(${arrayText(documentIds)}::text[])`.execute(db)
  return new Set(rows.map((row) => row.document_id))
}

/**
 * Stores documents that are not stored yet and returns their IDs. Rows are written in the order of their IDs, so that
 * two processes that receive the same documents wait for each other without a deadlock.
 */
export async function insertDocuments(db: Executor, documents: readonly NewDocument[]): Promise<Set<string>> {
  if (documents.length === 0) return new Set()
  const sorted = [...documents].sort((a, b) => (a.documentId < b.documentId ? -1 : 1))
  const packed = joinPieces(sorted.map((each) => each.packed))
  const { rows } = await sql<{ document_id: string }>`
    insert into source_document (document_id, source_id, address, received_at, byte_size, parser_version, packed)
    select document_id, source_id, address, received_at, byte_size, parser_version,
      substring(${packed.bytes}::bytea from start for length)
    from unnest(
      ${arrayText(sorted.map((each) => each.documentId))}::text[], ${arrayText(sorted.map((each) => each.sourceId))}::text[],
      ${arrayText(sorted.map((each) => toText(each.address)))}::text[], ${arrayText(sorted.map((each) => each.receivedAt))}::bigint[],
      ${arrayText(sorted.map((each) => each.byteSize))}::integer[], ${arrayText(sorted.map((each) => each.parserVersion))}::integer[],
      ${arrayText(packed.starts)}::integer[], ${arrayText(packed.lengths)}::integer[])
      as d (document_id, source_id, address, received_at, byte_size, parser_version, start, length)
    on conflict (document_id) do nothing
    returning document_id`.execute(db)
  return new Set(rows.map((row) => row.document_id))
}

/**
 * Writes notices to be consolidated. An existing one keeps its state if its content is the same, and is consolidated
 * again otherwise.
 */
export async function insertNotices(db: Executor, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return
  const publication = notices.map(({ notice }) =>
    notice.publicationDate === undefined ? null : Date.parse(notice.publicationDate),
  )
  // JSON.stringify escapes what PostgreSQL's text cannot hold: NUL and lone surrogates.
  const contents = joinPieces(notices.map((each) => Buffer.from(JSON.stringify(each.notice))))
  await sql`
    insert into notice (notice_id, document_id, pointer, notice_key, publisher, source_id, form_type, publication_ms, content, is_consolidated)
    select document_id || '#' || pointer, document_id, pointer, notice_key, publisher, source_id, form_type, publication_ms,
      convert_from(substring(${contents.bytes}::bytea from start for length), 'UTF8'), false
    from unnest(
      ${arrayText(notices.map((each) => each.documentId))}::text[], ${arrayText(notices.map((each) => each.pointer))}::text[],
      ${arrayText(notices.map((each) => toText(each.notice.noticeKey)))}::text[],
      ${arrayText(notices.map((each) => toText(each.notice.publisher)))}::text[],
      ${arrayText(notices.map((each) => each.sourceId))}::text[], ${arrayText(notices.map((each) => each.notice.formType))}::text[],
      ${arrayText(publication)}::bigint[], ${arrayText(contents.starts)}::integer[], ${arrayText(contents.lengths)}::integer[])
      as n (document_id, pointer, notice_key, publisher, source_id, form_type, publication_ms, start, length)
    on conflict (notice_id) do update set
      notice_key = excluded.notice_key, publisher = excluded.publisher, form_type = excluded.form_type,
      publication_ms = excluded.publication_ms, content = excluded.content, is_consolidated = false
    where notice.content is distinct from excluded.content or notice.notice_key is distinct from excluded.notice_key`.execute(
    db,
  )
}

/** What is stored of notices: the JSON of each by its document and pointer, and the record that it belongs to. */
export async function keptNotices(
  db: Executor,
  documentIds: readonly string[],
): Promise<{ readonly noticeId: string; readonly content: string; readonly tenderId: string | null }[]> {
  const { rows } = await sql<{ noticeId: string; content: string; tenderId: string | null }>`
    select notice_id as "noticeId", content, (select min(tender_id) from tender_notice t where t.notice_id = n.notice_id) as "tenderId"
    from notice n where document_id = any(${[...documentIds]}::text[])`.execute(db)
  return rows
}

/** Writes rejections; an existing one at the same position is replaced. */
export async function insertRejections(db: Executor, rejections: readonly NewRejection[]): Promise<void> {
  if (rejections.length === 0) return
  await sql`
    insert into rejection (document_id, pointer, reason, path, detail, rejected_at)
    select * from unnest(
      ${rejections.map((each) => each.documentId)}::text[], ${rejections.map((each) => each.pointer)}::text[],
      ${rejections.map((each) => each.rejection.reason)}::text[], ${rejections.map((each) => cut(each.rejection.path))}::text[],
      ${rejections.map((each) => cut(each.rejection.detail))}::text[], ${rejections.map((each) => each.rejectedAt)}::bigint[])
    on conflict (document_id, pointer) do update set reason = excluded.reason, path = excluded.path, detail = excluded.detail`.execute(
    db,
  )
}

/** Documents in the order of their IDs: those after one ID, up to another one or a number of them. */
export type DocumentSpan =
  | { readonly after: string; readonly upTo: string }
  | { readonly after: string; readonly limit: number }

/**
 * The documents of a span that parsers can read again. `outside` delivers those whose bytes are not in the database;
 * without it, or if it lacks them, such a document throws.
 */
export async function listParsableDocuments(
  db: Executor,
  span: DocumentSpan,
  outside?: Pick<DocumentStore, 'get'>,
): Promise<KeptDocument[]> {
  // base64 is faster than `bytea`, which both drivers read as hex
  const { rows } = await sql<{ documentId: string; sourceId: string; packed: string | null; byteSize: number }>`
    select document_id as "documentId", source_id as "sourceId", encode(packed, 'base64') as packed, byte_size as "byteSize"
    from source_document where document_id > ${span.after} and parser_version <> ${unparsedVersion}
    ${'upTo' in span ? sql`and document_id <= ${span.upTo} order by document_id` : sql`order by document_id limit ${span.limit}`}`.execute(
    db,
  )
  return inParallel(rows, maxGets, async ({ packed: text, byteSize, ...row }) => {
    const packed = text === null ? await outside?.get(row.documentId) : Buffer.from(text, 'base64')
    return { ...row, bytes: unpack(packed ?? missingContent(row.documentId), byteSize) }
  })
}

/** A document with its bytes. */
export type FoundDocument = {
  readonly sourceId: string
  readonly address: string
  readonly receivedAt: number
  readonly bytes: Uint8Array
}

/**
 * One document; `outside` as in `listParsableDocuments`. Undefined when there is none of this id, or when its bytes
 * have expired.
 */
export async function findDocument(
  db: Executor,
  documentId: string,
  outside?: Pick<DocumentStore, 'get'>,
): Promise<FoundDocument | undefined> {
  const { rows } = await sql<
    Omit<FoundDocument, 'bytes'> & { readonly packed: string | null; readonly byteSize: number }
  >`
    select source_id as "sourceId", address, received_at as "receivedAt", encode(packed, 'base64') as packed, byte_size as "byteSize"
    from source_document where document_id = ${documentId}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { packed: text, byteSize, ...found } = row
  const packed = text === null ? await outside?.get(documentId) : Buffer.from(text, 'base64')
  if (packed?.length === 0) return undefined
  return { ...found, bytes: unpack(packed ?? missingContent(documentId), byteSize) }
}

/** Maximum parallel requests to external storage: a bucket takes some hundredths of a second for each. */
const maxGets = 8

/** Removes what was read from these documents before and is not among their current parts. */
export async function deletePartsExcept(
  db: Executor,
  documentIds: readonly string[],
  kept: { readonly noticeIds: readonly string[]; readonly rejectionIds: readonly string[] },
): Promise<void> {
  if (documentIds.length === 0) return
  await sql`delete from notice where document_id = any(${[...documentIds]}::text[]) and not (notice_id = any(${[...kept.noticeIds]}::text[]))`.execute(
    db,
  )
  await sql`
    delete from rejection where document_id = any(${[...documentIds]}::text[])
    and not (document_id || '#' || pointer = any(${[...kept.rejectionIds]}::text[]))`.execute(db)
}

/** Records which version of the parsers last read these documents. */
export async function setParserVersion(
  db: Executor,
  documentIds: readonly string[],
  parserVersion: number,
): Promise<void> {
  await sql`update source_document set parser_version = ${parserVersion} where document_id = any(${[...documentIds]}::text[])`.execute(
    db,
  )
}

/** Updates the last check of a source; it never moves back. `checkedAt` is in epoch milliseconds. */
export async function setSourceCheck(db: Executor, sourceId: string, checkedAt: number): Promise<void> {
  await sql`
    insert into source_check (source_id, checked_at) values (${sourceId}, ${checkedAt})
    on conflict (source_id) do update set checked_at = greatest(source_check.checked_at, excluded.checked_at)`.execute(
    db,
  )
}

/** What was received so far. `outdated` counts documents that were last read by an older version of the parsers. */
export type ReceivedCounts = {
  readonly documents: number
  readonly outdated: number
  readonly notices: number
  readonly waiting: number
  readonly rejections: { readonly [reason: string]: number }
  readonly sources: { readonly [sourceId: string]: { readonly documents: number; readonly checkedAt: number | null } }
}

export async function countReceived(db: Executor, parserVersion: number): Promise<ReceivedCounts> {
  const { rows: bySource } = await sql<{
    source_id: string
    documents: number
    outdated: number
    checked_at: number | null
  }>`
    select d.source_id, d.documents::integer as documents, d.outdated::integer as outdated, c.checked_at
    from (select source_id, count(*) as documents,
            count(*) filter (where parser_version < ${parserVersion} and parser_version <> ${unparsedVersion}) as outdated
          from source_document group by source_id) d
    left join source_check c using (source_id) order by d.source_id`.execute(db)
  const { rows: notices } = await sql<{ notices: number; waiting: number }>`
    select count(*)::integer as notices, (count(*) filter (where ${isWaiting}))::integer as waiting from notice`.execute(
    db,
  )
  const { rows: reasons } = await sql<{ reason: string; count: number }>`
    select reason, count(*)::integer as count from rejection group by reason order by reason`.execute(db)
  return {
    documents: bySource.reduce((sum, row) => sum + row.documents, 0),
    outdated: bySource.reduce((sum, row) => sum + row.outdated, 0),
    notices: notices[0]?.notices ?? 0,
    waiting: notices[0]?.waiting ?? 0,
    rejections: Object.fromEntries(reasons.map((row) => [row.reason, row.count])),
    sources: Object.fromEntries(
      bySource.map((row) => [row.source_id, { documents: row.documents, checkedAt: row.checked_at }]),
    ),
  }
}

export type ListedRejection = {
  readonly address: string
  readonly sourceId: string
  readonly pointer: string
  readonly reason: string
  readonly path: string
  readonly detail: string
  readonly rejectedAt: number
}

/** The newest rejections first. */
export async function listRejections(db: Executor, limit: number): Promise<ListedRejection[]> {
  const rows = await db
    .selectFrom('rejection')
    .innerJoin('source_document', 'source_document.document_id', 'rejection.document_id')
    .select(['address', 'pointer', 'reason', 'path', 'detail', 'source_id as sourceId', 'rejected_at as rejectedAt'])
    .orderBy('rejected_at', 'desc')
    .orderBy('address')
    .orderBy('pointer')
    .limit(limit)
    .execute()
  const redactor = await loadRedactor(db)
  return rows.map((row) => ({ ...row, detail: redactor.text(row.detail) }))
}

function missingContent(documentId: string): never {
  throw new OperatorError(
    'document-missing',
    `The bytes of document ${documentId} are neither in the database nor in the document store; start with the same document store as when it was received.`,
  )
}

/**
 * Many values as one, with the position and length of each (positions count from 1, as in SQL; null stays null). A
 * binary parameter is sent to either engine unchanged; a list of values would be written as text, escaped, and parsed
 * again.
 */
function joinPieces(pieces: readonly (Buffer | null)[]): {
  readonly bytes: Buffer
  readonly starts: readonly number[]
  readonly lengths: readonly (number | null)[]
} {
  let start = 1
  const starts = pieces.map((piece) => {
    const own = start
    start += piece?.length ?? 0
    return own
  })
  return {
    bytes: Buffer.concat(pieces.filter((piece) => piece !== null)),
    starts,
    lengths: pieces.map((piece) => piece?.length ?? null),
  }
}

/**
 * Level 3 makes documents about as small as deflate does at level 6, in a fifth of the time. Its default tables are for
 * large files and are cleared for each; these, with 2^14 entries, cost a thousandth more space and are faster.
 */
const packOptions = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 3,
    [constants.ZSTD_c_hashLog]: 14,
    [constants.ZSTD_c_chainLog]: 14,
    [constants.ZSTD_c_checksumFlag]: 1,
  },
}

/** The bytes of a document as they are stored: a zstd frame with a checksum (RFC 8878). */
export function packDocument(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, packOptions)
}

/** Reads what `packDocument` wrote. Throws when the bytes are damaged or their number is wrong. */
function unpack(packed: Buffer, byteSize: number): Uint8Array {
  const bytes = zstdDecompressSync(packed, { maxOutputLength: Math.max(1, byteSize) })
  if (bytes.length !== byteSize) throw new Error(`a kept document has ${bytes.length} bytes instead of ${byteSize}`)
  return bytes
}

// PostgreSQL's text can hold every character except NUL and lone surrogates. JSON.stringify escapes both (as \u0000,
// \ud800).
function toText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed()
}

/** Maximum length of details and paths, which are for people. */
const longestDetail = 1000

function cut(text: string): string {
  return toText(text.length > longestDetail ? `${text.slice(0, longestDetail - 1)}…` : text)
}

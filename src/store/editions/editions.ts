// The editions and their entries: what publishing writes, and what the edition logs read from it. Entries above the
// newest edition's lastModified belong to a publication in progress: no query for readers returns them.
import { sql } from 'kysely'
import { type HoldReason, holdLine } from '../../domain/hold-reason.ts'
import { arrayText } from '../database/array-text.ts'
import { readSerials } from '../database/change-signal.ts'
import type { Executor } from '../database/database.ts'

/** A published edition as stored. Times in epoch milliseconds. */
export type EditionRow = {
  readonly edition: number
  readonly lastModified: number
  readonly publishedAt: number
  readonly records: number
  readonly changes: number
  readonly checks: { readonly [sourceId: string]: number }
  /** Its digest (domain/stock-digest.ts); null when it was published without one. */
  readonly checksum: string | null
}

export type StoredEntry = {
  readonly edition: number
  readonly lastModified: number
  /** JSON of the record without checkedAt; the id is its first member. */
  readonly body: string
  /** JSON array of source ids. */
  readonly sources: string
}

const editionColumns = [
  'edition',
  'last_modified as lastModified',
  'published_at as publishedAt',
  'records',
  'changes',
  'checks',
  'checksum',
] as const

const editionOf = <Row extends { readonly checks: string }>(row: Row) => ({
  ...row,
  checks: JSON.parse(row.checks) as EditionRow['checks'],
})

export async function newestEdition(db: Executor): Promise<EditionRow | undefined> {
  const row = await db
    .selectFrom('edition')
    .select(editionColumns)
    .orderBy('edition', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && editionOf(row)
}

/** The digest with which an edition was published; undefined when that is not known. */
export async function checksumOf(db: Executor, edition: number): Promise<string | undefined> {
  const row = await db.selectFrom('edition').select('checksum').where('edition', '=', edition).executeTakeFirst()
  return row?.checksum ?? undefined
}

/** The editions after `edition`, in order, at most `limit`. */
export async function editionsAfter(db: Executor, edition: number, limit: number): Promise<EditionRow[]> {
  const rows = await db
    .selectFrom('edition')
    .select(editionColumns)
    .where('edition', '>', edition)
    .orderBy('edition')
    .limit(limit)
    .execute()
  return rows.map(editionOf)
}

/** Entries with `after` < lastModified <= `upTo`, in order, at most `limit`. Entries replaced long ago are gone. */
export function entriesAfter(db: Executor, after: number, upTo: number, limit: number): Promise<StoredEntry[]> {
  return db
    .selectFrom('edition_entry')
    .select(['edition', 'last_modified as lastModified', 'body', 'sources'])
    .where('last_modified', '>', after)
    .where('last_modified', '<=', upTo)
    .orderBy('last_modified')
    .limit(limit)
    .execute()
}

/**
 * The records of an edition after `after`, in the order of `lastModified`, at most `limit`; an edition that is no
 * longer the newest works for as long as the entries replaced since are kept (a day).
 */
export async function entriesOfEdition(
  db: Executor,
  { edition, lastModified }: Pick<EditionRow, 'edition' | 'lastModified'>,
  after: number,
  limit: number,
): Promise<StoredEntry[]> {
  const { rows } = await sql<StoredEntry>`
    select edition, last_modified as "lastModified", body, sources from edition_entry e
    where last_modified > ${after} and last_modified <= ${lastModified} and not exists (
      select from replaced_entry r where r.last_modified = e.last_modified and r.superseded_by <= ${edition}::integer)
    order by last_modified limit ${limit}::integer`.execute(db)
  return rows
}

/** The newest entry of a record. */
export type PublishedEntry = {
  readonly tenderId: string
  readonly lastModified: number
  readonly body: string
  readonly archiveReason: string | null
  /** When the edition that first held it was published. */
  readonly firstPublishedAt: number
}

/** The next `limit` records of the newest edition, in the order of their ids after `afterId`. */
export async function publishedEntries(db: Executor, afterId: string, limit: number): Promise<PublishedEntry[]> {
  const { rows } = await sql<PublishedEntry>`
    select p.tender_id as "tenderId", p.last_modified as "lastModified", e.body, p.archive_reason as "archiveReason",
      f.published_at as "firstPublishedAt"
    from published_tender p join edition_entry e on e.last_modified = p.last_modified
    join edition f on f.edition = p.first_edition
    where p.tender_id > ${afterId} order by p.tender_id limit ${limit}::integer`.execute(db)
  return rows
}

/** The JSON of the newest published records with these ids. */
export async function publishedBodies(
  db: Executor,
  tenderIds: readonly string[],
): Promise<Pick<PublishedEntry, 'tenderId' | 'body'>[]> {
  const { rows } = await sql<Pick<PublishedEntry, 'tenderId' | 'body'>>`
    select p.tender_id as "tenderId", e.body from published_tender p join edition_entry e on e.last_modified = p.last_modified
    where p.tender_id = any (${arrayText(tenderIds)}::text[])`.execute(db)
  return rows
}

const stockIdName = 'stock-id'

/** Identifies this stock: created with the first edition, empty before. */
export async function stockIdOf(db: Executor): Promise<string> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', stockIdName).executeTakeFirst()
  return row?.value ?? ''
}

/** What a database states about itself to the nodes that follow its editions. */
export type DatabaseHead = {
  /** Its newest edition. */
  readonly target: EditionRow | undefined
  readonly stockId: string
  /** Serial of the topic `edition`. */
  readonly serial: number
  /** It follows another server, and may not have received everything yet. */
  readonly isStandby: boolean
}

export async function databaseHead(db: Executor): Promise<DatabaseHead> {
  const { rows } = await sql<{ isStandby: boolean }>`select pg_is_in_recovery() as "isStandby"`.execute(db)
  const { edition: serial } = await readSerials(db)
  return { target: await newestEdition(db), stockId: await stockIdOf(db), serial, isStandby: rows[0]!.isStandby }
}

/** Creates the stock's ID if it has none. */
export async function ensureStockId(db: Executor): Promise<void> {
  await sql`insert into setting (name, value) values (${stockIdName}, gen_random_uuid()::text) on conflict do nothing`.execute(
    db,
  )
}

/** What an edition stores for the gate of the next one. */
export type EditionCounts = {
  /** Number of records that are not archived. */
  readonly live: number
  /** Records that name each source. */
  readonly bySource: { readonly [sourceId: string]: number }
  /** The rules that changed before it (domain/stock-rules.ts), if any did. */
  readonly rules?: readonly string[]
}

/** What the next edition would change. Counts are of records. */
export type PendingChanges = {
  readonly changes: number
  readonly added: number
  /** Change in the number of records that are not archived. */
  readonly liveDelta: number
  /** Live records that become archived as cancelled, or as merged. */
  readonly cancelled: number
  readonly merged: number
  /** Change in the number of records that name each source. */
  readonly bySourceDelta: { readonly [sourceId: string]: number }
}

/** Number of documents, except formats without notices, and how many of them were rejected. */
export type ReceivedCounts = { readonly documents: number; readonly rejected: number }

export async function countsOf(db: Executor, edition: number): Promise<EditionCounts> {
  const row = await db.selectFrom('edition').select('counts').where('edition', '=', edition).executeTakeFirstOrThrow()
  const counts = JSON.parse(row.counts) as Partial<EditionCounts>
  return { live: counts.live ?? 0, bySource: counts.bySource ?? {}, rules: counts.rules ?? [] }
}

/** A page of something that is read in pieces; the next one begins after `lastId`, which is null after the last. */
type Page = { readonly lastId: string | null }

type PendingGroup = {
  readonly before: string | null
  readonly after: string
  readonly records: number
  readonly liveDelta: number
  readonly cancelled: number
  readonly merged: number
}

/**
 * Sums the changes to the newest edition from the next `limit` tenders written since, in the order of their IDs after
 * `afterId`.
 */
export async function pendingChanges(
  db: Executor,
  afterId: string,
  limit: number,
): Promise<Page & { readonly pending: PendingChanges }> {
  const { lastId, groups } = await pendingGroups(db, afterId, limit)
  const total = { changes: 0, added: 0, liveDelta: 0, cancelled: 0, merged: 0 }
  const bySourceDelta: Record<string, number> = {}
  const count = (sources: string, delta: number): void => {
    for (const source of JSON.parse(sources) as string[]) bySourceDelta[source] = (bySourceDelta[source] ?? 0) + delta
  }
  for (const row of groups) {
    total.changes += row.records
    total.liveDelta += row.liveDelta
    total.cancelled += row.cancelled
    total.merged += row.merged
    count(row.after, row.records)
    if (row.before === null) total.added += row.records
    else count(row.before, -row.records)
  }
  return { lastId, pending: { ...total, bySourceDelta } }
}

/**
 * The fences (`offset 0`) make the server look up each tender that was written: it does not know how many there are,
 * and a plan for many would read the whole stock.
 */
async function pendingGroups(
  db: Executor,
  afterId: string,
  limit: number,
): Promise<Page & { readonly groups: readonly PendingGroup[] }> {
  const { rows } = await sql<Page & { groups: PendingGroup[] }>`
    with batch as materialized (
      select tender_id from tender_change where tender_id > ${afterId} order by tender_id limit ${limit}::integer
    ), groups as (
      select before, after, count(*)::integer as records,
        (count(*) filter (where reason is null) - count(*) filter (where was_live))::integer as "liveDelta",
        (count(*) filter (where was_live and reason = 'cancelled'))::integer as cancelled,
        (count(*) filter (where was_live and reason = 'merged'))::integer as merged
      from (
        select p.sources as before, t.sources as after, t.archive_reason as reason,
          p.content_hash is not null and p.archive_reason is null as was_live
        from batch c
        cross join lateral (
          select content_hash, sources, archive_reason from tender where tender_id = c.tender_id offset 0) t
        left join lateral (
          select content_hash, sources, archive_reason from published_tender where tender_id = c.tender_id offset 0) p on true
        where t.content_hash is distinct from p.content_hash offset 0) as pending
      group by before, after
    )
    select (select max(tender_id) from batch) as "lastId", (select coalesce(json_agg(groups), '[]') from groups) as groups`.execute(
    db,
  )
  return rows[0]!
}

/**
 * Counts the next `limit` ids that an edition has held. They never disappear (P3), so their total equals the number of
 * records in the newest edition while no publication is in progress.
 */
export async function countClaimedIds(
  db: Executor,
  afterId: string,
  limit: number,
): Promise<Page & { readonly count: number }> {
  const { rows } = await sql<Page & { count: number }>`
    select count(*)::integer as count, max(tender_id) as "lastId" from (
      select tender_id from published_tender where tender_id > ${afterId} order by tender_id limit ${limit}::integer) as page`.execute(
    db,
  )
  return rows[0]!
}

/**
 * Ids that point to a record that is missing, or is merged itself (D37), among those that point to the next `limit`
 * records. At most a few, for the message.
 */
export async function danglingMerges(
  db: Executor,
  afterId: string,
  limit: number,
): Promise<Page & { readonly dangling: readonly string[] }> {
  const { rows } = await sql<Page & { dangling: string[] }>`
    with page as materialized (
      select distinct merged_into from tender where merged_into > ${afterId} order by merged_into limit ${limit}::integer
    ), lost as (
      select page.merged_into from page
      left join lateral (select tender_id, merged_into from tender where tender_id = page.merged_into offset 0) s on true
      where s.tender_id is null or s.merged_into is not null limit 5
    )
    select (select max(merged_into) from page) as "lastId",
      (select coalesce(json_agg(tender_id), '[]') from (
        select tender_id from lost join tender using (merged_into) limit 5) as few) as dangling`.execute(db)
  return rows[0]!
}

/** Documents received together, for a read in pieces: `upTo` is null for the last ones. */
type Arrivals = { readonly after: number; readonly upTo: number | null }

/**
 * The next documents received after `after`: about `limit`, and those that came in the same millisecond as the last.
 */
export async function nextArrivals(db: Executor, after: number, limit: number): Promise<Arrivals> {
  const row = await db
    .selectFrom('source_document')
    .select('received_at')
    .where('received_at', '>', after)
    .orderBy('received_at')
    .offset(limit)
    .limit(1)
    .executeTakeFirst()
  return { after, upTo: row?.received_at ?? null }
}

const among = ({ after, upTo }: Arrivals) =>
  sql`d.received_at > ${after} and d.received_at <= ${upTo ?? Number.MAX_SAFE_INTEGER}`

export async function receivedAmong(db: Executor, arrivals: Arrivals): Promise<ReceivedCounts> {
  const { rows } = await sql<ReceivedCounts>`
    select count(*)::integer as documents, (count(*) filter (where is_rejected))::integer as rejected
    from (
      select coalesce(bool_or(r.reason not in ('unsupported-format', 'not-procurement')), false) as is_rejected,
        coalesce(bool_or(r.reason = 'unsupported-format'), false) as is_foreign
      from source_document d left join rejection r using (document_id)
      where ${among(arrivals)} group by d.document_id) as document
    where not is_foreign or is_rejected`.execute(db)
  return rows[0]!
}

/** Days (since 1970, UTC) on which documents of each source were received, each with the time of the last one. */
export async function arrivalDays(
  db: Executor,
  arrivals: Arrivals,
): Promise<{ readonly sourceId: string; readonly day: number; readonly lastReceivedAt: number }[]> {
  const { rows } = await sql<{ sourceId: string; day: number; lastReceivedAt: number }>`
    select d.source_id as "sourceId", (d.received_at / 86400000)::integer as day, max(d.received_at) as "lastReceivedAt"
    from source_document d where ${among(arrivals)} group by 1, 2`.execute(db)
  return rows
}

/** Last check of each source, in epoch milliseconds. */
export async function sourceChecks(db: Executor): Promise<{ [sourceId: string]: number }> {
  const rows = await db.selectFrom('source_check').select(['source_id', 'checked_at']).orderBy('source_id').execute()
  return Object.fromEntries(rows.map((row) => [row.source_id, row.checked_at]))
}

/** Claims the number of an edition: the primary key allows only one publisher. From here on readers see it. */
export async function insertEdition(trx: Executor, edition: EditionRow, counts: EditionCounts): Promise<void> {
  await trx
    .insertInto('edition')
    .values({
      edition: edition.edition,
      last_modified: edition.lastModified,
      published_at: edition.publishedAt,
      records: edition.records,
      changes: edition.changes,
      checks: JSON.stringify(edition.checks),
      counts: JSON.stringify(counts),
      checksum: edition.checksum,
    })
    .execute()
}

export type InsertedEntries = {
  /** The tender after which the next batch begins; null when there are no more. */
  readonly lastId: string | null
  readonly added: number
  /** Added ones that replaced an entry of an earlier edition. */
  readonly replaced: number
}

/**
 * Adds the next `limit` of the tenders that were written since the newest edition to a new one, in the order of their
 * ids after `afterId`, one millisecond each from `stamp` on; those that are again as published are skipped. None of
 * them counts as written any more. No data leaves the server: the body is the content with `lastModified` after its
 * first member. A content that does not begin with the tender's id makes no body, and that is an error of the column.
 */
export async function insertEntries(
  trx: Executor,
  { edition, stamp, afterId, limit }: { edition: number; stamp: number; afterId: string; limit: number },
): Promise<InsertedEntries> {
  const { rows } = await sql<InsertedEntries>`
    with batch as materialized (
      select tender_id from tender_change where tender_id > ${afterId} order by tender_id limit ${limit}::integer
    ), changed as materialized (
      select ${stamp}::bigint - 1 + row_number() over (order by tender_id) as last_modified, tender_id,
        t.content || '' as content, t.content_hash, t.archive_reason, t.sources, p.last_modified as replaced,
        p.content_hash as replaced_hash, p.archive_reason as replaced_reason, p.entry_hash
      from batch join tender t using (tender_id) left join published_tender p using (tender_id)
      where t.content_hash is distinct from p.content_hash
    ), replaced as (
      insert into replaced_entry (superseded_by, last_modified, content_hash, archive_reason, entry_hash)
      select ${edition}::integer, replaced, replaced_hash, replaced_reason, entry_hash from changed where replaced is not null
    ), added as (
      insert into edition_entry (last_modified, edition, tender_id, body, sources)
      select last_modified, ${edition}::integer, tender_id,
        case when starts_with(content, '{"id":"' || tender_id || '",') then
          left(content, 9 + length(tender_id)) || '"lastModified":"' ||
          to_char(timestamp 'epoch' + last_modified * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '",' ||
          right(content, -9 - length(tender_id))
        end, sources
      from changed
    ), moved as (
      update published_tender p
      set content_hash = changed.content_hash, last_modified = changed.last_modified, sources = changed.sources,
        archive_reason = changed.archive_reason
      from changed where p.tender_id = changed.tender_id
    ), claimed as (
      insert into published_tender (tender_id, first_edition, content_hash, last_modified, sources, archive_reason)
      select tender_id, ${edition}::integer, content_hash, last_modified, sources, archive_reason
      from changed where replaced is null
    ), forgotten as (
      delete from tender_change where tender_id in (select tender_id from batch)
    )
    select (select max(tender_id) from batch) as "lastId", count(*)::integer as added, count(replaced)::integer as replaced
    from changed`.execute(trx)
  return rows[0]!
}

/** Stores the sentences too: an older version reads only them. */
export async function recordHold(db: Executor, heldAt: number, reasons: readonly HoldReason[]): Promise<void> {
  const row = { reasons: JSON.stringify(reasons.map(holdLine)), causes: JSON.stringify(reasons) }
  await db
    .insertInto('edition_hold')
    .values({ held_at: heldAt, ...row })
    .onConflict((conflict) => conflict.column('held_at').doUpdateSet(row))
    .execute()
}

/**
 * Removes up to `limit` entries that were replaced by editions published before `before`, the oldest first. Those not
 * yet matched with the saved searches stay until `beforeUnmatched`. Returns how many.
 */
export async function deleteReplacedEntries(
  db: Executor,
  { before, beforeUnmatched }: { readonly before: number; readonly beforeUnmatched: number },
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with gone as (
      delete from replaced_entry where (superseded_by, last_modified) in (
        select superseded_by, last_modified from replaced_entry
        where superseded_by <= (select max(edition) from edition where published_at < ${before})
          and (last_modified <= (select last_modified from hit_mark)
            or superseded_by <= (select max(edition) from edition where published_at < ${beforeUnmatched})
            or not exists (select from saved_search))
        order by superseded_by, last_modified limit ${limit}::integer)
      returning last_modified
    )
    delete from edition_entry where last_modified = any (array(select last_modified from gone))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

// Editions for people: the newest ones, and what one of them changed.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import type { ListedHold } from '../stock/status.ts'

/** Times in epoch milliseconds. */
export type ListedEdition = {
  readonly edition: number
  readonly publishedAt: number
  readonly records: number
  readonly changes: number
  readonly checksum: string | null
  /** How often the gate held it back before it was published. */
  readonly holds: number
}

/** Editions below `before`, the newest first. */
export async function listEditions(
  db: Executor,
  { before, limit }: { readonly before?: number; readonly limit: number },
): Promise<ListedEdition[]> {
  const { rows } = await sql<ListedEdition>`
    select e.edition, e.published_at as "publishedAt", e.records, e.changes, e.checksum, (
      select count(*)::integer from edition_hold h where h.held_at <= e.published_at
        and h.held_at > coalesce((select max(published_at) from edition p where p.edition < e.edition), 0)) as holds
    from edition e where ${before ?? null}::integer is null or e.edition < ${before ?? null}
    order by e.edition desc limit ${limit}::integer`.execute(db)
  return rows
}

export type EditionFacts = Omit<ListedEdition, 'holds'> & {
  readonly lastModified: number
  readonly previousModified: number | null
  readonly previousAt: number | null
  readonly isNewest: boolean
  /** The rules that changed before it (domain/stock-rules.ts). */
  readonly rules: readonly string[]
  /** The gate's reasons before it was published, the newest last. */
  readonly holds: readonly ListedHold[]
}

/** One edition; undefined when there is none of this number. */
export async function findEdition(db: Executor, edition: number): Promise<EditionFacts | undefined> {
  const { rows } = await sql<EditionFacts>`
    select e.edition, e.published_at as "publishedAt", e.records, e.changes, e.checksum, e.last_modified as "lastModified",
      p.last_modified as "previousModified", p.published_at as "previousAt",
      not exists (select from edition n where n.edition > e.edition) as "isNewest",
      coalesce(e.counts::json->'rules', '[]') as rules,
      (select coalesce(json_agg(json_build_object('heldAt', held_at, 'reasons', reasons::json, 'causes', causes::json) order by held_at), '[]')
       from edition_hold h where h.held_at <= e.published_at and h.held_at > coalesce(p.published_at, 0)) as holds
    from edition e left join edition p on p.edition = (select max(edition) from edition b where b.edition < e.edition)
    where e.edition = ${edition}`.execute(db)
  return rows[0]
}

/** Entries of an edition that are still held, by the sources of their records. */
export type SourceChanges = {
  readonly sources: readonly string[]
  readonly added: number
  readonly changed: number
  /** Archived by this edition. */
  readonly archived: number
}

/**
 * What an edition changed, by groups of sources. Entries that a later edition replaced are kept for a day: for an older
 * edition this counts only what has not changed since. Records archived before count as changed for as long as their
 * older version is kept.
 */
export async function changesBySource(
  db: Executor,
  { edition, previousModified, lastModified }: Pick<EditionFacts, 'edition' | 'previousModified' | 'lastModified'>,
): Promise<SourceChanges[]> {
  const { rows } = await sql<{ sources: string; added: number; changed: number; archived: number }>`
    with entry as (
      select e.tender_id, e.last_modified, e.sources from edition_entry e
      where e.last_modified > ${previousModified ?? Number.MIN_SAFE_INTEGER} and e.last_modified <= ${lastModified}
    ), before as (
      select o.tender_id, r.archive_reason from replaced_entry r join edition_entry o using (last_modified)
      where r.superseded_by = ${edition}
    ), judged as (
      select entry.sources, p.first_edition = ${edition} as is_new,
        case when p.last_modified = entry.last_modified then p.archive_reason else r.archive_reason end as reason,
        before.archive_reason as reason_before
      from entry join published_tender p using (tender_id)
      left join replaced_entry r on r.last_modified = entry.last_modified
      left join before using (tender_id)
    )
    select sources, (count(*) filter (where is_new))::integer as added,
      (count(*) filter (where not is_new and (reason is null or reason_before is not null)))::integer as changed,
      (count(*) filter (where not is_new and reason is not null and reason_before is null))::integer as archived
    from judged group by sources`.execute(db)
  return rows.map(({ sources, ...row }) => ({ ...row, sources: JSON.parse(sources) as string[] }))
}

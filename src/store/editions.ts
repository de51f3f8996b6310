// The editions and their entries: what publishing writes in one transaction, and what the edition logs read from it.
import { sql } from 'kysely'
import type { Executor } from './database.ts'

/** A published edition as it is stored. Times in epoch milliseconds. */
export type EditionRow = {
  readonly edition: number
  readonly lastModified: number
  readonly publishedAt: number
  readonly records: number
  readonly changes: number
  readonly checks: { readonly [sourceId: string]: number }
}

export type StoredEntry = {
  readonly edition: number
  readonly lastModified: number
  /** JSON of the record without checkedAt; the id is its first member. */
  readonly body: string
  /** JSON array of source ids. */
  readonly sources: string
}

const editionColumns = ['edition', 'last_modified', 'published_at', 'records', 'changes', 'checks'] as const

type StoredEditionColumns = {
  edition: number
  last_modified: number
  published_at: number
  records: number
  changes: number
  checks: string
}

function editionOf(row: StoredEditionColumns): EditionRow {
  return {
    edition: row.edition,
    lastModified: row.last_modified,
    publishedAt: row.published_at,
    records: row.records,
    changes: row.changes,
    checks: JSON.parse(row.checks) as { [sourceId: string]: number },
  }
}

export async function newestEdition(db: Executor): Promise<EditionRow | undefined> {
  const row = await db
    .selectFrom('edition')
    .select(editionColumns)
    .orderBy('edition', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && editionOf(row)
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

/** Entries with `after` < lastModified <= `upTo`, in order, at most `limit`. Long replaced ones are gone. */
export async function entriesAfter(db: Executor, after: number, upTo: number, limit: number): Promise<StoredEntry[]> {
  const rows = await db
    .selectFrom('edition_entry')
    .select(['edition', 'last_modified', 'body', 'sources'])
    .where('last_modified', '>', after)
    .where('last_modified', '<=', upTo)
    .orderBy('last_modified')
    .limit(limit)
    .execute()
  return rows.map(({ last_modified, ...row }) => ({ ...row, lastModified: last_modified }))
}

const stockIdName = 'stock-id'

/** What tells this stock from any other: made with the first edition. Empty before. */
export async function stockIdOf(db: Executor): Promise<string> {
  const row = await db.selectFrom('setting').select('value').where('name', '=', stockIdName).executeTakeFirst()
  return row?.value ?? ''
}

/** Makes the stock's id when it has none. */
export async function ensureStockId(db: Executor): Promise<void> {
  await sql`insert into setting (name, value) values (${stockIdName}, gen_random_uuid()::text) on conflict do nothing`.execute(
    db,
  )
}

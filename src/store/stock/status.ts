// Reads for the operator's status and for the comparison around a rebuild.
import { sql } from 'kysely'
import type { HoldReason } from '../../domain/hold-reason.ts'
import type { Executor } from '../database/database.ts'

/** How many tenders of the stock have each status. Reads the whole stock. */
export async function countTendersByStatus(db: Executor): Promise<{ [status: string]: number }> {
  const { rows } = await sql<{ status: string; count: number }>`
    select content::json->>'status' as status, count(*)::integer as count from tender group by 1 order by 1`.execute(db)
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}

/** Tenders whose content is not that of the newest edition. */
export async function countUnpublished(db: Executor): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count
    from tender_change join tender t using (tender_id) left join published_tender p using (tender_id)
    where t.content_hash is distinct from p.content_hash`.execute(db)
  return rows[0]?.count ?? 0
}

/** Sentences, and the same as codes with values; null if an older version wrote it. */
export type ListedHold = {
  readonly heldAt: number
  readonly reasons: readonly string[]
  readonly causes: readonly HoldReason[] | null
}

/** Editions held back since `after` (epoch milliseconds), newest first. */
export async function listHolds(db: Executor, after: number, limit: number): Promise<ListedHold[]> {
  const rows = await db
    .selectFrom('edition_hold')
    .selectAll()
    .where('held_at', '>', after)
    .orderBy('held_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => {
    const reasons: unknown = JSON.parse(row.reasons)
    return {
      heldAt: row.held_at,
      reasons: Array.isArray(reasons)
        ? reasons.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
        : [String(reasons)],
      causes: row.causes === null ? null : (JSON.parse(row.causes) as HoldReason[]),
    }
  })
}

/**
 * Content hash of every tender by its ID, read in portions. 16 hex digits distinguish two contents well enough here.
 */
export async function tenderHashes(db: Executor): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('tender')
      .select(['tender_id', 'content_hash'])
      .where('tender_id', '>', after)
      .orderBy('tender_id')
      .limit(5000)
      .execute()
    for (const row of rows) hashes.set(row.tender_id, row.content_hash.slice(0, 16))
    const last = rows.at(-1)
    if (!last) return hashes
    after = last.tender_id
  }
}

// Rejections for people: how many of which reason and source, and the newest of them.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import type { ListedRejection } from './documents.ts'
import { loadRedactor } from './redactions.ts'

export type RejectionCount = {
  readonly reason: string
  readonly sourceId: string
  readonly count: number
  /** Epoch milliseconds. */
  readonly newestAt: number
}

/** Counts by reason and source, the highest first. */
export async function countRejections(db: Executor): Promise<RejectionCount[]> {
  const { rows } = await sql<RejectionCount>`
    select r.reason, d.source_id as "sourceId", count(*)::integer as count, max(r.rejected_at) as "newestAt"
    from rejection r join source_document d using (document_id)
    group by 1, 2 order by count(*) desc, 1, 2`.execute(db)
  return rows
}

export type FoundRejection = ListedRejection & { readonly documentId: string }

/** The newest rejections, of one reason or source where named. */
export async function findRejections(
  db: Executor,
  which: {
    readonly reason?: string
    readonly sourceId?: string
    readonly limit: number
    readonly offset: number
  },
): Promise<FoundRejection[]> {
  const { rows } = await sql<FoundRejection>`
    select r.document_id as "documentId", r.pointer, d.address, d.source_id as "sourceId", r.reason, r.path, r.detail,
      r.rejected_at as "rejectedAt"
    from rejection r join source_document d using (document_id)
    where (${which.reason ?? null}::text is null or r.reason = ${which.reason ?? null})
      and (${which.sourceId ?? null}::text is null or d.source_id = ${which.sourceId ?? null})
    order by r.rejected_at desc, r.document_id, r.pointer limit ${which.limit}::integer offset ${which.offset}::integer`.execute(
    db,
  )
  const redactor = await loadRedactor(db)
  return rows.map((row) => ({ ...row, detail: redactor.text(row.detail) }))
}

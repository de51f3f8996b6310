// How long after their publication the newest notices of each source were received.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

/**
 * Maximum number of documents to examine, the newest: however large the stock is, the query takes about a tenth of a
 * second.
 */
const maxDocuments = 10_000

/** Delays of one source, in milliseconds. */
export type ReadingDelay = {
  readonly sourceId: string
  readonly notices: number
  readonly median: number
  /** Nine of ten notices took at most this long. */
  readonly ninth: number
}

/**
 * Returns delays by source, for notices that were published after the source was first read: earlier ones are late
 * through no fault of the portal. A portal that announces a notice before its date has no delay. Runs one statement.
 */
export async function readingDelays(db: Executor): Promise<ReadingDelay[]> {
  const { rows } = await sql<ReadingDelay>`
    with newest as (
      select document_id, received_at from source_document order by received_at desc limit ${maxDocuments}::integer
    ), received as (
      select n.source_id, greatest(0, newest.received_at - n.publication_ms) as delay
      from newest
      -- one look at the index for each document: a join might read all notices instead
      cross join lateral (select source_id, publication_ms from notice where document_id = newest.document_id offset 0) n
      join setting s on s.name = 'source-start:' || n.source_id
      where n.publication_ms >= s.value::bigint
    )
    select source_id as "sourceId", count(*)::integer as notices,
      percentile_disc(0.5) within group (order by delay) as median,
      percentile_disc(0.9) within group (order by delay) as ninth
    from received group by source_id order by source_id`.execute(db)
  return rows
}

// Which source delivers what a publisher published.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

/**
 * Sources by publisher, each that of one of its notices. One look at an index for each; publishers without a notice are
 * absent.
 */
export async function sourcesOfPublishers(
  db: Executor,
  publishers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (publishers.length === 0) return new Map()
  const { rows } = await sql<{ publisher: string; sourceId: string }>`
    select publisher, source_id as "sourceId"
    from unnest(${publishers}::text[]) as asked(publisher)
    -- keys begin with the publisher, so in any collation they come after it
    cross join lateral (
      select source_id from notice n where n.notice_key >= asked.publisher || ':' and n.publisher = asked.publisher
      order by n.notice_key limit 1
    ) found`.execute(db)
  return new Map(rows.map(({ publisher, sourceId }) => [publisher, sourceId]))
}

// Opens the connections of a store before a test of parallel work: otherwise the one that is open does the work of all
// others while these are being opened, and nothing is parallel.
import { sql } from 'kysely'
import type { Executor } from '../../src/store/database/database.ts'

/** As many as a store opens, or more. */
const connections = 20

export async function openConnections(db: Executor): Promise<void> {
  await Promise.all(Array.from({ length: connections }, () => sql`select pg_sleep(0.05)`.execute(db)))
}

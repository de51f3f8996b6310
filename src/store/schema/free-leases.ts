// Leases of processes that are gone, so that nothing waits for them.
import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Ends the leases of a publication, of the export of editions, of the matching, of deliveries and of mails. Only for a
 * stock that no other process can have open: no holder is alive. A stock of an older version may have fewer of these
 * tables.
 */
export async function freeLeases(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(db)
  const names = new Set(rows.map(({ name }) => name))
  for (const table of ['publication', 'hit_mark', 'edition_export'] as const)
    if (names.has(table)) await db.updateTable(table).set({ until_ms: 0 }).where('until_ms', '>', 0).execute()
  // whoever comes back says again what it holds
  if (names.has('edition_witness')) await db.deleteFrom('edition_witness').execute()
  for (const table of ['webhook_endpoint', 'mail'] as const)
    if (names.has(table)) await db.updateTable(table).set({ taken_until: 0 }).where('taken_until', '>', 0).execute()
}

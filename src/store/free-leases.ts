// Leases of processes that are gone, so that nobody waits for them.
import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Ends the leases of a publication, of the export of editions, of the matching, of deliveries and of mails, in tables that `has` knows. Only for a stock that
 * no other process can have: no holder lives.
 */
export async function freeLeases(db: Kysely<Database>, has: (table: string) => boolean = () => true): Promise<void> {
  for (const table of ['publication', 'hit_mark', 'edition_export'] as const)
    if (has(table)) await db.updateTable(table).set({ until_ms: 0 }).where('until_ms', '>', 0).execute()
  for (const table of ['webhook_endpoint', 'mail'] as const)
    if (has(table)) await db.updateTable(table).set({ taken_until: 0 }).where('taken_until', '>', 0).execute()
}

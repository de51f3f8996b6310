// What an interrupted reading of before images leaves in a stock.
import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.ts'

/** Removes the log and its functions, and with them the triggers. */
export async function dropBeforeImages(db: Kysely<Database>): Promise<void> {
  await sql`drop schema if exists before_image cascade`.execute(db)
}

// What a reading of before images leaves in a stock when it is cut off.
import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** Removes the log and its functions; the triggers go with these. */
export async function dropBeforeImages(db: Kysely<Database>): Promise<void> {
  await sql`drop schema if exists before_image cascade`.execute(db)
}

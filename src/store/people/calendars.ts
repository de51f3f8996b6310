// Calendars of people: the tenders whose deadlines they marked, and the secret address at which a program reads them.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

/** Maximum tenders in one calendar. */
export const maxMarks = 500

/** False if the calendar is full. Marking twice is marking once. */
export async function markDeadline(trx: Executor, personId: string, tenderId: string, now: number): Promise<boolean> {
  // simultaneous marks of one person are counted one after the other
  await sql`select from person where person_id = ${personId} for update`.execute(trx)
  const marked = await markedDeadlines(trx, personId)
  if (marked.includes(tenderId)) return true
  if (marked.length >= maxMarks) return false
  await trx.insertInto('deadline_mark').values({ person_id: personId, tender_id: tenderId, marked_at: now }).execute()
  return true
}

export async function unmarkDeadline(trx: Executor, personId: string, tenderId: string): Promise<void> {
  await trx.deleteFrom('deadline_mark').where('person_id', '=', personId).where('tender_id', '=', tenderId).execute()
}

export async function isDeadlineMarked(db: Executor, personId: string, tenderId: string): Promise<boolean> {
  const row = await db
    .selectFrom('deadline_mark')
    .select('tender_id')
    .where('person_id', '=', personId)
    .where('tender_id', '=', tenderId)
    .executeTakeFirst()
  return row !== undefined
}

/** Ids of tenders, the last mark first. */
export async function markedDeadlines(db: Executor, personId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('deadline_mark')
    .select('tender_id')
    .where('person_id', '=', personId)
    .orderBy('marked_at', 'desc')
    .orderBy('tender_id')
    .limit(maxMarks)
    .execute()
  return rows.map((row) => row.tender_id)
}

/** Sets the address of a person's calendar, in place of the one before. */
export async function putCalendarFeed(
  trx: Executor,
  { personId, keyHash, now }: { readonly personId: string; readonly keyHash: string; readonly now: number },
): Promise<void> {
  const feed = { key_hash: keyHash, created_at: now }
  await trx
    .insertInto('calendar_feed')
    .values({ person_id: personId, ...feed })
    .onConflict((conflict) => conflict.column('person_id').doUpdateSet(feed))
    .execute()
}

/** False if there was no address. */
export async function endCalendarFeed(trx: Executor, personId: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('calendar_feed').where('person_id', '=', personId).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Removes marks and address of somebody who belongs to no organization any more. */
export async function forgetCalendar(trx: Executor, personId: string): Promise<void> {
  await endCalendarFeed(trx, personId)
  await trx.deleteFrom('deadline_mark').where('person_id', '=', personId).execute()
}

/** When the address was made; undefined if there is none. */
export async function calendarFeedSince(db: Executor, personId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('calendar_feed')
    .select('created_at')
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return row?.created_at
}

/** Whose calendar an address reads. */
export async function calendarOwner(db: Executor, keyHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('calendar_feed')
    .select('person_id')
    .where('key_hash', '=', keyHash)
    .executeTakeFirst()
  return row?.person_id
}

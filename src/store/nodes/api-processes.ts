// Which processes answer the API, by a sign of life that each writes regularly: how many share a rate limit.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import { nowMs } from '../database/database-clock.ts'

/** How long a process counts as alive after its last sign of life, by the clock of the database. */
export const livingMs = 15_000
/** How long a sign of life is kept. */
const keptMs = 60_000

/** Writes a sign of life and returns how many processes are alive, including this one. */
export async function beat(db: Executor, processId: string): Promise<number> {
  const { rows } = await sql<{ readonly others: number }>`
    with mine as (
      insert into api_process (process_id, seen_at) values (${processId}, ${nowMs})
      on conflict (process_id) do update set seen_at = excluded.seen_at
    ), gone as (
      delete from api_process where process_id <> ${processId} and seen_at < ${nowMs} - ${sql.lit(keptMs)}
    )
    select count(*)::integer as others from api_process
    where process_id <> ${processId} and seen_at > ${nowMs} - ${sql.lit(livingMs)}`.execute(db)
  return 1 + rows[0]!.others
}

/** Withdraws the sign of life of a process that ends. */
export async function endBeat(db: Executor, processId: string): Promise<void> {
  await db.deleteFrom('api_process').where('process_id', '=', processId).execute()
}

// How often somebody requested a link to sign in, counted for all processes of the service together.
import { sql } from 'kysely'
import { hourMs } from '../domain/time.ts'
import type { Executor } from './database.ts'

/** The time over which attempts are counted. */
const windowMs = hourMs
/** Number of the lock: arbitrary, but the same in every process. */
const attemptLock = 7_271_102

/** Whose attempts are counted, and how many there may be in an hour. */
export type AttemptBound = {
  /** SHA-256 in hex of the address or network that is counted: the text itself is not stored. */
  readonly hash: string
  readonly most: number
}

/**
 * Counts an attempt. False, and not counted, if one of the bounds is reached. Call it in the transaction of what it
 * allows.
 */
export async function takeSignInAttempt(trx: Executor, bounds: readonly AttemptBound[], now: number): Promise<boolean> {
  // two at once are counted one after the other
  await sql`select pg_advisory_xact_lock(${attemptLock})`.execute(trx)
  await sql`delete from sign_in_attempt where tried_at <= ${now - windowMs}`.execute(trx)
  for (const { hash, most } of bounds) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from sign_in_attempt where who_hash = ${Buffer.from(hash, 'hex')}`.execute(trx)
    if (rows[0]!.count >= most) return false
  }
  for (const { hash } of bounds)
    await sql`insert into sign_in_attempt (who_hash, tried_at) values (${Buffer.from(hash, 'hex')}, ${now})`.execute(
      trx,
    )
  return true
}

// How often somebody requested a link to sign in, or a network a quote, counted for all processes of the service
// together.
import { sql } from 'kysely'
import { hourMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'
import { linkMs } from './sessions.ts'

/** Maximum requests for a quote of one network in an hour. */
const maxQuotes = 5
/** Maximum attempts of one network for one address while their links are valid: whoever is refused has links. */
const maxForAddress = 5
/** Attempts of a network in an hour beyond which it is crowded. */
const maxForNetwork = 30
/** Number of the lock: arbitrary, but the same in every process. */
const attemptLock = 7_271_102

/** Who tries, and for whom: SHA-256 in hex, because the texts themselves are not stored. */
export type SignInAttempt = {
  readonly networkHash: string
  /** Of network and mail address together: what one network does never counts for another. */
  readonly pairHash: string
}

/**
 * Counts an attempt. `refused`, and not counted: this network tried this address too often. `crowded`: it tried many
 * addresses, so only a known one is worth a mail. Call it in the transaction of what it allows.
 */
export async function takeSignInAttempt(
  trx: Executor,
  { networkHash, pairHash }: SignInAttempt,
  now: number,
): Promise<'taken' | 'crowded' | 'refused'> {
  await begin(trx, now)
  if ((await countSince(trx, pairHash, now - linkMs)) >= maxForAddress) return 'refused'
  await insert(trx, pairHash, now)
  if ((await countSince(trx, networkHash, now - hourMs)) >= maxForNetwork) return 'crowded'
  await insert(trx, networkHash, now)
  return 'taken'
}

/**
 * Counts a request for a quote by SHA-256 of its network. False, and not counted, if there were too many in an hour.
 * Call it in the transaction of what it allows.
 */
export async function takeQuoteAttempt(trx: Executor, networkHash: string, now: number): Promise<boolean> {
  await begin(trx, now)
  if ((await countSince(trx, networkHash, now - hourMs)) >= maxQuotes) return false
  await insert(trx, networkHash, now)
  return true
}

/** Two at once are counted one after the other. */
async function begin(trx: Executor, now: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${attemptLock})`.execute(trx)
  await sql`delete from sign_in_attempt where tried_at <= ${now - hourMs}`.execute(trx)
}

async function countSince(trx: Executor, hash: string, since: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from sign_in_attempt
    where who_hash = ${Buffer.from(hash, 'hex')} and tried_at > ${since}`.execute(trx)
  return rows[0]!.count
}

async function insert(trx: Executor, hash: string, now: number): Promise<void> {
  await sql`insert into sign_in_attempt (who_hash, tried_at) values (${Buffer.from(hash, 'hex')}, ${now})`.execute(trx)
}

// Forms that create something carry a key; each key is accepted once.
import { sql } from 'kysely'
import { dayMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'

/** How long a sent form is remembered. */
const sentFormMs = 2 * dayMs

/** True for the first call with this key (SHA-256 in hex); call it in the transaction of what the form does. */
export async function takeForm(trx: Executor, keyHash: string, now: number): Promise<boolean> {
  await sql`delete from sent_form where sent_at < ${now - sentFormMs}`.execute(trx)
  const { numAffectedRows } = await sql`
    insert into sent_form (key_hash, sent_at) values (${Buffer.from(keyHash, 'hex')}, ${now})
    on conflict (key_hash) do nothing`.execute(trx)
  return numAffectedRows === 1n
}

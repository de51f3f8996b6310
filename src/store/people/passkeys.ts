// Passkeys of people: public keys only.
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../database/database.ts'

export type Passkey = {
  /** Base64url. */
  readonly credentialId: string
  readonly personId: string
  readonly publicKey: Uint8Array
  /** How often it has signed, by its own count; 0 if it does not count. */
  readonly counter: number
  readonly transports: readonly string[]
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
  /** When its counter went back, as that of a copy does: it signs nobody in from then on. */
  readonly blockedAt: number | undefined
}

/** Maximum passkeys of one person. */
const maxPasskeys = 20

/** Adds a passkey. `exists`: somebody has it; `tooMany`: the person has 20. */
export async function addPasskey(
  trx: Executor,
  passkey: Omit<Passkey, 'lastUsedAt' | 'blockedAt'>,
): Promise<'added' | 'exists' | 'tooMany'> {
  const { credentialId, personId, publicKey, counter, transports, name, createdAt } = passkey
  const own = await listPasskeys(trx, personId)
  if (own.length >= maxPasskeys) return 'tooMany'
  const { numAffectedRows } = await sql`
    insert into passkey (credential_id, person_id, public_key, counter, transports, name, created_at)
    values (${credentialId}, ${personId}, ${Buffer.from(publicKey)}, ${counter}, ${JSON.stringify(transports)}, ${name}, ${createdAt})
    on conflict (credential_id) do nothing`.execute(trx)
  return numAffectedRows === 1n ? 'added' : 'exists'
}

/** Passkeys of a person, the newest first. */
export function listPasskeys(db: Executor, personId: string): Promise<Passkey[]> {
  return passkeysWhere(db, sql`person_id = ${personId} order by created_at desc, credential_id`)
}

export async function findPasskey(db: Executor, credentialId: string): Promise<Passkey | undefined> {
  return (await passkeysWhere(db, sql`credential_id = ${credentialId}`))[0]
}

async function passkeysWhere(db: Executor, which: RawBuilder<unknown>): Promise<Passkey[]> {
  type Row = Omit<Passkey, 'transports' | 'lastUsedAt' | 'blockedAt'> & {
    readonly transports: string
    readonly lastUsedAt: number | null
    readonly blockedAt: number | null
  }
  const { rows } = await sql<Row>`
    select credential_id as "credentialId", person_id as "personId", public_key as "publicKey", counter, transports, name,
      created_at as "createdAt", last_used_at as "lastUsedAt", blocked_at as "blockedAt"
    from passkey where ${which}`.execute(db)
  return rows.map((row) => ({
    ...row,
    publicKey: new Uint8Array(row.publicKey),
    transports: JSON.parse(row.transports) as string[],
    lastUsedAt: row.lastUsedAt ?? undefined,
    blockedAt: row.blockedAt ?? undefined,
  }))
}

/**
 * Records a use. `blocked`: its count did not rise, so there is a copy of it, and it is blocked from now on: each try
 * raises the count of the copy, which would pass in the end. `refused`: it was blocked or removed before. `overtaken`:
 * its count is lower than that of a use after `madeAt`, when its challenge was made. A person who signed in twice while
 * the first answer was under way gets that; if it is a copy, the next try has a newer challenge and is blocked.
 */
export async function countPasskey(
  trx: Executor,
  {
    credentialId,
    counter,
    now,
    madeAt,
  }: { readonly credentialId: string; readonly counter: number; readonly now: number; readonly madeAt: number },
): Promise<'counted' | 'blocked' | 'overtaken' | 'refused'> {
  const { rows } = await sql<{ isCounted: boolean; isOvertaken: boolean }>`
    with rising as (
      select credential_id, counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0) as is_counted,
        counter > ${counter}::bigint and coalesce(last_used_at > ${madeAt}::bigint, false) as is_overtaken
      from passkey where credential_id = ${credentialId} and blocked_at is null for update
    )
    update passkey p set
      counter = case when is_counted then ${counter}::bigint else counter end,
      last_used_at = case when is_counted then ${now}::bigint else last_used_at end,
      blocked_at = case when is_counted or is_overtaken then null else ${now}::bigint end
    from rising r where p.credential_id = r.credential_id 
      returning r.is_counted as "isCounted", r.is_overtaken as "isOvertaken"`.execute(trx)
  const [found] = rows
  if (found === undefined) return 'refused'
  return found.isCounted ? 'counted' : found.isOvertaken ? 'overtaken' : 'blocked'
}

/** Removes a passkey. Returns its name; undefined if the person has no such passkey. */
export async function removePasskey(
  trx: Executor,
  { credentialId, personId }: Pick<Passkey, 'credentialId' | 'personId'>,
): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('passkey')
    .where('credential_id', '=', credentialId)
    .where('person_id', '=', personId)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}

// Passkeys of people: public keys only.
import { type RawBuilder, sql } from 'kysely'
import type { Executor } from './database.ts'

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
}

/** Maximum passkeys of one person. */
const maxPasskeys = 20

/** Adds a passkey. `exists`: somebody has it; `tooMany`: the person has 20. */
export async function addPasskey(
  trx: Executor,
  passkey: Omit<Passkey, 'lastUsedAt'>,
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
  type Row = Omit<Passkey, 'transports' | 'lastUsedAt'> & {
    readonly transports: string
    readonly lastUsedAt: number | null
  }
  const { rows } = await sql<Row>`
    select credential_id as "credentialId", person_id as "personId", public_key as "publicKey", counter, transports, name,
      created_at as "createdAt", last_used_at as "lastUsedAt"
    from passkey where ${which}`.execute(db)
  return rows.map((row) => ({
    ...row,
    publicKey: new Uint8Array(row.publicKey),
    transports: JSON.parse(row.transports) as string[],
    lastUsedAt: row.lastUsedAt ?? undefined,
  }))
}

/** Records a use. False if the count did not rise: a copy of the passkey may be in use. */
export async function countPasskey(
  trx: Executor,
  { credentialId, counter, now }: { readonly credentialId: string; readonly counter: number; readonly now: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update passkey set counter = ${counter}, last_used_at = ${now}
    where credential_id = ${credentialId} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`.execute(
    trx,
  )
  return numAffectedRows === 1n
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

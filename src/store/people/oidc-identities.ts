// Who a person is to the sign-in of their company: by issuer and subject, which never change, unlike a mail address.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'

export type OidcIdentity = { readonly issuer: string; readonly subject: string }

/** Returns the ID of the person, whose account may have ended. */
export async function findIdentity(db: Executor, { issuer, subject }: OidcIdentity): Promise<string | undefined> {
  const row = await db
    .selectFrom('oidc_identity')
    .select('person_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.person_id
}

/**
 * Connects a person, once for each issuer. `other`: the person is somebody else there, or the identity is somebody
 * else's here.
 */
export async function linkIdentity(
  trx: Executor,
  { issuer, subject }: OidcIdentity,
  personId: string,
  now: number,
): Promise<'linked' | 'other'> {
  await sql`select from person where person_id = ${personId} for update`.execute(trx)
  const { numAffectedRows } = await sql`
    insert into oidc_identity (issuer, subject, person_id, created_at)
    select ${issuer}, ${subject}, ${personId}, ${now}::bigint
    where not exists (select from oidc_identity where issuer = ${issuer} and person_id = ${personId})
    on conflict (issuer, subject) do nothing`.execute(trx)
  return numAffectedRows === 1n ? 'linked' : 'other'
}

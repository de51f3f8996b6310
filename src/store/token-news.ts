// What the Owners of an organization are told about its tokens by mail, and whom it is told to.
import type { Executor } from './database.ts'
import type { ApiToken } from './organizations.ts'
import { listMembers } from './people.ts'

/** What a mail about a token says; without a secret. */
export type TokenNews = {
  readonly kind: 'token-created' | 'token-revoked' | 'token-ends'
  readonly token: ApiToken
  /** Who did it: a mail address, or `operator`; of an end, nobody. */
  readonly actor: string | undefined
  /** Days before its end, for `token-ends`. */
  readonly days?: number
}

/** A mail of the console before it is queued. */
export type NewsMail = {
  /** Names the occasion and the person: queued twice, it is one mail. */
  readonly occasion: string
  /** A mail address. */
  readonly person: string
  /** JSON of kind, language and data. */
  readonly content: string
}

/** One mail for each Owner. Call it in the transaction of its cause. */
export async function tokenMails(trx: Executor, { kind, token, actor, days }: TokenNews): Promise<NewsMail[]> {
  const { organizationId, tokenId, name, hint, expiresAt, lastUsedAt } = token
  const organization = await trx
    .selectFrom('organization')
    .select('name')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  const owners = (await listMembers(trx, organizationId)).filter(({ role }) => role === 'owner')
  return owners.map(({ mail, language }) => ({
    occasion: [kind, tokenId, ...(days === undefined ? [] : [days]), mail].join('.'),
    person: mail,
    content: JSON.stringify({
      kind,
      language: language ?? null,
      data: {
        organizationId,
        organization: organization?.name ?? '',
        name,
        hint,
        actor: actor ?? null,
        days: days ?? null,
        expiresAt: expiresAt ?? null,
        lastUsedAt: lastUsedAt ?? null,
      },
    }),
  }))
}

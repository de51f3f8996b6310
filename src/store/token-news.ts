// The mails to the Owners of an organization about its tokens, and their recipients.
import { hash } from 'node:crypto'
import type { Executor } from './database.ts'
import { insertMail } from './mails.ts'
import type { ApiToken } from './organizations.ts'
import { listMembers } from './people.ts'

export type TokenNewsKind = 'tokenCreated' | 'tokenRevoked' | 'tokenEnds'

/** What a mail about a token says; never a secret. */
export type TokenNewsData = {
  readonly organizationId: string
  readonly organization: string
  readonly name: string
  readonly hint: string
  /** Who did it: a mail address, or `operator`; null when a token ends by its date. */
  readonly actor: string | null
  /** Epoch milliseconds. */
  readonly expiresAt: number | null
}

export type TokenNews = {
  readonly kind: TokenNewsKind
  readonly token: ApiToken
  readonly actor: string | null
  /** Days until its end, for `tokenEnds`. */
  readonly days?: number
}

/** The time at which mails are queued, and the domain from which they are sent. */
export type Posting = { readonly now: number; readonly mailDomain: string }

/** Queues a mail to each Owner, once for each occasion. Call it in the transaction of its cause. */
export async function notifyOwners(
  trx: Executor,
  { kind, token, actor, days }: TokenNews,
  { now, mailDomain }: Posting,
): Promise<void> {
  const { organizationId, tokenId, name, hint, expiresAt } = token
  const organization = await trx
    .selectFrom('organization')
    .select('name')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const data: TokenNewsData = {
    organizationId,
    organization: organization.name,
    name,
    hint,
    actor,
    expiresAt: expiresAt ?? null,
  }
  const owners = (await listMembers(trx, organizationId)).filter(({ role }) => role === 'owner')
  for (const { mail, language = 'en' } of owners) {
    const occasion = hash('sha256', JSON.stringify([kind, tokenId, days ?? 0, expiresAt ?? 0, mail]))
    const messageId = `<${occasion.slice(0, 32)}@${mailDomain}>`
    await insertMail(trx, { messageId, person: mail, content: JSON.stringify({ kind, language, data }), now })
  }
}

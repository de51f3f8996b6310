// Mails to the Owners of an organization, each once for its occasion.
import { hash } from 'node:crypto'
import type { Executor } from '../database/database.ts'
import { insertMail } from './mails.ts'
import { listMembers } from './people.ts'

/** The time at which mails are queued, and the domain from which they are sent. */
export type Posting = { readonly now: number; readonly mailDomain: string }

export type OwnerNews = {
  readonly kind: string
  readonly organizationId: string
  /** What makes the occasion unique: it is mailed once, however often it is queued. */
  readonly occasion: readonly (string | number)[]
  /** What the mail says beside the name of the organization; never a secret. */
  readonly data: object
}

/** Queues a mail to each Owner. Call it in the transaction of its cause. */
export async function mailOwners(
  trx: Executor,
  { kind, organizationId, occasion, data }: OwnerNews,
  { now, mailDomain }: Posting,
): Promise<void> {
  const { name } = await trx
    .selectFrom('organization')
    .select('name')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const owners = (await listMembers(trx, organizationId)).filter(({ role }) => role === 'owner')
  for (const { mail, language = 'en' } of owners) {
    const local = hash('sha256', JSON.stringify([kind, ...occasion, mail])).slice(0, 32)
    const content = JSON.stringify({ kind, language, data: { organizationId, organization: name, ...data } })
    await insertMail(trx, { messageId: `<${local}@${mailDomain}>`, person: mail, content, now })
  }
}

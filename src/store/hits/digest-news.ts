// The mail to the Owners of an organization about mails with hits that ended.
import type { Executor } from '../database/database.ts'
import { mailOwners, type Posting } from '../people/owner-mails.ts'

/** What it says. */
export type LettersEndedData = {
  readonly organizationId: string
  readonly organization: string
  /** The mail address that the server does not know, and its answer. */
  readonly person: string
  readonly error: string
}

/** Queues it, once for each end. Call it in the transaction that ends them. */
export function mailLettersEnded(
  trx: Executor,
  { organizationId, ...data }: Omit<LettersEndedData, 'organization'>,
  posting: Posting,
): Promise<void> {
  const occasion = [data.person.toLowerCase(), organizationId, posting.now]
  return mailOwners(trx, { kind: 'lettersEnded', organizationId, occasion, data }, posting)
}

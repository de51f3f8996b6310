// The mails to the Owners of an organization about its tokens.
import type { Executor } from '../database/database.ts'
import { type ApiToken, takeTokenWarnings } from './organizations.ts'
import { mailOwners, type Posting } from './owner-mails.ts'

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

/** Queues a mail to each Owner, once for each occasion. Call it in the transaction of its cause. */
export async function notifyOwners(
  trx: Executor,
  { kind, token, actor, days = 0 }: TokenNews,
  posting: Posting,
): Promise<void> {
  const { organizationId, tokenId, name, hint, expiresAt = null } = token
  const data: Omit<TokenNewsData, 'organizationId' | 'organization'> = { name, hint, actor, expiresAt }
  await mailOwners(trx, { kind, organizationId, occasion: [tokenId, days, expiresAt ?? 0], data }, posting)
}

/**
 * Warns Owners of tokens that end soon; once for each warning, however many processes check. Call it in a transaction.
 */
export async function warnOfTokens(trx: Executor, posting: Posting): Promise<void> {
  for (const { token, days } of await takeTokenWarnings(trx, posting.now))
    await notifyOwners(trx, { kind: 'tokenEnds', token, actor: null, days }, posting)
}

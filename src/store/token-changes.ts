// Tokens created and ended by people: each change with its entry in the organization's audit log and the mails to its
// Owners.
import { dayMs } from '../domain/time.ts'
import { addAuditEntry } from './audit.ts'
import type { Executor } from './database.ts'
import {
  type ApiToken,
  type Circumstances,
  createToken,
  findToken,
  isValidToken,
  limitToken,
  revokeToken,
  type TokenCreation,
  type TokenRevocation,
  takeTokenWarnings,
} from './organizations.ts'
import type { Posting } from './owner-mails.ts'
import { notifyOwners, type TokenNewsKind } from './token-news.ts'

/** Who changes something, and from which network. */
export type Actor = {
  /** A mail address, or `operator` for the command line. */
  readonly actor: string
  readonly addressPrefix: string
}

/** The actor of commands. */
export const commandActor: Actor = { actor: 'operator', addressPrefix: '' }

/** Creates a token. Call it in a transaction. */
export async function createTokenBy(
  trx: Executor,
  by: Actor,
  wanted: { readonly organizationId: string; readonly name: string; readonly days?: number | undefined },
  circumstances: Circumstances & Posting,
): Promise<TokenCreation> {
  const { organizationId, name, days } = wanted
  const expiresAt = days === undefined ? {} : { expiresAt: circumstances.now + days * dayMs }
  const creation = await createToken(
    { db: trx },
    { organizationId, name, createdBy: by.actor, ...expiresAt },
    circumstances,
  )
  if (creation.kind === 'created') await record(trx, by, 'tokenCreated', creation.token, circumstances)
  return creation
}

/** Revokes a token. Call it in a transaction. */
export async function revokeTokenBy(
  trx: Executor,
  by: Actor,
  tokenId: string,
  posting: Posting,
): Promise<TokenRevocation> {
  const outcome = await revokeToken({ db: trx }, tokenId, posting.now)
  if (outcome === 'revoked') await record(trx, by, 'tokenRevoked', (await findToken(trx, tokenId))!, posting)
  return outcome
}

export type TokenRotation =
  | { readonly kind: 'rotated'; readonly plaintext: string; readonly token: ApiToken; readonly old: ApiToken }
  | { readonly kind: 'noFreeSlot' | 'noToken' | 'ended' }

/**
 * Creates the successor of a token, with its name and lifetime. The old one stays valid, or ends in `oldEndsInDays`.
 * `ended`: it was no longer valid. Call it in a transaction.
 */
export async function rotateTokenBy(
  trx: Executor,
  by: Actor,
  wanted: { readonly tokenId: string; readonly oldEndsInDays: number | undefined },
  circumstances: Circumstances & Posting,
): Promise<TokenRotation> {
  const { now } = circumstances
  const old = await findToken(trx, wanted.tokenId)
  if (!old) return { kind: 'noToken' }
  if (!isValidToken(old, now)) return { kind: 'ended' }
  const days = old.expiresAt === null ? undefined : Math.ceil((old.expiresAt - old.createdAt) / dayMs)
  const creation = await createTokenBy(
    trx,
    by,
    { organizationId: old.organizationId, name: old.name, days },
    circumstances,
  )
  if (creation.kind === 'noFreeSlot') return { kind: 'noFreeSlot' }
  if (creation.kind === 'noOrganization') return { kind: 'noToken' }
  if (wanted.oldEndsInDays !== undefined) await limitToken(trx, old.tokenId, now + wanted.oldEndsInDays * dayMs, now)
  const limited = (await findToken(trx, old.tokenId))!
  if (limited.expiresAt !== old.expiresAt) await addAuditEntry(trx, entryOf('token.limit', limited, by, now))
  return { ...creation, kind: 'rotated', old: limited }
}

/**
 * Warns Owners of tokens that end soon; once for each warning, however many processes check. Call it in a transaction.
 */
export async function warnOfTokens(trx: Executor, posting: Posting): Promise<void> {
  for (const { token, days } of await takeTokenWarnings(trx, posting.now))
    await notifyOwners(trx, { kind: 'tokenEnds', token, actor: null, days }, posting)
}

async function record(trx: Executor, by: Actor, kind: TokenNewsKind, token: ApiToken, posting: Posting): Promise<void> {
  const action = kind === 'tokenCreated' ? 'token.create' : 'token.revoke'
  await addAuditEntry(trx, entryOf(action, token, by, posting.now))
  await notifyOwners(trx, { kind, token, actor: by.actor }, posting)
}

const entryOf = (
  action: 'token.create' | 'token.limit' | 'token.revoke',
  { organizationId, name, hint, tokenId, expiresAt }: ApiToken,
  { actor, addressPrefix }: Actor,
  at: number,
) => ({ at, actor, organizationId, action, subject: name, detail: { hint, tokenId, expiresAt }, addressPrefix })

// Changes of tokens, by their Owners and by operators. Each runs in the transaction of its caller, leaves one entry of
// the audit log, and queues the mails to the Owners.
import { dayMs } from '../domain/time.ts'
import type { Executor } from '../store/database/database.ts'
import {
  type ApiToken,
  createToken,
  findOrganization,
  findToken,
  isValidToken,
  limitToken,
  revokeToken as revoke,
  type TokenCreation,
} from '../store/people/organizations.ts'
import type { Posting } from '../store/people/owner-mails.ts'
import { notifyOwners } from '../store/people/token-news.ts'
import { type Acting, type Entry, record } from './acting.ts'

/** Who acts, and the domain from which the Owners are told. */
export type ActingOnTokens = Acting & Posting

/** `closed`: the organization has no access now, and a token was only wanted with access. */
export type TokenAddition = TokenCreation | { readonly kind: 'closed' }

/** Creates a token. `onlyWithAccess`: Owners create none while the access is closed; operators may prepare one. */
export async function addToken(
  trx: Executor,
  acting: ActingOnTokens,
  wanted: {
    readonly organizationId: string
    readonly name: string
    readonly days?: number | undefined
    readonly onlyWithAccess?: boolean
  },
): Promise<TokenAddition> {
  const { organizationId, name, days, onlyWithAccess = false } = wanted
  if (onlyWithAccess && !(await findOrganization(trx, organizationId))?.hasApiAccess) return { kind: 'closed' }
  const expiresAt = days === undefined ? {} : { expiresAt: acting.now + days * dayMs }
  const creation = await createToken(
    { db: trx },
    { organizationId, name, createdBy: acting.actor, ...expiresAt },
    acting,
  )
  if (creation.kind !== 'created') return creation
  const { token } = creation
  await note(trx, acting, 'token.create', token)
  await notifyOwners(trx, { kind: 'tokenCreated', token, actor: acting.actor }, acting)
  return creation
}

/** `ended`: it was no longer valid, and nothing changed. */
export type TokenRevocation =
  | { readonly kind: 'revoked'; readonly token: ApiToken }
  | { readonly kind: 'ended' }
  | { readonly kind: 'noToken' }

export async function revokeToken(trx: Executor, acting: ActingOnTokens, tokenId: string): Promise<TokenRevocation> {
  const kind = await revoke({ db: trx }, tokenId, acting.now)
  if (kind !== 'revoked') return { kind }
  const token = (await findToken(trx, tokenId))!
  await note(trx, acting, 'token.revoke', token)
  await notifyOwners(trx, { kind: 'tokenRevoked', token, actor: acting.actor }, acting)
  return { kind, token }
}

/** `ended`: it was no longer valid. */
export type TokenRotation =
  | { readonly kind: 'rotated'; readonly plaintext: string; readonly token: ApiToken; readonly old: ApiToken }
  | { readonly kind: 'noFreeSlot' | 'noToken' | 'ended' }

/**
 * Creates the successor of a token, with its name and lifetime. The old one stays valid, or ends in `oldEndsInDays`,
 * which is an entry of its own.
 */
export async function rotateToken(
  trx: Executor,
  acting: ActingOnTokens,
  wanted: { readonly tokenId: string; readonly oldEndsInDays: number | undefined },
): Promise<TokenRotation> {
  const { now } = acting
  const old = await findToken(trx, wanted.tokenId)
  if (!old) return { kind: 'noToken' }
  if (!isValidToken(old, now)) return { kind: 'ended' }
  const { organizationId, name } = old
  const days = old.expiresAt === null ? undefined : Math.ceil((old.expiresAt - old.createdAt) / dayMs)
  const creation = await addToken(trx, acting, { organizationId, name, days })
  if (creation.kind === 'noFreeSlot') return { kind: 'noFreeSlot' }
  if (creation.kind !== 'created') return { kind: 'noToken' }
  if (wanted.oldEndsInDays !== undefined) await limitToken(trx, old.tokenId, now + wanted.oldEndsInDays * dayMs, now)
  const limited = (await findToken(trx, old.tokenId))!
  if (limited.expiresAt !== old.expiresAt) await note(trx, acting, 'token.limit', limited)
  return { ...creation, kind: 'rotated', old: limited }
}

const note = (
  trx: Executor,
  acting: Acting,
  action: Entry['action'],
  { organizationId, name, hint, tokenId, expiresAt }: ApiToken,
): Promise<void> => record(trx, acting, { action, organizationId, subject: name, detail: { hint, tokenId, expiresAt } })

// The commands about tokens, for operators when no Owner can sign in. They notify the Owners and add entries to the
// audit log.
import { type ActingOnTokens, addToken, revokeToken, rotateToken } from '../../actions/tokens.ts'
import { OperatorError } from '../../platform/errors.ts'
import { mailDomainOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { type ApiToken, listTokens } from '../../store/people/organizations.ts'
import { actingOf, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'
import { noOrganization, organizationNamed } from '../control/organization-named.ts'
import type { EventOf } from '../events/command-event.ts'

const actingOn = (context: ServiceContext): ActingOnTokens => ({
  ...actingOf(context),
  mailDomain: mailDomainOf(context.config.mail?.from),
})

const noToken = (tokenId: string) =>
  new OperatorError(
    'no-token',
    `There is no token with the id "${tokenId}"; \`tenderstock token list ORGANIZATION\` shows the ids.`,
  )

/** `token create` */
export const createTokenNow: Operation = async (context, { options, operands }, emit) => {
  const { store } = context
  const { organizationId, name } = await organizationNamed(store, operands[0]!)
  const acting = actingOn(context)
  const days = options['expires-in-days']
  const wanted = {
    organizationId,
    name: String(options['name'] ?? 'API token'),
    days: days === undefined ? undefined : Number(days),
  }
  const outcome = await inTransaction(store, (trx) => addToken(trx, acting, wanted))
  if (outcome.kind === 'noFreeSlot')
    throw new OperatorError(
      'limit-reached',
      `"${name}" has two valid tokens; revoke one first (tenderstock token list '${name}').`,
    )
  if (outcome.kind !== 'created') throw noOrganization(name)
  emit({ ...tokenEvent(outcome.token, acting.now), token: outcome.plaintext })
  return 0
}

/** `token list` */
export const listTokensNow: Operation = async ({ store, clock }, { operands }, emit) => {
  const { organizationId, name } = await organizationNamed(store, operands[0]!)
  const tokens = await listTokens(store.db, organizationId)
  if (tokens.length === 0)
    emit({ event: 'none', message: `"${name}" has no token yet: tenderstock token create '${name}'` })
  for (const token of tokens) emit(tokenEvent(token, clock()))
  return 0
}

/** `token revoke` */
export const revokeTokenNow: Operation = async (context, { operands }, emit) => {
  const tokenId = operands[0]!
  const { kind } = await inTransaction(context.store, (trx) => revokeToken(trx, actingOn(context), tokenId))
  if (kind === 'noToken') throw noToken(tokenId)
  emit({ event: 'revoked', tokenId })
  return 0
}

/** `token rotate` */
export const rotateTokenNow: Operation = async (context, { options, operands }, emit) => {
  const tokenId = operands[0]!
  const acting = actingOn(context)
  const oldEnds = options['old-ends-in-days']
  const oldEndsInDays = oldEnds === undefined ? undefined : Number(oldEnds)
  const outcome = await inTransaction(context.store, (trx) => rotateToken(trx, acting, { tokenId, oldEndsInDays }))
  switch (outcome.kind) {
    case 'noToken':
      throw noToken(tokenId)
    case 'ended':
      throw new OperatorError(
        'token-invalid',
        'This token is no longer valid: create a new one with `tenderstock token create`.',
      )
    case 'noFreeSlot':
      throw new OperatorError(
        'limit-reached',
        'The organization has two valid tokens; revoke the unused one, then rotate.',
      )
    case 'rotated':
      emit({ ...tokenEvent(outcome.token, acting.now), token: outcome.plaintext })
      emit(tokenEvent(outcome.old, acting.now))
      emit({
        event: 'note',
        message: `Both work now: deploy the new one, watch the last use of the old one with \`token list\`, then tenderstock token revoke ${tokenId}`,
      })
      return 0
  }
}

const tokenEvent = (token: ApiToken, now: number): EventOf<'token'> => ({
  event: 'token',
  ...token,
  isExpired: token.expiresAt !== null && token.expiresAt <= now,
})

export const operations = {
  'token create': createTokenNow,
  'token list': listTokensNow,
  'token revoke': revokeTokenNow,
  'token rotate': rotateTokenNow,
} satisfies Operations

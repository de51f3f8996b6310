// Events about access, for people.
import { csvOf } from '../../domain/plain-text.ts'
import type { AccessEvents } from '../../service/events/access-events.ts'
import type { EventOf } from '../../service/events/command-event.ts'
import type { MonthUse } from '../../store/screens/month-use.ts'
import { count, number } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { type EventTexts, fact, row, utcMinute } from './text-lines.ts'

export const accessTexts: EventTexts<AccessEvents> = {
  organization: ({ name, requestsPerMinute, hasApiAccess, hasBulkFiles, organizationId }, paint) => {
    const access = `access ${hasApiAccess ? 'on ' : paint.yellow('off')}`
    const limit = `${String(requestsPerMinute).padStart(6)} requests/min`
    const files = hasBulkFiles ? '  bulk files' : ''
    return `  ${name.padEnd(28)} ${limit}  ${access}${files}  ${paint.dim(organizationId)}`
  },
  customer: customerText,
  organizationUse: ({ months }) =>
    months[0] ? csvOf(Object.keys(months[0]) as (keyof MonthUse)[], months).trimEnd() : '  There is no organization.',
  organizationEnded: ({ name, hadContract }, paint) =>
    fact(
      paint,
      'Ended',
      hadContract
        ? `the contract of ${name}; its access to the API closes within a minute`
        : `the access of ${name} to the API within a minute; it had no contract`,
    ),
  token: tokenText,
  revoked: ({ tokenId }, paint) => fact(paint, 'Revoked', tokenId),
  quote: quoteText,
  quoteErased: ({ quoteId }, paint) => fact(paint, 'Erased', quoteId),
  quoteClosed: ({ quoteId, state }, paint) => fact(paint, state === 'accepted' ? 'Accepted' : 'Declined', quoteId),
  consoleLink: ({ link, mail, until }, paint) => {
    const use = mail === null ? 'Makes the first person' : `Signs in ${mail}`
    return `  ${paint.bold(link)}\n  ${paint.dim(`${use}, once, until ${utcMinute(until)}.`)}`
  },
  auditEntry: ({ at, action, subject, actor, addressPrefix, organization, detail }, paint) => {
    const facts = [
      actor,
      ...(addressPrefix === '' ? [] : [addressPrefix]),
      ...(organization === null ? [] : [organization]),
      ...Object.entries(detail).map(([name, value]) => `${name} ${value}`),
    ]
    return `  ${utcMinute(at)}  ${paint.bold(action.padEnd(20))} ${subject}\n      ${paint.dim(facts.join(' · '))}`
  },
}

function customerText(event: EventOf<'customer'>, paint: Paint): string {
  const contract =
    event.startsAt === null
      ? 'none was set up'
      : event.endedAt !== null
        ? `ended ${utcMinute(event.endedAt)}`
        : `from ${utcMinute(event.startsAt)}${event.endsAt === null ? ', without an end' : ` to ${utcMinute(event.endsAt)}`}`
  return [
    `  ${paint.bold(event.name)}  ${paint.dim(event.organizationId)}`,
    row('Access', event.hasApiAccess ? 'on' : paint.yellow('off')),
    row('Contract', contract),
    ...(event.note ? [row('Note', event.note)] : []),
    row('Limit', `${number(event.requestsPerMinute)} requests a minute`),
    row('Bulk files', event.hasBulkFiles ? 'included' : 'not included'),
    row('Requests of a day', number(event.requests)),
    row(
      'People',
      `${number(event.people)}, ${count(event.owners, 'Owner')}, ${count(event.invitations, 'invitation')}`,
    ),
    row('Searches, webhooks', `${number(event.searches)}, ${number(event.endpoints)}`),
    row('Created', utcMinute(event.createdAt)),
    ...event.tokens.map(({ hint, name, lastUsedAt }) => row(hint, `${name}, last used ${utcMinute(lastUsedAt)}`)),
  ].join('\n')
}

/** What a stranger wrote, on one line. */
const plainLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ')

function quoteText(event: EventOf<'quote'>, paint: Paint): string {
  const state = event.state === 'open' ? paint.yellow('open') : `${event.state} ${utcMinute(event.closedAt)}`
  return [
    `  ${paint.bold(plainLine(event.company))}  ${paint.dim(event.quoteId)}`,
    row('State', state),
    row('Asked', utcMinute(event.createdAt)),
    row('From', `${plainLine(event.name)}, ${event.mail}`),
    ...(event.needs.length > 0 ? [row('Needs', event.needs.join(', '))] : []),
    ...(event.message === '' ? [] : [row('Message', plainLine(event.message))]),
  ].join('\n')
}

function tokenText(event: EventOf<'token'>, paint: Paint): string {
  if (event.token !== undefined) {
    return `  ${paint.bold(event.token)}\n  ${paint.dim(`Shown only this once; we keep only its hash. Id ${event.tokenId}.`)}`
  }
  const state = event.revokedAt
    ? `revoked ${utcMinute(event.revokedAt)}`
    : event.isExpired
      ? `expired ${utcMinute(event.expiresAt)}`
      : event.expiresAt
        ? `valid until ${utcMinute(event.expiresAt)}`
        : 'valid'
  const use = event.lastUsedAt ? `last used ${utcMinute(event.lastUsedAt)}` : 'never used'
  return `  ${event.tokenId}  ${event.hint}  ${event.name.padEnd(16)} ${state}, ${use}`
}

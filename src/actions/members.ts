// Changes of who belongs to an organization: invitations, joining, roles, leaving. Each runs in the transaction of its
// caller, and leaves one entry of the audit log if it changed something.
import type { Executor } from '../store/database/database.ts'
import { forgetCalendar } from '../store/people/calendars.ts'
import {
  acceptHanded,
  acceptInvitation,
  createInvitation,
  type HandedAcceptance,
  type Invitation,
  withdrawInvitation as withdraw,
} from '../store/people/invitations.ts'
import { linkIdentity, type OidcIdentity } from '../store/people/oidc-identities.ts'
import { lockOrganization } from '../store/people/organizations.ts'
import {
  changeMember,
  isMemberSomewhere,
  listMembers,
  type Member,
  type Person,
  type Role,
} from '../store/people/people.ts'
import { endSessions } from '../store/people/sessions.ts'
import { type Acting, type ActingNow, type Newcomer, record } from './acting.ts'

/** `isMember`: the person has this role, or a higher one. `tooMany`: fifty invitations are open. */
export type MemberInvitation =
  | { readonly kind: 'invited'; readonly invitationId: string }
  | { readonly kind: 'isMember' }
  | { readonly kind: 'tooMany' }

/** Invites an address, in place of an open invitation of the same address. `by` is what the mail calls the inviter. */
export async function inviteMember(
  trx: Executor,
  acting: Acting,
  wanted: { readonly organizationId: string; readonly mail: string; readonly role: Role; readonly by: string },
): Promise<MemberInvitation> {
  const { organizationId, role, by: invitedBy } = wanted
  const mail = wanted.mail.toLowerCase()
  const member = (await listMembers(trx, organizationId)).find((each) => each.mail === mail)
  if (member && (member.role === 'owner' || role === 'member')) return { kind: 'isMember' }
  const invitationId = acting.random.uuid()
  const invitation = { invitationId, organizationId, mail, role, invitedBy }
  if ((await createInvitation(trx, invitation, acting.now)) === 'tooMany') return { kind: 'tooMany' }
  await record(trx, acting, { action: 'member.invite', organizationId, subject: mail, detail: { role } })
  return { kind: 'invited', invitationId }
}

/** `gone`: it was accepted or withdrawn before, or belongs to another organization. */
export type Withdrawal = { readonly kind: 'withdrawn'; readonly mail: string } | { readonly kind: 'gone' }

export async function withdrawInvitation(
  trx: Executor,
  acting: ActingNow,
  invitation: Pick<Invitation, 'invitationId' | 'organizationId'>,
): Promise<Withdrawal> {
  const mail = await withdraw(trx, invitation)
  if (mail === undefined) return { kind: 'gone' }
  const { organizationId } = invitation
  await record(trx, acting, { action: 'member.withdraw', organizationId, subject: mail })
  return { kind: 'withdrawn', mail }
}

/** `gone`: the invitation was used, withdrawn, or is too old. */
export type Joining =
  | { readonly kind: 'joined'; readonly person: Person; readonly invitation: Invitation }
  | { readonly kind: 'gone' }

/**
 * Accepts an invitation: that of a link, or one whose address was proven by the sign-in of a company, which is linked
 * with the person.
 */
export async function join(
  trx: Executor,
  newcomer: Newcomer,
  which: { readonly keyHash: string } | { readonly invitationId: string; readonly identity: OidcIdentity },
): Promise<Joining> {
  const { now, random } = newcomer
  const accepted = await acceptInvitation(trx, which, { now, newId: random.uuid() })
  if (!accepted) return { kind: 'gone' }
  const { person, invitation } = accepted
  const identity = 'identity' in which ? which.identity : undefined
  // whoever joins by a company had no account, so another identity of theirs would be a mistake of this program
  if (identity && (await linkIdentity(trx, identity, person.personId, now)) === 'other')
    throw new Error('a person who joins has another identity')
  const { mail, organizationId, role } = invitation
  const detail = { role, ...(identity && { issuer: identity.issuer }) }
  await record(trx, { ...newcomer, actor: mail }, { action: 'member.join', organizationId, subject: mail, detail })
  return { kind: 'joined', person, invitation }
}

/** Accepts an invitation by a link that was handed over; `viewer` is who is signed in. */
export async function joinHanded(
  trx: Executor,
  newcomer: Newcomer,
  which: { readonly keyHash: string; readonly viewer: Person | undefined },
): Promise<HandedAcceptance> {
  const { now, random } = newcomer
  const { keyHash, viewer } = which
  const accepted = await acceptHanded(trx, { keyHash, viewerId: viewer?.personId }, { now, newId: random.uuid() })
  if (accepted.kind !== 'joined') return accepted
  const { mail, organizationId, role } = accepted.invitation
  const entry = { action: 'member.join', organizationId, subject: mail, detail: { role } } as const
  await record(trx, { ...newcomer, actor: mail }, entry)
  return accepted
}

/** `lastOwner`: an organization keeps one Owner. `noMember`: the person is none, or not any more. */
export type MemberChange =
  | { readonly kind: 'changed'; readonly member: Member }
  | { readonly kind: 'unchanged'; readonly member: Member }
  | { readonly kind: 'noMember' }
  | { readonly kind: 'lastOwner' }

/**
 * Changes a role, or ends a membership if `role` is undefined, and with it the sessions of the person; `but` is the
 * session of whoever changes their own.
 */
export async function editMember(
  trx: Executor,
  acting: ActingNow,
  change: {
    readonly organizationId: string
    readonly personId: string
    readonly role: Role | undefined
    readonly but: string
  },
): Promise<MemberChange> {
  const { organizationId, personId, role } = change
  // changes of one organization wait for each other: two Owners could demote each other
  await lockOrganization(trx, organizationId)
  const members = await listMembers(trx, organizationId)
  const member = members.find((each) => each.personId === personId)
  if (!member) return { kind: 'noMember' }
  const { role: from, mail } = member
  if (role === from) return { kind: 'unchanged', member }
  if (from === 'owner' && members.filter((each) => each.role === 'owner').length === 1) return { kind: 'lastOwner' }
  await changeMember(trx, { organizationId, personId }, role)
  if (role === undefined && !member.isOperator && !(await isMemberSomewhere(trx, personId)))
    await forgetCalendar(trx, personId)
  const isSelf = mail === acting.actor
  await endSessions(trx, isSelf ? { personId, but: change.but } : { personId })
  const action = role !== undefined ? 'member.role' : isSelf ? 'member.leave' : 'member.remove'
  const detail = { from, ...(role !== undefined && { to: role }) }
  await record(trx, acting, { action, organizationId, subject: mail, detail })
  return { kind: 'changed', member }
}

// Invitations to organizations: open until they are accepted, withdrawn or expired.
import { sql } from 'kysely'
import { dayMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'
import {
  addMember,
  createPerson,
  createUnproven,
  findPersonByMail,
  type Person,
  proveMail,
  type Role,
} from './people.ts'

export type Invitation = {
  readonly invitationId: string
  readonly organizationId: string
  /** In lower case. */
  readonly mail: string
  readonly role: Role
  /** A mail address, or `operator` for the command line. */
  readonly invitedBy: string
  readonly createdAt: number
  readonly until: number
}

/** How long an invitation can be accepted. */
const invitationMs = 7 * dayMs
/** Maximum open invitations of one organization. */
const maxInvitations = 50

const columns = sql`invitation_id as "invitationId", organization_id as "organizationId", mail, role,
  invited_by as "invitedBy", invitation.created_at as "createdAt", invitation.until_ms as until`

/** Invites an address; an open invitation of the same address is replaced. `tooMany`: 50 are already open. */
export async function createInvitation(
  trx: Executor,
  { invitationId, organizationId, mail, role, invitedBy }: Omit<Invitation, 'createdAt' | 'until'>,
  now: number,
): Promise<'created' | 'tooMany'> {
  await sql`
    delete from invitation where organization_id = ${organizationId} and used_at is null
      and (mail = ${mail.toLowerCase()} or until_ms <= ${now})`.execute(trx)
  const { numAffectedRows } = await sql`
    insert into invitation (invitation_id, organization_id, mail, role, invited_by, created_at, until_ms)
    select ${invitationId}, ${organizationId}, ${mail.toLowerCase()}, ${role}, ${invitedBy}, ${now}::bigint,
      ${now + invitationMs}::bigint
    where (select count(*) from invitation where organization_id = ${organizationId} and used_at is null)
      < ${maxInvitations}::integer`.execute(trx)
  return numAffectedRows === 1n ? 'created' : 'tooMany'
}

/** Open invitations of an organization, or to an address, by address. */
export async function listInvitations(
  db: Executor,
  which: { readonly organizationId: string } | { readonly mail: string },
  now: number,
): Promise<Invitation[]> {
  const whose = 'mail' in which ? sql`mail = ${which.mail}` : sql`organization_id = ${which.organizationId}`
  const { rows } = await sql<Invitation>`
    select ${columns} from invitation where ${whose} and used_at is null and until_ms > ${now}
    order by mail, created_at`.execute(db)
  return rows
}

/** An open invitation by its id. */
export async function findInvitation(db: Executor, invitationId: string, now: number): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`
    select ${columns} from invitation
    where invitation_id = ${invitationId} and used_at is null and until_ms > ${now}`.execute(db)
  return rows[0]
}

/** The open invitation that a link accepts, without using it up. */
export async function findInvitationOfLink(
  db: Executor,
  keyHash: string,
  now: number,
): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`
    select ${columns} from invitation join sign_in_link link using (invitation_id)
    where key_hash = ${Buffer.from(keyHash, 'hex')} and link.used_at is null and link.until_ms > ${now}
      and invitation.used_at is null and invitation.until_ms > ${now}`.execute(db)
  return rows[0]
}

/** Withdraws an open invitation with its links. Returns its mail address; undefined where there is none. */
export async function withdrawInvitation(
  trx: Executor,
  { invitationId, organizationId }: Pick<Invitation, 'invitationId' | 'organizationId'>,
): Promise<string | undefined> {
  const { rows } = await sql<{ mail: string }>`
    delete from invitation
    where invitation_id = ${invitationId} and organization_id = ${organizationId} and used_at is null
    returning mail`.execute(trx)
  return rows[0]?.mail
}

/**
 * Accepts the invitation of a link, or one by its ID for an address proven in another way. Creates the person if there
 * is none. Of several simultaneous calls only one joins; for the others it is undefined. Call it in a transaction.
 */
export async function acceptInvitation(
  trx: Executor,
  which: { readonly keyHash: string } | { readonly invitationId: string },
  { now, newId }: { readonly now: number; readonly newId: string },
): Promise<{ readonly person: Person; readonly invitation: Invitation } | undefined> {
  let invitationId = 'invitationId' in which ? which.invitationId : undefined
  if ('keyHash' in which) {
    const { rows } = await sql<{ invitation_id: string }>`
      update sign_in_link set used_at = ${now}
      where key_hash = ${Buffer.from(which.keyHash, 'hex')} and used_at is null and until_ms > ${now}
        and invitation_id is not null
      returning invitation_id`.execute(trx)
    invitationId = rows[0]?.invitation_id
  }
  if (invitationId === undefined) return undefined
  const { rows } = await sql<Invitation>`
    update invitation set used_at = ${now}
    where invitation_id = ${invitationId} and used_at is null and until_ms > ${now} returning ${columns}`.execute(trx)
  const invitation = rows[0]
  if (!invitation) return undefined
  const { mail, organizationId, role } = invitation
  const person = await createPerson(trx, { personId: newId, mail, name: '', isOperator: false }, now)
  await proveMail(trx, person.personId)
  await addMember(trx, { organizationId, personId: person.personId, role }, now)
  return { person, invitation }
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex')

/** Gives an open invitation a link that the inviter hands over, in place of one that it had. */
export async function giveHandedLink(trx: Executor, invitationId: string, keyHash: string): Promise<void> {
  await sql`update invitation set link_hash = ${bytesOf(keyHash)} where invitation_id = ${invitationId}`.execute(trx)
}

/** The open invitation of a link that was handed over. */
export async function findHandedInvitation(
  db: Executor,
  keyHash: string,
  now: number,
): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`
    select ${columns} from invitation
    where link_hash = ${bytesOf(keyHash)} and used_at is null and until_ms > ${now}`.execute(db)
  return rows[0]
}

/**
 * `signsIn`: the person is new. `known`: somebody has the address, who has to sign in first; the invitation stays open.
 * `gone`: there is none.
 */
export type HandedAcceptance =
  | { readonly kind: 'joined'; readonly person: Person; readonly invitation: Invitation; readonly signsIn: boolean }
  | { readonly kind: 'known' }
  | { readonly kind: 'gone' }

/**
 * Accepts the invitation of a link that was handed over. It proves no mail address: it makes a new person, or adds the
 * membership of somebody who is signed in (`viewerId`) and has the address. Call it in a transaction.
 */
export async function acceptHanded(
  trx: Executor,
  { keyHash, viewerId }: { readonly keyHash: string; readonly viewerId: string | undefined },
  { now, newId }: { readonly now: number; readonly newId: string },
): Promise<HandedAcceptance> {
  const { rows } = await sql<Invitation>`
    select ${columns} from invitation
    where link_hash = ${bytesOf(keyHash)} and used_at is null and until_ms > ${now} for update`.execute(trx)
  const invitation = rows[0]
  if (!invitation) return { kind: 'gone' }
  const { mail, organizationId, role, invitationId } = invitation
  const made = await createUnproven(trx, { personId: newId, mail, name: '', isOperator: false }, now)
  const person = made ?? (await findPersonByMail(trx, mail))
  if (!person || (!made && person.personId !== viewerId)) return { kind: 'known' }
  await sql`update invitation set used_at = ${now} where invitation_id = ${invitationId}`.execute(trx)
  await addMember(trx, { organizationId, personId: person.personId, role }, now)
  return { kind: 'joined', person, invitation, signsIn: made !== undefined }
}

// Writes a mail of the console just before it leaves: only then its key is made, so that none waits in a table.

import type { RenderedMail } from '../digests/send-mails.ts'
import { hourMs } from '../domain/time.ts'
import { findInvitation, listInvitations } from '../store/invitations.ts'
import type { TakenMail } from '../store/mails.ts'
import { listOrganizations } from '../store/organizations.ts'
import { findPersonByMail } from '../store/people.ts'
import { createSignInLink } from '../store/sessions.ts'
import { type AccountMail, renderAccountMail } from './account-mails.ts'
import { keyHashOf } from './directory.ts'
import type { ConsolePlace } from './place.ts'

/** How long a sign-in mail may wait to be sent; after that it is of no use. */
const longestWaitMs = hourMs

/** What a mail needs beyond its content: who it is for, and the link. */
type Place = Pick<ConsolePlace, 'store' | 'clock' | 'random' | 'origin'>

/**
 * The mail with a new key; undefined when nobody wants it any more: the address is unknown, the invitation was withdrawn, or
 * it waited too long. Each attempt has a key of its own, and each key works once.
 */
export async function writeAccountMail(place: Place, taken: TakenMail): Promise<RenderedMail | undefined> {
  const mail = JSON.parse(taken.content) as AccountMail
  if (mail.kind === 'invitation') return writeInvitation(place, mail)
  if (mail.kind === 'signIn') return writeSignIn(place, mail, taken)
  return renderAccountMail(mail, { origin: place.origin, key: '' })
}

async function writeInvitation(
  place: Place,
  mail: AccountMail & { readonly kind: 'invitation' },
): Promise<RenderedMail | undefined> {
  const { store, clock, origin } = place
  const invitation = await findInvitation(store.db, mail.data.invitationId, clock())
  if (!invitation) return undefined
  const { invitationId, until } = invitation
  return renderAccountMail(mail, { origin, key: await makeKey(place, { invitationId, until }) })
}

async function writeSignIn(
  place: Place,
  mail: AccountMail & { readonly kind: 'signIn' },
  { person: address, createdAt }: TakenMail,
): Promise<RenderedMail | undefined> {
  const { store, clock, origin } = place
  if (clock() - createdAt > longestWaitMs) return undefined
  const person = await findPersonByMail(store.db, address)
  if (person) {
    const { personId, language = mail.language } = person
    return renderAccountMail({ ...mail, language }, { origin, key: await makeKey(place, { personId }) })
  }
  // somebody who is invited and lost that mail gets it again
  const [invitation] = await listInvitations(store.db, { mail: address }, clock())
  if (!invitation) return undefined
  const { invitationId, organizationId, invitedBy, role } = invitation
  const organizations = await listOrganizations(store.db)
  const organization = organizations.find((each) => each.organizationId === organizationId)?.name ?? ''
  return writeInvitation(place, {
    kind: 'invitation',
    language: mail.language,
    data: { invitationId, organization, invitedBy, role },
  })
}

async function makeKey(
  { store, clock, random }: Place,
  what: { readonly personId: string } | { readonly invitationId: string; readonly until: number },
): Promise<string> {
  const key = newKey(random)
  await createSignInLink(store.db, { keyHash: keyHashOf(key), ...what, now: clock() })
  return key
}

/** 256 bits for an address. */
export const newKey = ({ bytes }: ConsolePlace['random']): string => Buffer.from(bytes(32)).toString('base64url')

// Writes a mail of the console just before it is sent: only then is its key created, so that none waits in a table.

import type { Leaving, RenderedMail } from '../../digests/send-mails.ts'
import { hourMs } from '../../domain/time.ts'
import { loadMaintenance } from '../../store/nodes/maintenance.ts'
import { findInvitation, listInvitations } from '../../store/people/invitations.ts'
import type { TakenMail } from '../../store/people/mails.ts'
import { listOrganizations } from '../../store/people/organizations.ts'
import { findPersonByMail } from '../../store/people/people.ts'
import { createLinkUnlessEnough } from '../../store/people/sessions.ts'
import { getsStatusMails, type StatusNewsData } from '../../store/people/status-mails.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { keyHashOf } from '../frame/directory.ts'
import { type AccountMail, renderAccountMail } from './account-mails.ts'

/** Maximum time that a sign-in mail may wait; after that it is of no use. */
const longestWaitMs = hourMs
/** Maximum unused links of the last ten minutes: with that many in the mailbox, one more mail does not help. */
const maxFreshLinks = 10

/** What a mail needs beyond its content: who it is for, and the link. */
type MailContext = Pick<ConsoleContext, 'store' | 'clock' | 'random' | 'origin'> & {
  readonly brand: Pick<ConsoleContext['brand'], 'name'>
}

/**
 * The mail with a new key; undefined if it is no longer wanted: the address is unknown or has enough unused links, the
 * invitation was withdrawn, the person left, maintenance is over, or it waited too long. Each attempt has a key of its
 * own, and each key works once.
 */
export async function writeAccountMail(
  context: MailContext,
  taken: TakenMail,
  leaving?: Leaving,
): Promise<RenderedMail | undefined> {
  const mail = JSON.parse(taken.content) as AccountMail
  if (mail.kind === 'invitation') return writeInvitation(context, mail)
  if (mail.kind === 'signIn') return writeSignIn(context, mail, taken)
  const where = { origin: context.origin, key: '', name: context.brand.name }
  if (mail.kind !== 'statusNews') return renderAccountMail(mail, where)
  const { personId } = mail.data
  if (!(await getsStatusMails(context.store.db, personId)) || (await isPast(context, mail.data))) return undefined
  return renderAccountMail(mail, { ...where, leave: leaving?.status(personId) })
}

/** Whether it says that the API is closed, and it is open again. */
async function isPast({ store, clock }: MailContext, news: StatusNewsData): Promise<boolean> {
  if (news.about !== 'maintenance' || news.event === 'ended') return false
  const until = (await loadMaintenance(store.db)) ?? 0
  return Math.min(news.until, until) <= clock()
}

async function writeInvitation(
  context: MailContext,
  mail: AccountMail & { readonly kind: 'invitation' },
  most?: number,
): Promise<RenderedMail | undefined> {
  const { store, clock, origin, brand } = context
  const invitation = await findInvitation(store.db, mail.data.invitationId, clock())
  if (!invitation) return undefined
  const { invitationId, until } = invitation
  const key = await makeKey(context, { invitationId, until }, most)
  return key === undefined ? undefined : renderAccountMail(mail, { origin, key, name: brand.name })
}

async function writeSignIn(
  context: MailContext,
  mail: AccountMail & { readonly kind: 'signIn' },
  { person: address, createdAt, attempts }: TakenMail,
): Promise<RenderedMail | undefined> {
  const { store, clock, origin, brand } = context
  if (clock() - createdAt > longestWaitMs) return undefined
  // the keys of failed attempts reached nobody
  const most = attempts === 0 ? maxFreshLinks : undefined
  const person = await findPersonByMail(store.db, address)
  if (person) {
    const { personId, language = mail.language } = person
    const key = await makeKey(context, { personId }, most)
    return key === undefined ? undefined : renderAccountMail({ ...mail, language }, { origin, key, name: brand.name })
  }
  // an invited person who lost that mail receives it again
  const [invitation] = await listInvitations(store.db, { mail: address }, clock())
  if (!invitation) return undefined
  const { invitationId, organizationId, invitedBy, role } = invitation
  const organizations = await listOrganizations(store.db)
  const organization = organizations.find((each) => each.organizationId === organizationId)?.name ?? ''
  const data = { invitationId, organization, invitedBy, role }
  return writeInvitation(context, { kind: 'invitation', language: mail.language, data }, most)
}

/** Undefined if `most` keys of the last ten minutes are unused. */
async function makeKey(
  { store, clock, random }: MailContext,
  whose: { readonly personId: string } | { readonly invitationId: string; readonly until: number },
  most = Number.POSITIVE_INFINITY,
): Promise<string | undefined> {
  const key = newKey(random)
  const isMade = await createLinkUnlessEnough(store, { keyHash: keyHashOf(key), ...whose, now: clock() }, most)
  return isMade ? key : undefined
}

/** 256 bits as URL text. */
export const newKey = ({ bytes }: ConsoleContext['random']): string => Buffer.from(bytes(32)).toString('base64url')

// Changes of accounts: the first person, links to sign in, passkeys, and who somebody is to the sign-in of a company.
// Each runs in the transaction of its caller, and leaves one entry of the audit log if it changed something.
import type { Executor } from '../store/database/database.ts'
import { linkIdentity as link, type OidcIdentity } from '../store/people/oidc-identities.ts'
import { findOrganization, trialOrganization } from '../store/people/organizations.ts'
import { addPasskey as add, countPasskey, type Passkey, removePasskey as remove } from '../store/people/passkeys.ts'
import {
  addMember,
  createPerson,
  findPersonByMail,
  hasPeople,
  listMembers,
  listPeople,
  type Person,
  proveMail,
  setOperator,
} from '../store/people/people.ts'
import { createSignInLink } from '../store/people/sessions.ts'
import { type Acting, type ActingNow, type Newcomer, record, serviceActor } from './acting.ts'

/** Makes the first operator, and the Owner of the trial organization if there is one. Returns the ID of the person. */
export async function addFirstPerson(trx: Executor, newcomer: Newcomer, mail: string): Promise<string> {
  const { now, random } = newcomer
  const { personId } = await createPerson(trx, { personId: random.uuid(), mail, name: '', isOperator: true }, now)
  const organizationId = (await findOrganization(trx, trialOrganization))?.organizationId
  if (organizationId !== undefined) await addMember(trx, { organizationId, personId, role: 'owner' }, now)
  const detail = { operator: true }
  await record(trx, { ...newcomer, actor: mail }, { action: 'person.first', organizationId, subject: mail, detail })
  return personId
}

/**
 * `first`: without people, the link creates the first one. `several`: no address was given, and there is not one
 * operator. `noAddress`: what was given is none. `unknown`: no person has this address.
 */
export type LinkCreation =
  | { readonly kind: 'first' }
  | { readonly kind: 'made'; readonly person: Person }
  | { readonly kind: 'several' }
  | { readonly kind: 'noAddress' }
  | { readonly kind: 'unknown'; readonly mail: string }

/**
 * Makes a link to sign in. `typed` is how the person was named, undefined for the only operator, and `mail` the address
 * in it; `isOperator` creates a new operator, or makes somebody one.
 */
export async function addSignInLink(
  trx: Executor,
  acting: Acting,
  wanted: {
    readonly keyHash: string
    readonly typed: string | undefined
    readonly mail: string | undefined
    readonly isOperator: boolean
  },
): Promise<LinkCreation> {
  const { keyHash, typed, mail, isOperator } = wanted
  const { now } = acting
  if (!(await hasPeople(trx))) {
    if (typed !== undefined && mail === undefined) return { kind: 'noAddress' }
    await createSignInLink(trx, { keyHash, now })
    await record(trx, acting, { action: 'console.link', subject: 'first person' })
    return { kind: 'first' }
  }
  const found = typed === undefined ? await onlyOperator(trx) : await personFor(trx, acting, { ...wanted, typed })
  if (found.kind !== 'made') return found
  const { personId, mail: subject } = found.person
  await createSignInLink(trx, { keyHash, personId, now })
  await record(trx, acting, { action: 'console.link', subject, detail: isOperator ? { operator: true } : {} })
  return found
}

/**
 * Makes a link that signs in a member of an organization, whose log shows it: for somebody whom no mail reaches.
 * `noMember`: nobody there has the address.
 */
export async function addMemberLink(
  trx: Executor,
  acting: ActingNow,
  {
    keyHash,
    organizationId,
    mail,
  }: { readonly keyHash: string; readonly organizationId: string; readonly mail: string },
): Promise<{ readonly kind: 'made'; readonly person: Person } | { readonly kind: 'noMember' }> {
  const person = (await listMembers(trx, organizationId)).find((each) => each.mail === mail)
  if (!person) return { kind: 'noMember' }
  await createSignInLink(trx, { keyHash, personId: person.personId, now: acting.now })
  await record(trx, acting, { action: 'console.link', organizationId, subject: person.mail })
  return { kind: 'made', person }
}

async function onlyOperator(trx: Executor): Promise<LinkCreation> {
  const operators = (await listPeople(trx)).filter(({ isOperator }) => isOperator)
  return operators.length === 1 ? { kind: 'made', person: operators[0]! } : { kind: 'several' }
}

/** Finds a known person; with `isOperator` also creates a new one. */
async function personFor(
  trx: Executor,
  { now, random }: Acting,
  {
    typed,
    mail,
    isOperator,
  }: { readonly typed: string; readonly mail: string | undefined; readonly isOperator: boolean },
): Promise<LinkCreation> {
  // the first person may not have an address that mails reach
  const known =
    (await findPersonByMail(trx, typed.trim())) ?? (mail === undefined ? undefined : await findPersonByMail(trx, mail))
  if (known) {
    if (isOperator && !known.isOperator) {
      await proveMail(trx, known.personId)
      await setOperator(trx, known.personId, true)
    }
    return { kind: 'made', person: known }
  }
  if (mail === undefined) return { kind: 'noAddress' }
  if (!isOperator) return { kind: 'unknown', mail }
  return { kind: 'made', person: await createPerson(trx, { personId: random.uuid(), mail, name: '', isOperator }, now) }
}

/** `other`: the person is somebody else there, or the identity is somebody else's here. */
export type IdentityLink = { readonly kind: 'linked' } | { readonly kind: 'other' }

/** Matches a known person with the sign-in of a company by the mail address, for the first and only time. */
export async function linkIdentity(
  trx: Executor,
  newcomer: Omit<Newcomer, 'random'>,
  { personId, mail }: Pick<Person, 'personId' | 'mail'>,
  identity: OidcIdentity,
): Promise<IdentityLink> {
  const kind = await link(trx, identity, personId, newcomer.now)
  if (kind === 'other') return { kind }
  await proveMail(trx, personId)
  const detail = { issuer: identity.issuer }
  await record(trx, { ...newcomer, actor: mail }, { action: 'identity.link', subject: mail, detail })
  return { kind }
}

/** `exists`: somebody has it. `tooMany`: the person has as many as are allowed. */
export type PasskeyAddition = 'added' | 'exists' | 'tooMany'

export async function addPasskey(
  trx: Executor,
  acting: ActingNow,
  passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt' | 'blockedAt'>,
): Promise<PasskeyAddition> {
  const outcome = await add(trx, { ...passkey, createdAt: acting.now })
  if (outcome === 'added') await record(trx, acting, { action: 'passkey.add', subject: passkey.name })
  return outcome
}

/** Returns the name of the passkey that was removed; undefined if the person has no such one. */
export async function removePasskey(
  trx: Executor,
  acting: ActingNow,
  which: Pick<Passkey, 'credentialId' | 'personId'>,
): Promise<string | undefined> {
  const name = await remove(trx, which)
  if (name !== undefined) await record(trx, acting, { action: 'passkey.remove', subject: name })
  return name
}

/**
 * Counts a use of a passkey. `blocked`: its count did not rise, so there is a copy of it, and it signs nobody in from
 * now on. `refused`: it was blocked or removed before. `overtaken`: a later use was counted first.
 */
export async function usePasskey(
  trx: Executor,
  { now, addressPrefix }: Omit<Newcomer, 'random'>,
  use: Pick<Passkey, 'credentialId' | 'counter' | 'name'> & { readonly madeAt: number; readonly mail: string },
): Promise<'counted' | 'blocked' | 'overtaken' | 'refused'> {
  const { credentialId, counter, madeAt, name, mail: subject } = use
  const outcome = await countPasskey(trx, { credentialId, counter, now, madeAt })
  if (outcome === 'blocked')
    await record(trx, { ...serviceActor, addressPrefix, now }, { action: 'passkey.block', subject, detail: { name } })
  return outcome
}

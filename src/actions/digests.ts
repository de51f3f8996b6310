// Changes of digests. Each runs in the transaction of its caller, and leaves one entry of the audit log.
import { dayAt, nextDigestAt, type DigestTerms as Timing } from '../digests/digest-schedule.ts'
import type { Executor } from '../store/database/database.ts'
import { mailLettersEnded } from '../store/hits/digest-news.ts'
import {
  changeTerms,
  createDigest,
  type Digest,
  digestsOf,
  endDigests,
  lockDigest,
  removeDigest as remove,
  removeRecipient,
  startDigests,
} from '../store/hits/digests.ts'
import type { StoredSearch } from '../store/hits/searches.ts'
import type { Posting } from '../store/people/owner-mails.ts'
import { type Acting, type ActingNow, record } from './acting.ts'

/** When the mails of a person arrive, and in which language. */
export type DigestTerms = Timing & Pick<Digest, 'language'>

/** Unless somebody wants another time. */
export const usualDigestTerms: DigestTerms = {
  rhythm: 'daily',
  weekday: 'monday',
  hour: 7,
  zone: 'Europe/Brussels',
  language: 'en',
}

/** `exists`: the person receives digests of this search already. `tooMany`: the search has as many as are allowed. */
export type DigestCreation =
  | { readonly kind: 'created'; readonly digestId: string }
  | { readonly kind: 'exists' }
  | { readonly kind: 'tooMany' }

/** Somebody who receives hits of another search already keeps the terms. */
export async function addDigest(
  trx: Executor,
  acting: Acting,
  wanted: {
    readonly search: Pick<StoredSearch, 'searchNo' | 'name' | 'organizationId'>
    readonly person: string
    readonly terms: DigestTerms
  },
): Promise<DigestCreation> {
  const { search, person, terms } = wanted
  const { searchNo, organizationId } = search
  const state = { madeDay: dayAt(terms, acting.now), madeAt: null }
  const digestId = acting.random.uuid()
  const digest = { digestId, searchNo, person, ...terms, ...state, dueAt: nextDigestAt(terms, state) }
  const outcome = await createDigest({ db: trx }, digest, acting.now)
  if (outcome !== 'created') return { kind: outcome }
  const detail = { search: search.name, rhythm: terms.rhythm }
  await record(trx, acting, { action: 'digest.create', subject: person, organizationId, detail })
  return { kind: 'created', digestId }
}

/** `gone`: there is no such digest any more. */
export type DigestEdit = { readonly kind: 'edited' } | { readonly kind: 'unchanged' } | { readonly kind: 'gone' }

/**
 * Changes when the mails of a person arrive, with the hits of all searches, but not which hits they have received.
 * Absent terms stay.
 */
export async function editDigest(
  trx: Executor,
  acting: Acting,
  digestId: string,
  change: Partial<DigestTerms>,
): Promise<DigestEdit> {
  const digest = await lockDigest(trx, digestId)
  if (!digest) return { kind: 'gone' }
  const terms = termsOf({ ...digest, ...change })
  if (JSON.stringify(terms) === JSON.stringify(termsOf(digest))) return { kind: 'unchanged' }
  await changeTerms(trx, digest.person, { ...terms, dueAt: nextDigestAt(terms, digest) })
  const { search, person: subject, organizationId } = digest
  await record(trx, acting, { action: 'digest.edit', subject, organizationId, detail: { search, ...terms } })
  return { kind: 'edited' }
}

const termsOf = ({ rhythm, weekday, hour, zone, language }: DigestTerms): DigestTerms => ({
  rhythm,
  weekday,
  hour,
  zone,
  language,
})

/**
 * Ends the mails to the person of a digest, whom the server does not know, and tells the Owners of every organization
 * that has searches for this person.
 */
export async function endRecipient(
  trx: Executor,
  acting: ActingNow,
  { digestId, error }: { readonly digestId: string; readonly error: string },
  mailDomain: Posting['mailDomain'],
): Promise<void> {
  const digest = await lockDigest(trx, digestId)
  if (!digest || digest.endedAt !== null) return
  const { person } = digest
  await endDigests(trx, person, acting.now)
  for (const organizationId of await organizationsOf(trx, person)) {
    await record(trx, acting, { action: 'digest.end', subject: person, organizationId })
    await mailLettersEnded(trx, { organizationId, person, error }, { now: acting.now, mailDomain })
  }
}

/** `unchanged`: the mails to this person have not ended. */
export type DigestStart = { readonly kind: 'started' } | { readonly kind: 'unchanged' } | { readonly kind: 'gone' }

/** Starts the mails to the person of a digest again, with everything that is new since they ended. */
export async function startDigest(trx: Executor, acting: ActingNow, digestId: string): Promise<DigestStart> {
  const digest = await lockDigest(trx, digestId)
  if (!digest) return { kind: 'gone' }
  if (digest.endedAt === null) return { kind: 'unchanged' }
  const { person } = digest
  await startDigests(trx, person, { dueAt: nextDigestAt(digest, digest), now: acting.now })
  for (const organizationId of await organizationsOf(trx, person))
    await record(trx, acting, { action: 'digest.start', subject: person, organizationId })
  return { kind: 'started' }
}

/** Organizations that have searches for a person. */
const organizationsOf = async (trx: Executor, person: string): Promise<ReadonlySet<string>> =>
  new Set((await digestsOf(trx, person)).map(({ organizationId }) => organizationId))

/**
 * Ends the hits of one search in the mails to a person, also in those that wait. Undefined: there is no such digest any
 * more.
 */
export async function removeDigest(trx: Executor, acting: ActingNow, digestId: string): Promise<Digest | undefined> {
  const digest = await lockDigest(trx, digestId)
  if (!digest || !(await remove(trx, digestId))) return undefined
  await noteRemoved(trx, acting, digest)
  return digest
}

const noteRemoved = (trx: Executor, acting: ActingNow, { search, person: subject, organizationId }: Digest) =>
  record(trx, acting, { action: 'digest.remove', subject, organizationId, detail: { search } })

/** Whoever follows the link of a mail acts as the person who received it. */
const recipient = (actor: string, now: number): ActingNow => ({ actor, addressPrefix: '', now })

/** The person of a digest ends the hits of its search by the link of a mail. */
export async function leaveSearch(trx: Executor, digestId: string, now: number): Promise<void> {
  const digest = await lockDigest(trx, digestId)
  if (digest) await removeDigest(trx, recipient(digest.person, now), digestId)
}

/** A person, by the hash in the link of a mail, ends all mails with hits. */
export async function leaveAll(trx: Executor, hash: string, now: number): Promise<void> {
  for (const digest of await removeRecipient(trx, hash))
    if (digest.searchNo !== null) await noteRemoved(trx, recipient(digest.person, now), digest)
}

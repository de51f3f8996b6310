// The operator's commands about digests: who receives the hits of a search by mail, and when.
import { type DigestTerms, dayAt, nextDigestAt, type Rhythm, zoneNameOf } from '../digests/digest-schedule.ts'
import { noSuchThing, OperatorError, wrongUse } from '../platform/errors.ts'
import { mailAddressOf } from '../platform/mail-address.ts'
import { inTransaction, type Store } from '../store/database.ts'
import {
  changeTiming,
  createDigest,
  type ListedDigest,
  listDigests,
  lockDigest,
  maxDigests,
  removeDigest,
} from '../store/digests.ts'
import { findSearch } from '../store/searches.ts'
import type { Emit, EventOf } from './command-event.ts'
import { noteCommand } from './command-note.ts'
import type { ControlRequest } from './control-socket.ts'
import type { Operation, Operations, ServiceContext } from './operation-context.ts'
import { organizationNamed } from './organization-named.ts'

/** What these commands need of the context they run in. */
export type DigestContext = Pick<ServiceContext, 'store' | 'clock' | 'random' | 'config' | 'by'>

export const mailMissing =
  'Mail is not set up, so digests wait: set TENDERSTOCK_SMTP_URL and TENDERSTOCK_MAIL_FROM for the service.'

const usualTerms: DigestTerms = { rhythm: 'daily', hour: 7, zone: 'Europe/Brussels' }

/** `digest create`. */
export const createDigestNow: Operation<DigestContext> = async (context, { options }, emit) => {
  const { store, clock, random } = context
  const { organizationId, name: owner } = await organizationNamed(store, String(options['organization']))
  const search = await findSearch(store.db, organizationId, String(options['search']))
  if (!search)
    throw noSuchThing(
      `"${owner}" has no search "${options['search']}"; \`tenderstock search list --organization '${owner}'\` shows them.`,
    )
  const person = mailAddressOf(String(options['to']))
  if (person === undefined) throw wrongUse(`"${options['to']}" is not a mail address; write it like anna@example.org.`)
  const terms = termsOf(options, usualTerms)
  const state = { madeDay: dayAt(terms, clock()), madeAt: null }
  const digestId = random.uuid()
  const wanted = { digestId, searchNo: search.searchNo, person, ...terms, ...state, dueAt: nextDigestAt(terms, state) }
  const outcome = await inTransaction(store, async (trx) => {
    const made = await createDigest({ db: trx }, wanted, clock())
    const detail = { search: search.name, rhythm: terms.rhythm }
    if (made === 'created')
      await noteCommand(trx, context, { action: 'digest.create', subject: person, organizationId, detail })
    return made
  })
  if (outcome === 'exists')
    throw new OperatorError(
      `${person} already receives digests of "${search.name}"; \`tenderstock digest list\` shows the id for digest edit.`,
    )
  if (outcome === 'tooMany')
    throw new OperatorError(
      `"${search.name}" has ${maxDigests} digests, which is the maximum; remove one first: tenderstock digest remove ID`,
    )
  await show(context, digestId, emit)
  return 0
}

/** `digest edit ID`: does not change which hits the person has already received. */
export const editDigest: Operation<DigestContext> = async (context, { options, operands }, emit) => {
  const digestId = operands[0]!.toLowerCase()
  await inTransaction(context.store, async (trx) => {
    const digest = await lockDigest(trx, digestId)
    if (!digest) throw noDigest(operands[0]!)
    const terms = termsOf(options, digest)
    const isSame = terms.rhythm === digest.rhythm && terms.hour === digest.hour && terms.zone === digest.zone
    if (isSame) throw wrongUse('Nothing to change: pass a different --rhythm, --hour or --zone.')
    await changeTiming(trx, digestId, { ...terms, dueAt: nextDigestAt(terms, digest) })
    const { search, person, organizationId } = digest
    const detail = { search, ...terms }
    await noteCommand(trx, context, { action: 'digest.edit', subject: person, organizationId, detail })
  })
  await show(context, digestId, emit)
  return 0
}

/** `digest list`: of one organization, or of all. */
export const listDigestsNow: Operation<DigestContext> = async ({ store, config }, { options }, emit) => {
  const organizationId =
    options['organization'] === undefined
      ? undefined
      : (await organizationNamed(store, String(options['organization']))).organizationId
  const digests = await listDigests(store.db, organizationId)
  if (digests.length === 0)
    emit({
      event: 'none',
      message: 'There is no digest yet: tenderstock digest create --organization NAME --search NAME --to ADDRESS',
    })
  for (const digest of digests) emit(digestEvent(digest))
  if (digests.length > 0 && !config.mail) emit({ event: 'warning', message: mailMissing })
  return 0
}

/** `digest remove ID`: with its mails, including those that wait. */
export const removeDigestNow: Operation<DigestContext> = async (context, { operands }, emit) => {
  const digestId = operands[0]!.toLowerCase()
  const { search, person } = await inTransaction(context.store, async (trx) => {
    const digest = await lockDigest(trx, digestId)
    if (!digest || !(await removeDigest(trx, digestId))) throw noDigest(operands[0]!)
    const { organizationId } = digest
    const detail = { search: digest.search }
    await noteCommand(trx, context, { action: 'digest.remove', subject: digest.person, organizationId, detail })
    return digest
  })
  emit({ event: 'digestRemoved', id: digestId, search, person })
  return 0
}

async function show({ store, config }: DigestContext, digestId: string, emit: Emit): Promise<void> {
  const digest = await digestWith(store, digestId)
  if (digest) emit(digestEvent(digest))
  if (!config.mail) emit({ event: 'warning', message: mailMissing })
}

const digestWith = async (store: Store, digestId: string) =>
  (await listDigests(store.db)).find((digest) => digest.digestId === digestId)

const noDigest = (id: string) => noSuchThing(`There is no digest "${id}"; \`tenderstock digest list\` shows the ids.`)

/** `before` with what the options replace. Throws OperatorError for an unknown zone. */
function termsOf(options: ControlRequest['options'], before: DigestTerms): DigestTerms {
  const rhythm = options['rhythm'] === 'at-once' ? 'atOnce' : ((options['rhythm'] ?? before.rhythm) as Rhythm)
  return {
    rhythm,
    hour: Number(options['hour'] ?? before.hour),
    zone: options['zone'] === undefined ? before.zone : zoneNamed(String(options['zone'])),
  }
}

function zoneNamed(name: string): string {
  const zone = zoneNameOf(name)
  if (zone !== undefined) return zone
  throw wrongUse(`There is no time zone "${name}"; write it like Europe/Berlin or America/New_York.`)
}

function digestEvent(listed: ListedDigest): EventOf<'digest'> {
  const { digestId, searchNo: _, organizationId: _id, madeDay: _day, dueAt, ...digest } = listed
  return { event: 'digest', id: digestId, ...digest, nextAt: digest.rhythm === 'atOnce' ? null : dueAt }
}

export const operations = {
  'digest create': createDigestNow,
  'digest edit': editDigest,
  'digest list': listDigestsNow,
  'digest remove': removeDigestNow,
} satisfies Operations

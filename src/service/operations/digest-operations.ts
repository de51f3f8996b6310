// The operator's commands about digests: who receives the hits of a search by mail, and when.
import {
  addDigest,
  type DigestTerms,
  editDigest,
  removeDigest,
  startDigest,
  usualDigestTerms,
} from '../../actions/digests.ts'
import { type Rhythm, type Weekday, zoneNameOf } from '../../digests/digest-schedule.ts'
import { OperatorError } from '../../platform/errors.ts'
import { mailAddressOf } from '../../platform/mail-address.ts'
import { inTransaction, type Store } from '../../store/database/database.ts'
import { type ListedDigest, listDigests, maxDigests } from '../../store/hits/digests.ts'
import { findSearch } from '../../store/hits/searches.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { actingOf, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'
import { organizationNamed } from '../control/organization-named.ts'
import type { Emit, EventOf } from '../events/command-event.ts'

/** What these commands need of the context they run in. */
export type DigestContext = Pick<ServiceContext, 'store' | 'clock' | 'random' | 'config' | 'by'>

export const mailMissing =
  'Mail is not set up, so digests wait: set TENDERSTOCK_SMTP_URL and TENDERSTOCK_MAIL_FROM for the service.'

/** `digest create`. */
export const createDigestNow: Operation<DigestContext> = async (context, { options }, emit) => {
  const { store } = context
  const { organizationId, name: owner } = await organizationNamed(store, String(options['organization']))
  const search = await findSearch(store.db, organizationId, String(options['search']))
  if (!search)
    throw new OperatorError(
      'no-search',
      `"${owner}" has no search "${options['search']}"; \`tenderstock search list --organization '${owner}'\` shows them.`,
    )
  const person = mailAddressOf(String(options['to']))
  if (person === undefined)
    throw new OperatorError('invalid-mail', `"${options['to']}" is not a mail address; write it like anna@example.org.`)
  const wanted = termsOf(options)
  const outcome = await inTransaction(store, async (trx) => {
    const acting = actingOf(context)
    const made = await addDigest(trx, acting, { search, person, terms: { ...usualDigestTerms, ...wanted } })
    // somebody with other digests keeps the terms of those, unless they are named
    if (made.kind === 'created') await editDigest(trx, acting, made.digestId, wanted)
    return made
  })
  if (outcome.kind === 'exists')
    throw new OperatorError(
      'already-exists',
      `${person} already receives digests of "${search.name}"; \`tenderstock digest list\` shows the id for digest edit.`,
    )
  if (outcome.kind === 'tooMany')
    throw new OperatorError(
      'limit-reached',
      `"${search.name}" has ${maxDigests} digests, which is the maximum; remove one first: tenderstock digest remove ID`,
    )
  await show(context, outcome.digestId, emit)
  return 0
}

/** `digest edit ID`: does not change which hits the person has already received. */
export const editDigestNow: Operation<DigestContext> = async (context, { options, operands }, emit) => {
  const digestId = operands[0]!.toLowerCase()
  const terms = termsOf(options)
  const outcome = await inTransaction(context.store, (trx) => editDigest(trx, actingOf(context), digestId, terms))
  if (outcome.kind === 'gone') throw noDigest(operands[0]!)
  if (outcome.kind === 'unchanged')
    throw new OperatorError(
      'nothing-to-change',
      'Nothing to change: pass a different --rhythm, --weekday, --hour, --zone or --language.',
    )
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

/** `digest start ID`: after the mails to the person ended. */
const startDigestNow: Operation<DigestContext> = async (context, { operands }, emit) => {
  const digestId = operands[0]!.toLowerCase()
  const outcome = await inTransaction(context.store, (trx) => startDigest(trx, actingOf(context), digestId))
  if (outcome.kind === 'gone') throw noDigest(operands[0]!)
  if (outcome.kind === 'unchanged')
    throw new OperatorError('nothing-to-change', 'Nothing to start: the mails to this person have not ended.')
  await show(context, digestId, emit)
  return 0
}

/** `digest remove ID`: with its mails, including those that wait. */
export const removeDigestNow: Operation<DigestContext> = async (context, { operands }, emit) => {
  const digestId = operands[0]!.toLowerCase()
  const removed = await inTransaction(context.store, (trx) => removeDigest(trx, actingOf(context), digestId))
  if (!removed) throw noDigest(operands[0]!)
  emit({ event: 'digestRemoved', id: digestId, search: removed.search, person: removed.person })
  return 0
}

async function show({ store, config }: DigestContext, digestId: string, emit: Emit): Promise<void> {
  const digest = await digestWith(store, digestId)
  if (digest) emit(digestEvent(digest))
  if (!config.mail) emit({ event: 'warning', message: mailMissing })
}

const digestWith = async (store: Store, digestId: string) =>
  (await listDigests(store.db)).find((digest) => digest.digestId === digestId)

const noDigest = (id: string) =>
  new OperatorError('no-digest', `There is no digest "${id}"; \`tenderstock digest list\` shows the ids.`)

/** What the options say. Throws OperatorError for an unknown zone. */
const termsOf = ({ rhythm, weekday, hour, zone, language }: ControlRequest['options']): Partial<DigestTerms> => ({
  ...(rhythm !== undefined && { rhythm: rhythm === 'at-once' ? 'atOnce' : (rhythm as Rhythm) }),
  ...(weekday !== undefined && { weekday: weekday as Weekday }),
  ...(hour !== undefined && { hour: Number(hour) }),
  ...(zone !== undefined && { zone: zoneNamed(String(zone)) }),
  ...(language !== undefined && { language: language as DigestTerms['language'] }),
})

function zoneNamed(name: string): string {
  const zone = zoneNameOf(name)
  if (zone !== undefined) return zone
  throw new OperatorError(
    'invalid-option',
    `There is no time zone "${name}"; write it like Europe/Berlin or America/New_York.`,
  )
}

function digestEvent(listed: ListedDigest): EventOf<'digest'> {
  const { digestId, searchNo: _, organizationId: _id, madeDay: _day, dueAt, ...digest } = listed
  return {
    event: 'digest',
    id: digestId,
    ...digest,
    nextAt: digest.rhythm === 'atOnce' || digest.endedAt !== null ? null : dueAt,
  }
}

export const operations = {
  'digest create': createDigestNow,
  'digest edit': editDigestNow,
  'digest list': listDigestsNow,
  'digest start': startDigestNow,
  'digest remove': removeDigestNow,
} satisfies Operations

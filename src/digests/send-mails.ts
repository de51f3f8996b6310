// Sends the mails that are due, each leased by one process for a time; no transaction is open meanwhile. At least once:
// a mail whose answer is unknown is sent again under the same `Message-ID`; one that is known to be accepted is not.

import { dayMs, hourMs, minuteMs } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { type Executor, inTransaction, type Store } from '../store/database/database.ts'
import { liveDigests, lockPerson } from '../store/hits/digests.ts'
import { dropMail, isServerAccepting, recordMail, returnMail, type TakenMail, takeMail } from '../store/people/mails.ts'
import { contentFor, type DigestContent, readContent } from './digest-content.ts'
import { historyWith, type MailAttempt, type MailVerdict, nextMailStep } from './mail-schedule.ts'
import { type MailServer, mailMs } from './mail-server.ts'

/** How long a process leases a mail: longer than an attempt takes. */
const leaseMs = mailMs + 3 * minuteMs
/** Maximum number of mails in progress. */
const atOnce = 4

/** Plain text, and the same as HTML. */
export type RenderedMail = {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Where one click ends mails of this kind; absent: they are about the person's own account. */
  readonly unsubscribeUrl?: string | undefined
}

/** Addresses at which a person ends mails. */
export type Leaving = {
  readonly all: (person: string) => string
  readonly oneSearch: (digestId: string) => string
  /** Mails about incidents and maintenance. */
  readonly status: (personId: string) => string
}

/** What a digest is written from. */
export type DigestLetter = {
  readonly content: DigestContent
  readonly person: string
  /** When the mail was made. */
  readonly at: number
  /** Of the page with everything that the mail brings; undefined: only people with an account see that. */
  readonly token?: string | undefined
  /** Undefined: by a reply to the sender. */
  readonly leaving: { readonly all: string; readonly oneSearch: Leaving['oneSearch'] } | undefined
}

export type SendOptions = {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  /** 0 to below 1. */
  readonly random: () => number
  readonly server: Pick<MailServer, 'send'>
  /** By `Message-ID`: mails that the server has accepted, and whose outcome is not stored yet. */
  readonly accepted: Map<string, TakenMail>
  /** Undefined if there is no page for it. */
  readonly leaving: Leaving | undefined
  /** Seals the `Message-ID` of a mail with hits for the page with all of them; undefined if nothing can. */
  readonly sealLetter?: ((messageId: string) => string) | undefined
  readonly renderDigest: (letter: DigestLetter) => RenderedMail
  /** Writes a mail of the console just before it is sent; undefined if it is no longer wanted. */
  readonly renderAccountMail: (mail: TakenMail, leaving?: Leaving) => Promise<RenderedMail | undefined>
  /** Ends the mails with hits to a person whom the server does not know. */
  readonly endRecipient: (trx: Executor, digestId: string, error: string) => Promise<void>
  /** Called with a mail that was given up, and why. */
  readonly onGivenUp?: (mail: {
    readonly digestId: string | null
    readonly person: string
    readonly error: string
  }) => void
}

/** What storing an outcome needs. */
type RecordOptions = Pick<SendOptions, 'store' | 'clock' | 'random' | 'accepted' | 'endRecipient' | 'onGivenUp'>

/**
 * Sends everything that is due now. Throws if the server cannot be reached: every other mail would fail too. If
 * aborted, it breaks off mails in progress; they are sent again.
 */
export async function sendMails(options: SendOptions, signal: AbortSignal): Promise<void> {
  await recordAccepted(options)
  let failure: { readonly error: unknown } | undefined
  const worker = async () => {
    try {
      while (!signal.aborted && !failure) {
        const mail = await takeMail(options.store.db, { now: options.clock(), leaseMs })
        if (!mail) return
        await sendMail(options, mail, signal)
      }
    } catch (error) {
      failure ??= { error }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failure && !signal.aborted) throw failure.error
}

/** Stores that the server has accepted mails, where that failed. Throws if it fails again. */
export async function recordAccepted(options: RecordOptions): Promise<void> {
  for (const mail of options.accepted.values()) await recordAttempt(options, mail, { kind: 'accepted' })
}

async function sendMail(options: SendOptions, mail: TakenMail, signal: AbortSignal): Promise<void> {
  const { store, server } = options
  const { messageId, digestId, person, createdAt } = mail
  const envelope = { messageId, to: person, at: createdAt }
  let attempt: MailAttempt
  if (digestId === null) {
    const rendered = await options.renderAccountMail(mail, options.leaving)
    if (!rendered) return dropMail(store.db, mail)
    attempt = await server.send({ ...envelope, ...rendered, isList: rendered.unsubscribeUrl !== undefined }, signal)
  } else {
    const { leaving } = options
    const content = contentFor(readContent(mail.content, digestId), await liveDigests(store.db, digestId))
    if (!content) return dropMail(store.db, mail)
    // each token is another one, and the header has that of the text
    const leavingHere = leaving && { all: leaving.all(person), oneSearch: leaving.oneSearch }
    const token = options.sealLetter?.(messageId)
    const letter = { content, person, at: createdAt, token, leaving: leavingHere }
    const rendered = writtenOr(() => options.renderDigest(letter))
    attempt =
      'kind' in rendered
        ? rendered
        : await server.send({ ...envelope, ...rendered, unsubscribeUrl: leavingHere?.all }, signal)
  }
  if (attempt.kind !== 'accepted' && signal.aborted) return returnMail(store.db, mail)
  const verdict = await recordAttempt(options, mail, attempt)
  if (verdict.kind === 'away') throw new Error(verdict.error)
}

/** What cannot be written holds up no other mail: it counts as one that no server takes. */
function writtenOr(write: () => RenderedMail): RenderedMail | MailAttempt {
  try {
    return write()
  } catch (error) {
    return { kind: 'refused', about: 'content', error: `The service could not write it: ${String(error)}` }
  }
}

async function recordAttempt(options: RecordOptions, mail: TakenMail, attempt: MailAttempt): Promise<MailVerdict> {
  const { store, clock, random, accepted, onGivenUp, endRecipient } = options
  const { messageId, digestId, person } = mail
  if (attempt.kind === 'accepted') accepted.set(messageId, mail)
  const at = clock()
  const verdict = await judged(store.db, mail, attempt, at)
  const history = historyWith(mail, verdict)
  const outcome = nextMailStep(verdict, history, at, random())
  await inTransaction(store, async (trx) => {
    // first the digests, as whoever removes them does
    const isEnd = digestId !== null && outcome.state === 'given-up' && outcome.isGone
    if (isEnd) await lockPerson(trx, person)
    const isRecorded = await recordMail(trx, mail, { ...outcome, ...history }, at)
    if (isRecorded && isEnd) await endRecipient(trx, digestId, outcome.error)
  })
  accepted.delete(messageId)
  if (outcome.state === 'given-up') onGivenUp?.({ digestId, person, error: outcome.error })
  return verdict
}

/**
 * What an attempt says about this mail. A server that accepts nothing else refuses everybody, whatever it says about a
 * recipient; one that accepts other mails but never answers to this one refuses it.
 */
async function judged(db: Executor, mail: TakenMail, attempt: MailAttempt, at: number): Promise<MailVerdict> {
  if (attempt.kind === 'refused' && attempt.about === 'recipient')
    return (await isServerAccepting(db, Math.max(mail.createdAt, at - dayMs)))
      ? attempt
      : { ...attempt, about: 'later' }
  if (attempt.kind !== 'unreachable') return attempt
  const { error } = attempt
  return mail.attempts > 0 && (await isServerAccepting(db, at - hourMs))
    ? { kind: 'refused', error, about: 'later' }
    : { kind: 'away', error }
}

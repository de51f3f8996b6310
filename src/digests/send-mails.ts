// Sends the mails that are due, each leased by one process for a time; no transaction is open meanwhile. At least once:
// a mail is sent again under the same `Message-ID` until its outcome is stored.
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/database/database.ts'
import { liveDigests } from '../store/hits/digests.ts'
import { dropMail, recordMail, returnMail, type TakenMail, takeMail } from '../store/people/mails.ts'
import { contentFor, type DigestContent, readContent } from './digest-content.ts'
import { type MailAttempt, nextMailStep } from './mail-schedule.ts'
import type { MailServer } from './mail-server.ts'

/** How long a process leases a mail: longer than an attempt takes. */
const leaseMs = 120_000
/** Maximum number of mails in progress. */
const atOnce = 4

/** Plain text, and the same as HTML. */
export type RenderedMail = { readonly subject: string; readonly text: string; readonly html: string }

/** Addresses at which a person ends mails. */
export type Leaving = {
  readonly all: (person: string) => string
  readonly oneSearch: (digestId: string) => string
}

/** What a digest is written from. */
export type DigestLetter = {
  readonly content: DigestContent
  readonly person: string
  /** When the mail was made. */
  readonly at: number
  /** Undefined: by a reply to the sender. */
  readonly leaving: { readonly all: string; readonly oneSearch: Leaving['oneSearch'] } | undefined
}

export type SendOptions = {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  /** 0 to below 1. */
  readonly random: () => number
  readonly server: Pick<MailServer, 'send'>
  /** Undefined if there is no page for it. */
  readonly leaving: Leaving | undefined
  readonly renderDigest: (letter: DigestLetter) => RenderedMail
  /** Writes a mail of the console just before it is sent; undefined if it is no longer wanted. */
  readonly renderAccountMail: (mail: TakenMail) => Promise<RenderedMail | undefined>
  /** Called with a mail that was given up, and why. */
  readonly onGivenUp?: (mail: {
    readonly digestId: string | null
    readonly person: string
    readonly error: string
  }) => void
}

/**
 * Sends everything that is due now. Throws if the server cannot be reached: every other mail would fail too. If
 * aborted, it breaks off mails in progress; they are sent again.
 */
export async function sendMails(options: SendOptions, signal: AbortSignal): Promise<void> {
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

async function sendMail(options: SendOptions, mail: TakenMail, signal: AbortSignal): Promise<void> {
  const { store, clock, random, server, onGivenUp } = options
  const { messageId, digestId, person, createdAt } = mail
  const envelope = { messageId, to: person, at: createdAt }
  let attempt: MailAttempt
  if (digestId === null) {
    const rendered = await options.renderAccountMail(mail)
    if (!rendered) return dropMail(store.db, mail)
    attempt = await server.send({ ...envelope, ...rendered, isList: false }, signal)
  } else {
    const { leaving } = options
    const content = contentFor(readContent(mail.content, digestId), await liveDigests(store.db, digestId))
    if (!content) return dropMail(store.db, mail)
    // each token is another one, and the header has that of the text
    const leavingHere = leaving && { all: leaving.all(person), oneSearch: leaving.oneSearch }
    const rendered = options.renderDigest({ content, person, at: createdAt, leaving: leavingHere })
    attempt = await server.send({ ...envelope, ...rendered, unsubscribeUrl: leavingHere?.all }, signal)
  }
  if (attempt.kind !== 'accepted' && signal.aborted) return returnMail(store.db, mail)
  const at = clock()
  const outcome = nextMailStep(attempt, mail.attempts + 1, at, random())
  await recordMail(store.db, mail, outcome, at)
  if (outcome.state === 'given-up') onGivenUp?.({ digestId, person, error: outcome.error })
  if (attempt.kind === 'unreachable') throw new Error(attempt.error)
}

// Makes digests, and sends them and the mails of the console while the service runs: checks every few seconds for what
// is due, and never ends the service.

import { serviceActor } from '../../actions/acting.ts'
import { endRecipient, leaveAll, leaveSearch } from '../../actions/digests.ts'
import { letterContext } from '../../digests/digest-content.ts'
import { openMailServer } from '../../digests/mail-server.ts'
import { makeDigests } from '../../digests/make-digests.ts'
import { type Leaving, recordAccepted, type SendOptions, sendMails } from '../../digests/send-mails.ts'
import { hourMs } from '../../domain/time.ts'
import { afterTicks, type Clock } from '../../platform/clock.ts'
import type { Config, MailSettings } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { mailDomainOf } from '../../platform/mail-address.ts'
import type { Sealer } from '../../platform/sealing.ts'
import { within } from '../../platform/within.ts'
import { inTransaction } from '../../store/database/database.ts'
import { recipientHash } from '../../store/hits/digests.ts'
import { pruneMails, type TakenMail } from '../../store/people/mails.ts'
import { setStatusMails } from '../../store/people/status-mails.ts'
import { keepLooking } from '../watch/keep-looking.ts'
import { openSealer, type SealerContext } from './webhook-sealer.ts'

const lookMs = 5_000
/** How long a service that stops tries to store which mails were accepted: less than all of its end. */
const lastRecordsMs = 3_000
/** Maximum rows to delete in one statement. */
const pruneRows = 500
/** Sealing contexts of the tokens in unsubscribe links: of a digest's or person's id, and of the hash of an address. */
const tokenContexts = { oneSearch: 'unsubscribe', all: 'unsubscribe-all', status: 'unsubscribe-status' } as const

/** Starts immediately. A digest that cannot be made does not hold up any mail. */
export function startMails(
  options: SealerContext & {
    readonly config: Pick<Config, 'baseUrl'>
    readonly mail: MailSettings
    readonly clock: Clock
    readonly log: Log
    /** Called with what is wrong; undefined when it works again. */
    readonly report: (concern: string | undefined) => void
    readonly renderAccountMail: SendOptions['renderAccountMail']
    readonly renderDigest: SendOptions['renderDigest']
    readonly onGivenUp: NonNullable<SendOptions['onGivenUp']>
  },
): { readonly close: () => Promise<void> } {
  const { store, clock, config, mail, random, log, report, renderAccountMail, renderDigest, onGivenUp } = options
  const server = openMailServer(mail)
  const domain = mailDomainOf(mail.from)
  const accepted = new Map<string, TakenMail>()
  const recording = {
    store,
    clock,
    random: () => random.bytes(4).readUInt32BE() / 2 ** 32,
    accepted,
    endRecipient: ((trx, digestId, error) =>
      endRecipient(
        trx,
        { ...serviceActor, now: clock() },
        { digestId, error },
        domain,
      )) satisfies SendOptions['endRecipient'],
    onGivenUp,
  }
  let prunedAt = Number.NEGATIVE_INFINITY

  const look = async (signal: AbortSignal) => {
    const [made] = await Promise.allSettled([makeDigests(store, { clock, domain, signal })])
    const { baseUrl } = config
    // opened each time, to find a key that was put in its place
    const sealer = baseUrl === undefined ? undefined : await openSealer(options)
    await sendMails(
      {
        ...recording,
        server,
        leaving: sealer && baseUrl !== undefined ? leavingOf(sealer, baseUrl) : undefined,
        sealLetter: sealer && ((messageId) => sealer.seal(Buffer.from(messageId), letterContext).toString('base64url')),
        renderAccountMail,
        renderDigest,
      },
      signal,
    )
    if (made.status === 'rejected') throw made.reason
    if (clock() - prunedAt < hourMs) return
    while (!signal.aborted && (await pruneMails(store.db, clock(), pruneRows)));
    prunedAt = clock()
  }
  const looking = keepLooking({ look, everyMs: lookMs, log, concern: 'Mails are not sent', report })
  return {
    close: async () => {
      await looking.close()
      server.close()
      await within(lastRecords(recording, AbortSignal.timeout(lastRecordsMs)), lastRecordsMs)
      if (accepted.size > 0) log.warn({ mails: accepted.size }, 'mails that the server accepted may be sent again')
    },
  }
}

/** Stores which mails the server has accepted, as soon as the database can; what is not stored is sent again. */
async function lastRecords(recording: Parameters<typeof recordAccepted>[0], signal: AbortSignal): Promise<void> {
  while (recording.accepted.size > 0 && !signal.aborted)
    await recordAccepted(recording).catch(() => afterTicks(1000, signal))
}

function leavingOf(sealer: Sealer, baseUrl: string): Leaving {
  const token = (text: string, kind: keyof typeof tokenContexts): string =>
    sealer.seal(Buffer.from(text), tokenContexts[kind]).toString('base64url')
  return {
    all: (person) => `${baseUrl}/unsubscribe?token=${token(recipientHash(person), 'all')}`,
    oneSearch: (digestId) => `${baseUrl}/unsubscribe/search?token=${token(digestId, 'oneSearch')}`,
    status: (personId) => `${baseUrl}/unsubscribe/status?token=${token(personId, 'status')}`,
  }
}

/**
 * Ends the mails to a person, or the hits of one search in them: what the token was made for. False for a token that we
 * did not issue.
 */
export async function unsubscribe(context: SealerContext & { readonly clock: Clock }, token: string): Promise<boolean> {
  const sealed = Buffer.from(token, 'base64url')
  const sealer = await openSealer(context)
  const person = sealer.open(sealed, tokenContexts.all)
  if (person !== undefined) {
    await inTransaction(context.store, (trx) => leaveAll(trx, person.toString(), context.clock()))
    return true
  }
  const leaver = sealer.open(sealed, tokenContexts.status)
  if (leaver !== undefined) {
    await setStatusMails(context.store.db, leaver.toString(), false)
    return true
  }
  const digestId = sealer.open(sealed, tokenContexts.oneSearch)
  if (digestId === undefined) return false
  await inTransaction(context.store, (trx) => leaveSearch(trx, digestId.toString(), context.clock()))
  return true
}

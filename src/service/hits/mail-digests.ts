// Makes digests, and sends them and the mails of the console while the service runs: checks every few seconds for what
// is due, and never ends the service.

import { openMailServer } from '../../digests/mail-server.ts'
import { makeDigests } from '../../digests/make-digests.ts'
import { type SendOptions, sendMails } from '../../digests/send-mails.ts'
import { hourMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Config, MailSettings } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { Sealer } from '../../platform/sealing.ts'
import { removeDigest } from '../../store/hits/digests.ts'
import { pruneMails } from '../../store/people/mails.ts'
import { keepLooking } from '../watch/keep-looking.ts'
import { openSealer, type SealerContext } from './webhook-sealer.ts'

const lookMs = 5_000
/** Maximum rows to delete in one statement. */
const pruneRows = 500
/** Sealing context of the token in an unsubscribe link. */
const tokenContext = 'unsubscribe'

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
    readonly onGivenUp: NonNullable<SendOptions['onGivenUp']>
  },
): { readonly close: () => Promise<void> } {
  const { store, clock, config, mail, random, log, report, renderAccountMail, onGivenUp } = options
  const server = openMailServer(mail)
  const domain = mail.from.slice(mail.from.indexOf('@') + 1)
  let prunedAt = Number.NEGATIVE_INFINITY

  const look = async (signal: AbortSignal) => {
    const [made] = await Promise.allSettled([makeDigests(store, { clock, domain, signal })])
    const { baseUrl } = config
    // opened each time, to find a key that was put in its place
    const sealer = baseUrl === undefined ? undefined : await openSealer(options)
    await sendMails(
      {
        store,
        clock,
        random: () => random.bytes(4).readUInt32BE() / 2 ** 32,
        server,
        unsubscribeUrl: (digestId) => sealer && `${baseUrl}/unsubscribe?token=${tokenOf(sealer, digestId)}`,
        renderAccountMail,
        onGivenUp,
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
    },
  }
}

function tokenOf(sealer: Sealer, digestId: string): string {
  return sealer.seal(Buffer.from(digestId), tokenContext).toString('base64url')
}

/**
 * Ends the digest that a token of `/unsubscribe` was made for, and its mails. False for a token that we did not issue.
 */
export async function unsubscribe(context: SealerContext, token: string): Promise<boolean> {
  const digestId = (await openSealer(context)).open(Buffer.from(token, 'base64url'), tokenContext)
  if (digestId === undefined) return false
  await removeDigest(context.store.db, digestId.toString())
  return true
}

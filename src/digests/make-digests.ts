// Creates the digests that are due. A digest's position moves in the transaction that queues its mail, so each hit is
// in one digest of a person, whatever is killed and however many processes run.
import { createHash } from 'node:crypto'
import { dayMs, hourMs } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { type Executor, inTransaction, type Store } from '../store/database/database.ts'
import { stockIdOf } from '../store/editions/editions.ts'
import {
  type DigestHits,
  type DueDigest,
  digestHits,
  lockDueDigest,
  moveDigest,
  postponeDigest,
} from '../store/hits/digests.ts'
import { insertMail } from '../store/people/mails.ts'
import { digestContent } from './digest-content.ts'
import { digestDay, nextDigestAt } from './digest-schedule.ts'

/** Maximum number of hits that a mail lists. */
const maxItems = 30
/** Maximum time to a deadline that is listed first. */
const urgentMs = 7 * dayMs
/** How long a digest that cannot be created waits, so that it holds up no other. */
const postponeMs = hourMs

export type MakeOptions = {
  readonly clock: Clock
  /** Right side of every `Message-ID`: the domain of the sender. */
  readonly domain: string
  /** If aborted, it stops after the digest in progress. */
  readonly signal?: AbortSignal
  /** Called between steps; if it throws, the digest is undone. */
  readonly onStep?: (step: string) => void
}

/**
 * Creates all digests that are due now. Returns how many mails it queued. Throws the first error after the others are
 * created.
 */
export async function makeDigests(store: Pick<Store, 'db'>, options: MakeOptions): Promise<number> {
  let mails = 0
  let failure: { readonly error: unknown } | undefined
  while (!options.signal?.aborted) {
    let locked: DueDigest | undefined
    try {
      const isMail = await inTransaction(store, async (trx) => {
        locked = await lockDueDigest(trx, options.clock())
        return locked && makeDigest(trx, locked, options)
      })
      if (isMail === undefined) break
      if (isMail) mails++
    } catch (error) {
      if (!locked) throw error
      await postponeDigest(store.db, locked.digestId, options.clock() + postponeMs)
      failure ??= { error }
    }
  }
  if (failure) throw failure.error
  return mails
}

/** True if there is something to mail. */
async function makeDigest(trx: Executor, digest: DueDigest, { clock, domain, onStep }: MakeOptions): Promise<boolean> {
  const { digestId, searchNo, lastEdition, edition } = digest
  const now = clock()
  onStep?.('a digest is locked')
  const reallyDueAt = nextDigestAt(digest, digest)
  if (reallyDueAt > now) {
    // it was postponed, or the rules of its zone changed
    await postponeDigest(trx, digestId, reallyDueAt)
    return false
  }
  const span = { searchNo, after: lastEdition, upTo: edition, now, urgentMs }
  const hits = await digestHits(trx, span, maxItems)
  const hasHits = hits.count > 0
  if (hasHits) {
    const content = JSON.stringify(digestContent(digest.search, hits))
    const messageId = messageIdOf(await stockIdOf(trx), digestId, hits, domain)
    await insertMail(trx, { messageId, digestId, content, now })
    onStep?.('a mail is queued')
  }
  // an empty digest is not sent, so the next immediate one need not wait for it
  const madeAt = hasHits ? now : digest.madeAt
  const madeDay = hasHits || digest.rhythm !== 'atOnce' ? digestDay(digest, digest, now) : digest.madeDay
  const dueAt = nextDigestAt(digest, { madeDay, madeAt })
  await moveDigest(trx, { digestId, lastEdition: Math.max(lastEdition, edition), madeDay, madeAt, dueAt })
  onStep?.('a digest is moved')
  return hasHits
}

/** The same for the same hits: a restored backup that creates the same digest again creates the same mail. */
function messageIdOf(stockId: string, digestId: string, { hash }: DigestHits, domain: string): string {
  const local = createHash('sha256').update(['digest', stockId, digestId, hash].join('|')).digest('hex')
  return `<${local.slice(0, 32)}@${domain}>`
}

// Creates the digests that are due: one mail for all searches of a person. Positions move in the transaction that
// queues the mail, so each hit is in one digest of a person, whatever is killed and however many processes run.
import { createHash } from 'node:crypto'
import { hourMs, minuteMs } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { type Executor, inTransaction, type Store } from '../store/database/database.ts'
import { stockIdOf } from '../store/editions/editions.ts'
import {
  type Digest,
  type DigestHits,
  type DueDigests,
  digestHits,
  digestRest,
  lockDueDigests,
  moveDigests,
  postponeDigests,
} from '../store/hits/digests.ts'
import { insertMail, waitingMailDueAt } from '../store/people/mails.ts'
import { digestContent } from './digest-content.ts'
import { digestDay, nextDigestAt } from './digest-schedule.ts'

/** Maximum number of tenders that a mail lists. */
const maxItems = 30
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
    let locked: DueDigests | undefined
    try {
      const isMail = await inTransaction(store, async (trx) => {
        locked = await lockDueDigests(trx, options.clock())
        return locked && makeDigest(trx, locked, options)
      })
      if (isMail === undefined) break
      if (isMail) mails++
    } catch (error) {
      if (!locked) throw error
      await postponeDigests(store.db, idsOf(locked.all), options.clock() + postponeMs)
      failure ??= { error }
    }
  }
  if (failure) throw failure.error
  return mails
}

/** True if there is something to mail. */
async function makeDigest(
  trx: Executor,
  { all, first, edition }: DueDigests,
  { clock, domain, onStep }: MakeOptions,
): Promise<boolean> {
  const now = clock()
  onStep?.('a digest is locked')
  const reallyDueAt = nextDigestAt(first, first)
  if (reallyDueAt > now) {
    // it was postponed, or the rules of its zone changed
    await postponeDigests(trx, idsOf(all), reallyDueAt)
    return false
  }
  const waitingDueAt = await waitingMailDueAt(trx, first.person)
  if (waitingDueAt !== undefined) {
    // nobody needs a pile of mails: the next one brings everything since
    await postponeDigests(trx, idsOf(all), Math.max(waitingDueAt, now + minuteMs))
    return false
  }
  const digests = all.filter(hasSearch).sort((one, other) => (one.search < other.search ? -1 : 1))
  const searches = digests.map(({ searchNo, lastEdition }) => ({ searchNo, after: lastEdition }))
  const hits = await digestHits(trx, { searches, upTo: edition }, { limit: maxItems })
  const hasHits = hits.count > 0
  if (hasHits) {
    const rest = hits.count > maxItems ? await digestRest(trx, { searches, upTo: edition }, maxItems) : []
    const content = JSON.stringify(digestContent({ digests, language: first.language, edition, hits, rest }))
    const messageId = messageIdOf(await stockIdOf(trx), first.person, hits, domain)
    await insertMail(trx, { messageId, digestId: first.digestId, content, now })
    onStep?.('a mail is queued')
  }
  // an empty digest is not sent, so the next immediate one need not wait for it
  const madeAt = hasHits ? now : first.madeAt
  const madeDay = hasHits || first.rhythm !== 'atOnce' ? digestDay(first, first, now) : first.madeDay
  const dueAt = nextDigestAt(first, { madeDay, madeAt })
  await moveDigests(trx, idsOf(all), { ...first, lastEdition: edition, madeDay, madeAt, dueAt })
  onStep?.('a digest is moved')
  return hasHits
}

const idsOf = (digests: readonly Digest[]): string[] => digests.map(({ digestId }) => digestId)

const hasSearch = (digest: Digest): digest is Digest & { readonly searchNo: number; readonly search: string } =>
  digest.searchNo !== null && digest.search !== null

/** The same for the same hits: a restored backup that creates the same digest again creates the same mail. */
function messageIdOf(stockId: string, person: string, { hash }: DigestHits, domain: string): string {
  const local = createHash('sha256').update(['digest', stockId, person.toLowerCase(), hash].join('|')).digest('hex')
  return `<${local.slice(0, 32)}@${domain}>`
}

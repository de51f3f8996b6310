// Sends what is due: only one worker at a time holds an endpoint, so a dead endpoint delays no other, and no
// transaction is open during a request. At least once: a message is sent again under the same id until its outcome is
// stored.
import { createSecretKey, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { HitEventKind } from '../domain/hit-event.ts'
import { withCheckedAt } from '../domain/record-body.ts'
import { toInstant } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
import type { Sealer } from '../platform/sealing.ts'
import { tracedCall } from '../platform/tracing.ts'
import { inTransaction, type Store } from '../store/database/database.ts'
import {
  type AttemptRecord,
  claimEndpoint,
  type DeliverySubject,
  type DueDelivery,
  deliverySubjects,
  dueDeliveries,
  type EndpointLease,
  giveUp,
  keepBodies,
  recordFailed,
  releaseEndpoint,
  renewEndpoint,
} from '../store/hits/deliveries.ts'
import { disableAndMail } from '../store/hits/endpoint-news.ts'
import { OutcomeWriter } from '../store/hits/outcome-writer.ts'
import { signingSecrets } from '../store/hits/webhook-endpoints.ts'
import { chatAddress, chatOf } from './chat-address.ts'
import { type Chat, chatBody } from './chat-body.ts'
import { cautiousAfter, disabledAfterMs, nextStep, warnedAfterMs } from './delivery-schedule.ts'
import { type AddressRule, type EndpointAddress, parseEndpointAddress } from './endpoint-address.ts'
import { hitBody } from './hit-body.ts'
import type { Attempt, SendAttempt } from './send-attempt.ts'
import { type WebhookMessage, webhookHeaders } from './signature.ts'

/** How long a worker holds an endpoint without a sign of life. It renews the lease after a third of this time. */
const leaseMs = 60_000
/** Maximum number of simultaneous deliveries to one endpoint. */
const atOnce = 4
/** Number of deliveries that are read at a time. */
const batchSize = 50
/** How long a worker stays with one endpoint while others wait. */
const visitMs = 5_000
/** Maximum number of endpoints that one process serves at the same time; a slow one counts as one of them. */
const visitsAtOnce = 64

export type DelivererOptions = {
  readonly store: Store
  /** Clock that decides what is due. */
  readonly clock: Clock
  /** The real time, with which receivers compare their own. */
  readonly wallClock: Clock
  /** 0 to below 1. */
  readonly random: () => number
  readonly send: SendAttempt
  readonly sealer: Sealer
  readonly addresses: AddressRule
  /** Name of this process, for people. */
  readonly worker: string
  /** Where the pages of tenders are, for buttons in chats; undefined: there are none. */
  readonly pages?: string | undefined
  /** Domain of the mails to Owners about endpoints that fail. */
  readonly mailDomain: string
  readonly onAttempt?: (
    attempt: { readonly endpointId: string; readonly messageId: string; readonly isSuccess: boolean } & Attempt,
  ) => void
  readonly onDisabled?: (endpointId: string, why: string) => void
}

type Run = DelivererOptions & { readonly delivered: OutcomeWriter }

/**
 * Sends everything that is due now, and returns when nothing is. When aborted, it breaks off the requests in progress,
 * which are sent again.
 */
export async function deliverDue(options: DelivererOptions, signal: AbortSignal): Promise<void> {
  const run: Run = { ...options, delivered: new OutcomeWriter(options.store.db) }
  const visits = new Set<Promise<void>>()
  /** Endpoints visited in this turn: a long queue is old, and would be taken again before all that wait. */
  const visited = new Set<number>()
  let failure: { readonly error: unknown } | undefined
  while (!signal.aborted && !failure) {
    if (visits.size >= visitsAtOnce) {
      await Promise.race(visits)
      continue
    }
    const { worker, clock } = options
    const lease = await claimEndpoint(options.store, { worker, now: clock(), leaseMs, last: [...visited] })
    if (!lease) {
      if (visits.size === 0) break
      await Promise.race([...visits, delay(100)])
      continue
    }
    if (visited.has(lease.endpointNo)) visited.clear()
    visited.add(lease.endpointNo)
    const visit = visitEndpoint(run, lease, signal)
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => visits.delete(visit))
    visits.add(visit)
  }
  await Promise.all(visits)
  if (failure) throw failure.error
}

/** Sends the due deliveries of one endpoint, for some seconds. */
async function visitEndpoint(run: Run, lease: EndpointLease, signal: AbortSignal): Promise<void> {
  const { store, clock } = run
  const startedAt = performance.now()
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const renewal = setInterval(() => {
    void renewEndpoint(store.db, lease, clock() + leaseMs).then(
      (isHeld) => !isHeld && ending.abort(new Error('another worker has the endpoint')),
      () => {},
    )
  }, leaseMs / 3)
  try {
    const means = await meansOf(run, lease)
    if ('lacks' in means) {
      const posting = { now: clock(), mailDomain: run.mailDomain }
      await inTransaction(store, (trx) => disableAndMail(trx, lease.endpointNo, means.lacks, posting))
      run.onDisabled?.(lease.endpointId, means.lacks)
    }
    const address = addressOf(lease, run.addresses)
    const pacer = new StartPacer(1000 / lease.requestsPerSecond)
    let { failures } = lease
    while (!('lacks' in means) && !both.aborted && performance.now() - startedAt < visitMs) {
      const width = failures >= cautiousAfter ? 1 : atOnce
      const limit = width === 1 ? 1 : batchSize
      const due = await dueDeliveries(store.db, lease, clock(), limit)
      if (due.length === 0) break
      const bodies = await bodiesOf(run, due)
      let isEnded = false
      const queue = [...due]
      const worker = async () => {
        for (let each = queue.shift(); each && !isEnded; each = queue.shift()) {
          const body = bodies.get(each.messageId)
          if (body === undefined) continue
          await pacer.wait(both)
          if (both.aborted || performance.now() - startedAt >= visitMs) return
          const task = { lease, address, means, delivery: each, body }
          const { isSuccess, isLast } = await attempt(run, task, both)
          failures = isSuccess ? 0 : failures + 1
          isEnded ||= isLast
        }
      }
      const ended = await Promise.allSettled(Array.from({ length: width }, worker))
      const failed = ended.find(({ status }) => status === 'rejected')
      if (failed?.status === 'rejected') throw failed.reason
      // what was not attempted in this visit, or failed, waits for the next one
      if (isEnded || due.length < limit) break
    }
  } catch (error) {
    // A request that breaks off because the service ends, or because the endpoint passed to another worker, is sent
    // again by the next holder. After any other error the lease stays until it expires, so that what could not be
    // stored is not sent again immediately.
    if (!both.aborted) throw error
  } finally {
    clearInterval(renewal)
  }
  await releaseEndpoint(store.db, lease).catch(() => {})
}

/** What messages are made with: keys that sign, or a chat and the rest of its address. */
type Means = { readonly key: readonly KeyObject[]; readonly chat: Chat | undefined }

/** `lacks`: why nothing can be sent until somebody mends it, as Owners read it. */
async function meansOf(run: Run, lease: EndpointLease): Promise<Means | { readonly lacks: string }> {
  const chat = chatOf(lease)
  if (chat === 'unknown') return { lacks: 'unknownChat' }
  const key = await secretsOf(run, lease)
  return key.length > 0 ? { key, chat } : { lacks: chat ? 'address' : 'secret' }
}

/** Undefined if it may not be reached (any more): a receiver on this machine, after trials have ended. */
function addressOf({ address }: EndpointLease, rule: AddressRule): EndpointAddress | undefined {
  try {
    return parseEndpointAddress(address, rule)
  } catch (error) {
    if (error instanceof OperatorError) return undefined
    throw error
  }
}

const forbidden: Attempt = { outcome: { kind: 'failed', failure: 'forbidden-address' }, milliseconds: 0 }

/** Limits how often requests start. */
class StartPacer {
  readonly #everyMs: number
  #nextAt = Number.NEGATIVE_INFINITY

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  async wait(signal: AbortSignal): Promise<void> {
    const now = performance.now()
    const startAt = Math.max(now, this.#nextAt)
    this.#nextAt = startAt + this.#everyMs
    if (startAt > now) await delay(startAt - now, undefined, { signal }).catch(() => {})
  }
}

/**
 * Keys that sign fast. Leaves out secrets that were sealed with a lost key; if none is left, somebody must rotate them.
 */
async function secretsOf(
  { store, clock, sealer }: DelivererOptions,
  { endpointNo }: EndpointLease,
): Promise<KeyObject[]> {
  const sealed = await signingSecrets(store.db, endpointNo, clock())
  return sealed.flatMap(({ secretId, sealed: bytes }) => {
    const secret = sealer.open(bytes, secretId)
    return secret === undefined ? [] : createSecretKey(secret)
  })
}

/** The bodies by message: stored ones, and new ones, which are stored before anything is sent. */
async function bodiesOf({ store, clock, wallClock }: DelivererOptions, due: readonly DueDelivery[]) {
  const bodies = new Map<string, string>()
  const missing: DueDelivery[] = []
  for (const each of due) {
    if (each.packed === null) missing.push(each)
    else bodies.set(each.messageId, unpack(each.packed))
  }
  if (missing.length === 0) return bodies
  const subjects = await deliverySubjects(
    store.db,
    missing.map(({ messageId }) => messageId),
  )
  const packed = new Map<string, Buffer>()
  for (const { messageId, kind } of missing) {
    const subject = subjects.get(messageId)
    if (!subject) {
      await giveUp(store.db, messageId, clock())
      continue
    }
    const body = bodyOf(kind as HitEventKind, subject, wallClock())
    bodies.set(messageId, body)
    packed.set(messageId, pack(body))
  }
  for (const [messageId, kept] of await keepBodies(store.db, packed, clock())) bodies.set(messageId, unpack(kept))
  return bodies
}

/** At the fastest level: a body is small, and there may be thousands. */
const pack = (body: string): Buffer => gzipSync(body, { level: 1 })
const unpack = (packed: Uint8Array): string => gunzipSync(packed).toString()

/** Builds the message about a hit, with its record as of the edition. */
function bodyOf(kind: HitEventKind, subject: DeliverySubject, at: number): string {
  const { hitId, edition, searchId, searchName, searchVersion, fitScore, fit, matched } = subject
  const { changes, reason, mergedInto } = subject
  return hitBody({
    kind,
    at,
    hitId,
    edition,
    search: { id: searchId, name: searchName, version: searchVersion },
    fitScore,
    fit,
    matched,
    ...(changes !== null && { changes }),
    ...(reason !== null && { reason }),
    ...(mergedInto !== null && { mergedInto }),
    tender: withCheckedAt(subject.record, checkedAtOf(subject)),
  })
}

/** The last check of any of the record's sources, as in the API; without any, the time when the record changed. */
function checkedAtOf({ sources, checks, lastModified }: DeliverySubject): string {
  const checked = JSON.parse(checks) as { readonly [source: string]: number }
  const times = (JSON.parse(sources) as string[]).flatMap((source) => checked[source] ?? [])
  return toInstant(times.length === 0 ? lastModified : Math.max(...times))
}

/** A signed message; or, for a chat, what it shows of it, at the address that only its secret completes. */
function requestOf(
  { pages }: Run,
  { key, chat }: Means,
  address: EndpointAddress,
  message: WebhookMessage,
): Omit<Parameters<SendAttempt>[0], 'signal'> {
  if (!chat) return { ...address, headers: webhookHeaders(message, key), body: message.body }
  const url = chatAddress(address.url, key[0]!.export())
  return { url, network: address.network, headers: {}, body: chatBody(chat, message.body, pages) }
}

type Task = {
  readonly lease: EndpointLease
  readonly address: EndpointAddress | undefined
  readonly means: Means
  readonly delivery: DueDelivery
  readonly body: string
}

async function attempt(
  run: Run,
  { lease, address, means, delivery, body }: Task,
  signal: AbortSignal,
): Promise<{ readonly isSuccess: boolean; readonly isLast: boolean }> {
  const { store, delivered, clock, wallClock, random, send, mailDomain, onAttempt, onDisabled } = run
  const { messageId } = delivery
  const message = { id: messageId, timestamp: Math.floor(wallClock() / 1000), body }
  const made = await tracedCall('delivery', { 'tenderstock.message': messageId }, async (span) => {
    const ended = address ? await send({ ...requestOf(run, means, address, message), signal }) : forbidden
    const { outcome } = ended
    if (outcome.kind === 'answered') span.setAttribute('http.response.status_code', outcome.status)
    else span.setAttribute('error.type', outcome.failure)
    return ended
  })
  const at = clock()
  const attempts = delivery.attempts + 1
  const step = nextStep(made.outcome, attempts, at, random())
  const record: AttemptRecord = {
    messageId,
    attempts,
    at,
    status: made.outcome.kind === 'answered' ? made.outcome.status : undefined,
    error: made.outcome.kind === 'failed' ? made.outcome.failure : undefined,
    milliseconds: made.milliseconds,
    answer: made.answer ?? '',
    step,
  }
  const isSuccess = step.event === 'success'
  const { isLeaseLost, disabled } = isSuccess
    ? await delivered.keep({ lease, attempt: record })
    : await recordFailed(store, lease, record, { warnedAfterMs, disabledAfterMs, mailDomain })
  onAttempt?.({ endpointId: lease.endpointId, messageId, isSuccess, ...made })
  if (disabled !== undefined) onDisabled?.(lease.endpointId, disabled)
  return { isSuccess, isLast: isLeaseLost || disabled !== undefined }
}

// Reads one slot of a source: steps are stored in groups with their checkpoint, and the outcome of the reading is
// recorded in the ledger.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ParsedPart, RejectionReason } from '../domain/notice.ts'
import type { AtMost } from '../platform/at-most.ts'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
import { Refused, Retryable } from '../platform/http.ts'
import { ForbiddenAddress } from '../platform/network-rule.ts'
import { fetchOf } from '../sources/deliver/fetch-of.ts'
import type { FetchContext, Json, Slot, SlotEnd, Step } from '../sources/fetch.ts'
import { parserOf } from '../sources/parse-document.ts'
import type { Channel, Source } from '../sources/source.ts'
import { type Executor, inTransaction, type Store } from '../store/database/database.ts'
import type { DocumentStore } from '../store/files/document-store.ts'
import { setSourceCheck } from '../store/received/documents.ts'
import { holdLease, type Lease, LeaseLost } from '../store/sources/source-leases.ts'
import {
  findSlot,
  insertRun,
  insertSlots,
  knownItemVersions,
  type LedgerSlot,
  type SlotName,
  type SlotOutcome,
  type SourceRun,
  saveItems,
  saveSlot,
} from '../store/sources/source-ledger.ts'
import { nextDueAt, settledAtOf } from './plan-slots.ts'
import type { PortalConnection } from './polite.ts'
import type { ReadDocument } from './read-document.ts'
import {
  addToBatch,
  type Batch,
  batchBytes,
  batchDocuments,
  countParts,
  readBatch,
  writeBatch,
} from './receive-batch.ts'

/**
 * How long documents are collected before they are stored, so that little is lost when a run of a slow portal is
 * killed.
 */
const groupMs = 5000
/** Maximum consecutive failures from one checkpoint; after that the slot is read from its beginning. */
const hopelessFailures = 5

export type SlotReading = {
  readonly store: Store
  readonly source: Source
  readonly channel: Channel
  readonly slot: Slot
  /** Whether the slot was over before the source first ran. */
  readonly isPast: boolean
  /** Held by this worker; every transaction extends it, and one that lost it writes nothing. */
  readonly lease: Lease
  readonly leaseMs: number
  readonly clock: Clock
  readonly connection: PortalConnection
  readonly key: string | undefined
  /** A folder for this reading is created below it, and removed. */
  readonly scratchFolder: string
  readonly signal: AbortSignal
  readonly documentStore?: DocumentStore
  /** Room for parsing and storing a group. Absent: at once. */
  readonly processing?: AtMost
  /** Called after each group that was stored with a checkpoint: true ends the reading there, to continue later. */
  readonly shouldYield?: () => boolean
  /** Called when new documents have been stored. */
  readonly onStored?: (documents: readonly ReadDocument[]) => Promise<void>
  /** Called when an error is our own bug; the reading counts as failed. */
  readonly onFault?: (error: unknown) => void
}

/** What a reading did and when the slot is due again (epoch milliseconds; null: never). */
export type SlotResult = SourceRun & {
  readonly dueAt: number | null
  /** The portal wants to be left alone until then, epoch milliseconds. */
  readonly retryAt?: number
}

/** The store failed, not the portal: nothing is known about the reading, and the worker must be informed. */
class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('the store failed while a source was read', { cause })
    this.name = 'StoreFailure'
  }
}

type Ended =
  | { readonly kind: 'ended'; readonly end: SlotEnd }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed' | 'refused'; readonly error: Error; readonly isFault: boolean }

/**
 * Reads a slot to its end, from the checkpoint of the newest stored step. Throws LeaseLost if another worker took the
 * lease (nothing was written since), and the errors of the store; every mistake of the portal or a card is an outcome.
 */
export async function runSlot(reading: SlotReading): Promise<SlotResult> {
  const { store, source, channel, slot, clock } = reading
  const name: SlotName = { sourceId: source.id, channel: channel.name, slot: slot.key }
  const startedAt = clock()
  const row = await ledgerSlot(store.db, name)
  const isFeed = channel.slots.kind === 'feed'
  const isHopeless = !isFeed && row.failures > 0 && row.failures % hopelessFailures === 0
  const from = isHopeless ? null : row.checkpoint
  const isResumed = from !== null && !isFeed
  const progress = new Progress(reading, name, {
    checkpoint: from,
    announced: isResumed ? row.announced : null,
    delivered: isResumed ? row.delivered : 0,
  })
  const scratchFolder = join(
    reading.scratchFolder,
    `${source.id}-${channel.name}-${slot.key}`.replaceAll(/[^\w.-]/g, '_'),
  )
  await mkdir(scratchFolder, { recursive: true })
  try {
    const ended = await readSteps(reading, progress, from, scratchFolder)
    return await finish(reading, name, row, progress, ended, startedAt)
  } catch (error) {
    throw error instanceof StoreFailure ? error.cause : error
  } finally {
    await rm(scratchFolder, { recursive: true, force: true })
  }
}

/** The slot's row of the ledger; added if it was not planned. */
async function ledgerSlot(db: Executor, name: SlotName): Promise<LedgerSlot> {
  const known = await findSlot(db, name)
  if (known) return known
  await insertSlots(db, name.sourceId, name.channel, [{ slot: name.slot, dueAt: null }])
  return (await findSlot(db, name))!
}

async function readSteps(
  reading: SlotReading,
  progress: Progress,
  from: string | null,
  scratchFolder: string,
): Promise<Ended> {
  const { store, source, signal } = reading
  const context: FetchContext = {
    slot: reading.slot,
    checkpoint: from === null ? undefined : (JSON.parse(from) as Json),
    send: async (request) => {
      signal.throwIfAborted()
      return reading.connection.send(request)
    },
    knownVersions: async (keys) => {
      const stored = await knownItemVersions(store.db, source.id, keys).catch((error: unknown) => {
        throw new StoreFailure(error)
      })
      return progress.withPending(stored, keys)
    },
    key: reading.key,
    zone: source.zone,
    ...(source.expects.totalTolerance !== undefined && { totalTolerance: source.expects.totalTolerance }),
    unreadableBecause: (bytes) => unreadableBecause(parserOf(source)(bytes)),
    now: reading.clock,
    scratchFolder,
    signal,
  }
  const steps = fetchOf(reading.channel.delivery)(context)
  let isOpen = true
  try {
    for (;;) {
      const next = await steps.next()
      if (next.done) {
        isOpen = false
        return { kind: 'ended', end: next.value }
      }
      await progress.add(next.value)
      if (signal.aborted) return { kind: 'stopped' }
      if (progress.isStoredWithCheckpoint && reading.shouldYield?.()) return { kind: 'stopped' }
    }
  } catch (error) {
    isOpen = false
    if (error instanceof StoreFailure || error instanceof LeaseLost) throw error
    if (signal.aborted) return { kind: 'stopped' }
    const isPortal = error instanceof Retryable || error instanceof OperatorError || error instanceof ForbiddenAddress
    if (!isPortal) reading.onFault?.(error)
    return {
      kind: error instanceof Refused ? 'refused' : 'failed',
      error: error instanceof Error ? error : new Error(String(error)),
      isFault: !isPortal,
    }
  } finally {
    // closes what the fetch holds open: a partially read answer, a file
    if (isOpen) await steps.return({ kind: 'complete' }).catch(() => {})
  }
}

/** Rejections of a document that was truncated or is not the expected one. */
const damages: ReadonlySet<string> = new Set<RejectionReason>([
  'malformed',
  'unsupported-format',
  'missing-identity',
  'missing-content',
  'invalid-content',
])

/** Why nothing of a document can be read; undefined when something can, or when it is sound but not for us. */
function unreadableBecause(parts: readonly ParsedPart[]): string | undefined {
  let reason: string | undefined
  for (const part of parts) {
    if ('notice' in part || !damages.has(part.rejection.reason)) return undefined
    reason ??= part.rejection.detail
  }
  return reason
}

type Sums = Pick<SourceRun, 'entries' | 'documents' | 'notices' | 'rejections'>

/** How a reading ended; `write` gets the sums with its last group. */
type ReadingEnd = {
  readonly outcome: SlotOutcome | undefined
  readonly write: (trx: Executor, sums: Sums) => Promise<void>
}

/** Steps that are on their way into the store. */
class Progress {
  readonly #reading: SlotReading
  readonly #name: SlotName
  #batch: Batch = new Map()
  #bytes = 0
  #items = new Map<string, string>()
  /** Totals and checkpoint of whole steps whose documents are stored or in the batch. */
  #pending: { checkpoint?: string; announced?: number; entries: number; isAny: boolean } = { entries: 0, isAny: false }
  #groupStartedAt = 0
  #checkpoint: string | null
  #announced: number | null
  #delivered: number
  #isAdvanced = false
  isStoredWithCheckpoint = false
  /** What was stored so far. */
  sums: Sums = { entries: 0, documents: 0, notices: 0, rejections: 0 }

  constructor(
    reading: SlotReading,
    name: SlotName,
    start: { checkpoint: string | null; announced: number | null; delivered: number },
  ) {
    this.#reading = reading
    this.#name = name
    this.#checkpoint = start.checkpoint
    this.#announced = start.announced
    this.#delivered = start.delivered
  }

  /** What the portal announced and what was delivered, over all readings that this one continues. */
  get totals(): Totals {
    const { announced, entries } = this.#pending
    return { announced: announced ?? this.#announced, delivered: this.#delivered + entries }
  }

  /** Whether this reading came to a checkpoint after the one from which it began. */
  get isAdvanced(): boolean {
    const { checkpoint } = this.#pending
    return this.#isAdvanced || (checkpoint !== undefined && checkpoint !== this.#checkpoint)
  }

  withPending(stored: ReadonlyMap<string, string>, keys: readonly string[]): ReadonlyMap<string, string> {
    if (this.#items.size === 0) return stored
    const all = new Map(stored)
    for (const key of keys) {
      const version = this.#items.get(key)
      if (version !== undefined) all.set(key, version)
    }
    return all
  }

  /**
   * Adds a step; stores the group when it is large enough. A step larger than a group is stored in several, its
   * checkpoint last.
   */
  async add(step: Step): Promise<void> {
    const { clock } = this.#reading
    this.isStoredWithCheckpoint = false
    if (!this.#pending.isAny && this.#batch.size === 0) this.#groupStartedAt = clock()
    for (const document of step.documents) {
      if (!addToBatch(this.#batch, document)) continue
      this.#bytes += document.bytes.length
      if (this.#batch.size >= batchDocuments || this.#bytes >= batchBytes) await this.store()
    }
    for (const { key, version } of step.items ?? []) this.#items.set(key, version)
    this.#pending.isAny = true
    this.#pending.entries += step.entries ?? step.documents.length
    if (step.checkpoint !== undefined) this.#pending.checkpoint = JSON.stringify(step.checkpoint)
    if (step.announced !== undefined) this.#pending.announced = step.announced
    if (clock() - this.#groupStartedAt >= groupMs || this.#items.size >= batchDocuments) await this.store()
  }

  /** Stores the group, and the end of the reading with it, in one transaction under the fence. */
  store(end?: ReadingEnd): Promise<void> {
    const { processing } = this.#reading
    return processing ? processing(() => this.#store(end)) : this.#store(end)
  }

  async #store(end?: ReadingEnd): Promise<void> {
    const { store, source, lease, leaseMs, clock, documentStore } = this.#reading
    const { checkpoint, entries, isAny } = this.#pending
    if (!isAny && this.#batch.size === 0 && !end) return
    const batch = this.#batch
    const items = [...this.#items].map(([key, version]) => ({ key, version }))
    const progress = { checkpoint: checkpoint ?? this.#checkpoint, ...this.totals }
    try {
      const options = {
        sourceId: source.id,
        parse: parserOf(source),
        expectedFill: source.expects.fill ?? {},
        ...(documentStore && { documentStore }),
      }
      const read = await readBatch(store, options, batch)
      const { added, sums } = await inTransaction(store, async (trx) => {
        await holdLease(trx, lease, clock() + leaseMs)
        const written = await writeBatch(trx, read, clock())
        await saveItems(trx, source.id, items)
        await saveSlot(trx, this.#name, progress, end?.outcome)
        const reached = addedUp(this.sums, entries, written)
        await end?.write(trx, reached)
        return { added: written, sums: reached }
      })
      this.sums = sums
      if (added.length > 0) await this.#reading.onStored?.(added)
    } catch (error) {
      throw error instanceof LeaseLost ? error : new StoreFailure(error)
    }
    this.#isAdvanced = this.isAdvanced
    this.#checkpoint = progress.checkpoint
    this.#announced = progress.announced
    this.#delivered = progress.delivered
    this.isStoredWithCheckpoint = isAny && checkpoint !== undefined
    this.#batch = new Map()
    this.#bytes = 0
    this.#items = new Map()
    this.#pending = { entries: 0, isAny: false }
  }
}

/** The sums with a further group: its entries, and the documents of it that were new. */
function addedUp(sums: Sums, entries: number, added: readonly ReadDocument[]): Sums {
  let { notices, rejections } = sums
  for (const { parts } of added) {
    const counted = countParts(parts)
    notices += counted.notices
    rejections += counted.rejections
  }
  return { entries: sums.entries + entries, documents: sums.documents + added.length, notices, rejections }
}

async function finish(
  reading: SlotReading,
  name: SlotName,
  row: LedgerSlot,
  progress: Progress,
  ended: Ended,
  startedAt: number,
): Promise<SlotResult> {
  const { source, channel, slot, clock } = reading
  const now = clock()
  const { outcome, detail } = outcomeOf(ended, source, channel, progress.totals)
  const reason = reasonOf(ended)
  const judged = judge(
    reading,
    progress.isAdvanced && outcome !== 'short' ? 0 : row.failures,
    ended,
    { outcome, detail },
    { startedAt, now, completedAt: row.completedAt, isPast: reading.isPast },
  )
  const run = { ...name, startedAt, endedAt: now, outcome, requests: reading.connection.requests(), detail, reason }
  // whole steps before the end are stored, however the reading ends
  const write: ReadingEnd['write'] = async (trx, sums) => {
    await insertRun(trx, { ...run, ...sums })
    const isCheck =
      outcome === 'complete' ||
      outcome === 'unchanged' ||
      outcome === 'empty' ||
      (outcome === 'notYet' && now < settledAtOf(source, channel, slot))
    if (isCheck) await setSourceCheck(trx, source.id, now)
  }
  await progress.store({ outcome: judged, write })
  const retryAt = retryAtOf(ended)
  return {
    ...run,
    ...progress.sums,
    dueAt: judged ? judged.dueAt : row.dueAt,
    ...(retryAt !== undefined && { retryAt }),
  }
}

type Totals = { readonly announced: number | null; readonly delivered: number }

/** What is recorded about a reading: how it ended, except that a complete one whose totals differ is short. */
function outcomeOf(
  ended: Ended,
  source: Source,
  channel: Channel,
  totals: Totals,
): { readonly outcome: SourceRun['outcome']; readonly detail: string } {
  if (ended.kind === 'stopped') return { outcome: 'stopped', detail: '' }
  if (ended.kind !== 'ended')
    return {
      outcome: ended.kind,
      detail: ended.isFault ? `fault: ${ended.error.name}: ${ended.error.message}` : ended.error.message,
    }
  const { end } = ended
  if (end.kind === 'short') return { outcome: 'short', detail: end.missing }
  const missing = end.kind === 'complete' ? missingByTotals(source, channel, totals) : undefined
  return missing === undefined ? { outcome: end.kind, detail: '' } : { outcome: 'short', detail: missing }
}

/** Why a reading failed; null if it did not. */
function reasonOf(ended: Ended): SourceRun['reason'] {
  if (ended.kind !== 'failed' && ended.kind !== 'refused') return null
  if (ended.isFault) return 'fault'
  return ended.error instanceof Retryable ? ended.error.reason : 'wrong-content'
}

/** Number of missing documents by the portal's own total; undefined when none are missing, or it is unknown. */
function missingByTotals(source: Source, channel: Channel, { announced, delivered }: Totals): string | undefined {
  const tolerance = source.expects.totalTolerance === undefined ? 0 : source.expects.totalTolerance
  // a feed never has a known total
  if (announced === null || tolerance === null || channel.slots.kind === 'feed') return undefined
  if (Math.abs(announced - delivered) <= tolerance * announced) return undefined
  return `the portal announced ${announced} and delivered ${delivered}`
}

/** When the portal permits the next request, if it said so. */
function retryAtOf(ended: Ended): number | undefined {
  const isError = ended.kind === 'failed' || ended.kind === 'refused'
  return isError && ended.error instanceof Retryable ? ended.error.retryAt : undefined
}

/**
 * What the ledger records of a slot; undefined if the reading was stopped: it continues as soon as a worker is free.
 */
function judge(
  reading: SlotReading,
  failuresBefore: number,
  ended: Ended,
  { outcome, detail }: { readonly outcome: SourceRun['outcome']; readonly detail: string },
  times: {
    readonly startedAt: number
    readonly now: number
    readonly completedAt: number | null
    readonly isPast: boolean
  },
): SlotOutcome | undefined {
  if (outcome === 'stopped') return undefined
  const { source, channel, slot } = reading
  const { now } = times
  const isGood = outcome !== 'failed' && outcome !== 'refused' && outcome !== 'short'
  const failures = isGood ? 0 : failuresBefore + 1
  const planned = nextDueAt(source, channel, slot, outcome, { ...times, failures })
  // a slot of a channel that is never planned was requested explicitly
  const isAlone = channel.role === 'spare'
  const dueAt = isAlone || planned === undefined ? null : Math.max(planned, retryAtOf(ended) ?? 0)
  const isFeed = channel.slots.kind === 'feed'
  if (!isGood) {
    return {
      dueAt,
      failures,
      lastError: detail,
      ...(outcome === 'short' && { missing: { what: detail, since: now }, ...(!isFeed && { checkpoint: null }) }),
    }
  }
  const isRead = outcome !== 'notYet'
  return {
    dueAt,
    failures,
    lastError: null,
    ...(!isFeed && { checkpoint: null }),
    ...(isRead && { missing: null, completedAt: now }),
  }
}

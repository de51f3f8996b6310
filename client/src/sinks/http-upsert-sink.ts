// Syncs into a CRM over its batch API, by a mapping file: creates and updates by external id, closes, merges, never
// deletes, and touches no property outside the mapping. What the CRM refuses is kept, reported and retried.
import { appendFile } from 'node:fs/promises'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { type CopyDigest, DigestSum, isOpenRecord } from '../sync/copy-digest.ts'
import type { Merge, Run } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import { type CrmLedger, type LedgerEntry, openCrmLedger } from './crm/crm-ledger.ts'
import { batchRequest, inBatches, lookUp, moveItems } from './crm/crm-objects.ts'
import { type CrmRequests, crmRequests } from './crm/crm-requests.ts'
import { type CrmAction, CrmWrites, type Wanted, type Write } from './crm/crm-writes.ts'
import type { HttpMapping } from './crm/http-mapping.ts'
import { targetStateOf } from './crm/mapped-properties.ts'
import { type ItemOutcome, readAnswer } from './crm/read-answer.ts'
import { disposable, type OpenSink } from './disposable.ts'
import { SinkError } from './faults/sink-error.ts'
import { makeSharedFile } from './files/own-files.ts'
import type { RecordPrint } from './files/record-index.ts'
import { recordHash } from './record/record-hash.ts'

export type { CrmAction } from './crm/crm-writes.ts'

/** What a run did to the CRM; `pending` are all records that it refuses, of earlier runs too. */
export type CrmReport = {
  readonly created: number
  readonly updated: number
  readonly closed: number
  readonly reopened: number
  readonly merged: number
  /** Number of records of which nothing that is mapped changed: not sent. */
  readonly unchanged: number
  /** Number of archived records that the CRM does not know. */
  readonly unknown: number
  readonly deadLetters: number
  readonly pending: number
  readonly requests: number
}

export type CrmEvent =
  /** One record was written; `why` names the properties that changed, or `new`, `mapping changed`, `tried again`. */
  | { readonly type: 'written'; readonly id: string; readonly action: CrmAction; readonly why: readonly string[] }
  | { readonly type: 'refused'; readonly id: string; readonly action: CrmAction; readonly reason: string }
  | {
      readonly type: 'moved'
      readonly from: string
      readonly into: string
      readonly kind: string
      readonly count: number
    }
  | { readonly type: 'wait'; readonly waitMs: number; readonly reason: string }

export type HttpUpsertSinkOptions = {
  /** The mapping, checked and with the environment filled in: see parseMapping. */
  readonly mapping: HttpMapping
  /** Path of the ledger, preferably beside the state. */
  readonly ledger: string
  /** Path of the file for refused records, one JSON per line. Default: the ledger's with `.refused.ndjson`. */
  readonly deadLetters?: string
  /** Path of a log with one line of JSON per written record. */
  readonly log?: string
  /** Maximum number of records that the CRM may refuse before the run is abandoned. Default 1,000. */
  readonly maxDeadLetters?: number
  readonly on?: (event: CrmEvent) => void
  readonly fetch?: typeof globalThis.fetch
  readonly sleep?: (ms: number) => Promise<void>
  /** Steady clock in milliseconds; only paces requests. */
  readonly clock?: () => number
  readonly timeoutMs?: number
}

export type HttpUpsertSink = OpenSink & { readonly report: CrmReport; readonly warnings: readonly string[] }

/**
 * Maximum refusals without a success: beyond it the records are not bad, but the mapping is wrong or permissions are
 * missing.
 */
const hopelessRefusals = 10
const itemRetries = 3
const zero = { created: 0, updated: 0, closed: 0, reopened: 0, merged: 0, unchanged: 0, unknown: 0, deadLetters: 0 }
const counted = { create: 'created', update: 'updated', close: 'closed', reopen: 'reopened', merge: 'merged' } as const

const printOf = (record: TenderRecord): RecordPrint => ({ hash: recordHash(record), isOpen: isOpenRecord(record) })

/** One run's records on their way into the CRM, and the ledger of what it holds. */
class CrmRun {
  readonly #options: HttpUpsertSinkOptions
  readonly #mapping: HttpMapping
  readonly #deadLetters: string
  readonly #sleep: (ms: number) => Promise<void>
  readonly #requests: CrmRequests
  readonly #writes: CrmWrites
  #opened: Promise<CrmLedger> | undefined
  #run: Run | undefined
  #wanted = new Map<string, Wanted>()
  #log: string[] = []
  #counts = { ...zero }
  #freshRefusals = 0
  #lastRefusal = ''
  #pending = 0
  #requestsBefore = 0

  constructor(options: HttpUpsertSinkOptions) {
    const { mapping, sleep = (ms) => sleepFor(ms, undefined) } = options
    this.#options = options
    this.#mapping = mapping
    this.#deadLetters = options.deadLetters ?? `${options.ledger}.refused.ndjson`
    this.#sleep = sleep
    this.#writes = new CrmWrites(mapping)
    this.#requests = crmRequests({
      name: mapping.name,
      baseUrl: mapping.baseUrl,
      headers: mapping.headers ?? {},
      auth: mapping.auth,
      rate: mapping.rate,
      fetch: options.fetch ?? globalThis.fetch,
      sleep,
      clock: options.clock ?? (() => performance.now()),
      timeoutMs: options.timeoutMs ?? 60_000,
      onWait: (wait) => options.on?.({ type: 'wait', ...wait }),
    })
  }

  get report(): CrmReport {
    return { ...this.#counts, pending: this.#pending, requests: this.#requests.count - this.#requestsBefore }
  }

  get warnings(): readonly string[] {
    if (this.#pending === 0) return []
    const [records, them] = this.#pending === 1 ? ['1 record is', 'it'] : [`${this.#pending} records are`, 'them']
    return [
      `${records} missing in ${this.#mapping.name}, which refuses ${them}: see ${this.#deadLetters}; the next run retries.`,
    ]
  }

  /** Archived records that the CRM does not know are created only then. */
  get keepsArchived(): boolean {
    return this.#run?.keepArchived ?? false
  }

  async begin(run: Run): Promise<void> {
    // read again: another process may have run since
    this.#opened = undefined
    const known = await this.ledger()
    this.#counts = { ...zero }
    this.#freshRefusals = 0
    this.#requestsBefore = this.#requests.count
    this.#wanted = new Map()
    this.#pending = 0
    this.#run = run
    let isUnsure = false
    for (const { id, pending: refused, sending, sendingInto } of known.entries()) {
      if (refused) {
        this.#pending++
        const { reason, ...given } = refused
        this.#wanted.set(id, { ...given, isCreating: true, retried: reason })
      }
      if (!sending) continue
      isUnsure = true
      this.#wanted.set(id, { record: sending, into: sendingInto, isCreating: true })
    }
    if (isUnsure) await this.flush()
  }

  async ledger(): Promise<CrmLedger> {
    this.#opened ??= openCrmLedger(this.#options.ledger, this.#writes.mappingHash)
    return await this.#opened
  }

  /** Versions that were given to the CRM: one that it refused is kept, and given again. */
  async digest(): Promise<CopyDigest | undefined> {
    await this.flush()
    const sum = new DigestSum()
    for (const { lastModified, print, pending } of (await this.ledger()).entries()) {
      if (pending) sum.add(recordHash(pending.record), isOpenRecord(pending.record), pending.record.lastModified)
      else if (lastModified !== undefined) {
        if (!print) return undefined
        sum.add(print.hash, print.isOpen, lastModified)
      }
    }
    return sum.digest
  }

  want(records: readonly { readonly record: TenderRecord; readonly into?: string }[], isCreating: boolean): void {
    if (!this.#run) throw new Error('begin() comes first')
    for (const { record, into } of records) {
      const other = this.#wanted.get(record.id)
      if (other && other.record.lastModified > record.lastModified) continue
      // An archived survivor comes by upsert() and then by close(): the first may create it.
      const isSame = other?.record.lastModified === record.lastModified
      this.#wanted.set(record.id, {
        record,
        into,
        isCreating: isCreating || (isSame && other.isCreating),
        ...(isSame && other.retried !== undefined && { retried: other.retried }),
      })
    }
  }

  /** An archived survivor is passed to upsert() and then to close(): the first may create it. */
  async flush(): Promise<void> {
    if (this.#wanted.size === 0) return
    const known = await this.ledger()
    const all = [...this.#wanted.values()]
    const missing = all.map(({ record }) => record.id).filter((id) => known.get(id)?.lastModified === undefined)
    const looked = await lookUp(this.#mapping, this.#requests, missing)
    const writes = all.flatMap((wanted) => this.#writeOf(known, wanted, looked) ?? [])
    await this.#send(
      known,
      writes.filter(({ action }) => action !== 'merge'),
    )
    const merging = writes.filter(({ action }) => action === 'merge')
    const ready: Write[] = []
    for (const write of merging) if (await this.#moveAll(known, write)) ready.push(write)
    await this.#send(known, ready)
    this.#wanted = new Map()
  }

  async save(): Promise<void> {
    await (await this.ledger()).save()
    const { log } = this.#options
    if (log !== undefined && this.#log.length > 0) {
      await makeSharedFile(log)
      await appendFile(log, `${this.#log.join('\n')}\n`)
    }
    this.#log = []
  }

  /** Nothing in a CRM can be undone; the ledger keeps what was accepted. */
  async discard(): Promise<void> {
    this.#wanted = new Map()
    await this.save()
    this.end()
  }

  end(): void {
    this.#run = undefined
  }

  /** Returns what to write of a wanted record; a record that needs no write is counted and remembered. */
  #writeOf(known: CrmLedger, wanted: Wanted, looked: ReadonlyMap<string, LedgerEntry>): Write | undefined {
    const { record, into = record.mergedInto, isCreating } = wanted
    const stored = known.get(record.id)
    const entry = stored?.lastModified === undefined ? looked.get(record.id.toLowerCase()) : stored
    if (!entry && !isCreating && !stored?.sending) {
      this.#counts.unknown++
      this.#settle(known, record.id)
      return undefined
    }
    if (entry?.lastModified !== undefined && entry.lastModified > record.lastModified) {
      this.#counts.unchanged++
      this.#settle(known, record.id)
      return undefined
    }
    const write = this.#writes.writeOf(wanted, entry, {
      sending: stored?.sending,
      isBackfill: this.#run?.kind === 'first',
      isOtherMapping: known.isOtherMapping,
    })
    if (write) return write
    this.#counts.unchanged++
    if (entry?.lastModified !== record.lastModified || stored?.pending)
      this.#remember(known, record, entry, { into, hashes: entry?.hashes ?? '' })
    return undefined
  }

  #remember(
    known: CrmLedger,
    record: TenderRecord,
    entry: LedgerEntry | undefined,
    {
      into,
      hashes,
      crmId = entry?.crmId,
    }: { readonly into: string | undefined; readonly hashes: string; readonly crmId?: string | undefined },
  ): void {
    if (known.get(record.id)?.pending) this.#pending--
    known.set({
      id: record.id,
      lastModified: record.lastModified,
      status: record.status,
      print: printOf(record),
      state: targetStateOf(record),
      hashes,
      ...(crmId !== undefined && { crmId }),
      ...(into !== undefined && { mergedInto: into }),
    })
  }

  /** A refused version that is out of date is not retried. */
  #settle(known: CrmLedger, id: string): void {
    const { pending: refused, ...entry } = known.get(id) ?? { id }
    if (!refused) return
    this.#pending--
    known.set(entry)
  }

  /**
   * This is recorded before anything is sent: if the process is killed before it receives the answer, the next one
   * sends it again before everything else.
   */
  async #noteSending(known: CrmLedger, writes: readonly Write[]): Promise<void> {
    for (const { record, into } of writes) {
      const { sendingInto: _, ...stored } = known.get(record.id) ?? { id: record.id }
      known.set({ ...stored, sending: record, ...(into !== undefined && { sendingInto: into }) })
    }
    if (writes.length > 0) await known.save()
  }

  async #refuse(known: CrmLedger, write: Write, reason: string, status?: number): Promise<void> {
    const { record, into, action } = write
    const { pending: old, sending: _, sendingInto: __, ...stored } = known.get(record.id) ?? { id: record.id }
    if (!old) this.#pending++
    known.set({
      ...stored,
      ...(write.sending && { sending: write.sending }),
      ...(write.entry?.crmId !== undefined && { crmId: write.entry.crmId }),
      pending: { record, ...(into !== undefined && { into }), reason },
    })
    this.#counts.deadLetters++
    if (!write.isRetry) this.#freshRefusals++
    this.#lastRefusal = reason
    this.#options.on?.({ type: 'refused', id: record.id, action, reason })
    if (write.lastReason !== reason) {
      const { id, lastModified, title } = record
      const line = { id, lastModified, title, action, status, reason, properties: write.properties }
      await appendFile(this.#deadLetters, `${JSON.stringify(line)}\n`, { mode: 0o600 })
    }
  }

  #written(known: CrmLedger, write: Write, crmId: string | undefined): void {
    const { record, into, action, why } = write
    this.#counts[counted[action]]++
    this.#remember(known, record, write.entry, { into, hashes: write.hashes, crmId: crmId ?? write.entry?.crmId })
    this.#options.on?.({ type: 'written', id: record.id, action, why })
    this.#log.push(JSON.stringify({ id: record.id, lastModified: record.lastModified, action, why }))
  }

  async #send(known: CrmLedger, writes: readonly Write[]): Promise<void> {
    const { name, upsert } = this.#mapping
    const { maxDeadLetters = 1000 } = this.#options
    await this.#noteSending(known, writes)
    for (const batch of inBatches(writes, upsert.batchSize)) {
      await this.#sendBatch(known, batch)
      const successes = Object.values(counted).reduce((sum, member) => sum + this.#counts[member], 0)
      if (this.#freshRefusals >= hopelessRefusals && successes === 0)
        throw new SinkError(
          `${name} refused the first ${this.#freshRefusals} records (${this.#lastRefusal}); fix the mapping or the CRM and run again.`,
        )
      if (this.#counts.deadLetters > maxDeadLetters)
        throw new SinkError(`${name} refused more than ${maxDeadLetters} records; see ${this.#deadLetters}.`)
    }
  }

  async #sendBatch(known: CrmLedger, writes: readonly Write[], retries = 0): Promise<void> {
    if (writes.length === 0) return
    const { upsert, retryCodes } = this.#mapping
    const answer = await this.#requests.send(
      batchRequest(
        upsert,
        writes.map(({ record, properties }) => ({ externalId: record.id, properties })),
      ),
    )
    if (answer.result === 'refused') {
      const [only, ...others] = writes
      if (others.length === 0) {
        await this.#refuse(known, only!, answer.reason, answer.status)
        return this.save()
      }
      // One bad record may make the CRM refuse a whole batch: halving finds it, and the others are accepted.
      const middle = Math.ceil(writes.length / 2)
      await this.#sendBatch(known, writes.slice(0, middle))
      return this.#sendBatch(known, writes.slice(middle))
    }
    const outcomes = readAnswer(
      upsert.answer,
      answer.body,
      writes.map(({ record }) => record.id),
    )
    const again: Write[] = []
    for (const [index, write] of writes.entries()) {
      const outcome = outcomes[index] as ItemOutcome
      if (outcome.result === 'ok') this.#written(known, write, outcome.crmId)
      else if (retries < itemRetries && (outcome.code === undefined || retryCodes?.includes(outcome.code)))
        again.push(write)
      else await this.#refuse(known, write, outcome.reason)
    }
    // immediately: an interrupted run remembers what reached the CRM
    await this.save()
    if (again.length === 0) return
    const waitMs = 1000 * 2 ** retries
    this.#options.on?.({ type: 'wait', waitMs, reason: `resending ${again.length} records` })
    await this.#sleep(waitMs)
    await this.#sendBatch(known, again, retries + 1)
  }

  /** Moves what is attached to a merged record; false: refused, and the merge with it. */
  async #moveAll(known: CrmLedger, write: Write): Promise<boolean> {
    const from = write.entry?.crmId
    const into = known.get(write.into ?? '')?.crmId
    // If the survivor is not in the CRM (a filtered sync), only the pointer is set: there is no object to which
    // anything could move.
    if (from === undefined || into === undefined || from === into) return true
    for (const move of this.#mapping.merge.moves ?? []) {
      const moved = await moveItems(this.#mapping, this.#requests, move, { from, into })
      if ('reason' in moved) {
        await this.#refuse(known, write, `${move.name} could not be moved: ${moved.reason}`)
        return false
      }
      if (moved.count > 0) this.#options.on?.({ type: 'moved', from, into, kind: move.name, count: moved.count })
    }
    return true
  }
}

/** Opens the sink; the ledger is read when it is first used. */
export function openHttpUpsertSink(options: HttpUpsertSinkOptions): HttpUpsertSink {
  const crm = new CrmRun(options)
  return disposable({
    name: 'http',
    canStage: false,
    get report() {
      return crm.report
    },
    get warnings() {
      return crm.warnings
    },
    begin: (run) => crm.begin(run),
    async upsert(records) {
      crm.want(
        records.map((record) => ({ record })),
        true,
      )
    },
    async close(records) {
      crm.want(
        records.map((record) => ({ record })),
        crm.keepsArchived,
      )
    },
    async merge(merges: readonly Merge[]) {
      // The record they merge into must exist first, with the CRM's own ID.
      await crm.flush()
      crm.want(merges, crm.keepsArchived)
    },
    async commit(_state, end) {
      await crm.flush()
      await crm.save()
      if (end === 'run') crm.end()
    },
    discard: () => crm.discard(),
    async held(ids) {
      await crm.flush()
      const known = await crm.ledger()
      return new Map(
        ids.flatMap((id) => {
          const lastModified = known.get(id)?.lastModified
          return lastModified === undefined ? [] : [[id, lastModified] as const]
        }),
      )
    },
    digest: () => crm.digest(),
    async *all() {
      for (const { id, lastModified, status } of (await crm.ledger()).entries())
        if (lastModified !== undefined) yield { id, lastModified, status: status ?? 'unknown' }
    },
    // Nothing is written here: the lock of the run was released before, and another process may be running.
    async end() {},
  })
}

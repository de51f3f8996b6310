// Syncs into a CRM over its batch API, by a mapping file: creates and updates by external id, closes, merges, never
// deletes, and touches no property outside the mapping. What the CRM refuses is kept, reported and retried.
import { createHash } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { Merge, Run } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import { type CrmLedger, type LedgerEntry, openCrmLedger } from './crm-ledger.ts'
import { type CrmRequests, crmRequests, reasonIn } from './crm-requests.ts'
import { disposable, type OpenSink } from './disposable.ts'
import { filledJson } from './filled-json.ts'
import type { HttpMapping, MappedBatch, MappedMove, Scalar } from './http-mapping.ts'
import { mappedProperties, mappedValue, targetStateOf, valueAt } from './mapped-properties.ts'
import { type ItemOutcome, readAnswer } from './read-answer.ts'
import { SinkError } from './sink-error.ts'

/** What a run did to the CRM; `pending` are all records that it refuses, of earlier runs too. */
export type CrmReport = {
  readonly created: number
  readonly updated: number
  readonly closed: number
  readonly reopened: number
  readonly merged: number
  /** Nothing that is mapped changed: not sent. */
  readonly unchanged: number
  /** Archived records that the CRM does not know. */
  readonly unknown: number
  readonly deadLetters: number
  readonly pending: number
  readonly requests: number
}

export type CrmAction = 'create' | 'update' | 'close' | 'reopen' | 'merge'

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
  /** Checked, with the environment filled in: see parseMapping. */
  readonly mapping: HttpMapping
  /** Path of the ledger, best beside the state. */
  readonly ledger: string
  /** Path of the file for refused records, one JSON per line. Default: the ledger's with `.refused.ndjson`. */
  readonly deadLetters?: string
  /** Path of a log with one line of JSON per written record. */
  readonly log?: string
  /** Maximum records that the CRM may refuse before the run is abandoned. Default 1,000. */
  readonly maxDeadLetters?: number
  readonly on?: (event: CrmEvent) => void
  readonly fetch?: typeof globalThis.fetch
  readonly sleep?: (ms: number) => Promise<void>
  /** Milliseconds; paces requests only. */
  readonly clock?: () => number
  readonly timeoutMs?: number
}

export type HttpUpsertSink = OpenSink & { readonly report: CrmReport; readonly warnings: readonly string[] }

type Wanted = { readonly record: TenderRecord; readonly isCreating: boolean; readonly retried?: string }
type Write = {
  readonly record: TenderRecord
  readonly entry: LedgerEntry | undefined
  readonly action: CrmAction
  readonly why: readonly string[]
  readonly hashes: string
  readonly properties: { readonly [name: string]: Scalar }
  /** From an earlier process that did not learn whether it arrived. */
  readonly sending: TenderRecord | undefined
  readonly isRetry: boolean
  readonly lastReason: string | undefined
}

/** Maximum refusals without a success: beyond it the records are not bad, but the mapping is wrong or permissions are missing. */
const hopelessRefusals = 10
const itemRetries = 3
const hashLength = 8
const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, hashLength)

function* inBatches<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

/** Opens the sink; the ledger is read when it is first used. */
export function openHttpUpsertSink(options: HttpUpsertSinkOptions): HttpUpsertSink {
  const { mapping, maxDeadLetters = 1000, sleep = (ms) => sleepFor(ms, undefined) } = options
  const deadLetters = options.deadLetters ?? `${options.ledger}.refused.ndjson`
  const emptyValue = mapping.emptyValue ?? null
  const counted = mapping.fields.filter(({ isPassive, when }) => !isPassive && when !== 'create')
  const requests: CrmRequests = crmRequests({
    name: mapping.name,
    baseUrl: mapping.baseUrl,
    headers: mapping.headers,
    rate: mapping.rate,
    fetch: options.fetch ?? globalThis.fetch,
    sleep,
    clock: options.clock ?? (() => performance.now()),
    timeoutMs: options.timeoutMs ?? 60_000,
    onWait: (wait) => options.on?.({ type: 'wait', ...wait }),
  })
  let opened: Promise<CrmLedger> | undefined
  let run: Run | undefined
  let wanted = new Map<string, Wanted>()
  let isOtherMapping = false
  let log: string[] = []
  const zero = { created: 0, updated: 0, closed: 0, reopened: 0, merged: 0, unchanged: 0, unknown: 0, deadLetters: 0 }
  let counts = { ...zero }
  let freshRefusals = 0
  let lastRefusal = ''
  let pending = 0
  let requestsBefore = 0

  async function ledger(): Promise<CrmLedger> {
    opened ??= openCrmLedger(options.ledger, shortHash(JSON.stringify(counted)))
    return await opened
  }

  function want(records: readonly TenderRecord[], isCreating: boolean): void {
    if (!run) throw new Error('begin() comes first')
    for (const record of records) {
      const other = wanted.get(record.id)
      if (other && other.record.lastModified > record.lastModified) continue
      // An archived survivor comes by upsert() and then by close(): the first may create it.
      const isSame = other?.record.lastModified === record.lastModified
      wanted.set(record.id, {
        record,
        isCreating: isCreating || (isSame && other.isCreating),
        ...(isSame && other.retried !== undefined && { retried: other.retried }),
      })
    }
  }

  /** Ids that the CRM knows although the ledger does not. */
  async function lookUp(ids: readonly string[]): Promise<Map<string, LedgerEntry>> {
    const found = new Map<string, LedgerEntry>()
    const { lookup } = mapping
    if (!lookup) return found
    for (const batch of inBatches(ids, lookup.batchSize)) {
      const answer = await requests.send(
        batchRequest(
          lookup,
          batch.map((externalId) => ({ externalId })),
        ),
      )
      if (answer.result === 'refused')
        throw new SinkError(`${mapping.name} refuses the lookup of the mapping: ${answer.reason}`)
      const results = valueAt(answer.body, lookup.results)
      if (!Array.isArray(results))
        throw new SinkError(`${mapping.name} answers the lookup of the mapping without ${lookup.results}.`)
      for (const result of results) {
        const id = String(valueAt(result, lookup.externalId)).toLowerCase()
        const modified = Date.parse(String(lookup.lastModified && valueAt(result, lookup.lastModified)))
        found.set(id, {
          id,
          crmId: String(valueAt(result, lookup.crmId)),
          lastModified: new Date(Number.isNaN(modified) ? 0 : modified).toISOString(),
        })
      }
    }
    return found
  }

  function batchRequest(batch: MappedBatch, items: readonly { readonly [name: string]: unknown }[]) {
    const ids = items.map(({ externalId }) => `'${String(externalId)}'`).join(',')
    const filled = items.map((values) => filledJson(batch.item ?? '{externalId}', values))
    return {
      method: batch.method,
      path: batch.path.replaceAll('{quotedIds}', encodeURIComponent(ids)),
      ...(batch.body !== undefined && { body: filledJson(batch.body, { items: filled }) }),
    }
  }

  function hashesOf(record: TenderRecord): string {
    return counted
      .map((field) => shortHash(JSON.stringify(mappedValue(record, field, { emptyValue, isBackfill: false }) ?? '')))
      .join('')
  }

  function changedProperties(before: string | undefined, after: string): string[] {
    if (before === undefined) return ['not in the ledger']
    if (isOtherMapping && before !== after) return ['mapping changed']
    return counted
      .filter((_, index) => {
        const from = index * hashLength
        return before.slice(from, from + hashLength) !== after.slice(from, from + hashLength)
      })
      .map(({ to }) => to)
  }

  const inForm = (properties: { readonly [name: string]: Scalar }): { readonly [name: string]: Scalar } =>
    mapping.valuesAsText
      ? Object.fromEntries(
          Object.entries(properties).map(([name, value]) => [name, value === null ? null : String(value)]),
        )
      : properties

  /** What is to be written of one record; undefined: nothing. */
  function writeOf(
    { record, retried }: Wanted,
    entry: LedgerEntry | undefined,
    sending: TenderRecord | undefined,
  ): Write | undefined {
    const state = targetStateOf(record)
    const hashes = hashesOf(record)
    const isBackfill = run?.kind === 'first'
    const isUnsure = sending !== undefined
    const isClosing = state === 'closed' && (isUnsure || entry?.state !== 'closed')
    const isMerging =
      state === 'merged' && (isUnsure || entry?.state !== 'merged' || entry.mergedInto !== record.mergedInto)
    const before = [entry?.state, sending && targetStateOf(sending)]
    const isReopening = state === 'open' && before.some((was) => was !== undefined && was !== 'open')
    const changed = isUnsure ? ['sent before'] : entry ? changedProperties(entry.hashes, hashes) : ['new']
    if (changed.length === 0 && !isClosing && !isMerging && !isReopening) return undefined
    const extra = [
      ...(isClosing ? mapping.close.fields : []),
      ...(isMerging ? mapping.merge.fields : []),
      ...(isReopening ? (mapping.reopen?.fields ?? []) : []),
    ]
    const fields = mapping.fields.filter(({ when }) => when !== 'create' || !entry)
    const action = isMerging ? 'merge' : isClosing ? 'close' : isReopening ? 'reopen' : entry ? 'update' : 'create'
    return {
      record,
      entry,
      action,
      why: retried === undefined ? changed : ['tried again', ...changed],
      hashes,
      properties: inForm({
        ...mappedProperties(record, fields, { emptyValue, isBackfill }),
        ...mappedProperties(record, extra, { emptyValue, isBackfill }),
      }),
      sending,
      isRetry: retried !== undefined,
      lastReason: retried,
    }
  }

  /** Sends everything collected: first the survivors, then the records that merge into them. */
  async function flush(): Promise<void> {
    if (wanted.size === 0) return
    const known = await ledger()
    const all = [...wanted.values()]
    const missing = all.map(({ record }) => record.id).filter((id) => known.get(id)?.lastModified === undefined)
    const looked = await lookUp(missing)
    const writes: Write[] = []
    for (const each of all) {
      const { record, isCreating } = each
      const stored = known.get(record.id)
      const entry = stored?.lastModified === undefined ? looked.get(record.id.toLowerCase()) : stored
      const sending = stored?.sending
      if (!entry && !isCreating) {
        counts.unknown++
        settle(known, record.id)
        continue
      }
      if (entry?.lastModified !== undefined && entry.lastModified > record.lastModified) {
        counts.unchanged++
        settle(known, record.id)
        continue
      }
      const write = writeOf(each, entry, sending)
      if (write) writes.push(write)
      else {
        counts.unchanged++
        if (entry?.lastModified !== record.lastModified || stored?.pending)
          remember(known, record, entry, { hashes: entry?.hashes ?? '' })
      }
    }
    await send(
      known,
      writes.filter(({ action }) => action !== 'merge'),
    )
    const merging = writes.filter(({ action }) => action === 'merge')
    const ready: Write[] = []
    for (const write of merging) if (await moveAll(known, write)) ready.push(write)
    await send(known, ready)
    wanted = new Map()
  }

  function remember(
    known: CrmLedger,
    record: TenderRecord,
    entry: LedgerEntry | undefined,
    { hashes, crmId = entry?.crmId }: { readonly hashes: string; readonly crmId?: string | undefined },
  ): void {
    if (known.get(record.id)?.pending) pending--
    known.set({
      id: record.id,
      lastModified: record.lastModified,
      status: record.status,
      state: targetStateOf(record),
      hashes,
      ...(crmId !== undefined && { crmId }),
      ...(record.mergedInto !== undefined && { mergedInto: record.mergedInto }),
    })
  }

  /** A refused version that is out of date is not retried. */
  function settle(known: CrmLedger, id: string): void {
    const { pending: refused, ...entry } = known.get(id) ?? { id }
    if (!refused) return
    pending--
    known.set(entry)
  }

  /** Noted before anything is sent: killed before it hears the answer, the next process sends it again before all else. */
  async function noteSending(known: CrmLedger, writes: readonly Write[]): Promise<void> {
    for (const { record } of writes) known.set({ ...(known.get(record.id) ?? { id: record.id }), sending: record })
    if (writes.length > 0) await known.save()
  }

  async function refuse(known: CrmLedger, write: Write, reason: string, status?: number): Promise<void> {
    const { record, action } = write
    const { pending: old, sending: _, ...stored } = known.get(record.id) ?? { id: record.id }
    if (!old) pending++
    known.set({
      ...stored,
      ...(write.sending && { sending: write.sending }),
      ...(write.entry?.crmId !== undefined && { crmId: write.entry.crmId }),
      pending: { record, reason },
    })
    counts.deadLetters++
    if (!write.isRetry) freshRefusals++
    lastRefusal = reason
    options.on?.({ type: 'refused', id: record.id, action, reason })
    if (write.lastReason !== reason) {
      const { id, lastModified, title } = record
      const line = { id, lastModified, title, action, status, reason, properties: write.properties }
      await appendFile(deadLetters, `${JSON.stringify(line)}\n`, { mode: 0o600 })
    }
  }

  function written(known: CrmLedger, write: Write, crmId: string | undefined): void {
    const { record, action, why } = write
    const total = (
      { create: 'created', update: 'updated', close: 'closed', reopen: 'reopened', merge: 'merged' } as const
    )[action]
    counts[total]++
    remember(known, record, write.entry, { hashes: write.hashes, crmId: crmId ?? write.entry?.crmId })
    options.on?.({ type: 'written', id: record.id, action, why })
    log.push(JSON.stringify({ id: record.id, lastModified: record.lastModified, action, why }))
  }

  async function send(known: CrmLedger, writes: readonly Write[]): Promise<void> {
    await noteSending(known, writes)
    for (const batch of inBatches(writes, mapping.upsert.batchSize)) {
      await sendBatch(known, batch)
      const successes = counts.created + counts.updated + counts.closed + counts.reopened + counts.merged
      if (freshRefusals >= hopelessRefusals && successes === 0)
        throw new SinkError(
          `${mapping.name} refused the first ${freshRefusals} records (${lastRefusal}); fix the mapping or the CRM and run again.`,
        )
      if (counts.deadLetters > maxDeadLetters)
        throw new SinkError(`${mapping.name} refused more than ${maxDeadLetters} records; see ${deadLetters}.`)
    }
  }

  async function sendBatch(known: CrmLedger, writes: readonly Write[], retries = 0): Promise<void> {
    if (writes.length === 0) return
    const answer = await requests.send(
      batchRequest(
        mapping.upsert,
        writes.map(({ record, properties }) => ({ externalId: record.id, properties })),
      ),
    )
    if (answer.result === 'refused') {
      const [only, ...others] = writes
      if (others.length === 0) {
        await refuse(known, only!, answer.reason, answer.status)
        return saveAll()
      }
      // One bad record may make the CRM refuse a whole batch: halving finds it, and the others are accepted.
      const middle = Math.ceil(writes.length / 2)
      await sendBatch(known, writes.slice(0, middle))
      return sendBatch(known, writes.slice(middle))
    }
    const outcomes = readAnswer(
      mapping.upsert.answer,
      answer.body,
      writes.map(({ record }) => record.id),
    )
    const again: Write[] = []
    for (const [index, write] of writes.entries()) {
      const outcome = outcomes[index] as ItemOutcome
      if (outcome.result === 'ok') written(known, write, outcome.crmId)
      else if (retries < itemRetries && (outcome.code === undefined || mapping.retryCodes?.includes(outcome.code)))
        again.push(write)
      else await refuse(known, write, outcome.reason)
    }
    // at once: an interrupted run remembers what reached the CRM
    await saveAll()
    if (again.length === 0) return
    const waitMs = 1000 * 2 ** retries
    options.on?.({ type: 'wait', waitMs, reason: `resending ${again.length} records` })
    await sleep(waitMs)
    await sendBatch(known, again, retries + 1)
  }

  /** Moves what hangs at a merged record; false: refused, and the merge with it. */
  async function moveAll(known: CrmLedger, write: Write): Promise<boolean> {
    const from = write.entry?.crmId
    const into = known.get(write.record.mergedInto ?? '')?.crmId
    // Without the survivor in the CRM (a filtered sync) the pointer alone is set; nothing moves to nowhere.
    if (from === undefined || into === undefined || from === into) return true
    for (const move of mapping.merge.moves ?? []) {
      const reason = await moveOne(move, from, into)
      if (reason === undefined) continue
      await refuse(known, write, `${move.name} could not be moved: ${reason}`)
      return false
    }
    return true
  }

  /** The reason of a refusal, or undefined. */
  async function moveOne({ name, list, write }: MappedMove, from: string, into: string): Promise<string | undefined> {
    const items: string[] = []
    for (let path: string | undefined = list.path.replaceAll('{from}', encodeURIComponent(from)); path; ) {
      const answer = await requests.send({ method: 'GET', path })
      if (answer.result === 'refused') return answer.reason
      const results = valueAt(answer.body, list.results)
      if (!Array.isArray(results)) return `no ${list.results} in the answer`
      items.push(...results.map((result) => String(valueAt(result, list.id))))
      const next: unknown = list.next === undefined ? undefined : valueAt(answer.body, list.next)
      path = typeof next === 'string' && next !== '' ? next : undefined
    }
    for (const batch of inBatches(items, write.batchSize)) {
      const answer = await requests.send(
        batchRequest(
          write,
          batch.map((item) => ({ item, from, into })),
        ),
      )
      if (answer.result === 'refused') return answer.reason
      const failed = failureIn(answer.body)
      if (failed !== undefined) return failed
    }
    if (items.length > 0) options.on?.({ type: 'moved', from, into, kind: name, count: items.length })
    return undefined
  }

  /** For a move: an entry that failed (a list of results), or a list of errors. */
  function failureIn(body: unknown): string | undefined {
    const { answer } = mapping.upsert
    const list = answer.kind === 'ordered' ? body : valueAt(body, answer.errors ?? 'errors')
    if (!Array.isArray(list)) return undefined
    const failed =
      answer.kind === 'ordered' ? list.find((entry) => valueAt(entry, answer.success ?? 'success') !== true) : list[0]
    return failed === undefined ? undefined : reasonIn(JSON.stringify(valueAt(failed, 'errors.0') ?? failed))
  }

  async function saveAll(): Promise<void> {
    await (await ledger()).save()
    if (options.log !== undefined && log.length > 0) await appendFile(options.log, `${log.join('\n')}\n`)
    log = []
  }

  return disposable({
    name: 'http',
    canStage: false,
    get report() {
      return { ...counts, pending, requests: requests.count - requestsBefore }
    },
    get warnings() {
      if (pending === 0) return []
      const records = pending === 1 ? '1 record is' : `${pending} records are`
      return [
        `${records} missing in ${mapping.name}, which refuses ${pending === 1 ? 'it' : 'them'}: see ${deadLetters}; the next run retries.`,
      ]
    },
    async begin(begun) {
      // read again: another process may have run since
      opened = undefined
      const known = await ledger()
      isOtherMapping = known.isOtherMapping
      counts = { ...zero }
      freshRefusals = 0
      requestsBefore = requests.count
      wanted = new Map()
      pending = 0
      run = begun
      let isUnsure = false
      for (const { id, pending: refused, sending } of known.entries()) {
        if (refused) {
          pending++
          wanted.set(id, { record: refused.record, isCreating: true, retried: refused.reason })
        }
        if (!sending) continue
        isUnsure = true
        wanted.set(id, { record: sending, isCreating: true })
      }
      if (isUnsure) await flush()
    },
    async upsert(records) {
      want(records, true)
    },
    async close(records) {
      want(records, run?.keepArchived ?? false)
    },
    async merge(merges: readonly Merge[]) {
      // What they merge into must be there first, with the CRM's own id.
      await flush()
      want(
        merges.map(({ record }) => record),
        run?.keepArchived ?? false,
      )
    },
    async commit(_state, end) {
      await flush()
      await saveAll()
      if (end === 'run') run = undefined
    },
    async discard() {
      // Nothing in a CRM can be undone; the ledger keeps what was accepted.
      wanted = new Map()
      await saveAll()
      run = undefined
    },
    async held(ids) {
      await flush()
      const known = await ledger()
      return new Map(
        ids.flatMap((id) => {
          const lastModified = known.get(id)?.lastModified
          return lastModified === undefined ? [] : [[id, lastModified] as const]
        }),
      )
    },
    async *all() {
      for (const { id, lastModified, status } of (await ledger()).entries())
        if (lastModified !== undefined) yield { id, lastModified, status: status ?? 'unknown' }
    },
    // Nothing is written here: the lock of the run is given back before, and another process may be at work.
    async end() {},
  })
}

// Targets in memory, one for each way in which real sinks store records. What survives a crash is in
// `durable`; the rest of a sink is lost with the process that used it.

import { recordHash } from '../../client/src/sinks/record/record-hash.ts'
import { DigestSum, isOpenRecord } from '../../client/src/sync/copy-digest.ts'
import {
  type Merge,
  type Run,
  type Sink,
  StagingLostError,
  type StateStore,
  type SyncState,
} from '../../client/src/sync/sink.ts'
import type { TenderRecord } from '../../client/src/types.ts'

/**
 * `table`: staging and copy in one database, transactions, the state in the same one (PostgreSQL, SQLite).
 * `table-beside-state`: the same, but the state is elsewhere. `file`: nothing is durable before the end of the run
 * (Parquet). `direct`: every write is visible immediately (a CRM behind HTTP).
 */
export const memoryKinds = ['table', 'table-beside-state', 'file', 'direct'] as const
export type MemoryKind = (typeof memoryKinds)[number]

type How = 'upsert' | 'close' | 'merge'
export type Held = { readonly record: TenderRecord; readonly how: How; readonly into?: string }
export type Copy = Map<string, Held>

/** What survives the client's processes. */
export type Durable = {
  copy: Copy
  staging: Copy | undefined
  state: SyncState | undefined
  /** Rises when a first run replaces the copy as a whole. */
  incarnation: number
}

export type SinkFaults = {
  /** Whether it lets an older version replace a newer one (G5). */
  readonly hasNoGuard?: boolean
  /** Whether it claims that first runs are staged, but shows them immediately (G1). */
  readonly showsStaging?: boolean
}

/**
 * A step of a client that the scheduler lets happen, repeats or interrupts; `effect` is what it does to the durable
 * parts.
 */
export type Gate = <Result>(step: string, effect: () => Result) => Promise<Awaited<Result>>

export type SinkWatch = {
  /** Called on every write into the copy that others see. */
  readonly onWrite: (before: Held | undefined, after: Held) => void
  readonly onBegin: (run: Run) => void
  /** Called when a merge is applied. */
  readonly onMerge: (merge: Merge, isSurvivorHeld: boolean) => void
  readonly onState: (before: SyncState | undefined, after: SyncState | undefined) => void
  /** Called when a call is made that the contract of sinks does not allow. */
  readonly onBroken: (detail: string) => void
  /** Called with the state that a process finds, and the one whose commit was acknowledged last. */
  readonly onFound: (acknowledged: SyncState | undefined, found: SyncState | undefined) => void
}

const hashes = new WeakMap<TenderRecord, string>()
function hashOf(record: TenderRecord): string {
  let hash = hashes.get(record)
  if (hash === undefined) {
    hash = recordHash(record)
    hashes.set(record, hash)
  }
  return hash
}

export function createDurable(): Durable {
  return { copy: new Map(), staging: undefined, state: undefined, incarnation: 0 }
}

export function stateStoreOf(durable: Durable, gate: Gate, watch: SinkWatch): StateStore {
  const replace = (state: SyncState | undefined): void => {
    watch.onState(durable.state, state)
    durable.state = state && (JSON.parse(JSON.stringify(state)) as SyncState)
  }
  return {
    load: () => gate('state.load', () => durable.state),
    save: (state) => gate('state.save', () => replace(state)),
    clear: () => gate('state.clear', () => replace(undefined)),
  }
}

export function createMemorySink(options: {
  readonly kind: MemoryKind
  readonly durable: Durable
  readonly gate: Gate
  readonly watch: SinkWatch
  readonly faults: SinkFaults
}): Sink {
  const { kind, durable, gate, watch, faults } = options
  /** Writes since the last commit: lost in a crash, except in a `direct` sink, which has none. */
  let written: Copy = new Map()
  let run: Run | undefined

  const isStaged = (): boolean => run?.kind === 'first' && kind !== 'direct' && !faults.showsStaging
  const isDirect = (): boolean => kind === 'direct' || (faults.showsStaging === true && run?.kind === 'first')
  const base = (): Copy => (isStaged() ? (durable.staging ?? new Map()) : durable.copy)
  const find = (id: string): Held | undefined => written.get(id) ?? base().get(id)

  function put(held: Held): void {
    const before = find(held.record.id)
    if (before && before.record.lastModified > held.record.lastModified && !faults.hasNoGuard) return
    if (isDirect()) show(held)
    else written.set(held.record.id, held)
  }

  function show(held: Held): void {
    watch.onWrite(durable.copy.get(held.record.id), held)
    durable.copy.set(held.record.id, held)
  }

  const isKnown = (id: string): boolean => run?.keepArchived === true || find(id) !== undefined

  const store = stateStoreOf(durable, gate, watch)
  return {
    name: kind,
    canStage: kind !== 'direct',
    commitsPages: kind !== 'file',
    begin: (begun) =>
      gate(`sink.begin ${begun.kind}${begun.resumed ? ' resumed' : ''}`, () => {
        written = new Map()
        run = begun
        watch.onBegin(begun)
        if (!isStaged()) return
        if (!begun.resumed) durable.staging = new Map()
        else if (durable.staging === undefined) throw new StagingLostError('There is no staging to go on with.')
      }),
    upsert: (records) =>
      gate('sink.upsert', () => {
        // The archived survivor of a merge comes this way too, and must not be left open by a crash before its close().
        for (const record of records) put({ record, how: record.archiveReason === undefined ? 'upsert' : 'close' })
      }),
    close: (records) =>
      gate('sink.close', () => {
        for (const record of records) if (isKnown(record.id)) put({ record, how: 'close' })
      }),
    merge: (merges) =>
      gate('sink.merge', () => {
        for (const merge of merges) {
          if (!isKnown(merge.record.id)) continue
          watch.onMerge(merge, find(merge.into) !== undefined)
          put({ record: merge.record, how: 'merge', into: merge.into })
        }
      }),
    commit: (state, end) =>
      gate(`sink.commit ${end}`, () => {
        if (isStaged() && end === 'run') {
          durable.copy = new Map([...(durable.staging ?? []), ...written])
          durable.staging = undefined
          durable.incarnation++
        } else if (isStaged()) {
          durable.staging ??= new Map()
          for (const [id, held] of written) durable.staging.set(id, held)
        } else for (const held of written.values()) show(held)
        written = new Map()
        if (kind === 'table') {
          watch.onState(durable.state, state)
          durable.state = JSON.parse(JSON.stringify(state)) as SyncState
        }
      }),
    discard: () =>
      gate('sink.discard', () => {
        written = new Map()
        if (isStaged()) durable.staging = undefined
      }),
    held: (ids) =>
      gate('sink.held', () => {
        const found = new Map<string, string>()
        for (const id of ids) {
          const held = find(id)
          if (held) found.set(id, held.record.lastModified)
        }
        return found
      }),
    digest: () =>
      gate('sink.digest', () => {
        const sum = new DigestSum()
        for (const { record } of new Map([...base(), ...written]).values())
          sum.add(hashOf(record), isOpenRecord(record), record.lastModified)
        return sum.digest
      }),
    all: async function* () {
      const held = await gate('sink.all', () => [...durable.copy.values()])
      for (const { record } of held) {
        yield { id: record.id, lastModified: record.lastModified, status: record.status }
      }
    },
    ...(kind === 'table' && { state: store }),
    end: async () => {},
  }
}

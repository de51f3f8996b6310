// A target in memory, of either kind: staged like a database, or direct like a remote system.
import { DigestSum, hashedForm, isOpenRecord, webRecordHash } from '../sync/copy-digest.ts'
import { StagingLostError, type StateStore, type SyncState } from '../sync/sink.ts'
import type { TenderRecord } from '../types.ts'
import { disposable, type OpenSink } from './disposable.ts'

export type MemorySinkOptions = {
  /**
   * True (default): writes are visible with their commit, a first run with its last one. False: immediately, and never
   * undone.
   */
  readonly isStaged?: boolean
  /** False: nothing is kept before the end of a run; see Sink. */
  readonly commitsPages?: boolean
  /** True: the sink keeps the state itself and saves it with each commit. */
  readonly keepsState?: boolean
}

export type MemorySink = OpenSink & {
  /** What a reader of the target sees. */
  readonly records: ReadonlyMap<string, TenderRecord>
}

/** Whether a record is newer than the held one, or the same version with other content. */
function isNews(record: TenderRecord, held: TenderRecord): boolean {
  const ms = Date.parse(record.lastModified) - Date.parse(held.lastModified)
  return ms > 0 || (ms === 0 && hashedForm(record) !== hashedForm(held))
}

/** Keeps whole records by id; archived and merged ones stay, as they were last delivered. */
export function memorySink(options: MemorySinkOptions = {}): MemorySink {
  const { isStaged = true, commitsPages = true, keepsState = false } = options
  let target = new Map<string, TenderRecord>()
  /** The committed pages of a staged first run. */
  let staging: Map<string, TenderRecord> | undefined
  /** Written since the last commit, not visible yet. */
  const uncommitted = new Map<string, TenderRecord>()
  let keepArchived = false
  let state: SyncState | undefined

  const held = (id: string): TenderRecord | undefined => uncommitted.get(id) ?? (staging ?? target).get(id)
  const put = (record: TenderRecord, isCreated: boolean): void => {
    const old = held(record.id)
    if (!old && !isCreated) return
    if (old && !isNews(record, old)) return
    if (isStaged) uncommitted.set(record.id, record)
    else target.set(record.id, record)
  }
  const states: StateStore = {
    load: async () => state,
    save: async (next) => {
      state = next
    },
    clear: async () => {
      state = undefined
    },
  }
  return disposable({
    name: 'memory',
    canStage: isStaged,
    commitsPages,
    get records() {
      return target
    },
    begin: async (run) => {
      keepArchived = run.keepArchived
      uncommitted.clear()
      if (!isStaged || run.kind === 'delta') staging = undefined
      else if (!run.resumed) staging = new Map()
      else if (!staging) throw new StagingLostError('The staged pages of the run are gone.')
    },
    upsert: async (records) => {
      for (const record of records) put(record, true)
    },
    close: async (records) => {
      for (const record of records) put(record, keepArchived)
    },
    merge: async (merges) => {
      for (const { record } of merges) put(record, keepArchived)
    },
    commit: async (next, end) => {
      for (const [id, record] of uncommitted) (staging ?? target).set(id, record)
      uncommitted.clear()
      if (end === 'run' && staging) {
        target = staging
        staging = undefined
      }
      if (keepsState) state = next
    },
    discard: async () => {
      uncommitted.clear()
      staging = undefined
    },
    held: async (ids) =>
      new Map(
        ids.flatMap((id): [string, string][] => {
          const record = held(id)
          return record ? [[id, record.lastModified]] : []
        }),
      ),
    record: async (id) => held(id),
    digest: async () => {
      const sum = new DigestSum()
      for (const record of new Map([...(staging ?? target), ...uncommitted]).values())
        sum.add(await webRecordHash(record), isOpenRecord(record), record.lastModified)
      return sum.digest
    },
    all: async function* () {
      for (const { id, lastModified, status } of [...target.values()]) yield { id, lastModified, status }
    },
    ...(keepsState && { state: states }),
    end: async () => {},
  })
}

// What a node knows about itself besides its editions: what is wrong with it, and how far its clock is off. Readers
// receive it.
import type { PipelineState } from '../../api/pipeline-state.ts'
import type { UnreadyReason } from '../../api/readiness.ts'
import type { BulkState } from '../../edition/bulk/bulk-state.ts'
import { smallestChangeMs } from '../../store/database/database-clock.ts'

/** The state at one moment, for another thread. */
export type NodeSnapshot = {
  /** How far the database's clock is ahead of this machine's, in milliseconds; 0 where it is not known. */
  readonly clockDifferenceMs: number
  /** How far it is ahead of the steady clock; undefined where it is not known, and this machine's clock counts. */
  readonly databaseAheadMs?: number | undefined
  /**
   * What is wrong, one sentence each, without secrets: `/readyz` shows them to everybody. Empty when nothing is wrong.
   */
  readonly degraded: readonly string[]
  /** The state of the stages behind the editions; absent before anything is known. */
  readonly pipeline?: PipelineState
  /** Why the node should not receive requests; absent when it may. */
  readonly unready?: UnreadyReason | undefined
  /**
   * Requests for records are answered 503 until then, in epoch milliseconds of the database; absent without
   * maintenance.
   */
  readonly maintenanceUntil?: number | undefined
  /** The files of whole editions that are named now. */
  readonly bulk?: BulkState | undefined
}

const soundNode: NodeSnapshot = { clockDifferenceMs: 0, degraded: [] }

export type NodeState = {
  readonly snapshot: () => NodeSnapshot
  /** Sets what is wrong about a topic; `undefined` means that nothing is any more. */
  readonly report: (topic: string, sentence: string | undefined) => void
  readonly setDatabaseTime: (time: Pick<NodeSnapshot, 'clockDifferenceMs' | 'databaseAheadMs'>) => void
  readonly setPipeline: (pipeline: PipelineState) => void
  readonly setUnready: (reason: UnreadyReason | undefined) => void
  /** From now on the node is not ready, whatever else is true. */
  readonly drain: () => void
  readonly setMaintenance: (until: number | undefined) => void
  readonly setBulk: (bulk: BulkState | undefined) => void
  /** Calls `listener` with every change until the returned function is called. */
  readonly follow: (listener: (snapshot: NodeSnapshot) => void) => () => void
}

export function openNodeState(): NodeState {
  const sentences = new Map<string, string>()
  const listeners = new Set<(snapshot: NodeSnapshot) => void>()
  let snapshot = soundNode
  let isDraining = false
  const change = (changed: Partial<NodeSnapshot>) => {
    snapshot = { ...snapshot, ...changed }
    for (const listener of listeners) listener(snapshot)
  }
  return {
    snapshot: () => snapshot,
    report: (topic, sentence) => {
      if (sentences.get(topic) === sentence) return
      if (sentence === undefined) sentences.delete(topic)
      else sentences.set(topic, sentence)
      change({ degraded: [...sentences.values()] })
    },
    setDatabaseTime: (time) => {
      const changeMs = Math.abs(time.clockDifferenceMs - snapshot.clockDifferenceMs)
      if (time.databaseAheadMs !== snapshot.databaseAheadMs || changeMs > smallestChangeMs) change(time)
    },
    setPipeline: (pipeline) => {
      if (JSON.stringify(pipeline) !== JSON.stringify(snapshot.pipeline)) change({ pipeline })
    },
    setUnready: (unready) => {
      if (!isDraining && unready !== snapshot.unready) change({ unready })
    },
    drain: () => {
      isDraining = true
      change({ unready: 'draining' })
    },
    setMaintenance: (maintenanceUntil) => {
      if (maintenanceUntil !== snapshot.maintenanceUntil) change({ maintenanceUntil })
    },
    setBulk: (bulk) => {
      if (JSON.stringify(bulk) !== JSON.stringify(snapshot.bulk)) change({ bulk })
    },
    follow: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

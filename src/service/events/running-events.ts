// The service itself: its start, its state, its end.
import type { Instant } from '../../domain/time.ts'
import type { Store } from '../../store/database/database.ts'

export type RunningEvents = {
  starting: { version: string; data: string; engine: Store['engine'] | 'bucket'; pid: number }
  /**
   * The tables are migrated for this version; `waiting`: migrations for when no program is left that is too old for
   * them.
   */
  migrating: { applying: readonly string[]; waiting: readonly string[] }
  opened: { data: string; engine: Store['engine'] | 'bucket' }
  found: { edition: number; records: number }
  ready: {
    /** Absent where this process does not answer the API. */
    api?: string
    /** What this process does; absent: everything. */
    roles?: readonly string[]
    /** Where people reach the console; absent where the service has none. */
    console?: string
    /** URL of the metrics; absent without --metrics-port. */
    metrics?: string
    /** Null without a trial token; absent where the service only serves. */
    tokenFile?: string | null
    edition: number
    records: number
    data: string
    /** An `updated_since` that returns something. */
    since?: Instant
    docs?: string
  }
  recovered: { failedRounds: number }
  alarmCleared: { alarm: string }
  networkBack: { message: string }
  clockDiffers: { differenceMs: number; message: string }
  stopping: object
  stopped: object
  /** Null: the API is open. */
  maintenance: { until: number | null }
  clock: { now: Instant }
}

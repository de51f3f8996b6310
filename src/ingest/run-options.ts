// What reading sources needs from outside: time, the portals, keys, a folder, and who is told.
import type { AtMost } from '../platform/at-most.ts'
import type { Clock, Sleep } from '../platform/clock.ts'
import type { Source } from '../sources/source.ts'
import type { DocumentStore } from '../store/files/document-store.ts'
import type { PoliteHosts } from './polite.ts'
import type { ReadDocument } from './read-document.ts'
import type { SlotResult } from './run-slot.ts'

export type RunOptions = {
  readonly clock: Clock
  /** Connections to the portals, shared by all sources of this process. */
  readonly hosts: Pick<PoliteHosts, 'openConnection'>
  /** The key of a setting (`SAM_API_KEY`); undefined when it is not set. */
  readonly keyOf: (setting: string) => string | undefined
  /** Where archives are unpacked; created when missing. */
  readonly scratchFolder: string
  /** Unique among all workers: host, process and a random part. */
  readonly worker: string
  readonly sleep: Sleep
  readonly signal: AbortSignal
  /** Room for parsing and storing what has arrived; absent: at once. */
  readonly processing?: AtMost
  /** All sources that exist: with them, only one process at a time reads each host. */
  readonly all?: Iterable<Source>
  readonly documentStore?: DocumentStore
  /** First day of the past to read, `YYYY-MM-DD`; default 30 days before the source's first run. */
  readonly backfillSince?: string
  /** With 1, the past is read as fast as the portal allows. */
  readonly backfillShare?: number
  /** Called when a reading has ended. */
  readonly onReading?: (result: SlotResult) => void
  /** Called when new documents have been stored. */
  readonly onStored?: (sourceId: string, documents: readonly ReadDocument[]) => Promise<void>
  /** Called when an error comes from the card or the store rather than the portal. */
  readonly onFault?: (sourceId: string, error: unknown) => void
}

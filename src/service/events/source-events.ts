// Sources.

import type { FirstReading, SourceCounts, SourcePast, WholePast } from '../../domain/source-state.ts'
import type { CheckResult } from '../../ingest/check-source.ts'
import type { SlotResult } from '../../ingest/run-slot.ts'
import type { SourceHealth, SourceRecord } from '../../ingest/source-health.ts'
import type { Delivery as SourceDelivery } from '../../sources/delivery.ts'
import type { Channel, Source } from '../../sources/source.ts'
import type { FillRow } from '../../store/sources/source-fill.ts'
import type { AlarmRow, ListedRun } from '../../store/sources/source-health.ts'

/** The data of a card, without its functions. */
export type SourceCard = Pick<
  Source,
  'id' | 'title' | 'publisher' | 'country' | 'homepage' | 'license' | 'zone' | 'access'
> &
  Pick<Source, 'politeness' | 'expects' | 'caveats'> & {
    readonly documentation: string | null
    /** Real answers of the portal in public repositories of others, which the card reads right: addresses of files. */
    readonly recordings: readonly string[]
    /** Public programs of others that read the same interface: addresses of their files. */
    readonly clients: readonly string[]
    /** How many more such programs agree, without a known address. */
    readonly unnamedClients: number
    /** Whether tests read recorded answers of the portal. */
    readonly hasRecordedAnswers: boolean
    readonly channels: readonly {
      readonly name: string
      readonly role: NonNullable<Channel['role']>
      readonly slots: Channel['slots']['kind']
      readonly since: string | null
      readonly delivery: SourceDelivery['kind']
      readonly timetable: string
    }[]
  }

export type SourceEvents = {
  source: SourceHealth &
    Pick<Source, 'title' | 'country'> &
    Pick<SourceRecord, 'lastNewAt' | 'lastError' | 'lastReason' | 'recentDocuments' | 'waitingSlots'> & {
      /** How much of its past is read; null: it has none that is read in spans, or was never read. */
      past: SourcePast | null
    }
  sources: {
    total: number
    countries: number
    /** How many sources are in each state. */
    states: SourceCounts
    hidden: number
    /** Of all that are read. */
    past: WholePast
  }
  sourceCard: SourceCard & {
    health: SourceHealth
    record: SourceRecord
    /** Newest day first. */
    fill: readonly FillRow[]
    runs: readonly ListedRun[]
    alarms: readonly AlarmRow[]
  }
  /** While the first edition waits for the portals; `latestAt` is when it no longer does. Once a minute at most. */
  firstReading: FirstReading & { latestAt: number }
  sourcesStarted: { running: number; countries: number; off: number; keysMissing: readonly string[] }
  sourceRead: Omit<SlotResult, 'sourceId'> & { source: string }
  /** `notices`: how many had waited, up to 10,000. */
  sourceReleased: { source: string; notices: number; since: number }
  sourceTurnedOff: { source: string; reason: string }
  sourceTurnedOn: { source: string }
  sourceChecked: CheckResult
  /** What changed on a portal, the recording of it, and the command that runs its test. */
  sourceDiagnosed: {
    source: string
    kind: 'moved' | 'list' | 'fields'
    file: string
    lost: readonly { readonly name: string; readonly now: string | null }[]
    host: string | null
    lookAt: readonly string[]
    folder: string
    test: string
  }
  /**
   * What a person has to settle: the `contact` of the service (`source` is null), a `key`, an `agreement` with the
   * publisher, what `robots`.txt says, a `question`, a `license` that is not stated, an `attribution` to show.
   */
  sourceTerm: {
    source: string | null
    title: string | null
    kind: 'contact' | 'key' | 'agreement' | 'robots' | 'question' | 'license' | 'attribution'
    /** The contact, the setting of the key, the license, the exemption, the question, the words to show. */
    detail: string | null
    /** Where to read on. */
    at: string | null
    isSettled: boolean
  }
  sourcesChecked: { checked: number; ok: number; quiet: number }
}

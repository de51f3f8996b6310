// What pages read of stages that the console does not know: the service provides it, each read in one transaction.
import type { Deadline } from '#flat/record/first-deadline'
import type { ActReading } from '../../domain/acts/act.ts'
import type { ClockConcern } from '../../domain/clock-concern.ts'
import type { Contradiction } from '../../domain/contradiction.ts'
import type { Notice } from '../../domain/notice.ts'
import type { FirstReading, SourcePast, SourceState, WholePast } from '../../domain/source-state.ts'
import type { TenderContent } from '../../domain/tender.ts'
import type { Instant } from '../../domain/time.ts'
import type { FoundDocument } from '../../store/received/documents.ts'
import type { FillRow } from '../../store/sources/source-fill.ts'
import type { AlarmRow, ListedRun } from '../../store/sources/source-health.ts'
import type { LedgerSlot } from '../../store/sources/source-ledger.ts'
import type { ReviewDecision } from '../../store/stock/reviews.ts'

/** What people compare of a record; only `key` and `id` when there is none. */
export type ReviewSide = {
  readonly key: string
  readonly id: string | null
  readonly status?: TenderContent['status']
  readonly title?: string
  readonly buyer?: string | null
  readonly tenderNumber?: string | null
  readonly publicationDate?: Instant | null
  readonly submissionDate?: Instant | null
  /** The one that a bidder meets first. */
  readonly deadline?: Deadline | null
  /** Of the authority; null if it is not known. */
  readonly timeZone?: string | null
  readonly cpvCodes?: readonly string[]
  readonly nutsCodes?: readonly string[]
  readonly contractAmount?: TenderContent['contractAmount'] | undefined
  readonly publishers?: readonly string[]
  readonly notices?: number
  readonly description?: string | null
  readonly language?: string | null
}

/**
 * A pair that waits for a decision. `score` in points of log-odds; null for one record whose notices contradict each
 * other.
 */
export type WaitingPair = {
  readonly left: ReviewSide
  readonly right: ReviewSide
  readonly rule: string
  readonly score: number | null
  /** The chance that the two are one, and the open hits that are one of them; null for one record. */
  readonly chance: number | null
  readonly readers: number | null
  readonly evidence: string
  /** What the evidence says, if it speaks against one tender and is not a list of points. */
  readonly contradiction?: Contradiction | undefined
  /** Whether other evidence keeps it separate, although the pair alone would be one. */
  readonly isHeldApart: boolean
  readonly isOneRecord: boolean
  /** Whether exact references join the two, which no decision can undo. */
  readonly isExactlyLinked: boolean
}

/** Two notices that an exact key joins. `rule` and `evidence` as `explain` says them. */
export type ExactReference = {
  readonly notice: string
  readonly with: string
  readonly rule: string
  readonly evidence: string
}

/** Two records side by side. */
export type ComparedPair = {
  readonly left: ReviewSide
  readonly right: ReviewSide
  readonly isOneRecord: boolean
  /** Whether exact references join the two, which no decision can undo. */
  readonly isExactlyLinked: boolean
  /** The references that lead from one to the other; empty if no exact ones do. */
  readonly references: readonly ExactReference[]
  readonly decision: 'merge' | 'split' | null
  /** Of what is shown, for the buttons. */
  readonly version: string
  readonly verdict: {
    readonly kind: string
    readonly rule: string
    readonly score: number
    readonly evidence: string
    readonly contradiction?: Contradiction
  } | null
}

export type ReviewDesk = {
  readonly waiting: readonly WaitingPair[]
  /** Whether there are more than were read. */
  readonly hasMore: boolean
  /** The newest first. */
  readonly decided: readonly ReviewDecision[]
  /** The requested pair, if its notices exist. */
  readonly pair: ComparedPair | undefined
}

export type ExplainedChange = {
  readonly member: string
  readonly lotId?: string
  readonly before?: unknown
  readonly after?: unknown
}

/** A notice in the history of a record. */
export type ExplainedNotice = {
  readonly key: string
  readonly publisher: string
  readonly format: Notice['format']
  readonly formType: Notice['formType']
  readonly noticeType: string
  /** What it is, and the words or the code that say so; absent if no parser read that. */
  readonly act?: ActReading
  readonly version: string | undefined
  readonly publicationNumber: string | undefined
  readonly publicationDate: Instant | undefined
  readonly url: string | undefined
  readonly language: string
  readonly sources: readonly string[]
  /** Absent for the first. `score` in points of log-odds; null for what is exact or decided. */
  readonly joinedBy?: {
    readonly rule: string
    readonly score: number | null
    readonly evidence: string
    readonly with: string
  }
  /** Undefined: too many notices to show step by step; empty for the first. */
  readonly changes: readonly ExplainedChange[] | undefined
}

/** Why a record is as it is. */
export type ExplainedRecord = {
  readonly id: string
  /** Content as in the stock: it may be ahead of the newest edition. */
  readonly content: TenderContent
  /** Oldest first. */
  readonly notices: readonly ExplainedNotice[]
  /** Where each member came from. */
  readonly origins: readonly {
    readonly member: string
    readonly rule: string
    readonly noticeKeys: readonly string[]
  }[]
  /** Ids of records that this one holds. */
  readonly copies: readonly string[]
}

/** State of a source. Times in epoch milliseconds. */
export type SourceLine = {
  readonly sourceId: string
  readonly title: string
  readonly country: string
  readonly state: SourceState
  /** The last error, while no reading succeeds. */
  readonly failure: string | undefined
  readonly offBecause: string | undefined
  readonly lastSuccessAt: number | null
  readonly lastNewAt: number | null
  readonly recentDocuments: number
  readonly waitingSlots: number
  /** How much of its past is read; undefined: it has none that is read in spans, or was never read. */
  readonly past: SourcePast | undefined
  /** Open alarms by kind. */
  readonly alarms: readonly { readonly kind: string; readonly detail: string }[]
}

/** One source with its card, ledger and runs. */
export type SourceFile = {
  readonly line: SourceLine
  readonly card: {
    readonly publisher: string
    readonly homepage: string
    readonly documentation: string | null
    readonly license: { readonly name: string; readonly url?: string; readonly attribution?: string }
    readonly zone: string
    readonly access: string
    readonly requestsPerMinute: number | undefined
    readonly silentAfterDays: number
    readonly caveats: readonly string[]
    readonly channels: readonly {
      readonly name: string
      readonly role: string
      readonly slots: string
      readonly delivery: string
      readonly timetable: string
    }[]
  }
  readonly lastError: string | null
  readonly rejections: { readonly [reason: string]: number }
  readonly newByDay: { readonly [day: string]: number }
  readonly newNames: readonly { readonly name: string; readonly documents: number; readonly since: number }[]
  /** The newest slots. */
  readonly slots: readonly LedgerSlot[]
  readonly runs: readonly ListedRun[]
  /** Newest day first. */
  readonly fill: readonly FillRow[]
  readonly alarms: readonly AlarmRow[]
}

export type StockReads = {
  /**
   * Undefined for an id that is not in the stock, or a record without notices. A merged ID gives the record that holds
   * it.
   */
  readonly record: (id: string) => Promise<ExplainedRecord | undefined>
  /** The waiting pairs, at most `limit`, and one pair beside them. */
  readonly reviews: (options: {
    readonly limit: number
    readonly pair?: readonly [left: string, right: string]
  }) => Promise<ReviewDesk>
  /** How each source is doing; much cheaper than `sources`. */
  readonly sourceStates: () => Promise<readonly SourceState[]>
  /** With how much of the past of all sources that are read is there. */
  readonly sources: () => Promise<{ readonly lines: readonly SourceLine[]; readonly past: WholePast }>
  readonly source: (sourceId: string) => Promise<SourceFile | undefined>
  /** The bytes of a received document. Undefined if there are none. */
  readonly document: (documentId: string) => Promise<FoundDocument | undefined>
  /** Titles of all known sources by their ids; without a query. */
  readonly titles: () => Promise<ReadonlyMap<string, string>>
  /** Until when the first edition waits for the first reading of the portals, and how far that is; else undefined. */
  readonly firstReading: () => (FirstReading & { readonly latestAt: number }) | undefined
  /** How often editions are published. */
  readonly publishIntervalMs: number
  /** What is wrong with the clocks. */
  readonly clocks: () => readonly ClockConcern[]
  /** Free and total bytes of the data folder's disk. */
  readonly disk: () => Promise<{ readonly free: number; readonly total: number }>
}

// What `status` prints.

import type { FirstReading, SourceCounts, WholePast } from '../../domain/source-state.ts'
import type { Store } from '../../store/database/database.ts'
import type { ExportProgress } from '../../store/editions/edition-export.ts'
import type { EditionRow } from '../../store/editions/editions.ts'
import type { HitLag } from '../../store/hits/hit-mark.ts'
import type { LastBackups } from '../../store/nodes/last-backup.ts'
import type { RoundFailure, Stage } from '../../store/nodes/rounds.ts'
import type { MailCounts } from '../../store/people/mails.ts'
import type { ReceivedCounts } from '../../store/received/documents.ts'
import type { TenderDoubt } from '../../store/stock/doubts.ts'
import type { ListedHold } from '../../store/stock/status.ts'

export type StatusEvents = {
  status: ReceivedCounts & {
    /** Sources whose notices wait for `source release`, with their number, up to 10,000. */
    quarantines: readonly { sourceId: string; since: number; notices: number }[]
    /** Open alarms of sources, oldest first. */
    alarms: readonly { sourceId: string; kind: string; raisedAt: number }[]
    /** The end of the current maintenance; null without one. */
    maintenanceUntil?: number | null
    isFailing: boolean
    failure: string | null
    failureCode: RoundFailure['code'] | null
    /** Null if no stage failed. */
    failedStage: Stage | null
    editionAgeSeconds: number | null
    lastRoundAt: number | null
    failedRounds: number
    lastError: string | null
    lastErrorCode: RoundFailure['code'] | null
    lastErrorAt: number | null
    tenders: { readonly [status: string]: number }
    edition: Pick<EditionRow, 'edition' | 'records' | 'publishedAt' | 'checksum'> | null
    /** The rules that changed since the stock was derived: a rebuild applies them to all records. */
    rulesToApply: readonly string[]
    doubtedTenders: { readonly [kind in TenderDoubt['kind']]: number }
    /** How many of all sources are in each state; `portals`, as \`sources\` are what was received. */
    portals: SourceCounts
    /** How much of their past is read. */
    past?: WholePast
    unpublished: number
    /** At the earliest; during the first reading at the latest. */
    nextPublication: number
    /** While the first edition waits for the first reading of the portals. */
    firstReading?: FirstReading
    holds: readonly Omit<ListedHold, 'causes'>[]
    clockDifferenceMs: number
    clocks: readonly string[]
    busyWith: string | null
    /** When the states of the newest backup, and of the newest that a drill has restored, were taken. */
    backups?: LastBackups
    engine: Store['engine']
    data: string
    hits?: HitLag
    /** `isConfigured`: the settings that digests require are present. */
    mails?: MailCounts & { isConfigured: boolean }
    /** The editions in a bucket (TENDERSTOCK_EDITIONS); absent if an export was never tried. */
    exported?: ExportProgress
  }
}

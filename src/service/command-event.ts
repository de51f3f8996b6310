// What commands and the service report while they work: one table of events, for JSON lines and for text.
import type { ExactReference, ReviewSide } from '../console/stock-reads.ts'
import type { ConsolidateSummary } from '../consolidate/consolidate.ts'
import type { FitSummary } from '../consolidate/estimate/fit-stock.ts'
import type { MemberOrigin } from '../consolidate/explain.ts'
import type { JoinedBy } from '../consolidate/explain-stock.ts'
import type { Verdict } from '../consolidate/match/match-record.ts'
import type { Notice } from '../domain/notice.ts'
import type { RedactionKind } from '../domain/redaction.ts'
import type { Instant } from '../domain/time.ts'
import type { ExportSummary } from '../export/export.ts'
import type { ExportFormat } from '../export/export-formats.ts'
import type { CompanyProfile } from '../hits/company-profile.ts'
import type { ExplainedMatch } from '../hits/explain-match.ts'
import type { SearchFilter } from '../hits/saved-search.ts'
import type { Preview } from '../hits/search-stock.ts'
import type { CheckResult } from '../ingest/check-source.ts'
import type { IngestSummary, ReparsePreview } from '../ingest/ingest.ts'
import type { SlotResult } from '../ingest/run-slot.ts'
import type { SourceHealth, SourceRecord } from '../ingest/source-health.ts'
import type { SettingOrigin } from '../platform/config.ts'
import type { PublishOutcome, PublishPreview } from '../publish/publish.ts'
import type { Delivery as SourceDelivery } from '../sources/delivery.ts'
import type { Channel, Source } from '../sources/source.ts'
import type { ListedAuditEntry } from '../store/audit.ts'
import type { Customer } from '../store/customers.ts'
import type { Store } from '../store/database.ts'
import type { Delivery, DeliveryCounts } from '../store/deliveries.ts'
import type { ListedDigest } from '../store/digests.ts'
import type { ListedRejection, ReceivedCounts } from '../store/documents.ts'
import type { TenderDoubt } from '../store/doubts.ts'
import type { ExportProgress } from '../store/edition-export.ts'
import type { EditionRow } from '../store/editions.ts'
import type { HitLag } from '../store/hit-mark.ts'
import type { HeldEdition, ListedHit } from '../store/hits.ts'
import type { MailCounts } from '../store/mails.ts'
import type { ApiToken, Organization } from '../store/organizations.ts'
import type { StoredProfile, StoredSearch } from '../store/searches.ts'
import type { FillRow } from '../store/source-fill.ts'
import type { AlarmRow, ListedRun } from '../store/source-health.ts'
import type { ListedHold } from '../store/status.ts'
import type { WebhookEndpoint } from '../store/webhook-endpoints.ts'
import type { ReceivedWebhook } from '../webhooks/listen.ts'

/** Long work whose progress is reported. */
export type ProgressStage =
  | 'ingest'
  | 'consolidate'
  | 'publish'
  | 'reparse'
  | 'rebuild'
  | 'redact'
  | 'backfill'
  | 'export'
  | 'openData'
  | 'check'
  | 'backup'
  | 'verify'
  | 'restore'

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

type OutcomeFacts<Kind extends PublishOutcome['kind']> = Omit<Extract<PublishOutcome, { kind: Kind }>, 'kind'>

/** A backup: where it is, and of which state. */
export type RestoredRedactions = {
  /** The file of redactions that a restore applies; null for none. */
  readonly redactionsFrom: string | null
  /** The secret key was there, and the manifest was made with it. */
  readonly isAuthenticated: boolean
}

export type BackupFacts = {
  readonly location: string
  readonly takenAt: Instant
  /** Null before the first edition. */
  readonly edition: number | null
  readonly rows: number
  readonly parts: number
  readonly bytes: number
  readonly documentsOutside: string | null
}

/**
 * All events with their facts. Times are epoch milliseconds where they are numbers, in members whose names the reporter
 * knows (`…At`, `…Since` …): it prints them as ISO 8601. A fact that is added later is optional: the service that
 * answers a command may be older than the command.
 */
export type Facts = {
  // the service
  starting: { version: string; data: string; engine: Store['engine'] | 'bucket'; pid: number }
  /**
   * The tables are migrated for this version; `waiting`: migrations for when no program is left that is too old for
   * them.
   */
  migrating: { applying: readonly string[]; waiting: readonly string[] }
  opened: { data: string; engine: Store['engine'] | 'bucket' }
  found: { edition: number; records: number }
  portals: { portals: number }
  sourcesStarted: { running: number; countries: number; off: number; keysMissing: readonly string[] }
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
  stopping: object
  stopped: object
  // any command
  progress: { stage: ProgressStage; done: number; total?: number; detail?: string; source?: string; table?: string }
  waiting: { for: string; busyWith: string }
  warning: { message: string }
  /** There is nothing to list or to do. */
  none: { message: string }
  /** What to know, or to do next. */
  note: { message: string }
  error: { message: string; exitCode: number; trace?: string }
  /** `script`: what the shell runs. */
  completion: { shell: string; script: string }
  /** `check`: what was examined; `message` says what to do where something is wrong. */
  finding: { check: string; state: 'ok' | 'warning' | 'problem'; message: string }
  findings: { ok: number; warnings: number; problems: number }
  // notices, records, editions
  ingested: IngestSummary & { source: string }
  consolidated: ConsolidateSummary
  published: OutcomeFacts<'published'>
  held: OutcomeFacts<'held'>
  tooEarly: OutcomeFacts<'tooEarly'>
  nothingNew: OutcomeFacts<'nothingNew'>
  clockDiffers: { differenceMs: number; message: string }
  rebuilt: {
    documents: number
    notices: number
    rejections: number
    records: number
    idsGone: number
    idsNew: number
    contentsChanged: number
    isSame: boolean
  }
  /** What a redaction affected, or would affect; `isDryRun`: nothing was changed. */
  redacted: {
    id: string
    isDryRun: boolean
    notices: number
    records: number
    /** Ids of the first records, at most 100. */
    recordIds: readonly string[]
    /** The members of the notices in which it was found, with the number of notices. */
    members: { readonly [member: string]: number }
    /** Bodies of messages to endpoints, mails, and other stored copies. */
    bodies: number
    mails: number
    others: number
    /**
     * Dry run: where the words of a name stand close to each other and are not one of its spellings, at most 100
     * places. The command removes none of them.
     */
    suspects: readonly { readonly notice: string; readonly member: string; readonly text: string }[]
    /** The file that `redact import` reads after a restore; absent for a dry run. */
    recordedIn?: string
  }
  redaction: {
    id: string
    kinds: { readonly [kind in RedactionKind]: number }
    reason: string
    madeAt: number
    /** Null: not everything stored has been processed yet. */
    appliedAt: number | null
  }
  redactionUndone: { id: string; notices: number }
  redactionsImported: { added: number; undone: number; known: number }
  publishPreview: PublishPreview
  rebuildPreview: ReparsePreview
  exportPreview: {
    database: string
    rows: number
    tables: { readonly [table: string]: number }
    usedTable: string | null
  }
  valuesFitted: Omit<FitSummary, 'version'> & { version: string | null }
  exported: { rows: number; tables: { readonly [table: string]: number } }
  editionExported: ExportSummary & { folder: string; format: ExportFormat; seconds: number }
  clock: { now: Instant }
  // saved searches
  matched: { editions: number; hits: number; unseen: number }
  profile: Omit<StoredProfile, 'content'> & { profile: CompanyProfile }
  search: Pick<StoredSearch, 'searchId' | 'organizationId' | 'name' | 'createdAt' | 'profileId' | 'threshold'> &
    Pick<StoredSearch, 'version' | 'fromEdition'> & {
      state: 'active' | 'paused'
      filter: SearchFilter
      /** Name of the profile that scores are computed against; null: the search itself. */
      profile: string | null
      /** Editions with too many hits for the search: their deliveries wait. */
      held: readonly HeldEdition[]
    }
  searchPreview: Pick<Preview, 'open' | 'lastDays'> & { filter: SearchFilter; threshold: number }
  openDelivered: { search: string; hits: number }
  hit: Omit<ListedHit, 'tenderId'> & { tender: string }
  profileDeleted: { id: string; name: string }
  /** `messages`: those that waited, and are not sent. */
  searchDeleted: { id: string; name: string; hits: number; messages: number }
  hitsReleased: { search: string; edition: number; deliveries: number }
  digest: Omit<ListedDigest, 'digestId' | 'searchNo' | 'organizationId' | 'madeDay' | 'dueAt'> & {
    id: string
    /** When the next digest is due; null: as soon as there is something to send. */
    nextAt: number | null
  }
  /** `search` is null if it was deleted before. */
  digestRemoved: { id: string; search: string | null; person: string }
  matchExplained: ExplainedMatch & { id: string; search: string }
  /** Null: the API is open. */
  maintenance: { until: number | null }
  status: ReceivedCounts & {
    /** Sources whose notices wait for `source release`, with their number, up to 10,000. */
    quarantines: readonly { sourceId: string; since: number; notices: number }[]
    /** The end of the current maintenance; null without one. */
    maintenanceUntil?: number | null
    isFailing: boolean
    failure: string | null
    editionAgeSeconds: number | null
    lastRoundAt: number | null
    failedRounds: number
    lastError: string | null
    lastErrorAt: number | null
    tenders: { readonly [status: string]: number }
    edition: Pick<EditionRow, 'edition' | 'records' | 'publishedAt' | 'checksum'> | null
    doubtedTenders: { readonly [kind in TenderDoubt['kind']]: number }
    unpublished: number
    /** At the earliest; during the first reading at the latest. */
    nextPublication: number
    /** The first edition waits until every portal was read once; absent where no service is running. */
    isFirstReading?: boolean
    holds: readonly ListedHold[]
    clockDifferenceMs: number
    clocks: readonly string[]
    busyWith: string | null
    engine: Store['engine']
    data: string
    hits?: HitLag
    /** `isConfigured`: the settings that digests require are present. */
    mails?: MailCounts & { isConfigured: boolean }
    /** The editions in a bucket (TENDERSTOCK_EDITIONS); absent if an export was never tried. */
    exported?: ExportProgress
  }
  rejection: ListedRejection
  /** `organization`: its name, or its ID if it no longer exists; null: the whole service. */
  auditEntry: Omit<ListedAuditEntry, 'organizationId'> & { organization: string | null }
  /** Whose settings follow: those of the service that runs on the data folder, or those of the command. */
  settingsOf: { isRunning: boolean; pid: number }
  setting: {
    name: string
    from: SettingOrigin
    /** Null for secrets, and when it is not given. */
    value: string | null
    /** What applies without it, in words; null when nothing does. */
    default: string | null
    isSecret: boolean
    isSet: boolean
    /** The source whose key it is. */
    source: string | null
  }
  /** A variable that begins with TENDERSTOCK_ but is not a setting, and the setting that it resembles. */
  unknownSetting: { name: string; nearest: string | null }
  // who has access
  organization: Organization
  customer: Customer
  /** `hadContract`: false if only its access was closed. */
  organizationEnded: { organizationId: string; name: string; hadContract: boolean }
  /** `token`: the plaintext of a token that was just created. */
  token: ApiToken & { isExpired: boolean; token?: string }
  revoked: { tokenId: string }
  /** `link` signs in once, until `until`; `mail`: the person, null for the first one. */
  consoleLink: { link: string; mail: string | null; until: number }
  // webhooks
  /** `secret`: the plaintext, for an endpoint that was just created. */
  webhook: {
    id: string
    organization: string
    url: string
    description: string
    kinds: readonly string[]
    /** IDs of the searches whose hits it receives; null: all searches of the organization. */
    searches: readonly string[] | null
    state: WebhookEndpoint['state']
    disabledWhy: string | null
    failingSince: number | null
    requestsPerSecond: number
    deliveries?: DeliveryCounts
    secret?: string
  }
  webhookTested: {
    id: string
    isSuccess: boolean
    isSignatureWrong: boolean
    status: number | null
    error: string | null
    milliseconds: number
    answer: string | null
  }
  webhookRotated: { id: string; secret: string }
  webhookEnabled: { id: string }
  webhookDisabled: { id: string }
  webhookRemoved: { id: string }
  webhookReleased: { id: string; deliveries: number }
  webhookReplayed: { id: string; deliveries: number }
  webhookDelivery: Delivery
  listening: { url: string }
  webhookReceived: ReceivedWebhook & { line: string }
  webhookRefused: { reason: string }
  /** From the receiver in the samples. */
  hitReceived: { id: string; line: string }
  // sources
  source: SourceHealth &
    Pick<Source, 'title' | 'country'> &
    Pick<SourceRecord, 'lastNewAt' | 'lastError' | 'recentDocuments' | 'waitingSlots'>
  sources: {
    total: number
    countries: number
    ok: number
    alarm: number
    neverRead: number
    /** Run as soon as they have their key. */
    keyMissing: number
    /** Run only when they are named. */
    off: number
    hidden: number
  }
  sourceCard: SourceCard & {
    health: SourceHealth
    record: SourceRecord
    /** Newest day first. */
    fill: readonly FillRow[]
    runs: readonly ListedRun[]
    alarms: readonly AlarmRow[]
  }
  /** `notices`: how many had waited, up to 10,000. */
  sourceReleased: { source: string; notices: number; since: number }
  sourceRead: Omit<SlotResult, 'sourceId'> & { source: string }
  sourceChecked: CheckResult
  sourcesChecked: { checked: number; ok: number; quiet: number }
  // backups
  backedUp: BackupFacts & { readonly longestHoldMs: number | null; readonly seconds: number }
  backupVerified: BackupFacts & RestoredRedactions & { readonly isTargetEmpty: boolean }
  /** `republished`: records that the next edition publishes again. */
  restored: BackupFacts & RestoredRedactions & { readonly republished: number; readonly advice: readonly string[] }
  // simulated portals
  simulatedPortal: { source: string; title: string; hosts: readonly string[]; entries: number }
  simulating: {
    base: string
    portals: number
    faults: { readonly [name: string]: unknown }
    isMadeUp: boolean
    seed: string
    now: Instant
    speed: number
    example: string
  }
  simulated: { requests: number; faults: { readonly [name: string]: number } }
  // pairs of records
  review: {
    left: ReviewSide
    right: ReviewSide
    rule: string
    score: number | null
    /** By what operators decided on pairs of this rule. */
    chance: number | null
    /** Open hits that are one of the two. */
    readers: number | null
    evidence: string
    /** Kept separate by other evidence, although the pair alone would be merged. */
    isHeldApart: boolean
    isOneRecord: boolean
    /** Joined by exact references: `review split` is refused. */
    isExactlyLinked: boolean
  }
  reviewPair: {
    left: ReviewSide
    right: ReviewSide
    isOneRecord: boolean
    isExactlyLinked: boolean
    /** The exact references that lead from one to the other. */
    references: readonly ExactReference[]
    decision: 'merge' | 'split' | null
    /** `isCandidate`: the two were compared because they have a key in common. */
    verdict: (Verdict & { readonly isCandidate: boolean }) | null
  }
  reviewDecided: { decision: 'merge' | 'split'; left: string; right: string; records: readonly string[] }
  reviewUndone: { left: string; right: string; decisions: number; records: readonly string[] }
  explained: {
    id: string
    mergedFrom: string | null
    notices: readonly {
      readonly key: string
      readonly publisher: string
      readonly format: Notice['format']
      readonly formType: Notice['formType']
      readonly publicationDate: Instant | null
      readonly url: string | null
      readonly sources: readonly string[]
      readonly joinedBy: JoinedBy | null
    }[]
    members: readonly (Omit<MemberOrigin, 'value'> & { readonly value: unknown })[]
  }
}

type EventName = keyof Facts
export type EventOf<Name extends EventName> = Name extends EventName
  ? { readonly event: Name } & Readonly<Facts[Name]>
  : never
export type CommandEvent = EventOf<EventName>

/** Called with each event as it happens. */
export type Emit = (event: CommandEvent) => void

// The tables as Kysely sees them. The SQL is in `migrations.ts`; a test compares the two.
import type { Generated } from 'kysely'

/** Epoch milliseconds in a bigint column; both engines deliver a number (parsers set in `database.ts`). */
type EpochMs = number

export type Database = {
  /** A document as received; `document_id` is the SHA-256 of its bytes, so the same bytes are kept once. */
  source_document: {
    document_id: string
    source_id: string
    /** URL, path, `archive.zip!member`, `file.jsonl#L12`. */
    address: string
    received_at: EpochMs
    byte_size: number
    /** Version of the parsers that last read it; `rebuild` reads it again. */
    parser_version: number
    /** A zstd frame of the bytes; null when kept outside. */
    packed: Uint8Array | null
  }
  /** What could not become a notice, with the reason. */
  rejection: {
    document_id: string
    pointer: string
    reason: string
    path: string
    detail: string
    rejected_at: EpochMs
  }
  notice: {
    /** `document_id` + `#` + pointer. */
    notice_id: string
    document_id: string
    pointer: string
    notice_key: string
    publisher: string
    source_id: string
    form_type: string
    publication_ms: EpochMs | null
    /** JSON of domain/notice.ts Notice. */
    content: string
    /** False until the consolidation took it over. */
    is_consolidated: boolean
  }
  /** Exact keys by which notices of one procedure find each other. */
  notice_link: { link_key: string; notice_id: string }
  /** The stock: one row per tender, and per record that was merged after it had been published. */
  tender: {
    tender_id: string
    /** Notice key from which the id is derived; its notice stays with this id forever. */
    founding_key: string
    /** Canonical JSON of TenderContent. */
    content: string
    /** SHA-256 of content. */
    content_hash: string
    /** As in content; null: not archived. */
    archive_reason: string | null
    /** When the clock next changes the content (expiry); null when it does not. */
    next_transition_ms: EpochMs | null
    merged_into: string | null
    /** JSON array of the source ids of its notices, sorted: decides checkedAt. */
    sources: string
  }
  /** Tenders written since the newest edition, and different from it when they were. */
  tender_change: { tender_id: string }
  /**
   * The newest edition, one row per record: narrow, so that publishing writes no wide row but the new entry. A tender that
   * stands here cannot be deleted.
   */
  published_tender: {
    tender_id: string
    /** The edition that first held it. */
    first_edition: number
    /** Of the content that was published. */
    content_hash: string
    /** Of its newest entry. */
    last_modified: EpochMs
    /** As in its newest entry. */
    sources: string
    /** As in its newest entry; null: not archived. */
    archive_reason: string | null
    /** Of its newest entry (domain/record-checksum.ts); null until the publisher has read that again. */
    entry_hash: Uint8Array | null
  }
  tender_notice: { notice_id: string; tender_id: string }
  /** Last successful check of each source. */
  source_check: { source_id: string; checked_at: EpochMs }
  /** One row per edition; numbered 1, 2, 3 … without gaps (P1). */
  edition: {
    edition: number
    /** Largest lastModified ever published up to this edition (W). */
    last_modified: EpochMs
    published_at: EpochMs
    /** Records alive in it, archived ones included. */
    records: number
    /** Entries that it added. */
    changes: number
    /** JSON object source id → epoch ms of its last check, as of this edition. */
    checks: string
    /** JSON of what the next edition's gate compares with (editions.ts EditionCounts). */
    counts: Generated<string>
    /** Of all its records, 64 hexadecimal digits (domain/record-checksum.ts); null when it was published without one. */
    checksum: string | null
  }
  /** The append-only log: one row per version of a record. Sorted by last_modified by construction. */
  edition_entry: {
    last_modified: EpochMs
    edition: number
    tender_id: string
    /** JSON of the record without checkedAt; begins `{"id":"<uuid>",`. */
    body: string
    /** JSON array of source ids. */
    sources: string
  }
  /**
   * Entries in whose place one of a later edition came; they stay for readers that are late. The hashes and the reason are
   * those that published_tender held with it, for a publication that is taken back.
   */
  replaced_entry: {
    superseded_by: number
    last_modified: EpochMs
    content_hash: string | null
    archive_reason: string | null
    entry_hash: Uint8Array | null
  }
  /** One row: the publication that is being written (publication.ts). */
  publication: {
    is_only: Generated<boolean>
    /** Rises with each holder of the lease, so that one that lost it cannot write. */
    fence: Generated<number>
    /** Host and process, for people. */
    owner: Generated<string>
    /** Until when the lease is held, by the clock of the database; 0 when nobody has it. */
    until_ms: Generated<EpochMs>
    state: Generated<string>
    /** JSON of publish.ts Plan; null while nothing is being written. */
    plan: string | null
    after_id: Generated<string>
    added: Generated<number>
    replaced: Generated<number>
    /** Of the edition, as far as it is written. */
    checksum: Generated<string>
  }
  /** Editions that the gate held back. */
  edition_hold: { held_at: EpochMs; reasons: string }
  organization: {
    organization_id: string
    name: string
    has_api_access: boolean
    requests_per_minute: number
    created_at: EpochMs
  }
  api_token: {
    token_id: string
    organization_id: string
    slot: number
    /** SHA-256 of the token, hex. The token itself is never stored. */
    token_hash: string
    prefix: string
    last_four: string
    name: string
    created_at: EpochMs
    expires_at: EpochMs | null
    revoked_at: EpochMs | null
    last_used_at: EpochMs | null
  }
  /** Keys that seal cursors, shared by all API processes. */
  cursor_key: { key_id: number; key: string; created_at: EpochMs }
  setting: { name: string; value: string }
  /** Signs of life of processes that answer the API, by the clock of the database; see `api-processes.ts`. */
  api_process: { process_id: string; seen_at: EpochMs }
  /** Serial of changes that API processes watch (tokens, editions); see `change.ts`. */
  change_signal: { topic: string; serial: Generated<number> }
  /** Progress of each piece that a source is read in (sources/source.ts Slot). */
  source_slot: {
    source_id: string
    channel: string
    slot: string
    /** When it is to be read next; null when there is nothing to do. */
    due_at: EpochMs | null
    /** JSON; stored with the documents before it. Null at the beginning and after a complete reading of a span. */
    checkpoint: string | null
    announced: number | null
    delivered: Generated<number>
    /** End of the newest complete reading. */
    completed_at: EpochMs | null
    /** What the portal's own count says is missing; null when nothing is. */
    missing: string | null
    /** When a reading first ended short; null again after one that did not. */
    missing_since: EpochMs | null
    /** Readings that failed since the last that did not. */
    failures: Generated<number>
    last_error: string | null
  }
  /** Who reads a host's sources until when; `fence` rises with each holder, so that one that lost it cannot write. */
  source_lease: { lease: string; worker: string; until_ms: EpochMs; fence: number }
  /** Listed things that were read, with the version that was read (an ETag, a date). */
  source_item: { source_id: string; item_key: string; version: string }
  /** One row per reading of a slot, for the operator. */
  source_run: {
    source_id: string
    channel: string
    slot: string
    started_at: EpochMs
    ended_at: EpochMs
    /** `complete`, `notYet`, `unchanged`, `empty`, `short`, `failed`, `refused`, `stopped`. */
    outcome: string
    requests: number
    entries: number
    documents: number
    notices: number
    rejections: number
    detail: string
  }
  /** `silent`, `totals`, `counts`, `rejections`, `drift`, `failing`; open while cleared_at is null. */
  source_alarm: {
    source_id: string
    kind: string
    raised_at: EpochMs
    cleared_at: EpochMs | null
    detail: string
    /** How much of the source it is about, 0 to 1. */
    share: number
  }
  /** Elements, members and codes that no parser knows, with the number of documents that held them. */
  source_drift: {
    source_id: string
    name: string
    first_seen_at: EpochMs
    last_seen_at: EpochMs
    documents: number
  }
  /** What the matcher knows of one component of exactly linked notices; named by the key of its oldest notice. */
  match_record: {
    record_no: Generated<number>
    record_key: string
    /** What stands beside each of its keys in match_key: when it was, as consolidate/match/time-mark.ts reads it. */
    mark: number
    /** Announced only, and a notice of another record refers to it. */
    is_succeeded: boolean
    /** Numbers of its twin keys (title, buyer and portal) with blanks between, ascending. They stand among match_key and are only counted. */
    twin_keys: string
    /** Numbers of its blocking keys with blanks between, ascending. */
    keys: string
    /** MatchRecord as consolidate/match/packed-record.ts keeps it. */
    content: string
  }
  match_member: { notice_id: string; record_key: string }
  /** Blocking keys: records that share one are compared, unless too many do. Twin keys: records with one are counted. */
  match_key: { match_key: number; record_no: number; mark: number }
  /** One row as long as `match_key` holds all: a crash empties both, for neither is logged. */
  match_key_whole: { is_whole: boolean }
  /** Keys that too many records hold. */
  dropped_match_key: { match_key: number }
  /** What the matcher found of two records; derived. `outcome`: `merge` or `review`. */
  tender_match: {
    left_key: string
    right_key: string
    outcome: string
    rule: string
    /** Points of log-odds. */
    score: number
    /** One line for people. */
    evidence: string
  }
  /** What operators decided of two notices: evidence, so a rebuild keeps it. `decision`: `merge` or `split`. */
  review_decision: { left_key: string; right_key: string; decision: string; decided_at: EpochMs; note: string }
  /** What the notices of one tender say against each other, two notices by key; derived. `kind`: `award-number` or `named-call`. */
  tender_doubt: { tender_id: string; kind: string; left_key: string; right_key: string; evidence: string }
  /** Models of values; `parameters` is JSON of consolidate/estimate ValueModelParameters. */
  value_model: { version: string; fitted_at: EpochMs; parameters: string }
  /** What a model said of a record while it had these inputs: JSON of an amount, or of why there is none. */
  tender_estimate: { tender_id: string; inputs_hash: string; model_version: string; estimate: string }
}

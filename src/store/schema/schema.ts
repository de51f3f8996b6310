// The tables as Kysely sees them. The SQL is in `migrations.ts`; a test compares the two.
import type { Generated } from 'kysely'

/** Epoch milliseconds in a bigint column; both engines deliver a number (parsers set in `database.ts`). */
type EpochMs = number

export type Database = {
  /** A document as received; `document_id` is the SHA-256 of its bytes, so the same bytes are stored once. */
  source_document: {
    document_id: string
    source_id: string
    /** URL, path, `archive.zip!member`, `file.jsonl#L12`. */
    address: string
    received_at: EpochMs
    byte_size: number
    /** Version of the parsers that last read it; `rebuild` reads it again. */
    parser_version: number
    /** A zstd frame of the bytes; null when they are stored outside the database. */
    packed: Uint8Array | null
  }
  /** What could not be read as a notice, with the reason. */
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
    /** False until the consolidation has used it. */
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
  /** Tenders written since the newest edition that differed from it when they were written. */
  tender_change: { tender_id: string }
  /**
   * The newest edition, one row per record: narrow, so that publishing writes no wide row except the new entry. A
   * tender in this table cannot be deleted.
   */
  published_tender: {
    tender_id: string
    /** The edition that first held it. */
    first_edition: number
    /** Hash of the published content. */
    content_hash: string
    /** That of its newest entry. */
    last_modified: EpochMs
    /** As in its newest entry. */
    sources: string
    /** As in its newest entry; null: not archived. */
    archive_reason: string | null
    /**
     * Hash of its newest entry (domain/stock-digest.ts), one byte longer for an archived one; null until the publisher
     * has read that entry again.
     */
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
    /** Number of records in it, including archived ones. */
    records: number
    /** Number of entries that it added. */
    changes: number
    /** JSON object source id → epoch ms of its last check, as of this edition. */
    checks: string
    /** JSON of what the next edition's gate compares with (editions.ts EditionCounts). */
    counts: Generated<string>
    /** Its digest (domain/stock-digest.ts); null when it was published without one. */
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
   * Entries that a later edition replaced; they stay for readers that lag behind. The hashes and the reason are those
   * that published_tender held with them, for a publication that is undone.
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
    /** Increases with each holder of the lease, so that one that lost it cannot write. */
    fence: Generated<number>
    /** Host and process, for people. */
    owner: Generated<string>
    /** Until when the lease is held, by the clock of the database; 0 if it is free. */
    until_ms: Generated<EpochMs>
    state: Generated<string>
    /** JSON of publish.ts Plan; null while nothing is being written. */
    plan: string | null
    after_id: Generated<string>
    added: Generated<number>
    replaced: Generated<number>
    /** Digest of the edition, as far as it is written. */
    checksum: Generated<string>
  }
  /** Editions that the gate held back. */
  /** JSON, both: the reasons in English, and as codes with values; null: written before this column. */
  edition_hold: { held_at: EpochMs; reasons: string; causes: string | null }
  organization: {
    organization_id: string
    name: string
    has_api_access: boolean
    has_bulk_files: boolean | null
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
    /** A mail address, or `operator` for the command line; null: created before this was recorded. */
    created_by: string | null
    /** The network and the program of its last use. */
    last_used_from: string | null
    last_used_agent: string | null
    /** How many days before its end its Owners were last warned. */
    warned_days: number | null
  }
  /** Keys that seal cursors, shared by all API processes. */
  cursor_key: { key_id: number; key: string; created_at: EpochMs }
  setting: { name: string; value: string }
  /** Signs of life of processes that answer the API, by the clock of the database; see `api-processes.ts`. */
  api_process: { process_id: string; seen_at: EpochMs }
  /** Serial of changes that API processes watch (tokens, editions, people); see `change-signal.ts`. */
  change_signal: { topic: string; serial: Generated<number> }
  /** Progress of each slot of a source (sources/source.ts Slots). */
  source_slot: {
    source_id: string
    channel: string
    slot: string
    /** When it is read next; null when nothing is left to do. */
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
    /** Number of readings that failed since the last one that did not. */
    failures: Generated<number>
    last_error: string | null
  }
  /**
   * Who reads a host's sources, and until when; `fence` increases with each holder, so that one that lost it cannot
   * write.
   */
  source_lease: { lease: string; worker: string; until_ms: EpochMs; fence: number }
  /** Listed items that were read, each with the version that was read (an ETag, a date). */
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
    /** Why it failed: see `ReadingReason`. */
    reason: string | null
  }
  /** New notices of a source by UTC day of their arrival and form type, and how many of them have each field. */
  source_fill: {
    source_id: string
    day: string
    form_type: string
    notices: number
    deadline: number
    cpv: number
    value: number
    authority: number
    region: number
  }
  /** Published entries by source and UTC day (stock/published-outcomes.ts). */
  source_outcome: {
    source_id: string
    day: string
    open: number
    open_with_result: number
    open_without_deadline: number
    awarded: number
    awarded_without_winner: number
    cancelled: number
    cancelled_with_award: number
    ended_awarded: number
    ended_cancelled: number
    ended_expired: number
  }
  /**
   * How far a winner reaches: hashes of its name, of at most 50 buyers and of as many CPV groups; a record that names
   * it, and the UTC day of the newest one.
   */
  source_winner: {
    source_id: string
    winner: string
    tender_id: string
    /** JSON arrays of numbers. */
    buyers: string
    trades: string
    seen_day: string
  }
  /**
   * `silent`, `totals`, `counts`, `rejections`, `drift`, `failing`, `fill`, `contents`, `outcomes`, `winners`; open
   * while cleared_at is null. An open `fill` is the quarantine of its source.
   */
  source_alarm: {
    source_id: string
    kind: string
    raised_at: EpochMs
    cleared_at: EpochMs | null
    detail: string
    /** Share of the source that is affected, 0 to 1. */
    share: number
    /** When, by whom and with which note it was acknowledged; null: not yet. */
    acknowledged_at: EpochMs | null
    acknowledged_by: string | null
    note: string | null
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
    /** The mark stored with each of its keys in match_key, as consolidate/match/time-mark.ts reads it. */
    mark: number
    /** Announced only, and a notice of another record refers to it. */
    is_succeeded: boolean
    /**
     * Numbers of its twin keys (title, buyer and portal) separated by blanks, ascending. They are part of match_key
     * and are only counted.
     */
    twin_keys: string
    /** Numbers of its blocking keys separated by blanks, ascending. */
    keys: string
    /** MatchRecord as consolidate/match/packed-record.ts keeps it. */
    content: string
  }
  match_member: { notice_id: string; record_key: string }
  /**
   * Blocking keys: records that share one are compared, unless too many do. Twin keys: records with one are counted.
   */
  match_key: { match_key: number; record_no: number; mark: number }
  /** One row as long as `match_key` holds all: a crash empties both, for neither is logged. */
  match_key_whole: { is_whole: boolean }
  /** Keys that too many records hold. */
  dropped_match_key: { match_key: number }
  /** The matcher's verdict on two records; derived. `outcome`: `merge` or `review`. */
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
  /** Decisions of operators on two notices: evidence, so a rebuild keeps them. `decision`: `merge` or `split`. */
  review_decision: { left_key: string; right_key: string; decision: string; decided_at: EpochMs; note: string }
  /**
   * Contradictions between the notices of one tender, two notices by key; derived. `kind`: `award-number`, `named-call`
   * or `unlike`.
   */
  /** `said`: JSON of what `evidence` says, as a code with values; null: written before this column. */
  tender_doubt: {
    tender_id: string
    kind: string
    left_key: string
    right_key: string
    evidence: string
    said: string | null
  }
  /** Models of values; `parameters` is JSON of consolidate/estimate ValueModelParameters. */
  value_model: {
    version: string
    fitted_at: EpochMs
    parameters: string
    /** JSON of estimates.ts ModelFigures; null for one that was fitted before figures were kept. */
    figures: string | null
  }
  /** What a model answered for a record while it had these inputs: JSON of an amount, or of why there is none. */
  tender_estimate: { tender_id: string; inputs_hash: string; model_version: string; estimate: string }
  /** What a company does, as an organization describes it; searches are scored against it. */
  company_profile: { profile_id: string; organization_id: string; name: string; created_at: EpochMs }
  /**
   * JSON of hits/company-profile.ts CompanyProfile in `content`. Counts for editions from `from_edition` on, until a
   * later version does.
   */
  company_profile_version: {
    profile_id: string
    version: number
    from_edition: number
    content: string
    created_at: EpochMs
  }
  saved_search: {
    /** For the index of the matcher; `search_id` is what others see. */
    search_no: Generated<number>
    search_id: string
    organization_id: string
    name: string
    created_at: EpochMs
    created_by: string
  }
  /**
   * The criteria of a search in editions from `from_edition` on, until a later version. Pausing and resuming are
   * versions too.
   */
  saved_search_version: {
    search_no: number
    version: number
    from_edition: number
    is_active: boolean
    /** Canonical JSON of hits/saved-search.ts SearchFilter. */
    filter: string
    /** SHA-256 of filter. */
    filter_hash: string
    /** Null: a profile is derived from the search. */
    profile_id: string | null
    threshold: number
    created_at: EpochMs
  }
  /** Searches and profiles that were deleted: their ids are never used again. */
  removal: {
    /** `search_id` or `profile_id`. */
    removed_id: string
    organization_id: string
    removed_at: EpochMs
    /** How many versions were deleted with it. */
    versions: number
  }
  /** One row: how far the editions are matched, and who matches them (hit-mark.ts). */
  hit_mark: {
    is_only: Generated<boolean>
    /** The newest edition that is matched completely. */
    edition: number
    /** The largest lastModified up to that edition. */
    last_modified: EpochMs
    /** What is done with the edition after it: `changes` of hits, then `matches`, then `holds` of deliveries. */
    step: Generated<string>
    /** The lastModified up to which that step is done. */
    step_modified: EpochMs
    /** Number of entries that this step has read. */
    step_entries: Generated<number>
    /**
     * Total number of entries that were removed before they were matched, because the matching was off for too long.
     */
    unseen: Generated<number>
    /** Increases with each holder of the lease, so that one that lost it cannot write. */
    fence: Generated<number>
    /** Host and process, for people. */
    owner: Generated<string>
    /** Until when the lease is held, by the clock of the database; 0 if it is free. */
    until_ms: Generated<EpochMs>
  }
  /** A search matched a tender: once and forever. */
  hit: {
    search_no: number
    tender_id: string
    /** Derived from stock, search and tender (hits/hit-id.ts). */
    hit_id: string
    /** The edition from which it was made, and the lastModified of its entry there. */
    edition: number
    last_modified: EpochMs
    search_version: number
    /** Of that edition; never changes. */
    fit_score: number
    /** JSON: the parts of the score, and what satisfied each clause of the search. */
    fit: string
    matched: string
    /** JSON: what both say, as codes with values; null: written before this column. */
    reasons: string | null
    made_at: EpochMs
    /** The score and the edition of its last match. */
    score_now: number
    last_edition: number
    /** What people did with it: `new`, `seen`, `kept`, `dismissed`. */
    state: Generated<string>
    /**
     * Why the hit is closed, by the newest entry of its tender that was matched: the archive reason, or the status of
     * what is no call for its search; null: it is not.
     */
    archive_reason: string | null
    /** The record to which its tender belongs now. The hit represents that one too, while it has no hit of its own. */
    merged_into: string | null
    /** The deadline that a bidder meets first, and the value, in that entry: a change is derived from them. */
    deadline_ms: EpochMs | null
    value: string | null
    /** The lastModified of the entry with which one of these last changed. */
    state_modified: EpochMs
    /** The edition whose digests contain it: the first one that was not matched completely when it was made. */
    digest_edition: number
    /** Of the tender before any merge, in the entry of `state_modified`; null: written before this column. */
    tender_status: string | null
    /** `participation`, `submission`; null beside a deadline: written before this column, by the rule of then. */
    deadline_kind: string | null
  }
  /**
   * How many hits an edition made for a search; `held`: too many, so their deliveries wait until someone releases them.
   */
  search_edition: { edition: number; search_no: number; hits: number; state: Generated<string> }
  webhook_endpoint: {
    endpoint_no: Generated<number>
    endpoint_id: string
    organization_id: string
    address: string
    description: string
    /** Hits of editions from this one on are offered to it. */
    from_edition: number
    /** JSON array: `search.hit`, `search.hit.changed`. */
    kinds: string
    /** JSON array of search ids; null: all searches of the organization. */
    searches: string | null
    /** `active`, `disabled` (deliveries are held), `removed` (there are none). */
    state: Generated<string>
    disabled_why: string | null
    failing_since: EpochMs | null
    /** Number of consecutive failed attempts. */
    failures: Generated<number>
    requests_per_second: number
    /** `slack`, `teams`: what it accepts, and its address is only a host. Null: signed messages. */
    chat: string | null
    /** Of the messages to a chat: `en`, `de`. */
    language: string | null
    created_at: EpochMs
    /**
     * Who delivers to it, and until when; `fence` increases with each holder, so that one that lost it cannot write.
     */
    worker: Generated<string>
    taken_until: Generated<EpochMs>
    fence: Generated<number>
  }
  /** Secrets that sign; sealed under a key that is not in the database. Two may be valid. */
  webhook_secret: {
    secret_id: string
    endpoint_no: number
    sealed: Uint8Array
    created_at: EpochMs
    ends_at: EpochMs | null
  }
  /**
   * Messages for endpoints: queue and log at once. Those of an edition are sent when it is matched completely
   * (hit_mark).
   */
  delivery: {
    /** The `webhook-id`: derived, so that a repeated message has the same one (hits/hit-id.ts). */
    message_id: string
    endpoint_no: number
    /** `search.hit`, `search.hit.changed`, `webhook.test`. */
    kind: string
    /** Null for a test. */
    hit_id: string | null
    /** The edition and the lastModified of the entry that it is about; null for a test. */
    edition: number | null
    last_modified: EpochMs | null
    /** JSON array of what changed; null except for `search.hit.changed`. */
    changes: string | null
    /** JSON of domain/hit-event.ts HitReason; null: the tender's notices changed, or time passed. */
    reason: string | null
    state: string
    /** `cap`: too many hits of one search in one edition; `endpoint`: it is disabled. Null unless held. */
    held_why: string | null
    attempts: Generated<number>
    due_at: EpochMs
    created_at: EpochMs
    /** When it was delivered or abandoned. */
    ended_at: EpochMs | null
  }
  /** The body of a message, packed: made at the first attempt and the same at each later one. */
  delivery_body: { message_id: string; packed: Uint8Array; created_at: EpochMs }
  delivery_attempt: {
    message_id: string
    /** The endpoint of its delivery. */
    endpoint_no: number
    attempt: number
    attempted_at: EpochMs
    /** Status of the answer; null if there was none. */
    status: number | null
    /** Class of the failure; null when there was an answer. */
    error: string | null
    duration_ms: number
    /** The beginning of the answer. */
    answer: string
  }
  /** Who receives the hits of which search by mail. The rows of a person have the same terms: one mail brings all. */
  digest: {
    digest_id: string
    /** Null: its search was deleted, and it has nothing to send. */
    search_no: number | null
    /** Of a digest without a search. */
    organization_id: string | null
    /** A mail address. */
    person: string
    rhythm: string
    hour: number
    zone: string
    /** Null: written by a version before this column, whose mails were English. */
    language: string | null
    /** The newest edition whose hits are in a digest. */
    last_edition: number
    /** State of its rhythm (digests/digest-schedule.ts DigestState). */
    made_day: number
    made_at: EpochMs | null
    due_at: EpochMs
    created_at: EpochMs
    /** The day of weekly mails; null: written by a version before this column, which knew only `monday`. */
    weekday: string | null
    /** When the mails to this person ended because the server knows no such recipient; null: they go on. */
    ended_at: EpochMs | null
  }
  /** The mails of digests: outbox and history at once. */
  mail: {
    /** The `Message-ID`: derived, so that a repeated mail has the same one. */
    message_id: string
    /** Of a digest any one of its person. Null: a mail of the console, to `person`. */
    digest_id: string | null
    /** JSON of digests/digest-content.ts DigestContent; of a mail of the console, the data that its kind needs. */
    content: string
    state: Generated<string>
    attempts: Generated<number>
    due_at: EpochMs
    /** Until when a process is sending it. */
    taken_until: Generated<EpochMs>
    last_error: string | null
    created_at: EpochMs
    /** When it was sent or abandoned. */
    ended_at: EpochMs | null
    /** A mail address; null where the digest names it. */
    person: string | null
    /** How many attempts the server refused, and how many because there is no such recipient; null: none. */
    refusals: number | null
    gone: number | null
  }
  /** People who sign in to the console. */
  person: {
    person_id: string
    /** In lower case. */
    mail: string
    name: string
    /** Null: the language that the browser requests. */
    language: string | null
    is_operator: Generated<boolean>
    created_at: EpochMs
    ended_at: EpochMs | null
    /** True for somebody who joined by a link that was handed over, until they prove the mail address. */
    is_mail_unproven: boolean | null
    /** Whether the person wants mails about incidents and maintenance. */
    wants_status_mails: boolean | null
  }
  membership: {
    organization_id: string
    person_id: string
    /** `owner` or `member`. */
    role: string
    created_at: EpochMs
  }
  /** Open and used invitations. */
  invitation: {
    invitation_id: string
    organization_id: string
    mail: string
    role: string
    invited_by: string
    created_at: EpochMs
    until_ms: EpochMs
    used_at: EpochMs | null
    /** Of a link that the inviter hands over: it proves no mail address. */
    link_hash: Uint8Array | null
  }
  /** Links that can be used once; their keys are stored nowhere else than in the links. */
  sign_in_link: {
    key_hash: Uint8Array
    /** Whom it signs in. If it has no invitation either, it creates the first person, while nobody exists. */
    person_id: string | null
    invitation_id: string | null
    created_at: EpochMs
    until_ms: EpochMs
    used_at: EpochMs | null
  }
  session: {
    /** SHA-256 of the cookie's value. */
    session_hash: Uint8Array
    person_id: string
    created_at: EpochMs
    /** Accurate to five minutes. */
    seen_at: EpochMs
    /** When the identity was last proven: by a link, a passkey, OIDC. */
    signed_in_at: EpochMs
    agent: string
    address_prefix: string
  }
  /** A tender whose deadline somebody put into their calendar. */
  deadline_mark: { person_id: string; tender_id: string; marked_at: EpochMs }
  /** The address at which a calendar reads them; SHA-256 of its key, hex. */
  calendar_feed: { person_id: string; key_hash: string; created_at: EpochMs }
  passkey: {
    /** Base64url. */
    credential_id: string
    person_id: string
    public_key: Uint8Array
    counter: number
    /** JSON array. */
    transports: string
    name: string
    created_at: EpochMs
    last_used_at: EpochMs | null
    /** When its counter went back: it signs nobody in from then on. */
    blocked_at: EpochMs | null
  }
  oidc_identity: { issuer: string; subject: string; person_id: string; created_at: EpochMs }
  /** What was agreed with an organization. */
  contract: {
    organization_id: string
    starts_at: EpochMs
    ends_at: EpochMs | null
    /** When its beginning and its end took effect. */
    started_at: EpochMs | null
    ended_at: EpochMs | null
    note: string
    set_up_by: string
  }
  /** Companies that asked for a quote. */
  quote: {
    quote_id: string
    name: string
    company: string
    mail: string
    message: string
    /** Codes with commas between. */
    needs: string
    language: string
    created_at: EpochMs
    /** `open`, `accepted` or `declined`. */
    state: Generated<string>
    closed_at: EpochMs | null
    closed_by: string | null
    /** The organization that was set up for it. */
    organization_id: string | null
  }
  /** Requests of a token in an hour: a count for people, not a bill. */
  api_use: {
    organization_id: string
    /** Empty: all tokens of the organization together; `deliveries`: messages that webhooks accepted. */
    token_id: string
    hour_ms: EpochMs
    answered: number
    /** Refused with 429. */
    refused: number
    /** Maximum number answered in one minute. */
    peak_minute: number
    /** The newest minute that was counted, and what was answered in it so far, by any process. */
    minute_ms: EpochMs
    minute_answered: number
    /** Records in the answers, and their bytes; null before they were counted. */
    records: number | null
    bytes: number | null
  }
  /** Who did what when; append-only. */
  audit_entry: {
    entry_no: Generated<number>
    at: EpochMs
    /** A mail address, or `operator` for the command line. */
    actor: string
    /** Null: the whole service. */
    organization_id: string | null
    action: string
    subject: string
    /** JSON without secrets. */
    detail: string
    address_prefix: string
    /** JSON: what `held` of the detail says, as codes with values. */
    causes: string | null
  }
  incident: {
    incident_id: string
    title: string
    detail: string
    started_at: EpochMs
    ended_at: EpochMs | null
    created_by: string
  }
  /** Keys of forms that were accepted. */
  sent_form: { key_hash: Uint8Array; sent_at: EpochMs }
  /** Requests of the last hour for links to sign in, by the hash of an address or network. */
  sign_in_attempt: { attempt_no: Generated<number>; who_hash: Uint8Array; tried_at: EpochMs }
  /** One row: who writes the editions into a bucket, and how far the bucket is (edition-export.ts). */
  edition_export: {
    is_only: Generated<boolean>
    fence: number
    owner: string
    until_ms: number
    edition: number
    exported_at: number | null
    concern: string | null
  }

  /** Which edition each process and the bucket hold, said by themselves (edition-witness.ts). */
  edition_witness: {
    witness_id: string
    name: string
    stock_id: string
    edition: number
    /** Empty where it is not known. */
    checksum: string
    last_modified: EpochMs
    /** The latest roll call that it has answered. */
    call: string
    reported_at: EpochMs
  }
  added_use: { name: string; added_at: number }

  redaction_key: { is_only: Generated<boolean>; key: string }
  /**
   * Contact data that is taken out of notices and records (domain/redaction.ts); its values are held as keyed hashes.
   */
  redaction: {
    redaction_id: string
    /** JSON of RedactionRule[]. */
    rules: string
    reason: string
    made_at: EpochMs
    /** When everything stored had been processed. */
    applied_at: EpochMs | null
  }
}

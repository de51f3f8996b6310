// Numbered, append-only. Plain SQL that PostgreSQL 15 and the embedded engine (18) both speak. A migration expands: a
// program that does not know it can run beside it. One that contracts is named `0009-drop-note.needs-0005`: programs
// that know 0005 keep running.

/** Statements by the name of their migration. */
export type Migrations = { readonly [name: string]: readonly string[] }

export const migrations: Migrations = {
  '0001-schema': [
    `create table source_document (
      document_id text primary key,
      source_id text not null,
      address text not null,
      received_at bigint not null,
      byte_size integer not null,
      parser_version integer not null,
      -- null: the bytes are in the document store outside the database
      packed bytea
    )`,
    // External: packed bytes cannot be packed again.
    'alter table source_document alter column packed set storage external',
    'create index source_document_received on source_document (received_at)',
    `create table rejection (
      document_id text not null references source_document,
      pointer text not null,
      reason text not null,
      path text not null,
      detail text not null,
      rejected_at bigint not null,
      primary key (document_id, pointer)
    )`,
    'create index rejection_rejected on rejection (rejected_at)',
    `create table notice (
      notice_id text primary key,
      document_id text not null references source_document,
      pointer text not null,
      notice_key text not null,
      publisher text not null,
      source_id text not null,
      form_type text not null,
      publication_ms bigint,
      content text not null,
      is_consolidated boolean not null
    )`,
    'create index notice_notice_key on notice (notice_key)',
    'create index notice_document on notice (document_id)',
    'create index notice_to_consolidate on notice (notice_id) where not is_consolidated',
    `create table notice_link (
      link_key text not null,
      notice_id text not null references notice on delete cascade,
      primary key (link_key, notice_id)
    )`,
    'create index notice_link_notice on notice_link (notice_id)',
    `create table tender (
      tender_id text primary key,
      founding_key text not null unique,
      content text not null,
      content_hash text not null,
      archive_reason text,
      next_transition_ms bigint,
      merged_into text,
      sources text not null
    )`,
    'create index tender_next_transition on tender (next_transition_ms) where next_transition_ms is not null',
    'create index tender_merged_into on tender (merged_into) where merged_into is not null',
    `create table tender_notice (
      notice_id text primary key references notice on delete cascade,
      tender_id text not null
    )`,
    'create index tender_notice_tender on tender_notice (tender_id)',
    'create table source_check (source_id text primary key, checked_at bigint not null)',
    `create table edition (
      edition integer primary key check (edition > 0),
      last_modified bigint not null,
      published_at bigint not null,
      records integer not null,
      changes integer not null,
      checks text not null,
      counts text not null default '{}',
      checksum text
    )`,
    // no reference to the edition: checking it for each of a hundred thousand entries is a tenth of their publication
    `create table edition_entry (
      last_modified bigint primary key,
      edition integer not null,
      tender_id text not null,
      body text not null,
      sources text not null
    )`,
    'create table edition_hold (held_at bigint primary key, reasons text not null)',
    `create table organization (
      organization_id text primary key,
      name text not null unique,
      has_api_access boolean not null,
      requests_per_minute integer not null check (requests_per_minute > 0),
      created_at bigint not null
    )`,
    `create table api_token (
      token_id text primary key,
      organization_id text not null references organization,
      slot smallint not null check (slot in (1, 2)),
      token_hash text not null unique,
      prefix text not null,
      last_four text not null,
      name text not null,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint,
      last_used_at bigint,
      last_used_from text,
      last_used_agent text,
      -- null: made by the command line
      created_by text,
      warned_days smallint
    )`,
    'create unique index api_token_slot on api_token (organization_id, slot) where revoked_at is null',
    'create table cursor_key (key_id integer primary key, key text not null, created_at bigint not null)',
    'create table setting (name text primary key, value text not null)',
    'create table change_signal (topic text primary key, serial bigint not null)',
    "insert into change_signal (topic, serial) values ('tokens', 0), ('edition', 0), ('console', 0)",
    `create table source_slot (
      source_id text not null,
      channel text not null,
      slot text not null,
      due_at bigint,
      checkpoint text,
      announced integer,
      delivered integer not null default 0,
      completed_at bigint,
      missing text,
      missing_since bigint,
      failures integer not null default 0,
      last_error text,
      primary key (source_id, channel, slot)
    )`,
    'create index source_slot_due on source_slot (due_at) where due_at is not null',
    'create table source_lease (lease text primary key, worker text not null, until_ms bigint not null, fence bigint not null)',
    `create table source_item (
      source_id text not null,
      item_key text not null,
      version text not null,
      primary key (source_id, item_key)
    )`,
    `create table source_run (
      source_id text not null,
      channel text not null,
      slot text not null,
      started_at bigint not null,
      ended_at bigint not null,
      outcome text not null,
      requests integer not null,
      entries integer not null,
      documents integer not null,
      notices integer not null,
      rejections integer not null,
      detail text not null,
      primary key (source_id, started_at, channel, slot)
    )`,
    'create index source_run_ended on source_run (ended_at)',
    'create index source_run_of_source on source_run (source_id, ended_at)',
    `create table source_alarm (
      source_id text not null,
      kind text not null,
      raised_at bigint not null,
      cleared_at bigint,
      detail text not null,
      share double precision not null,
      acknowledged_at bigint,
      acknowledged_by text,
      -- of the operator who has seen it
      note text,
      primary key (source_id, kind, raised_at)
    )`,
    `create table source_drift (
      source_id text not null,
      name text not null,
      first_seen_at bigint not null,
      last_seen_at bigint not null,
      documents integer not null,
      primary key (source_id, name)
    )`,
    // One row per component of exactly linked notices; the key is the notice key of its oldest notice. Keys and
    // records are numbers, with the mark that shows at once what is too far apart: a third of the index.
    `create table match_record (
      record_no bigint generated always as identity primary key,
      record_key text not null unique,
      mark integer not null,
      is_succeeded boolean not null,
      twin_keys text not null,
      keys text not null,
      content text not null
    )`,
    // The keys of a record are in match_record too. Sixteen entries at random positions of an index for each record:
    // with a log each would write a page of it. What a crash empties is filled again, see matches.ts.
    `create unlogged table match_key (
      match_key bigint not null,
      record_no bigint not null,
      mark integer not null,
      primary key (match_key, record_no)
    )`,
    'create unlogged table match_key_whole (is_whole boolean primary key)',
    'create table dropped_match_key (match_key bigint primary key)',
    `create table match_member (
      notice_id text primary key references notice on delete cascade,
      record_key text not null
    )`,
    'create index match_member_record on match_member (record_key)',
    `create table tender_match (
      left_key text not null,
      right_key text not null,
      outcome text not null check (outcome in ('merge', 'review')),
      rule text not null,
      score double precision not null,
      evidence text not null,
      primary key (left_key, right_key),
      check (left_key < right_key)
    )`,
    'create index tender_match_right on tender_match (right_key)',
    `create table review_decision (
      left_key text not null,
      right_key text not null,
      decision text not null check (decision in ('merge', 'split')),
      decided_at bigint not null,
      note text not null,
      primary key (left_key, right_key),
      check (left_key < right_key)
    )`,
    // Figures of a model are for people, who need not read its parameters.
    `create table value_model (
      version text primary key,
      fitted_at bigint not null,
      parameters text not null,
      figures text
    )`,
    // No foreign key: what a model once answered for a record outlives a rebuild, as its id does.
    `create table tender_estimate (
      tender_id text not null,
      inputs_hash text not null,
      model_version text not null,
      estimate text not null,
      primary key (tender_id, inputs_hash)
    )`,
    // What publication changes of a record, separate from the wide rows of its content and its entries.
    'create table tender_change (tender_id text primary key)',
    `create table published_tender (
      tender_id text primary key references tender,
      first_edition integer not null,
      content_hash text not null,
      last_modified bigint not null,
      sources text not null,
      archive_reason text,
      entry_hash bytea
    ) with (fillfactor = 80)`,
    `create table replaced_entry (
      superseded_by integer not null,
      last_modified bigint not null,
      content_hash text,
      archive_reason text,
      entry_hash bytea,
      primary key (superseded_by, last_modified)
    )`,
    // As small as possible, and worthless after a crash.
    'create unlogged table api_process (process_id text primary key, seen_at bigint not null)',
    `create table publication (
      is_only boolean primary key default true check (is_only),
      fence bigint not null default 0,
      owner text not null default '',
      until_ms bigint not null default 0,
      state text not null default 'idle' check (state in ('idle', 'writing', 'undoing')),
      plan text,
      after_id text not null default '',
      added integer not null default 0,
      replaced integer not null default 0,
      checksum text not null default ''
    )`,
    'insert into publication default values',
    // Where the notices of one tender contradict each other.
    `create table tender_doubt (
      tender_id text not null,
      kind text not null check (kind in ('award-number', 'named-call')),
      left_key text not null,
      right_key text not null,
      evidence text not null,
      primary key (tender_id, kind),
      check (left_key < right_key)
    )`,
    `create table company_profile (
      profile_id text primary key,
      organization_id text not null references organization,
      name text not null,
      created_at bigint not null,
      unique (organization_id, name)
    )`,
    `create table company_profile_version (
      profile_id text not null references company_profile,
      version integer not null check (version > 0),
      from_edition integer not null,
      content text not null,
      created_at bigint not null,
      primary key (profile_id, version)
    )`,
    `create table saved_search (
      search_no integer generated always as identity primary key,
      search_id text not null unique,
      organization_id text not null references organization,
      name text not null,
      created_at bigint not null,
      created_by text not null,
      unique (organization_id, name)
    )`,
    `create table saved_search_version (
      search_no integer not null references saved_search,
      version integer not null check (version > 0),
      from_edition integer not null,
      is_active boolean not null,
      filter text not null,
      filter_hash text not null,
      profile_id text references company_profile,
      threshold smallint not null check (threshold between 1 and 100),
      created_at bigint not null,
      primary key (search_no, version)
    )`,
    // One row, like that of publication.
    `create table hit_mark (
      is_only boolean primary key default true check (is_only),
      edition integer not null,
      last_modified bigint not null,
      step text not null default 'changes' check (step in ('changes', 'matches', 'holds')),
      step_modified bigint not null,
      step_entries integer not null default 0,
      unseen bigint not null default 0,
      fence bigint not null default 0,
      owner text not null default '',
      until_ms bigint not null default 0
    )`,
    `insert into hit_mark (edition, last_modified, step_modified)
      values (0, ${Number.MIN_SAFE_INTEGER}, ${Number.MIN_SAFE_INTEGER})`,
    `create table hit (
      search_no integer not null references saved_search,
      tender_id text not null,
      hit_id text not null unique,
      edition integer not null,
      last_modified bigint not null,
      search_version integer not null,
      fit_score smallint not null check (fit_score between 0 and 100),
      fit text not null,
      matched text not null,
      made_at bigint not null,
      score_now smallint not null,
      last_edition integer not null,
      state text not null default 'new' check (state in ('new', 'seen', 'kept', 'dismissed')),
      archive_reason text,
      merged_into text,
      deadline_ms bigint,
      value text,
      state_modified bigint not null,
      digest_edition integer not null,
      primary key (search_no, tender_id)
    ) with (fillfactor = 90)`,
    'create index hit_tender on hit (tender_id)',
    'create index hit_digest on hit (search_no, digest_edition)',
    'create index hit_merged_into on hit (merged_into, search_no) where merged_into is not null',
    `create table search_edition (
      edition integer not null,
      search_no integer not null references saved_search,
      hits integer not null,
      state text not null default 'open' check (state in ('open', 'held', 'released')),
      primary key (edition, search_no)
    )`,
    `create table webhook_endpoint (
      endpoint_no integer generated always as identity primary key,
      endpoint_id text not null unique,
      organization_id text not null references organization,
      address text not null,
      description text not null,
      from_edition integer not null,
      -- JSON arrays; null: all searches of the organization
      kinds text not null,
      searches text,
      state text not null default 'active' check (state in ('active', 'disabled', 'removed')),
      disabled_why text,
      failing_since bigint,
      failures integer not null default 0,
      requests_per_second integer not null check (requests_per_second > 0),
      created_at bigint not null,
      worker text not null default '',
      taken_until bigint not null default 0,
      fence bigint not null default 0
    )`,
    'create index webhook_endpoint_organization on webhook_endpoint (organization_id)',
    `create table webhook_secret (
      secret_id text primary key,
      endpoint_no integer not null references webhook_endpoint,
      sealed bytea not null,
      created_at bigint not null,
      ends_at bigint
    )`,
    'create index webhook_secret_endpoint on webhook_secret (endpoint_no)',
    // No references to hit and endpoint: looking them up for each delivery is a fifth of its cost. An endpoint is never
    // deleted, and a hit only with its messages (removals.ts).
    `create table delivery (
      message_id text primary key,
      endpoint_no integer not null,
      kind text not null,
      hit_id text,
      edition integer,
      last_modified bigint,
      changes text,
      state text not null check (state in ('due', 'delivered', 'given-up', 'held')),
      held_why text check (held_why in ('cap', 'endpoint')),
      attempts smallint not null default 0,
      due_at bigint not null,
      created_at bigint not null,
      ended_at bigint
    ) with (fillfactor = 80)`,
    "create index delivery_due on delivery (endpoint_no, due_at) where state = 'due'",
    "create index delivery_held on delivery (endpoint_no) where state = 'held'",
    'create index delivery_hit on delivery (hit_id)',
    // The body is made at the first attempt, and is the same at each later one.
    `create table delivery_body (
      message_id text primary key references delivery on delete cascade,
      packed bytea not null,
      created_at bigint not null
    )`,
    'alter table delivery_body alter column packed set storage external',
    'create index delivery_body_created on delivery_body (created_at)',
    `create table delivery_attempt (
      message_id text not null references delivery on delete cascade,
      attempt smallint not null,
      endpoint_no integer not null,
      attempted_at bigint not null,
      status smallint,
      error text,
      duration_ms integer not null,
      answer text not null,
      primary key (message_id, attempt)
    )`,
    'create index delivery_attempt_attempted on delivery_attempt (attempted_at)',
    'create index delivery_attempt_endpoint on delivery_attempt (endpoint_no, attempted_at)',
    `create table digest (
      digest_id text primary key,
      search_no integer not null references saved_search,
      person text not null,
      rhythm text not null check (rhythm in ('atOnce', 'daily', 'weekly')),
      hour smallint not null check (hour between 0 and 23),
      zone text not null,
      last_edition integer not null,
      made_day integer not null,
      made_at bigint,
      due_at bigint not null,
      created_at bigint not null
    )`,
    'create unique index digest_person on digest (search_no, lower(person))',
    'create index digest_due on digest (due_at)',
    `create table mail (
      message_id text primary key,
      digest_id text references digest on delete cascade,
      -- of the console's mails, which have no digest
      person text,
      content text not null,
      state text not null default 'due' check (state in ('due', 'sent', 'given-up')),
      attempts smallint not null default 0,
      due_at bigint not null,
      taken_until bigint not null default 0,
      last_error text,
      created_at bigint not null,
      ended_at bigint,
      check ((digest_id is null) <> (person is null))
    )`,
    "create index mail_due on mail (due_at) where state = 'due'",
    'create index mail_digest on mail (digest_id)',
    'create index mail_ended on mail (ended_at)',
    // Lower case: two spellings of one mail address are one person.
    `create table person (
      person_id text primary key,
      mail text not null unique check (mail = lower(mail)),
      name text not null,
      language text check (language in ('en', 'de')),
      is_operator boolean not null default false,
      created_at bigint not null,
      ended_at bigint
    )`,
    `create table membership (
      organization_id text not null references organization,
      person_id text not null references person,
      role text not null check (role in ('owner', 'member')),
      created_at bigint not null,
      primary key (organization_id, person_id)
    )`,
    `create table invitation (
      invitation_id text primary key,
      organization_id text not null references organization,
      mail text not null check (mail = lower(mail)),
      role text not null check (role in ('owner', 'member')),
      invited_by text not null,
      created_at bigint not null,
      until_ms bigint not null,
      used_at bigint
    )`,
    'create unique index invitation_open on invitation (organization_id, mail) where used_at is null',
    // Links for a person, for an invitation, or for the first person while nobody exists.
    `create table sign_in_link (
      key_hash bytea primary key,
      person_id text references person,
      invitation_id text references invitation on delete cascade,
      created_at bigint not null,
      until_ms bigint not null,
      used_at bigint,
      check (person_id is null or invitation_id is null)
    )`,
    'create index sign_in_link_invitation on sign_in_link (invitation_id)',
    `create table session (
      session_hash bytea primary key,
      person_id text not null references person,
      created_at bigint not null,
      seen_at bigint not null,
      signed_in_at bigint not null,
      agent text not null,
      address_prefix text not null
    )`,
    'create index session_person on session (person_id)',
    `create table passkey (
      credential_id text primary key,
      person_id text not null references person,
      public_key bytea not null,
      counter bigint not null,
      transports text not null,
      name text not null,
      created_at bigint not null,
      last_used_at bigint
    )`,
    'create index passkey_person on passkey (person_id)',
    `create table oidc_identity (
      issuer text not null,
      subject text not null,
      person_id text not null references person,
      created_at bigint not null,
      primary key (issuer, subject)
    )`,
    // What was agreed; its end ends the access to the API.
    `create table contract (
      organization_id text primary key references organization,
      starts_at bigint not null,
      ends_at bigint,
      started_at bigint,
      ended_at bigint,
      note text not null,
      set_up_by text not null
    )`,
    `create table api_use (
      organization_id text not null,
      token_id text not null,
      hour_ms bigint not null,
      answered integer not null,
      refused integer not null,
      peak_minute integer not null,
      minute_ms bigint not null,
      minute_answered integer not null,
      primary key (organization_id, token_id, hour_ms)
    )`,
    'create index api_use_hour on api_use (hour_ms)',
    // Append-only.
    `create table audit_entry (
      entry_no bigint generated always as identity primary key,
      at bigint not null,
      actor text not null,
      organization_id text,
      action text not null,
      subject text not null,
      detail text not null,
      address_prefix text not null
    )`,
    'create index audit_organization on audit_entry (organization_id, entry_no)',
    `create table incident (
      incident_id text primary key,
      title text not null,
      detail text not null,
      started_at bigint not null,
      ended_at bigint,
      created_by text not null
    )`,
    // A form that creates something is accepted once.
    `create table sent_form (
      key_hash bytea primary key,
      sent_at bigint not null
    )`,
    'create index sent_form_sent on sent_form (sent_at)',
    // Pages list hits in these orders. A hit whose tender was merged may represent the other one: it is open unless
    // that has its own. Each index has everything that a page reads to find its hits, and the statistics tell which of
    // them has fewer entries to read for a range of deadlines in the order of the score.
    `create index hit_by_score on hit (search_no, state, fit_score desc, hit_id) include (merged_into, deadline_ms)
      where archive_reason is null or merged_into is not null`,
    `create index hit_by_deadline on hit (search_no, state, coalesce(deadline_ms, ${Number.MAX_SAFE_INTEGER}), hit_id)
      include (merged_into, deadline_ms, fit_score) where archive_reason is null or merged_into is not null`,
    `create statistics hit_deadline on (coalesce(deadline_ms, ${Number.MAX_SAFE_INTEGER})) from hit`,
    `create index hit_closed on hit (search_no, fit_score desc, hit_id) include (merged_into)
      where archive_reason is not null`,
    "create index search_edition_held on search_edition (search_no) where state = 'held'",
    'create index delivery_listed on delivery (endpoint_no, created_at desc, message_id)',
    "create index delivery_given_up on delivery (endpoint_no, created_at desc, message_id) where state = 'given-up'",
    // Requests for links to sign in are counted by address and network.
    `create table sign_in_attempt (
      attempt_no bigint generated always as identity primary key,
      who_hash bytea not null,
      tried_at bigint not null
    )`,
    'create index sign_in_attempt_who on sign_in_attempt (who_hash)',
    'create index sign_in_attempt_tried on sign_in_attempt (tried_at)',
    // The key of the hashes exists from the beginning, so that every backup holds it.
    `create table redaction_key (
      is_only boolean primary key default true check (is_only),
      key text not null
    )`,
    `insert into redaction_key (key)
      values (encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'base64'))`,
    `create table redaction (
      redaction_id text primary key,
      rules text not null,
      reason text not null,
      made_at bigint not null,
      applied_at bigint
    )`,
    // Who writes the editions into a bucket, and how far the bucket is.
    `create table edition_export (
      is_only boolean primary key default true check (is_only),
      fence bigint not null default 0,
      owner text not null default '',
      until_ms bigint not null default 0,
      edition integer not null default 0,
      exported_at bigint,
      concern text
    )`,
    'insert into edition_export default values',
    // Objects with counts that nodes wrote, each added once.
    'create table added_use (name text primary key, added_at bigint not null)',
    // How many new notices of a source have each field, by UTC day of their arrival.
    `create table source_fill (
      source_id text not null,
      day text not null,
      form_type text not null,
      notices integer not null,
      deadline integer not null,
      cpv integer not null,
      value integer not null,
      authority integer not null,
      region integer not null,
      primary key (source_id, day, form_type)
    )`,
  ],
  '0002-blocked-passkey': ['alter table passkey add column blocked_at bigint'],
  // Notes of operators on contracts were written where members of the organization read them. They move to the log of
  // operators, the other details stay as they are, and an entry for each organization says what was done.
  '0003-notes-for-operators': [
    `insert into audit_entry (at, actor, organization_id, action, subject, detail, address_prefix)
      select at, actor, null, action, subject,
        json_build_object('organization', organization_id, 'note', detail::json ->> 'note')::text, address_prefix
      from audit_entry
      where organization_id is not null and action = 'contract.set-up' and coalesce(detail::json ->> 'note', '') <> ''
      order by entry_no`,
    `insert into audit_entry (at, actor, organization_id, action, subject, detail, address_prefix)
      select (extract(epoch from now()) * 1000)::bigint, 'service', organization_id, 'audit.correct', organization_id,
        json_build_object('entries', count(*))::text, ''
      from audit_entry
      where organization_id is not null and action = 'contract.set-up' and coalesce(detail::json ->> 'note', '') <> ''
      group by organization_id order by min(entry_no)`,
    `update audit_entry
      set detail = coalesce(
        (select json_object_agg(key, value) from json_each(detail::json) where key <> 'note'), '{}'::json)::text
      where organization_id is not null and action = 'contract.set-up' and detail::json ->> 'note' is not null`,
  ],
  '0004-removals': [
    // Searches and profiles that were deleted. Their ids are never used again.
    `create table removal (
      removed_id text primary key,
      organization_id text not null references organization,
      removed_at bigint not null,
      versions integer not null
    )`,
    // A digest whose search was deleted stays, with nothing to send, and says whose it was.
    'alter table digest add column organization_id text references organization',
    'alter table digest alter column search_no drop not null',
  ],
  // Which edition each process and the bucket hold, said by themselves.
  '0005-edition-witness': [
    `create table edition_witness (
      witness_id text primary key,
      name text not null,
      stock_id text not null,
      edition integer not null,
      checksum text not null,
      last_modified bigint not null,
      call text not null,
      reported_at bigint not null
    )`,
  ],
  '0006-kind-of-deadline': ['alter table hit add column deadline_kind text'],
  // What English lines say, as codes with values.
  '0007-reasons-as-codes': [
    'alter table hit add column reasons text',
    'alter table edition_hold add column causes text',
    'alter table audit_entry add column causes text',
    'alter table tender_doubt add column said text',
  ],
  // Why the tender of a hit changed, if the service corrected it.
  '0008-reason-of-changes': ['alter table delivery add column reason text'],
  // What editions published, by source and day, and how far the winners of each source reach.
  '0009-published-outcomes': [
    `create table source_outcome (
      source_id text not null,
      day text not null,
      open integer not null,
      open_with_result integer not null,
      open_without_deadline integer not null,
      awarded integer not null,
      awarded_without_winner integer not null,
      cancelled integer not null,
      cancelled_with_award integer not null,
      ended_awarded integer not null,
      ended_cancelled integer not null,
      ended_expired integer not null,
      primary key (source_id, day)
    )`,
    `create table source_winner (
      source_id text not null,
      winner text not null,
      tender_id text not null,
      buyers text not null,
      trades text not null,
      seen_day text not null,
      primary key (source_id, winner)
    )`,
    'alter table tender_doubt drop constraint tender_doubt_kind_check',
    `alter table tender_doubt add constraint tender_doubt_kind_check
      check (kind in ('award-number', 'named-call', 'unlike'))`,
  ],
  '0010-reason-of-a-reading': ['alter table source_run add column reason text'],
  '0011-status-of-hits': ['alter table hit add column tender_status text'],
  // Whether a contract includes the files of editions.
  '0012-bulk-files': ['alter table organization add column has_bulk_files boolean'],
  // Deadlines that people marked, and the address at which a calendar reads them.
  '0013-calendars': [
    `create table deadline_mark (
      person_id text not null references person,
      tender_id text not null,
      marked_at bigint not null,
      primary key (person_id, tender_id)
    )`,
    `create table calendar_feed (
      person_id text primary key references person,
      key_hash text not null unique,
      created_at bigint not null
    )`,
  ],
  // Links of invitations that somebody hands over, and people of whom only such a link is known.
  '0014-handed-invitations': [
    'alter table invitation add column link_hash bytea',
    'alter table person add column is_mail_unproven boolean',
  ],
  // One mail for a person: their digests get the terms of the one that comes most often. Each keeps its position, so a
  // program of before, which mails them one by one, can run beside.
  '0015-one-letter': [
    'alter table digest add column language text',
    'create index digest_recipient on digest (lower(person))',
    `update digest d set rhythm = t.rhythm, hour = t.hour, zone = t.zone, made_day = t.made_day, made_at = t.made_at,
        due_at = t.due_at
      from (
        select distinct on (lower(person)) lower(person) as who, rhythm, hour, zone, made_day, made_at, due_at from digest
        order by lower(person), search_no is null, array_position(array['atOnce', 'daily', 'weekly'], rhythm), created_at,
          digest_id
      ) t
      where lower(d.person) = t.who`,
  ],
  // Companies that ask for a quote, by the form of the first page.
  '0016-quotes': [
    `create table quote (
      quote_id text primary key,
      name text not null,
      company text not null,
      mail text not null,
      message text not null,
      needs text not null,
      language text not null,
      created_at bigint not null,
      state text not null default 'open' check (state in ('open', 'accepted', 'declined')),
      closed_at bigint,
      closed_by text,
      organization_id text references organization
    )`,
    'create index quote_created on quote (created_at)',
  ],
  // Endpoints that are a channel of a chat: its kind, and the language of the messages.
  '0017-chat': [
    'alter table webhook_endpoint add column chat text',
    'alter table webhook_endpoint add column language text',
  ],
  // The day of weekly mails, and mails that ended because the server knows no such recipient.
  '0018-refused-recipients': [
    'alter table digest add column weekday text',
    'alter table digest add column ended_at bigint',
    'alter table mail add column refusals smallint',
    'alter table mail add column gone smallint',
  ],
  // Who wants mails about incidents and maintenance, and what answers held. Null: before it was counted.
  '0019-status-mails-and-records-read': [
    'alter table person add column wants_status_mails boolean',
    'alter table api_use add column records bigint, add column bytes bigint',
  ],
}

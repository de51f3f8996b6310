// The columns of the tables that sinks write, each once: its name, its type, where its value is in the record, and what
// it means. The tables of PostgreSQL and SQLite, the files, their comments and the values all follow from these lists;
// a test holds them against the contract. Records are written here as they are delivered: what has no column is in the
// full record, which every sink keeps.

/** `instant`: ISO 8601 UTC with milliseconds, as delivered. `integer` fits 32 bits. */
export type ColumnType = 'text' | 'uuid' | 'instant' | 'number' | 'integer' | 'boolean'

export type Column = {
  /** snake_case, so that no database needs quotes. */
  readonly name: string
  readonly type: ColumnType
  /**
   * The path of the value, as `contractingAuthority.name`, `cpvCodes.0` or, from the end, `originalSources.-1.url`.
   * The first one that exists counts.
   */
  readonly paths: readonly string[]
  /**
   * What is written of a list: its codes, separated by spaces; its length; the names of its items, separated by
   * semicolons.
   */
  readonly list?: 'codes' | 'count' | 'names'
  /** Whether it is never null. */
  readonly isRequired?: boolean
  /** Shown by BI tools. */
  readonly comment: string
}

const column =
  (type: ColumnType) =>
  (name: string, paths: string, comment: string): Column => ({ name, type, paths: paths.split(' '), comment })
const required = (of: Column): Column => ({ ...of, isRequired: true })
const text = column('text')
const uuid = column('uuid')
const instant = column('instant')
const number = column('number')
const integer = column('integer')
const boolean = column('boolean')
const codes = (name: string, path: string, comment: string): Column => ({
  ...required(text(name, path, comment)),
  list: 'codes',
})
const count = (name: string, path: string, comment: string): Column => ({
  ...integer(name, path, comment),
  list: 'count',
})
const names = (name: string, path: string, comment: string): Column => ({ ...text(name, path, comment), list: 'names' })

/**
 * One row per tender. `npm run generate` adds a line at the end for a member that has none: edit its comment. A name
 * never changes its meaning.
 */
export const tenderColumns: readonly Column[] = [
  required(uuid('id', 'id', 'Fixed identifier of the tender')),
  required(
    instant('last_modified', 'lastModified', 'When the service published the last change in content; only increases'),
  ),
  required(
    text(
      'status',
      'status',
      'planned, open, awardIntended, closed, awarded, cancelled, merged, lost; more may be added',
    ),
  ),
  text(
    'archive_reason',
    'archiveReason',
    'expired, cancelled, awarded, merged, lost (no longer in the stock); null while the tender is not archived',
  ),
  uuid('merged_into', 'mergedInto', 'The surviving tender if archive_reason is merged'),
  required(text('title', 'title', 'Title in the language of the record')),
  text('description', 'description', 'Description in the language of the record'),
  text('language', 'language', 'ISO 639-1 code of the texts'),
  text('tender_number', 'tenderNumber', "The authority's own number"),
  text('procedure_id', 'procedureId', 'Identifier shared by all notices of the procedure'),
  text('contracting_authority_name', 'contractingAuthority.name', 'Name of the contracting authority'),
  text('contracting_authority_id', 'contractingAuthority.nationalId', 'National registration number of the authority'),
  text('contracting_authority_street', 'contractingAuthority.street', 'Address of the authority'),
  text('contracting_authority_postal_code', 'contractingAuthority.postalCode', 'Address of the authority'),
  text('contracting_authority_city', 'contractingAuthority.city', 'Address of the authority'),
  text('contracting_authority_country', 'contractingAuthority.country', 'ISO 3166-1 alpha-2'),
  text('contracting_authority_nuts_code', 'contractingAuthority.nutsCode', 'NUTS code of the seat'),
  text('contracting_authority_contact_name', 'contractingAuthority.contactName', 'Contact point'),
  text('contracting_authority_email', 'contractingAuthority.email', 'Contact of the authority'),
  text('contracting_authority_phone', 'contractingAuthority.phone', 'Contact of the authority'),
  text('contracting_authority_url', 'contractingAuthority.url', 'Website of the authority'),
  text('buyer_profile_url', 'buyerProfileUrl', 'Profile of the buyer'),
  instant('submission_date', 'submissionDate', 'Submission deadline; null when none was published'),
  instant('participation_date', 'participationDate', 'Deadline for requests to participate'),
  instant('publication_date', 'publicationDate', 'When the newest notice was published'),
  instant(
    'first_publication_date',
    'firstPublicationDate',
    'When the oldest notice was published; null if it is unknown',
  ),
  number('contract_value', 'contractAmount.value', 'Contract value without VAT, in contract_currency'),
  text('contract_currency', 'contractAmount.currency', 'ISO 4217'),
  boolean('contract_estimated', 'contractAmount.estimated', 'True: estimated by the service, not published'),
  number('awarded_value', 'awardedAmount.value', 'Total of the contracts awarded, in awarded_currency'),
  text('awarded_currency', 'awardedAmount.currency', 'ISO 4217'),
  text('contract_nature', 'contractNature', 'works, supplies, services'),
  text('procedure_type', 'procedureType', 'eForms procedure type: open, restricted, neg-w-call …'),
  text('procedure_type_national', 'procedureTypeNational', 'National code where it is not an eForms one'),
  text('legal_basis', 'legalBasis', 'Legal basis (BT-01)'),
  text('main_cpv', 'cpvCodes.0', 'First CPV code of the tender'),
  codes('cpv_codes', 'cpvCodes', 'CPV codes of the tender, separated by spaces; with those of the lots in tender_cpv'),
  codes(
    'nuts_codes',
    'nutsCodes',
    'NUTS codes of the tender and its lots, separated by spaces; one per row in tender_nuts',
  ),
  text(
    'region',
    'nutsCodes.0 realizedLocation.nuts',
    'First NUTS code, else that of the place of performance; all of them are in tender_nuts',
  ),
  text(
    'realized_country',
    'realizedLocation.country contractingAuthority.country',
    "Country of the place of performance, else the authority's",
  ),
  text('realized_postal_code', 'realizedLocation.postalCode', 'Postal code of the place of performance'),
  text('realized_city', 'realizedLocation.city', 'Place of performance'),
  boolean('is_framework', 'isFramework', 'Leads to a framework agreement'),
  boolean('is_dynamic_purchasing_system', 'isDynamicPurchasingSystem', 'Sets up a dynamic purchasing system'),
  boolean('is_suspended', 'isSuspended', 'A review body suspended the procedure'),
  boolean('is_deadline_unknown', 'isDeadlineUnknown', 'No deadline was published'),
  text('documents_url', 'documentsUrl', 'Where the procurement documents are'),
  text('submission_url', 'submissionUrl', 'Where to submit tenders'),
  count('lot_count', 'lots', 'Number of lots; they are in tender_lot'),
  count('source_count', 'originalSources', 'Number of notices that went into the record'),
  text('publisher', 'originalSources.-1.publisher', 'Portal of the newest notice'),
  text('publication_number', 'originalSources.-1.publicationNumber', 'Official Journal number of the newest notice'),
  text('source_url', 'originalSources.-1.url', 'Page of the newest notice'),
  boolean('is_qualification_system', 'isQualificationSystem', 'A standing list of suppliers, not a call for tenders'),
  text('time_zone', 'timeZone', "IANA time zone of the authority's country; all times are UTC"),
  text('display_title', 'displayTitle', 'A title published in capitals, as people would write it; otherwise null'),
  text('title_language', 'titleLanguage', 'Language of the title; null if it is that of the record'),
  text('description_language', 'descriptionLanguage', 'Language of the description; null if it is that of the record'),
  boolean(
    'contracting_authority_is_natural_person',
    'contractingAuthority.isNaturalPerson',
    'The notice says that this is a natural person (BT-633); present only if true',
  ),
]

/** Members without a column, and why the full record is enough for them. */
export const withoutColumn: { readonly [path: string]: string } = {
  checkedAt: 'moves with every edition, so that a column would rewrite every row (C26)',
  translations: 'texts by language',
  jointAuthorities: 'a list of authorities',
  'contractAmount.low': 'about the estimate, not about the tender',
  'contractAmount.high': 'about the estimate, not about the tender',
  'contractAmount.confidence': 'about the estimate, not about the tender',
  'contractAmount.basis': 'about the estimate, not about the tender',
  'contractAmount.modelVersion': 'about the estimate, not about the tender',
  'realizedLocation.country': 'of a lot: in nearly all tenders that of the tender',
  'realizedLocation.postalCode': 'of a lot: in nearly all tenders that of the tender',
  'duration.start': 'seldom published',
  'duration.end': 'seldom published',
}

/** One row per lot, after `tender_id` and `position`, which are its key. */
export const lotColumns: readonly Column[] = [
  required(text('lot_id', 'lotId', 'Identifier of the lot within the tender')),
  required(text('status', 'status', 'planned, open, pending, awarded, cancelled; more may be added')),
  text('title', 'title', 'Title of the lot'),
  text('description', 'description', 'Description of the lot'),
  text('tender_number', 'tenderNumber', "The authority's number of the lot"),
  text('contract_nature', 'contractNature', 'works, supplies, services'),
  text('main_cpv', 'cpvCodes.0', 'First CPV code of the lot'),
  codes('cpv_codes', 'cpvCodes', 'CPV codes of the lot, separated by spaces'),
  codes('nuts_codes', 'nutsCodes', 'NUTS codes of the lot, separated by spaces'),
  text('region', 'nutsCodes.0 realizedLocation.nuts', 'First NUTS code, else that of the place of performance'),
  text('realized_city', 'realizedLocation.city', 'Place of performance'),
  instant('submission_date', 'submissionDate', 'Submission deadline of the lot'),
  instant('participation_date', 'participationDate', 'Participation deadline of the lot'),
  number('contract_value', 'contractAmount.value', 'Value published for the lot'),
  text('contract_currency', 'contractAmount.currency', 'ISO 4217'),
  number('duration_value', 'duration.value', 'Duration in duration_unit'),
  text('duration_unit', 'duration.unit', 'Unit of the duration as published'),
  text('documents_url', 'documentsUrl', 'Where the procurement documents are'),
  text('submission_url', 'submissionUrl', 'Where to submit tenders'),
  text('non_award_reason', 'nonAwardReason', 'Why no winner was chosen'),
  number('awarded_value', 'awardedAmount.value', 'Awarded value of the lot'),
  text('awarded_currency', 'awardedAmount.currency', 'ISO 4217'),
  names('winners', 'winners', 'Names of the winners, separated by semicolons'),
  text('contract_date', 'contractDate', 'Date of the contract as published'),
  integer('received_tenders', 'receivedTenders', 'Number of tenders received'),
  text('title_language', 'titleLanguage', 'Language of the title; null if it is that of the record'),
  text('description_language', 'descriptionLanguage', 'Language of the description; null if it is that of the record'),
]

/** One row per hit; the paths are those of a `Hit` (hits/hit.ts). New columns are added at the end. */
export const hitColumns: readonly Column[] = [
  required(uuid('hit_id', 'data.hitId', 'Fixed identifier of the hit')),
  required(uuid('tender_id', 'data.tender.id', 'The tender of the hit; the key of tender')),
  required(integer('fit_score', 'data.fitScore', 'How well the tender fits, 0 to 100, as of the edition of the hit')),
  required(uuid('search_id', 'data.search.id', 'The saved search')),
  required(text('search_name', 'data.search.name', 'Name of the search when the message was made')),
  required(integer('search_version', 'data.search.version', 'Version of the search that matched')),
  required(integer('edition', 'data.edition', 'The edition that the record in body is from')),
  required(text('type', 'type', 'search.hit; search.hit.changed if a later message about the tender came')),
  codes('changes', 'data.changes', 'What happened to the tender, separated by spaces: deadline, value, closed, merged'),
  uuid('merged_into', 'data.mergedInto', 'The surviving tender after a merge'),
  required(text('title', 'data.tender.title', 'Title of the tender')),
  required(text('status', 'data.tender.status', 'Status of the tender')),
  instant('submission_date', 'data.tender.submissionDate', 'Submission deadline; null when none was published'),
  required(instant('tender_last_modified', 'data.tender.lastModified', 'lastModified of the record in body')),
  required(text('webhook_id', 'webhookId', 'webhook-id of the message that this row is from')),
  required(instant('received_at', 'receivedAt', 'When this message was received')),
  required(instant('first_received_at', 'receivedAt', 'When the first message about the hit was received')),
]

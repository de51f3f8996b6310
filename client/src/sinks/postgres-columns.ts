// The flat columns of the PostgreSQL tables: where each value stands in the record, and what it means. Names are those of
// flat-tender.ts, so that a query moves from one sink to another; a test compares the values too. The tables, the
// statements that fill them and the comments that a BI tool shows are all made from these lists.

/** One column; `from` is SQL over `r` (the record or the lot as jsonb). */
export type Column = { readonly name: string; readonly type: string; readonly from: string; readonly comment: string }

const at = (path: string): string => (path.includes('.') ? `r #>> '{${path.replaceAll('.', ',')}}'` : `r ->> '${path}'`)
const text = (name: string, path: string, comment: string): Column => ({ name, type: 'text', from: at(path), comment })
const typed =
  (type: string) =>
  (name: string, path: string, comment: string): Column => ({ name, type, from: `(${at(path)})::${type}`, comment })
const first = (name: string, path: string, otherwise: string, comment: string): Column => ({
  name,
  type: 'text',
  from: `coalesce(${at(path)}, ${at(otherwise)})`,
  comment,
})
const uuid = typed('uuid')
const instant = typed('timestamptz(3)')
const number = typed('numeric')
const integer = typed('integer')
const boolean = typed('boolean')
const codes = (name: string, path: string, comment: string): Column => ({
  name,
  type: 'text',
  from: `coalesce((select string_agg(code, ' ' order by place)
    from jsonb_array_elements_text(r -> '${path}') with ordinality as list (code, place)), '')`,
  comment,
})
const counted = (name: string, path: string, comment: string): Column => ({
  name,
  type: 'integer',
  from: `coalesce(jsonb_array_length(r -> '${path}'), 0)`,
  comment,
})

/** Columns of `tender` besides `record`. */
export const tenderColumns: readonly Column[] = [
  uuid('id', 'id', 'Fixed identifier of the tender'),
  instant('last_modified', 'lastModified', 'When the service took over the last change in content; only increases'),
  text('status', 'status', 'planned, open, awardIntended, closed, awarded, cancelled, merged; more may come'),
  text('archive_reason', 'archiveReason', 'expired, cancelled, awarded, merged; null while the tender is not archived'),
  uuid('merged_into', 'mergedInto', 'The remaining tender when archive_reason is merged'),
  text('title', 'title', 'Title in the language of the record'),
  text('description', 'description', 'Description in the language of the record'),
  text('language', 'language', 'ISO 639-1 code of the texts'),
  text('tender_number', 'tenderNumber', "The authority's own number"),
  text('procedure_id', 'procedureId', 'What all notices of the procedure share'),
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
  instant('first_publication_date', 'firstPublicationDate', 'When the oldest notice was published'),
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
  codes('cpv_codes', 'cpvCodes', 'CPV codes of the tender, parted by a space; with those of the lots in tender_cpv'),
  codes(
    'nuts_codes',
    'nutsCodes',
    'NUTS codes of the tender and its lots, parted by a space; one per row in tender_nuts',
  ),
  first(
    'region',
    'nutsCodes.0',
    'realizedLocation.nuts',
    'First NUTS code, else that of the place of performance; all of them stand in tender_nuts',
  ),
  first(
    'realized_country',
    'realizedLocation.country',
    'contractingAuthority.country',
    "Country of the place of performance, else the authority's",
  ),
  text('realized_postal_code', 'realizedLocation.postalCode', 'Postal code of the place of performance'),
  text('realized_city', 'realizedLocation.city', 'Place of performance'),
  boolean('is_framework', 'isFramework', 'Leads to a framework agreement'),
  boolean('is_dynamic_purchasing_system', 'isDynamicPurchasingSystem', 'Sets up a dynamic purchasing system'),
  boolean('is_suspended', 'isSuspended', 'A review body suspended the procedure'),
  boolean('is_deadline_unknown', 'isDeadlineUnknown', 'No deadline was published'),
  text('documents_url', 'documentsUrl', 'Where the procurement documents are'),
  text('submission_url', 'submissionUrl', 'Where tenders are handed in'),
  counted('lot_count', 'lots', 'Number of lots; they stand in tender_lot'),
  counted('source_count', 'originalSources', 'Number of notices that went into the record'),
  text('publisher', 'originalSources.-1.publisher', 'Portal of the newest notice'),
  text('publication_number', 'originalSources.-1.publicationNumber', 'Official Journal number of the newest notice'),
  text('source_url', 'originalSources.-1.url', 'Page of the newest notice'),
]

/** Columns of `tender_lot` besides its key (tender_id, position). */
export const lotColumns: readonly Column[] = [
  text('lot_id', 'lotId', 'Identifier of the lot within the tender'),
  text('status', 'status', 'planned, open, pending, awarded, cancelled; more may come'),
  text('title', 'title', 'Title of the lot'),
  text('description', 'description', 'Description of the lot'),
  text('tender_number', 'tenderNumber', "The authority's number of the lot"),
  text('contract_nature', 'contractNature', 'works, supplies, services'),
  text('main_cpv', 'cpvCodes.0', 'First CPV code of the lot'),
  codes('cpv_codes', 'cpvCodes', 'CPV codes of the lot, parted by a space'),
  codes('nuts_codes', 'nutsCodes', 'NUTS codes of the lot, parted by a space'),
  first('region', 'nutsCodes.0', 'realizedLocation.nuts', 'First NUTS code, else that of the place of performance'),
  text('realized_city', 'realizedLocation.city', 'Place of performance'),
  instant('submission_date', 'submissionDate', 'Submission deadline of the lot'),
  instant('participation_date', 'participationDate', 'Participation deadline of the lot'),
  number('contract_value', 'contractAmount.value', 'Value published for the lot'),
  text('contract_currency', 'contractAmount.currency', 'ISO 4217'),
  number('duration_value', 'duration.value', 'Duration in duration_unit'),
  text('duration_unit', 'duration.unit', 'Unit of the duration as published'),
  text('documents_url', 'documentsUrl', 'Where the procurement documents are'),
  text('submission_url', 'submissionUrl', 'Where tenders are handed in'),
  text('non_award_reason', 'nonAwardReason', 'Why no winner was chosen'),
  number('awarded_value', 'awardedAmount.value', 'Awarded value of the lot'),
  text('awarded_currency', 'awardedAmount.currency', 'ISO 4217'),
  {
    name: 'winners',
    type: 'text',
    from: `(select string_agg(winner ->> 'name', '; ' order by place)
      from jsonb_array_elements(r -> 'winners') with ordinality as list (winner, place))`,
    comment: 'Names of the winners, parted by a semicolon',
  },
  text('contract_date', 'contractDate', 'Date of the contract as published'),
  integer('received_tenders', 'receivedTenders', 'Number of tenders received'),
]

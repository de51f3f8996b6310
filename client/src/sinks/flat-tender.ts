// A tender record as rows of plain columns, the same in every table that a sink writes. What has no column of its own is in
// the full record, which every sink keeps beside the columns.
import type { TenderRecord } from '../types.ts'

/** `instant`: ISO 8601 UTC with milliseconds, as delivered. `integer` fits 32 bits. */
export type FlatType = 'text' | 'instant' | 'number' | 'integer' | 'boolean'
export type FlatValue = string | number | boolean | null

export type FlatColumn<T> = {
  /** snake_case, so that no database needs quotes. */
  readonly name: string
  readonly type: FlatType
  /** True: never null. */
  readonly isRequired?: boolean
  readonly of: (of: T) => FlatValue
}

export type Lot = TenderRecord['lots'][number]

const text = <T>(name: string, of: (from: T) => string | undefined): FlatColumn<T> => ({
  name,
  type: 'text',
  of: (from) => of(from) ?? null,
})
const required = <T>(name: string, of: (from: T) => string): FlatColumn<T> => ({
  name,
  type: 'text',
  isRequired: true,
  of,
})
const instant = <T>(name: string, of: (from: T) => string | undefined): FlatColumn<T> => ({
  ...text(name, of),
  type: 'instant',
})
const number = <T>(name: string, of: (from: T) => number | undefined): FlatColumn<T> => ({
  name,
  type: 'number',
  of: (from) => of(from) ?? null,
})
const integer = <T>(name: string, of: (from: T) => number | undefined): FlatColumn<T> => ({
  ...number(name, of),
  type: 'integer',
})
const boolean = <T>(name: string, of: (from: T) => boolean | undefined): FlatColumn<T> => ({
  name,
  type: 'boolean',
  of: (from) => of(from) ?? null,
})

/** Codes hold no spaces, so a space parts them: `45000000 71000000`. */
const codes = (list: readonly string[]): string => list.join(' ')

/** A value as a text; null is the empty text. */
export const textOf = (value: FlatValue): string => (value === null ? '' : String(value))

/** One row per tender. New columns are added at the end; a name never changes its meaning. */
export const tenderColumns: readonly FlatColumn<TenderRecord>[] = [
  required('id', (tender) => tender.id),
  { ...instant<TenderRecord>('last_modified', (tender) => tender.lastModified), isRequired: true },
  required('status', (tender) => tender.status),
  text('archive_reason', (tender) => tender.archiveReason),
  text('merged_into', (tender) => tender.mergedInto),
  required('title', (tender) => tender.title),
  text('description', (tender) => tender.description),
  text('language', (tender) => tender.language),
  text('tender_number', (tender) => tender.tenderNumber),
  text('procedure_id', (tender) => tender.procedureId),
  text('contracting_authority_name', (tender) => tender.contractingAuthority?.name),
  text('contracting_authority_id', (tender) => tender.contractingAuthority?.nationalId),
  text('contracting_authority_street', (tender) => tender.contractingAuthority?.street),
  text('contracting_authority_postal_code', (tender) => tender.contractingAuthority?.postalCode),
  text('contracting_authority_city', (tender) => tender.contractingAuthority?.city),
  text('contracting_authority_country', (tender) => tender.contractingAuthority?.country),
  text('contracting_authority_nuts_code', (tender) => tender.contractingAuthority?.nutsCode),
  text('contracting_authority_contact_name', (tender) => tender.contractingAuthority?.contactName),
  text('contracting_authority_email', (tender) => tender.contractingAuthority?.email),
  text('contracting_authority_phone', (tender) => tender.contractingAuthority?.phone),
  text('contracting_authority_url', (tender) => tender.contractingAuthority?.url),
  text('buyer_profile_url', (tender) => tender.buyerProfileUrl),
  instant('submission_date', (tender) => tender.submissionDate),
  instant('participation_date', (tender) => tender.participationDate),
  instant('publication_date', (tender) => tender.publicationDate),
  instant('first_publication_date', (tender) => tender.firstPublicationDate),
  number('contract_value', (tender) => tender.contractAmount?.value),
  text('contract_currency', (tender) => tender.contractAmount?.currency),
  boolean('contract_estimated', (tender) => tender.contractAmount?.estimated),
  number('awarded_value', (tender) => tender.awardedAmount?.value),
  text('awarded_currency', (tender) => tender.awardedAmount?.currency),
  text('contract_nature', (tender) => tender.contractNature),
  text('procedure_type', (tender) => tender.procedureType),
  text('procedure_type_national', (tender) => tender.procedureTypeNational),
  text('legal_basis', (tender) => tender.legalBasis),
  text('main_cpv', (tender) => tender.cpvCodes[0]),
  required('cpv_codes', (tender) => codes(tender.cpvCodes)),
  required('nuts_codes', (tender) => codes(tender.nutsCodes)),
  // The first region, else that of the place of performance, which no filter looks at.
  text('region', (tender) => tender.nutsCodes[0] ?? tender.realizedLocation?.nuts),
  text('realized_country', (tender) => tender.realizedLocation?.country ?? tender.contractingAuthority?.country),
  text('realized_postal_code', (tender) => tender.realizedLocation?.postalCode),
  text('realized_city', (tender) => tender.realizedLocation?.city),
  boolean('is_framework', (tender) => tender.isFramework),
  boolean('is_dynamic_purchasing_system', (tender) => tender.isDynamicPurchasingSystem),
  boolean('is_suspended', (tender) => tender.isSuspended),
  boolean('is_deadline_unknown', (tender) => tender.isDeadlineUnknown),
  text('documents_url', (tender) => tender.documentsUrl),
  text('submission_url', (tender) => tender.submissionUrl),
  integer('lot_count', (tender) => tender.lots.length),
  integer('source_count', (tender) => tender.originalSources.length),
  text('publisher', (tender) => tender.originalSources.at(-1)?.publisher),
  text('publication_number', (tender) => tender.originalSources.at(-1)?.publicationNumber),
  text('source_url', (tender) => tender.originalSources.at(-1)?.url),
]

/** One row per lot, to be joined by `tender_id`. */
export const lotColumns: readonly FlatColumn<{
  readonly tenderId: string
  readonly position: number
  readonly lot: Lot
}>[] = [
  required('tender_id', ({ tenderId }) => tenderId),
  { ...integer('position', ({ position }) => position), isRequired: true },
  required('lot_id', ({ lot }) => lot.lotId),
  required('status', ({ lot }) => lot.status),
  text('title', ({ lot }) => lot.title),
  text('description', ({ lot }) => lot.description),
  text('tender_number', ({ lot }) => lot.tenderNumber),
  text('contract_nature', ({ lot }) => lot.contractNature),
  text('main_cpv', ({ lot }) => lot.cpvCodes[0]),
  required('cpv_codes', ({ lot }) => codes(lot.cpvCodes)),
  required('nuts_codes', ({ lot }) => codes(lot.nutsCodes)),
  text('region', ({ lot }) => lot.nutsCodes[0] ?? lot.realizedLocation?.nuts),
  text('realized_city', ({ lot }) => lot.realizedLocation?.city),
  instant('submission_date', ({ lot }) => lot.submissionDate),
  instant('participation_date', ({ lot }) => lot.participationDate),
  number('contract_value', ({ lot }) => lot.contractAmount?.value),
  text('contract_currency', ({ lot }) => lot.contractAmount?.currency),
  number('duration_value', ({ lot }) => lot.duration?.value),
  text('duration_unit', ({ lot }) => lot.duration?.unit),
  text('documents_url', ({ lot }) => lot.documentsUrl),
  text('submission_url', ({ lot }) => lot.submissionUrl),
  text('non_award_reason', ({ lot }) => lot.nonAwardReason),
  number('awarded_value', ({ lot }) => lot.awardedAmount?.value),
  text('awarded_currency', ({ lot }) => lot.awardedAmount?.currency),
  text('winners', ({ lot }) => lot.winners?.map(({ name }) => name).join('; ')),
  text('contract_date', ({ lot }) => lot.contractDate),
  integer('received_tenders', ({ lot }) => lot.receivedTenders),
]

/** The lots of a tender with what their rows need. */
export const lotsOf = (tender: TenderRecord) =>
  tender.lots.map((lot, position) => ({ tenderId: tender.id, position, lot }))

/** A code and where it stands: `lotId` is empty for the tender's own. */
export type PlacedCode = { readonly lotId: string; readonly code: string }

function placed(own: readonly string[], lots: readonly Lot[], of: (lot: Lot) => readonly string[]): PlacedCode[] {
  const all = [
    ...own.map((code) => ({ lotId: '', code })),
    ...lots.flatMap((lot) => of(lot).map((code) => ({ lotId: lot.lotId, code }))),
  ]
  // A code may be repeated in a record; in a table with a key it stands once.
  return [...new Map(all.map((each) => [`${each.lotId} ${each.code}`, each])).values()]
}

/** CPV codes of the tender and of its lots, each once per place. */
export const cpvOf = (tender: TenderRecord) => placed(tender.cpvCodes, tender.lots, (lot) => lot.cpvCodes)

/** NUTS codes of the tender and of its lots, each once per place. */
export const nutsOf = (tender: TenderRecord) => placed(tender.nutsCodes, tender.lots, (lot) => lot.nutsCodes)

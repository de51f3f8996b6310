// The tender record (docs/fields.md): the one schema from which the API's contract, the client's types and the tests'
// checks are generated. Members that the specification names keep its names; the rest are ours.
import { type Static, type TSchema, Type } from 'typebox'
import { formats } from './notice.ts'

const instant = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description,
    examples: ['2026-12-04T11:00:00.000Z'],
  })
const amountSchema = Type.Object(
  {
    value: Type.Number({ description: 'Amount, excluding VAT.' }),
    currency: Type.String({ description: 'ISO 4217 currency code as published.', examples: ['EUR'] }),
  },
  { title: 'Amount', description: 'An amount of money, as published.' },
)
const money = (description: string) => ({ ...amountSchema, description })
const extensible = (values: readonly string[], description: string) =>
  Type.String({
    description: `${description} Known values: ${values.map((value) => `\`${value}\``).join(', ')}; further values may be added.`,
    'x-extensible-enum': [...values],
  })
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema)
const otherLanguage = (text: string) =>
  optional(
    Type.String({
      description: `ISO 639-1 code of the ${text}'s language, only if it is not the \`language\` of the record; \`und\` if it is unknown.`,
      examples: ['en'],
    }),
  )
const titleLanguage = otherLanguage('title')
const descriptionLanguage = otherLanguage('description')

/**
 * `planned` only announced so far; `open` tenders or requests can still be submitted (or no end is known);
 * `awardIntended` a direct award was announced beforehand; `closed` the deadline passed; `awarded`; `cancelled`;
 * `merged` another record holds this tender.
 */
const statuses = ['planned', 'open', 'awardIntended', 'closed', 'awarded', 'cancelled', 'merged'] as const
export type Status = (typeof statuses)[number]

const archiveReasons = ['expired', 'cancelled', 'awarded', 'merged'] as const
export type ArchiveReason = (typeof archiveReasons)[number]

const lotStatuses = ['planned', 'open', 'pending', 'awarded', 'cancelled'] as const
export type LotStatus = (typeof lotStatuses)[number]

export const realizedLocationSchema = Type.Object(
  {
    country: optional(Type.String({ description: 'ISO 3166-1 alpha-2 country code.', examples: ['DE'] })),
    nuts: optional(Type.String({ description: 'NUTS code as published.', examples: ['DE212'] })),
    postalCode: optional(Type.String()),
    city: optional(Type.String()),
  },
  {
    title: 'RealizedLocation',
    description:
      'Place of performance (BT-5101, BT-5071, BT-5141). Helps to assign a region when `nutsCodes` is empty; the `nuts` filter does not use it.',
  },
)

export const organizationSchema = Type.Object(
  {
    name: Type.String({ description: 'Name (BT-500).' }),
    nationalId: optional(Type.String({ description: 'National registration number (BT-501).' })),
    street: optional(Type.String()),
    city: optional(Type.String()),
    postalCode: optional(Type.String()),
    country: optional(Type.String({ description: 'ISO 3166-1 alpha-2 country code.' })),
    nutsCode: optional(
      Type.String({
        description:
          'NUTS code of the seat (BT-507). An authority that publishes none has that of its postal code and town.',
      }),
    ),
    contactName: optional(Type.String({ description: 'Contact point (BT-502).' })),
    email: optional(Type.String({ description: 'BT-506.' })),
    phone: optional(Type.String({ description: 'BT-503.' })),
    url: optional(Type.String({ description: 'Website (BT-505).' })),
    isNaturalPerson: optional(
      Type.Boolean({ description: 'The notice says that this is a natural person (BT-633); present only if true.' }),
    ),
  },
  { title: 'Organization', description: 'An organization with its contact, as published.' },
)

const durationSchema = Type.Object(
  {
    value: optional(Type.Number()),
    unit: optional(Type.String({ examples: ['MONTH'] })),
    start: optional(Type.String()),
    end: optional(Type.String()),
  },
  { title: 'Duration', description: 'Duration as published (BT-36, BT-536, BT-537).' },
)

export const lotSchema = Type.Object(
  {
    lotId: Type.String({ description: 'Identifier of the lot within the tender (BT-137).', examples: ['LOT-0001'] }),
    status: extensible(lotStatuses, 'Status of the lot. `pending`: the deadline passed, nothing decided yet.'),
    title: optional(
      Type.String({ description: 'BT-21-Lot, in the language of the record if it was published in it.' }),
    ),
    titleLanguage,
    description: optional(Type.String({ description: 'BT-24-Lot, as the title.' })),
    descriptionLanguage,
    tenderNumber: optional(Type.String({ description: "The authority's number of the lot (BT-22-Lot)." })),
    contractNature: optional(Type.String({ description: 'BT-23-Lot.' })),
    cpvCodes: Type.Array(Type.String({ pattern: '^\\d{8}$' }), {
      description: 'CPV codes of the lot, main code first (BT-262-Lot, BT-263-Lot).',
    }),
    nutsCodes: Type.Array(Type.String(), { description: 'BT-5071-Lot.' }),
    realizedLocation: optional(realizedLocationSchema),
    submissionDate: optional(instant('Submission deadline of the lot (BT-131).')),
    participationDate: optional(instant('Participation deadline of the lot (BT-1311).')),
    contractAmount: optional(money('Value published for the lot.')),
    documentsUrl: optional(Type.String({ description: 'Where the procurement documents can be found (BT-15).' })),
    submissionUrl: optional(Type.String({ description: 'Where to submit tenders (BT-18).' })),
    duration: optional(durationSchema),
    nonAwardReason: optional(Type.String({ description: 'Why no winner was chosen (BT-144 code).' })),
    awardedAmount: optional(money('Awarded value of the lot (BT-720).')),
    winners: optional(Type.Array(organizationSchema, { description: 'Winners of the lot.' })),
    contractDate: optional(Type.String({ description: 'Date of the contract as published (BT-145).' })),
    receivedTenders: optional(Type.Integer({ description: 'Number of tenders received (BT-759).' })),
  },
  { title: 'Lot', description: 'A part of the tender that can be awarded alone.' },
)

export const originalSourceSchema = Type.Object(
  {
    publisher: Type.String({ description: 'Portal that published this notice.', examples: ['ted', 'doe', 'doffin'] }),
    format: extensible(formats, 'Format in which it was read.'),
    noticeId: optional(Type.String({ description: 'BT-701, or the id of the release.' })),
    noticeVersion: optional(Type.String({ description: 'BT-757.' })),
    publicationNumber: optional(Type.String({ description: 'Official Journal number.', examples: ['123456-2026'] })),
    formType: Type.String({ description: 'BT-03: planning, competition, result …' }),
    noticeType: Type.String({ description: 'BT-02: cn-standard, can-standard …' }),
    publicationDate: optional(instant('When the notice was published.')),
    language: optional(Type.String()),
    url: optional(Type.String({ description: 'A page for people.' })),
  },
  { title: 'OriginalSource', description: 'One notice on one portal that went into this record.' },
)

const contractAmountSchema = Type.Object(
  {
    value: Type.Number({ description: 'Amount, excluding VAT.' }),
    currency: Type.String({ description: 'ISO 4217 currency code.', examples: ['EUR'] }),
    estimated: Type.Boolean({
      description: '`false`: published by the authority; `true`: estimated by the service.',
    }),
    low: optional(
      Type.Number({
        description: 'Estimates only: the value is between `low` and `high` in four of five cases.',
      }),
    ),
    high: optional(Type.Number({ description: 'Estimates only: see `low`.' })),
    confidence: optional(
      extensible(
        ['high', 'medium', 'low'],
        'Estimates only: `high` / `low` of the interval at most 8, 20 or 50; wider ones are not given.',
      ),
    ),
    basis: optional(
      Type.String({
        description:
          'Estimates only, for people: the words of the notice that state a value, or the similar tenders and the CPV code on which it is based.',
      }),
    ),
    modelVersion: optional(
      Type.String({
        description:
          'Estimates only: the model that made it. An estimate stays until its inputs change; a newer model alone changes nothing.',
      }),
    ),
  },
  { title: 'ContractAmount', description: 'The value of the contract, published or estimated.' },
)

/** The parts of a record that the contract names, so that generated clients have types for them. */
export const recordParts = [
  amountSchema,
  contractAmountSchema,
  durationSchema,
  lotSchema,
  organizationSchema,
  originalSourceSchema,
  realizedLocationSchema,
]

export const tenderRecordSchema = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'Fixed identifier of the tender; the key of your copy.',
      examples: ['0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31'],
    }),
    status: extensible(statuses, 'Status of the tender.'),
    archiveReason: optional(
      Type.Union(
        [Type.Literal('expired'), Type.Literal('cancelled'), Type.Literal('awarded'), Type.Literal('merged')],
        { description: 'Present on archived records only.' },
      ),
    ),
    mergedInto: optional(
      Type.String({
        format: 'uuid',
        description: 'ID of the surviving record; present exactly if archiveReason is `merged`.',
      }),
    ),
    lastModified: instant('When the service published the last change in content. Only increases.'),
    checkedAt: instant('When the sources of this record were last checked. Moves without `lastModified`.'),
    title: Type.String({ description: 'Title, in the language of the record if it was published in it (BT-21).' }),
    titleLanguage,
    displayTitle: optional(
      Type.String({
        description:
          'A title that was published in capitals, as people would write it, to be shown in its place. Only for such titles.',
      }),
    ),
    description: optional(
      Type.String({ description: 'BT-24, in the language of the record if it was published in it.' }),
    ),
    descriptionLanguage,
    language: optional(
      Type.String({
        description: "ISO 639-1 code of the record's texts: the notice's own language (BT-702).",
        examples: ['de'],
      }),
    ),
    translations: optional(
      Type.Record(
        Type.String(),
        Type.Object({ title: optional(Type.String()), description: optional(Type.String()) }),
        {
          description: 'Title and description in the other official languages, by ISO 639-1 code.',
        },
      ),
    ),
    tenderNumber: optional(Type.String({ description: "The authority's own number of the tender (BT-22)." })),
    procedureId: optional(
      Type.String({ description: 'Identifier that all notices of the procedure share (BT-04), or the OCID.' }),
    ),
    contractingAuthority: optional(organizationSchema),
    jointAuthorities: optional(
      Type.Array(organizationSchema, { description: 'Further buyers of a joint procurement.' }),
    ),
    buyerProfileUrl: optional(Type.String({ description: 'BT-508.' })),
    submissionDate: optional(
      instant(
        'Submission deadline: the latest among the lots (BT-131). Each lot has its own in `lots`. May be missing.',
      ),
    ),
    participationDate: optional(
      instant(
        'Deadline for requests to participate or expressions of interest: the latest among the lots (BT-1311, BT-630).',
      ),
    ),
    publicationDate: optional(
      instant('When the newest notice of this tender was published. `published_since` uses it.'),
    ),
    firstPublicationDate: optional(
      instant('When the oldest notice of this tender was published; missing if only results are known.'),
    ),
    contractAmount: Type.Union([contractAmountSchema, Type.Null()], {
      description: 'Contract value; null if there is neither a published nor an estimated one.',
    }),
    awardedAmount: optional(money('Total value of the contracts awarded (BT-161).')),
    contractNature: optional(Type.String({ description: 'BT-23: works, supplies, services.' })),
    procedureType: optional(Type.String({ description: 'eForms procedure type (BT-105).', examples: ['open'] })),
    procedureTypeNational: optional(
      Type.String({ description: 'National procedure code as published, where it is not an eForms one.' }),
    ),
    legalBasis: optional(Type.String({ description: 'BT-01.' })),
    cpvCodes: Type.Array(Type.String({ pattern: '^\\d{8}$' }), {
      description: 'CPV codes of the tender, main code first (BT-262, BT-263). Codes of lots are in `lots`.',
    }),
    nutsCodes: Type.Array(Type.String(), {
      description: 'Regions of performance of the tender and its lots (BT-5071). The `nuts` filter uses them.',
    }),
    realizedLocation: optional(realizedLocationSchema),
    isFramework: optional(Type.Boolean({ description: 'The tender leads to a framework agreement.' })),
    isDynamicPurchasingSystem: optional(
      Type.Boolean({ description: 'The tender sets up a dynamic purchasing system.' }),
    ),
    isQualificationSystem: optional(
      Type.Boolean({
        description:
          'A standing list of qualified suppliers and no call for tenders: it may be open for years, and procedures are run under it.',
      }),
    ),
    isSuspended: optional(
      Type.Boolean({ description: 'A review body suspended the procedure (BT-140 `susp-review`).' }),
    ),
    isDeadlineUnknown: optional(
      Type.Boolean({ description: 'No deadline was published; the record expires 90 days after publication.' }),
    ),
    timeZone: optional(
      Type.String({
        description:
          'IANA time zone of the authority, to show deadlines as people there read them. Absent where its country has ' +
          'several zones and its region is not known: show UTC and say so. All times of the record are UTC.',
        examples: ['Europe/Berlin'],
      }),
    ),
    documentsUrl: optional(Type.String({ description: 'Where the procurement documents can be found (BT-15).' })),
    submissionUrl: optional(Type.String({ description: 'Where to submit tenders (BT-18).' })),
    lots: Type.Array(lotSchema, {
      description: 'Lots, by lotId. Empty when the tender is not divided and nothing is known of a lot.',
    }),
    originalSources: Type.Array(originalSourceSchema, {
      description: 'The notices that went into this record, oldest first.',
    }),
  },
  {
    $id: 'TenderRecord',
    title: 'TenderRecord',
    description:
      'One tender, consolidated from all its notices. Unknown members are left out; further members may be added.',
  },
)

/** The record as it leaves the API. */
export type TenderRecord = Static<typeof tenderRecordSchema>
export type TenderLot = Static<typeof lotSchema>
export type TenderOrganization = Static<typeof organizationSchema>

/**
 * The record without the members that only publishing and serving add: what the stock stores, and what decides whether
 * the content changed.
 */
export type TenderContent = Omit<TenderRecord, 'lastModified' | 'checkedAt'>

/** Members that a release in OCDS (src/export/) leaves out, and why. */
export const leftOutOfOcds: { readonly [member in keyof TenderRecord]?: string } = {
  checkedAt: 'moves without a change',
  displayTitle: 'the title has the published form',
  tenderNumber: 'OCDS has no member for it',
  buyerProfileUrl: 'OCDS has no member for it',
  publicationDate: 'the documents have the dates of the notices',
  firstPublicationDate: 'the documents have the dates of the notices',
  isQualificationSystem: 'OCDS has no member for it',
  isSuspended: 'OCDS has no member for it',
  isDeadlineUnknown: 'says only that another member is missing',
  timeZone: 'OCDS has no member for it',
}

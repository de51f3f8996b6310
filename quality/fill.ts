// How often notices have each field, beside how often their documents have it by patterns over the raw text, which
// share nothing with the parsers.
import type { Notice, NoticeLot } from '../src/domain/notice.ts'
import { readNotices } from './corpus-notices.ts'

const filledFields = [
  'description',
  'deadline',
  'cpv',
  'value',
  'authority',
  'region',
  'documents',
  'submission',
  'duration',
  'winner',
] as const
export type FilledField = (typeof filledFields)[number]

/** Documents of one form type in one folder that have a field: read, in the text, and in the text but not read. */
type FieldCount = { readonly read: number; readonly written: number; readonly lost: readonly string[] }
export type FillRow = {
  readonly folder: string
  readonly formType: string
  readonly documents: number
  readonly fields: { readonly [field in FilledField]: FieldCount }
}

type Part = Notice | NoticeLot
const inAny = (notice: Notice, has: (part: Part) => unknown): boolean => [notice, ...notice.lots].some(has)
const inLots = (notice: Notice, has: (lot: NoticeLot) => unknown): boolean => notice.lots.some(has)

const isRead: { readonly [field in FilledField]: (notice: Notice) => boolean } = {
  description: (notice) => inAny(notice, ({ description }) => Object.keys(description ?? {}).length > 0),
  deadline: (notice) =>
    inAny(
      notice,
      (part) => part.submissionDate ?? part.participationDate ?? ('lotId' in part ? part.interestDate : undefined),
    ),
  cpv: (notice) => inAny(notice, ({ cpvCodes }) => cpvCodes.length > 0),
  value: (notice) =>
    inAny(
      notice,
      (part) => part.estimatedValue ?? part.frameworkMaximum ?? ('lotId' in part ? part.result : part)?.awardedValue,
    ),
  authority: (notice) => notice.contractingAuthorities.length > 0,
  region: (notice) => inAny(notice, ({ nutsCodes, place }) => nutsCodes.length > 0 || place?.nutsCode),
  documents: (notice) => inAny(notice, ({ documentsUrl }) => documentsUrl),
  submission: (notice) => inAny(notice, ({ submissionUrl }) => submissionUrl),
  duration: (notice) => inAny(notice, (part) => ('duration' in part ? part.duration : undefined)),
  winner: (notice) => inLots(notice, ({ result }) => (result?.winners ?? []).length > 0),
}

/** `<a>` … `</a>` with a pattern inside, whatever the prefixes are. */
const within = (element: string, pattern: string): string =>
  `<(?:\\w+:)?(?:${element})(?: [^>]*)?>(?:(?!</(?:\\w+:)?(?:${element})>)[\\s\\S])*?${pattern}`
const text = (elements: string): string => `<(?:\\w+:)?(?:${elements})\\b[^>]*>\\s*[^<\\s]`
/** An amount; 0, 0.01 and 1 are placeholders. */
const amount = (elements: string): string => `<(?:\\w+:)?(?:${elements})\\b[^>]*>\\s*(?!0*1?(?:[.,]0*1?)?\\s*<)\\d`

type Patterns = { readonly [field in FilledField]: RegExp | undefined }

const patterns: { readonly [shape in 'eforms' | 'ted-export' | 'ocds']: Patterns } = {
  eforms: {
    description: new RegExp(within('ProcurementProject', text('Description'))),
    deadline: new RegExp(
      within(
        'TenderSubmissionDeadlinePeriod|ParticipationRequestReceptionPeriod|InterestExpressionReceptionPeriod',
        text('EndDate'),
      ),
    ),
    cpv: new RegExp(text('ItemClassificationCode')),
    value: new RegExp(
      amount(
        'EstimatedOverallContractAmount|EstimatedOverallFrameworkContractsAmount|FrameworkMaximumAmount|MaximumValueAmount|TotalAmount|PayableAmount',
      ),
    ),
    authority: new RegExp(within('ContractingParty', text('ID|Name'))),
    region: new RegExp(within('RealizedLocation', text('CountrySubentityCode'))),
    documents: new RegExp(within('CallForTendersDocumentReference', text('URI'))),
    submission: new RegExp(within('TenderRecipientParty', text('EndpointID'))),
    duration: new RegExp(
      within('ProcurementProjectLot', within('PlannedPeriod', text('DurationMeasure|StartDate|EndDate'))),
    ),
    winner: new RegExp(within('TenderingParty', within('Tenderer', text('ID')))),
  },
  'ted-export': {
    description: new RegExp(within('SHORT_DESCR|SHORT_CONTRACT_DESCRIPTION|TOTAL_QUANTITY_OR_SCOPE', '>\\s*[^<\\s]')),
    deadline: new RegExp(text('DATE_RECEIPT_TENDERS|DT_DATE_FOR_SUBMISSION')),
    cpv: /<CPV_CODE CODE="\d{8}|<ORIGINAL_CPV CODE="\d{8}/,
    value: new RegExp(amount('VAL_ESTIMATED_TOTAL|VAL_TOTAL|VAL_OBJECT|VALUE|VALUE_COST')),
    authority: new RegExp(text('OFFICIALNAME|AA_NAME')),
    region: new RegExp(
      within('OBJECT_DESCR|LOCATION_NUTS|NOTICE_DATA', '<(?:\\w+:)?(?:PERFORMANCE_NUTS|NUTS) CODE="[A-Z]{2}'),
    ),
    documents: new RegExp(text('URL_DOCUMENT')),
    submission: new RegExp(text('URL_PARTICIPATION')),
    duration: new RegExp(within('OBJECT_DESCR', text('DURATION|DATE_START|DATE_END'))),
    winner: new RegExp(within('CONTRACTOR|ECONOMIC_OPERATOR_NAME_ADDRESS', text('OFFICIALNAME|ORGANISATION'))),
  },
  ocds: {
    description: undefined,
    deadline: /"tenderPeriod"\s*:\s*\{[^}]*"endDate"\s*:\s*"\d/,
    cpv: /"scheme"\s*:\s*"CPV"[^}]*"id"\s*:\s*"\d{8}|"id"\s*:\s*"\d{8}[^}]*"scheme"\s*:\s*"CPV"/,
    value: /"value"\s*:\s*\{[^}]*"amount"\s*:\s*(?!0*1?(?:\.0*1?)?[,}\s])\d/,
    authority: /"buyer"\s*:\s*\{[^}]*"name"\s*:\s*"[^"]/,
    region: undefined,
    documents: undefined,
    submission: undefined,
    duration: undefined,
    winner: /"suppliers"\s*:\s*\[\s*\{/,
  },
}

function patternsOf(document: string): Patterns {
  if (document.includes('<TED_EXPORT')) return patterns['ted-export']
  return document.trimStart().startsWith('<') ? patterns.eforms : patterns.ocds
}

type Count = { read: number; written: number; lost: string[] }

/** Documents with one notice, by folder and form type. Empty without a corpus. */
export async function countFill(corpus: string): Promise<FillRow[]> {
  const rows = new Map<
    string,
    { folder: string; formType: string; documents: number; fields: Record<FilledField, Count> }
  >()
  for await (const { file, bytes, notices } of readNotices(corpus)) {
    const notice = notices[0]
    if (notice === undefined || notices.length > 1) continue
    const folder = file.slice(0, file.indexOf('/'))
    const key = `${folder} ${notice.formType}`
    const row = rows.get(key) ?? { folder, formType: notice.formType, documents: 0, fields: noCounts() }
    rows.set(key, row)
    row.documents++
    const document = Buffer.from(bytes)
      .toString('utf8')
      .replace(/<!--[\s\S]*?-->/g, '')
    const found = patternsOf(document)
    for (const field of filledFields) {
      const count = row.fields[field]
      const has = isRead[field](notice)
      const isWritten = found[field]?.test(document) ?? false
      if (has) count.read++
      if (isWritten) count.written++
      if (isWritten && !has) count.lost.push(file)
    }
  }
  return [...rows.values()].sort((a, b) => b.documents - a.documents)
}

const noCounts = (): Record<FilledField, Count> =>
  Object.fromEntries(
    filledFields.map((field) => [field, { read: 0, written: 0, lost: [] as string[] }]),
  ) as unknown as Record<FilledField, Count>

const percent = (part: number, all: number): string => (all === 0 ? '–' : Math.round((100 * part) / all).toString())

/** Read and written, in percent of the documents. */
export function fillAsMarkdown(rows: readonly FillRow[]): string {
  const cell = ({ read, written }: FieldCount, documents: number) =>
    `${percent(read, documents)} / ${percent(written, documents)}`
  return [
    '',
    'Documents with one notice that have a field, in percent: as read / by patterns over the raw text. Patterns of OCDS',
    'know some fields only.',
    '',
    `| Documents | Form type | Number | ${filledFields.join(' | ')} |`,
    `|---|---|--:|${'--:|'.repeat(filledFields.length)}`,
    ...rows.map(
      ({ folder, formType, documents, fields }) =>
        `| ${folder} | ${formType} | ${documents} | ${filledFields.map((field) => cell(fields[field], documents)).join(' | ')} |`,
    ),
  ].join('\n')
}

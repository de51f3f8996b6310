// A record as a compiled release of OCDS 1.1, valid under the standard's schema: its parties, tender, lots, documents,
// awards and contracts. Pure. Data for which OCDS has no member, or that it forbids in this form, is left out
// (docs/open-data.md).
import type { TenderLot, TenderRecord } from '../domain/tender.ts'
import { decisionsOf, hasFailed } from './ocds-decisions.ts'
import { Parties, type Reference } from './ocds-parties.ts'
import { amountOf, compact, dateTimeOf, type Json, uriOf } from './ocds-values.ts'

/** Undefined for a record that was merged into another one: its contracting process has the OCID of that one. */
export function ocdsRelease(record: TenderRecord, ocidPrefix: string): Json | undefined {
  if (record.mergedInto !== undefined) return undefined
  const { contractingAuthority, jointAuthorities = [] } = record
  const parties = new Parties([
    ...(contractingAuthority ? [contractingAuthority] : []),
    ...jointAuthorities,
    ...record.lots.flatMap(({ winners = [] }) => winners),
  ])
  const buyer = contractingAuthority && parties.refer(contractingAuthority, 'buyer', 'procuringEntity')
  for (const joint of jointAuthorities) parties.refer(joint, 'buyer')
  const decided = decisionsOf(record, parties)
  return compact({
    ocid: `${ocidPrefix}-${record.id}`,
    id: `${record.id}-${Date.parse(record.lastModified)}`,
    date: record.lastModified,
    tag: ['compiled'],
    initiationType: 'tender',
    language: record.language,
    parties: parties.list(),
    buyer,
    tender: tenderOf(record, buyer),
    bids: compact({ statistics: bidStatisticsOf(record) }),
    awards: decided.awards,
    contracts: decided.contracts,
  })
}

// the call

const tenderStatus = (record: TenderRecord): string =>
  ({
    planned: 'planned',
    open: 'active',
    awardIntended: 'active',
    closed: record.archiveReason === undefined ? 'active' : 'complete',
    awarded: 'complete',
    cancelled: 'cancelled',
  })[record.status] ?? 'active'

const methods: { readonly [procedureType: string]: string } = {
  open: 'open',
  restricted: 'selective',
  'neg-w-call': 'selective',
  'comp-dial': 'selective',
  'comp-tend': 'selective',
  innovation: 'selective',
  'exp-int-rail': 'selective',
  'neg-wo-call': 'limited',
}
const categories: { readonly [nature: string]: string } = { works: 'works', supplies: 'goods', services: 'services' }

function tenderOf(record: TenderRecord, buyer: Reference | undefined): Json {
  const { contractAmount } = record
  const start = startOf(record)
  const hasTechnique = record.isFramework === true || record.isDynamicPurchasingSystem === true
  return compact({
    id: record.procedureId || record.id,
    title: record.title,
    description: record.description,
    ...translated(record, record.language, record.translations),
    status: tenderStatus(record),
    statusDetails: record.status,
    procuringEntity: buyer,
    // a value that the service estimated was not published
    value: contractAmount?.estimated === false ? amountOf(contractAmount) : undefined,
    procurementMethod: methods[record.procedureType ?? ''],
    procurementMethodDetails: record.procedureType ?? record.procedureTypeNational,
    mainProcurementCategory: categories[record.contractNature ?? ''],
    techniques: hasTechnique
      ? compact({
          hasFrameworkAgreement: record.isFramework,
          hasDynamicPurchasingSystem: record.isDynamicPurchasingSystem,
        })
      : undefined,
    submissionMethodDetails: record.submissionUrl,
    tenderPeriod: periodUntil(record, start),
    legalBasis: legalBasisOf(record.legalBasis),
    items: itemsOf(record),
    lots: record.lots.map((lot) => lotOf(lot, record.language, start)),
    documents: documentsOf(record),
  })
}

/** When the call was published: the oldest notice that invites offers. */
const startOf = ({ originalSources }: TenderRecord): string | undefined =>
  originalSources
    .flatMap(({ formType, publicationDate }) => (formType === 'competition' ? (publicationDate ?? []) : []))
    .sort()[0]

/** Up to the deadline that a bidder meets; a call that was published after it tells no start. */
function periodUntil(
  { submissionDate, participationDate }: Pick<TenderLot, 'submissionDate' | 'participationDate'>,
  start: string | undefined,
): Json {
  const endDate = submissionDate ?? participationDate
  const isBefore = start !== undefined && (endDate === undefined || Date.parse(start) <= Date.parse(endDate))
  return compact({ startDate: isBefore ? start : undefined, endDate })
}

/** BT-01: the number of an act of the EU, or a code of the list of legal bases. */
function legalBasisOf(code: string | undefined): Json | undefined {
  if (code === undefined || code === '') return undefined
  return { scheme: /^\d{5}[A-Z]{1,2}\d{4}$/.test(code) ? 'CELEX' : 'legal-basis', id: code }
}

/** How many tenders were received, for each lot that says so. */
const bidStatisticsOf = ({ lots }: TenderRecord): readonly Json[] =>
  lots
    .filter(({ receivedTenders }) => receivedTenders !== undefined)
    .map((lot) =>
      compact({
        id: `bids-${lot.lotId}`,
        measure: 'bids',
        value: lot.receivedTenders,
        relatedLot: lot.lotId,
      }),
    )

type Shown = Pick<TenderLot, 'title' | 'titleLanguage' | 'description' | 'descriptionLanguage'>

/** `title_fr`, `description_fr`: of the translations, and of texts that are in another language than the record. */
function translated(
  shown: Shown,
  language: string | undefined,
  translations: NonNullable<TenderRecord['translations']> = {},
): Json {
  const members: { [member: string]: string } = {}
  const add = (member: 'title' | 'description', code: string | undefined, text: string | undefined) => {
    if (code !== undefined && code !== language && /^[a-z]{2}$/.test(code) && text !== undefined)
      members[`${member}_${code}`] = text
  }
  add('title', shown.titleLanguage, shown.title)
  add('description', shown.descriptionLanguage, shown.description)
  for (const [code, { title, description }] of Object.entries(translations)) {
    add('title', code, title)
    add('description', code, description)
  }
  return members
}

function itemsOf(record: TenderRecord): readonly Json[] {
  const places = placesOf(record.nutsCodes, record.realizedLocation)
  return [
    ...itemOf('tender', record.cpvCodes, places),
    ...record.lots.flatMap((lot) =>
      itemOf(`lot-${lot.lotId}`, lot.cpvCodes, placesOf(lot.nutsCodes, lot.realizedLocation), lot.lotId),
    ),
  ]
}

function itemOf(id: string, codes: readonly string[], places: readonly Json[], relatedLot?: string): readonly Json[] {
  const [main, ...more] = [...new Set(codes)].map((code) => ({ scheme: 'CPV', id: code }))
  if (main === undefined && places.length === 0) return []
  return [compact({ id, relatedLot, classification: main, additionalClassifications: more, deliveryAddresses: places })]
}

/** The place of performance, and a region for each code that it does not name. */
function placesOf(nutsCodes: readonly string[], location: TenderRecord['realizedLocation']): readonly Json[] {
  const place = compact({
    locality: location?.city,
    region: location?.nuts,
    postalCode: location?.postalCode,
    countryName: location?.country,
  })
  const others = nutsCodes.filter((code) => code !== location?.nuts).map((region) => ({ region }))
  return Object.keys(place).length === 0 ? others : [place, ...others]
}

function lotOf(lot: TenderLot, language: TenderRecord['language'], start: string | undefined): Json {
  const status = { planned: 'planned', open: 'active', pending: 'active', awarded: 'complete' }[lot.status]
  return compact({
    id: lot.lotId,
    title: lot.title,
    description: lot.description,
    ...translated(lot, language),
    status: status ?? (hasFailed(lot) ? 'unsuccessful' : 'cancelled'),
    statusDetails: lot.nonAwardReason,
    value: amountOf(lot.contractAmount),
    tenderPeriod: (lot.submissionDate ?? lot.participationDate) ? periodUntil(lot, start) : undefined,
    contractPeriod: periodOf(lot.duration),
  })
}

const daysIn: { readonly [unit: string]: number } = { DAY: 1, WEEK: 7, MONTH: 30, YEAR: 365 }

function periodOf(duration: TenderLot['duration']): Json {
  const days = duration?.value === undefined ? Number.NaN : duration.value * (daysIn[duration.unit ?? ''] ?? Number.NaN)
  return compact({
    startDate: dateTimeOf(duration?.start),
    endDate: dateTimeOf(duration?.end),
    durationInDays: Number.isFinite(days) ? Math.round(days) : undefined,
  })
}

// documents

const noticeTypes: { readonly [formType: string]: string } = {
  planning: 'plannedProcurementNotice',
  competition: 'tenderNotice',
  'dir-awa-pre': 'awardNotice',
  result: 'awardNotice',
  'cont-modif': 'contractNotice',
}

function documentsOf(record: TenderRecord): readonly Json[] {
  const own = uriOf(record.documentsUrl)
  return [
    ...(own === undefined ? [] : [{ id: 'documents', documentType: 'biddingDocuments', url: own }]),
    ...record.lots.flatMap(({ lotId, documentsUrl }) => {
      const url = uriOf(documentsUrl)
      if (url === undefined || url === own) return []
      return [{ id: `documents-${lotId}`, documentType: 'biddingDocuments', url, relatedLots: [lotId] }]
    }),
    ...record.originalSources.map((source, index) =>
      compact({
        id: `notice-${index + 1}`,
        documentType: noticeTypes[source.formType],
        title: [source.publisher, source.publicationNumber ?? source.noticeId].filter(Boolean).join(' '),
        description: source.noticeType,
        url: uriOf(source.url),
        datePublished: source.publicationDate,
        language: source.language,
      }),
    ),
  ]
}

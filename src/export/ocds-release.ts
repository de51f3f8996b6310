// A record as a compiled release of OCDS 1.1, valid under the standard's schema: its parties, tender, lots, documents,
// awards and contracts. Pure. Data for which OCDS has no member, or that it forbids in this form, is left out
// (docs/open-data.md).
import { hash } from 'node:crypto'
import type { TenderLot, TenderOrganization, TenderRecord } from '../domain/tender.ts'
import { currenciesOfOcds } from './ocds-currencies.ts'

type Json = { readonly [member: string]: unknown }

/** Undefined for a record that was merged into another one: its contracting process has the OCID of that one. */
export function ocdsRelease(record: TenderRecord, ocidPrefix: string): Json | undefined {
  if (record.mergedInto !== undefined) return undefined
  const parties = new Parties()
  const buyer = record.contractingAuthority && parties.refer(record.contractingAuthority, 'buyer', 'procuringEntity')
  for (const joint of record.jointAuthorities ?? []) parties.refer(joint, 'buyer')
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
    awards: decided.awards,
    contracts: decided.contracts,
  })
}

// parties

type Role = 'buyer' | 'procuringEntity' | 'supplier'
type Reference = { readonly id: string; readonly name: string }

/** The organizations of a release, each once, with their roles. */
class Parties {
  readonly #byId = new Map<string, { readonly organization: TenderOrganization; readonly roles: Set<Role> }>()

  refer(organization: TenderOrganization, ...roles: readonly Role[]): Reference | undefined {
    if (organization.name === '') return undefined
    const id = partyId(organization)
    const known = this.#byId.get(id) ?? { organization, roles: new Set<Role>() }
    for (const role of roles) known.roles.add(role)
    this.#byId.set(id, known)
    return { id, name: known.organization.name }
  }

  list(): readonly Json[] {
    return [...this.#byId].map(([id, { organization, roles }]) => partyOf(id, organization, [...roles]))
  }
}

/** The same ID in every release: from the national number, else from name and place. */
function partyId({ name, nationalId, country, city }: TenderOrganization): string {
  if (nationalId !== undefined && nationalId !== '') return `${country ?? 'XX'}-${nationalId}`
  const key = JSON.stringify([name.toLowerCase().replaceAll(/\s+/g, ' ').trim(), city?.toLowerCase(), country])
  return `name-${hash('sha256', key, 'hex').slice(0, 16)}`
}

const partyOf = (id: string, organization: TenderOrganization, roles: readonly Role[]): Json =>
  compact({
    id,
    name: organization.name,
    identifier: organization.nationalId && compact({ id: organization.nationalId, legalName: organization.name }),
    address: compact({
      streetAddress: organization.street,
      locality: organization.city,
      region: organization.nutsCode,
      postalCode: organization.postalCode,
      countryName: organization.country,
    }),
    contactPoint: compact({
      name: organization.contactName,
      email: organization.email,
      telephone: organization.phone,
      url: uriOf(organization.url),
    }),
    roles,
  })

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
    tenderPeriod: compact({ endDate: record.submissionDate ?? record.participationDate }),
    items: itemsOf(record),
    lots: record.lots.map((lot) => lotOf(lot, record.language)),
    documents: documentsOf(record),
  })
}

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

const failed = new Set(['all-rej', 'no-rece', 'one-admis'])

function lotOf(lot: TenderLot, language: TenderRecord['language']): Json {
  const status = { planned: 'planned', open: 'active', pending: 'active', awarded: 'complete' }[lot.status]
  return compact({
    id: lot.lotId,
    title: lot.title,
    description: lot.description,
    ...translated(lot, language),
    status: status ?? (failed.has(lot.nonAwardReason ?? '') ? 'unsuccessful' : 'cancelled'),
    statusDetails: lot.nonAwardReason,
    value: amountOf(lot.contractAmount),
    tenderPeriod: compact({ endDate: lot.submissionDate ?? lot.participationDate }),
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

// what was decided

function decisionsOf(record: TenderRecord, parties: Parties): { awards: readonly Json[]; contracts: readonly Json[] } {
  const lots = record.lots.filter(
    ({ status, winners, awardedAmount }) => status === 'awarded' || winners?.length || awardedAmount,
  )
  const awards = lots.map((lot) =>
    compact({
      id: `award-${lot.lotId}`,
      title: lot.title,
      status: 'active',
      value: amountOf(lot.awardedAmount),
      suppliers: suppliersOf(lot, parties),
      relatedLots: [lot.lotId],
    }),
  )
  const contracts = lots.flatMap((lot) => {
    const dateSigned = dateTimeOf(lot.contractDate)
    if (dateSigned === undefined) return []
    const id = `award-${lot.lotId}`
    return [compact({ id: `contract-${lot.lotId}`, awardID: id, value: amountOf(lot.awardedAmount), dateSigned })]
  })
  // a total of several awards does not belong to any one of them
  const total = amountOf(record.awardedAmount)
  if (total === undefined || awards.length > 1) return { awards, contracts }
  const [award = { id: 'award', status: 'active' }] = awards
  return { awards: [{ value: total, ...award }], contracts }
}

function suppliersOf({ winners = [] }: TenderLot, parties: Parties): readonly Reference[] {
  const suppliers = winners.flatMap((winner) => parties.refer(winner, 'supplier') ?? [])
  return [...new Map(suppliers.map((supplier) => [supplier.id, supplier])).values()]
}

// values

/** The list of currencies is closed: an amount in another one would be read as one without a currency. */
function amountOf(amount: { readonly value: number; readonly currency: string } | undefined): Json | undefined {
  if (amount === undefined || !Number.isFinite(amount.value) || !currenciesOfOcds.has(amount.currency)) return undefined
  return { amount: amount.value, currency: amount.currency }
}

/** A day, with or without a zone, as its first instant; undefined when it is not a time. */
function dateTimeOf(text: string | undefined): string | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(text ?? '')
  if (!parts) return undefined
  const [, day, time = 'T00:00:00', zone = 'Z'] = parts
  // Date.parse reads 30 February as 2 March
  const isDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day!) === true
  const written = `${day}${time}${zone}`
  return isDay && !Number.isNaN(Date.parse(written)) ? written : undefined
}

/** As RFC 3986 writes it; undefined for a text that is not an address. */
function uriOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const address = URL.parse(/^www\./i.test(text) ? `http://${text}` : text)
  if (address === null || !/^(?:https?|ftp|mailto):$/.test(address.protocol)) return undefined
  const [before, ...after] = address.href
    .replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25')
    .replaceAll(/[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]/gu, encodeURIComponent)
    .split('#')
  return after.length === 0 ? before : `${before}#${after.join('%23')}`
}

/** Removes empty members: undefined, an empty text, list or object. */
function compact(json: Json): Json {
  const isEmpty = (value: unknown): boolean =>
    value === undefined ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return Object.fromEntries(Object.entries(json).filter(([, value]) => !isEmpty(value)))
}

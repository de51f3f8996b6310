// One OCDS release (or compiled release) to a notice. OCDS 1.1, tolerant of 1.0 and of what publishers make of both.
import { toLanguage } from '../../domain/codes.ts'
import { toCpvCode } from '../../domain/cpv.ts'
import type {
  FormType,
  LackedBy,
  LotResult,
  Money,
  MultilingualText,
  Notice,
  NoticeLot,
  NoticeReference,
  Place,
  Rejection,
} from '../../domain/notice.ts'
import { type Instant, parseSourceDateTime, zoneOf } from '../../domain/time.ts'
import { compact, type EveryMember } from '../compact.ts'
import { pageOfDoe } from '../read-values.ts'
import { cleanField, cleanLine, cleanText, cleanUrl, descriptionLimit, titleLimit } from '../text.ts'
import { contractNatureOf, countryOf, formTypeOfTags, procedureTypeOf, regionCode, statusOf } from './codes.ts'
import { asObject, type JsonObject, member, numberAt, objectsOf, textAt, textsAt } from './json.ts'
import { buyersOf, readParties, rolesOf } from './parties.ts'
import { ocidOf, processOf, publisherOf } from './publishers.ts'
import { dayOf, gregorian, moneyAt, readResults } from './read-results.ts'

/** Id of the lot that carries the result of a tender without lots. */
const onlyLotId = '1'

export type ReleaseContext = {
  /** The record's ocid, for a compiled release that lacks it. */
  readonly ocid?: string
  readonly isCompiled: boolean
  /** publishedDate of the package, where the release has no date. */
  readonly publishedDate?: string
  readonly version?: string
  /** ISO 3166-1 alpha-2: where the portal is that delivered the release. */
  readonly country?: string
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const versionedUuid = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:-(\d{1,3}))?$/

/** Language codes that publishers write and ISO 639 does not know: Moldova's `md` is Romanian. */
function languageOf(text: string | undefined): string {
  const language = toLanguage(text)
  return language === undefined ? 'und' : language === 'md' ? 'ro' : language
}

/** `title` in the release's language and its translations (`title_fr`). */
function textsOf(
  object: JsonObject | undefined,
  name: string,
  language: string,
  clean: (text: string) => string | undefined,
): MultilingualText | undefined {
  if (!object) return undefined
  const texts: Record<string, string> = {}
  const own = clean(textAt(object, name) ?? '')
  if (own !== undefined) texts[language] = own
  for (const key of Object.keys(object)) {
    if (!key.startsWith(`${name}_`)) continue
    const other = toLanguage(key.slice(name.length + 1))
    const text = other === undefined ? undefined : clean(textAt(object, key) ?? '')
    if (other !== undefined && text !== undefined && texts[other] === undefined) texts[other] = text
  }
  return Object.keys(texts).length > 0 ? texts : undefined
}

const cleanTitle = (text: string) => cleanLine(text, titleLimit)
const cleanDescription = (text: string) => cleanText(text, descriptionLimit)

/**
 * The vocabulary under its names; Ukraine's ДК 021:2015 is CPV word for word. CPVS is the supplementary vocabulary, and
 * UNSPSC and national lists have codes of the same look.
 */
const cpvSchemes = /^(?:CPV(?:[\s_-]?20\d\d)?|(?:ДК|DK)\s?021(?::2015)?)$/i

function cpvOf(...classifications: readonly (JsonObject | undefined)[]): string[] {
  return classifications.flatMap((classification) => {
    if (!cpvSchemes.test(textAt(classification, 'scheme')?.trim() ?? '')) return []
    const code = toCpvCode(textAt(classification, 'id') ?? '')
    return code === undefined ? [] : [code]
  })
}

const codesOfItem = (item: JsonObject): string[] =>
  cpvOf(asObject(member(item, 'classification')), ...objectsOf(item, 'additionalClassifications'))

function addressesOf(item: JsonObject): JsonObject[] {
  return [...objectsOf(item, 'deliveryAddress'), ...objectsOf(item, 'deliveryAddresses')]
}

function nutsOfItem(item: JsonObject): string[] {
  const gazetteer = member(item, 'deliveryLocation', 'gazetteer')
  const listed = textAt(gazetteer, 'scheme')?.toUpperCase() === 'NUTS' ? textsAt(gazetteer, 'identifiers') : []
  return [...addressesOf(item).map((address) => textAt(address, 'region')), ...listed]
    .map(regionCode)
    .filter((code) => code !== undefined)
}

function placeOf(addresses: readonly JsonObject[]): Place | undefined {
  for (const address of addresses) {
    const nutsCode = regionCode(textAt(address, 'region'))
    const region = cleanField(textAt(address, 'region'), 100)
    const place = compact<Place>({
      country:
        countryOf(textAt(address, 'countryName')) ??
        countryOf(textAt(address, 'country')) ??
        countryOf(nutsCode?.slice(0, 2)),
      nutsCode,
      postalCode: cleanField(textAt(address, 'postalCode'), 100),
      city: cleanField(textAt(address, 'locality'), 200) ?? (nutsCode === undefined ? region : undefined),
    })
    if (Object.keys(place).length > 0) return place
  }
  return undefined
}

function durationOf(period: unknown, zone: string): NoticeLot['duration'] {
  const days = numberAt(period, 'durationInDays')
  const start = dayOf(textAt(period, 'startDate'), zone)
  const end = dayOf(textAt(period, 'endDate'), zone)
  const value = days !== undefined && days > 0 && days < 100_000 ? days : undefined
  if (value === undefined && start === undefined && end === undefined) return undefined
  return compact<NonNullable<NoticeLot['duration']>>({
    value,
    unit: value === undefined ? undefined : 'DAY',
    start,
    end,
  })
}

/** How long the only contract lasts, else what the call says of it; of several contracts it is not known which. */
function durationOfWhole(release: JsonObject, zone: string): NoticeLot['duration'] {
  const [contract, ...otherContracts] = objectsOf(release, 'contracts')
  const [award, ...otherAwards] = objectsOf(release, 'awards')
  return (
    (otherContracts.length === 0 ? durationOf(member(contract, 'period'), zone) : undefined) ??
    (otherAwards.length === 0 ? durationOf(member(award, 'contractPeriod'), zone) : undefined) ??
    durationOf(member(release, 'tender', 'contractPeriod'), zone)
  )
}

/** The detached signature of another document says nothing to a reader. */
const isSignature = (document: JsonObject): boolean =>
  /pkcs7-signature/i.test(textAt(document, 'format') ?? '') || /\.p7s$/i.test(textAt(document, 'title') ?? '')

const noticeDocument = /notice$/i
const biddingDocument = /^(?:biddingDocuments|tenderNotice.*documents|technicalSpecifications|clarifications)$/

/** Where the documents are: bidding documents before any other, the notice's own page last. */
function documentsUrlOf(documents: readonly JsonObject[]): string | undefined {
  const rank = (document: JsonObject) => {
    const type = textAt(document, 'documentType') ?? ''
    return biddingDocument.test(type) ? 0 : noticeDocument.test(type) ? 2 : 1
  }
  const readable = documents.filter((document) => !isSignature(document))
  for (const wanted of [0, 1, 2]) {
    for (const document of readable) {
      const url = rank(document) === wanted ? cleanUrl(textAt(document, 'url')) : undefined
      if (url !== undefined) return url
    }
  }
  return undefined
}

/** The first web address in a text about how to hand in tenders. */
function urlIn(text: string | undefined): string | undefined {
  const found = /https?:\/\/[^\s<>"']+/i.exec(text ?? '')?.[0]
  return cleanUrl(found?.replace(/[.,;)\]]+$/, ''))
}

/** A number of the Official Journal; `2021/S 000-…` is Find a Tender's own series under the same look. */
function publicationNumberOf(text: string | undefined): string | undefined {
  const journal = /^\s*(\d{4})\/S\s*(\d{1,3})\s*-\s*0*([1-9]\d{0,8})\s*$/.exec(text ?? '')
  if (journal) return Number(journal[2]) === 0 ? undefined : `${journal[3]}-${journal[1]}`
  const plain = /^\s*0*([1-9]\d{0,8})-((?:19|20)\d{2})\s*$/.exec(text ?? '')
  return plain ? `${plain[1]}-${plain[2]}` : undefined
}

function referencesOf(release: JsonObject, noticeId: string | undefined): NoticeReference[] {
  const references: NoticeReference[] = []
  for (const holder of [
    member(release, 'tender'),
    ...objectsOf(release, 'awards'),
    ...objectsOf(release, 'contracts'),
  ]) {
    for (const amendment of objectsOf(holder, 'amendments')) {
      const changed = versionedUuid.exec(textAt(amendment, 'amendsReleaseID')?.trim().toLowerCase() ?? '')
      if (!changed || (changed[1] === noticeId && changed[2] === undefined)) continue
      references.push(
        compact<NoticeReference>({
          kind: 'changes',
          noticeId: changed[1]!,
          noticeVersion: changed[2]?.padStart(2, '0'),
        }),
      )
    }
  }
  for (const related of objectsOf(release, 'relatedProcesses')) {
    const relationships = textsAt(related, 'relationship')
    const identifier = textAt(related, 'identifier') ?? textAt(related, 'id')
    // Numbers without the year-first form are Official Journal numbers in DÖE only; elsewhere the scheme must say so.
    const isJournal = /^EU-OJ$|^ocid$/i.test(textAt(related, 'scheme') ?? '') || /\/S\s/.test(identifier ?? '')
    const publicationNumber = isJournal ? publicationNumberOf(identifier) : undefined
    if (publicationNumber === undefined) continue
    if (relationships.includes('planning')) references.push({ kind: 'planning', publicationNumber })
    else if (relationships.includes('prior')) references.push({ kind: 'previous', publicationNumber })
  }
  const seen = new Set<string>()
  return references.filter((reference) => {
    const key = JSON.stringify(reference)
    return !seen.has(key) && seen.add(key)
  })
}

/**
 * OCDS: awarded to a single supplier without competition. Publishers that invite offers under this method name a
 * deadline.
 */
const isDirect = (tender: JsonObject | undefined, hasDeadline: boolean): boolean =>
  !hasDeadline && textAt(tender, 'procurementMethod')?.trim().toLowerCase() === 'direct'

/** Tenders are no longer received, according to the status or to the publisher's own texts. */
function isClosed(tender: JsonObject | undefined): boolean {
  const status = statusOf(textAt(tender, 'status'))
  const details = statusOf(textAt(tender, 'statusDetails'))
  return [status, status === 'active' || status === undefined ? details : undefined].some(
    (each) => each === 'complete' || each === 'evaluation',
  )
}

/**
 * An award is in force and names its supplier, and no lot is open: a result, even if the publisher tags each of its
 * releases as a call. A status that ends the procedure counts more.
 */
function isAwarded(release: JsonObject): boolean {
  const tender = member(release, 'tender')
  const isEnded = (status: string | undefined): boolean => status === 'cancelled' || status === 'unsuccessful'
  const status = statusOf(textAt(tender, 'status'))
  if (status === 'active' || isEnded(status)) return false
  if (objectsOf(tender, 'lots').some((lot) => statusOf(textAt(lot, 'status')) === 'active')) return false
  return objectsOf(release, 'awards').some(
    (award) => statusOf(textAt(award, 'status')) === 'active' && objectsOf(award, 'suppliers').length > 0,
  )
}

function formTypeOf(release: JsonObject, tags: readonly string[], hasDeadline: boolean): FormType {
  const tagged = formTypeOfTags(tags)
  const tender = asObject(member(release, 'tender'))
  const status = statusOf(textAt(tender, 'status'))
  const isPlanned = status === 'planned' && !hasDeadline
  const isLive = status !== 'planned' && status !== 'cancelled' && status !== 'unsuccessful'
  if (tagged === 'competition' && ((isLive && isDirect(tender, hasDeadline)) || isAwarded(release))) return 'result'
  if (tagged !== undefined) return tagged === 'competition' && isPlanned ? 'planning' : tagged
  if (objectsOf(release, 'awards').length > 0 || objectsOf(release, 'contracts').length > 0) return 'result'
  if (isPlanned || (!asObject(member(release, 'tender')) && asObject(member(release, 'planning')))) return 'planning'
  return 'competition'
}

/**
 * A title for a release without tender.title: of a contract, an award or the project, else how the description begins.
 */
function fallbackTitle(release: JsonObject, language: string): MultilingualText | undefined {
  const project = member(release, 'planning', 'project')
  const candidates = [
    ...objectsOf(release, 'contracts').map((contract) => textAt(contract, 'title')),
    ...objectsOf(release, 'awards').map((award) => textAt(award, 'title')),
    textAt(project, 'title') ?? textAt(project),
    textAt(release, 'planning', 'budget', 'project'),
    textAt(release, 'title'),
  ]
  for (const candidate of candidates) {
    const title = cleanTitle(candidate ?? '')
    if (title !== undefined) return { [language]: title }
  }
  const texts = [
    textAt(release, 'tender', 'description'),
    ...objectsOf(release, 'contracts').map((contract) => textAt(contract, 'description')),
    ...objectsOf(release, 'awards').map((award) => textAt(award, 'description')),
    // Plans have a line of the budget alone, purchases of small things their items.
    textAt(release, 'planning', 'budget', 'description'),
    textAt(release, 'planning', 'rationale'),
    ...objectsOf(release, 'tender', 'items').map((item) => textAt(item, 'description')),
  ]
  const beginning = texts.map((text) => cleanText(text)?.split('\n')[0]).find((text) => text !== undefined)
  const line = cleanLine(beginning, 200)
  return line === undefined ? undefined : { [language]: line }
}

/** The objects that name a lot, by its id: indexed, so that thousands of lots with as many items stay quick. */
function byLot(objects: readonly JsonObject[], name: string): Map<string, JsonObject[]> {
  const index = new Map<string, JsonObject[]>()
  for (const object of objects) {
    for (const lot of new Set(textsAt(object, name))) {
      const list = index.get(lot)
      if (list) list.push(object)
      else index.set(lot, [object])
    }
  }
  return index
}

function readLots(
  release: JsonObject,
  language: string,
  items: readonly JsonObject[],
  deadline: (text: string | undefined) => Instant | undefined,
  zone: string,
): NoticeLot[] {
  const seen = new Set<string>()
  const itemsOf = byLot(items, 'relatedLot')
  const documentsOf = byLot(objectsOf(release, 'tender', 'documents'), 'relatedLots')
  return objectsOf(release, 'tender', 'lots').map((lot, index): NoticeLot => {
    const published = cleanLine(textAt(lot, 'id'), 200) ?? String(index + 1)
    const lotId = seen.has(published) ? `${published}#${index + 1}` : published
    seen.add(lotId)
    const own = itemsOf.get(published) ?? []
    const status = statusOf(textAt(lot, 'status'))
    return compact<NoticeLot>({
      lotId,
      title: textsOf(lot, 'title', language, cleanTitle),
      description: textsOf(lot, 'description', language, cleanDescription),
      cpvCodes: [...new Set([...cpvOf(asObject(member(lot, 'classification'))), ...own.flatMap(codesOfItem)])],
      nutsCodes: [...new Set(own.flatMap(nutsOfItem))],
      place: placeOf(own.flatMap(addressesOf)),
      estimatedValue: moneyAt(lot, 'value'),
      submissionDate: deadline(textAt(lot, 'tenderPeriod', 'endDate')),
      documentsUrl: documentsUrlOf(documentsOf.get(published) ?? []),
      duration: durationOf(member(lot, 'contractPeriod'), zone),
      result: status === 'unsuccessful' ? { outcome: 'not-awarded' } : undefined,
      cancelled: status === 'cancelled' ? true : undefined,
    } satisfies EveryMember<
      Omit<
        NoticeLot,
        | 'internalReference'
        | 'contractNature'
        | 'frameworkMaximum'
        | 'participationDate'
        | 'interestDate'
        | 'submissionUrl'
      >
    >)
  })
}

function withResult(lot: NoticeLot, result: LotResult | undefined): NoticeLot {
  return result ? { ...lot, result } : lot
}

/** The same value with dates such as `2021-25-03 14:00` written as `2021-03-25T14:00`. */
function withMonthFirst(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(
      /^\s*(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d:\d\d))?\s*$/,
      (_, year: string, day: string, month: string, time?: string) =>
        `${year}-${month}-${day}${time ? `T${time}` : ''}`,
    )
  if (Array.isArray(value)) return value.map(withMonthFirst)
  const object = asObject(value)
  return object ? Object.fromEntries(Object.entries(object).map(([name, each]) => [name, withMonthFirst(each)])) : value
}

function withDatesInOrder(release: JsonObject): JsonObject {
  const ordered = asObject(withMonthFirst(release)) ?? release
  return { ...ordered, date: textAt(ordered, 'tender', 'datePublished') ?? member(release, 'date') }
}

/** Reads one release to a notice, or says why it is none. Never throws on content. */
export function readRelease(published: JsonObject, context: ReleaseContext): Notice | Omit<Rejection, 'path'> {
  const ocid = cleanLine(ocidOf(published) ?? context.ocid, 500)
  if (ocid === undefined) return { reason: 'missing-identity', detail: 'the release has no ocid' }
  const publisher = publisherOf(ocid)
  const release = publisher.writesDayBeforeMonth ? withDatesInOrder(published) : published
  const tags = textsAt(release, 'tag').map((tag) => tag.trim())
  const isCompiled = context.isCompiled || tags.includes('compiled')
  const releaseId = cleanLine(textAt(release, 'id'), 500)
  const home = publisher.country ?? context.country
  const parties = readParties(release, home)
  const buyers = buyersOf(release, parties)
  const language = languageOf(textAt(release, 'language'))
  const tender = asObject(member(release, 'tender'))
  const title = textsOf(tender, 'title', language, cleanTitle) ?? fallbackTitle(release, language)
  if (!title && buyers.length === 0) return { reason: 'missing-content', detail: 'neither a title nor a buyer' }

  const zone = zoneOf(buyers[0]?.country ?? home)
  const timeOf = (text: string) => gregorian(publisher.writesLocalTimeAsUtc ? text.replace(/Z\s*$/i, '') : text)
  const instantOf = (text: string | undefined) =>
    text === undefined ? undefined : parseSourceDateTime(timeOf(text), zone, 'start-of-day')
  const deadlineOf = (text: string | undefined) =>
    text === undefined ? undefined : parseSourceDateTime(timeOf(text), zone, 'end-of-day')
  const date =
    instantOf(textAt(release, 'date')) ??
    instantOf(context.publishedDate) ??
    instantOf(textAt(release, 'publishedDate')) ??
    instantOf(textAt(tender, 'datePublished'))

  const deadline = deadlineOf(textAt(tender, 'tenderPeriod', 'endDate'))
  const formType = formTypeOf(release, tags, deadline !== undefined)
  const status = statusOf(textAt(tender, 'status'))
  const method = textAt(tender, 'procurementMethod')
  const details = cleanField(textAt(tender, 'procurementMethodDetails'), 200)
  const procedureType = procedureTypeOf(method, details)
  // As in the directives' forms, whose fields these publishers translate: the period is that of the first step.
  const isParticipation =
    procedureType === 'restricted' ||
    procedureType === 'neg-w-call' ||
    procedureType === 'comp-dial' ||
    procedureType === 'innovation'

  const items = objectsOf(tender, 'items')
  const described = readLots(release, language, items, deadlineOf, zone)
  const isResult = formType === 'result' || formType === 'cont-modif'
  const results = readResults(
    release,
    parties,
    isResult,
    described.length === 1 ? described[0]!.lotId : undefined,
    zone,
  )
  const lots = withDuration(joinResults(described, results), durationOfWhole(release, zone))
  const knownLots = new Set(described.map((lot) => lot.lotId))
  const ownItems = items.filter((item) => !textsAt(item, 'relatedLot').some((lot) => knownLots.has(lot)))
  const main = cpvOf(asObject(member(tender, 'classification')), ...objectsOf(tender, 'additionalClassifications'))
  const procedureCpv = [...new Set([...main, ...ownItems.flatMap(codesOfItem)])]
  const awarded = [...objectsOf(release, 'awards'), ...objectsOf(release, 'contracts')].flatMap((award) =>
    objectsOf(award, 'items'),
  )
  const cpvCodes = procedureCpv.length > 0 ? procedureCpv : [...new Set([...items, ...awarded].flatMap(codesOfItem))]

  const tail = ocid.replace(/^ocds-[a-z\d]{6}-?/i, '').toLowerCase()
  const isDoe = publisher.id === 'doe'
  const noticeId =
    isDoe && releaseId !== undefined && uuid.test(releaseId.toLowerCase()) ? releaseId.toLowerCase() : undefined
  const version = objectsOf(tender, 'amendments')
    .map((amendment) => versionedUuid.exec(textAt(amendment, 'releaseID')?.trim().toLowerCase() ?? ''))
    .find((match) => match?.[1] === noticeId)?.[2]
  const internalReference = cleanField(textAt(tender, 'id'), 200)
  const documents = objectsOf(tender, 'documents')
  const techniques = member(tender, 'techniques')
  const legal = asObject(member(tender, 'legalBasis'))
  const page = [
    ...documents,
    ...objectsOf(release, 'awards').flatMap((award) => objectsOf(award, 'documents')),
    ...objectsOf(release, 'planning', 'documents'),
  ]
    .filter((document) => !isSignature(document) && noticeDocument.test(textAt(document, 'documentType') ?? ''))
    .map((document) => cleanUrl(textAt(document, 'url')))
    .find((url) => url !== undefined)
  const estimatedValue: Money | undefined =
    moneyAt(tender, 'value') ??
    (publisher.estimatesInMinimum ? moneyAt(tender, 'minValue') : undefined) ??
    (formType === 'planning' ? moneyAt(release, 'planning', 'budget', 'amount') : undefined)

  return compact<Notice>({
    // A compiled release of a later day replaces that of an earlier one: both are copies of one notice.
    noticeKey: `${publisher.id}:${ocid}:${isCompiled ? 'compiled' : (releaseId ?? cleanLine(textAt(release, 'date'), 100) ?? tags.join('+'))}`,
    publisher: publisher.id,
    format: 'ocds',
    profile: cleanField(context.version, 20) ?? cleanField(textAt(release, 'version'), 20) ?? '1.1',
    noticeId,
    noticeVersion: version?.padStart(2, '0'),
    procedureId: isDoe && uuid.test(tail) ? tail : processOf(ocid),
    internalReference:
      internalReference === ocid || (internalReference !== undefined && internalReference.toLowerCase() === tail)
        ? undefined
        : internalReference,
    formType,
    noticeType: cleanLine(tags.join('+'), 200) ?? 'release',
    legalBasis: textAt(legal, 'scheme')?.toUpperCase() === 'CELEX' ? cleanField(textAt(legal, 'id'), 50) : undefined,
    language,
    languages: [...new Set([language, ...Object.keys(title ?? {})])],
    title,
    description:
      textsOf(tender, 'description', language, cleanDescription) ??
      textsOf(release, 'description', language, cleanDescription),
    publicationDate: date,
    dispatchDate: date,
    contractingAuthorities: buyers,
    buyerProfileUrl: buyerProfileOf(release),
    procedureType,
    procedureTypeNational:
      procedureType === undefined
        ? (details ?? cleanField(textAt(tender, 'procurementMethodType'), 200) ?? cleanField(method, 200))
        : undefined,
    contractNature: contractNatureOf(textAt(tender, 'mainProcurementCategory')),
    cpvCodes,
    nutsCodes: [
      ...new Set(
        items.some((item) => nutsOfItem(item).length > 0) ? items.flatMap(nutsOfItem) : awarded.flatMap(nutsOfItem),
      ),
    ],
    place: placeOf([...items, ...awarded].flatMap(addressesOf)),
    estimatedValue,
    frameworkMaximum: moneyAt(techniques, 'frameworkAgreement', 'value'),
    awardedValue: results.awardedValue,
    isFramework: member(techniques, 'hasFrameworkAgreement') === true ? true : undefined,
    isDynamicPurchasingSystem: member(techniques, 'hasDynamicPurchasingSystem') === true ? true : undefined,
    submissionDate: isParticipation ? undefined : deadline,
    // Find a Tender has a member of its own for the first step of its flexible procedure.
    participationDate: isParticipation ? deadline : deadlineOf(textAt(tender, 'expressionOfInterestDeadline')),
    documentsUrl: documentsUrlOf(documents),
    submissionUrl: urlIn(textAt(tender, 'submissionMethodDetails')),
    lots,
    references: referencesOf(release, noticeId),
    withdrawn:
      publisher.writesNullForUnknown || isCompiled || formType !== 'competition' ? undefined : withdrawnBy(tender),
    isCancelled: status === 'cancelled' || tags.includes('tenderCancellation') ? true : undefined,
    isUnsuccessful: status === 'unsuccessful' ? true : undefined,
    isClosed: formType === 'competition' && isClosed(tender) ? true : undefined,
    url: pageOf(publisher.id, releaseId, tail) ?? page ?? cleanUrl(textAt(tender, 'url')),
  } satisfies EveryMember<Omit<Notice, LackedBy['ocds']>>)
}

/** By the merge rules of OCDS, `null` in a later release removes what an earlier one stated. */
function withdrawnBy(tender: JsonObject | undefined): Notice['withdrawn'] {
  const isNull = (...path: readonly string[]): boolean => member(tender, ...path) === null
  const found = [
    ...(isNull('value') || isNull('value', 'amount') ? (['estimatedValue'] as const) : []),
    ...(isNull('tenderPeriod') || isNull('tenderPeriod', 'endDate')
      ? (['submissionDate', 'participationDate'] as const)
      : []),
  ]
  return found.length > 0 ? found : undefined
}

/** The page of the notice on portals whose addresses follow from its number. */
function pageOf(publisher: string, releaseId: string | undefined, tail: string): string | undefined {
  if (publisher === 'doe') return pageOfDoe(releaseId)
  if (publisher === 'gb-find-a-tender' && releaseId !== undefined && /^\d{6}-\d{4}$/.test(releaseId))
    return `https://www.find-tender.service.gov.uk/Notice/${releaseId}`
  if (publisher === 'gb-contracts-finder') {
    const id = /^(?:ocds-b5fd17-)?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:-|$)/i.exec(releaseId ?? '')?.[1]
    return id && `https://www.contractsfinder.service.gov.uk/Notice/${id.toLowerCase()}`
  }
  const process = publisher === 'md-mtender' ? /^md-\d+/.exec(tail)?.[0] : undefined
  if (process) return `https://mtender.gov.md/tenders/ocds-b3wdp1-${process.toUpperCase()}`
  const isNumber = publisher === 'ua-prozorro' && /^ua-\d{4}-\d{2}-\d{2}-\d{6}(?:-[a-z\d]{1,2})?$/.test(tail)
  // The letters behind the number are in lower case.
  return isNumber ? `https://prozorro.gov.ua/tender/UA${tail.slice(2)}` : undefined
}

/**
 * A duration belongs to the only lot, described or that of the result. None is made for it: a later release may
 * describe lots, beside which it would stay.
 */
function withDuration(lots: NoticeLot[], duration: NoticeLot['duration']): NoticeLot[] {
  const [only, ...others] = lots
  return only && duration !== undefined && others.length === 0 ? [{ duration, ...only }] : lots
}

function buyerProfileOf(release: JsonObject): string | undefined {
  const buyer = objectsOf(release, 'parties').find((party) => rolesOf(party).has('buyer'))
  return cleanUrl(textAt(buyer, 'details', 'buyerProfile'))
}

/**
 * Results on their lots; a lot that only an award names is added, a result of the whole goes to all lots without their
 * own.
 */
function joinResults(lots: readonly NoticeLot[], results: ReturnType<typeof readResults>): NoticeLot[] {
  const joined = lots.map((lot) =>
    withResult(lot, results.byLot.get(lot.lotId) ?? (lot.result ? undefined : shareOf(results.whole, lots.length))),
  )
  const known = new Set(lots.map((lot) => lot.lotId))
  for (const [lotId, result] of results.byLot)
    if (!known.has(lotId)) joined.push({ lotId, cpvCodes: [], nutsCodes: [], result })
  if (joined.length === 0 && results.whole)
    joined.push({ lotId: onlyLotId, cpvCodes: [], nutsCodes: [], result: results.whole })
  return joined
}

function shareOf(result: LotResult | undefined, lots: number): LotResult | undefined {
  if (!result || lots < 2) return result
  const { awardedValue: _value, receivedTenders: _tenders, ...rest } = result
  return rest
}

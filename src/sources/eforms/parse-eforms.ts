// eForms: the UBL notices of TED since 2022, of the German service (eForms-DE and its below-threshold channel) and of
// Doffin.
import { isProcedureType, toLanguage } from '../../domain/codes.ts'
import { currencyOfCountry } from '../../domain/money.ts'
import {
  type FormType,
  isFormType,
  type LackedBy,
  type LotResult,
  type Notice,
  type NoticeLot,
  type ParsedPart,
  type RejectionReason,
} from '../../domain/notice.ts'
import { type Instant, joinDateTime, zoneOf } from '../../domain/time.ts'
import { type EveryMember, uniform } from '../compact.ts'
import { pageOfDoe } from '../read-values.ts'
import { cleanField, cleanUrl } from '../text.ts'
import { attributeOf, textOf, type XmlElement } from '../xml/xml.ts'
import {
  allCac,
  allCbc,
  allEfac,
  cac,
  cbc,
  cbcText,
  codeOf,
  efac,
  efbc,
  efbcText,
  extensionOf,
  idOf,
} from './elements.ts'
import { procedureTypesByNationalCode } from './national-codes.ts'
import {
  contractNatureOf,
  cpvCodesOf,
  deadlineOf,
  estimatesOf,
  internalReferenceOf,
  moneyOf,
  type NoticeContext,
  nutsCodesOf,
  placeOf,
  textsOf,
} from './notice-context.ts'
import { documentsUrlOf, durationOf, lotElements, readLots, submissionUrlOf } from './read-lots.ts'
import { countryOfBuyer, readBuyers, readOrganizations } from './read-organizations.ts'
import { readChangeReasons, readChangeText, readReferences, toPublicationNumber } from './read-references.ts'
import { readLotResults, readPlainResult, withMaxima, withResults } from './read-results.ts'

const noticeRoots = new Set(['ContractNotice', 'ContractAwardNotice', 'PriorInformationNotice'])
const businessRoot = 'BusinessRegistrationInformationNotice'

/** Whether a root element is one of the four documents of eForms. */
export function isEformsRoot(root: XmlElement): boolean {
  if (root.name === businessRoot) return root.uri.startsWith('http://data.europa.eu/p27/eforms-business-registration')
  return noticeRoots.has(root.name) && root.uri.startsWith('urn:oasis:names:specification:ubl:schema:xsd:')
}

/** BT-03 of a notice type (BT-02), for notices whose code names no form type. */
const formTypesByNoticeType: { readonly [noticeType: string]: FormType } = {
  'pin-buyer': 'planning',
  'pin-only': 'planning',
  'pin-rtl': 'planning',
  'pin-tran': 'planning',
  'pin-cfc-standard': 'competition',
  'pin-cfc-social': 'competition',
  'qu-sy': 'competition',
  'cn-standard': 'competition',
  'cn-social': 'competition',
  subco: 'competition',
  'cn-desg': 'competition',
  veat: 'dir-awa-pre',
  'can-standard': 'result',
  'can-social': 'result',
  'can-desg': 'result',
  'can-tran': 'result',
  'can-modif': 'cont-modif',
  pmc: 'consultation',
  compl: 'completion',
  corr: 'change',
}

type Identity = Pick<Notice, 'noticeKey' | 'publisher' | 'noticeId' | 'noticeVersion' | 'publicationNumber' | 'url'>

function rejection(reason: RejectionReason, path: string, detail: string): ParsedPart[] {
  return [{ pointer: '', rejection: { reason, path, detail } }]
}

/**
 * Reads one notice (SDK 0.1, 1.3 to 1.15, eForms-DE, Doffin's profile). Always one part: the notice, or the reason why
 * there is none: `not-procurement` for business registrations, `missing-identity`, `missing-content`.
 */
export function parseEforms(root: XmlElement): ParsedPart[] {
  const extension = extensionOf(root)
  const typeCode = cbc(root, 'NoticeTypeCode')
  if (root.name === businessRoot || attributeOf(typeCode, 'listName') === 'bri') {
    return rejection('not-procurement', `/${root.name}`, 'a notice of the business register announces no procurement')
  }
  const profile = cbcText(root, 'CustomizationID')?.slice(0, 200) ?? 'eforms'
  const publication = efac(extension, 'Publication')
  const identity = readIdentity(root, publication, profile)
  if (!identity)
    return rejection('missing-identity', `/${root.name}/cbc:ID`, 'neither a notice id nor a publication number')

  const context = readingOf(root, extension, profile)
  const organizations = readOrganizations(extension, context)
  const contractingAuthorities = readBuyers(root, organizations, context)
  const project = cac(root, 'ProcurementProject')
  const plainLots = readLots(root, context)
  const title = textsOf(allCbc(project, 'Name'), 'title', context) ?? plainLots.find((lot) => lot.title)?.title
  if (!title && contractingAuthorities.length === 0) {
    return rejection('missing-content', `/${root.name}`, 'neither a title nor a buyer')
  }

  const noticeResult = efac(extension, 'NoticeResult')
  const awardedValue = moneyOf(cbc(noticeResult, 'TotalAmount'), context)
  const techniques = techniquesOf(root, noticeResult)
  const results: ReadonlyMap<string | undefined, LotResult> = noticeResult
    ? readLotResults(extension, organizations, context, awardedValue, techniques.isFramework === true)
    : readPlainResult(root, context)
  const lots = withMaxima(withDuration(withResults(plainLots, results), project), noticeResult, context)
  const noticeSubtype = codeOf(cbc(efac(extension, 'NoticeSubType'), 'SubTypeCode'))
  const noticeType = codeOf(typeCode)
  const formType = formTypeOf(attributeOf(typeCode, 'listName'), noticeType, root.name)
  const description = textsOf(allCbc(project, 'Description'), 'description', context)
  const procedureId = cbcText(root, 'ContractFolderID')?.toLowerCase().slice(0, 200)
  const internalReference = internalReferenceOf(project)
  const contractNature = contractNatureOf(project)
  const place = placeOf(project, context)
  const estimates = estimatesOf(project, context)
  const frameworkMaximum =
    estimates.frameworkMaximum ?? moneyOf(efbc(noticeResult, 'OverallMaximumFrameworkContractsAmount'), context)
  const buyerProfileUrl = buyerProfileUrlOf(root)
  const terms = cac(root, 'TenderingTerms')
  const documentsUrl = documentsUrlOf(terms)
  const submissionUrl = submissionUrlOf(terms)
  const legalBasis = legalBasisOf(root)
  const changeReasons = readChangeReasons(extension)
  const validityEnd = noticeType === 'qu-sy' ? lastDay(lots, context) : undefined

  const { publicationDate, dispatchDate } = datesOf(root, publication, identity.publisher, context)
  const { procedureType, procedureTypeNational } = procedureOf(root)

  const notice = uniform<Notice>({
    noticeKey: identity.noticeKey,
    publisher: identity.publisher,
    noticeId: identity.noticeId,
    noticeVersion: identity.noticeVersion,
    publicationNumber: identity.publicationNumber,
    url: identity.url,
    format: 'eforms',
    profile,
    procedureId,
    internalReference,
    formType,
    noticeType: noticeType ?? 'unknown',
    noticeSubtype,
    legalBasis,
    language: context.languages[0] ?? 'und',
    languages: context.languages,
    title,
    description,
    publicationDate,
    dispatchDate,
    contractingAuthorities,
    buyerProfileUrl,
    procedureType,
    procedureTypeNational,
    contractNature,
    cpvCodes: cpvCodesOf(project),
    nutsCodes: nutsCodesOf(project),
    place,
    estimatedValue: estimates.estimatedValue,
    frameworkMaximum,
    awardedValue,
    isFramework: techniques.isFramework,
    isDynamicPurchasingSystem: techniques.isDynamicPurchasingSystem,
    isDynamicPurchasingSystemTerminated: techniques.isDynamicPurchasingSystemTerminated,
    validityEnd,
    ...deadlinesOf(root, lots, context),
    documentsUrl,
    submissionUrl,
    lots,
    references: readReferences(root, extension, identity, formType),
    changeReasons,
    changeText: readChangeText(extension, context),
  } satisfies EveryMember<Omit<Notice, LackedBy['eforms']>>)
  return [{ pointer: '', notice }]
}

function readIdentity(root: XmlElement, publication: XmlElement | undefined, profile: string): Identity | undefined {
  const number = efbc(publication, 'NoticePublicationID')
  // Only this form is the notice's own number; Doffin uses this field for the number of an older notice, such as
  // `2021/S 124-329785`.
  const publicationNumber = toPublicationNumber(textOf(number))
  const ids = allCbc(root, 'ID')
  const id = textOf(ids.find((element) => attributeOf(element, 'schemeName') === 'notice-id') ?? ids[0])?.toLowerCase()
  const noticeId = id && /^[\w.:-]{1,100}$/.test(id) ? id : undefined
  const version = cbcText(root, 'VersionID')
  const noticeVersion = version && /^\d{1,4}$/.test(version) ? version : undefined
  const publisher = publisherOf(root, profile, publicationNumber)
  const ownId = publisher === 'ted' ? publicationNumber : undefined
  const page = publisher === 'doe' ? pageOfDoe(noticeId) : undefined
  if (!ownId && !noticeId) return undefined
  return {
    noticeKey: `${publisher}:${ownId ?? `${noticeId}${noticeVersion ? `-${noticeVersion.padStart(2, '0')}` : ''}`}`,
    publisher,
    ...(noticeId && { noticeId }),
    ...(noticeVersion && { noticeVersion }),
    ...(publicationNumber && { publicationNumber }),
    ...(page && { url: page }),
    ...(publisher === 'doffin' &&
      /^\d{4}-\d{6}$/.test(noticeId ?? '') && { url: `https://www.doffin.no/notices/${noticeId}` }),
    ...(publisher === 'ted' && { url: `https://ted.europa.eu/en/notice/-/detail/${publicationNumber}` }),
  }
}

/** Only TED stamps an Official Journal number; the others are identified by their profile of the standard. */
function publisherOf(root: XmlElement, profile: string, publicationNumber: string | undefined): string {
  if (publicationNumber) return 'ted'
  if (profile.includes('anskaffelser.no')) return 'doffin'
  const isGerman = /^eforms-(?:de-|sdk-0\.)/.test(profile) || /^de-/.test(cbcText(root, 'RegulatoryDomain') ?? '')
  return isGerman ? 'doe' : 'eforms'
}

function readingOf(root: XmlElement, extension: XmlElement | undefined, profile: string): NoticeContext {
  const isBelowThresholdChannel = /^eforms-sdk-0\./.test(profile)
  const declared = toLanguage(cbcText(root, 'NoticeLanguageCode'))
  const ofTitle = toLanguage(attributeOf(cbc(cac(root, 'ProcurementProject'), 'Name'), 'languageID'))
  const own = declared ?? ofTitle ?? (isBelowThresholdChannel ? 'de' : undefined)
  const further = allCac(root, 'AdditionalNoticeLanguage').map((language) => toLanguage(idOf(language)))
  const languages = [...new Set([own, ...further].filter((language) => language !== undefined))]
  const unofficial = allEfac(extension, 'NonOfficialLanguages')
    .flatMap((list) => allCac(list, 'Language'))
    .map((language) => toLanguage(idOf(language)))
    .filter((language) => language !== undefined && !languages.includes(language))
  const country = countryOfBuyer(root, extension) ?? (isBelowThresholdChannel ? 'DE' : undefined)
  return {
    languages: languages.length > 0 ? languages : ['und'],
    unofficial: new Set(unofficial as string[]),
    zone: zoneOf(country),
    currency: currencyOfCountry(country),
    isBelowThresholdChannel,
  }
}

function formTypeOf(listName: string | undefined, noticeType: string | undefined, rootName: string): FormType {
  if (listName && isFormType(listName)) return listName
  const known = noticeType === undefined ? undefined : formTypesByNoticeType[noticeType]
  if (known) return known
  return rootName === 'ContractNotice' ? 'competition' : rootName === 'ContractAwardNotice' ? 'result' : 'planning'
}

/** BT-105; a national code is stored beside the eForms code that it means. */
function procedureOf(root: XmlElement): Pick<Notice, 'procedureType' | 'procedureTypeNational'> {
  const code = codeOf(cbc(cac(root, 'TenderingProcess'), 'ProcedureCode'))
  if (!code || code === 'UNKNOWN') return {}
  if (isProcedureType(code)) return { procedureType: code }
  const procedureType = Object.hasOwn(procedureTypesByNationalCode, code)
    ? procedureTypesByNationalCode[code]
    : undefined
  return { ...(procedureType && { procedureType }), procedureTypeNational: code }
}

/** BT-01; where the domain is empty, the first law that the procedure names by its identifier. */
function legalBasisOf(root: XmlElement): string | undefined {
  const domain = cleanField(cbcText(root, 'RegulatoryDomain'), 200)
  if (domain) return domain === 'OTHER' ? 'other' : domain
  return allCac(cac(root, 'TenderingTerms'), 'ProcurementLegislationDocumentReference')
    .map((reference) => cleanField(idOf(reference), 200))
    .find((id) => id !== undefined && id !== 'CrossBorderLaw' && id !== 'LocalLegalBasis')
}

/** BT-508 of the first contracting party that has one. */
function buyerProfileUrlOf(root: XmlElement): string | undefined {
  for (const party of allCac(root, 'ContractingParty')) {
    const url = cleanUrl(cbcText(party, 'BuyerProfileURI'))
    if (url) return url
  }
  return undefined
}

/** The zone in which a portal's dates without an offset are read. */
const publisherZones: { readonly [publisher: string]: string } = {
  ted: 'Europe/Luxembourg',
  doe: 'Europe/Berlin',
  doffin: 'Europe/Oslo',
}

/**
 * Publication (OPP-012) and dispatch (BT-05). Before a portal stamps its date on a notice, the preferred day of
 * publication (BT-738) is the best known date, unless it is before the dispatch.
 */
function datesOf(
  root: XmlElement,
  publication: XmlElement | undefined,
  publisher: string,
  context: NoticeContext,
): Pick<Notice, 'publicationDate' | 'dispatchDate'> {
  const zone = publisherZones[publisher] ?? context.zone
  const issueDate = cbcText(root, 'IssueDate')
  const dispatchDate =
    joinDateTime(issueDate, cbcText(root, 'IssueTime'), context.zone, 'start-of-day') ??
    joinDateTime(issueDate, undefined, context.zone, 'start-of-day')
  const stamped = joinDateTime(efbcText(publication, 'PublicationDate'), undefined, zone, 'start-of-day')
  const wished = stamped ? undefined : cbcText(root, 'RequestedPublicationDate')
  const isLate = !wished || !issueDate || wished.slice(0, 10) >= issueDate.slice(0, 10)
  const publicationDate = stamped ?? (isLate ? joinDateTime(wished, undefined, zone, 'start-of-day') : undefined)
  return { ...(publicationDate && { publicationDate }), ...(dispatchDate && { dispatchDate }) }
}

/** Framework agreement (BT-765), dynamic purchasing system (BT-766) and its end (BT-119), if they are mentioned. */
function techniquesOf(
  root: XmlElement,
  noticeResult: XmlElement | undefined,
): Pick<Notice, 'isFramework' | 'isDynamicPurchasingSystem' | 'isDynamicPurchasingSystemTerminated'> {
  const codes = { 'framework-agreement': new Set<string>(), 'dps-usage': new Set<string>() }
  for (const holder of [root, ...lotElements(root)]) {
    for (const system of allCac(cac(holder, 'TenderingProcess'), 'ContractingSystem')) {
      for (const element of allCbc(system, 'ContractingSystemTypeCode')) {
        const list = attributeOf(element, 'listName')
        const code = codeOf(element)
        if (code && (list === 'framework-agreement' || list === 'dps-usage')) codes[list].add(code)
      }
    }
  }
  const isUsed = (found: ReadonlySet<string>): boolean | undefined =>
    found.size === 0 ? undefined : [...found].some((code) => code !== 'none')
  const isFramework = isUsed(codes['framework-agreement'])
  const isDynamicPurchasingSystem = isUsed(codes['dps-usage'])
  const isTerminated = allEfac(noticeResult, 'LotResult').some(
    (result) => efbcText(result, 'DPSTerminationIndicator') === 'true',
  )
  return {
    ...(isFramework !== undefined && { isFramework }),
    ...(isDynamicPurchasingSystem !== undefined && { isDynamicPurchasingSystem }),
    ...(isTerminated && { isDynamicPurchasingSystemTerminated: true }),
  }
}

/** The deadlines of the procedure (BT-131, BT-1311), which count if no lot has one. */
function deadlinesOf(
  root: XmlElement,
  lots: readonly NoticeLot[],
  context: NoticeContext,
): Pick<Notice, 'submissionDate' | 'participationDate'> {
  if (lots.some((lot) => lot.submissionDate ?? lot.participationDate ?? lot.interestDate)) return {}
  const process = cac(root, 'TenderingProcess')
  const submissionDate = deadlineOf(cac(process, 'TenderSubmissionDeadlinePeriod'), context)
  const participationDate = deadlineOf(cac(process, 'ParticipationRequestReceptionPeriod'), context)
  return { ...(submissionDate && { submissionDate }), ...(participationDate && { participationDate }) }
}

/** The only lot lasts as long as the procedure says, unless it says so itself. */
function withDuration(lots: readonly NoticeLot[], project: XmlElement | undefined): readonly NoticeLot[] {
  const [only] = lots
  const duration = lots.length === 1 ? durationOf(cac(project, 'PlannedPeriod')) : undefined
  return only && duration && !only.duration ? [{ ...only, duration }] : lots
}

/** The end of the last day that any lot of a qualification system lasts. */
function lastDay(lots: readonly NoticeLot[], context: NoticeContext): Instant | undefined {
  const ends = lots.map((lot) => lot.duration?.end).filter((end) => end !== undefined)
  return joinDateTime(ends.sort().at(-1), undefined, context.zone, 'end-of-day')
}

// One entry of the Spanish syndication (Atom with CODICE inside): a contract folder in its present state.
import { toCountry } from '../../../domain/codes.ts'
import type {
  FormType,
  LotResult,
  Money,
  Notice,
  NoticeLot,
  NoticeReference,
  Organization,
  ParsedPart,
  Place,
  Rejection,
} from '../../../domain/notice.ts'
import { type Instant, joinDateTime } from '../../../domain/time.ts'
import { compact } from '../../compact.ts'
import { type Found, readPortalNotice, readXmlDocument } from '../../read-portal-notice.ts'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  descriptionIn,
  durationIn,
  instantIn,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  tedNumberIn,
  titleIn,
  uuidIn,
  wordIn,
} from '../../read-values.ts'
import { mergeResults } from '../../results.ts'
import { cleanField, cleanUrl } from '../../text.ts'
import { childNamed, childrenNamed, descendantsNamed, pathNamed, textOf, type XmlElement } from '../../xml/xml.ts'

const zone = 'Europe/Madrid'

/** SyndicationContractFolderStatusCode 2.04: announced, open, being evaluated, awarded, resolved, annulled. */
const formTypes: { readonly [status: string]: FormType } = {
  pre: 'planning',
  pub: 'competition',
  ev: 'competition',
  adj: 'result',
  res: 'result',
  anul: 'competition',
}

/** SyndicationTenderingProcessCode: only the codes with one clear counterpart. */
const procedureTypes: { readonly [code: string]: string } = {
  '1': 'open',
  '2': 'restricted',
  '3': 'neg-wo-call',
  '4': 'neg-w-call',
  '5': 'comp-dial',
  '6': 'neg-wo-call',
  '9': 'open',
  '10': 'innovation',
  '13': 'neg-w-call',
}

/** ContractCode: from 21 on concessions, of services and of works. */
const contractNatures: { readonly [code: string]: string } = {
  '1': 'supplies',
  '2': 'services',
  '3': 'works',
  '21': 'services',
  '22': 'services',
  '31': 'works',
  '32': 'works',
}

const amountIn = (element: XmlElement | undefined): Money | undefined =>
  moneyIn(textOf(element), element?.attributes.get('currencyID') ?? 'EUR')

function idOf(party: XmlElement | undefined): string | undefined {
  const ids = childrenNamed(party, 'PartyIdentification').map((identification) => childNamed(identification, 'ID'))
  const scheme = (name: string) => ids.find((id) => id?.attributes.get('schemeName') === name)
  return textOf(scheme('NIF') ?? scheme('DIR3') ?? ids[0])
}

function partyOf(party: XmlElement | undefined, homeCountry?: string): Organization | undefined {
  const address = childNamed(party, 'PostalAddress') ?? pathNamed(party, 'PhysicalLocation', 'Address')
  const contact = childNamed(party, 'Contact')
  return organizationOf(
    {
      name: textOf(pathNamed(party, 'PartyName', 'Name')),
      nationalId: idOf(party),
      street: textOf(pathNamed(address, 'AddressLine', 'Line')),
      city: textOf(childNamed(address, 'CityName')),
      postalCode: textOf(childNamed(address, 'PostalZone')),
      country: textOf(pathNamed(address, 'Country', 'IdentificationCode')),
      nutsCode: textOf(childNamed(address, 'CountrySubentityCode')),
      contactName: textOf(childNamed(contact, 'Name')),
      email: textOf(childNamed(contact, 'ElectronicMail')),
      phone: textOf(childNamed(contact, 'Telephone')),
      url: textOf(childNamed(party, 'WebsiteURI')),
    },
    homeCountry,
  )
}

/** Amounts without tax; the estimate includes extensions, which TaxExclusiveAmount leaves out. */
function estimateOf(project: XmlElement | undefined): Money | undefined {
  const budget = childNamed(project, 'BudgetAmount')
  return (
    amountIn(childNamed(budget, 'EstimatedOverallContractAmount')) ?? amountIn(childNamed(budget, 'TaxExclusiveAmount'))
  )
}

function cpvsOf(project: XmlElement | undefined): string[] {
  return cpvCodesIn(
    ...childrenNamed(project, 'RequiredCommodityClassification').map((classification) =>
      textOf(childNamed(classification, 'ItemClassificationCode')),
    ),
  )
}

function nutsOf(project: XmlElement | undefined): string[] {
  return nutsCodesIn(
    ...childrenNamed(project, 'RealizedLocation').map(
      (location) =>
        textOf(childNamed(location, 'CountrySubentityCode')) ??
        textOf(pathNamed(location, 'Address', 'CountrySubentityCode')),
    ),
  )
}

/** Where the contract is performed, of the first location that says it. */
function placeOf(project: XmlElement | undefined): Place | undefined {
  for (const location of childrenNamed(project, 'RealizedLocation')) {
    const address = childNamed(location, 'Address')
    const place = compact<Place>({
      country: toCountry(textOf(pathNamed(address, 'Country', 'IdentificationCode'))),
      nutsCode: nutsCodesIn(
        textOf(childNamed(location, 'CountrySubentityCode')) ?? textOf(childNamed(address, 'CountrySubentityCode')),
      )[0],
      postalCode: cleanField(textOf(childNamed(address, 'PostalZone')), 50),
      city: cleanField(textOf(childNamed(address, 'CityName'))),
    })
    if (Object.keys(place).length > 0) return place
  }
  return undefined
}

function durationOf(project: XmlElement | undefined): NoticeLot['duration'] {
  const period = childNamed(project, 'PlannedPeriod')
  const measure = childNamed(period, 'DurationMeasure')
  const duration = compact<NonNullable<NoticeLot['duration']>>({
    ...durationIn(textOf(measure), measure?.attributes.get('unitCode')),
    start: dayIn(textOf(childNamed(period, 'StartDate'))),
    end: dayIn(textOf(childNamed(period, 'EndDate'))),
  })
  return Object.keys(duration).length > 0 ? duration : undefined
}

function deadlineOf(process: XmlElement | undefined, name: string): Instant | undefined {
  const period = childNamed(process, name)
  return joinDateTime(textOf(childNamed(period, 'EndDate')), textOf(childNamed(period, 'EndTime')), zone, 'end-of-day')
}

/** A TenderResult; 3 (deserted), 4 (given up), 5 (withdrawn) and 7 (renounced) have no winner. */
function resultOf(result: XmlElement): { readonly lotId: string | undefined; readonly result: LotResult } {
  const code = textOf(childNamed(result, 'ResultCode'))
  const winners = childrenNamed(result, 'WinningParty')
    .map((party) => partyOf(party))
    .filter((winner) => winner !== undefined)
  const awarded = childNamed(result, 'AwardedTenderedProject')
  const isVoid = code !== undefined && ['3', '4', '5', '7'].includes(code)
  return {
    lotId: cleanField(textOf(childNamed(awarded, 'ProcurementProjectLotID')), 50),
    result: compact<LotResult>({
      outcome: isVoid ? 'not-awarded' : winners.length > 0 ? 'awarded' : 'pending',
      awardedValue: amountIn(pathNamed(awarded, 'LegalMonetaryTotal', 'TaxExclusiveAmount')),
      winners: winners.length > 0 ? winners : undefined,
      contractDate: dayIn(textOf(childNamed(result, 'AwardDate'))),
      receivedTenders: countIn(textOf(childNamed(result, 'ReceivedTenderQuantity'))),
    }),
  }
}

function lotsOf(folder: XmlElement): NoticeLot[] {
  const byLot = new Map<string | undefined, LotResult[]>()
  for (const element of childrenNamed(folder, 'TenderResult')) {
    const { lotId, result } = resultOf(element)
    byLot.set(lotId, [...(byLot.get(lotId) ?? []), result])
  }
  const lots = childrenNamed(folder, 'ProcurementProjectLot').map((element, index): NoticeLot => {
    const lotId = cleanField(textOf(childNamed(element, 'ID')), 50) ?? String(index + 1)
    const project = childNamed(element, 'ProcurementProject')
    const results = byLot.get(lotId)
    byLot.delete(lotId)
    return compact<NoticeLot>({
      lotId,
      title: titleIn(textOf(childNamed(project, 'Name')), 'es'),
      description: descriptionIn(textOf(childNamed(project, 'Description')), 'es'),
      cpvCodes: cpvsOf(project),
      nutsCodes: nutsOf(project),
      place: placeOf(project),
      estimatedValue: estimateOf(project),
      duration: durationOf(project),
      result: results && mergeResults(results),
    })
  })
  for (const [lotId, results] of byLot)
    if (lotId !== undefined || lots.length === 0)
      lots.push({ lotId: lotId ?? '1', cpvCodes: [], nutsCodes: [], result: mergeResults(results) })
  const duration = durationOf(childNamed(folder, 'ProcurementProject'))
  if (duration === undefined || lots.length > 1) return lots
  // A folder is divided into lots from the start, or never: the duration is that of the whole.
  return [{ duration, ...(lots[0] ?? { lotId: '1', cpvCodes: [], nutsCodes: [] }) }]
}

/** The day of the folder's newest notice: an entry is the folder as that notice left it. */
function publishedOn(folder: XmlElement): Instant | undefined {
  const days = [...descendantsNamed(folder, 'ValidNoticeInfo')].flatMap((info) => [
    textOf(childNamed(info, 'NoticeIssueDate')),
    ...[...descendantsNamed(info, 'IssueDate')].map((date) => textOf(date)),
  ])
  return days
    .map((day) => instantIn(day, zone))
    .filter((instant) => instant !== undefined)
    .sort()
    .at(-1)
}

function readEntry(entry: XmlElement, publisher: string): Notice | Rejection {
  const folder = childNamed(entry, 'ContractFolderStatus')
  const entryId = cleanField(textOf(childNamed(entry, 'id')), 500)
  const updated = instantIn(textOf(childNamed(entry, 'updated')), zone)
  if (!folder) return { reason: 'missing-content', path: '/entry', detail: 'the entry holds no contract folder' }
  const status = textOf(childNamed(folder, 'ContractFolderStatusCode'))
  const formType = wordIn(formTypes, status) ?? 'competition'
  const party = childNamed(childNamed(folder, 'LocatedContractingParty'), 'Party')
  const buyer = partyOf(party, 'ES')
  const project = childNamed(folder, 'ProcurementProject')
  const process = childNamed(folder, 'TenderingProcess')
  const procedure = textOf(childNamed(process, 'ProcedureCode'))
  const nature = textOf(childNamed(project, 'TypeCode'))
  const lots = lotsOf(folder)
  const ted = childrenNamed(folder, 'UUID').find((uuid) => uuid.attributes.get('schemeName') === 'TED')
  const tedNotice = uuidIn(textOf(ted))
  const tedNumber = tedNumberIn(textOf(ted))
  const references: NoticeReference[] =
    tedNotice || tedNumber
      ? [compact<NoticeReference>({ kind: 'previous', noticeId: tedNotice, publicationNumber: tedNumber })]
      : []
  const results = lots.map((lot) => lot.result).filter((result) => result !== undefined)
  // Nothing is said of a result, neither of the whole nor of lots.
  const isUndecided = results.length === 0 && childNamed(folder, 'ProcurementProjectLot') === undefined
  const isCall = formType === 'competition' || (formType === 'result' && isUndecided)
  const system = textOf(childNamed(process, 'ContractingSystemCode'))
  const documents = cleanUrl(
    textOf(pathNamed(folder, 'LegalDocumentReference', 'Attachment', 'ExternalReference', 'URI')),
  )
  return readPortalNotice({
    // The same entry comes again with each state of the folder.
    id: entryId && `${entryId.split('/').pop()}@${updated ?? status ?? ''}`,
    publisher,
    profile: 'codice-2.04',
    noticeId: entryId?.split('/').pop(),
    procedureId: entryId?.split('/').pop(),
    internalReference: cleanField(textOf(childNamed(folder, 'ContractFolderID')), 200),
    formType: isCall ? 'competition' : formType,
    noticeType: status ?? 'entry',
    language: 'es',
    title: titleIn(textOf(childNamed(project, 'Name')) ?? textOf(childNamed(entry, 'title')), 'es'),
    description: descriptionIn(textOf(childNamed(project, 'Description')), 'es'),
    publicationDate: publishedOn(folder) ?? updated,
    dispatchDate: updated,
    contractingAuthorities: buyer ? [buyer] : [],
    buyerProfileUrl: cleanUrl(textOf(childNamed(childNamed(folder, 'LocatedContractingParty'), 'BuyerProfileURIID'))),
    procedureType: wordIn(procedureTypes, procedure),
    procedureTypeNational: cleanField(procedure, 20),
    contractNature: wordIn(contractNatures, nature),
    cpvCodes: cpvsOf(project),
    nutsCodes: nutsOf(project),
    place: placeOf(project),
    estimatedValue: estimateOf(project),
    isFramework: system === '1' ? true : undefined,
    submissionDate: deadlineOf(process, 'TenderSubmissionDeadlinePeriod'),
    participationDate: deadlineOf(process, 'ParticipationRequestReceptionPeriod'),
    documentsUrl: documents,
    lots,
    references,
    isCancelled: status === 'ANUL' ? true : undefined,
    // Being evaluated, awarded or resolved: tenders are no longer received, whatever deadline the folder names.
    isClosed: isCall && /^(?:EV|ADJ|RES)$/i.test(status?.trim() ?? '') ? true : undefined,
    isUnsuccessful:
      results.length > 0 && results.every((result) => result.outcome === 'not-awarded') ? true : undefined,
    url: cleanUrl(childNamed(entry, 'link')?.attributes.get('href')),
  })
}

function readFeed(root: XmlElement, publisher: string): Found {
  if (root.name === 'entry') return readEntry(root, publisher)
  const entries = childrenNamed(root, 'entry')
  // Tombstones name folders that left the feed; the feed does not say why.
  if (entries.length === 0 && childrenNamed(root, 'deleted-entry').length > 0)
    return { reason: 'not-procurement', path: '/feed', detail: 'only deleted entries' }
  return entries.length === 1 ? readEntry(entries[0]!, publisher) : entries.map((entry) => readEntry(entry, publisher))
}

/**
 * Makes the parser of one of the feeds: entries alone, wrapped in the root of their feed, or a whole feed. It never
 * throws.
 */
export function placspParser(publisher: string): (bytes: Uint8Array) => ParsedPart[] {
  return (bytes) => readXmlDocument(bytes, (root) => readFeed(root, publisher))
}

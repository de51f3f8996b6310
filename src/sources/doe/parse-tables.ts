// Reads a notice joined from the German service's CSV tables (join-tables.ts); it has no deadlines, because the tables
// have none.
import { isProcedureType } from '../../domain/codes.ts'
import { toCpvCode } from '../../domain/cpv.ts'
import {
  isFormType,
  type LotResult,
  type Money,
  type Notice,
  type NoticeLot,
  type NoticeReference,
  type Organization,
  type ParsedPart,
  type Place,
  type Rejection,
} from '../../domain/notice.ts'
import { compact } from '../compact.ts'
import { procedureTypesByNationalCode } from '../eforms/national-codes.ts'
import { splitGluedName } from '../eforms/read-organizations.ts'
import { parseNoticeReference } from '../eforms/read-references.ts'
import { type JsonObject, objectsOf, textAt } from '../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../read-portal-notice.ts'
import {
  countIn,
  dayIn,
  descriptionIn,
  instantIn,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  pageOfDoe,
  titleIn,
} from '../read-values.ts'
import { distinctOrganizations } from '../results.ts'
import { cleanField, cleanUrl } from '../text.ts'

const zone = 'Europe/Berlin'

const outcomes: { readonly [code: string]: LotResult['outcome'] } = {
  'selec-w': 'awarded',
  'clos-nw': 'not-awarded',
  'open-nw': 'pending',
}

/** Reads one joined notice: the notice, with the same key as its XML, or why there is none. */
export function parseTables(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readNotice)
}

function readNotice(document: JsonObject): Notice | Rejection {
  const rows = (table: string): JsonObject[] => objectsOf(document, 'tables', table)
  const [notice] = rows('notice')
  if (!notice) return { reason: 'invalid-content', path: '/tables/notice', detail: 'no row of the table of notices' }
  const noticeId = cleanField(textAt(document, 'noticeIdentifier'), 100)?.toLowerCase()
  const noticeVersion = /^\d{1,4}$/.exec(textAt(document, 'noticeVersion') ?? '')?.[0]
  const isBelowThreshold = noticeId !== undefined && /^\d+$/.test(noticeId)
  const ofNotice = (table: string): JsonObject[] => rows(table).filter((row) => lotOf(row) === undefined)
  const [purpose] = ofNotice('purpose')
  const [procedure] = rows('procedure')
  const [result] = rows('noticeResult')
  const formType = textAt(notice, 'formType') ?? ''
  const references = referencesOf(rows('changes'), noticeId, noticeVersion)
  return readPortalNotice({
    id: noticeId === undefined ? undefined : `${noticeId}${noticeVersion ? `-${noticeVersion.padStart(2, '0')}` : ''}`,
    publisher: 'doe',
    profile: 'doe-csv',
    noticeId,
    noticeVersion,
    url: pageOfDoe(noticeId),
    procedureId: cleanField(textAt(notice, 'procedureIdentifier'), 200)?.toLowerCase(),
    internalReference: cleanField(textAt(purpose, 'internalIdentifier')),
    formType: isFormType(formType) ? formType : 'competition',
    noticeType: cleanField(textAt(notice, 'noticeType'), 100) ?? 'unknown',
    legalBasis: cleanField(textAt(notice, 'procedureLegalBasis'), 200),
    language: 'de',
    title: titleIn(textAt(purpose, 'title'), 'de'),
    description: descriptionIn(textAt(purpose, 'description'), 'de'),
    publicationDate: instantIn(textAt(notice, 'publicationDate'), zone),
    contractingAuthorities: buyersOf(rows('organisation'), isBelowThreshold),
    buyerProfileUrl: rows('organisation')
      .map((row) => cleanUrl(textAt(row, 'buyerProfileURL')))
      .find((url) => url !== undefined),
    ...procedureOf(textAt(procedure, 'procedureType')),
    contractNature: cleanField(textAt(purpose, 'mainNature'), 100),
    cpvCodes: cpvCodesOf(ofNotice('classification')),
    nutsCodes: nutsCodesOf(ofNotice('placeOfPerformance')),
    place: placeOf(ofNotice('placeOfPerformance')),
    estimatedValue: moneyAt(purpose, 'estimatedValue'),
    awardedValue: moneyAt(result, 'noticeValue'),
    frameworkMaximum: moneyAt(result, 'noticeFrameworkValue'),
    lots: lotsOf(rows),
    references,
    changeReasons: changeReasonsOf(rows('changes')),
    changeText: descriptionIn(
      rows('changes')
        .map((row) => textAt(row, 'changeReasonDescription') ?? '')
        .join('\n'),
      'de',
    ),
  })
}

const lotOf = (row: JsonObject): string | undefined => textAt(row, 'lotIdentifier')

/** `estimatedValue` with `estimatedValueCurrency`. */
function moneyAt(row: JsonObject | undefined, column: string): Money | undefined {
  return moneyIn(textAt(row, column), textAt(row, `${column}Currency`))
}

function procedureOf(code: string | undefined): Pick<Notice, 'procedureType' | 'procedureTypeNational'> {
  const text = cleanField(code, 200)
  if (text === undefined) return {}
  if (isProcedureType(text)) return { procedureType: text }
  const procedureType = Object.hasOwn(procedureTypesByNationalCode, text)
    ? procedureTypesByNationalCode[text]
    : undefined
  return { ...(procedureType && { procedureType }), procedureTypeNational: text }
}

function cpvCodesOf(rows: readonly JsonObject[]): string[] {
  const texts = rows.flatMap((row) => [
    textAt(row, 'mainClassificationCode') ?? '',
    ...(textAt(row, 'additionalClassificationCodes') ?? '').split(','),
  ])
  return [...new Set(texts.flatMap((text) => text.trim().split(/\s+/)).map(toCpvCode))].filter(
    (code) => code !== undefined,
  )
}

function nutsCodesOf(rows: readonly JsonObject[]): string[] {
  return nutsCodesIn(rows.map((row) => textAt(row, 'placePerformanceCountrySubdivision') ?? ''))
}

function placeOf(rows: readonly JsonObject[]): Place | undefined {
  const [row] = rows
  const place = organizationOf({
    name: 'place',
    city: textAt(row, 'placePerformanceCity'),
    postalCode: textAt(row, 'placePerformancePostCode'),
    nutsCode: textAt(row, 'placePerformanceCountrySubdivision'),
    country: textAt(row, 'placePerformanceCountryCode'),
  })
  const { name: _, ...rest } = place ?? { name: '' }
  return Object.keys(rest).length > 0 ? rest : undefined
}

function organizationIn(row: JsonObject): Organization | undefined {
  return organizationOf({
    name: textAt(row, 'organisationName'),
    nationalId: textAt(row, 'organisationIdentifier'),
    city: textAt(row, 'organisationCity'),
    postalCode: textAt(row, 'organisationPostCode'),
    nutsCode: textAt(row, 'organisationCountrySubdivision'),
    country: textAt(row, 'organisationCountryCode'),
    url: textAt(row, 'organisationInternetAddress'),
  })
}

/**
 * A row has one role: a buyer that also has another role may be listed under that one; its legal type identifies it.
 */
function buyersOf(rows: readonly JsonObject[], isBelowThreshold: boolean): Organization[] {
  const named = rows.filter((row) => textAt(row, 'organisationRole') === 'buyer')
  const buyers = named.length > 0 ? named : rows.filter((row) => textAt(row, 'buyerLegalType') !== undefined)
  const organizations = buyers.map(organizationIn).filter((buyer) => buyer !== undefined)
  return distinctOrganizations(
    isBelowThreshold
      ? organizations.map((buyer) => ({ ...splitGluedName(buyer.name), ...withoutName(buyer) }))
      : organizations,
  )
}

function withoutName({ name: _, ...rest }: Organization): Omit<Organization, 'name'> {
  return rest
}

function lotsOf(rows: (table: string) => JsonObject[]): NoticeLot[] {
  const ids = [...new Set(rows('lot').map(lotOf))].filter((id) => id !== undefined)
  const results = rows('procedureLotResult')
  const awarded = new Set(results.filter((row) => textAt(row, 'winnerChosen') === 'selec-w').map(lotOf))
  return ids.map((lotId) => {
    const of = (table: string): JsonObject[] => rows(table).filter((row) => lotOf(row) === lotId)
    const [purpose] = of('purpose')
    const [duration] = of('duration')
    const own = results.filter((row) => lotOf(row) === lotId)
    return compact<NoticeLot>({
      lotId,
      title: titleIn(textAt(purpose, 'title'), 'de'),
      description: descriptionIn(textAt(purpose, 'description'), 'de'),
      internalReference: cleanField(textAt(purpose, 'internalIdentifier')),
      contractNature: cleanField(textAt(purpose, 'mainNature'), 100),
      cpvCodes: cpvCodesOf(of('classification')),
      nutsCodes: nutsCodesOf(of('placeOfPerformance')),
      place: placeOf(of('placeOfPerformance')),
      estimatedValue: moneyAt(purpose, 'estimatedValue'),
      duration: durationOf(duration),
      result: resultOf(own, rows, lotId, awarded.size === 1),
    })
  })
}

function durationOf(row: JsonObject | undefined): NoticeLot['duration'] {
  const duration = compact<NonNullable<NoticeLot['duration']>>({
    value: countIn(textAt(row, 'durationPeriod')),
    unit: cleanField(textAt(row, 'durationPeriodUnit'), 20),
    start: dayIn(textAt(row, 'durationStartDate'), zone),
    end: dayIn(textAt(row, 'durationEndDate'), zone),
  })
  return Object.keys(duration).length > 0 ? duration : undefined
}

/**
 * The tables do not say which organization won which lot: winners and contracts count only where a single lot was
 * awarded.
 */
function resultOf(
  results: readonly JsonObject[],
  rows: (table: string) => JsonObject[],
  lotId: string,
  isOnlyAward: boolean,
): LotResult | undefined {
  const [row] = results.length === 1 ? results : []
  const outcome = outcomes[textAt(row, 'winnerChosen') ?? '']
  if (!row || outcome === undefined) return undefined
  const number = textAt(row, 'procedureLotResultNumber')
  const received = rows('receivedSubmissions').find(
    (each) =>
      textAt(each, 'procedureLotResultNumber') === number && textAt(each, 'receivedSubmissionsType') === 'tenders',
  )
  const tenders = rows('tender').filter((each) => lotOf(each) === lotId)
  const isAwarded = outcome === 'awarded'
  const winners = isAwarded && isOnlyAward ? winnersOf(rows('organisation')) : []
  const contracts = isAwarded && isOnlyAward ? rows('contract') : []
  return compact<LotResult>({
    outcome,
    reason: cleanField(textAt(row, 'notAwardedReason'), 100),
    awardedValue: isAwarded && tenders.length === 1 ? moneyAt(tenders[0], 'tenderValue') : undefined,
    winners: winners.length > 0 ? winners : undefined,
    contractDate: contracts.length === 1 ? dayIn(textAt(contracts[0], 'contractConclusionDate'), zone) : undefined,
    receivedTenders: countIn(textAt(received, 'receivedSubmissionsCount')),
  })
}

/** `tenderer` is the role of a winner's organization where it has no row as `winner`. */
function winnersOf(rows: readonly JsonObject[]): Organization[] {
  const of = (role: string): JsonObject[] => rows.filter((row) => textAt(row, 'organisationRole') === role)
  const winners = of('winner')
  return distinctOrganizations((winners.length > 0 ? winners : of('tenderer')).map(organizationIn))
}

/** A changed notice is named by its id and version, or by its version alone where it is the same notice. */
function referencesOf(
  rows: readonly JsonObject[],
  noticeId: string | undefined,
  noticeVersion: string | undefined,
): NoticeReference[] {
  const references = new Map<string, NoticeReference>()
  for (const row of rows) {
    const text = textAt(row, 'changeNoticeVersionIdentifier') ?? ''
    const target =
      noticeId !== undefined && /^\d{1,3}$/.test(text) ? { noticeId, noticeVersion: text } : parseNoticeReference(text)
    if (!target) continue
    if (target.noticeId === noticeId && Number(target.noticeVersion) === Number(noticeVersion)) continue
    const kind = textAt(row, 'contractIdentifier') === undefined ? 'changes' : 'modifies'
    references.set(JSON.stringify(target), { kind, ...target })
  }
  return [...references.values()]
}

function changeReasonsOf(rows: readonly JsonObject[]): string[] | undefined {
  const changes = rows.filter((row) => textAt(row, 'contractIdentifier') === undefined)
  if (changes.length === 0) return undefined
  const codes = changes.map((row) => cleanField(textAt(row, 'changeReasonCode'), 100))
  return [...new Set(codes.filter((code) => code !== undefined))]
}

// One publication of simap.ch, as its publication-details give it.
import { sumOfMoney } from '../../../domain/money.ts'
import type {
  FormType,
  LotResult,
  Notice,
  NoticeLot,
  NoticeReference,
  ParsedPart,
  Rejection,
} from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { asObject, type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { readJsonDocument, readPortalNotice } from '../../read-portal-notice.ts'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  deadlineIn,
  instantIn,
  moneyIn,
  organizationOf,
  tedNumberIn,
  textsByLanguage,
  uuidIn,
  wordIn,
} from '../../read-values.ts'
import { cleanField, cleanUrl, descriptionLimit } from '../../text.ts'

const publisher = 'ch-simap'
const zone = 'Europe/Zurich'

const formTypes: { readonly [type: string]: FormType } = {
  advance_notice: 'planning',
  request_for_information: 'consultation',
  tender: 'competition',
  competition: 'competition',
  study_contract: 'competition',
  participant_selection: 'competition',
  selective_offering_phase: 'competition',
  award: 'result',
  award_tender: 'result',
  award_competition: 'result',
  award_study_contract: 'result',
  direct_award: 'result',
  abandonment: 'competition',
  revocation: 'competition',
}

const procedureTypes: { readonly [type: string]: string } = {
  open: 'open',
  selective: 'restricted',
  invitation: 'neg-wo-call',
  direct: 'neg-wo-call',
}

const contractNatures: { readonly [type: string]: string } = {
  construction: 'works',
  supply: 'supplies',
  service: 'services',
}

/** Any text of a value by language, for names: the first that is filled. */
function firstText(value: unknown, language: string): string | undefined {
  return Object.values(textsByLanguage(value, language) ?? {})[0]
}

function buyerOf(info: JsonObject | undefined, language: string) {
  const address = asObject(member(info, 'procOfficeAddress')) ?? asObject(member(info, 'procurementRecipientAddress'))
  return organizationOf(
    {
      name: firstText(member(address, 'name'), language),
      street: firstText(member(address, 'street'), language),
      city: firstText(member(address, 'city'), language),
      postalCode: textAt(address, 'postalCode'),
      country: textAt(address, 'countryId'),
      contactName: firstText(member(address, 'contactPerson'), language),
      email: textAt(address, 'email'),
      phone: textAt(address, 'phone'),
      url: firstText(member(address, 'url'), language),
    },
    'CH',
  )
}

function resultOf(entry: JsonObject): LotResult | undefined {
  const decision = asObject(member(entry, 'decision'))
  if (!decision) return undefined
  const vendors = objectsOf(decision, 'vendors')
  const winners = vendors
    .map((vendor) =>
      organizationOf(
        {
          name: textAt(vendor, 'vendorName'),
          street: textAt(vendor, 'vendorAddress', 'street'),
          city: textAt(vendor, 'vendorAddress', 'city'),
          postalCode: textAt(vendor, 'vendorAddress', 'postalCode'),
          country: textAt(vendor, 'vendorAddress', 'countryId'),
        },
        undefined,
      ),
    )
    .filter((winner) => winner !== undefined)
  const prices = vendors.map((vendor) => moneyIn(member(vendor, 'price', 'price'), member(vendor, 'price', 'currency')))
  return compact<LotResult>({
    outcome: winners.length > 0 ? 'awarded' : 'pending',
    // A sum that leaves a winner's price out would pretend to be the value.
    awardedValue: prices.length > 0 && prices.every((price) => price !== undefined) ? sumOfMoney(prices) : undefined,
    winners: winners.length > 0 ? winners : undefined,
    contractDate: dayIn(textAt(decision, 'awardDecisionDate')),
    receivedTenders: countIn(member(decision, 'numberOfSubmissions')),
  })
}

function lotOf(lot: JsonObject, index: number, language: string): NoticeLot {
  const procurement = asObject(member(lot, 'procurement')) ?? lot
  return compact<NoticeLot>({
    lotId: cleanField(textAt(lot, 'lotNumber') ?? textAt(lot, 'number'), 50) ?? String(index + 1),
    title: textsByLanguage(member(lot, 'title') ?? member(lot, 'lotTitle'), language),
    description: textsByLanguage(
      member(procurement, 'orderDescription') ?? member(lot, 'lotDescription'),
      language,
      descriptionLimit,
    ),
    cpvCodes: cpvCodesIn(
      member(procurement, 'cpvCode', 'code') ?? member(lot, 'cpvCode', 'code'),
      objectsOf(procurement, 'additionalCpvCodes').map((code) => textAt(code, 'code')),
    ),
    nutsCodes: [],
  })
}

function referencesOf(entry: JsonObject, base: JsonObject | undefined): NoticeReference[] {
  const references: NoticeReference[] = []
  const corrected = uuidIn(textAt(base, 'correctedPubId'))
  if (corrected) references.push({ kind: 'changes', noticeId: corrected })
  const previous = uuidIn(textAt(base, 'referencingPubId') ?? textAt(entry, 'referencingPub', 'publicationId'))
  if (previous && previous !== corrected) references.push({ kind: 'previous', noticeId: previous })
  return references
}

/** Abandoned, or a call that is taken back; taking an award back leaves the procedure open. */
function isCancelledBy(entry: JsonObject, type: string): boolean {
  if (type === 'abandonment') return true
  return type === 'revocation' && !/award/.test(textAt(entry, 'referencingPub', 'pubType') ?? '')
}

function readPublication(entry: JsonObject): Notice | Rejection {
  const base = asObject(member(entry, 'base'))
  const info = asObject(member(entry, 'project-info'))
  const procurement = asObject(member(entry, 'procurement'))
  const dates = asObject(member(entry, 'dates'))
  const id = uuidIn(textAt(entry, 'id') ?? textAt(base, 'id'))
  const projectId = uuidIn(textAt(base, 'projectId'))
  const type = cleanField(textAt(entry, 'type') ?? textAt(base, 'type'), 100)?.toLowerCase() ?? 'publication'
  const titles = member(info, 'title') ?? member(base, 'title')
  const declared = textAt(base, 'creationLanguage')?.toLowerCase()
  const language =
    declared && /^[a-z]{2}$/.test(declared) ? declared : (Object.keys(textsByLanguage(titles, 'de') ?? {})[0] ?? 'und')
  const references = referencesOf(entry, base)
  const plainType = wordIn(formTypes, type) ?? (type.startsWith('award') ? 'result' : 'competition')
  const isCorrection = references.some((reference) => reference.kind === 'changes')
  const formType = isCorrection && plainType === 'competition' ? 'change' : plainType
  const result = plainType === 'result' ? resultOf(entry) : undefined
  const plainLots = objectsOf(entry, 'lots').map((lot, index) => lotOf(lot, index, language))
  const onlyLot = asObject(member(entry, 'lot'))
  const lots = plainLots.length > 0 ? plainLots : onlyLot ? [lotOf(onlyLot, 0, language)] : []
  const cancelled = isCancelledBy(entry, type)
  const buyer = buyerOf(info, language)
  const processType = textAt(base, 'processType') ?? textAt(procurement, 'processType')
  const ted = member(entry, 'ted')
  const tedNumber = tedNumberIn(
    typeof ted === 'string' ? ted : (textAt(ted, 'publicationNumber') ?? textAt(ted, 'url')),
  )
  const place = asObject(member(procurement, 'orderAddress'))
  return readPortalNotice({
    id,
    publisher,
    profile: 'simap-publication-details',
    noticeId: id,
    publicationNumber: tedNumber,
    procedureId: projectId,
    internalReference: cleanField(textAt(base, 'projectNumber'), 100),
    formType,
    noticeType: type,
    language,
    title: textsByLanguage(titles, language),
    description: textsByLanguage(member(procurement, 'orderDescription'), language, descriptionLimit),
    publicationDate: instantIn(textAt(base, 'publicationDate') ?? textAt(dates, 'publicationDate'), zone),
    contractingAuthorities: buyer ? [buyer] : [],
    procedureType: wordIn(procedureTypes, processType),
    procedureTypeNational: cleanField(processType, 100),
    contractNature: wordIn(contractNatures, textAt(base, 'orderType') ?? textAt(procurement, 'orderType')),
    cpvCodes: cpvCodesIn(
      textAt(procurement, 'cpvCode', 'code') ?? textAt(base, 'cpvCode', 'code'),
      objectsOf(procurement, 'additionalCpvCodes').map((code) => textAt(code, 'code')),
    ),
    place: place
      ? compact({
          country: textAt(place, 'countryId')?.toUpperCase() === 'CH' ? 'CH' : undefined,
          postalCode: cleanField(textAt(place, 'postalCode'), 50),
          city: cleanField(firstText(member(place, 'city'), language)),
        })
      : undefined,
    submissionDate: plainType === 'result' ? undefined : deadlineIn(textAt(dates, 'offerDeadline'), zone),
    documentsUrl: cleanUrl(textAt(info, 'documentsSourceUrl')),
    lots: result
      ? lots.length > 0
        ? lots.map((lot) => ({ ...lot, result }))
        : [{ lotId: '1', cpvCodes: [], nutsCodes: [], result }]
      : lots,
    awardedValue: result?.awardedValue,
    references,
    changeReasons: isCorrection ? ['cor-buy'] : undefined,
    isCancelled: cancelled || undefined,
    url: projectId && `https://www.simap.ch/${language === 'und' ? 'de' : language}/project-detail/${projectId}`,
  })
}

/** One answer of publication-details. Never throws. */
export function parseSimap(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readPublication)
}

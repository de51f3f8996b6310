// One publication of simap.ch, as its publication-details give it.
import { type ProcedureType, toCountry } from '../../../domain/codes.ts'
import { sumOfMoney } from '../../../domain/money.ts'
import type { FormType, LotResult, NoticeLot, NoticeReference, Place } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { asObject, type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  durationIn,
  moneyIn,
  organizationOf,
  type PublishedOrganization,
  textsByLanguage,
  uuidIn,
  wordIn,
} from '../../read-values.ts'
import { sharedResult } from '../../results.ts'
import { cleanField, descriptionLimit } from '../../text.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'ch-simap', profile: 'simap-publication-details', language: 'de' })

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

const procedureTypes: { readonly [type: string]: ProcedureType } = {
  open: 'open',
  selective: 'restricted',
  invitation: 'neg-wo-call',
  direct: 'neg-wo-call',
}

/** The region of each canton: Swiss regions of level 3 are the cantons. */
const cantons: { readonly [canton: string]: string } = {
  VD: 'CH011',
  VS: 'CH012',
  GE: 'CH013',
  BE: 'CH021',
  FR: 'CH022',
  SO: 'CH023',
  NE: 'CH024',
  JU: 'CH025',
  BS: 'CH031',
  BL: 'CH032',
  AG: 'CH033',
  ZH: 'CH040',
  GL: 'CH051',
  SH: 'CH052',
  AR: 'CH053',
  AI: 'CH054',
  SG: 'CH055',
  GR: 'CH056',
  TG: 'CH057',
  LU: 'CH061',
  UR: 'CH062',
  SZ: 'CH063',
  OW: 'CH064',
  NW: 'CH065',
  ZG: 'CH066',
  TI: 'CH070',
}

/** The region of an address by its canton. */
function regionOf(address: unknown): string | undefined {
  const canton = textAt(address, 'cantonId')
  return canton !== undefined && Object.hasOwn(cantons, canton) ? cantons[canton] : undefined
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

function buyerOf(info: JsonObject | undefined, language: string): PublishedOrganization {
  const address = member(info, 'procOfficeAddress') ?? member(info, 'procurementRecipientAddress')
  return {
    name: firstText(member(address, 'name'), language),
    street: firstText(member(address, 'street'), language),
    city: firstText(member(address, 'city'), language),
    postalCode: textAt(address, 'postalCode'),
    country: textAt(address, 'countryId'),
    nutsCode: regionOf(address),
    contactName: firstText(member(address, 'contactPerson'), language),
    email: textAt(address, 'email'),
    phone: textAt(address, 'phone'),
    url: firstText(member(address, 'url'), language),
  }
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
          nutsCode: regionOf(member(vendor, 'vendorAddress')),
        },
        undefined,
      ),
    )
    .filter((winner) => winner !== undefined)
  const prices = vendors.map((vendor) => moneyIn(member(vendor, 'price', 'price'), member(vendor, 'price', 'currency')))
  return compact<LotResult>({
    outcome: winners.length > 0 ? 'awarded' : 'pending',
    // A sum without a winner's price would be mistaken for the value.
    awardedValue: prices.length > 0 && prices.every((price) => price !== undefined) ? sumOfMoney(prices) : undefined,
    winners: winners.length > 0 ? winners : undefined,
    contractDate: dayIn(textAt(decision, 'awardDecisionDate'), home.zone),
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

function referencesOf(entry: JsonObject): NoticeReference[] {
  const base = member(entry, 'base')
  const references: NoticeReference[] = []
  const corrected = uuidIn(textAt(base, 'correctedPubId'))
  if (corrected) references.push({ kind: 'changes', noticeId: corrected })
  const previous = uuidIn(textAt(base, 'referencingPubId') ?? textAt(entry, 'referencingPub', 'publicationId'))
  if (previous && previous !== corrected) references.push({ kind: 'previous', noticeId: previous })
  return references
}

/** Abandoned, or a call that is withdrawn; withdrawing an award leaves the procedure open. */
function isCancelledBy(entry: JsonObject, type: string): boolean {
  if (type === 'abandonment') return true
  return type === 'revocation' && !/award/.test(textAt(entry, 'referencingPub', 'pubType') ?? '')
}

/** One answer of publication-details. */
export const parseSimap = jsonParser(home, (entry, text) => {
  const info = asObject(member(entry, 'project-info'))
  const procurement = member(entry, 'procurement')
  const id = uuidIn(text('id', 'base/id'))
  const projectId = uuidIn(text('base/projectId'))
  const type = cleanField(text('type', 'base/type'), 100)?.toLowerCase() ?? 'publication'
  const titles = member(info, 'title') ?? member(entry, 'base', 'title')
  const declared = text('base/creationLanguage')?.toLowerCase()
  const language =
    declared && /^[a-z]{2}$/.test(declared) ? declared : (Object.keys(textsByLanguage(titles, 'de') ?? {})[0] ?? 'und')
  const references = referencesOf(entry)
  const plainType = wordIn(formTypes, type) ?? (type.startsWith('award') ? 'result' : 'competition')
  const isCorrection = references.some((reference) => reference.kind === 'changes')
  const result = plainType === 'result' ? resultOf(entry) : undefined
  const plainLots = objectsOf(entry, 'lots').map((lot, index) => lotOf(lot, index, language))
  const onlyLot = asObject(member(entry, 'lot'))
  const lots = plainLots.length > 0 ? plainLots : onlyLot ? [lotOf(onlyLot, 0, language)] : []
  const processType = text('base/processType', 'procurement/processType')
  const place = asObject(member(procurement, 'orderAddress'))
  return {
    id,
    formType: isCorrection && plainType === 'competition' ? 'change' : plainType,
    noticeType: type,
    procedureId: projectId,
    reference: cleanField(text('base/projectNumber'), 100),
    journal: text('ted', 'ted/publicationNumber', 'ted/url'),
    language,
    title: textsByLanguage(titles, language),
    description: textsByLanguage(member(procurement, 'orderDescription'), language, descriptionLimit),
    publishedAt: text('base/publicationDate', 'dates/publicationDate'),
    deadline: plainType === 'result' ? undefined : text('dates/offerDeadline'),
    buyer: buyerOf(info, language),
    cpv: [
      text('procurement/cpvCode/code', 'base/cpvCode/code'),
      objectsOf(procurement, 'additionalCpvCodes').map((code) => textAt(code, 'code')),
    ],
    nuts: regionOf(place),
    place:
      place &&
      compact<Place>({
        country: toCountry(textAt(place, 'countryId')),
        nutsCode: regionOf(place),
        postalCode: cleanField(textAt(place, 'postalCode'), 50),
        city: cleanField(firstText(member(place, 'city'), language)),
      }),
    procedureType: wordIn(procedureTypes, processType),
    nature: wordIn(contractNatures, text('base/orderType', 'procurement/orderType')),
    lots: result
      ? lots.length > 0
        ? lots.map((lot) => ({ ...lot, result: lots.length > 1 ? sharedResult(result) : result }))
        : [{ lotId: '1', cpvCodes: [], nutsCodes: [], result }]
      : lots,
    duration: durationIn(text('procurement/contractDays') ?? text('procurement/executionDays'), 'days'),
    references,
    changeReasons: isCorrection ? ['cor-buy'] : undefined,
    isCancelled: isCancelledBy(entry, type),
    documentsUrl: textAt(info, 'documentsSourceUrl'),
    url: projectId && `https://www.simap.ch/${language === 'und' ? 'de' : language}/project-detail/${projectId}`,
    also: {
      id,
      awardedValue: result?.awardedValue,
      procedureTypeNational: cleanField(processType, 100),
    },
  }
})

// The forms of R2.0.8 (1 to 19; the defense forms 16 to 18 were used until 2023) and free-text notices (OTH_NOT).
// Element names carry the form's name as a suffix in dozens of variants, so the stable inner names are searched at any
// depth.
import type { LotResult, Money, NoticeReference } from '../../domain/notice.ts'
import { toNutsCode } from '../../domain/nuts.ts'
import { type EveryMember, uniform } from '../compact.ts'
import { distinctOrganizations } from '../results.ts'
import { cleanField, cleanLine, cleanText, cleanUrl } from '../text.ts'
import {
  attributeOf,
  childNamed,
  childrenNamed,
  descendantsNamed,
  elementsBelow,
  textOf,
  type XmlElement,
} from '../xml/xml.ts'
import { contractNatureOf, legalBasisOf, procedureTypeOfElement } from './codes.ts'
import type { FormAward, FormChange, FormContent, FormLot } from './form-content.ts'
import { toPublicationNumber } from './header.ts'
import { distinctLots, onlyLotId, toLotId } from './lots.ts'
import { countOf, cpvBelow, firstDeep, lineOf, moneyOf, organizationOf, splitDayMonthYear, textBlock } from './parts.ts'

const isAward = (element: XmlElement): boolean =>
  element.name.startsWith('AWARD_OF_CONTRACT') || element.name.startsWith('AWARD_CONTRACT_CONTRACT_AWARD_UTILITIES')
const isLot = (element: XmlElement): boolean => !isAward(element) && childNamed(element, 'LOT_NUMBER') !== undefined
/** Several purchases in one prior information notice. */
const isPart = (element: XmlElement): boolean => isLot(element) || isAward(element)

function first(element: XmlElement | undefined, name: string | RegExp): XmlElement | undefined {
  for (const found of elementsBelow(element, isPart))
    if (typeof name === 'string' ? found.name === name : name.test(found.name)) return found
  return undefined
}

/** A single value; a range is not an estimate, and a value with VAT is not used. */
function costOf(costs: XmlElement | undefined): Money | undefined {
  if (!costs || childNamed(costs, 'INCLUDING_VAT')) return undefined
  return moneyOf(childNamed(costs, 'VALUE_COST'), attributeOf(costs, 'CURRENCY'))
}

function estimateOf(element: XmlElement | undefined): Money | undefined {
  for (const found of elementsBelow(element, isPart)) {
    if (found.name === 'COSTS_RANGE_AND_CURRENCY') return costOf(found)
  }
  return undefined
}

function durationOf(element: XmlElement | undefined): FormLot['duration'] {
  const period = first(element, 'PERIOD_WORK_DATE_STARTING')
  const months = countOf(childNamed(period, 'MONTHS'))
  const days = countOf(childNamed(period, 'DAYS'))
  if (months !== undefined) return { value: months, unit: 'MONTH' }
  if (days !== undefined) return { value: days, unit: 'DAY' }
  const interval = childNamed(period, 'INTERVAL_DATE')
  const start = splitDayMonthYear(childNamed(interval, 'START_DATE'))?.date
  const end = splitDayMonthYear(childNamed(interval, 'END_DATE'))?.date
  return start === undefined && end === undefined
    ? undefined
    : uniform<NonNullable<FormLot['duration']>>({ value: undefined, unit: undefined, start, end })
}

function nutsOutsideLots(element: XmlElement | undefined): string[] {
  const codes = new Set<string>()
  for (const found of elementsBelow(element, isPart)) {
    const code = found.name === 'NUTS' ? toNutsCode(attributeOf(found, 'CODE') ?? '') : undefined
    if (code) codes.add(code)
  }
  return [...codes]
}

function lotsOf(body: XmlElement): FormLot[] {
  const lots: FormLot[] = []
  for (const found of elementsBelow(body, isAward)) {
    if (!isLot(found)) continue
    lots.push(
      uniform<FormLot>({
        lotId:
          toLotId(textOf(childNamed(found, 'LOT_NUMBER'))) ??
          toLotId(attributeOf(found, 'ITEM')) ??
          String(lots.length + 1),
        title: lineOf(childNamed(found, 'LOT_TITLE')),
        description: textBlock(childNamed(found, 'LOT_DESCRIPTION')),
        cpvCodes: cpvBelow(childNamed(found, 'CPV')),
        nutsCodes: nutsOutsideLots(found),
        estimatedValue: estimateOf(found),
        duration: durationOf(found),
      }),
    )
  }
  return distinctLots(lots)
}

function awardsOf(body: XmlElement): FormAward[] {
  return [...elementsBelow(body, isAward)].filter(isAward).map((award): FormAward => {
    // Contests and utilities nest the same data one level deeper than the other forms.
    const contacts = [...elementsBelow(award, (at) => at.name.startsWith('CONTACT_DATA'))].filter((at) =>
      at.name.startsWith('CONTACT_DATA'),
    )
    const winners = distinctOrganizations(contacts.map(organizationOf))
    const costs = [...elementsBelow(award, () => false)].find(
      (at) => at.name === 'COSTS_RANGE_AND_CURRENCY_WITH_VAT_RATE',
    )
    return uniform<FormAward>({
      lotNumber: cleanLine(textOf(firstDeep(award, 'LOT_NUMBER')), 100),
      title: lineOf(firstDeep(award, 'CONTRACT_TITLE') ?? firstDeep(award, 'TITLE_CONTRACT')),
      estimatedValue: costOf(firstDeep(award, 'INITIAL_ESTIMATED_TOTAL_VALUE_CONTRACT')),
      result: uniform<LotResult>({
        outcome: 'awarded',
        awardedValue: costOf(costs),
        winners: winners.length > 0 ? winners : undefined,
        contractDate: splitDayMonthYear(
          firstDeep(award, 'CONTRACT_AWARD_DATE') ?? firstDeep(award, 'DATE_OF_CONTRACT_AWARD'),
        )?.date,
        receivedTenders: countOf(firstDeep(award, 'OFFERS_RECEIVED_NUMBER')),
      }),
    })
  })
}

/** The notice type next to a number: `CONTRACT_NOTICE`, `PRIOR_INFORMATION_NOTICE`, `BUYER_PROFILE` … */
function referencesOf(body: XmlElement): FormContent['references'] {
  const references: { publicationNumber: string; kind?: NoticeReference['kind'] }[] = []
  const visit = (element: XmlElement): void => {
    let choice = ''
    for (const found of element.children) {
      choice = attributeOf(found, 'CHOICE') ?? attributeOf(found, 'VALUE') ?? choice
      if (found.name !== 'NOTICE_NUMBER_OJ') {
        visit(found)
        continue
      }
      const publicationNumber = toPublicationNumber(textOf(found))
      if (publicationNumber === undefined) continue
      const isPlanning =
        /PRIOR_INFORMATION|PERIODIC|BUYER_PROFILE/.test(choice) || /PRIOR_INFORMATION|PERIODIC/.test(element.name)
      if (isPlanning) references.push({ publicationNumber, kind: 'planning' })
      else if (/NOTICE/.test(choice)) references.push({ publicationNumber, kind: 'previous' })
      else references.push({ publicationNumber })
    }
  }
  visit(body)
  return references
}

/** True when an element says the word by its name, its VALUE or, with VALUE="YES", as a question answered. */
function involves(body: XmlElement, word: RegExp): boolean {
  for (const found of elementsBelow(body, isPart)) {
    const value = attributeOf(found, 'VALUE')
    if (word.test(found.name)) {
      if (value === 'NO' || /^(?:NO_|RESTRICTED_TO)/.test(found.name)) continue
      if (value === undefined || value === 'YES' || found.children.length > 0) return true
    }
    if (value !== undefined && found.name.startsWith('NOTICE_INVOLVES') && word.test(value)) return true
  }
  return false
}

function procedureOf(body: XmlElement): Pick<FormContent, 'procedureType' | 'procedureTypeNational'> {
  for (const found of elementsBelow(body, isPart)) {
    const isElement = /^(?:F\d\d_)?PT_/.test(found.name)
    const name = isElement
      ? found.name
      : found.name.startsWith('TYPE_OF_PROCEDURE')
        ? attributeOf(found, 'VALUE')
        : undefined
    if (name === undefined) continue
    const procedureType = procedureTypeOfElement(name)
    return procedureType === undefined ? { procedureTypeNational: name } : { procedureType }
  }
  return {}
}

/** Section IV.3.4, the receipt of tenders or requests, in a corrigendum of this generation; what follows is a label. */
const receiptSection = /^\s*IV\s*\.?\s*3\s*\.?\s*4\b/i

function changesOf(body: XmlElement): FormChange[] {
  return [...descendantsNamed(body, 'CORR')]
    .flatMap((correction) => correction.children)
    .flatMap((change): FormChange[] => {
      const value = childNamed(change, 'NEW_VALUE')
      const deadline = splitDayMonthYear(childNamed(value, 'DATE_TIME') ?? childNamed(value, 'DATE'))
      return deadline && receiptSection.test(lineOf(childNamed(change, 'WHERE')) ?? '') ? [{ deadline }] : []
    })
}

/** A notice of free text (EIB and others): a title, perhaps an organization, and paragraphs. */
function readFreeText(body: XmlElement): FormContent {
  const contents = childNamed(body, 'CONTENTS')
  const address = firstDeep(contents, 'ADDRESS_NOT_STRUCT')
  const paragraphs = childrenNamed(contents, 'P').map((paragraph) => lineOf(paragraph) ?? '')
  return uniform<FormContent>({
    title: lineOf(childNamed(body, 'TI_DOC')),
    description: cleanText(paragraphs.join('\n')),
    buyers: distinctOrganizations([organizationOf(address)]),
    cpvCodes: [],
    lots: [],
    awards: [],
    references: [],
    changes: [],
  })
}

/** Reads one R2.0.8 form element in its language. */
export function readOldForm(form: XmlElement): FormContent {
  const body = form.children.find((at) => at.name.startsWith('FD_')) ?? form
  if (body.name === 'FD_OTH_NOT') return readFreeText(body)
  const profile = firstDeep(body, 'CA_CE_CONCESSIONAIRE_PROFILE')
  const addresses = body.children
    .flatMap((part) => [...elementsBelow(part, (at) => !/^(?:NAME_ADDRESSES|INTERNET)/.test(at.name))])
    .find((at) => at.name.startsWith('INTERNET_ADDRESSES'))
  const onBehalf = firstDeep(body, 'PURCHASING_ON_BEHALF_YES')
  const object = body.children.find((at) => at.name.startsWith('OBJECT_')) ?? body
  const numbered = lotsOf(body)
  const final = first(body, /TOTAL_FINAL_VALUE$/) ?? object
  const title = lineOf(first(object, 'TITLE_CONTRACT'))
  const description = textBlock(
    first(object, /^SHORT_(?:CONTRACT_DESCRIPTION|DESCRIPTION|DESCRIPTION_CONTRACT)$/) ??
      first(object, 'TOTAL_QUANTITY_OR_SCOPE'),
  )
  const cpvCodes = [...new Set([...elementsBelow(object, isPart)].filter((at) => at.name === 'CPV').flatMap(cpvBelow))]
  const nutsCodes = nutsOutsideLots(object)
  const site = cleanLine(
    lineOf(
      first(object, /^(?:LOCATION|SITE_OR_LOCATION)$/)?.children.find((at) => at.name === 'LABEL') ??
        first(object, 'LOCATION'),
    ),
    500,
  )
  const estimatedValue = estimateOf(object)
  const lots =
    numbered.length > 0
      ? numbered.map((lot) => (lot.nutsCodes.length > 0 ? lot : { ...lot, nutsCodes }))
      : [
          uniform<FormLot>({
            lotId: onlyLotId,
            description,
            cpvCodes,
            nutsCodes,
            site,
            duration: durationOf(object),
          }),
        ]
  const receipt = splitDayMonthYear(first(body, 'RECEIPT_LIMIT_DATE'))
  return uniform<FormContent>({
    title,
    description,
    referenceNumber: cleanField(lineOf(first(body, /^(?:FILE_REFERENCE_NUMBER|REFERENCE_NUMBER_ATTRIBUTED)$/))),
    contractNature:
      contractNatureOf(attributeOf(first(object, 'TYPE_CONTRACT'), 'VALUE')) ??
      contractNatureOf(attributeOf(body, 'CTYPE')),
    ...procedureOf(body),
    legalBasis: legalBasisOf(attributeOf(form, 'DIRECTIVE')),
    buyers: distinctOrganizations([
      withAddresses(organizationOf(profile), addresses),
      ...(onBehalf ? onBehalf.children.filter((at) => at.name.startsWith('CONTACT_DATA')).map(organizationOf) : []),
    ]),
    buyerProfileUrl: cleanUrl(textOf(childNamed(addresses, 'URL_BUYER'))),
    documentsUrl: cleanUrl(textOf(childNamed(addresses, 'URL_INFORMATION'))),
    submissionUrl: cleanUrl(textOf(childNamed(addresses, 'URL_PARTICIPATE'))),
    cpvCodes,
    estimatedValue,
    awardedValue: costOf(first(final, 'COSTS_RANGE_AND_CURRENCY_WITH_VAT_RATE')),
    isFramework: involves(body, /FRAMEWORK/) ? true : undefined,
    isDynamicPurchasingSystem: involves(body, /DYNAMIC_PURCHASING|^DPS$/) ? true : undefined,
    deadline: receipt,
    dispatchDate: splitDayMonthYear(first(body, 'NOTICE_DISPATCH_DATE')),
    lots,
    awards: awardsOf(body),
    references: referencesOf(body),
    changes: changesOf(body),
  } satisfies EveryMember<
    Omit<FormContent, 'procedureType' | 'procedureTypeNational' | 'isDynamicPurchasingSystemTerminated' | 'validityEnd'>
  >)
}

function withAddresses(
  organization: ReturnType<typeof organizationOf>,
  addresses: XmlElement | undefined,
): ReturnType<typeof organizationOf> {
  const url = cleanUrl(textOf(childNamed(addresses, 'URL_GENERAL')))
  return organization && url !== undefined && organization.url === undefined ? { ...organization, url } : organization
}

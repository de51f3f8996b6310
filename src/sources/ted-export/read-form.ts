// The forms of R2.0.9 (F01 to F25, T01, T02): one structure with small differences. docs/fields.md names the elements.
import type { LotResult, Money, Organization } from '../../domain/notice.ts'
import { type EveryMember, uniform } from '../compact.ts'
import { distinctOrganizations } from '../results.ts'
import { cleanField, cleanLine, cleanUrl } from '../text.ts'
import {
  attributeOf,
  childNamed,
  childrenNamed,
  descendantsNamed,
  pathNamed,
  textOf,
  type XmlElement,
} from '../xml/xml.ts'
import { contractNatureOf, legalBasisOf, procedureTypeOfElement } from './codes.ts'
import type { FormAward, FormChange, FormContent, FormLot, PlainDateTime } from './form-content.ts'
import { toPublicationNumber } from './header.ts'
import { distinctLots, onlyLotId, toLotId } from './lots.ts'
import {
  countOf,
  cpvBelow,
  firstDeep,
  lineOf,
  moneyOf,
  nutsOf,
  organizationOf,
  splitDateTime,
  textBlock,
} from './parts.ts'

/** The first existing child of one of these names. */
function firstOf(element: XmlElement | undefined, ...names: readonly string[]): XmlElement | undefined {
  for (const name of names) {
    const found = childNamed(element, name)
    if (found) return found
  }
  return undefined
}

const dateOf = (element: XmlElement | undefined): PlainDateTime | undefined => splitDateTime(textOf(element))

function durationOf(element: XmlElement): FormLot['duration'] {
  const measure = childNamed(element, 'DURATION')
  const value = countOf(measure)
  const start = dateOf(childNamed(element, 'DATE_START'))?.date
  const end = dateOf(childNamed(element, 'DATE_END'))?.date
  if (value === undefined && start === undefined && end === undefined) return undefined
  return uniform<NonNullable<FormLot['duration']>>({
    value,
    unit: value === undefined ? undefined : attributeOf(measure, 'TYPE'),
    start,
    end,
  })
}

function lotOf(description: XmlElement, lotId: string, object?: XmlElement): FormLot {
  return uniform<FormLot>({
    lotId,
    title: lineOf(childNamed(description, 'TITLE')) ?? lineOf(childNamed(object, 'TITLE')),
    description: textBlock(childNamed(description, 'SHORT_DESCR')),
    cpvCodes: childrenNamed(description, 'CPV_MAIN')
      .concat(childrenNamed(description, 'CPV_ADDITIONAL'))
      .flatMap(cpvBelow),
    nutsCodes: nutsOf(description),
    site: cleanLine(lineOf(childNamed(description, 'MAIN_SITE')), 500),
    estimatedValue:
      moneyOf(childNamed(description, 'VAL_OBJECT')) ?? moneyOf(childNamed(object, 'VAL_ESTIMATED_TOTAL')),
    duration: durationOf(description),
  })
}

/**
 * Lots of all OBJECT_CONTRACT elements; prior information may announce several purchases, each of which becomes a lot.
 */
function lotsOf(objects: readonly XmlElement[]): FormLot[] {
  const several = objects.length > 1
  const lots = objects.flatMap((object, position) => {
    const descriptions = childrenNamed(object, 'OBJECT_DESCR')
    const item = several ? (toLotId(attributeOf(object, 'ITEM')) ?? String(position + 1)) : undefined
    return descriptions.map((description, index) => {
      const number = toLotId(textOf(childNamed(description, 'LOT_NO')))
      const own =
        number ??
        (descriptions.length > 1 ? (toLotId(attributeOf(description, 'ITEM')) ?? String(index + 1)) : undefined)
      const lotId = item === undefined ? (own ?? onlyLotId) : own === undefined ? item : `${item}.${own}`
      // Title and value of an object apply to its lot only if the lot has no others.
      return lotOf(description, lotId, several && descriptions.length === 1 ? object : undefined)
    })
  })
  return distinctLots(lots)
}

function contractorsOf(element: XmlElement, name: string, address: string): Organization[] {
  return distinctOrganizations(
    [...descendantsNamed(element, name)].map((contractor) => organizationOf(childNamed(contractor, address))),
  )
}

/** VAL_TOTAL and similar elements are below VALUES in some versions, and next to it in others. */
const amountOf = (element: XmlElement | undefined, name: string): Money | undefined =>
  moneyOf(childNamed(firstOf(element, 'VALUES', 'VALUE') ?? element, name))

/**
 * `modified`: section VII of a modification (F20), which states the present contractor and amount. In VII.1.6, many
 * buyers write what the modification adds, or the first amount; the amount after the modification (VII.2.3) goes first.
 */
function awardedOf(element: XmlElement, modified: XmlElement | undefined): LotResult {
  const now = childNamed(modified, 'DESCRIPTION_PROCUREMENT')
  const changed = now ? contractorsOf(now, 'CONTRACTOR', 'ADDRESS_CONTRACTOR') : []
  const winners = changed.length > 0 ? changed : contractorsOf(element, 'CONTRACTOR', 'ADDRESS_CONTRACTOR')
  return uniform<LotResult>({
    outcome: 'awarded',
    awardedValue:
      amountOf(childNamed(modified, 'INFO_MODIFICATIONS'), 'VAL_TOTAL_AFTER') ??
      amountOf(now, 'VAL_TOTAL') ??
      amountOf(element, 'VAL_TOTAL'),
    winners: winners.length > 0 ? winners : undefined,
    contractDate: dateOf(childNamed(element, 'DATE_CONCLUSION_CONTRACT'))?.date,
    receivedTenders: countOf(childNamed(childNamed(element, 'TENDERS') ?? element, 'NB_TENDERS_RECEIVED')),
  })
}

/** TED's two words for an award that was not made; R2.0.9 has no more precise reason. */
function notAwarded(element: XmlElement): LotResult {
  const reason = childNamed(element, 'PROCUREMENT_DISCONTINUED')
    ? 'discontinued'
    : childNamed(element, 'PROCUREMENT_UNSUCCESSFUL')
      ? 'unsuccessful'
      : undefined
  return reason === undefined ? { outcome: 'not-awarded' } : { outcome: 'not-awarded', reason }
}

function awardsOf(form: XmlElement): FormAward[] {
  const awards = childrenNamed(form, 'AWARD_CONTRACT').flatMap((award): FormAward[] => {
    const made = childNamed(award, 'AWARDED_CONTRACT')
    const failed = childNamed(award, 'NO_AWARDED_CONTRACT')
    const modified = childNamed(form, 'MODIFICATIONS_CONTRACT')
    if (!made && !failed) return []
    return [
      uniform<FormAward>({
        lotNumber: cleanLine(textOf(childNamed(award, 'LOT_NO')), 100),
        title: lineOf(childNamed(award, 'TITLE')),
        estimatedValue: amountOf(made, 'VAL_ESTIMATED_TOTAL'),
        result: made ? awardedOf(made, modified) : notAwarded(failed!),
      }),
    ]
  })
  // Design contests (F13): the prize takes the contract's place.
  for (const results of childrenNamed(form, 'RESULTS')) {
    const prize = childNamed(results, 'AWARDED_PRIZE')
    if (prize) {
      const winners = contractorsOf(prize, 'WINNER', 'ADDRESS_WINNER')
      awards.push({
        result: uniform<LotResult>({
          outcome: 'awarded',
          awardedValue: moneyOf(childNamed(prize, 'VAL_PRIZE')),
          winners: winners.length > 0 ? winners : undefined,
          contractDate: dateOf(childNamed(prize, 'DATE_DECISION_JURY'))?.date,
          receivedTenders: countOf(childNamed(childNamed(prize, 'PARTICIPANTS') ?? prize, 'NB_PARTICIPANTS')),
        }),
      })
    } else if (childNamed(results, 'NO_AWARDED_PRIZE')) {
      awards.push({ result: notAwarded(childNamed(results, 'NO_AWARDED_PRIZE')!) })
    }
  }
  return awards
}

/**
 * Section IV.2.2, the receipt of tenders, applications or requests, which is IV.3.4 in the older forms that lived on
 * (defense); the label after it is in any language.
 */
const receiptSection = /^\s*IV\s*\.?\s*(?:2\s*\.?\s*2|3\s*\.?\s*4)\b/i

function changesOf(form: XmlElement): FormChange[] {
  return childrenNamed(childNamed(form, 'CHANGES'), 'CHANGE').flatMap((change): FormChange[] => {
    const where = childNamed(change, 'WHERE')
    const value = childNamed(change, 'NEW_VALUE')
    const day = dateOf(childNamed(value, 'DATE'))
    if (!day || !receiptSection.test(textOf(childNamed(where, 'SECTION')) ?? '')) return []
    // A correction may move the day and leave the time unchanged.
    const time = textOf(childNamed(value, 'TIME')) ?? textOf(childNamed(childNamed(change, 'OLD_VALUE'), 'TIME'))
    return [
      uniform<FormChange>({
        lotNumbers: cleanLine(textOf(childNamed(where, 'LOT_NO')), 100),
        deadline: time === undefined ? { date: day.date } : { date: day.date, time },
      }),
    ]
  })
}

/** Reads one R2.0.9 form element in its language. Never throws on content; missing content stays missing. */
export function readForm(form: XmlElement): FormContent {
  const body = childNamed(form, 'CONTRACTING_BODY')
  const objects = childrenNamed(form, 'OBJECT_CONTRACT')
  const object = objects[0]
  const procedure = childNamed(form, 'PROCEDURE')
  const complement = childNamed(form, 'COMPLEMENTARY_INFO')
  const modified = childNamed(form, 'MODIFICATIONS_CONTRACT')
  const main = childNamed(body, 'ADDRESS_CONTRACTING_BODY')
  const procedureElement =
    procedure &&
    [...procedure.children, ...procedure.children.flatMap((inner) => inner.children)].find((at) =>
      at.name.startsWith('PT_'),
    )
  const procedureType = procedureElement && procedureTypeOfElement(procedureElement.name)
  const lots = lotsOf(objects)
  const isDivided = lots.length > 1 || lots.some((lot) => lot.lotId !== onlyLotId)
  const qualification = objects
    .flatMap((at) => childrenNamed(at, 'OBJECT_DESCR'))
    .map((at) => childNamed(at, 'QS') ?? at)
  const isQualification =
    /F07/.test(attributeOf(form, 'FORM') ?? form.name) || qualification.some((at) => at.name === 'QS')
  const time = textOf(childNamed(procedure, 'TIME_RECEIPT_TENDERS'))
  const receipt = dateOf(childNamed(procedure, 'DATE_RECEIPT_TENDERS'))
  return uniform<FormContent>({
    title: lineOf(childNamed(object, 'TITLE')),
    description: textBlock(childNamed(object, 'SHORT_DESCR')) ?? (lots.length === 1 ? lots[0]!.description : undefined),
    referenceNumber: cleanField(lineOf(childNamed(object, 'REFERENCE_NUMBER'))),
    contractNature: contractNatureOf(attributeOf(childNamed(object, 'TYPE_CONTRACT'), 'CTYPE')),
    procedureType,
    procedureTypeNational: procedureElement && procedureType === undefined ? procedureElement.name : undefined,
    legalBasis:
      legalBasisOf(attributeOf(childNamed(form, 'LEGAL_BASIS') ?? childNamed(form, 'DIRECTIVE'), 'VALUE')) ??
      (childNamed(form, 'LEGAL_BASIS_OTHER') ? 'other' : undefined),
    buyers: distinctOrganizations(
      [main, ...childrenNamed(body, 'ADDRESS_CONTRACTING_BODY_ADDITIONAL')].map(organizationOf),
    ),
    buyerProfileUrl: cleanUrl(textOf(childNamed(main, 'URL_BUYER'))),
    documentsUrl: cleanUrl(textOf(childNamed(body, 'URL_DOCUMENT'))),
    submissionUrl: cleanUrl(textOf(childNamed(body, 'URL_PARTICIPATION'))),
    // A notice that is not divided has one lot, whose codes are the procedure's too.
    cpvCodes: [
      ...new Set([
        ...objects.flatMap((at) => cpvBelow(childNamed(at, 'CPV_MAIN'))),
        ...(isDivided ? [] : lots.flatMap((lot) => lot.cpvCodes)),
      ]),
    ],
    estimatedValue: objects.length > 1 ? undefined : moneyOf(childNamed(object, 'VAL_ESTIMATED_TOTAL')),
    awardedValue:
      amountOf(childNamed(modified, 'INFO_MODIFICATIONS'), 'VAL_TOTAL_AFTER') ??
      moneyOf(childNamed(object, 'VAL_TOTAL')),
    isFramework: firstDeep(procedure, 'FRAMEWORK') ? true : undefined,
    isDynamicPurchasingSystem: firstDeep(procedure, 'DPS') ? true : undefined,
    isDynamicPurchasingSystemTerminated: firstDeep(procedure, 'TERMINATION_DPS') ? true : undefined,
    deadline: receipt && (time === undefined ? receipt : { date: receipt.date, time }),
    validityEnd: isQualification
      ? qualification.map((at) => dateOf(childNamed(at, 'DATE_END'))).find((at) => at !== undefined)
      : undefined,
    dispatchDate: dateOf(childNamed(complement, 'DATE_DISPATCH_NOTICE')),
    lots,
    awards: awardsOf(form),
    references: [...childrenNamed(procedure, 'NOTICE_NUMBER_OJ'), ...childrenNamed(complement, 'NOTICE_NUMBER_OJ')]
      .map((number) => toPublicationNumber(textOf(number)))
      .filter((publicationNumber) => publicationNumber !== undefined)
      .map((publicationNumber) => ({ publicationNumber })),
    changes: changesOf(form),
  } satisfies EveryMember<FormContent>)
}

/** True for the element names of R2.0.9 forms. */
export function isForm2014(form: XmlElement): boolean {
  return (
    /^F\d\d_20\d\d$/.test(form.name) ||
    form.name === 'MOVE' ||
    pathNamed(form, 'OBJECT_CONTRACT', 'TITLE') !== undefined
  )
}

// Lots, and the Parts of planning notices. Groups of lots (GLO) are not lots.
import type { NoticeLot } from '../../domain/notice.ts'
import { parseDate } from '../../domain/time.ts'
import { type EveryMember, uniform } from '../compact.ts'
import { cleanUrl, parseAmount } from '../text.ts'
import { attributeOf, textOf, type XmlElement } from '../xml/xml.ts'
import { allCac, allCbc, cac, cbc, cbcText, codeOf, efac, extensionOf, idOf } from './elements.ts'
import {
  contractNatureOf,
  cpvCodesOf,
  deadlineOf,
  estimatesOf,
  internalReferenceOf,
  type NoticeContext,
  nutsCodesOf,
  placeOf,
  textsOf,
} from './notice-context.ts'

/** The elements that are lots or Parts, in document order. */
export function lotElements(root: XmlElement): readonly XmlElement[] {
  return allCac(root, 'ProcurementProjectLot').filter((lot) => {
    const id = cbc(lot, 'ID')
    return attributeOf(id, 'schemeName') !== 'LotsGroup' && !textOf(id)?.startsWith('GLO-')
  })
}

/** Lots with distinct IDs in document order; a lot without an ID receives the next free number. */
export function readLots(root: XmlElement, context: NoticeContext): NoticeLot[] {
  const lots = new Map<string, NoticeLot>()
  for (const element of lotElements(root)) {
    let lotId = idOf(element)?.slice(0, 200)
    for (let number = lots.size + 1; !lotId; number++) {
      const candidate = `LOT-${String(number).padStart(4, '0')}`
      if (!lots.has(candidate)) lotId = candidate
    }
    const lot = readLot(element, lotId, context)
    const known = lots.get(lotId)
    // A repeated ID breaks the format. The same lot repeated is one; another one receives its position after the ID.
    if (!known) lots.set(lotId, lot)
    else if (JSON.stringify(known) !== JSON.stringify(lot))
      lots.set(`${lotId}#${lots.size + 1}`, { ...lot, lotId: `${lotId}#${lots.size + 1}` })
  }
  return [...lots.values()]
}

function readLot(element: XmlElement, lotId: string, context: NoticeContext): NoticeLot {
  const project = cac(element, 'ProcurementProject')
  const process = cac(element, 'TenderingProcess')
  const terms = cac(element, 'TenderingTerms')
  const title = textsOf(allCbc(project, 'Name'), 'title', context)
  const description = textsOf(allCbc(project, 'Description'), 'description', context)
  const internalReference = internalReferenceOf(project)
  const contractNature = contractNatureOf(project)
  const place = placeOf(project, context)
  const submissionDate = deadlineOf(cac(process, 'TenderSubmissionDeadlinePeriod'), context)
  const participationDate = deadlineOf(cac(process, 'ParticipationRequestReceptionPeriod'), context)
  const interestDate = deadlineOf(efac(extensionOf(process), 'InterestExpressionReceptionPeriod'), context)
  const documentsUrl = documentsUrlOf(terms)
  const submissionUrl = submissionUrlOf(terms)
  const duration = durationOf(cac(project, 'PlannedPeriod'))
  const { estimatedValue, frameworkMaximum } = estimatesOf(project, context)
  return uniform<NoticeLot>({
    lotId,
    title,
    description,
    internalReference,
    contractNature,
    cpvCodes: cpvCodesOf(project),
    nutsCodes: nutsCodesOf(project),
    place,
    estimatedValue,
    frameworkMaximum,
    submissionDate,
    participationDate,
    interestDate,
    documentsUrl,
    submissionUrl,
    duration,
    result: undefined,
  } satisfies EveryMember<Omit<NoticeLot, 'cancelled'>>)
}

/** BT-15, otherwise BT-615 (documents with restricted access). */
export function documentsUrlOf(terms: XmlElement | undefined): string | undefined {
  let restricted: string | undefined
  for (const reference of allCac(terms, 'CallForTendersDocumentReference')) {
    for (const attachment of allCac(reference, 'Attachment')) {
      const url = cleanUrl(cbcText(cac(attachment, 'ExternalReference'), 'URI'))
      if (url && cbcText(reference, 'DocumentType') !== 'restricted-document') return url
      restricted ??= url
    }
  }
  return restricted
}

/** BT-18. */
export function submissionUrlOf(terms: XmlElement | undefined): string | undefined {
  return cleanUrl(cbcText(cac(terms, 'TenderRecipientParty'), 'EndpointID'))
}

/** BT-36, BT-536, BT-537. The words of BT-538 (`UNLIMITED`, `UNKNOWN`) are not durations. */
export function durationOf(period: XmlElement | undefined): NoticeLot['duration'] {
  const measure = cbc(period, 'DurationMeasure')
  const value = parseAmount(textOf(measure))
  const unit = codeOf(measure) && attributeOf(measure, 'unitCode')?.slice(0, 20)
  const start = calendarDay(cbcText(period, 'StartDate'))
  const end = calendarDay(cbcText(period, 'EndDate'))
  const hasValue = value !== undefined && value > 0
  if (!hasValue && !start && !end) return undefined
  return uniform<NonNullable<NoticeLot['duration']>>({
    value: hasValue ? value : undefined,
    unit: (hasValue && unit) || undefined,
    start,
    end,
  })
}

function calendarDay(text: string | undefined): string | undefined {
  return text && parseDate(text) ? text.slice(0, 10) : undefined
}

// Lots, and the Parts of planning notices. Groups of lots (GLO) are no lots.
import type { NoticeLot } from '../../domain/notice.ts'
import { parseDate } from '../../domain/time.ts'
import { uniform } from '../compact.ts'
import { cleanUrl, parseAmount } from '../text.ts'
import { attributeOf, textOf, type XmlElement } from '../xml.ts'
import { allCac, allCbc, cac, cbc, cbcText, codeOf, efac, extensionOf, idOf } from './elements.ts'
import {
  contractNatureOf,
  cpvCodesOf,
  deadlineOf,
  estimatesOf,
  internalReferenceOf,
  nutsCodesOf,
  placeOf,
  type Reading,
  textsOf,
} from './reading.ts'

/** The elements that are lots or Parts, in document order. */
export function lotElements(root: XmlElement): readonly XmlElement[] {
  return allCac(root, 'ProcurementProjectLot').filter((lot) => {
    const id = cbc(lot, 'ID')
    return attributeOf(id, 'schemeName') !== 'LotsGroup' && !textOf(id)?.startsWith('GLO-')
  })
}

/** Lots with distinct ids in document order; a lot without an id gets the next free number. */
export function readLots(root: XmlElement, reading: Reading): NoticeLot[] {
  const lots = new Map<string, NoticeLot>()
  for (const element of lotElements(root)) {
    let lotId = idOf(element)?.slice(0, 200)
    for (let number = lots.size + 1; !lotId; number++) {
      const candidate = `LOT-${String(number).padStart(4, '0')}`
      if (!lots.has(candidate)) lotId = candidate
    }
    const lot = readLot(element, lotId, reading)
    const known = lots.get(lotId)
    // An id that comes twice breaks the format. The same lot told twice is one; another gets its position behind the id.
    if (!known) lots.set(lotId, lot)
    else if (JSON.stringify(known) !== JSON.stringify(lot))
      lots.set(`${lotId}#${lots.size + 1}`, { ...lot, lotId: `${lotId}#${lots.size + 1}` })
  }
  return [...lots.values()]
}

function readLot(element: XmlElement, lotId: string, reading: Reading): NoticeLot {
  const project = cac(element, 'ProcurementProject')
  const process = cac(element, 'TenderingProcess')
  const terms = cac(element, 'TenderingTerms')
  const title = textsOf(allCbc(project, 'Name'), 'title', reading)
  const description = textsOf(allCbc(project, 'Description'), 'description', reading)
  const internalReference = internalReferenceOf(project)
  const contractNature = contractNatureOf(project)
  const place = placeOf(project, reading)
  const submissionDate = deadlineOf(cac(process, 'TenderSubmissionDeadlinePeriod'), reading)
  const participationDate = deadlineOf(cac(process, 'ParticipationRequestReceptionPeriod'), reading)
  const interestDate = deadlineOf(efac(extensionOf(process), 'InterestExpressionReceptionPeriod'), reading)
  const documentsUrl = documentsUrlOf(terms)
  const submissionUrl = submissionUrlOf(terms)
  const duration = durationOf(cac(project, 'PlannedPeriod'))
  const { estimatedValue, frameworkMaximum } = estimatesOf(project)
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
  })
}

/** BT-15, else BT-615 (documents behind a restriction). */
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

/** BT-36, BT-536, BT-537. What BT-538 says in words (`UNLIMITED`, `UNKNOWN`) is no duration. */
function durationOf(period: XmlElement | undefined): NoticeLot['duration'] {
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

// TED_EXPORT (R2.0.8, R2.0.9): the XML of TED from 2011 to early 2024. One document is one notice in one or more
// languages.
import { toLanguage } from '../../domain/codes.ts'
import type {
  LackedBy,
  LotResult,
  MultilingualText,
  Notice,
  NoticeLot,
  NoticeReference,
  ParsedPart,
  Place,
  RejectionReason,
} from '../../domain/notice.ts'
import { type Instant, joinDateTime, zoneOf } from '../../domain/time.ts'
import { type EveryMember, uniform } from '../compact.ts'
import { attributeOf, childNamed, childrenNamed, textOf, type XmlElement } from '../xml/xml.ts'
import {
  contractNatureOf,
  isNationalProcedureCode,
  kindOf,
  legalBasisOf,
  procedureTypeOfHeader,
  startsWithParticipation,
} from './codes.ts'
import type { FormContent, FormLot, PlainDateTime } from './form-content.ts'
import { type Header, readHeader, translatedTitle } from './header.ts'
import { distinctLots, joinAwards, lotIdsIn } from './lots.ts'
import { countryOfNuts, lineOf } from './parts.ts'
import { isForm2014, readForm } from './read-form.ts'
import { readOldForm } from './read-old-form.ts'

/** The Publications Office works in Luxembourg; its publication dates carry no zone. */
const publisherZone = 'Europe/Luxembourg'

type Form = { readonly language: string; readonly element: XmlElement; readonly content: FormContent }

/** True for the root element of this format, in whichever of its namespaces. */
function isTedExport(root: XmlElement): boolean {
  return root.name === 'TED_EXPORT'
}

function formNumberOf(element: XmlElement): string {
  return attributeOf(element, 'FORM') ?? /^F\d\d/.exec(element.name)?.[0] ?? element.name
}

/** The forms in original languages, the header's first; without any, the translation nearest to the original. */
function readForms(root: XmlElement, header: Header): Form[] {
  const elements = (childNamed(root, 'FORM_SECTION')?.children ?? []).filter(
    (at) => at.name !== 'NOTICE_UUID' && at.children.length > 0,
  )
  const originals = elements.filter((at) => attributeOf(at, 'CATEGORY') === 'ORIGINAL')
  const languageOf = (at: XmlElement) => toLanguage(attributeOf(at, 'LG')) ?? 'und'
  const rank = (at: XmlElement) => {
    const position = header.languages.indexOf(languageOf(at))
    return position < 0 ? header.languages.length : position
  }
  const ordered = (originals.length > 0 ? originals : elements).toSorted((left, right) => rank(left) - rank(right))
  const seen = new Set<string>()
  return (originals.length > 0 ? ordered : ordered.slice(0, 1)).flatMap((element): Form[] => {
    const language = languageOf(element)
    if (seen.has(language)) return []
    seen.add(language)
    return [{ language, element, content: isForm2014(element) ? readForm(element) : readOldForm(element) }]
  })
}

function textsOf(
  forms: readonly Form[],
  read: (content: FormContent) => string | undefined,
): MultilingualText | undefined {
  const texts: Record<string, string> = {}
  for (const form of forms) {
    const text = read(form.content)
    if (text !== undefined) texts[form.language] = text
  }
  return Object.keys(texts).length > 0 ? texts : undefined
}

function titleOf(root: XmlElement, forms: readonly Form[], language: string): MultilingualText | undefined {
  const own = textsOf(forms, (content) => content.title)
  if (own) return own
  const translated = translatedTitle(root, language)
  const text = lineOf(translated?.element)
  return translated && text !== undefined ? { [translated.language]: text } : undefined
}

/** A short site text names a town; a longer one is a description and stays out of the address. */
function placeOf(nutsCode: string | undefined, site: string | undefined): Place | undefined {
  const city =
    site !== undefined && site.length <= 60 && !/[:;]/.test(site)
      ? site.replace(/\.$/, '').trim() || undefined
      : undefined
  const country = countryOfNuts(nutsCode)
  return nutsCode === undefined && city === undefined
    ? undefined
    : uniform<Place>({ country, nutsCode, postalCode: undefined, city })
}

/** Members of a notice or lot that hold a deadline, by what the first step of the procedure is. */
function deadlineMembers(
  instant: Instant | undefined,
  isParticipation: boolean,
): { submissionDate?: Instant; participationDate?: Instant } {
  if (instant === undefined) return {}
  return isParticipation ? { participationDate: instant } : { submissionDate: instant }
}

function referencesOf(
  content: FormContent,
  header: Header,
  formType: Notice['formType'],
  own: string,
): NoticeReference[] {
  const usual: NoticeReference['kind'] =
    formType === 'change'
      ? 'changes'
      : formType === 'cont-modif'
        ? 'modifies'
        : formType === 'competition' || formType === 'planning'
          ? 'planning'
          : 'previous'
  const kinds = new Map<string, NoticeReference['kind']>()
  for (const reference of content.references) {
    const kind = formType === 'change' || formType === 'cont-modif' ? usual : (reference.kind ?? usual)
    if (!kinds.has(reference.publicationNumber)) kinds.set(reference.publicationNumber, kind)
  }
  for (const number of header.references) if (!kinds.has(number)) kinds.set(number, usual)
  kinds.delete(own)
  return [...kinds].map(([publicationNumber, kind]) => ({ kind, publicationNumber }))
}

/** Corrigenda and modifications name further codes in sections that only the header sums up. */
function cpvCodesOf(content: FormContent, header: Header, formType: Notice['formType']): readonly string[] {
  if (content.cpvCodes.length === 0) return header.cpvCodes
  const isSummedUp = formType === 'change' || formType === 'cont-modif'
  return isSummedUp ? [...new Set([...content.cpvCodes, ...header.cpvCodes])] : content.cpvCodes
}

/** The outcome of the whole notice if nothing was awarded. */
function failureOf(results: readonly LotResult[]): Pick<Notice, 'isCancelled' | 'isUnsuccessful'> {
  if (results.length === 0 || results.some((result) => result.outcome !== 'not-awarded')) return {}
  return results.every((result) => result.reason === 'discontinued') ? { isCancelled: true } : { isUnsuccessful: true }
}

function rejected(reason: RejectionReason, path: string, detail: string): ParsedPart[] {
  return [{ pointer: '', rejection: { reason, path, detail } }]
}

const uuidPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Reads a TED_EXPORT document to one notice or one rejection: `missing-identity` without an Official Journal number,
 * `not-procurement` for document types that announce none, `missing-content` without title and buyer. Never throws.
 */
export function parseTedExport(root: XmlElement): ParsedPart[] {
  if (!isTedExport(root)) return rejected('unsupported-format', `/${root.name}`, 'the root element is not TED_EXPORT')
  const header = readHeader(root)
  const number = header.publicationNumber
  if (number === undefined) {
    return rejected(
      'missing-identity',
      '/TED_EXPORT/CODED_DATA_SECTION/NOTICE_DATA/NO_DOC_OJS',
      'no number of the Official Journal',
    )
  }
  const forms = readForms(root, header)
  const form = forms[0]
  if (!form) return rejected('missing-content', '/TED_EXPORT/FORM_SECTION', 'the document holds no form')
  const formNumber = formNumberOf(form.element)
  const kind = kindOf(formNumber, attributeOf(childNamed(form.element, 'NOTICE'), 'TYPE'), header.documentType)
  if (!kind) {
    return rejected(
      'not-procurement',
      '/TED_EXPORT/CODED_DATA_SECTION/CODIF_DATA/TD_DOCUMENT_TYPE',
      `document type ${header.documentType ?? 'missing'} of form ${formNumber}`,
    )
  }
  const { content, language } = form
  const title = titleOf(root, forms, language)
  if (!title && content.buyers.length === 0)
    return rejected('missing-content', '/TED_EXPORT/FORM_SECTION', 'neither a title nor a buyer')

  const zone = zoneOf(content.buyers[0]?.country ?? header.country)
  const instantOf = (at: PlainDateTime | undefined, missingTime: 'start-of-day' | 'end-of-day', where: string = zone) =>
    at && (joinDateTime(at.date, at.time, where, missingTime) ?? joinDateTime(at.date, undefined, where, missingTime))
  const procedureType = content.procedureType ?? procedureTypeOfHeader(header.procedureCode)
  // Calls made by prior information collect expressions of interest first, whatever procedure follows.
  const isParticipation = startsWithParticipation(procedureType) || kind.noticeType.startsWith('pin-cfc')

  const changed = content.changes.filter((change) => change.lotNumbers === undefined).at(-1)?.deadline
  // In a corrigendum the header states the deadline as it now is.
  const deadline = instantOf(changed ?? content.deadline ?? header.deadline, 'end-of-day')
  const hasDeadline = kind.formType === 'competition' || kind.formType === 'planning' || kind.formType === 'change'

  const awardedValue = content.awardedValue ?? header.awardedValue
  const joined =
    kind.formType === 'change' ? changedLots(content) : joinAwards(content.lots, content.awards, awardedValue)
  const moved = new Map<string, PlainDateTime>()
  for (const change of content.changes)
    for (const lotId of lotIdsIn(change.lotNumbers)) moved.set(lotId, change.deadline)
  const others = forms
    .slice(1)
    .map((at) => ({ language: at.language, lots: new Map(at.content.lots.map((lot) => [lot.lotId, lot])) }))
  const lots = distinctLots(joined).map((lot): NoticeLot => {
    const deadlines = deadlineMembers(instantOf(moved.get(lot.lotId), 'end-of-day'), isParticipation)
    return { ...toLot(lot, language, others), ...deadlines }
  })
  const lotNuts = [...new Set(lots.flatMap((lot) => lot.nutsCodes))]
  const nutsCodes = lotNuts.length > 0 ? lotNuts : header.nutsCodes
  const sites = new Set(content.lots.map((lot) => lot.site).filter((site) => site !== undefined))
  const noticeId = textOf(childrenNamed(childNamed(root, 'FORM_SECTION'), 'NOTICE_UUID')[0])?.toLowerCase()
  const version = attributeOf(form.element, 'VERSION') ?? attributeOf(root, 'VERSION') ?? root.uri
  const languages = [...new Set([language, ...forms.map((at) => at.language), ...header.languages])].filter(
    (code) => code !== 'und',
  )

  const notice = uniform<Notice>({
    noticeKey: `ted:${number}`,
    publisher: 'ted',
    format: 'ted-export',
    profile: /R\d\.\d\.\d(?:\.S\d\d)?(?:\.E\d\d)?/.exec(version)?.[0] ?? 'TED_EXPORT',
    noticeId: noticeId !== undefined && uuidPattern.test(noticeId) ? noticeId : undefined,
    publicationNumber: number,
    internalReference: content.referenceNumber,
    formType: kind.formType,
    noticeType: kind.noticeType,
    noticeSubtype: formNumber,
    legalBasis: content.legalBasis ?? legalBasisOf(header.directive),
    language,
    languages: languages.length > 0 ? languages : ['und'],
    title,
    description: textsOf(forms, (at) => at.description),
    publicationDate: instantOf(header.publicationDate, 'start-of-day', publisherZone),
    dispatchDate: instantOf(header.dispatchDate ?? content.dispatchDate, 'start-of-day'),
    contractingAuthorities: content.buyers,
    buyerProfileUrl: content.buyerProfileUrl,
    procedureType,
    procedureTypeNational:
      procedureType !== undefined
        ? undefined
        : (content.procedureTypeNational ??
          (isNationalProcedureCode(header.procedureCode) ? header.procedureCode : undefined)),
    contractNature: content.contractNature ?? contractNatureOf(header.contractNature),
    cpvCodes: cpvCodesOf(content, header, kind.formType),
    nutsCodes,
    place: placeOf(nutsCodes[0], sites.size === 1 ? [...sites][0] : undefined),
    estimatedValue: content.estimatedValue ?? header.estimatedValue,
    awardedValue,
    isFramework: content.isFramework,
    isDynamicPurchasingSystem: content.isDynamicPurchasingSystem ?? (header.documentType === 'Y' ? true : undefined),
    isDynamicPurchasingSystemTerminated: content.isDynamicPurchasingSystemTerminated,
    ...(hasDeadline ? deadlineMembers(deadline, isParticipation) : {}),
    validityEnd: instantOf(content.validityEnd, 'end-of-day'),
    documentsUrl: content.documentsUrl,
    submissionUrl: content.submissionUrl,
    lots,
    references: referencesOf(content, header, kind.formType, number),
    ...(kind.formType === 'result' ? failureOf(content.awards.map((award) => award.result)) : {}),
    url: `https://ted.europa.eu/en/notice/-/detail/${number}`,
  } satisfies EveryMember<Omit<Notice, LackedBy['ted-export']>>)
  return [{ pointer: '', notice }]
}

/** A corrigendum does not describe lots; those whose deadline it moves appear without other data. */
function changedLots(content: FormContent): FormLot[] {
  const ids = new Set(content.changes.flatMap((change) => lotIdsIn(change.lotNumbers)))
  return [...ids].map((lotId) => ({ lotId, cpvCodes: [], nutsCodes: [] }))
}

type LotsInLanguage = { readonly language: string; readonly lots: ReadonlyMap<string, FormLot> }

function toLot(lot: FormLot, language: string, others: readonly LotsInLanguage[]): NoticeLot {
  const texts = (read: (lot: FormLot) => string | undefined): MultilingualText | undefined => {
    const collected: Record<string, string> = {}
    const own = read(lot)
    if (own !== undefined) collected[language] = own
    for (const other of others) {
      const same = other.lots.get(lot.lotId)
      const text = same && read(same)
      if (text !== undefined) collected[other.language] = text
    }
    return Object.keys(collected).length > 0 ? collected : undefined
  }
  return uniform<NoticeLot>({
    lotId: lot.lotId,
    title: texts((at) => at.title),
    description: texts((at) => at.description),
    cpvCodes: lot.cpvCodes,
    nutsCodes: lot.nutsCodes,
    place: placeOf(lot.nutsCodes[0], lot.site),
    estimatedValue: lot.estimatedValue,
    duration: lot.duration,
    result: lot.result,
  } satisfies EveryMember<
    Omit<
      NoticeLot,
      | 'internalReference'
      | 'contractNature'
      | 'frameworkMaximum'
      | 'submissionDate'
      | 'participationDate'
      | 'interestDate'
      | 'documentsUrl'
      | 'submissionUrl'
      | 'cancelled'
    >
  >)
}

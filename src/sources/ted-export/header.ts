// CODED_DATA_SECTION and the root of a TED_EXPORT document: what the Publications Office added to the form.
import { toCountry, toLanguage } from '../../domain/codes.ts'
import { toCpvCode } from '../../domain/cpv.ts'
import type { Money } from '../../domain/notice.ts'
import { toNutsCode } from '../../domain/nuts.ts'
import { attributeOf, childNamed, childrenNamed, pathNamed, textOf, type XmlElement } from '../xml/xml.ts'
import { moneyOf, splitDateTime } from './parts.ts'

export type Header = {
  /** `123456-2021`, without zero padding. */
  readonly publicationNumber: string | undefined
  /** As xs:date, with a time if there is one. */
  readonly publicationDate: { readonly date: string; readonly time?: string } | undefined
  readonly dispatchDate: { readonly date: string; readonly time?: string } | undefined
  readonly deadline: { readonly date: string; readonly time?: string } | undefined
  readonly country: string | undefined
  /** ISO 639-1, in the order of LG_ORIG. */
  readonly languages: readonly string[]
  readonly documentType: string | undefined
  readonly contractNature: string | undefined
  readonly procedureCode: string | undefined
  readonly directive: string | undefined
  readonly cpvCodes: readonly string[]
  readonly nutsCodes: readonly string[]
  readonly references: readonly string[]
  readonly estimatedValue: Money | undefined
  readonly awardedValue: Money | undefined
}

/** `2021/S 001-000123`, `000123-2021` or `123-2021` as `123-2021`; undefined for other texts. */
export function toPublicationNumber(text: string | undefined): string | undefined {
  const journal = /^\s*(\d{4})\/S\s*\d{1,3}\s*[-–]\s*(\d{1,9})\s*$/.exec(text ?? '')
  if (journal) return normal(journal[2]!, journal[1]!)
  const plain = /^\s*(\d{1,9})-((?:19|20)\d{2})\s*$/.exec(text ?? '')
  return plain ? normal(plain[1]!, plain[2]!) : undefined
}

function normal(number: string, year: string): string | undefined {
  const digits = number.replace(/^0+/, '')
  return digits === '' ? undefined : `${digits}-${year}`
}

function unique<T>(values: Iterable<T | undefined>): T[] {
  return [...new Set([...values].filter((value) => value !== undefined))]
}

export function readHeader(root: XmlElement): Header {
  const coded = childNamed(root, 'CODED_DATA_SECTION')
  const journal = childNamed(coded, 'REF_OJS')
  const notice = childNamed(coded, 'NOTICE_DATA')
  const codes = childNamed(coded, 'CODIF_DATA')
  const codeOf = (name: string) => attributeOf(childNamed(codes, name), 'CODE')
  const nuts = (name: string) =>
    childrenNamed(notice, name).map((element) => toNutsCode(attributeOf(element, 'CODE') ?? element.text))
  const values = childrenNamed(childNamed(notice, 'VALUES'), 'VALUE')
  const valueOfType = (type: string) => {
    const found = values.filter((value) => attributeOf(value, 'TYPE') === type)
    return found.length === 1 ? moneyOf(found[0]) : undefined
  }
  const performance = unique(nuts('PERFORMANCE_NUTS'))
  return {
    publicationNumber:
      toPublicationNumber(textOf(childNamed(notice, 'NO_DOC_OJS'))) ?? toPublicationNumber(attributeOf(root, 'DOC_ID')),
    publicationDate: splitDateTime(textOf(childNamed(journal, 'DATE_PUB'))),
    dispatchDate: splitDateTime(textOf(childNamed(codes, 'DS_DATE_DISPATCH'))),
    deadline: splitDateTime(textOf(childNamed(codes, 'DT_DATE_FOR_SUBMISSION'))),
    country: toCountry(attributeOf(childNamed(notice, 'ISO_COUNTRY'), 'VALUE')),
    languages: unique(
      childrenNamed(notice, 'LG_ORIG')
        .flatMap((element) => element.text.trim().split(/[\s,;]+/))
        .map(toLanguage),
    ),
    documentType: codeOf('TD_DOCUMENT_TYPE'),
    contractNature: codeOf('NC_CONTRACT_NATURE'),
    procedureCode: codeOf('PR_PROC'),
    directive: attributeOf(childNamed(codes, 'DIRECTIVE'), 'VALUE'),
    cpvCodes: unique(
      childrenNamed(notice, 'ORIGINAL_CPV').map((element) => toCpvCode(attributeOf(element, 'CODE') ?? '')),
    ),
    nutsCodes: performance.length > 0 ? performance : unique(nuts('ORIGINAL_NUTS')),
    references: unique(
      childrenNamed(notice, 'REF_NOTICE')
        .flatMap((reference) => childrenNamed(reference, 'NO_DOC_OJS'))
        .map((number) => toPublicationNumber(textOf(number))),
    ),
    estimatedValue: valueOfType('ESTIMATED_TOTAL'),
    awardedValue: valueOfType('PROCUREMENT_TOTAL'),
  }
}

/**
 * A title from TRANSLATION_SECTION for a notice whose form has none: the part after country and town (before eForms it
 * is the label of the main CPV code), in the wanted language or English. Undefined when there is none.
 */
export function translatedTitle(
  root: XmlElement,
  language: string,
): { readonly language: string; readonly element: XmlElement } | undefined {
  const titles = childrenNamed(pathNamed(root, 'TRANSLATION_SECTION', 'ML_TITLES'), 'ML_TI_DOC').flatMap((title) => {
    const element = childNamed(title, 'TI_TEXT')
    const own = toLanguage(attributeOf(title, 'LG'))
    return element && own ? [{ language: own, element }] : []
  })
  return (
    titles.find((title) => title.language === language) ?? titles.find((title) => title.language === 'en') ?? titles[0]
  )
}

// Pieces that all TED_EXPORT forms share: paragraphs, addresses, amounts, codes, dates. Names are matched without their
// namespace: six root and five NUTS namespaces name the same elements.
import { toCountry } from '../../domain/codes.ts'
import { toCpvCode } from '../../domain/cpv.ts'
import type { Money, Organization } from '../../domain/notice.ts'
import { toNutsCode } from '../../domain/nuts.ts'
import { uniform } from '../compact.ts'
import {
  cleanEmail,
  cleanField,
  cleanLine,
  cleanText,
  cleanUrl,
  descriptionLimit,
  isPlaceholder,
  parseAmount,
  titleLimit,
  toMoney,
} from '../text.ts'
import {
  attributeOf,
  childNamed,
  childrenNamed,
  descendantsNamed,
  isLeaf,
  textOf,
  type XmlElement,
} from '../xml/xml.ts'

function running(element: XmlElement): string {
  if (element.name === 'BR') return '\n'
  if (isLeaf(element)) return element.text
  if (element.mixed) return element.mixed.map((part) => (typeof part === 'string' ? part : running(part))).join('')
  return element.children.map(running).join(' ')
}

/** Paragraphs (`P`) joined by line breaks, or the element's own text. */
function paragraphs(element: XmlElement | undefined): string | undefined {
  if (!element) return undefined
  const lines = childrenNamed(element, 'P')
  return lines.length === 0
    ? running(element)
    : lines.length === 1
      ? running(lines[0]!)
      : lines.map((line) => running(line).trim()).join('\n')
}

export const lineOf = (element: XmlElement | undefined, limit: number = titleLimit): string | undefined =>
  cleanLine(paragraphs(element), limit)
export const textBlock = (element: XmlElement | undefined): string | undefined =>
  cleanText(paragraphs(element), descriptionLimit)

export function countOf(element: XmlElement | undefined): number | undefined {
  const text = textOf(element)?.replace(/\s/g, '')
  return text && /^\d{1,6}$/.test(text) ? Number(text) : undefined
}

/** First element of that name at any depth. */
export function firstDeep(element: XmlElement | undefined, name: string): XmlElement | undefined {
  for (const found of descendantsNamed(element, name)) return found
  return undefined
}

/** Values of an attribute of all elements of that name below, in document order, each once. */
function codesBelow<T extends string>(
  element: XmlElement | undefined,
  name: string,
  read: (text: string) => T | undefined,
): T[] {
  const codes = new Set<T>()
  for (const found of descendantsNamed(element, name)) {
    const code = read(attributeOf(found, 'CODE') ?? found.text)
    if (code !== undefined) codes.add(code)
  }
  return [...codes]
}

/** All CPV codes below an element (CPV_CODE/@CODE). */
export const cpvBelow = (element: XmlElement | undefined): string[] => codesBelow(element, 'CPV_CODE', toCpvCode)

/** NUTS codes of direct children, whatever their namespace. */
export function nutsOf(element: XmlElement | undefined): string[] {
  const codes = new Set<string>()
  for (const found of childrenNamed(element, 'NUTS')) {
    const code = toNutsCode(attributeOf(found, 'CODE') ?? found.text)
    if (code !== undefined) codes.add(code)
  }
  return [...codes]
}

/** The country of a NUTS code. */
export const countryOfNuts = (code: string | undefined): string | undefined => toCountry(code?.slice(0, 2))

/** `<VAL_TOTAL CURRENCY="EUR">1 000,00</VAL_TOTAL>` or a VALUE_COST with the currency in its parent. */
export function moneyOf(element: XmlElement | undefined, currency?: string): Money | undefined {
  if (!element) return undefined
  return toMoney(
    parseAmount(attributeOf(element, 'FMTVAL') ?? element.text),
    attributeOf(element, 'CURRENCY') ?? currency,
  )
}

/** `20210104`, `20210104 12:00` or `2021-01-04` as an xs:date and a time. */
export function splitDateTime(text: string | undefined): { readonly date: string; readonly time?: string } | undefined {
  const match = /^\s*(\d{4})-?(\d{2})-?(\d{2})(?:[T\s]+(\d{1,2}:\d{2}(?::\d{2})?))?\s*$/.exec(text ?? '')
  if (!match) return undefined
  const date = `${match[1]}-${match[2]}-${match[3]}`
  return match[4] === undefined
    ? { date }
    : { date, time: match[4].padStart(match[4].indexOf(':') === 1 ? match[4].length + 1 : 0, '0') }
}

/** R2.0.8's `<X><DAY/><MONTH/><YEAR/><TIME/></X>`. */
export function splitDayMonthYear(
  element: XmlElement | undefined,
): { readonly date: string; readonly time?: string } | undefined {
  const [day, month, year] = [
    textOf(childNamed(element, 'DAY')),
    textOf(childNamed(element, 'MONTH')),
    textOf(childNamed(element, 'YEAR')),
  ]
  if (!day || !month || !year) return undefined
  const time = textOf(childNamed(element, 'TIME'))
  return splitDateTime(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${time ? ` ${time}` : ''}`)
}

/** A national ID without the words for an unknown one. */
function nationalIdOf(raw: string | undefined): string | undefined {
  const id = cleanField(raw)
  return id === undefined || isPlaceholder(id) ? undefined : id
}

/** An address block of either generation; undefined without a name. */
export function organizationOf(element: XmlElement | undefined): Organization | undefined {
  if (!element) return undefined
  const organisation = childNamed(element, 'ORGANISATION')
  const name =
    lineOf(childNamed(element, 'OFFICIALNAME') ?? childNamed(organisation, 'OFFICIALNAME'), 500) ??
    (organisation?.children.length === 0 ? cleanLine(organisation.text, 500) : undefined)
  if (!name || isPlaceholder(name)) return undefined
  const mail = childNamed(element, 'E_MAIL') ?? childNamed(childNamed(element, 'E_MAILS'), 'E_MAIL')
  const field = (...names: string[]) =>
    names.map((at) => cleanField(paragraphs(childNamed(element, at)))).find((text) => text !== undefined)
  return uniform<Organization>({
    name,
    nationalId: nationalIdOf(textOf(childNamed(element, 'NATIONALID') ?? childNamed(organisation, 'NATIONALID'))),
    street: field('ADDRESS'),
    city: field('TOWN'),
    postalCode: field('POSTAL_CODE'),
    country: toCountry(attributeOf(childNamed(element, 'COUNTRY'), 'VALUE')),
    nutsCode: nutsOf(element)[0],
    contactName: field('CONTACT_POINT', 'ATTENTION'),
    email: cleanEmail(textOf(mail)),
    phone: field('PHONE'),
    url: cleanUrl(textOf(childNamed(element, 'URL_GENERAL') ?? childNamed(element, 'URL'))),
  })
}

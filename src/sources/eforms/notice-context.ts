// What the parts of one notice share while it is read: its languages, its buyer's zone, its profile.
import { toCountry, toLanguage } from '../../domain/codes.ts'
import { toCpvCode } from '../../domain/cpv.ts'
import type { Money, MultilingualText, Place } from '../../domain/notice.ts'
import { toNutsCode } from '../../domain/nuts.ts'
import { type Instant, joinDateTime, parseDate, parseTime } from '../../domain/time.ts'
import { uniform } from '../compact.ts'
import { cleanField, cleanLine, cleanText, fieldLimit, parseAmount, titleLimit, toMoney } from '../text.ts'
import { attributeOf, textOf, type XmlElement } from '../xml/xml.ts'
import { allCac, allCbc, cac, cbc, cbcText, codeOf, efbc, extensionOf } from './elements.ts'

export type NoticeContext = {
  /** The notice's own language first. */
  readonly languages: readonly string[]
  /** Languages declared as not official: their texts are left out. */
  readonly unofficial: ReadonlySet<string>
  /** Where times without an offset are read: the lead buyer's zone. */
  readonly zone: string
  /** In which amounts with an empty `currencyID` are read: that of the lead buyer's country. */
  readonly currency: string | undefined
  /** The German below-threshold channel (`eforms-sdk-0.1`), which fills the same elements with less care. */
  readonly isBelowThresholdChannel: boolean
}

/** Text, like a code, is withheld by writing `unpublished` (BT-195). */
const isWithheld = (text: string): boolean => text.length === 11 && text.toLowerCase() === 'unpublished'

/** The repeats of an element in the notice's languages; own language first. Undefined when none holds text. */
export function textsOf(
  elements: readonly XmlElement[],
  kind: 'title' | 'description',
  context: NoticeContext,
): MultilingualText | undefined {
  const own = context.languages[0] ?? 'und'
  const found = new Map<string, string>()
  for (const element of elements) {
    const text = kind === 'title' ? cleanLine(element.text, titleLimit) : cleanText(element.text)
    if (text === undefined || isWithheld(text)) continue
    const language = toLanguage(attributeOf(element, 'languageID')) ?? own
    if (context.unofficial.has(language) && elements.length > 1) continue
    if (!found.has(language)) found.set(language, text)
  }
  if (found.size === 0) return undefined
  const texts: Record<string, string> = {}
  for (const language of [...context.languages, ...[...found.keys()].sort()]) {
    const text = found.get(language)
    if (text !== undefined) texts[language] = text
  }
  return texts
}

/** The repeat of a name in the notice's own language, otherwise in another official one, otherwise the first. */
export function ownTextOf(
  elements: readonly XmlElement[],
  context: NoticeContext,
  max = fieldLimit,
): string | undefined {
  let best: string | undefined
  let bestRank = Number.POSITIVE_INFINITY
  for (const element of elements) {
    const text = cleanLine(element.text, max)
    if (text === undefined || isWithheld(text)) continue
    const index = context.languages.indexOf(
      toLanguage(attributeOf(element, 'languageID')) ?? context.languages[0] ?? 'und',
    )
    const rank = index < 0 ? context.languages.length : index
    if (rank < bestRank) {
      best = text
      bestRank = rank
    }
  }
  return best
}

/** Amount with its `currencyID`; sentinels and withheld amounts are missing. */
export function moneyOf(element: XmlElement | undefined, { currency }: NoticeContext): Money | undefined {
  return element && toMoney(parseAmount(textOf(element)), attributeOf(element, 'currencyID')?.trim() || currency)
}

/** A deadline from `EndDate` and `EndTime` (BT-131, BT-1311, BT-630); the end of the day when no time was published. */
export function deadlineOf(period: XmlElement | undefined, context: NoticeContext): Instant | undefined {
  const date = cbcText(period, 'EndDate')
  let time = cbcText(period, 'EndTime')
  // The below-threshold channel writes 00:00:00 where the sender gave a day only.
  if (context.isBelowThresholdChannel && time && parseTime(time)?.ms === 0) time = undefined
  return joinDateTime(date, time, context.zone, 'end-of-day')
}

/**
 * A date as published, without the offset that xs:date may carry; undefined when it is not a date, or has a placeholder
 * year.
 */
export function dateOf(element: XmlElement | undefined): string | undefined {
  const text = textOf(element)
  if (text === undefined || !parseDate(text)) return undefined
  const date = text.slice(0, 10)
  return date <= '2000-01-01' ? undefined : date
}

/** One cell of CPV codes: mostly one, in the German below-threshold channel sometimes several and of two digits. */
function codesOfCell(text: string): string[] {
  const tokens = text.split(/[\s,;|/]+/).filter((token) => token !== '')
  const areCodes = tokens.every((token) => /^(?:\d{8}(?:-\d)?|\d{2})$/.test(token))
  return (areCodes ? tokens : [tokens.join('')]).map(toCpvCode).filter((code) => code !== undefined)
}

/** CPV codes of a project, main code first (BT-262, BT-263). */
export function cpvCodesOf(project: XmlElement | undefined): string[] {
  const codes = new Set<string>()
  for (const name of ['MainCommodityClassification', 'AdditionalCommodityClassification']) {
    for (const classification of allCac(project, name)) {
      for (const element of allCbc(classification, 'ItemClassificationCode')) {
        const list = attributeOf(element, 'listName')
        if (list && list.toLowerCase() !== 'cpv') continue
        for (const code of codesOfCell(textOf(element) ?? '')) codes.add(code)
      }
    }
  }
  return [...codes]
}

/** NUTS codes of a project's places of performance (BT-5071). */
export function nutsCodesOf(project: XmlElement | undefined): string[] {
  const codes = new Set<string>()
  for (const location of allCac(project, 'RealizedLocation')) {
    const code = toNutsCode(codeOf(cbc(cac(location, 'Address'), 'CountrySubentityCode')) ?? '')
    if (code) codes.add(code)
  }
  return [...codes]
}

/** The first place of performance of a project with any data (BT-5101, BT-5071, BT-5141). */
export function placeOf(project: XmlElement | undefined, context: NoticeContext): Place | undefined {
  for (const location of allCac(project, 'RealizedLocation')) {
    const place = addressOf(cac(location, 'Address'), context)
    if (place.country || place.nutsCode || place.postalCode || place.city) return place
  }
  return undefined
}

/** Country, NUTS code, postal code and town of an address. */
export function addressOf(address: XmlElement | undefined, context: NoticeContext): Place {
  const country = toCountry(codeOf(cbc(cac(address, 'Country'), 'IdentificationCode')))
  const nutsCode = toNutsCode(codeOf(cbc(address, 'CountrySubentityCode')) ?? '')
  let postalCode = cleanLine(cbcText(address, 'PostalZone'), 40)
  let city = ownTextOf(allCbc(address, 'CityName'), context, 200)
  if (context.isBelowThresholdChannel && !postalCode && city) {
    const glued = /^(\d{5})\s+(\D.*)$/.exec(city)
    if (glued) [, postalCode, city] = glued
  }
  return uniform<Place>({ country, nutsCode, postalCode: postalCode || undefined, city: city || undefined })
}

/** Estimate (BT-27) and framework maximum (BT-271) of a project. */
export function estimatesOf(
  project: XmlElement | undefined,
  context: NoticeContext,
): {
  readonly estimatedValue: Money | undefined
  readonly frameworkMaximum: Money | undefined
} {
  const total = cac(project, 'RequestedTenderTotal')
  return {
    estimatedValue: moneyOf(cbc(total, 'EstimatedOverallContractAmount'), context),
    frameworkMaximum: moneyOf(efbc(extensionOf(total), 'FrameworkMaximumAmount'), context),
  }
}

/** BT-22, whatever its schemeName: the authority's own number of a project. */
export function internalReferenceOf(project: XmlElement | undefined): string | undefined {
  return cleanField(cbcText(project, 'ID'))
}

/** BT-23; additional natures are ignored. */
export function contractNatureOf(project: XmlElement | undefined): string | undefined {
  for (const element of allCbc(project, 'ProcurementTypeCode')) {
    const list = attributeOf(element, 'listName')
    const code = codeOf(element)
    if (code && (!list || list.endsWith('contract-nature'))) return code
  }
  return undefined
}

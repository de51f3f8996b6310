// Values of a record as people read them. Everything comes from notices: a date or currency may be invalid.
import { codeLabel } from '../../domain/code-labels.ts'
import type { TenderLot } from '../../domain/tender.ts'
import { formatDay, formatMoment, formatMoney, formatNumber, formatZoned } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { facts, foreignLink, quoted } from '../frame/parts.ts'
import { criteriaTexts } from '../hits/criteria-texts.ts'
import { searchesTexts } from '../hits/searches-texts.ts'
import { fieldTexts } from './field-texts.ts'
import { tenderTexts } from './tender-texts.ts'

type Members = { readonly [member: string]: unknown }

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The label of a member; its name where there is none. */
export const labelOf = (member: string, language: Language): string => fieldTexts[language][member] ?? member

const local: { readonly [language in Language]: string } = { en: 'en-GB', de: 'de-DE' }

/** The day of the week in a zone: `Friday`. */
export const weekdayIn = (zone: string, at: number, language: Language): string =>
  new Intl.DateTimeFormat(local[language], { timeZone: zone, weekday: 'long' }).format(at)

/** In which language values are shown, and in which zone deadlines; in UTC if it is absent. */
export type ShownIn = { readonly language: Language; readonly zone?: string | undefined }

export const deadlineMembers: ReadonlySet<string> = new Set(['submissionDate', 'participationDate'])

const momentText = (instant: string, language: Language): string => {
  const at = Date.parse(instant)
  return Number.isNaN(at) ? instant : `${formatMoment(at, language)} UTC`
}

/** The day in UTC; the text itself where it is none. */
export const dayText = (instant: string, language: Language): string => {
  const at = Date.parse(instant)
  return Number.isNaN(at) ? instant : formatDay(at, language)
}

const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

const codeMembers: ReadonlySet<string> = new Set(['cpvCodes', 'nutsCodes', 'nutsCode', 'nuts'])

/** The name of a country or a language in the reader's; the code itself if it is none. */
function displayName(type: 'region' | 'language', code: string, language: Language): string {
  try {
    return new Intl.DisplayNames(language, { type }).of(code) ?? code
  } catch {
    // notices hold codes that are none
    return code
  }
}

/** A code with its name. */
function codeText(member: string, code: string, language: Language): string {
  const kind = member === 'cpvCodes' ? 'cpv' : 'nuts'
  const name = codeLabel(kind, code, language)
  return name === undefined ? code : `${name} (${code})`
}

/** A value in one line of plain text. */
export function valueText(member: string, value: unknown, shown: ShownIn): string {
  const { language, zone } = shown
  const texts = tenderTexts[language]
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? texts.shared.yes : texts.shared.no
  if (typeof value === 'number') return formatNumber(value, language)
  if (typeof value === 'string') {
    if (member === 'status') return texts.status[value] ?? value
    if (codeMembers.has(member)) return codeText(member, value, language)
    if (member === 'country') return displayName('region', value, language)
    if (/^language$|Language$/.test(member)) return displayName('language', value, language)
    if (member === 'formType') return texts.forms[value] ?? value
    if (member === 'procedureType')
      return (searchesTexts[language].procedureNames as { readonly [code: string]: string })[value] ?? value
    if (member === 'contractNature')
      return (criteriaTexts[language].natures as { readonly [code: string]: string })[value] ?? value
    // if a notice has only a day, midnight means nothing
    if (isInstant(value) && /publicationDate$/i.test(member) && value.endsWith('T00:00:00.000Z'))
      return dayText(value, language)
    if (isInstant(value) && deadlineMembers.has(member)) return formatZoned(Date.parse(value), zone, language)
    return isInstant(value) ? momentText(value, language) : value
  }
  if (Array.isArray(value)) return value.map((each) => valueText(member, each, shown)).join(', ')
  if (!isObject(value)) return ''
  if (typeof value['value'] === 'number' && typeof value['currency'] === 'string')
    return formatMoney(value['value'], value['currency'], language)
  return Object.entries(value)
    .map(([name, each]) => valueText(name, each, shown))
    .filter((each) => each !== '')
    .join(', ')
}

const textMembers: ReadonlySet<string> = new Set(['title', 'displayTitle', 'description'])

/** The language of a member of a record, a lot or the translations. `own` is that of what it stands in. */
export function languageOf(holder: object, member: string, own: string | undefined): string | undefined {
  const { titleLanguage, descriptionLanguage } = holder as Partial<TenderLot>
  return (member === 'description' ? descriptionLanguage : textMembers.has(member) ? titleLanguage : undefined) ?? own
}

/** A value as content: links for addresses of the web, lists for members of a member. */
export function valueContent(member: string, value: unknown, shown: ShownIn, lang?: string): Content {
  if (Array.isArray(value)) {
    if (value.length === 0) return '–'
    if (value.every((each) => !isObject(each))) return quoted(valueText(member, value, shown))
    return html`<ul>${value.map((each) => html`<li>${valueContent(member, each, shown, lang)}</li>`)}</ul>`
  }
  if (isObject(value) && !(typeof value['value'] === 'number' && typeof value['currency'] === 'string'))
    return facts(
      Object.entries(value).map(([name, each]) => {
        const own = member === 'translations' ? name : languageOf(value, name, lang)
        return [labelOf(name, shown.language), valueContent(name, each, shown, own)]
      }),
    )
  const text = valueText(member, value, shown)
  if (/Url$|^url$/.test(member)) return foreignLink(text)
  return text === '' ? '–' : quoted(text, textMembers.has(member) ? lang : undefined)
}

/** What a CPV code is called; the code if it is not listed. */
export const codeName = (code: string, language: Language): Html =>
  html`<bdi>${codeLabel('cpv', code, language) ?? code}</bdi>`

/** Codes with their names, one below the other. */
export const codeList = (member: 'cpvCodes' | 'nutsCodes', codes: readonly string[], language: Language): Html =>
  html`${codes.map((code, index) => {
    const name = codeLabel(member === 'cpvCodes' ? 'cpv' : 'nuts', code, language)
    return html`${index > 0 && html`<br>`}<code><bdi>${code}</bdi></code>${name !== undefined && ` ${name}`}`
  })}`

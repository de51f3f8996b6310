// OCDS codes in terms of eForms: tags, statuses, methods, categories, regions, country names.
import { isProcedureType, toCountry } from '../../domain/codes.ts'
import type { FormType, LotResult } from '../../domain/notice.ts'

/** The furthest stage that a release's tags name; undefined when none is one of the standard's. */
export function formTypeOfTags(tags: readonly string[]): FormType | undefined {
  const has = (pattern: RegExp) => tags.some((tag) => pattern.test(tag))
  if (has(/^contractAmendment$/i)) return 'cont-modif'
  if (has(/^(?:award|contract|implementation)/i)) return 'result'
  if (has(/^tender/i)) return 'competition'
  return has(/^planning/i) ? 'planning' : undefined
}

/**
 * What a status says, also where a publisher writes it in the language of the country (Moldova, Ukraine, Latin
 * America).
 */
export function statusOf(
  text: string | undefined,
): 'planned' | 'active' | 'evaluation' | 'cancelled' | 'unsuccessful' | 'complete' | undefined {
  const status = text?.trim().toLowerCase()
  if (!status) return undefined
  if (/^(?:cancel|withdrawn|anulat|скасован|відмінен|отменен)/.test(status)) return 'cancelled'
  if (/^(?:unsuccessful|desert|desiert|fracas|неуспішн|не відбул)/.test(status)) return 'unsuccessful'
  if (/^(?:planning|planned)/.test(status)) return 'planned'
  if (/^(?:(?:en )?evalua|cerrad|active\.(?:pre-qualification|qualification|auction|awarded|stage2))/.test(status))
    return 'evaluation'
  if (/^(?:complete|closed|awarded|adjudicad|terminad|finaliz|conclu|executarea)/.test(status)) return 'complete'
  return /^(?:activ|open|publicad|vigente|convocad)/.test(status) ? 'active' : undefined
}

/** awards[].status; without a known one, named suppliers make an award. */
export function outcomeOf(status: string | undefined, hasSuppliers: boolean): LotResult['outcome'] {
  const text = status?.trim().toLowerCase() ?? ''
  if (/^(?:unsuccessful|cancel|desiert|anulad)/.test(text)) return 'not-awarded'
  if (text.startsWith('pending')) return 'pending'
  return /^(?:activ|adjudicad)/.test(text) || hasSuppliers ? 'awarded' : 'pending'
}

/** English labels of the eForms list that the rules below would not find; DÖE writes the labels. */
const labels: { readonly [label: string]: string | undefined } = Object.assign(Object.create(null), {
  'other single stage procedure': 'oth-single',
  'other multiple stage procedure': 'oth-mult',
  'competitive tendering (article 5(3) of regulation 1370/2007)': 'comp-tend',
  'request for expression of interest – only for rail (article 5(3b) of regulation 1370/2007)': 'exp-int-rail',
})

/**
 * BT-105 for procurementMethod and procurementMethodDetails. The details are free text and win where they name a
 * procedure of the directives; of the four methods only `open` and `direct` are clear: `selective` and `limited` may be
 * several.
 */
export function procedureTypeOf(method: string | undefined, details: string | undefined): string | undefined {
  const text = (details ?? '').trim().toLowerCase()
  if (isProcedureType(text)) return text
  const labelled = labels[text.replace(/\s+/g, ' ')]
  if (labelled !== undefined) return labelled
  const words = text.replace(/[^\p{L}]+/gu, ' ').trim()
  if (/innovation partnership|innovationpartnership/.test(words)) return 'innovation'
  if (/competitive dialogue|competitivedialogue/.test(words)) return 'comp-dial'
  if (/without (?:a )?(?:prior |call|publication)|withoutcall|without prior/.test(words)) return 'neg-wo-call'
  if (/with no preliminary announcement|direct award|single tender action|ajuste direto/.test(words))
    return 'neg-wo-call'
  if (/competitive (?:procedure with )?negotiat|negotiated|negotiation/.test(words)) return 'neg-w-call'
  if (/^restricted|restricted procedure/.test(words)) return 'restricted'
  if (/^open\b|\bopen (?:competition|procedure)\b|^licita[tțţ]ie (?:public|deschis)|^concurso público/.test(words))
    return 'open'
  if (words !== '' && !/^(?:other|none|n a)\b/.test(words)) {
    const plain = procedureTypeOfMethod(method)
    // A call-off or a flexible procedure by the `open` method is not the open procedure.
    return plain === 'neg-wo-call' ? plain : undefined
  }
  return procedureTypeOfMethod(method)
}

function procedureTypeOfMethod(method: string | undefined): string | undefined {
  const text = method?.trim().toLowerCase() ?? ''
  if (text === 'open' || /^licita[tțţ]ie publică/.test(text)) return 'open'
  return text === 'direct' ? 'neg-wo-call' : undefined
}

/** mainProcurementCategory as BT-23. */
export function contractNatureOf(category: string | undefined): string | undefined {
  const text = category?.trim().toLowerCase()
  return text === 'goods'
    ? 'supplies'
    : text === 'works' || text === 'services' || text === 'supplies'
      ? text
      : undefined
}

const nutsCountries = new Set(
  'AL AT BE BG CH CY CZ DE DK EE EL ES FI FR HR HU IE IS IT LI LT LU LV ME MK MT NL NO PL PT RO RS SE SI SK TR UK XK'.split(
    ' ',
  ),
)

/**
 * A NUTS code in a field that may also hold the name of a region. Upper case as the standard writes it, of a country
 * that has NUTS regions; no ISO country code of three letters, and no word of five: areas below NUTS 1 have a digit (or
 * ZZ).
 */
export function regionCode(text: string | undefined): string | undefined {
  const code = text?.trim() ?? ''
  if (!/^[A-Z]{2}[A-Z\d]{0,3}$/.test(code) || !nutsCountries.has(code.slice(0, 2))) return undefined
  if (code.length === 3 && toCountry(code) !== undefined) return undefined
  return code.length < 4 || /\d/.test(code) || code.slice(2).startsWith('ZZ') ? code : undefined
}

let codesByName: Map<string, string> | undefined

/** Languages in which sources write names of countries; of a name with two meanings the first counts. */
const languagesOfNames =
  'en fr de es pt it ro uk ru pl nl sv fi da nb el hu cs sk sl hr sr sr-Latn bg mk lt lv et sq tr ka hy is'.split(' ')

/** Names that those languages have beside the usual ones. */
const otherNames: { readonly [name: string]: string } = {
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  'great britain': 'GB',
  'united kingdom of great britain and northern ireland': 'GB',
  eng: 'GB',
  sco: 'GB',
  wal: 'GB',
  nir: 'GB',
  gbr: 'GB',
  'republica moldova': 'MD',
  'republic of moldova': 'MD',
  moldova: 'MD',
  'czech republic': 'CZ',
  'česká republika': 'CZ',
  'slovak republic': 'SK',
  'slovenská republika': 'SK',
  'republika slovenija': 'SI',
  'republika hrvatska': 'HR',
  'republika srbija': 'RS',
  'република србија': 'RS',
  'република българия': 'BG',
  македонија: 'MK',
  'rzeczpospolita polska': 'PL',
  'united states of america': 'US',
  'russian federation': 'RU',
  turkey: 'TR',
  'viet nam': 'VN',
  'republic of korea': 'KR',
  'korea, republic of': 'KR',
  "cote d'ivoire": 'CI',
  'hong kong': 'HK',
  'united republic of tanzania': 'TZ',
  swaziland: 'SZ',
}

/** Without what writings of one name differ in. */
const nameKey = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[’`´]/g, "'")
    .replace(/\s*&\s*/g, ' and ')
    .replace(/\s+/g, ' ')
    .replace(/^the /, '')
    .trim()

/** Names of countries in the languages of the sources that write names instead of codes. */
function countryNames(): Map<string, string> {
  if (codesByName) return codesByName
  codesByName = new Map()
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  const codes = letters.flatMap((first) => letters.map((second) => first + second))
  for (const language of languagesOfNames) {
    const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
    for (const code of codes) {
      const name = toCountry(code) === code ? names.of(code) : undefined
      if (name !== undefined && !codesByName.has(nameKey(name))) codesByName.set(nameKey(name), code)
    }
  }
  for (const [name, code] of Object.entries(otherNames)) codesByName.set(name, code)
  return codesByName
}

const countryNamed = (name: string): string | undefined => countryNames().get(nameKey(name)) ?? toCountry(name)

/**
 * address.countryName (or countryCode): a code or a name, as ISO 3166-1 alpha-2; also one name in two languages, or a
 * name with its code (`Belgique/België`, `RO - România`, `Moldova, Republic of`).
 */
export function countryOf(text: string | undefined): string | undefined {
  const name = text?.trim()
  if (!name || name.length > 100) return undefined
  const whole = countryNamed(name)
  if (whole !== undefined) return whole
  const parts = name.split(/[/(),;|]|\s[-–]\s/).filter((part) => part.trim() !== '')
  if (parts.length < 2) return undefined
  const found = new Set(parts.map((part) => countryNamed(part.trim())).filter((code) => code !== undefined))
  return found.size === 1 ? [...found][0] : undefined
}

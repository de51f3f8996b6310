// A title as its buyer wrote it: without what portals add before, after and around it.
import { decodeHTML } from 'entities'
import { foldText } from '../../domain/name-words.ts'

/** A title without a portal's additions. */
export type PlainTitle = { readonly text: string; readonly isCopy: boolean; readonly isTruncated: boolean }

// Soft hyphens and marks without width or direction: list pages hold them within words.
const invisible = /[\u00ad\u200b-\u200f\u2060\ufeff]/g

/** Text without markup and entities; portals encode umlauts up to twice (`&amp;#xFC;`). */
export function plainText(text: string): string {
  let plain = text.replace(invisible, '')
  for (let round = 0; round < 2 && plain.includes('&'); round++) plain = decodeHTML(plain)
  if (plain.includes('<')) plain = plain.replace(/<\/?[a-zA-Z][^<>]{0,300}>/g, ' ')
  return plain
}

const countries =
  'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MK MT NL NO PL PT RO RS SE SI SK TR UA'.split(
    ' ',
  )
const languages = 'bg cs da de el en es et fi fr ga hr hu is it lt lv mt nb nl pl pt ro sk sl sv'.split(' ')
let countryNames: ReadonlySet<string> | undefined

/** Names of the countries whose notices TED publishes, in the languages of its titles, folded. */
function isCountryName(text: string): boolean {
  if (!countryNames) {
    const names = languages.flatMap((language) => {
      const display = new Intl.DisplayNames([language], { type: 'region' })
      return countries.map((country) => foldText(display.of(country) ?? country))
    })
    countryNames = new Set([
      ...names,
      'tschechien',
      'niederlande',
      'czech republic',
      'uk',
      'united kingdom',
      'nederland',
    ])
  }
  return countryNames.has(foldText(text.trim()))
}

/** TED writes `<country> – <label of the main CPV code> – <title>`. */
function withoutTedPrefix(text: string): string {
  const match = /^([^–—-]{3,40}?)\s+[–—-]\s+(.{3,200}?)\s+[–—-]\s+(?=\S)/u.exec(text)
  return match && isCountryName(match[1]!) ? text.slice(match[0].length) : text
}

/** The notice type that portals put before the title; only with a colon or dash after it, or for whole formulas. */
const noticeTypePrefix = new RegExp(
  `^\\s*(?:(?:${[
    '(?:\\d+\\. )?(?:berichtigung|korrektur|änderung|aenderung|aktualisierung)(?: der bekanntmachung)?',
    '(?:eu-?weite |europaweite |öffentliche |oeffentliche |nationale |beschränkte |beschraenkte )?ausschreibung',
    '(?:eu-|auftrags|vergabe|wettbewerbs)?bekanntmachung(?: eines? (?:vergebenen )?auftrags)?',
    'vergebener auftrag|vergabe|offenes verfahren|verhandlungsverfahren|teilnahmewettbewerb|vorinformation|neu|eilt',
    'contract notice|award notice|contract award|tender|invitation to tender|corrigendum|correction',
    "avis (?:de marché|d'attribution|rectificatif)|appel d'offres|rectificatif|marché",
    'anuncio de licitación|licitación|bando di gara|avviso|aankondiging|opdracht|ogłoszenie|přehled|oznámení',
  ].join('|')})\\s*[:–—|-]+\\s*)+`,
  'iu',
)

const copyMark = /[([]\s*(?:kopie|copy|copie|kopia)\s*\d*\s*[)\]]|^\s*kopie von\b/iu

/** Reads a title of a portal. Truncated: it ends in an ellipsis. */
export function plainTitle(raw: string): PlainTitle {
  let text = plainText(raw).replace(/\s+/g, ' ').trim()
  text = withoutTedPrefix(text).replace(noticeTypePrefix, '')
  const isCopy = copyMark.test(text)
  if (isCopy) text = text.replace(copyMark, ' ').trim()
  const isTruncated = /(?:…|\.\.\.|\[\.\.\.?\])\s*$/.test(text)
  return { text, isCopy, isTruncated }
}

// Words of a search and of a tender: how both are folded, and when a token contains a word.
import { isAscii, plainText } from './plain-text.ts'

/**
 * Minimum letters of a word that may be the beginning or the end of a longer one: `asphalt` is in `Asphaltarbeiten`.
 */
export const affixLength = 5

/**
 * The plain text in lower case, without diacritics, `ß` as `ss`, and one sigma: what a letter becomes does not depend
 * on its neighbors.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return plainText(text)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
}

/** The tokens of a text, folded, in order: letters and digits up to whatever is neither. */
export function tokensOf(text: string): string[] {
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

/**
 * What people type as single words: in lower case, with diacritics, each one token when folded. `E-Bike` is two words.
 */
export function searchWordsOf(text: string): string[] {
  const runs = plainText(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu)
  return [...new Set(runs?.flatMap((run) => (tokensOf(run).length === 1 ? run : tokensOf(run))))]
}

const umlauts: { readonly [letter: string]: string } = { ä: 'ae', ö: 'oe', ü: 'ue' }

/**
 * The spellings of a search word in a folded text: `brücke` as `brucke` and, as portals without umlauts write it,
 * `bruecke`.
 */
export function spellingsOf(word: string): readonly string[] {
  const composed = plainText(word).toLowerCase()
  const folded = foldText(word)
  const written = foldText(composed.replace(/[äöü]/g, (letter) => umlauts[letter]!))
  return written === folded ? [folded] : [folded, written]
}

/** Whether a spelling is this token, or is long enough to be its beginning or end. */
export function isSpellingIn(spelling: string, token: string): boolean {
  return (
    token === spelling || (spelling.length >= affixLength && (token.startsWith(spelling) || token.endsWith(spelling)))
  )
}

/** An authority by its name or national id: its letters and digits, folded, so that spaces and dots do not matter. */
export const authorityKey = (text: string): string => tokensOf(text).join('')

/** Last parts of German compounds that name work or goods, folded. */
const heads = [
  'reinigungsleistungen',
  'bauleistungen',
  'leistungen',
  'dienstleistungen',
  'bauarbeiten',
  'arbeiten',
  'reinigung',
  'sanierung',
  'wartung',
  'planung',
  'prufung',
  'pflege',
  'versorgung',
  'entsorgung',
  'versicherung',
  'beforderung',
  'anlagen',
  'anlage',
  'installation',
  'installationen',
  'lieferung',
  'beratung',
  'technik',
  'gerate',
  'fahrzeuge',
  'fahrzeug',
  'material',
  'materialien',
  'bau',
  'dienst',
  'dienste',
]

/** Before what the part that is written once may stand. */
const isJoint = /\p{L}- ?(?:[,/&+]|u\.|und |oder |sowie |bzw)/u
/** Parts that end in a hyphen, what joins them, and the whole word. */
const joint =
  /(?<![\p{L}\p{N}-])((?:\p{L}[\p{L}\p{N}]*-\s*(?:(?:,|\/|&|\+|u\.|und|oder|sowie|bzw\.?)\s*){1,2}){1,8})(\p{L}+(?:-\p{L}+)?)/gu

/**
 * The words that a text means without writing them in full, folded, in order: "Maler- und Lackierarbeiten" are also
 * "Malerarbeiten". Most texts have none.
 */
export function jointWords(text: string): string[] {
  // the quick look spares nearly all texts the folding
  if (!isJoint.test(text)) return []
  return [...foldText(text).matchAll(joint)].flatMap(([, parts, whole]) => {
    const names = parts!.match(/\p{L}[\p{L}\p{N}]*(?=-)/gu) ?? []
    return headsOf(whole!).flatMap((head) => names.map((part) => part + head))
  })
}

/** All of them: of "Tiefbauarbeiten" the written-once part may be "arbeiten" or "bauarbeiten". */
function headsOf(whole: string): string[] {
  const [first, second] = whole.split('-')
  if (second !== undefined) return heads.includes(second) ? [second] : []
  return heads.filter((head) => first!.length > head.length && first!.endsWith(head))
}

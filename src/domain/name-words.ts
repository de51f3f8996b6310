// Names and titles as words that can be compared, whatever letters and legal forms they were written with.
import { isAscii } from './plain-text.ts'

/** What becomes of characters on their own. */
const folded = new Map<string, string>()
/** Anything but Latin letters and punctuation: such a letter may depend on its neighbors. */
const beyondLatin = /[^\0-\u024f\u2000-\u20cf]/
const beyondAscii = /[^\0-\x7f]/g

function foldOne(character: string): string {
  const known = folded.get(character)
  if (known !== undefined) return known
  const made = foldAny(character)
  folded.set(character, made)
  return made
}

const foldAny = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')

/** Lower case, without diacritics, `ß` as `ss`. */
export function foldLetters(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return beyondLatin.test(text) ? foldAny(text) : text.replace(beyondAscii, foldOne).toLowerCase()
}

// Legal forms and offices: they occur in the names of strangers and distinguish nothing.
const genericWords = new Set(
  `gmbh mbh ag kg kgaa ev eg og spa srl sa sarl sas srls sp zoo spolka ltd limited plc inc as asa ab oy oyj bv nv ry aps kft zrt doo dd ad ead eood ood
  der die das des dem den und fur im in am an zum zur von vom bei the of and for de la le les du des et en l d da do dos das di del della e il lo gli y el
  los las i w z na ve og och av til het van voor
  stadt gemeinde landkreis kreis land amt verwaltung stadtverwaltung gemeindeverwaltung vergabestelle zentrale bundesamt ministerium abteilung referat dienst
  ville commune mairie departement direction service ministere ministry department council city county municipality gmina miasto urzad powiat starostwo
  comune provincia regione ufficio ayuntamiento municipio camara consejeria direccion general generale nationale national kommune kommun kanton canton
  obshtina obec mesto okres primaria orasul comuna opstina opcina dimos`
    .split(/\s+/)
    .filter(Boolean),
)

/**
 * Text for comparison: lower case, no diacritics, `ß` as ss, and ae/oe/ue like ä/ö/ü, so that every way of writing an
 * umlaut is one.
 */
export const foldText = (text: string): string => foldLetters(text).replace(/([aou])e/g, '$1')

/** The words of a text after folding, in order. */
export function wordsOf(text: string): string[] {
  return foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []
}

/**
 * The distinguishing words of a name: without legal forms and kinds of offices; all words as one if nothing remains.
 */
export function distinguishingWords(name: string): Set<string> {
  const words = wordsOf(name)
  const telling = words.filter((word) => word.length > 1 && !genericWords.has(word))
  return new Set(telling.length > 0 ? telling : [words.join(' ')])
}

/** Two word sets overlap when they share at least half of the smaller one. */
export function wordsOverlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  let shared = 0
  for (const word of small) if (large.has(word)) shared++
  return small.size > 0 && shared * 2 >= small.size
}

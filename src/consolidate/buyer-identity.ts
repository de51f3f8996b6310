// What makes two buyers the same or different for the guards: cleaned national ids and the distinguishing words of
// names.
import type { Organization } from '../domain/notice.ts'
import { foldText as foldLetters } from './estimate/text-terms.ts'
import { oncePer } from './once-per.ts'

/** A group of buyers as the guards compare it. */
export type BuyerIdentity = {
  readonly countries: ReadonlySet<string>
  readonly ids: ReadonlySet<string>
  /** Distinguishing words of each name. */
  readonly names: readonly ReadonlySet<string>[]
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

const placeholderId = /^(?:TBD|NA|NONE|UNKNOWN|KEINEANGABE|NICHTVORHANDEN|ORG\d+|TEST\w*|0+|1+|9+|X+|12345?6?7?8?9?0?)$/

/**
 * A national id (BT-501) as a key: letters and digits, without a scheme or the country's VAT prefix; undefined for
 * placeholders.
 */
export function cleanBuyerId(nationalId: string | undefined, country: string | undefined): string | undefined {
  if (nationalId === undefined) return undefined
  let id = nationalId
    .trim()
    .replace(/^t:/i, '')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  if (id.startsWith('VAT')) id = id.slice(3)
  if (country && id.startsWith(country) && /^\d{5,}/.test(id.slice(2))) id = id.slice(2)
  return id.length < 4 || placeholderId.test(id) ? undefined : id
}

/** Keys under which a buyer is filed: its cleaned id, and its name. Scoped by country where one is known. */
export function buyerKeys(buyer: Organization): string[] {
  const country = buyer.country ?? ''
  const id = cleanBuyerId(buyer.nationalId, buyer.country)
  const name = wordsOf(buyer.name).join(' ')
  return [...(id ? [`${country}|${id}`] : []), ...(name ? [`${country}|${name}`] : [])]
}

export const buyerIdentity = oncePer((buyers: readonly Organization[]): BuyerIdentity => {
  const ids = buyers.map((buyer) => cleanBuyerId(buyer.nationalId, buyer.country)).filter((id) => id !== undefined)
  return {
    countries: new Set(buyers.map((buyer) => buyer.country).filter((country) => country !== undefined)),
    ids: new Set(ids),
    names: buyers.map((buyer) => distinguishingWords(buyer.name)),
  }
})

/** Two word sets overlap when they share at least half of the smaller one. */
function wordsOverlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  let shared = 0
  for (const word of small) if (large.has(word)) shared++
  return small.size > 0 && shared * 2 >= small.size
}

function disjoint(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const value of a) if (b.has(value)) return false
  return true
}

/** Whether both sides name countries, but none in common. */
export function countriesConflict(a: BuyerIdentity, b: BuyerIdentity): boolean {
  return a.countries.size > 0 && b.countries.size > 0 && disjoint(a.countries, b.countries)
}

/**
 * Whether both sides name buyers, but none with a common id and none with overlapping names. Any shared buyer is
 * agreement.
 */
export function buyersConflict(a: BuyerIdentity, b: BuyerIdentity): boolean {
  if (a.names.length === 0 || b.names.length === 0) return false
  if (!disjoint(a.ids, b.ids)) return false
  return !a.names.some((name) => b.names.some((other) => wordsOverlap(name, other)))
}

/** Merges two groups into one, each distinct name once. */
export function unitedBuyers(a: BuyerIdentity, b: BuyerIdentity): BuyerIdentity {
  const names = new Map([...a.names, ...b.names].map((name) => [[...name].sort().join(' '), name]))
  return {
    countries: new Set([...a.countries, ...b.countries]),
    ids: new Set([...a.ids, ...b.ids]),
    names: [...names.values()],
  }
}

// What makes two groups of buyers the same or different for the guards: their identifiers and the distinguishing words
// of their names.
import { distinguishingWords, foldText, wordsOf, wordsOverlap } from '../domain/name-words.ts'
import type { Organization } from '../domain/notice.ts'
import { identifierOf } from '../domain/organization-identity.ts'
import { oncePer } from './once-per.ts'

/** A group of buyers as the guards compare it. */
export type BuyerIdentity = {
  readonly countries: ReadonlySet<string>
  readonly ids: ReadonlySet<string>
  /** Distinguishing words of each name. */
  readonly names: readonly ReadonlySet<string>[]
  /** What kinds of bodies the names say. */
  readonly kinds: ReadonlySet<string>
}

/** Kinds of bodies that one town has several of, under its name; stems of folded words in the languages of TED. */
const kindsOfBodies: readonly (readonly [kind: string, pattern: RegExp])[] = (
  [
    [
      'municipality',
      '^(?:landeshaupt)?(?:(?:markt)?gemeinde|stadt|ville|commune|mairie|comun[ea]|ayuntamiento|municipi[oa]|gmina|miasto',
      '|obec|mesto|kommun|kommune|gemeente|δημος|община|opcina|opstina|grad|obcina|primaria|vald|linn|pasvaldiba)\\b',
    ],
    [
      'works',
      '\\b(?:stadt|gemeinde|kreis|wasser|kraft)werke?\\b|entwasserung|wasserversorg|wodociag|vodo?vod|vodarn|energi',
    ],
    [
      'clinic',
      'klini[kc]|krankenh|hospi?tal|hopita|ospedal|szpital|nemocnic|spital|sairaala|sykehus|sjukhus|bolnic|νοσοκομ',
    ],
    [
      'university',
      'universi|hochschule|politechni|univerz|uniwersytet|egyetem|yliopisto|ulikool|университет|πανεπιστημ',
    ],
    ['housing', 'wohnung|wohnbau|siedlungs|habitat|logement|woning|vivienda|bolig|bostad|mieszka'],
    ['transport', 'verkehr|transport|flughafen|airport|aeroport|hafen\\b|bahn\\b'],
  ] as const
).map(([kind, ...pattern]) => [kind, new RegExp(pattern.join(''), 'u')])

function kindsOf(name: string): string[] {
  const folded = foldText(name)
  return kindsOfBodies.filter(([, pattern]) => pattern.test(folded)).map(([kind]) => kind)
}

/** Keys under which a buyer is filed: its identifier, and its name. Scoped by country where one is known. */
export function buyerKeys(buyer: Organization): string[] {
  const country = buyer.country ?? ''
  const id = identifierOf(buyer)
  const name = wordsOf(buyer.name).join(' ')
  return [...(id ? [`${country}|${id}`] : []), ...(name ? [`${country}|${name}`] : [])]
}

export const buyerIdentity = oncePer((buyers: readonly Organization[]): BuyerIdentity => {
  const ids = buyers.map(identifierOf).filter((id) => id !== undefined)
  return {
    countries: new Set(buyers.map((buyer) => buyer.country).filter((country) => country !== undefined)),
    ids: new Set(ids),
    names: buyers.map((buyer) => distinguishingWords(buyer.name)),
    kinds: new Set(buyers.flatMap(({ name }) => kindsOf(name))),
  }
})

export function disjoint(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
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

const shapeOf = (id: string): string => id.replace(/\p{L}/gu, 'A').replace(/\p{N}/gu, '9')

/**
 * Whether they may be two bodies of one town: their names say different kinds of bodies, or both have ids of one
 * scheme, which differ, and other names. One body may have several ids, and call itself by its department.
 */
export function mayBeOtherBodies(a: BuyerIdentity, b: BuyerIdentity): boolean {
  if (!disjoint(a.ids, b.ids)) return false
  if (a.kinds.size > 0 && b.kinds.size > 0 && disjoint(a.kinds, b.kinds)) return true
  const shapes = new Set([...a.ids].map(shapeOf))
  const textsOf = ({ names }: BuyerIdentity) => new Set(names.map((name) => [...name].sort().join(' ')))
  return [...b.ids].some((id) => shapes.has(shapeOf(id))) && disjoint(textsOf(a), textsOf(b))
}

/** Merges two groups into one, each distinct name once. */
export function unitedBuyers(a: BuyerIdentity, b: BuyerIdentity): BuyerIdentity {
  const names = new Map([...a.names, ...b.names].map((name) => [[...name].sort().join(' '), name]))
  return {
    countries: new Set([...a.countries, ...b.countries]),
    ids: new Set([...a.ids, ...b.ids]),
    names: [...names.values()],
    kinds: new Set([...a.kinds, ...b.kinds]),
  }
}

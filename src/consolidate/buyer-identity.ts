// What makes two groups of buyers the same or different for the guards: their identifiers and the distinguishing words
// of their names.
import { distinguishingWords, wordsOf, wordsOverlap } from '../domain/name-words.ts'
import type { Organization } from '../domain/notice.ts'
import { identifierOf } from '../domain/organization-identity.ts'
import { oncePer } from './once-per.ts'

/** A group of buyers as the guards compare it. */
export type BuyerIdentity = {
  readonly countries: ReadonlySet<string>
  readonly ids: ReadonlySet<string>
  /** Distinguishing words of each name. */
  readonly names: readonly ReadonlySet<string>[]
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
  }
})

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

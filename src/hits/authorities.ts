// The authorities that a company worked for, and whether a tender is of one of them.
import { buyersOf, isNamedBy } from '../domain/buyers.ts'
import { haveSameIdentity, identifierOf } from '../domain/organization-identity.ts'
import type { TenderOrganization, TenderRecord } from '../domain/tender.ts'
import { authorityKey } from '../domain/words.ts'

/** The authorities that a company worked for: those that its profile names, and those of its past wins. */
export type PastAuthorities = {
  readonly keys: ReadonlySet<string>
  /** Of past wins, by identifier. */
  readonly byIdentifier: ReadonlyMap<string, readonly TenderOrganization[]>
}

export function pastAuthorities(named: readonly string[], wins: readonly TenderRecord[]): PastAuthorities {
  const buyers = wins.flatMap(buyersOf)
  return {
    keys: new Set([...named, ...buyers.map(({ name }) => name)].map(authorityKey)),
    byIdentifier: Map.groupBy(
      buyers.filter((buyer) => identifierOf(buyer) !== undefined),
      (buyer) => identifierOf(buyer)!,
    ),
  }
}

export function hasPastAuthority(
  { keys, byIdentifier }: PastAuthorities,
  buyers: readonly TenderOrganization[],
): boolean {
  if (keys.size === 0) return false
  return buyers.some(
    (buyer) =>
      isNamedBy(keys, buyer) ||
      (byIdentifier.size > 0 &&
        byIdentifier.get(identifierOf(buyer) ?? '')?.some((known) => haveSameIdentity(known, buyer)) === true),
  )
}

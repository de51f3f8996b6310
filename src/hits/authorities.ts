// How searches and profiles find an authority: by its name, or by a national id that is an identifier.
import { haveSameIdentity, identifierOf } from '../domain/organization-identity.ts'
import type { TenderOrganization, TenderRecord } from '../domain/tender.ts'
import { authorityKey } from './words.ts'

export const buyersOf = ({ contractingAuthority, jointAuthorities = [] }: TenderRecord): TenderOrganization[] =>
  contractingAuthority === undefined ? [...jointAuthorities] : [contractingAuthority, ...jointAuthorities]

/** Whether one of these keys (`authorityKey`) is that of the buyer's name or identifier. */
export const isNamedBy = (keys: ReadonlySet<string>, buyer: TenderOrganization): boolean =>
  keys.has(authorityKey(buyer.name)) || hasNamedId(keys, buyer)

/** The id is judged last: few buyers have one of the keys. */
const hasNamedId = (keys: ReadonlySet<string>, buyer: TenderOrganization): boolean =>
  buyer.nationalId !== undefined && keys.has(authorityKey(buyer.nationalId)) && identifierOf(buyer) !== undefined

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

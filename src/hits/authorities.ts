// The authorities that a company worked for, and whether a tender is of one of them.
import { buyersOf } from '../domain/buyers.ts'
import { haveSameIdentity, identifierOf } from '../domain/organization-identity.ts'
import type { TenderOrganization, TenderRecord } from '../domain/tender.ts'
import { authorityKey } from '../domain/words.ts'

/** The authorities that a company worked for: those that its profile names, and those of its past wins. */
export type PastAuthorities = {
  readonly keys: ReadonlySet<string>
  /** Of past wins, by identifier. */
  readonly byIdentifier: ReadonlyMap<string, readonly TenderOrganization[]>
}

/** `buyers`: those of the past wins. */
export function pastAuthorities(named: readonly string[], buyers: readonly TenderOrganization[]): PastAuthorities {
  return {
    keys: new Set([...named, ...buyers.map(({ name }) => name)].map(authorityKey)),
    byIdentifier: Map.groupBy(
      buyers.filter((buyer) => identifierOf(buyer) !== undefined),
      (buyer) => identifierOf(buyer)!,
    ),
  }
}

/** A buyer with what it is found by, which is read once for all profiles. */
export type FoundBuyer = {
  readonly buyer: TenderOrganization
  /** Of its name, and of its national id if that is an identifier. */
  readonly keys: readonly string[]
  readonly identifier: string | undefined
}

export function foundBuyersOf(record: TenderRecord): FoundBuyer[] {
  return buyersOf(record).map((buyer) => {
    const identifier = identifierOf(buyer)
    const texts = identifier === undefined ? [buyer.name] : [buyer.name, buyer.nationalId!]
    return { buyer, keys: texts.map(authorityKey), identifier }
  })
}

export function hasPastAuthority({ keys, byIdentifier }: PastAuthorities, buyers: readonly FoundBuyer[]): boolean {
  if (keys.size === 0) return false
  return buyers.some(
    ({ buyer, keys: own, identifier }) =>
      own.some((key) => keys.has(key)) ||
      (identifier !== undefined &&
        byIdentifier.get(identifier)?.some((known) => haveSameIdentity(known, buyer)) === true),
  )
}

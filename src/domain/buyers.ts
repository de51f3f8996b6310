// How searches, profiles and pages find an authority: by its name, or by a national id that is an identifier.
import { identifierOf } from './organization-identity.ts'
import type { TenderOrganization, TenderRecord } from './tender.ts'
import { authorityKey } from './words.ts'

export const buyersOf = ({ contractingAuthority, jointAuthorities = [] }: TenderRecord): TenderOrganization[] =>
  contractingAuthority === undefined ? [...jointAuthorities] : [contractingAuthority, ...jointAuthorities]

/** Whether one of these keys (`authorityKey`) is that of the buyer's name or identifier. */
export const isNamedBy = (keys: ReadonlySet<string>, buyer: TenderOrganization): boolean =>
  keys.has(authorityKey(buyer.name)) || hasNamedId(keys, buyer)

/** The id is judged last: few buyers have one of the keys. */
const hasNamedId = (keys: ReadonlySet<string>, buyer: TenderOrganization): boolean =>
  buyer.nationalId !== undefined && keys.has(authorityKey(buyer.nationalId)) && identifierOf(buyer) !== undefined

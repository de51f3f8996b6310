// An authority or a company as its page is addressed, and which organizations of records are it. Who is who is decided
// by domain/organization-identity.ts.
import { hasCompanyPage } from '../../domain/companies/companies.ts'
import { haveSameIdentity, identifierOf } from '../../domain/organization-identity.ts'
import { hasRedaction } from '../../domain/redaction.ts'
import type { TenderOrganization } from '../../domain/tender.ts'
import { authorityKey } from '../../domain/words.ts'

/** Its national id as published, or none. */
export type Party = { readonly name: string; readonly country: string; readonly nationalId?: string }

function partyOf({ name, country, nationalId, postalCode }: TenderOrganization): Party | undefined {
  if (country === undefined || hasRedaction(name) || authorityKey(name) === '') return undefined
  const hasId = identifierOf({ nationalId, country, postalCode }) !== undefined
  return { name, country, ...(hasId && { nationalId: nationalId! }) }
}

const addressOf = (kind: 'authorities' | 'companies', { name, country, nationalId }: Party): string =>
  `/${kind}/${country.toLowerCase()}/${encodeURIComponent(name)}${
    nationalId === undefined ? '' : `?id=${encodeURIComponent(nationalId)}`
  }`

/** The address of an authority's page; undefined for one without a country, or whose name is redacted. */
export function authorityAddress(buyer: TenderOrganization): string | undefined {
  const party = partyOf(buyer)
  return party && addressOf('authorities', party)
}

/** The address of a company's page; undefined for a winner that has none (`hasCompanyPage`). */
export function companyAddress(winner: TenderOrganization): string | undefined {
  const party = hasCompanyPage(winner) ? partyOf(winner) : undefined
  return party && addressOf('companies', party)
}

/** What an address says; undefined if no page has this address. */
export function partyOfAddress(
  { country, name }: { readonly [name: string]: string | undefined },
  id: string | null,
): Party | undefined {
  if (country === undefined || name === undefined || !/^[a-z]{2}$/i.test(country)) return undefined
  const party = partyOf({ name, country: country.toUpperCase(), ...(id !== null && { nationalId: id }) })
  // an id that is none is not ignored: the page would be another one
  return id !== null && party?.nationalId === undefined ? undefined : party
}

/** All texts under which the index may have an authority: an id with and without its country. */
export function textsOfParty({ name, country, nationalId }: Party): string[] {
  const identifier = identifierOf({ nationalId, country })
  const ids =
    identifier === undefined ? [] : [nationalId!, identifier, country + identifier, `VAT${country}${identifier}`]
  return [...new Set([name, ...ids])]
}

/** How an organization of a record relates to the party. */
export type Relation =
  /** It is the party. */
  | 'same'
  /** It has the same id and a name that contradicts, or the same name and another id: it is not joined. */
  | 'apart'
  | 'other'

const isNamesake = ({ name, country }: Party, other: TenderOrganization): boolean =>
  other.country === country && authorityKey(other.name) === authorityKey(name)

/** Identifiers that stand beside the name of the party in its country. */
export const idsOfName = (party: Party, all: readonly TenderOrganization[]): Set<string> =>
  new Set(all.filter((each) => isNamesake(party, each)).flatMap((each) => identifierOf(each) ?? []))

/**
 * The relation to a party, of whose name `ids` are known. An organization without an id is the one of its name only
 * while no other id stands beside that name.
 */
export function relationTo(party: Party, other: TenderOrganization, ids: ReadonlySet<string>): Relation {
  // the rest of a redacted name is nobody's
  if (hasRedaction(other.name)) return 'other'
  const [own, theirs] = [identifierOf(party), identifierOf(other)]
  if (theirs === undefined)
    return isNamesake(party, other)
      ? own === undefined || (ids.size === 1 && ids.has(own))
        ? 'same'
        : 'apart'
      : 'other'
  if (own === theirs && (other.country ?? party.country) === party.country)
    return haveSameIdentity(party, other) ? 'same' : 'apart'
  return isNamesake(party, other) ? 'apart' : 'other'
}

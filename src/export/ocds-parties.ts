// The organizations of one release, each once, with their roles. Two names never stand under one id, so that nobody
// receives what another one won; an identifier is published only where it is one, and nothing contradicts it.
import { hash } from 'node:crypto'
import { identifierOf, namesContradict } from '../domain/organization-identity.ts'
import type { TenderOrganization } from '../domain/tender.ts'
import { compact, type Json, uriOf } from './ocds-values.ts'

type Role = 'buyer' | 'procuringEntity' | 'supplier'
export type Reference = { readonly id: string; readonly name: string }
type Party = { readonly organization: TenderOrganization; readonly identifier: string | undefined; id: string }

export class Parties {
  readonly #byKey = new Map<string, Party & { readonly roles: Set<Role> }>()

  /** `organizations`: all of the record, in its order, in whatever roles. */
  constructor(organizations: readonly TenderOrganization[]) {
    const named = organizations.filter(({ name }) => name !== '')
    const sharers = Map.groupBy(named, (organization) => numberOf(organization) ?? '')
    for (const organization of named) {
      const number = numberOf(organization)
      const others = number === undefined ? [] : sharers.get(number)!
      const isContradicted = others.some((other) => namesContradict(other.name, organization.name))
      const key = keyOf(organization)
      if (this.#byKey.has(key)) continue
      // the first name has the id of its number alone, by which programs find it in every release
      const isFirst = others[0] !== undefined && keyOf(others[0]) === key
      const identifier = isContradicted ? undefined : number
      const id = identifier === undefined ? `name-${key}` : isFirst ? identifier : `${identifier}-${key}`
      this.#byKey.set(key, { organization, identifier, id, roles: new Set() })
    }
  }

  refer(organization: TenderOrganization, ...roles: readonly Role[]): Reference | undefined {
    const party = this.#byKey.get(keyOf(organization))
    if (party === undefined) return undefined
    for (const role of roles) party.roles.add(role)
    return { id: party.id, name: party.organization.name }
  }

  list(): readonly Json[] {
    return [...this.#byKey.values()].map((party) => partyOf(party, [...party.roles]))
  }
}

/** The identifier within its country: `DE-811111111`. */
function numberOf(organization: TenderOrganization): string | undefined {
  const identifier = identifierOf(organization)
  return identifier === undefined ? undefined : `${organization.country ?? 'XX'}-${identifier}`
}

/** What makes an organization another party: its name, with its number or else its place. */
function keyOf(organization: TenderOrganization): string {
  const { name, city, country } = organization
  const place = numberOf(organization) ?? city?.toLowerCase()
  const key = JSON.stringify([name.toLowerCase().replaceAll(/\s+/g, ' ').trim(), place, country])
  return hash('sha256', key, 'hex').slice(0, 16)
}

/** The register is not known, only the country, if at all: the scheme says no more than that. */
const schemeOf = ({ country = 'XX' }: TenderOrganization): string => `${country}-BT501`

const partyOf = ({ id, organization, identifier }: Party, roles: readonly Role[]): Json =>
  compact({
    id,
    name: organization.name,
    identifier:
      identifier &&
      compact({
        scheme: schemeOf(organization),
        id: organization.nationalId,
        legalName: organization.name,
      }),
    address: compact({
      streetAddress: organization.street,
      locality: organization.city,
      region: organization.nutsCode,
      postalCode: organization.postalCode,
      countryName: organization.country,
    }),
    contactPoint: compact({
      name: organization.contactName,
      email: organization.email,
      telephone: organization.phone,
      url: uriOf(organization.url),
    }),
    roles,
  })

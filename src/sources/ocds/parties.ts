// Organizations of a release: `parties` by role, with the ways in which publishers refer to them.
import type { Organization } from '../../domain/notice.ts'
import { namesContradict } from '../../domain/organization-identity.ts'
import { compact } from '../compact.ts'
import { distinctOrganizations } from '../results.ts'
import { cleanEmail, cleanField, cleanLine, cleanUrl, isPlaceholder } from '../text.ts'
import { countryOf, regionCode } from './codes.ts'
import { type JsonObject, member, objectsOf, textAt, textsAt } from './json.ts'

/** An id that only means something inside the document (`ORG-0001`, `org-12`, `1`). */
const localId = /^(?:org-?\d+|\d{1,3})$/i

export type Parties = {
  /**
   * The organization that a reference (`buyer`, `awards[].suppliers[]`) means: its party, completed with the inline
   * data.
   */
  readonly resolve: (reference: unknown) => Organization | undefined
  readonly withRole: (role: string) => Organization[]
}

function nationalIdOf(party: JsonObject): string | undefined {
  const identifier = cleanField(textAt(party, 'identifier', 'id'))
  if (identifier !== undefined && !localId.test(identifier)) return identifier
  // DÖE swaps the two: the buyer's `id` is its national id, `identifier.id` the local one.
  const own = identifier === undefined ? undefined : cleanField(textAt(party, 'id'))
  return own !== undefined && !localId.test(own) ? own : undefined
}

/** A name under a key with its language only (`name_en`): the first. */
function translatedName(party: JsonObject): string | undefined {
  const key = Object.keys(party).find(
    (each) => /^name_[a-z]{2,3}(?:[_-]\w+)?$/i.test(each) && textAt(party, each)?.trim(),
  )
  return key === undefined ? undefined : textAt(party, key)
}

/** `home`: the country of the portal, where the party names none. */
function organizationOf(party: JsonObject, home: string | undefined): Organization | undefined {
  const name =
    cleanLine(textAt(party, 'name'), 500) ??
    cleanLine(textAt(party, 'identifier', 'legalName'), 500) ??
    cleanLine(translatedName(party), 500)
  if (name === undefined || isPlaceholder(name)) return undefined
  const address = member(party, 'address')
  const contact = member(party, 'contactPoint')
  const nutsCode = regionCode(textAt(address, 'region'))
  return compact<Organization>({
    name,
    nationalId: nationalIdOf(party),
    street: cleanField(textAt(address, 'streetAddress')),
    city: cleanField(textAt(address, 'locality')),
    postalCode: cleanField(textAt(address, 'postalCode')),
    country:
      countryOf(textAt(address, 'countryName')) ??
      countryOf(textAt(address, 'country')) ??
      countryOf(textAt(address, 'countryCode')) ??
      countryOf(nutsCode?.slice(0, 2)) ??
      home,
    nutsCode,
    contactName: cleanField(textAt(contact, 'name')),
    email: cleanEmail(textAt(contact, 'email')),
    phone: cleanField(textAt(contact, 'telephone')),
    url:
      cleanUrl(textAt(contact, 'url')) ?? cleanUrl(textAt(party, 'details', 'url')) ?? cleanUrl(textAt(contact, 'uri')),
  })
}

/** Roles in lower case, also where they are in one text (`buyer;payer`) or in Spanish. */
export function rolesOf(party: JsonObject): ReadonlySet<string> {
  const roles = textsAt(party, 'roles').flatMap((role) => role.toLowerCase().split(/[\s,;|]+/))
  return new Set(roles.map((role) => spanishRoles.get(role) ?? role))
}

const spanishRoles: ReadonlyMap<string, string> = new Map([
  ['comprador', 'buyer'],
  ['proveedor', 'supplier'],
  ['licitante', 'tenderer'],
])

/** Of parties that share an id, the one of this name, else the first whose name does not contradict it. */
function mostAlike(parties: readonly JsonObject[], name: string | undefined): JsonObject | undefined {
  if (name === undefined) return parties[0]
  const named = parties.map((party) => ({ party, own: textAt(party, 'name')?.trim().toLowerCase() }))
  const found =
    named.find(({ own }) => own === name) ?? named.find(({ own }) => own === undefined || !namesContradict(own, name))
  return found?.party
}

/** Indexes the parties of a release; `home` is the country of those that name none. */
export function readParties(release: JsonObject, home: string | undefined): Parties {
  const parties = objectsOf(release, 'parties')
  const byId = Map.groupBy(parties, (party) => textAt(party, 'id') ?? '')
  const byName = new Map<string, JsonObject>()
  for (const party of parties) {
    const name = textAt(party, 'name')?.trim().toLowerCase()
    if (name && !byName.has(name)) byName.set(name, party)
  }
  const partyOf = (reference: JsonObject): JsonObject | undefined => {
    const [id, identifier, name] = [
      textAt(reference, 'id'),
      textAt(reference, 'identifier', 'id'),
      textAt(reference, 'name'),
    ]
    const key = name?.trim().toLowerCase()
    const agreeing = (found: string | undefined): JsonObject | undefined =>
      mostAlike(found === undefined ? [] : (byId.get(found) ?? []), key)
    return agreeing(id) ?? (key === undefined ? undefined : byName.get(key)) ?? agreeing(identifier)
  }
  return {
    resolve: (reference) => {
      const [inline] = objectsOf(reference)
      if (!inline) return undefined
      const party = partyOf(inline)
      const own = organizationOf(inline, undefined)
      const listed = party && organizationOf(party, undefined)
      const found = listed ? { ...own, ...listed } : own
      return found && home !== undefined && found.country === undefined ? { ...found, country: home } : found
    },
    withRole: (role) =>
      distinctOrganizations(
        parties.filter((party) => rolesOf(party).has(role.toLowerCase())).map((party) => organizationOf(party, home)),
      ),
  }
}

/** The buyer first, then further parties in the role; the procuring entity where no buyer is named. */
export function buyersOf(release: JsonObject, parties: Parties): Organization[] {
  const buyers = distinctOrganizations([parties.resolve(member(release, 'buyer')), ...parties.withRole('buyer')])
  if (buyers.length > 0) return buyers
  return distinctOrganizations([
    parties.resolve(member(release, 'tender', 'procuringEntity')),
    ...parties.withRole('procuringEntity'),
  ]).slice(0, 1)
}

// Buyers and winners: the organizations of the extension by their technical ids, or a party written out in place.
import { toCountry } from '../../domain/codes.ts'
import type { Organization } from '../../domain/notice.ts'
import { compact, uniform } from '../compact.ts'
import { cleanEmail, cleanField, cleanUrl } from '../text.ts'
import { textOf, type XmlElement } from '../xml/xml.ts'
import { allCac, allCbc, allEfac, cac, cbc, cbcText, codeOf, efac, efbcText, idOf } from './elements.ts'
import { addressOf, type NoticeContext, ownTextOf } from './notice-context.ts'

export type Organizations = ReadonlyMap<string, Organization>

/** All organizations of a notice by technical id (`ORG-0001`), and touch points (`TPO-0001`) as their contacts. */
export function readOrganizations(extension: XmlElement | undefined, context: NoticeContext): Organizations {
  const organizations = new Map<string, Organization>()
  for (const element of allEfac(efac(extension, 'Organizations'), 'Organization')) {
    const company = efac(element, 'Company')
    const party = readParty(company, context)
    const isNaturalPerson = efbcText(element, 'NaturalPersonIndicator') === 'true'
    const organization = party && isNaturalPerson ? { ...compact<Organization>(party), isNaturalPerson } : party
    const id = idOf(cac(company, 'PartyIdentification'))
    if (organization && id && !organizations.has(id)) organizations.set(id, organization)
    for (const touchPoint of allEfac(element, 'TouchPoint')) {
      const touchPointId = idOf(cac(touchPoint, 'PartyIdentification'))
      const contact = readParty(touchPoint, context)
      if (!touchPointId || organizations.has(touchPointId)) continue
      // A touch point is a department: name and number are those of its organization.
      const { name: _, nationalId: __, ...details } = compact<Organization>(contact ?? { name: '' })
      if (organization) organizations.set(touchPointId, { ...compact<Organization>(organization), ...details })
      else if (contact) organizations.set(touchPointId, contact)
    }
  }
  return organizations
}

/** Company, TouchPoint or cac:Party: the same members under each. Undefined without a name. */
function readParty(party: XmlElement | undefined, context: NoticeContext): Organization | undefined {
  if (!party) return undefined
  const names = allCac(party, 'PartyName').flatMap((partyName) => allCbc(partyName, 'Name'))
  const published = ownTextOf(names, context)
  if (!published) return undefined
  const address = cac(party, 'PostalAddress')
  const contact = cac(party, 'Contact')
  const nationalId = allCac(party, 'PartyLegalEntity')
    .flatMap((entity) => allCbc(entity, 'CompanyID'))
    .map((id) => cleanField(textOf(id), 200))
    .find((id) => id !== undefined)
  const street = ownTextOf(allCbc(address, 'StreetName'), context)
  const contactName = cleanField(cbcText(contact, 'Name'))
  const email = cleanEmail(cbcText(contact, 'ElectronicMail'))
  const phone = cleanField(cbcText(contact, 'Telephone'), 100)
  const url = cleanUrl(cbcText(party, 'WebsiteURI'))
  const { country, nutsCode, postalCode, city } = addressOf(address, context)
  const read = uniform<Organization>({
    name: published,
    nationalId,
    street,
    country,
    nutsCode,
    postalCode,
    city,
    contactName,
    email,
    phone,
    url,
  })
  if (!context.isBelowThresholdChannel) return read
  const { name: _, ...rest } = compact<Organization>(read)
  return { ...splitGluedName(published), ...rest }
}

const labels = /^(tel(?:efon)?|fax|telefax|e-?mail|internet|homepage|web)\b[.:\s]*/i

/**
 * The German below-threshold channel writes all of a buyer into its name: `Name, Street 1, 12345 Town, Tel.: …, E-Mail:
 * …`. Takes apart what carries a label or a postal code; the rest is the name.
 */
export function splitGluedName(published: string): Organization {
  const segments = published.replace(/^\d{1,2}\.\s*Firma:\s*/, '').split(/,\s*/)
  const found: { email?: string; phone?: string; url?: string; street?: string; postalCode?: string; city?: string } =
    {}
  const rest: string[] = []
  for (const segment of segments) {
    const label = labels.exec(segment)
    if (!label || rest.length === 0) {
      rest.push(segment)
      continue
    }
    const value = segment.slice(label[0].length)
    const name = label[1]!.toLowerCase()
    if (name.startsWith('tel') && name !== 'telefax') found.phone ??= cleanField(value, 100) ?? ''
    else if (name.includes('mail')) found.email ??= cleanEmail(value) ?? ''
    else if (!name.includes('fax')) found.url ??= cleanUrl(value) ?? ''
  }
  const town = rest.length > 1 ? /^(?:D-)?(\d{5})\s+(\D.*)$/.exec(rest.at(-1)!) : null
  if (town) {
    rest.pop()
    found.postalCode = town[1]!
    found.city = town[2]!
    if (rest.length > 1 && /\d/.test(rest.at(-1)!)) found.street = rest.pop()!
  }
  const { street, postalCode, city, email, phone, url } = found
  return {
    name: rest.join(', '),
    ...(street && { street }),
    ...(city && postalCode && { city, postalCode }),
    ...(email && { email }),
    ...(phone && { phone }),
    ...(url && { url }),
  }
}

/** The buyers in published order: references to organizations (OPT-300), or parties written out in place. */
export function readBuyers(root: XmlElement, organizations: Organizations, context: NoticeContext): Organization[] {
  const buyers: Organization[] = []
  for (const contracting of allCac(root, 'ContractingParty')) {
    for (const party of allCac(contracting, 'Party')) {
      const buyer = organizations.get(idOf(cac(party, 'PartyIdentification')) ?? '') ?? readParty(party, context)
      if (buyer && !buyers.includes(buyer)) buyers.push(buyer)
    }
  }
  return buyers
}

/** The winners of a result written the plain UBL way, as the German below-threshold channel does. */
export function readWinningParties(tenderResult: XmlElement, context: NoticeContext): Organization[] {
  return allCac(tenderResult, 'WinningParty')
    .flatMap((winning) => allCac(winning, 'Party'))
    .map((party) => readParty(party, context))
    .filter((party) => party !== undefined)
}

/**
 * Country of the first buyer that names one, before the notice's other parts can be read: it decides the zone of times.
 */
export function countryOfBuyer(root: XmlElement, extension: XmlElement | undefined): string | undefined {
  const parties = allCac(root, 'ContractingParty').flatMap((contracting) => allCac(contracting, 'Party'))
  const companies = new Map<string, XmlElement>()
  for (const element of allEfac(efac(extension, 'Organizations'), 'Organization')) {
    const company = efac(element, 'Company')
    for (const part of [company, ...allEfac(element, 'TouchPoint')]) {
      const id = idOf(cac(part, 'PartyIdentification'))
      if (company && id) companies.set(id, company)
    }
  }
  for (const party of parties) {
    const source = companies.get(idOf(cac(party, 'PartyIdentification')) ?? '') ?? party
    const country = toCountry(codeOf(cbc(cac(cac(source, 'PostalAddress'), 'Country'), 'IdentificationCode')))
    if (country) return country
  }
  return undefined
}

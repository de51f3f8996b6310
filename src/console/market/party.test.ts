import { expect, test } from 'vitest'
import { authorityAddress, companyAddress, idsOfName, partyOfAddress, relationTo, textsOfParty } from './party.ts'

const town = { name: 'Stadt Lechfeld', nationalId: '09-761-000', country: 'DE' }
const relations = (party: Parameters<typeof relationTo>[0], ...others: Parameters<typeof relationTo>[1][]) => {
  const ids = idsOfName(party, others)
  return others.map((each) => relationTo(party, each, ids))
}

test('a page has the address of name and number in a country, which says the same party', () => {
  const address = authorityAddress({ ...town, postalCode: '86899' })
  expect(address).toBe('/authorities/de/Stadt%20Lechfeld?id=09-761-000')
  expect(partyOfAddress({ country: 'de', name: 'Stadt Lechfeld' }, '09-761-000')).toEqual(town)
  // what is no number of a register is not part of it
  expect(authorityAddress({ name: 'Stadt A', nationalId: 'n/a', country: 'DE' })).toBe('/authorities/de/Stadt%20A')
})

test('no page for a redacted name, without a country, or for a number that is none', () => {
  expect(authorityAddress({ name: 'Büro [redacted]', country: 'DE' })).toBeUndefined()
  expect(authorityAddress({ name: 'Stadt A' })).toBeUndefined()
  expect(partyOfAddress({ country: 'de', name: 'Stadt A' }, 'n/a')).toBeUndefined()
  expect(partyOfAddress({ country: 'd/', name: 'Stadt A' }, null)).toBeUndefined()
})

test('a winner that is no company, or has no number, has no address', () => {
  const company = { name: 'Strabau GmbH', nationalId: 'HRB 24923 Augsburg', country: 'DE' }
  expect(companyAddress(company)).toBe('/companies/de/Strabau%20GmbH?id=HRB%2024923%20Augsburg')
  expect(companyAddress({ ...company, name: 'Hans Meier' })).toBeUndefined()
  expect(companyAddress({ ...company, isNaturalPerson: true })).toBeUndefined()
  expect(companyAddress({ name: 'Strabau GmbH', country: 'DE' })).toBeUndefined()
})

test('a name that contradicts the number is not joined, nor another number beside the name', () => {
  const other = { name: 'Landkreis Auental', nationalId: '09761000', country: 'DE' }
  const namesake = { name: 'STADT LECHFELD', nationalId: '05 334 002', country: 'DE' }
  expect(relations(town, town, other, namesake)).toEqual(['same', 'apart', 'apart'])
  expect(relations(town, { ...town, country: 'AT' }, { ...town, name: 'Stadt [redacted]' })).toEqual(['other', 'other'])
})

test('without a number, a name is of the one number beside it, and of none if there are two', () => {
  const { nationalId: _, ...bare } = town
  const namesake = { ...town, nationalId: '05 334 002' }
  expect(relations(town, town, bare)).toEqual(['same', 'same'])
  expect(relations(town, town, namesake, bare)).toEqual(['same', 'apart', 'apart'])
  expect(relations(bare, bare, town)).toEqual(['same', 'apart'])
})

test('the index may have an id with its country or without', () => {
  expect(textsOfParty({ name: 'A', country: 'DE', nationalId: 'DE 246 813 579' })).toEqual([
    'A',
    'DE 246 813 579',
    '246813579',
    'DE246813579',
    'VATDE246813579',
  ])
})

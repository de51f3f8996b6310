// What authorities write into the field of a national id, and which of it says who somebody is. All ids are made up in
// the forms that notices have.
import { describe, expect, test } from 'vitest'
import { haveSameIdentity, identifierOf, namesContradict } from './organization-identity.ts'

describe('a national id', () => {
  test.each<[text: string, country: string | undefined, key: string]>([
    ['DE811111112', 'DE', '811111112'],
    ['DE 811.111.112', 'DE', '811111112'],
    ['811111112', undefined, '811111112'],
    ['VAT BE0807497000', 'BE', '0807497000'],
    ['t:09-9015777-38', 'DE', '09901577738'],
    ['２１３４００９０６０００１２', 'FR', '21340090600012'],
    ['FN 142099 p', 'AT', 'FN142099P'],
    ['HRB 24102 Leipzig', 'DE', 'HRB24102LEIPZIG'],
    ['PTBQ-7472-NYGG', 'GB', 'PTBQ7472NYGG'],
    ['0be31d3e-9471-426c-8cf9-83616d65642b', 'DE', '0BE31D3E9471426C8CF983616D65642B'],
    ['company registration number 735041', 'GB', 'COMPANYREGISTRATIONNUMBER735041'],
    ['1056', 'CY', '1056'],
  ])('%s (%s) is an identifier', (nationalId, country, key) => {
    expect(identifierOf({ nationalId, country })).toBe(key)
  })

  test.each<[what: string, text: string | undefined, country?: string]>([
    ['nothing', undefined],
    ['an empty text', ' '],
    ['a country', 'Romania', 'RO'],
    ['a code of a country', 'PL', 'PL'],
    ['a code with its country', 'PL POLSKA', 'PL'],
    ['a region', 'DE401', 'DE'],
    ['a region with letters', 'DEA2C', 'DE'],
    ['a town', 'Galati', 'RO'],
    ['a short name', 'EFSA', 'IT'],
    ['a name with a number', '33 Wojskowy Oddział Gospodarczy', 'PL'],
    ['an address', 'Bahnhofsplatz 19', 'DE'],
    ['an address with a postal code', 'Aikaterinis Kornaro 8, 2108 Aglantzia', 'CY'],
    ['a mail address', 'office12345@authority.example', 'DE'],
    ['a masked number', '***0046**', 'ES'],
    ['a number of a year', '45/2018', 'MK'],
    ['a register without its court', 'HRB 4923', 'DE'],
    ['one digit many times', '999999', 'DE'],
    ['one digit in groups', '222 222 222', 'GB'],
    ['digits in their order', '123 456 789', 'FR'],
    ['zeros behind the country', 'DE000000000', 'DE'],
    ['a placeholder', 'n/a'],
    ['a placeholder in German', 'keine Angabe', 'DE'],
    ['crosses', 'xxx-xxxxxxxxxx-xx', 'DE'],
    ['an id of the document', 'ORG-0001', 'FR'],
  ])('%s is none', (_what, nationalId, country) => {
    expect(identifierOf({ nationalId, country })).toBeUndefined()
  })

  test('that is the postal code of its organization is none', () => {
    expect(identifierOf({ nationalId: '80 331', country: 'DE', postalCode: '80331' })).toBeUndefined()
    expect(identifierOf({ nationalId: '80331', country: 'DE', postalCode: '80333' })).toBe('80331')
  })
})

test.each<[a: string, b: string, contradict: boolean]>([
  ['Apa Canal Exempel S.A.', 'Petrol Marketing SRL', true],
  ['Stadt Musterstadt', 'Gemeinde Beispielhausen', true],
  ['Ministry of Defence', 'Ministère de la Défense', true],
  ['Stadt Musterstadt, Hochbauamt', 'STADT MUSTERSTADT', false],
  ['Grün GmbH', 'Gruen AG', false],
  ['AFEX', 'Administrador de Ferrocarriles de Exempel', true],
  ['AFE', 'Administrador de Ferrocarriles de Exempel', false],
  ['NEX d.o.o.', 'Nuklearna elektrarna Xrško d.o.o.', false],
])('%s and %s contradict each other: %s', (a, b, contradict) => {
  expect(namesContradict(a, b)).toBe(contradict)
  expect(namesContradict(b, a)).toBe(contradict)
})

test('an identity needs an identifier, a country that does not differ, and names that agree', () => {
  const one = { name: 'Stadt Musterstadt', nationalId: 'DE811111112', country: 'DE' }
  expect(haveSameIdentity(one, { name: 'Musterstadt Bauamt', nationalId: '811111112', country: 'DE' })).toBe(true)
  expect(haveSameIdentity(one, { name: 'Musterstadt Bauamt', nationalId: 'DE811111112' })).toBe(false)
  expect(haveSameIdentity(one, { ...one, country: 'AT' })).toBe(false)
  expect(haveSameIdentity(one, { ...one, name: 'Bau Exempel GmbH' })).toBe(false)
  const region = { name: 'Stadt Musterstadt', nationalId: 'DE401', country: 'DE' }
  expect(haveSameIdentity(region, region)).toBe(false)
})

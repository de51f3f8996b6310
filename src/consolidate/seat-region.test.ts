import { expect, test } from 'vitest'
import { areaOf, seatRegion, townKey } from './seat-region.ts'

const regions = new Map([
  ['XX 1', 'XX1'],
  ['XX 10', 'XX11'],
  ['XX 105', 'XX112'],
  ['XX 2', 'XX2'],
  ['XX =musterstadt', 'XX113'],
  ['XX =neustadt', 'XX21'],
  ['XX =altstadt', 'XX3'],
])

const find = (postalCode?: string, city?: string) => seatRegion({ country: 'XX', postalCode, city }, regions)

test.each([
  ['the longest beginning of a postal code decides', '10599', undefined, 'XX112'],
  ['a shorter beginning gives the larger region', '10100', undefined, 'XX11'],
  ['a town of a smaller region inside is more exact', '10100', 'Musterstadt', 'XX113'],
  ['a town of a larger region is less exact', '20001', 'Neustadt', 'XX21'],
  ['a postal code and a town that disagree leave what they share', '10599', 'Musterstadt', 'XX11'],
  ['a postal code and a town of different regions leave nothing', '20001', 'Altstadt', undefined],
  ['a town alone is enough', undefined, 'NEUSTADT 2 CEDEX', 'XX21'],
  ['an unknown address has none', '90000', 'Nirgends', undefined],
])('%s', (_, postalCode, city, expected) => {
  expect(find(postalCode, city)).toBe(expected)
})

test('an address without a country has none', () => {
  expect(seatRegion({ postalCode: '10599' }, regions)).toBeUndefined()
})

test.each([
  ['LV', 'LV-1010', '1010'],
  ['SE', '123 45', '12345'],
  ['NL', '2514 BP', '2514'],
  ['GB', 'ox1 2jd', 'OX1'],
  ['GB', 'EC1A 1BB', 'EC1A'],
  ['GB', 'OX1', 'OX1'],
  ['IE', 'D02 X285', 'D02'],
  ['MT', 'VLT 1117', 'VLT'],
  ['DE', 'unbekannt', ''],
])('in %s the area of %s is %s', (country, postalCode, area) => {
  expect(areaOf(country, postalCode)).toBe(area)
})

test('a town has one key however it is written', () => {
  expect(townKey('DE', 'Köln 3')).toBe(townKey('DE', 'KOELN'))
  expect(townKey('DE', ' 12 ')).toBeUndefined()
})

test('the shipped table knows capitals, and the regions of their countries', () => {
  expect(seatRegion({ country: 'DE', postalCode: '10117', city: 'Berlin' })).toBe('DE300')
  expect(seatRegion({ country: 'AT', postalCode: 'A-1010', city: 'Wien' })).toBe('AT130')
  expect(seatRegion({ country: 'FR', postalCode: '29990' })).toBe('FRH02')
})

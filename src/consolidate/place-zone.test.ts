// Zones of places, beside the IANA database that Node holds.
import { expect, test } from 'vitest'
import { knownZoneOf } from '../domain/time.ts'
import { hasSeveralZones, zoneOfPlace } from './place-zone.ts'

test.each([
  ['DE', ['DE212'], 'Europe/Berlin'],
  ['DE', [], 'Europe/Berlin'],
  ['PT', ['PT200'], 'Atlantic/Azores'],
  ['PT', ['PT300'], 'Atlantic/Madeira'],
  ['PT', ['PT170'], 'Europe/Lisbon'],
  ['ES', ['ES705'], 'Atlantic/Canary'],
  ['ES', ['ES300'], 'Europe/Madrid'],
  ['ES', ['ES7'], 'Atlantic/Canary'],
  ['FR', ['FR101'], 'Europe/Paris'],
  ['FR', ['FRY40'], 'Indian/Reunion'],
  ['FR', ['FRA3'], 'America/Cayenne'],
  // the first region that tells counts
  ['PT', [undefined, 'PT', 'PT200', 'PT170'], 'Atlantic/Azores'],
  ['ES', ['ESZZZ', 'ES300'], 'Europe/Madrid'],
  // not known: no region, the whole country, a group of regions with several zones, outside of all regions, no NUTS
  ['PT', [], undefined],
  ['FR', ['FR'], undefined],
  ['FR', ['FRY'], undefined],
  ['FR', ['FRZZZ'], undefined],
  ['US', ['US-HI'], undefined],
  ['ZZ', ['ZZ1'], undefined],
  [undefined, ['DE212'], undefined],
] as const)('%s %j: %s', (country, regions, zone) => {
  expect(zoneOfPlace(country, regions)).toBe(zone)
})

test('exactly the countries whose clocks differ somewhere ask for a region', () => {
  const offsetsOf = (zone: string): string =>
    [0, 6]
      .map((month) =>
        new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).format(Date.UTC(2026, month, 15)),
      )
      .join()
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  const countries = letters.flatMap((first) => letters.map((second) => first + second)).filter(knownZoneOf)
  const several = countries.filter((country) => {
    const own = new Intl.Locale('und', { region: country }) as Intl.Locale & { readonly getTimeZones?: () => string[] }
    return new Set((own.getTimeZones?.() ?? []).map(offsetsOf)).size > 1
  })
  // the database gives overseas regions of France a country of their own, notices do not; Crimea is occupied
  const expected = [...several.filter((country) => country !== 'UA'), 'FR'].sort()
  expect(countries.filter(hasSeveralZones)).toEqual(expected)
})

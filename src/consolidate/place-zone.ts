// The time zone in which people of a place read a deadline.
import { knownZoneOf } from '../domain/time.ts'

/**
 * Countries of the table whose people live in several zones (by the IANA database; without Ukraine, of which only the
 * occupied Crimea has another one), each with the zones of its NUTS regions, the longest prefix first. `undefined`: a
 * region that has several zones itself. Where no region is listed, or the region is not known, neither is the zone.
 */
const regionZones: { readonly [country: string]: readonly (readonly [prefix: string, zone: string | undefined])[] } = {
  AU: [],
  BR: [],
  CA: [],
  CL: [],
  EC: [],
  ES: [
    ['ES7', 'Atlantic/Canary'],
    ['ESZ', undefined],
    ['ES', 'Europe/Madrid'],
  ],
  // overseas: FRY since NUTS 2016, FRA before, FR9 before 2013
  FR: [
    ...['FRY', 'FRA', 'FR9'].flatMap((region): [string, string | undefined][] => [
      [`${region}1`, 'America/Guadeloupe'],
      [`${region}2`, 'America/Martinique'],
      [`${region}3`, 'America/Cayenne'],
      [`${region}4`, 'Indian/Reunion'],
      [`${region}5`, 'Indian/Mayotte'],
      [region, undefined],
    ]),
    ['FRZ', undefined],
    ['FR', 'Europe/Paris'],
  ],
  GL: [],
  ID: [],
  MX: [],
  NZ: [],
  PT: [
    ['PT2', 'Atlantic/Azores'],
    ['PT3', 'Atlantic/Madeira'],
    ['PTZ', undefined],
    ['PT', 'Europe/Lisbon'],
  ],
  US: [],
}

/** Whether the zone of a place in the country depends on its region. */
export const hasSeveralZones = (country: string): boolean => Object.hasOwn(regionZones, country)

/** `country`: ISO 3166-1 alpha-2. `regions`: NUTS codes, the first that tells counts. Undefined: not known. */
export function zoneOfPlace(country: string | undefined, regions: readonly (string | undefined)[]): string | undefined {
  if (country === undefined) return undefined
  if (!hasSeveralZones(country)) return knownZoneOf(country)
  for (const region of regions) {
    // the code of the whole country is no region
    if (region === undefined || region.length <= 2) continue
    const known = regionZones[country]!.find(([prefix]) => region.startsWith(prefix))?.[1]
    if (known !== undefined) return known
  }
  return undefined
}

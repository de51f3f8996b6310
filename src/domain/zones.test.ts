// The zone of each country, by the table of countries of the IANA database that Node holds.
import { expect, test } from 'vitest'
import { zoneOf } from './time.ts'

const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
const countries = letters.flatMap((first) => letters.map((second) => first + second))
/** Names that the database has changed since: its links are of the same zone. */
const canonical = (zone: string) => new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone

/** Of a country that the table does not have. */
const usual = 'Europe/Brussels'
const known = countries.map((country) => [country, zoneOf(country)] as const).filter(([, zone]) => zone !== usual)

test('Belgium is among those that have the zone of Brussels, and no other country of the table is', () => {
  expect(known.map(([country]) => country)).not.toContain('BE')
  expect(known).toHaveLength(92)
  expect([zoneOf('XX'), zoneOf(undefined)]).toEqual([usual, usual])
})

test('Kosovo, which the database does not list, has the zone of Belgrade', () => {
  expect(zoneOf('XK')).toBe('Europe/Belgrade')
})

test.each(known.filter(([country]) => country !== 'XK'))('%s: %s is a zone of the country', (country, zone) => {
  const own = new Intl.Locale('und', { region: country }) as Intl.Locale & { readonly getTimeZones: () => string[] }
  expect(own.getTimeZones().map(canonical)).toContain(canonical(zone))
})

// Where the buyers of a portal are if the common world has no town in its country: invented towns, real codes.
import { readFileSync } from 'node:fs'
import { type Region, regions } from './vocabulary.ts'

type Country = { readonly currency?: string; readonly nuts?: string; readonly alpha3?: string }

/**
 * Facts about countries: a currency other than the euro, a code if NUTS divides it, and a code of three letters for
 * members of the EU and its neighbors.
 */
const countries: ReadonlyMap<string, Country> = new Map(
  readFileSync(new URL('./data/countries.tsv', import.meta.url), 'utf8')
    .split('\n')
    .map((row) => row.split('\t'))
    .map(([country, currency, nuts, alpha3]) => [
      country!,
      { ...(currency && { currency }), ...(nuts && { nuts }), ...(alpha3 && { alpha3 }) },
    ]),
)
const towns = ['Alvermere', 'Tressonville', 'Okkenberg', 'Sanmarrow', 'Velinograd']

/** The region of a portal's buyers. Texts are English where the common world has no words in the country's language. */
export function portalRegion(country: string, zone: string): Region {
  const known = Object.values<Region>(regions).find((each) => each.country === country)
  if (known) return known
  const { currency = 'EUR', nuts = '', alpha3 = 'BEL' } = countries.get(country) ?? {}
  return {
    country: country === 'EU' || country === 'ZZ' ? 'BE' : country,
    alpha3,
    zone,
    currency,
    languages: ['en'],
    authorities: ['Municipality of *', 'Ministry of Works, * office', '* Water Company', 'University of *'],
    towns: towns.map((name, index) => ({ name, nuts, postalCode: `${index + 1}0990` })),
    phone: '+999 555 0',
  }
}

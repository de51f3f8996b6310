// Sums of money, and the money of countries.
import type { Money } from './notice.ts'

/** Sum of the given amounts, to the cent; undefined if there are none, or if currencies differ. */
export function sumOfMoney(amounts: readonly (Money | undefined)[]): Money | undefined {
  const given = amounts.filter((amount) => amount !== undefined)
  const currency = given[0]?.currency
  if (currency === undefined || given.some((amount) => amount.currency !== currency)) return undefined
  return { value: Math.round(given.reduce((sum, amount) => sum + amount.value, 0) * 100) / 100, currency }
}

/** The countries whose notices are in eForms, by ISO 3166-1 alpha-2. */
const euroCountries = 'AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'
const others = 'CH CHF CZ CZK DK DKK GB GBP HU HUF IS ISK LI CHF NO NOK PL PLN RO RON SE SEK'

const currencies: { readonly [country: string]: string } = {
  ...Object.fromEntries(euroCountries.split(' ').map((country) => [country, 'EUR'])),
  ...Object.fromEntries(others.match(/\S+ \S+/g)!.map((pair) => pair.split(' '))),
}

/** ISO 4217; undefined for a country that is not listed, or that changed its money since 2023. */
export const currencyOfCountry = (country: string | undefined): string | undefined =>
  country === undefined || !Object.hasOwn(currencies, country) ? undefined : currencies[country]

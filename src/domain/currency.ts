// The money of the countries whose notices are in eForms, by ISO 3166-1 alpha-2.

const euroCountries = 'AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'
const others = 'CH CHF CZ CZK DK DKK GB GBP HU HUF IS ISK LI CHF NO NOK PL PLN RO RON SE SEK'

const currencies: { readonly [country: string]: string } = {
  ...Object.fromEntries(euroCountries.split(' ').map((country) => [country, 'EUR'])),
  ...Object.fromEntries(others.match(/\S+ \S+/g)!.map((pair) => pair.split(' '))),
}

/** ISO 4217; undefined for a country that is not listed, or that changed its money since 2023. */
export const currencyOfCountry = (country: string | undefined): string | undefined =>
  country === undefined || !Object.hasOwn(currencies, country) ? undefined : currencies[country]

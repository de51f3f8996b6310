// Values as portals write them come out as instants, codes, amounts and names.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countIn,
  cpvCodesIn,
  dayIn,
  deadlineIn,
  durationIn,
  instantIn,
  jsonAt,
  moneyIn,
  nutsCodesIn,
  organizationOf,
  tedNumberIn,
  textsByLanguage,
  titleIn,
  uuidIn,
  wordIn,
} from './read-values.ts'

const noon = '2026-11-20T11:00:00.000Z'

describe('instantIn', () => {
  it.each([
    ['2026-11-20T12:00:00', noon],
    ['2026-11-20 12:00', noon],
    ['2026-11-20T11:00:00Z', noon],
    ['2026-11-20T12:00:00.0000000+01:00', noon],
    ['2026-11-20 12:00:00 +0100', noon],
    ['20/11/2026 12:00', noon],
    ['20.11.2026 12:00 Uhr', noon],
    ['20.11.2026, 12:00', noon],
    ['20-11-2026 kl. 12.00', noon],
    ['2026/11/20 12:00:00', noon],
    ['20261120120000', noon],
    ['Fri, 20 Nov 2026 11:00:00 GMT', noon],
    ['Fri, 20 Nov 2026 12:00:00 +0100', noon],
    ['1795172400000', noon],
    ['/Date(1795172400000)/', noon],
    ['202611201200', noon],
    ['20. 11. 2026 12:00', noon],
    ['20.11.2026. 12:00', noon],
    ['2026.11.20. 12:00', noon],
    ['20/11/2026 à 12h00', noon],
    ['20/11/2026 12:00h', noon],
    ['20/11/2026 a las 12:00', noon],
    ['20.11.2026 kl 12:00', noon],
    ['20.11.2026 12:00:00 +01:00', noon],
    ['20.11.2026 11:00:00Z', noon],
    ['2026/11/20 20:00 +0900', noon],
    ['2026-11-20 11:00:00 UTC', noon],
    ['2026-11-20 12.00', noon],
    ['2026-11-20 12:00:00.0', noon],
    ['20/11/2026 12:00 PM', noon],
    ['20 Nov 2026, 12:00', noon],
    ['20-Nov-2026 12:00', noon],
    ['Friday, 20 November 2026 - 12:00', noon],
    ['2026-11-20-05:00', '2026-11-20T05:00:00.000Z'],
    ['20261120', '2026-11-19T23:00:00.000Z'],
    ['20.11.2026', '2026-11-19T23:00:00.000Z'],
  ])('reads %s in the portal’s zone', (text, instant) => {
    expect(instantIn(text, 'Europe/Berlin')).toBe(instant)
  })

  it('reads epoch milliseconds', () => {
    expect(instantIn(1_795_172_400_000, 'Europe/Berlin')).toBe(noon)
  })

  it.each(['', 'soon', '0001-01-01T00:00:00', '2999-12-31', '31.02.2026', '13/13/2026', '2026', null, {}, 7])(
    'knows that %s is not an instant',
    (value) => {
      expect(instantIn(value, 'Europe/Berlin')).toBeUndefined()
    },
  )

  it.each([
    ['20.11.2026', '2026-11-20'],
    ['2026-11-20T09:30:00Z', '2026-11-20'],
    ['2026-11-20T23:30:00+01:00', '2026-11-20'],
    ['2026-07-13T22:00:00Z', '2026-07-14'],
    ['2026-07-13T22:00:00.000+00:00', '2026-07-14'],
    ['2026-11-19T23:00:00Z', '2026-11-20'],
    ['2026-11-20T00:00:00Z', '2026-11-20'],
    ['/Date(1795129200000)/', '2026-11-20'],
    [1_795_129_200_000, '2026-11-20'],
    ['soon', undefined],
    ['0001-01-01T00:00:00', undefined],
  ])('the day of %s in Berlin', (value, day) => {
    expect(dayIn(value, 'Europe/Berlin')).toBe(day)
  })

  it('puts a deadline without a time at the end of its day', () => {
    for (const text of ['20.11.2026', '2026-11-20T00:00:00', '2026-11-20T00:00:00.000'])
      expect(deadlineIn(text, 'Europe/Berlin')).toBe('2026-11-20T22:59:59.000Z')
    expect(deadlineIn('2026-11-20T00:00:00+01:00', 'Europe/Berlin')).toBe('2026-11-19T23:00:00.000Z')
  })

  it('knows no year that means none', () => {
    for (const text of ['1989-12-31T12:00:00Z', '2100-01-01T00:00:00Z', '9999-12-31', 0, 631_151_999_999])
      expect(instantIn(text, 'UTC')).toBeUndefined()
    for (const text of ['1990-01-01T00:00:00Z', '2099-12-31T23:59:59Z', 631_152_000_000])
      expect(instantIn(text, 'UTC')).toBeDefined()
  })

  it('counts up to a million', () => {
    expect(['3', 0, 999_999, '1.000.000', 1e6, -1, 2.5].map(countIn)).toEqual([
      3,
      0,
      999_999,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        instantIn(value, 'Europe/Berlin')
        dayIn(value)
        cpvCodesIn(value)
        nutsCodesIn(value)
        moneyIn(value, value)
        countIn(value)
        durationIn(value, value)
        tedNumberIn(value)
        uuidIn(value)
        organizationOf({ name: value, country: value, email: value, url: value })
        textsByLanguage(value, 'de')
        wordIn({}, value)
        jsonAt(value, '/a/0')
      }),
    )
  })
})

describe('codes in text', () => {
  it('finds the codes of the official list only, each once', () => {
    expect(cpvCodesIn('79952000 (Organizacja imprez), 45000000-7; 79952000-2')).toEqual(['79952000', '45000000'])
    expect(cpvCodesIn(['45', { code: '30200000-1' }], '99999999', 'tel 12345678')).toEqual(['45000000', '30200000'])
    expect(cpvCodesIn('year 2026', 20261120)).toEqual([])
    expect(cpvCodesIn(3_000_000, 45_000_000)).toEqual(['03000000', '45000000'])
  })

  it('finds NUTS codes and leaves words and countries alone', () => {
    expect(nutsCodesIn('DE212', ['FR10'], 'NUTS:ES300 Madrid')).toEqual(['DE212', 'FR10', 'ES300'])
    expect(nutsCodesIn('DEN HAAG', 'Deutschland')).toEqual([])
  })

  it('finds the number of the EU journal in any writing', () => {
    for (const text of [
      '2026/S 123-456789',
      '2026/S 123-0456789',
      '00456789-2026',
      'https://ted.europa.eu/en/notice/-/detail/456789-2026',
    ])
      expect(tedNumberIn(text)).toBe('456789-2026')
    expect(tedNumberIn('14ae742d-ab60-4553-9b1e-9d1320fe18f7')).toBeUndefined()
    expect(tedNumberIn('2026-11-20')).toBeUndefined()
  })
})

describe('durations', () => {
  it.each([
    ['2 anys', undefined, 2, 'YEAR'],
    ['1 any i 6 mesos', undefined, 18, 'MONTH'],
    ['12 meses', undefined, 12, 'MONTH'],
    [24, 'Mes(es)', 24, 'MONTH'],
    ['3', 'Año(s)', 3, 'YEAR'],
    ['90', 'Días', 90, 'DAY'],
    ['18 mois', undefined, 18, 'MONTH'],
    ['6 setmanes', undefined, 6, 'WEEK'],
    ['1,5 Jahre', undefined, 1.5, 'YEAR'],
    [12, 'Μήνες', 12, 'MONTH'],
    ['24', 'MON', 24, 'MONTH'],
    ['P18M', undefined, 18, 'MONTH'],
    ['P1Y6M', undefined, 18, 'MONTH'],
  ])('%s %s', (text, unit, value, expected) => {
    expect(durationIn(text, unit)).toEqual({ value, unit: expected })
  })

  it.each(['', 'NC', '0 mesos', '24', 'from 2 to 4 years', '1 month and 10 days', 'P3Y3M3D', null, {}])(
    'knows that %s is none',
    (text) => {
      expect(durationIn(text)).toBeUndefined()
    },
  )
})

describe('amounts and names', () => {
  it('reads amounts with and without their currency', () => {
    expect(moneyIn('1 234 567,89', 'EUR')).toEqual({ value: 1_234_567.89, currency: 'EUR' })
    expect(moneyIn('722809,50 PLN', 'PLN')).toEqual({ value: 722_809.5, currency: 'PLN' })
    expect(moneyIn(2724864.44, 'chf')).toEqual({ value: 2_724_864.44, currency: 'CHF' })
    expect(moneyIn('1 000 000 SEK', 'EUR')).toEqual({ value: 1_000_000, currency: 'SEK' })
    expect(moneyIn('USD 1,234.50', 'COP')).toEqual({ value: 1_234.5, currency: 'USD' })
    expect(moneyIn('£1,234', 'EUR')).toEqual({ value: 1_234, currency: 'GBP' })
    expect(moneyIn('1 234 567 Kč', 'EUR')).toEqual({ value: 1_234_567, currency: 'CZK' })
    expect(moneyIn('12 500 kr.', 'DKK')).toEqual({ value: 12_500, currency: 'DKK' })
    expect(moneyIn('R$ 1.234,56', 'BRL')).toEqual({ value: 1_234.56, currency: 'BRL' })
    expect(moneyIn('€ 12.345.678,-', 'EUR')).toEqual({ value: 12_345_678, currency: 'EUR' })
    expect(moneyIn('1.234,-', 'EUR')).toEqual({ value: 1_234, currency: 'EUR' })
    expect(moneyIn('NET 5000', 'EUR')).toEqual({ value: 5_000, currency: 'EUR' })
    for (const [sign, currency] of [
      ['€', 'EUR'],
      ['£', 'GBP'],
      ['Kč', 'CZK'],
      ['zł', 'PLN'],
      ['₴', 'UAH'],
      ['грн', 'UAH'],
      ['лв', 'BGN'],
      ['лв.', 'BGN'],
      ['lei', 'RON'],
      ['Ft', 'HUF'],
      ['$', 'CAD'],
      ['kr', 'CAD'],
    ])
      expect(moneyIn(`1 500 ${sign}`, 'CAD'), sign).toEqual({ value: 1500, currency })
    expect(moneyIn(0, 'EUR')).toBeUndefined()
    expect(moneyIn('about a million', 'EUR')).toBeUndefined()
  })

  it('reads an organization and drops what is unusable', () => {
    expect(
      organizationOf({ name: ' Stadt X ', country: 'AUT', email: 'x', postalCode: 1010, url: 'javascript:1' }, 'DE'),
    ).toEqual({ name: 'Stadt X', country: 'AT', postalCode: '1010' })
    expect(organizationOf({ name: 'n/a' })).toBeUndefined()
    expect(organizationOf({ name: 'Ville de X' }, 'FR')).toEqual({ name: 'Ville de X', country: 'FR' })
  })

  it.each([
    ['Nederland', 'NL'],
    ['Ελλάδα', 'GR'],
    ['Magyarország', 'HU'],
    ['Česká republika', 'CZ'],
    ['Србија', 'RS'],
    ['Bosnia and Herzegovina', 'BA'],
    ["Côte d'Ivoire", 'CI'],
    ['The Netherlands', 'NL'],
    ['Belgique/België', 'BE'],
    ['RO - România', 'RO'],
    ['Moldova, Republic of', 'MD'],
    ['Österreich (AT)', 'AT'],
    ['France/Italie', 'ES'],
    ['Neverland', 'ES'],
  ])('an organization in %s', (country, code) => {
    expect(organizationOf({ name: 'X', country }, 'ES')?.country).toBe(code)
  })

  it('reads texts by language, the portal’s own one first', () => {
    expect(textsByLanguage({ de: null, fr: ' Pont ', it: 'Ponte' }, 'it')).toEqual({ it: 'Ponte', fr: 'Pont' })
    expect(Object.keys(textsByLanguage({ fr: 'Pont', it: 'Ponte' }, 'it') ?? {})).toEqual(['it', 'fr'])
    expect(textsByLanguage([{ language: 'NL', text: 'Brug' }], 'fr')).toEqual({ nl: 'Brug' })
    expect(textsByLanguage({ de: null }, 'de')).toBeUndefined()
    expect(titleIn('-', 'de')).toBeUndefined()
  })

  it('walks a pointer through lists', () => {
    expect(jsonAt({ a: [{ 'b/c': 1 }] }, '/a/0/b~1c')).toBe(1)
    expect(jsonAt({ a: [] }, '/a/length')).toBeUndefined()
    expect(jsonAt({}, '/constructor')).toBeUndefined()
  })

  it('finds words without regard to case and accents', () => {
    expect(wordIn({ resultat: 1 }, ' RÉSULTAT')).toBe(1)
    expect(wordIn({ resultat: 1 }, 'constructor')).toBeUndefined()
  })
})

it.each([
  ['England', 'GB'],
  ['Scotland', 'GB'],
  ['Wales', 'GB'],
  ['Northern Ireland', 'GB'],
  ['Great Britain', 'GB'],
  ['United Kingdom of Great Britain and Northern Ireland', 'GB'],
  ['ENG', 'GB'],
  ['SCO', 'GB'],
  ['WAL', 'GB'],
  ['NIR', 'GB'],
  ['GBR', 'GB'],
  ['Republica Moldova', 'MD'],
  ['Republic of Moldova', 'MD'],
  ['Moldova', 'MD'],
  ['Czech Republic', 'CZ'],
  ['Česká republika', 'CZ'],
  ['Slovak Republic', 'SK'],
  ['Slovenská republika', 'SK'],
  ['Republika Slovenija', 'SI'],
  ['Republika Hrvatska', 'HR'],
  ['Republika Srbija', 'RS'],
  ['Република Србија', 'RS'],
  ['Република България', 'BG'],
  ['Македонија', 'MK'],
  ['Rzeczpospolita Polska', 'PL'],
  ['United States of America', 'US'],
  ['Russian Federation', 'RU'],
  ['Turkey', 'TR'],
  ['Viet Nam', 'VN'],
  ['Republic of Korea', 'KR'],
  ['Korea, Republic of', 'KR'],
  ['Côte d’Ivoire', 'CI'],
  ["Cote d'Ivoire", 'CI'],
  ['Hong Kong', 'HK'],
  ['United Republic of Tanzania', 'TZ'],
  ['Swaziland', 'SZ'],
  ['Deutschland', 'DE'],
  ['', undefined],
  ['Atlantis', undefined],
])('the country %s is %s', (name, code) => {
  expect(organizationOf({ name: 'A', country: name })?.country).toBe(code)
})

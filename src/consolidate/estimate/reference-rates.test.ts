// The rates are approximately right, and only the fitting of the model uses them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eurosOf } from './reference-rates.ts'

test.each([
  // monthly averages of the ECB, units for one euro: Official Journal 2019/C 294/03, 2020/C 172/03, 2022/C 379/05
  [2019, { BGN: 1.9558, CZK: 25.5479, DKK: 7.46557, HRK: 7.39034, HUF: 325.269, PLN: 4.2596, RON: 4.72861 }],
  [2019, { SEK: 10.56036, GBP: 0.89942, NOK: 9.65873, ISK: 139.874, CHF: 1.10757 }],
  [2020, { BGN: 1.9558, CZK: 27.2302, DKK: 7.46205, HRK: 7.59505, HUF: 356.512, PLN: 4.54505, RON: 4.83676 }],
  [2020, { SEK: 10.89001, GBP: 0.875485, NOK: 11.3254, ISK: 157, CHF: 1.05459 }],
  [2022, { BGN: 1.9558, CZK: 24.5939, DKK: 7.44263, HRK: 7.5185, HUF: 404.098, PLN: 4.76824, RON: 4.93958 }],
  [2022, { SEK: 10.57516, GBP: 0.849553, NOK: 10.18229, ISK: 139.052, CHF: 0.98759 }],
] as const)('the averages of %i lie within 6 %% of those of one of its months', (year, units) => {
  for (const [currency, value] of Object.entries(units)) {
    expect(eurosOf({ value, currency }, year)!, currency).toBeGreaterThan(0.94)
    expect(eurosOf({ value, currency }, year)!, currency).toBeLessThan(1.06)
  }
})

test('no rate moves by more than 15 % within a year: most typing errors would', () => {
  for (const currency of ['CHF', 'CZK', 'DKK', 'GBP', 'HRK', 'HUF', 'ISK', 'NOK', 'PLN', 'RON', 'RSD', 'SEK', 'USD'])
    for (let year = 2016; year <= 2026; year++) {
      const [before, now] = [year - 1, year].map((each) => eurosOf({ value: 1, currency }, each)!)
      expect(Math.abs(Math.log(now! / before!)), `${currency} ${year}`).toBeLessThan(Math.log(1.15))
    }
})

test('only the fitting of the model reads the rates, so no published value is ever converted', () => {
  const source = join(import.meta.dirname, '../..')
  const readers = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => /from '[^']*reference-rates\.ts'/.test(readFileSync(join(source, path), 'utf8')))
  expect(readers.map((path) => path.replaceAll('\\', '/'))).toEqual(['consolidate/estimate/fit-stock.ts'])
})

// Values by country, from made-up records.
import { expect, test } from 'vitest'
import type { TenderRecord } from '../../domain/tender.ts'
import { StockShape } from './stock-shape.ts'

const estimate = (ratio: number) => ({ value: 3, currency: 'EUR', estimated: true, low: 2, high: 2 * ratio })
const published = { value: 3, currency: 'EUR', estimated: false }

const record = (country: string | undefined, contractAmount: unknown, members: object = {}): TenderRecord =>
  ({
    contractAmount,
    cpvCodes: [],
    lots: [],
    originalSources: [],
    ...(country !== undefined && { contractingAuthority: { name: 'Made up', country } }),
    ...members,
  }) as unknown as TenderRecord

test('values by country: published ones, estimates with their median spread, and nothing', () => {
  const shape = new StockShape(Date.UTC(2026, 10, 23))
  const records = [
    record('DE', null),
    record('DE', estimate(4)),
    record('DE', estimate(20)),
    record('DE', estimate(9)),
    record('DE', published),
    record('FR', published),
    record(undefined, null),
    record('DE', null, { archiveReason: 'merged' }),
  ]
  for (const each of records) shape.add(each)
  expect(shape.byCountry).toEqual([
    { country: 'DE', tenders: 5, unpriced: 4, estimated: 3, usualSpread: 9 },
    { country: '', tenders: 1, unpriced: 1, estimated: 0, usualSpread: undefined },
    { country: 'FR', tenders: 1, unpriced: 0, estimated: 0, usualSpread: undefined },
  ])
})

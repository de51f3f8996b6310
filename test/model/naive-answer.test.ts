// The model is the judge of the API, so its own sentences are checked by hand here.
import { describe, expect, test } from 'vitest'
import { filterParameters } from '../../src/domain/filter.ts'
import { randomOf } from '../testing/generate/random.ts'
import { type ModelRecord, naiveAnswer, nanoseconds, type Parameters } from './naive-answer.ts'
import { randomQuery, timeNotation } from './random-query.ts'

const record = (members: Partial<ModelRecord>): ModelRecord => ({
  id: 'a',
  lastModified: '2026-01-01T00:00:00.000Z',
  checkedAt: '2026-01-01T00:00:00.000Z',
  contractAmount: null,
  cpvCodes: [],
  nutsCodes: [],
  lots: [],
  ...members,
})
const matches = (members: Partial<ModelRecord>, ...parameters: Parameters): boolean =>
  naiveAnswer([record(members)], parameters).length === 1

describe('the model', () => {
  test('random queries have every filter of the API', () => {
    const random = randomOf(7)
    const drawn = new Set(
      Array.from({ length: 500 }, () => randomQuery(random, [])).flatMap((q) => q.map(([name]) => name)),
    )
    expect(filterParameters.map(([, name]) => name).filter((name) => !drawn.has(name))).toEqual([])
  })

  test.each([
    ['45210000', '45211000', true],
    ['45210000', '45220000', false],
    ['30000000', '30192121', true],
    ['30000000', '31000000', false],
    ['03212210', '03212213', true],
    ['30192120', '30192126', true],
    ['45211000', '45210000', false],
    ['45210000-2', '45211000', true],
  ])('C55 to C61: cpv=%s on a record of %s: %s', (filter, code, expected) => {
    expect(matches({ cpvCodes: [code] }, ['cpv', filter])).toBe(expected)
    expect(matches({ lots: [{ cpvCodes: [code] }] }, ['cpv', filter])).toBe(expected)
  })

  test('C65 to C71: regions match by prefix', () => {
    expect(matches({ nutsCodes: ['DE212'] }, ['nuts', 'de2'])).toBe(true)
    expect(matches({ nutsCodes: ['DE2'] }, ['nuts', 'DE21'])).toBe(false)
    expect(matches({}, ['nuts', 'DE'])).toBe(false)
    expect(matches({ nutsCodes: ['FR1'] }, ['nuts', 'DE , FR'])).toBe(true)
  })

  test('C72 to C80: times are exact below the millisecond', () => {
    const published = { publicationDate: '2026-03-01T10:00:00.000Z', submissionDate: '2026-03-01T10:00:00.000Z' }
    expect(matches(published, ['published_since', '2026-03-01T11:00:00+01:00'])).toBe(true)
    expect(matches(published, ['published_since', '2026-03-01t10:00:00.000000001z'])).toBe(false)
    expect(matches(published, ['deadline_after', '2026-03-01T10:00:00Z'])).toBe(false)
    expect(matches(published, ['deadline_after', '2026-03-01T09:59:59.999999999Z'])).toBe(true)
    expect(matches({}, ['deadline_after', '2026-03-01T10:00:00Z'])).toBe(false)
  })

  test('C36, C81 to C93: filters on value, procedure and archived select the right records', () => {
    const amount = { contractAmount: { value: 100, currency: 'EUR' } }
    expect(matches(amount, ['value_min', '100'], ['value_max', '100'])).toBe(true)
    expect(matches({ contractAmount: { value: 100, currency: 'SEK' } }, ['value_min', '1'])).toBe(false)
    expect(matches({}, ['value_max', '5'])).toBe(false)
    expect(matches({ archiveReason: 'expired' })).toBe(false)
    expect(matches({ archiveReason: 'expired' }, ['archived', 'true'])).toBe(true)
    expect(
      matches({ archiveReason: 'expired' }, ['archived', 'false'], ['updated_since', '2025-01-01T00:00:00Z']),
    ).toBe(true)
    expect(matches({ procedureType: 'open' }, ['procedure', 'restricted,OPEN'])).toBe(true)
    expect(matches({}, ['procedure', 'open'])).toBe(false)
  })

  test('reads every notation of an instant the same way', () => {
    const random = randomOf(5)
    for (let round = 0; round < 2000; round++) {
      const ms = random.integer(Date.UTC(1971, 0, 1), Date.UTC(2090, 0, 1))
      const text = timeNotation(random, ms)
      expect(nanoseconds(text) / 1_000_000n, text).toBe(BigInt(ms))
    }
  })
})

// The columns of a record, with and without each member.
import { expect, test } from 'vitest'
import { procedureTypes } from '../../domain/codes.ts'
import { nutsNumber, toNutsCode } from '../../domain/nuts.ts'
import { columnsOf, type FilterableRecord, noProcedure } from './record-columns.ts'

const bare: FilterableRecord = { contractAmount: null, cpvCodes: [], nutsCodes: [], lots: [] }

test('a record without anything has no time, no value, no codes, and the number of no procedure', () => {
  expect(columnsOf(bare)).toEqual({
    publication: Number.NaN,
    submission: Number.NaN,
    eurValue: Number.NaN,
    procedure: 255,
    isArchived: false,
    isMerged: false,
    cpv: [],
    nuts: [],
  })
})

// The number is in the files of editions, in one byte: another one would make old records match a procedure.
test('no procedure has the number of none, and each fits into a byte', () => {
  expect(noProcedure).toBe(255)
  const numbers = procedureTypes.map((procedureType) => columnsOf({ ...bare, procedureType }).procedure)
  expect(numbers).toEqual(procedureTypes.map((_, index) => index))
  expect(Math.max(...numbers)).toBeLessThan(noProcedure)
  expect(columnsOf({ ...bare, procedureType: 'other-code' as never }).procedure).toBe(noProcedure)
})

test('codes of tender and lots are there once, and what is no code is not', () => {
  const { cpv, nuts } = columnsOf({
    ...bare,
    cpvCodes: ['45000000', '4500000', '45000000'],
    nutsCodes: ['DE212', 'Berlin', 'DE212'],
    lots: [{ cpvCodes: ['45000000', '09000000', '450000000'] }],
  })
  expect({ cpv, nuts }).toEqual({ cpv: [45_000_000, 9_000_000], nuts: [nutsNumber(toNutsCode('DE212')!)] })
})

test('times are epoch milliseconds, and a value counts in euros alone', () => {
  const dates = { publicationDate: '2026-03-10T11:00:00.000Z', submissionDate: '2026-04-10T11:00:00.000Z' }
  expect(columnsOf({ ...bare, ...dates } as FilterableRecord)).toMatchObject({
    publication: Date.UTC(2026, 2, 10, 11),
    submission: Date.UTC(2026, 3, 10, 11),
  })
  for (const [currency, eurValue] of [
    ['EUR', 0],
    ['PLN', Number.NaN],
  ] as const)
    expect(columnsOf({ ...bare, contractAmount: { value: 0, currency } } as FilterableRecord).eurValue).toBe(eurValue)
})

test.each([
  ['merged', true],
  ['expired', false],
] as const)('a record that is archived as %s', (archiveReason, isMerged) => {
  expect(columnsOf({ ...bare, archiveReason } as FilterableRecord)).toMatchObject({ isArchived: true, isMerged })
})

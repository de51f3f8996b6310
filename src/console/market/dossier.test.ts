import { expect, test } from 'vitest'
import type { TenderLot, TenderOrganization, TenderRecord } from '../../domain/tender.ts'
import { awardsOf, buyersIn, countOf, spreadOf, tally, winnersIn } from './dossier.ts'

const strabau = { name: 'Strabau GmbH', nationalId: 'HRB 24923 Augsburg', country: 'DE' }
const meier = { name: 'Hans Meier', country: 'DE' }

const lot = (euros: number | undefined, ...winners: TenderOrganization[]): TenderLot => ({
  lotId: `LOT-${euros}`,
  status: 'awarded',
  cpvCodes: [],
  nutsCodes: [],
  winners,
  ...(euros !== undefined && { awardedAmount: { value: euros, currency: 'EUR' } }),
})

const recordOf = (lots: TenderLot[], day = '2025-03-01', more: Partial<TenderRecord> = {}) =>
  ({
    lots,
    originalSources: [
      { formType: 'competition', publicationDate: '2021-01-01T00:00:00.000Z' },
      { formType: 'result', publicationDate: `${day}T00:00:00.000Z` },
    ],
    ...more,
  }) as unknown as TenderRecord

test('awards are of results since 2022, the newest first', () => {
  const records = [
    recordOf([lot(1, strabau)], '2021-12-31'),
    recordOf([lot(2, strabau)], '2022-01-01'),
    recordOf([lot(3, strabau)], '2026-01-01'),
    recordOf([{ ...lot(4), status: 'open' }]),
  ]
  expect(awardsOf(records).map(({ euros }) => euros)).toEqual([3, 2])
  expect(countOf(records)).toEqual({ tenders: 4, notices: 8 })
})

test('a result without a date is as old as its tender, and counts only if that is known', () => {
  const undated = { formType: 'result' } as TenderRecord['originalSources'][number]
  const dated = { ...undated, publicationDate: '2025-02-01T00:00:00.000Z' }
  const at = (more: object) => awardsOf([recordOf([lot(1, strabau)], undefined, more)]).map((award) => award.at)
  const publicationDate = '2024-05-01T00:00:00.000Z'
  expect(at({ originalSources: [undated], publicationDate })).toEqual([Date.UTC(2024, 4)])
  expect(at({ originalSources: [undated, dated], publicationDate })).toEqual([Date.UTC(2025, 1)])
  expect(at({ originalSources: [undated] })).toEqual([])
  expect(at({ originalSources: [], publicationDate })).toEqual([Date.UTC(2024, 4)])
})

test('buyers: one of an id or a name, each award once, the most first; no buyer, no line', () => {
  const town = { name: 'Stadt Lechfeld', nationalId: '09-761-000', country: 'DE' }
  const bought = (...buyers: TenderOrganization[]) =>
    recordOf([lot(1, strabau)], undefined, {
      contractingAuthority: buyers[0],
      jointAuthorities: buyers.slice(1),
    } as object)
  const awards = awardsOf([
    bought({ name: 'Stadt Auental', country: 'DE' }),
    bought(town, { ...town, name: 'Lechfeld, Stadt' }),
    bought({ ...town, name: 'Landkreis Auental' }),
    bought({ name: 'STADT AUENTAL', country: 'DE' }),
    bought({ name: 'Stadt Auental', country: 'AT' }),
    recordOf([lot(1, strabau)]),
  ])
  expect(buyersIn(awards).map(({ buyer, awards: own }) => [buyer.name, buyer.country, own.length])).toEqual([
    ['Stadt Auental', 'DE', 2],
    ['Stadt Lechfeld', 'DE', 1],
    ['Landkreis Auental', 'DE', 1],
    ['Stadt Auental', 'AT', 1],
  ])
})

test('buyers are looked up, and not compared each with each', () => {
  let reads = 0
  const buyerAt = (index: number) => ({
    name: `Stadt ${index}`,
    country: 'DE',
    get nationalId() {
      reads++
      return index % 2 === 0 ? `09-761-${1000 + index}` : undefined
    },
  })
  const records = Array.from({ length: 400 }, (_, index) =>
    recordOf([lot(1, strabau)], undefined, { contractingAuthority: buyerAt(index) } as object),
  )
  expect(buyersIn(awardsOf(records))).toHaveLength(400)
  expect(reads).toBeLessThan(4000)
})

test('an amount is the sum of its lots only if all are known in euros, else the total', () => {
  const euros = (lots: TenderLot[], more: Partial<TenderRecord> = {}) =>
    awardsOf([recordOf(lots, undefined, more)])[0]!.euros
  expect(euros([lot(1, strabau), lot(2, meier)])).toBe(3)
  expect(euros([lot(1, strabau), lot(undefined, meier)])).toBeUndefined()
  expect(euros([lot(undefined, strabau)], { awardedAmount: { value: 9, currency: 'EUR' } })).toBe(9)
  expect(euros([lot(undefined, strabau)], { awardedAmount: { value: 9, currency: 'SEK' } })).toBeUndefined()
})

test('of a company only its lots count, and no amount that it shared', () => {
  const isStrabau = ({ name }: TenderOrganization) => name === strabau.name
  const [award] = awardsOf([recordOf([lot(1, strabau), lot(2, meier)])], isStrabau)
  expect(award).toMatchObject({ euros: 1, winners: [strabau] })
  expect(awardsOf([recordOf([lot(1, strabau, meier)])], isStrabau)[0]!.euros).toBeUndefined()
  expect(awardsOf([recordOf([lot(2, meier)])], isStrabau)).toEqual([])
})

test('winners: spellings of one id together, contradicting names apart, people in one line at the end', () => {
  const awards = awardsOf([
    recordOf([lot(10, strabau), lot(1, meier)]),
    recordOf([lot(5, { ...strabau, name: 'STRABAU Gesellschaft mbH' })]),
    recordOf([lot(7, { ...strabau, name: 'Holzbau Auental GmbH' })]),
    recordOf([lot(8, { name: 'Anna Huber', country: 'AT' })]),
  ])
  expect(winnersIn(awards).map(({ winner, awards: own, euros }) => [winner?.name, own.length, euros])).toEqual([
    ['Strabau GmbH', 2, 5],
    ['Holzbau Auental GmbH', 1, 7],
    [undefined, 2, 8],
  ])
})

test('the middle half of at least three values', () => {
  expect(spreadOf([1, 2])).toBeUndefined()
  expect(spreadOf([5, 1, 2, 4, 3])).toEqual({ low: 2, median: 3, high: 4 })
  expect(tally(['a', 'b', 'b'], (each) => [each]).map(([key, { length }]) => [key, length])).toEqual([
    ['b', 2],
    ['a', 1],
  ])
})

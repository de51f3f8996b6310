import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FormAward, FormLot } from './form-content.ts'
import { toPublicationNumber } from './header.ts'
import { distinctLots, joinAwards, lotIdsIn, toLotId } from './lots.ts'

const lot = (lotId: string): FormLot => ({ lotId, cpvCodes: [], nutsCodes: [] })
const award = (lotNumber: string | undefined): FormAward => ({
  ...(lotNumber === undefined ? {} : { lotNumber }),
  result: { outcome: 'awarded' },
})
const awardedLots = (lots: readonly string[], awards: readonly (string | undefined)[]) =>
  joinAwards(lots.map(lot), awards.map(award))
    .filter((joined) => joined.result)
    .map((joined) => joined.lotId)

describe('lot numbers', () => {
  it('agree however they are written', () => {
    for (const text of [
      '1',
      '01',
      ' 1 ',
      'Lot 1',
      'LOT 01',
      'Los Nr. 1',
      'Lot no 1',
      'Lot n° 1',
      'Część 1',
      'Los-Nr.1',
      '1.',
      '1)',
    ])
      expect([text, toLotId(text)]).toEqual([text, '1'])
    for (const text of ['2.08', 'AME06', 'III', '1A', '16 - 2.19/28', '1: Rohbau', 'bez členenia'])
      expect(toLotId(text)).toBe(text)
    for (const text of [undefined, '', '  ']) expect(toLotId(text)).toBeUndefined()
  })
  it('stay the same when they are read again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const id = toLotId(text)
        if (id !== undefined) expect(toLotId(id)).toBe(id)
      }),
    )
  })
  it('may be lists in corrections', () => {
    expect(lotIdsIn('1, 2 and 03')).toEqual(['1', '2', '3'])
    expect(lotIdsIn('Nord et Sud')).toEqual(['Nord et Sud'])
    expect(lotIdsIn(undefined)).toEqual([])
  })
})

describe('awards find their lots', () => {
  it('by a number, list, range or leading number', () => {
    expect(awardedLots(['1', '2', '3', '4'], ['2'])).toEqual(['2'])
    expect(awardedLots(['1', '2', '3', '4'], ['1, 3'])).toEqual(['1', '3'])
    expect(awardedLots(['1', '2', '3', '4'], ['2-4'])).toEqual(['2', '3', '4'])
    expect(awardedLots(['1: Rohbau', '2: Dach'], ['2'])).toEqual(['2: Dach'])
    expect(awardedLots(['1', '2'], ['2 - Dach'])).toEqual(['2'])
  })
  it('and nothing is guessed where two would match', () => {
    expect(awardedLots(['1 Nord', '1 Süd'], ['1'])).toEqual(['1'])
    expect(awardedLots(['1', '2'], ['1, 7'])).toEqual(['1, 7'])
  })
  it('never lose a result: every award is on some lot, and lot ids stay distinct', () => {
    const text = fc.constantFrom('1', '2', '02', '3', '1-3', '1, 2', 'x', 'Lot 2', undefined)
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('1', '2', '3', 'x', '2: y'), { maxLength: 5 }),
        fc.array(text, { minLength: 1, maxLength: 6 }),
        (ids, numbers) => {
          const joined = joinAwards(distinctLots(ids.map(lot)), numbers.map(award))
          expect(joined.some((one) => one.result)).toBe(true)
          expect(new Set(joined.map((one) => one.lotId)).size).toBe(joined.length)
        },
      ),
    )
  })
})

describe('Official Journal numbers', () => {
  it('lose their padding and keep their year', () => {
    expect(toPublicationNumber('2021/S 001-000123')).toBe('123-2021')
    expect(toPublicationNumber('000123-2021')).toBe('123-2021')
    for (const text of [undefined, '', '123', '2021/S 001', '000-2021', '12-21'])
      expect(toPublicationNumber(text)).toBeUndefined()
  })
})

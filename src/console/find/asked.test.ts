import { describe, expect, test } from 'vitest'
import { type Asked, addressOf, readAddress } from './asked.ts'

const read = (query: string, language: 'en' | 'de' = 'en') => readAddress(new URLSearchParams(query), language)

describe('an address is read', () => {
  test('without anything: what is open', () => {
    expect(read('')).toMatchObject({ faults: [], remarks: [], asked: { statuses: ['open'], page: 1, words: [] } })
    expect(addressOf(read('').asked)).toBe('/tenders')
  })

  test('and written again as it was', () => {
    const query =
      'words=dach+schule&cpv=45260000&nuts=DED&nuts=DE2&status=open&status=planned&min=100000&max=5000000&due=14' +
      '&month=2026-11&buyer=Stadt+Quellmar&order=value&page=3'
    expect(addressOf(read(query).asked, { page: 3 })).toBe(`/tenders?${query}`)
    expect(addressOf(read('status=any').asked)).toBe('/tenders?status=any')
    expect(addressOf(read('status=awarded').asked, {}, '/tenders.csv')).toBe('/tenders.csv?status=awarded')
  })

  test.each<readonly [string, Partial<Asked>]>([
    ['words=E-Bike%20Dach', { words: ['bike', 'dach'] }],
    ['words=Dach&words=Schule', { words: ['dach', 'schule'] }],
    ['cpv=45&cpv=45000000-7', { cpv: ['45000000'] }],
    ['nuts=gr30', { nuts: ['EL30'] }],
    ['min=100.000&max=1%20000%20000', { min: 100_000, max: 1_000_000 }],
    ['place=Saxony', { nuts: ['DED'] }],
    ['place=sachsen', { nuts: ['DED'] }],
    ['place=Germany', { nuts: ['DE'] }],
    ['place=Berlin', { nuts: ['DE3'] }],
    ['place=Oberbayern&nuts=AT', { nuts: ['AT', 'DE21'] }],
  ])('%s', (query, expected) => {
    const { asked, faults } = read(query)
    expect(faults).toEqual([])
    expect(asked).toMatchObject(expected)
  })

  test.each([
    ['words=stra*', 'words', 'without *'],
    [`words=${'x'.repeat(70)}`, 'words', 'at most 60 letters'],
    ['cpv=4x', 'other', '“4x” is not a CPV code'],
    ['nuts=D', 'other', 'is not a region'],
    ['min=many', 'value', '“many” is not a value'],
    ['min=5&max=4', 'value', 'below the value “from”'],
    ['due=9', 'other', '7, 14, 28 or 42'],
    ['month=2026-13', 'other', '2026-11'],
    ['status=late', 'other', '“late” is not a status'],
    ['order=best', 'other', 'relevance, newest'],
    ['page=0', 'other', 'from 1 to 50'],
    ['page=99999', 'other', 'from 1 to 50'],
    ['place=Atlantis', 'place', 'No region is called “Atlantis”'],
    ['buyer=.', 'other', 'not the name of an authority'],
  ])('%s is refused with a sentence', (query, field, says) => {
    const { faults } = read(query)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatchObject({ field, text: expect.stringContaining(says) })
    expect(read(query, 'de').faults[0]!.text).not.toBe(faults[0]!.text)
  })

  test('a name of several regions gives a choice', () => {
    const { places, faults } = read('place=Frankfurt')
    expect(places.length).toBeGreaterThan(1)
    expect(faults[0]!.field).toBe('place')
  })

  test('single letters are left out, and said', () => {
    expect(read('words=B%2016%20Ausbau')).toMatchObject({
      asked: { words: ['16', 'ausbau'] },
      remarks: ['Single letters and digits are not searched for: b.'],
    })
  })
})

// Sets of publication numbers written as text and read back.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameNumbers, publicationNumber, readNumbers, writeNumbers } from './publication-numbers.ts'

describe('publication numbers', () => {
  it('are the same set after writing and reading, for any set', () => {
    const number = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom(2025, 2026))
    fc.assert(
      fc.property(fc.array(number), (pairs) => {
        const numbers = new Set(pairs.map(([serial, year]) => `${serial}-${year}`))
        expect([...readNumbers(writeNumbers(numbers))].sort()).toEqual([...numbers].sort())
      }),
    )
  })

  it('of a day of 3,700 consecutive notices take less than 20 characters', () => {
    const day = new Set(Array.from({ length: 3700 }, (_, index) => `${120_000 + index}-2026`))
    expect(writeNumbers(day)).toBe('2026:120000-123699')
  })

  it('are read with and without leading zeros, and nothing else is', () => {
    expect(publicationNumber('00123456-2026')).toBe('123456-2026')
    expect(publicationNumber('123456-2026')).toBe('123456-2026')
    for (const text of ['123456', '2026/S 1-123456', '123456789-2026', '12-1826', ''])
      expect(publicationNumber(text)).toBeUndefined()
  })

  it('are named in order, at most 20 of them', () => {
    const numbers = Array.from({ length: 23 }, (_, index) => `${30 - index}-2026`)
    const named = nameNumbers(numbers)
    expect(named.startsWith('8-2026, 9-2026, 10-2026')).toBe(true)
    expect(named.endsWith('27-2026 and 3 more')).toBe(true)
  })
})

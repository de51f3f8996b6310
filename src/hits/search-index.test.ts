import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareMatching, madeUpFilters, madeUpRecords } from '../../test/hits/compare-matching.ts'
import { openTokenTable } from './token-table.ts'
import { tokensOf } from './words.ts'

describe('the index gives what the plain loop gives', () => {
  test('whatever the sample and the seed', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 20 }), (seed, sampled) => {
        const records = madeUpRecords(seed, 20)
        const { differences } = compareMatching(madeUpFilters(seed, 20, records), records, records.slice(0, sampled))
        expect(differences).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

describe('words are read fast', () => {
  const seen: string[] = []
  const table = openTokenTable((token) => Int32Array.of(seen.push(token) - 1))

  const readAll = (texts: readonly string[]): string[] => {
    const found = new Set<number>()
    for (const text of texts) table.read(text, (numbers) => void found.add(numbers[0]!))
    return [...new Set([...found].map((number) => seen[number]!))].sort()
  }

  test('and exactly as the slow way has them', () => {
    const alphabet = fc.constantFrom(
      ...'aZ09 -ßẞÄéİıſσςΣ½①ﬁ№…´·́가힣й\u0000\u3000\ud835漢',
      '\u{1d400}',
      'x'.repeat(300),
    )
    const texts = fc.array(
      fc.oneof(
        fc.array(alphabet).map((parts) => parts.join('')),
        fc.string({ unit: 'binary' }),
        fc.string(),
      ),
    )
    fc.assert(
      fc.property(texts, (given) => {
        expect(readAll(given)).toEqual([...new Set(given.flatMap(tokensOf))].sort())
      }),
      { numRuns: 1000 },
    )
  })

  test('every character alone and between letters', () => {
    const different: number[] = []
    for (let code = 0; code < 0x10000; code++) {
      const char = String.fromCharCode(code)
      const text = `${char} a${char}b`
      if (readAll([text]).join(' ') !== [...new Set(tokensOf(text))].sort().join(' ')) different.push(code)
    }
    expect(different).toEqual([])
  })
})

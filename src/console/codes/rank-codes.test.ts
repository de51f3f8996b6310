// The picker proposes what authorities buy. The list of everyday words is outside of the repository: see test/corpus.
import { describe, expect, test } from 'vitest'
import { callsForCode, codeLabel, codesAbove } from '../../domain/code-labels.ts'
import { rankCodes } from './rank-codes.ts'
import { tradeWords } from './trade-words.ts'

/** What is suggested for each word of a trade; ranking is what these tests cost. */
const suggested = new Map([...tradeWords().keys()].map((word) => [word, rankCodes('cpv', word, 8)]))

test('every code of a word of a trade is listed, and the first one is called for or is the only name', () => {
  const wrong = [...tradeWords()].flatMap(([word, codes]) =>
    codes.filter((code) => codeLabel('cpv', code, 'en') === undefined).map((code) => `${word} ${code}`),
  )
  expect(wrong).toEqual([])
  for (const [word, codes] of tradeWords()) {
    expect(new Set(codes).size, word).toBe(codes.length)
    expect(suggested.get(word), word).toContain(codes[0])
  }
})

test('a first suggestion that nobody ever asked for is rare', () => {
  const uncalled = [...suggested.values()].filter(([first]) => callsForCode(first!) === 0)
  expect(uncalled.length / suggested.size).toBeLessThan(0.05)
})

describe('names, counts and titles', () => {
  test.each([
    ['vehicles', '34100000'],
    ['security', '79710000'],
    ['Straßenreinigung', '90610000'],
    ['school building', '45214200'],
    ['Gebäudereinigung', '90910000'],
    ['translation services', '79530000'],
    ['drainage works', '45232452'],
    ['trains', '34620000'],
    ['Reis', '03211300'],
  ])('%s', (text, code) => {
    expect(rankCodes('cpv', text, 8)).toContain(code)
    expect(callsForCode(rankCodes('cpv', text, 1)[0]!)).toBeGreaterThan(0)
  })

  test('before a name that nobody asks for stands the nearest code above it that is asked for', () => {
    expect(callsForCode('44912400')).toBe(0)
    const [first, second] = rankCodes('cpv', 'kerbstones', 2)
    expect([codesAbove('cpv', '44912400').includes(first!), second]).toEqual([true, '44912400'])
  })

  test('a code, its beginning, a region and nonsense are found as before', () => {
    expect(rankCodes('cpv', '45233', 1)).toEqual(['45233000'])
    expect(rankCodes('nuts', 'Saxony', 1)).toEqual(['DED'])
    expect(rankCodes('cpv', 'xqx', 5)).toEqual([])
    expect(rankCodes('cpv', '  ', 5)).toEqual([])
    expect(rankCodes('cpv', '<!>', 5)).toEqual([])
  })

  test('what many titles are about comes up, and a few titles say nothing', () => {
    const about = (tenders: number) => ({
      tenders,
      byCode: new Map([
        ['72000000', tenders],
        ['45000000', 2],
      ]),
    })
    expect(rankCodes('cpv', 'Schwuppdizität', 3, about(30))[0]).toBe('72000000')
    expect(rankCodes('cpv', 'Schwuppdizität', 3, about(10))).toEqual([])
    expect(rankCodes('cpv', 'Schwuppdizität', 8, about(30))).not.toContain('45000000')
  })
})

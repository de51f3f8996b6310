// The form in which texts are compared: every spelling that nobody can tell apart is one, and each part of it is found
// again in the text as it was written.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { anyCharacter } from '../../test/testing/generate/any-character.ts'
import { plainText, readText } from './plain-text.ts'

describe('plainText', () => {
  test.each([
    ['Roe\u2010Tester', 'Roe-Tester'],
    ['Roe\u2011Tester', 'Roe-Tester'],
    ['Roe\u2013Tester', 'Roe-Tester'],
    ['Roe\u2212Tester', 'Roe-Tester'],
    ['Roe\u02d7Tester', 'Roe-Tester'],
    ['Roe\u2043Tester', 'Roe-Tester'],
    ['Tes\u00adter', 'Tester'],
    ['Tes\u200bter\u200d', 'Tester'],
    ['\u202eTester\u{e0041}\ufe0f', 'Tester'],
    ['jane\uff20example\uff0eorg', 'jane@example.org'],
    ['Mu\u0308\u00adller', 'Müller'],
    ['Mu\u00ad\u0308ller', 'Müller'],
    ['O\u2019Neil', "O'Neil"],
    ['O\u02bcNeil', "O'Neil"],
    ['\ufb01ne', 'fine'],
  ])('%j is %j', (text, plain) => {
    expect(plainText(text)).toBe(plain)
  })

  test('every character that nobody sees, and every dash, disappears in the one form', () => {
    const seen: string[] = []
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const char = String.fromCodePoint(code)
      if (/\p{Cf}|\p{Default_Ignorable_Code_Point}/u.test(char) && plainText(`a${char}b`) !== 'ab') seen.push(char)
      if (/\p{Dash}/u.test(char) && !/^a[- ]+b$/.test(plainText(`a${char}b`))) seen.push(char)
    }
    expect(seen).toEqual([])
  })
})

describe('readText', () => {
  const unit = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...'aZ0 -@.\u00adäu\u0308\u200b\u2011\uff20\ufb01\u00a0\u1112\u1161\u11ab\uff76\uff9e´½',
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 2 }) },
  )
  const text = fc.array(unit, { maxLength: 40 }).map((parts) => parts.join(''))

  test('the parts of the plain text are found in the written one', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (written, one, other) => {
        const { plain, spanOf } = readText(written)
        expect(plain).toBe(plainText(written))
        const [start, end] = [one, other].map((at) => at % (plain.length + 1)).sort((a, b) => a - b) as [number, number]
        const span = spanOf({ start, end })
        expect(spanOf({ start: 0, end: plain.length }).end).toBeLessThanOrEqual(written.length)
        if (start === end) return
        // nothing of the part is left outside, and what is around it stays what it was
        expect(plainText(written.slice(span.start, span.end))).toContain(plain.slice(start, end))
        const [before, after] = [plainText(written.slice(0, span.start)), plainText(written.slice(span.end))]
        expect(plain.startsWith(before) && before.length <= start).toBe(true)
        expect(plain.endsWith(after) && after.length <= plain.length - end).toBe(true)
      }),
      { numRuns: proofCount({ share: 400, full: 30_000 }) },
    )
  })

  test('a part ends with the unseen characters that belong to its last letter', () => {
    const { plain, spanOf } = readText('by Tes\u00adter\u200b!')
    expect(plain).toBe('by Tester!')
    expect(spanOf({ start: 3, end: 9 })).toEqual({ start: 3, end: 11 })
    expect(spanOf({ start: 9, end: 10 })).toEqual({ start: 11, end: 12 })
  })
})

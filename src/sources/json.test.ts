import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'

describe('JSON as publishers write it', () => {
  it('reads bare Infinity and NaN as null, and leaves them alone inside strings', () => {
    expect(parseJson('{"a": Infinity, "b": [-Infinity, NaN], "c": "Infinity \\" NaN"}')).toEqual({
      a: null,
      b: [null, null],
      c: 'Infinity " NaN',
    })
  })
  it('reads all that JSON.parse reads, the same way, with or without a byte order mark', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
        expect(parseJson(`\ufeff${text}`)).toEqual(JSON.parse(text))
      }),
    )
  })
  it('refuses what is no JSON', () => {
    for (const text of ['', '{"a": Infinit}', '{Infinity', 'NaNa', '{"a":1,}'])
      expect(() => parseJson(text)).toThrow(SyntaxError)
  })
})

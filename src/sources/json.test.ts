import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../test/testing/generate/any-character.ts'
import { decodeJson, parseJson } from './json.ts'

describe('JSON as publishers write it', () => {
  it('reads bare Infinity and NaN as null, and leaves them alone inside strings', () => {
    expect(parseJson('{"a": Infinity, "b": [-Infinity, NaN], "c": "Infinity \\" NaN"}')).toEqual({
      a: null,
      b: [null, null],
      c: 'Infinity " NaN',
    })
  })
  it('reads everything that JSON.parse reads, the same way, with or without a byte order mark', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
        expect(parseJson(`\ufeff${text}`)).toEqual(JSON.parse(text))
      }),
    )
  })
  it('accepts line breaks inside strings, and leaves those between values alone', () => {
    expect(parseJson('{\n"a":\t"one\ntwo\u0001three"}')).toEqual({ a: 'one two three' })
  })
  it('decodes UTF-8 and UTF-16 with stray bytes of Windows-1252, and drops NUL', () => {
    const text = '{"a":"ä€ 漢字 😀 \u0000"}'
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
    expect(decodeJson(Buffer.from(text))).toBe(text.replace('\0', ''))
    expect(decodeJson(utf16)).toContain('漢字')
    expect(decodeJson(utf16.swap16())).toContain('漢字')
    const mixed = Buffer.concat([Buffer.from('{"a":"ü'), Buffer.of(0xa3, 0x31, 0x92), Buffer.from('漢"}')])
    expect(decodeJson(mixed)).toBe('{"a":"ü£1’漢"}')
    for (const broken of [
      [0xc0, 0xaf],
      [0xe0, 0x80, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe6, 0xbc],
    ])
      expect(decodeJson(Buffer.from(broken))).toHaveLength(broken.length)
  })
  it('decodes any text exactly as written', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const written = Buffer.from(text).toString()
        expect(decodeJson(Buffer.from(`"${text}`))).toBe(`"${written}`.replaceAll('\0', ''))
      }),
    )
  })
  it('refuses anything that is not JSON', () => {
    for (const text of ['', '{"a": Infinit}', '{Infinity', 'NaNa', '{"a":1,}'])
      expect(() => parseJson(text)).toThrow(SyntaxError)
  })
})

// The strict parser of query strings.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFormText, parseQueryString } from './query-string.ts'

describe('a query string', () => {
  test('keeps repetitions in order, and names with a meaning in objects', () => {
    const { values, faults } = parseQueryString('a=1&__proto__=2&a=3&&constructor=&b')
    expect(faults).toEqual([])
    expect([...values]).toEqual([
      ['a', ['1', '3']],
      ['__proto__', ['2']],
      ['constructor', ['']],
      ['b', ['']],
    ])
  })

  test('keeps equals signs of a value', () => {
    expect(parseQueryString('a=b=c').values.get('a')).toEqual(['b=c'])
  })

  test.each(['%', '%1', '%zz', '%ff', '%c3', '%ed%a0%80', '\u00e9', '%c0%af'])(
    'refuses %s as broken encoding',
    (text) => {
      expect(decodeFormText(text)).toBeUndefined()
      expect(parseQueryString(`cpv=${text}`).faults).toMatchObject([{ parameter: 'cpv', code: 'invalid-encoding' }])
    },
  )

  test('decodes what encodeURIComponent encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeFormText(encodeURIComponent(text))).toBe(text)
      }),
    )
  })

  test('agrees with URLSearchParams on everything well-formed', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' })))
    fc.assert(
      fc.property(pairs, (list) => {
        const parameters = new URLSearchParams(list)
        const { values } = parseQueryString(parameters.toString())
        for (const name of parameters.keys()) expect(values.get(name)).toEqual(parameters.getAll(name))
      }),
    )
  })
})

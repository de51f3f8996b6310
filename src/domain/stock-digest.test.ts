import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalForm, DigestSum, emptyDigest, recordHash } from './stock-digest.ts'

describe('the canonical form', () => {
  test('is that of the examples in RFC 8785 (3.2.2 and 3.2.3)', () => {
    const example = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    expect(canonicalForm(JSON.parse(example))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
    const names = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`
    expect(
      Object.values(
        JSON.parse(
          `[${canonicalForm(JSON.parse(names))
            .replace(/"[^"]+":/g, '')
            .slice(1, -1)}]`,
        ),
      ),
    ).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  test('orders members named by numbers as texts, and keeps empty values', () => {
    expect(canonicalForm(JSON.parse('{"10":[],"9":{},"1":"","":-0}'))).toBe('{"":0,"1":"","10":[],"9":{}}')
  })

  test('refuses a number that no double holds', () => {
    expect(() => canonicalForm(JSON.parse('[1e400]'))).toThrow(RangeError)
  })
})

describe('the digest', () => {
  test('counts modulo 2^256, adding and subtracting, archived records in only one of the sums', () => {
    const entries = fc.array(fc.tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.boolean()), { maxLength: 20 })
    const range = 2n ** 256n
    const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
    const textOf = (sum: bigint): string => (((sum % range) + range) % range).toString(16).padStart(64, '0')
    const full = 'f'.repeat(64)
    fc.assert(
      fc.property(entries, entries, (added, subtracted) => {
        const sum = new DigestSum(`open=${full}, all=${full}`)
        for (const [hash, isOpen] of added) sum.add(hash, isOpen)
        const bytes = Buffer.concat(subtracted.map(([hash]) => hash))
        for (const [index, [, isOpen]] of subtracted.entries()) sum.subtract(bytes, isOpen, index * 32)
        const total = (isCounted: (isOpen: boolean) => boolean): bigint =>
          [...added.map((entry) => [...entry, 1n] as const), ...subtracted.map((entry) => [...entry, -1n] as const)]
            .filter(([, isOpen]) => isCounted(isOpen))
            .reduce((before, [hash, , sign]) => before + sign * numberOf(hash), range - 1n)
        expect(sum.digest).toBe(`open=${textOf(total((isOpen) => isOpen))}, all=${textOf(total(() => true))}`)
        const other = new DigestSum()
        other.addAll(sum)
        expect(other.digest).toBe(sum.digest)
      }),
    )
    expect(new DigestSum().digest).toBe(emptyDigest)
    for (const text of ['ff', full, `all=${full}, open=${full}`]) expect(() => new DigestSum(text)).toThrow(RangeError)
  })

  test('carries and borrows where two words meet exactly', () => {
    const [full, none] = ['f'.repeat(64), '0'.repeat(64)]
    const bytes = (hex: string) => Buffer.from(hex, 'hex')
    const one = `${none.slice(1)}1`
    const sum = new DigestSum(`open=${full}, all=${none}`)
    sum.add(bytes(one), true)
    expect(sum.digest).toBe(`open=${none}, all=${one}`)
    sum.subtract(bytes(one), true)
    expect(sum.digest).toBe(`open=${full}, all=${none}`)
    sum.subtract(bytes(full), true)
    expect(sum.digest).toBe(`open=${none}, all=${one}`)
    for (let word = 0; word < 8; word++) {
      const high = `${none.slice(0, 8 * word)}80000000${none.slice(8 * word + 8)}`
      const twice = new DigestSum(`open=${high}, all=${high}`)
      twice.add(bytes(high), false)
      const above = word === 0 ? none : `${none.slice(0, 8 * word - 1)}1${none.slice(8 * word)}`
      expect(twice.digest).toBe(`open=${high}, all=${above}`)
    }
  })

  test('differs for every member of a record, its id and its time', () => {
    const record = { id: 'a', lastModified: '2026-01-01T00:00:00.000Z', lots: [{ cpvCodes: ['1', '2'] }] }
    const hashes = [
      record,
      { ...record, id: 'b' },
      { ...record, lastModified: '2026-01-01T00:00:00.001Z' },
      { ...record, lots: [{ cpvCodes: ['2', '1'] }] },
      { ...record, more: null },
    ].map((each) => recordHash(each).toString('hex'))
    expect(new Set(hashes).size).toBe(5)
  })
})

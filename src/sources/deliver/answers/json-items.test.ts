// Compares the scanner with JSON.parse, on random documents and cuts.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../../../test/proof/proof-count.ts'
import type { Json } from '../../fetch.ts'
import { JsonItems, JsonItemsError, type JsonItemsOptions } from './json-items.ts'
import { pointerToken, valueAt } from './json-pointer.ts'

const maxItemBytes = 1 << 20

function scan(bytes: Uint8Array, cuts: readonly number[], options: Partial<JsonItemsOptions> = {}) {
  const scanner = new JsonItems({ at: '', maxItemBytes, ...options })
  const items = []
  let start = 0
  for (const cut of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    items.push(...scanner.feed(bytes.subarray(start, cut)))
    start = cut
  }
  items.push(...scanner.end())
  return { items, scanner }
}
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
const asBytes = (text: string): Buffer => Buffer.from(text, 'utf8')

const cuts = fc.array(fc.nat(100_000), { maxLength: 12 })
const layout = fc.constantFrom(undefined, 1, '\t')

describe('JsonItems', () => {
  test('returns every member of a root list byte for byte, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 5 })), layout, cuts, fc.boolean(), (list, space, at, hasMark) => {
        const text = JSON.stringify(list, null, space)
        const { items, scanner } = scan(asBytes((hasMark ? '\ufeff' : '') + text), at)
        expect(scanner.found).toBe('list')
        expect(items.map(({ bytes }) => JSON.parse(textOf(bytes)) as unknown)).toEqual(JSON.parse(text))
        expect(items.map(({ pointer }) => pointer)).toEqual(list.map((_, index) => `/${index}`))
        // The bytes are slices: together with the text between them they form the document.
        let from = 0
        for (const { bytes } of items) {
          const found = text.indexOf(textOf(bytes), from)
          expect(found).toBeGreaterThanOrEqual(from)
          from = found + textOf(bytes).length
        }
      }),
      { numRuns: proofCount({ share: 200, full: 5000 }) },
    )
  })

  test('finds lists behind any pointer and other values, as JSON.parse does', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 }),
        fc.array(fc.string(), { minLength: 1, maxLength: 4 }),
        fc.array(fc.jsonValue({ maxDepth: 3 })),
        fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.boolean()),
        layout,
        cuts,
        (around, names, list, total, space, at) => {
          const [first, ...rest] = names as [string, ...string[]]
          const inner = rest.reduceRight<Json>((value, name) => ({ ...around, [name]: value }) as Json, list as Json)
          const document = { ...around, ' total ': total, [first]: inner, behind: around }
          const text = JSON.stringify(document, null, space)
          const pointer = names.map((name) => `/${pointerToken(name)}`).join('')
          const parsed = JSON.parse(text) as Json
          fc.pre(
            Array.isArray(valueAt(parsed, pointer)) &&
              !names.includes('*') &&
              !names.includes(' total ') &&
              !names.includes('__proto__'),
          )
          const { items, scanner } = scan(asBytes(text), at, { at: pointer, values: ['/ total '] })
          expect(items.map(({ bytes }) => JSON.parse(textOf(bytes)) as unknown)).toEqual(valueAt(parsed, pointer))
          expect(scanner.values.get('/ total ')).toEqual(valueAt(parsed, '/ total '))
        },
      ),
      { numRuns: proofCount({ share: 200, full: 5000 }) },
    )
  })

  test('a text that is truncated anywhere is distinguished from a complete one (300 documents)', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))),
        fc.nat(),
        (document, cut) => {
          const bytes = asBytes(JSON.stringify(document))
          expect(() => scan(bytes.subarray(0, cut % bytes.length), [])).toThrow(JsonItemsError)
        },
      ),
      { numRuns: proofCount({ share: 150, full: 3000 }) },
    )
  })

  test('a star selects every member of lists and objects', () => {
    const { items } = scan(asBytes('{"a":[{"r":[1,2]},{"r":[3]},{"x":[9]}],"b":{"k":{"r":[4]}}}'), [7, 11], {
      at: '/a/*/r',
    })
    expect(items.map(({ pointer, bytes }) => [pointer, textOf(bytes)])).toEqual([
      ['/a/0/r/0', '1'],
      ['/a/0/r/1', '2'],
      ['/a/1/r/0', '3'],
    ])
    expect(
      scan(asBytes('{"k":{"r":[4]},"l":{"r":{"q":5}}}'), [], { at: '/*/r' }).items.map(({ bytes }) => textOf(bytes)),
    ).toEqual(['4', '{"q":5}'])
  })

  test('says whether nothing, null, one value or a list was at the pointer', () => {
    const found = (text: string) => scan(asBytes(text), [], { at: '/list' }).scanner.found
    expect(['{"error":"x"}', '{"list":null}', '{"list":{"a":1}}', '{"list":"x"}', '{"list":[]}'].map(found)).toEqual([
      'none',
      'null',
      'one',
      'one',
      'list',
    ])
  })

  test('only the beginning of an item over the limit is kept, and later items are complete', () => {
    const large = JSON.stringify({ text: 'é'.repeat(5000) })
    const { items } = scan(asBytes(`[1,${large},{"b":2}]`), [50, 3000, 5000, 9000], { maxItemBytes: 4000 })
    expect(items.map(({ isTooLarge, bytes }) => [isTooLarge, bytes.length])).toEqual([
      [false, 1],
      [true, 1024],
      [false, 7],
    ])
  })

  test('a hundred thousand levels inside an item cost no stack', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(scan(asBytes(`[${deep},2]`), [77_777]).items.map(({ bytes }) => bytes.length)).toEqual([200_000, 1])
  })

  test('text that is not JSON, broken UTF-8 and NUL bytes stay inside their item', () => {
    const bytes = Buffer.concat([
      asBytes('\0[{"v":Infinity,"t":"'),
      Buffer.from([0xff, 0xc3, 0]),
      asBytes('"},\0NaN]\0'),
    ])
    const { items } = scan(bytes, [20, 21, 22])
    expect(items.map(({ bytes: item }) => item.length)).toEqual([24, 3])
  })

  test.each(['<html>', '[1 2]', '[1,,2]', '{"list" 1}', '{list:1}', '{"list":1}x', ']', '{"list":[1}'])(
    '%s is refused',
    (text) => {
      expect(() => scan(asBytes(text), [], { at: '/list' })).toThrow(JsonItemsError)
    },
  )
})

test.each(['7', '"text"', 'true'])('a document that is %s alone is complete at its end', (text) => {
  const { items } = scan(asBytes(text), [])
  expect(items.map(({ bytes }) => textOf(bytes))).toEqual([text])
})

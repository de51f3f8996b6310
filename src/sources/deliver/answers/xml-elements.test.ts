// Elements cut from XML and rows cut from CSV byte for byte, wherever the chunks are cut.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainTree } from '../../../../test/plain-tree.ts'
import { proofCount } from '../../../../test/proof/proof-count.ts'
import { parseXml } from '../../xml/xml.ts'
import { CsvRows, csvCells } from './csv-rows.ts'
import { XmlElements, XmlElementsError, type XmlElementsOptions } from './xml-elements.ts'

const pieces = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}
const cuts = fc.array(fc.nat(100_000), { maxLength: 12 })
function scan(text: string, at: readonly number[], options: Partial<XmlElementsOptions> = {}) {
  const scanner = new XmlElements({ element: 'item', maxItemBytes: 1 << 20, ...options })
  const items = pieces(Buffer.from(text), at).flatMap((piece) => scanner.feed(piece))
  scanner.end()
  return { scanner, items, texts: items.map(({ bytes }) => Buffer.from(bytes).toString('utf8')) }
}

const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', ' ', '\n', '&lt;', '&amp;', ']]', "'", '"', '/') })
const content: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(
      '<!-- <item> </item> -->',
      '<![CDATA[</item><item>]]>',
      '<?pi <item> ?>',
      '<x a=">" b=\'/item>\'/>',
      '<item/>',
    ),
    fc.array(tie('node'), { maxLength: 3 }).map((inner) => `<p:y xmlns:p="u" q="1">${inner.join('')}</p:y>`),
    fc.array(tie('node'), { maxLength: 2 }).map((inner) => `<item>${inner.join('')}</item >`),
  ),
})).node

describe('XmlElements', () => {
  test('returns every outermost element byte for byte, and the full parser reads the same from it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(content, fc.boolean()), { maxLength: 6 }), cuts, (list, at) => {
        const items = list.map(([inner, isEmpty]) => (isEmpty ? '<n:item k="1" />' : `<item>${inner}</item>`))
        const start = '<r:root xmlns:r="urn:r" xmlns:n="urn:n" xmlns="urn:d">'
        const document = `<?xml version="1.0"?>\n<!-- x -->${start}${items.map((item) => `\n<total>7</total>${item}`).join('')}</r:root>\n`
        const { texts } = scan(document, at)
        expect(texts).toEqual(items.map((item) => `<?xml version="1.0"?>${start}${item}</r:root>`))
        const whole = parseXml(document).children.filter(({ name }) => name === 'item')
        expect(texts.map((one) => plainTree(parseXml(one).children[0]!))).toEqual(whole.map(plainTree))
      }),
      { numRuns: proofCount({ share: 150, full: 4000 }) },
    )
  })

  test('declares the namespaces of everything around an element, and finds the other values', () => {
    const document =
      '<response><header><totalCount>1&#50;</totalCount></header><body xmlns:a="u"><list><item><a:n/></item>' +
      '</list></body><link rel="next" href="?p=2&amp;q=1"/></response>'
    const { texts, scanner } = scan(document, [5, 70, 71], { values: ['totalCount'] })
    expect(texts).toEqual(['<response><body xmlns:a="u"><item><a:n/></item></body></response>'])
    expect(Object.fromEntries(scanner.values)).toEqual({ totalCount: '12', 'link[next]': '?p=2&q=1' })
    expect(scan('<?xml version="1.0"?><item k="1"><item/></item> ', [9]).texts).toEqual([
      '<?xml version="1.0"?><item k="1"><item/></item>',
    ])
    expect(scan('<r><a/><b>1</b></r>', [], { element: '*' }).texts).toEqual(['<r><a/></r>', '<r><b>1</b></r>'])
  })

  test('only the beginning of an element over the limit is kept', () => {
    const { items } = scan(`<r><item>${'<x>é</x>'.repeat(3000)}</item><item/></r>`, [999, 5000], { maxItemBytes: 5000 })
    expect(items.map(({ isTooLarge, bytes }) => [isTooLarge, bytes.length])).toEqual([
      [true, 1024],
      [false, 14],
    ])
  })

  test.each([
    '',
    'no xml',
    '<r><item>',
    '<r><item></item>',
    '<r></s>',
    '<!DOCTYPE r><r/>',
    '<r/><r/>',
    '<r <item/>',
    '{"a":1}',
  ])('%j is refused', (document) => {
    expect(() => scan(document, [])).toThrow(XmlElementsError)
  })
})

describe('CsvRows', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ç', '§', ',', '"', '\n', '\r\n', ' ', '5"') })
  const written = (value: string): string => (/["§\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

  test('returns every row byte for byte, and its cells read back (400 tables)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }),
        cuts,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        (table, at, end, hasMark) => {
          const rows = table.map((cells) => ['x', ...cells].map(written).join('§'))
          const scanner = new CsvRows('§', 1 << 20)
          const bytes = Buffer.from((hasMark ? '\ufeff' : '') + rows.join(end))
          const found = [...pieces(bytes, at).flatMap((piece) => scanner.feed(piece)), ...scanner.end().rows]
          expect(found.map(({ bytes: row }) => Buffer.from(row).toString('utf8'))).toEqual(rows)
          expect(found.map(({ bytes: row }) => csvCells(Buffer.from(row).toString('utf8'), '§'))).toEqual(
            table.map((cells) => ['x', ...cells]),
          )
        },
      ),
      { numRuns: proofCount({ share: 150, full: 4000 }) },
    )
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainTree } from '../../../test/plain-tree.ts'
import { proofCount } from '../../../test/proof/proof-count.ts'
import {
  attributeOf,
  child,
  childrenOf,
  decodeText,
  deepTextOf,
  descendantsNamed,
  namespace,
  parseAnyXml,
  parsePlainXml,
  parseXml,
  parseXmlBytes,
  pathNamed,
  readXmlBytes,
  textOf,
  XmlError,
} from './xml.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function reasonOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof XmlError) return error.reason
    throw error
  }
  return 'read'
}

describe('namespaces', () => {
  it('are matched by URI, with any prefix; an empty default namespace counts as none', () => {
    const root = parseXml(
      '<n:a xmlns:n="urn:a" xmlns="urn:b"><b/><c xmlns=""><d/><n:d/></c><b xmlns:n="urn:z"><n:d/></b></n:a>',
    )
    expect([root.uri, root.name]).toEqual(['urn:a', 'a'])
    expect(childrenOf(root, 'urn:b', 'b')).toHaveLength(2)
    expect(root.children[1]!.uri).toBe('')
    expect(root.children[1]!.children.map((element) => element.uri)).toEqual(['', 'urn:a'])
    expect(root.children[2]!.children[0]!.uri).toBe('urn:z')
    expect(plainTree(child(root, namespace('urn:b'), 'b')!)).toEqual(plainTree(root.children[0]!))
  })

  it('keep attributes by local name without the declarations, the unprefixed one first', () => {
    const root = parseXml('<a xmlns:p="urn:p" p:x="1" x="2" xml:lang="de"/>')
    expect([...root.attributes]).toEqual([
      ['x', '2'],
      ['lang', 'de'],
    ])
  })

  it.each([
    '<p:a/>',
    '<a p:b=""/>',
    '<a xmlns:p=""/>',
    '<a:b:c xmlns:a="urn:a"/>',
    '<:a/>',
    '<a:/>',
    '<a xmlns:xmlns="urn:a"/>',
    '<a xmlns:xml="urn:a"/>',
  ])('refuses %s', (text) => {
    expect(reasonOf(() => parseXml(text))).toBe('malformed')
  })
})

describe('text', () => {
  it('decodes entities and CDATA, drops white space between elements and keeps the order of mixed content', () => {
    const root = parseXml('<a>\n <b>x &amp; &#252;<![CDATA[<y>]]></b>\n <c>10 m<d>2</d> wide <d/></c></a>')
    expect(root.text).toBe('')
    expect(textOf(root.children[0])).toBe('x & ü<y>')
    expect(deepTextOf(root.children[1]!)).toBe('10 m2 wide ')
    expect(root.children[1]!.text).toBe('10 m wide ')
    expect([...descendantsNamed(root, 'd')]).toHaveLength(2)
    expect(pathNamed(root, 'c', 'd')?.text).toBe('2')
  })

  it('keeps an element before text in the order of mixed content', () => {
    expect(deepTextOf(parseXml('<a><b>1</b> and <b>2</b></a>'))).toBe('1 and 2')
  })
})

describe('hostile documents', () => {
  it('refuses a DOCTYPE before any entity of it can be used', () => {
    const laughs = `<!DOCTYPE a [<!ENTITY x "${'ha'.repeat(100)}"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>`
    const external = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    for (const text of [laughs, external, '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>']) {
      expect(reasonOf(() => parseXml(text))).toBe('forbidden-construct')
    }
  })

  it('ends at the depth limit without walking a deep document', () => {
    expect(reasonOf(() => parseXml('<a>'.repeat(100_000)))).toBe('too-deep')
    expect(reasonOf(() => parseXml('<a>'.repeat(256) + '</a>'.repeat(256)))).toBe('read')
  })

  it('bounds elements and attributes', () => {
    expect(reasonOf(() => parseXml(`<a>${'<b/>'.repeat(1_000_000)}</a>`))).toBe('too-large')
    const attributes = Array.from({ length: 10_001 }, (_, index) => `a${index}=""`).join(' ')
    expect(reasonOf(() => parseXml(`<a ${attributes}/>`))).toBe('too-large')
  })

  it.each([
    '',
    ' ',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a b="1" b="2"/>',
    '<a>&uuml;</a>',
    '<a>&#0;</a>',
    '<a>\u0001</a>',
    '<a b=c/>',
    '<a>a & b</a>',
    'text',
    '<a>]]></a>',
  ])('calls %j malformed', (text) => {
    expect(reasonOf(() => parseXml(text))).toBe('malformed')
  })

  it('names the line', () => {
    expect(() => parseXml('<a>\n<b>\n</c></a>')).toThrow(expect.objectContaining({ path: 'line 3' }))
  })

  it('keeps names that have a meaning in JavaScript objects', () => {
    const root = parseXml('<__proto__ constructor="1" __proto__="2"><toString/></__proto__>')
    expect(root.attributes.get('__proto__')).toBe('2')
    expect(root.children[0]!.name).toBe('toString')
  })
})

describe('encodings', () => {
  it('reads UTF-8 with and without mark, UTF-16 by its mark and declared Latin encodings', () => {
    expect(decodeText(bytes('\ufeff<ä/>'))).toBe('<ä/>')
    const utf16 = Buffer.from('\ufeff<ä/>', 'utf16le')
    expect(decodeText(utf16)).toBe('<ä/>')
    expect(decodeText(Buffer.from(utf16).swap16())).toBe('<ä/>')
    expect(decodeText(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>', 'latin1'))).toContain('ü')
    expect(decodeText(Buffer.from("<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>", 'latin1'))).toContain('€')
    expect(decodeText(Buffer.from('<?xml version="1.0" encoding="windows-1251"?><a>\xc6</a>', 'latin1'))).toContain('Ж')
    expect(decodeText(Buffer.from('<?xml version="1.0" encoding="ISO-8859-7"?><a>\xd9</a>', 'latin1'))).toContain('Ω')
  })

  it('reads UTF-16 without its mark, which a declaration may replace', () => {
    const utf16 = Buffer.from('<?xml version="1.0" encoding="UTF-16LE"?><a>ü</a>', 'utf16le')
    expect(parseXmlBytes(utf16).text).toBe('ü')
    expect(parseXmlBytes(Buffer.from(utf16).swap16()).text).toBe('ü')
  })

  it('reads UTF-8 under a wrong declaration of the encoding', () => {
    expect(parseXmlBytes(bytes('<?xml version="1.0" encoding="utf-16"?><a>ü</a>')).text).toBe('ü')
  })

  it('calls broken sequences and NUL malformed', () => {
    expect(reasonOf(() => decodeText(Uint8Array.of(0x3c, 0x61, 0xc3, 0x28)))).toBe('malformed')
    expect(reasonOf(() => decodeText(bytes('<a>\0</a>')))).toBe('malformed')
    expect(reasonOf(() => decodeText(Buffer.from('<?xml version="1.0"?><a>ü</a>', 'latin1')))).toBe('malformed')
    expect(reasonOf(() => decodeText(Uint8Array.of(0xff, 0xfe, 0x3c)))).toBe('malformed')
  })
})

describe('the fast path reads nothing that the full parser would refuse or read differently', () => {
  const folder = new URL('../eforms/fixtures/', import.meta.url)
  const fixtures = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const agree = (text: string): boolean => {
    const plain = parsePlainXml(text)
    if (plain) expect(plainTree(plain)).toEqual(plainTree(parseAnyXml(text)))
    return plain !== undefined
  }

  it('accepts the ordinary document', () => {
    for (const fixture of fixtures) expect(agree(fixture)).toBe(true)
    expect(
      agree(
        "<?xml version='1.0' encoding='UTF-8' standalone=\"no\" ?>\n<!-- a --><a b = '1\n2'\tc=\"&#65;&lt;\" >x<!---->y&amp;<b />\r\n🂡</a >\n<!-- b -->",
      ),
    ).toBe(true)
  })

  it.each([
    '<a><![CDATA[]]></a>',
    '<a><![CDATA[x]]</a>',
    '<a><![CDATA[\u0001]]></a>',
    '<a><![CDATA[\uffff]]></a>',
    '<a><![cdata[x]]></a>',
    '<![CDATA[x]]><a/>',
    '<!DOCTYPE a><a/>',
    '<?x y?><a/>',
    '<ä/>',
    '<a>&auml;</a>',
    '<a>&#0;</a>',
    '<a>&#xD800;</a>',
    '<a>&</a>',
    '<a>&#65</a>',
    '<a>]]></a>',
    '<a b="<"/>',
    '<a b="1" b="2"/>',
    '<a b="1"c="2"/>',
    '<a b=1/>',
    '<a b/>',
    '<a></b>',
    '<a></ab>',
    '<ab></a>',
    '<a/><a/>',
    '<a',
    '<a b="',
    '<',
    '</a>',
    '<a/>x',
    'x<a/>',
    '<a><!-- -- --></a>',
    '<a/ >',
    '< a/>',
    '<a>\u0001</a>',
    '<a>\ud800</a>',
    '<?xml version="1.1"?><a/>',
    ' <?xml version="1.0"?><a/>',
    '<a:b/>',
    '<1/>',
    '',
    '<a><!--',
    '<a>\ufffe</a>',
    '<a b="\uffff"/>',
    '<a><!-- \uffff --></a>',
    '<a c:b=""/>',
    '<a xmlns:b="1" xmlns:b="1"/>',
    '<?xml version="1.0"\v?><a/>',
  ])('leaves %j to the full parser', (text) => {
    expect(agree(text)).toBe(false)
  })

  it('also holds where text is in pieces, blank by references, or between elements', () => {
    for (const text of [
      '<a>&#32;&#9;<b/> x <b/> <b/>y<!-- --> z</a>',
      '<a> <b/>&#32;<b/></a>',
      '<a>x<!-- -->&#32;<!-- --></a>',
      '<a>x <b>y</b> <c> </c>&amp;</a>',
      '\ufeff<a>ä</a>',
      '<a><![CDATA[x<&ä]] ]]></a>',
      '<a> <![CDATA[ ]]><b/><![CDATA[\n]]>x<![CDATA[\n]]><b/></a>',
      '<a>x<![CDATA[\r\n]]><b/> <![CDATA[&amp;\ufffd]]></a>',
    ])
      expect(agree(text)).toBe(true)
  })

  it('also holds when documents have more names, prefixes and namespaces than the tables hold', () => {
    const made = (count: number, one: (index: number) => string) =>
      `<a>${Array.from({ length: count }, (_, index) => one(index)).join('')}</a>`
    for (let round = 0; round < 2; round++) {
      for (const text of [
        made(9_000, (index) => `<b${round}.${index} c${round}.${index}="${index}">${index}</b${round}.${index}>`),
        made(1_500, (index) => `<p:b xmlns:p="urn:${round}:${index}">${index}</p:b>`),
        made(600, (index) => `<p:b${index} xmlns:p="urn:${round}:${index}"><p:c${index % 20}/></p:b${index}>`),
      ])
        expect(isDeepStrictEqual(plainTree(parseXml(text)), plainTree(parseAnyXml(text))), text.slice(0, 60)).toBe(true)
    }
    for (const fixture of fixtures) expect(agree(fixture)).toBe(true)
  })

  it('reads bytes as it reads their text', () => {
    const text = '<?xml version="1.0" encoding="UTF-8"?>\r\n<a b="ü\r\n">ä\r\n\r€<b/></a>'
    const expected = plainTree(parseAnyXml(text))
    expect(plainTree(parseXmlBytes(bytes(text)))).toEqual(expected)
    expect(plainTree(parseXmlBytes(Buffer.from(`\ufeff${text}`)))).toEqual(expected)
    expect(plainTree(parseXmlBytes(Buffer.from(`\ufeff${text}`, 'utf16le')))).toEqual(expected)
    const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xc3\xa4</a>', 'latin1')
    expect(parseXmlBytes(latin).text).toBe('Ã¤')
    // a part of a larger buffer
    const whole = Buffer.concat([Buffer.from('<x/>'), Buffer.from(text), Buffer.from('<y/>')])
    expect(plainTree(parseXmlBytes(whole.subarray(4, whole.length - 4)))).toEqual(expected)
  })

  it('reads another document while one is read, and keeps nothing of a document afterwards', () => {
    const of = (name: string) => bytes(`<${name}><b c="${name}">${name}</b></${name}>`)
    const escaped = readXmlBytes(of('x'), (outer) => {
      const inner = readXmlBytes(of('y'), (root) => plainTree(root))
      expect(inner).toEqual(plainTree(parseAnyXml('<y><b c="y">y</b></y>')))
      expect(plainTree(parseXmlBytes(of('z')))).toEqual(plainTree(parseAnyXml('<z><b c="z">z</b></z>')))
      expect(plainTree(outer)).toEqual(plainTree(parseAnyXml('<x><b c="x">x</b></x>')))
      return outer
    })
    const kept = parseXmlBytes(of('k'))
    expect(() => readXmlBytes(of('y'), () => expect.fail('made up'))).toThrow('made up')
    expect(plainTree(kept)).toEqual(plainTree(parseAnyXml('<k><b c="k">k</b></k>')))
    expect(escaped.children).toEqual([])
  })

  it('returns each attribute alone as it returns all together', () => {
    const root = parseXml('<a xmlns:p="urn:p" p:x="1" x="2" p:y="3" z="&lt;\n"/>')
    expect(['x', 'y', 'z', 'q'].map((name) => attributeOf(root, name))).toEqual(['2', '3', '< ', undefined])
    for (const [name, value] of root.attributes) expect(attributeOf(root, name)).toBe(value)
  })

  it('holds for any text (seed 77)', () => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '/',
      '</',
      '/>',
      '<a>',
      '</a>',
      '<a ',
      '<b:c xmlns:b="u">',
      '</b:c>',
      'a',
      '="',
      "='",
      '"',
      "'",
      ' ',
      '\n',
      '\r',
      '\t',
      '&',
      '&amp;',
      '&#65;',
      '&#32;',
      '&#13;',
      '&#',
      ';',
      '<!--',
      '-->',
      '--',
      '<![CDATA[',
      ']]>',
      ']',
      '<?',
      '?>',
      '<!',
      'ä',
      '🂡',
      '\0',
      ':',
      '=',
      'xmlns="u"',
      'b="1"',
      ' b="&lt;\n"',
      ' xmlns:c="v"',
      '<c:d c:b="2">',
      '</c:d>',
      '\ufeff',
      '\ufffe',
      'text',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => void agree(`<a>${parts.join('')}</a>`)),
      { seed: 77, numRuns: proofCount({ share: 1500, full: 100000 }) },
    )
    const edit = fc.record({ at: fc.nat(), length: fc.nat({ max: 6 }), insert: fc.array(pieces, { maxLength: 3 }) })
    fc.assert(
      fc.property(fc.constantFrom(...fixtures), fc.array(edit, { minLength: 1, maxLength: 3 }), (fixture, edits) => {
        let text = fixture
        for (const { at, length, insert } of edits) {
          const start = at % text.length
          text = text.slice(0, start) + insert.join('') + text.slice(start + length)
        }
        agree(text)
      }),
      { seed: 77, numRuns: proofCount({ share: 200, full: 20000 }) },
    )
  })
})

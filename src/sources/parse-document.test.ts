import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import type { ParsedPart } from '../domain/notice.ts'
import { parseDocument } from './parse-document.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const folder = new URL('./eforms/fixtures/', import.meta.url)
const fixtures = readdirSync(folder)
  .sort()
  .map((name) => readFileSync(new URL(name, folder)))

function reasonOf(input: string | Uint8Array): string {
  const parts = parseDocument(typeof input === 'string' ? bytesOf(input) : input)
  expect(parts.length).toBeGreaterThan(0)
  const [part] = parts
  return 'rejection' in part! ? part.rejection.reason : `notice of ${part!.notice.format}`
}

describe('a format is detected by content alone', () => {
  it('reads eForms with and without a byte order mark and in UTF-16', () => {
    const text = readFileSync(new URL('doffin-notice.xml', folder), 'utf8')
    for (const input of [bytesOf(text), bytesOf(`\ufeff${text}`), Buffer.from(`\ufeff${text}`, 'utf16le')]) {
      expect(reasonOf(input)).toBe('notice of eforms')
    }
  })

  it('knows TED_EXPORT by its root element in any namespace', () => {
    const detail = (parts: readonly ParsedPart[]): string =>
      'rejection' in parts[0]! ? parts[0].rejection.reason : 'read'
    expect(
      detail(
        parseDocument(
          bytesOf('<TED_EXPORT xmlns="http://formex.publications.europa.eu/ted/schema/export/R2.0.8.S02.E01"/>'),
        ),
      ),
    ).not.toBe('unsupported-format')
  })

  it('knows an OCDS release', () => {
    const release = {
      ocid: 'ocds-abcdef-1',
      id: '1',
      date: '2024-01-01T00:00:00Z',
      tag: ['tender'],
      buyer: { name: 'Town' },
      tender: { id: 't', title: 'Chairs' },
    }
    expect(reasonOf(JSON.stringify(release))).toBe('notice of ocds')
    expect(reasonOf(JSON.stringify({ uri: 'x', publishedDate: '2024-01-01', releases: [release] }))).toBe(
      'notice of ocds',
    )
  })

  it.each([
    ['', 'an empty document'],
    [' \n ', 'only white space'],
    ['a,b,c\n1,2,3', 'looks like a table with 3 columns (CSV)'],
    ['a;b;c\n1;2;3', 'looks like a table with 3 columns (CSV)'],
    ['# Readme\n\ntext', 'looks like Markdown'],
    ['Hello', 'looks like plain text'],
    ['%PDF-1.7', 'looks like a PDF'],
    ['<!DOCTYPE html><html></html>', 'looks like an HTML page'],
    ['{"total": 3, "items": []}', 'JSON with the members total, items'],
    ['[1]', 'a JSON list'],
    ['<feed xmlns="http://www.w3.org/2005/Atom"/>', 'XML with the root element feed of http://www.w3.org/2005/Atom'],
    ['<ContractNotice/>', 'XML with the root element ContractNotice'],
  ])('names what %j looks like', (text, detail) => {
    const [part] = parseDocument(bytesOf(text))
    expect(part).toMatchObject({ pointer: '', rejection: { reason: 'unsupported-format', detail } })
  })
})

describe('hostile documents end quickly as rejections', () => {
  it.each([
    [
      'billion laughs',
      `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><ContractNotice>&b;</ContractNotice>`,
      'forbidden-construct',
    ],
    [
      'external entity',
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      'forbidden-construct',
    ],
    ['100,000 levels of elements', '<a>'.repeat(100_000), 'too-deep'],
    ['100,000 levels of lists', '['.repeat(100_000), 'too-deep'],
    ['300 levels of objects', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`, 'too-deep'],
    ['NUL in XML', '<a>\0</a>', 'malformed'],
    ['an undefined entity', '<a>&auml;</a>', 'malformed'],
    ['an unclosed element', '<a><b></a>', 'malformed'],
    ['half a JSON value', '{"ocid":', 'malformed'],
    ['an unquoted attribute', '<a b=c/>', 'malformed'],
  ])('%s', (_, text, reason) => {
    expect(reasonOf(text)).toBe(reason)
  })

  it('broken UTF-8', () => {
    expect(reasonOf(Uint8Array.of(0x3c, 0x61, 0xff, 0x3e))).toBe('malformed')
    expect(reasonOf(Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d))).toBe('malformed')
  })

  it('an attribute of 20 MB and a text of 20 MB are read without harm', () => {
    const text = readFileSync(new URL('doffin-notice.xml', folder), 'utf8')
    const long = 'x'.repeat(20_000_000)
    expect(reasonOf(text.replace('languageID="NOB">Vinter', `languageID="${long}">Vinter`))).toBe('notice of eforms')
    const [part] = parseDocument(bytesOf(text.replace('Vintervedlikehold', long)))
    if (!('notice' in part!)) throw new Error('rejected')
    expect(part.notice.title!['nb']!.length).toBeLessThanOrEqual(2000)
  })

  it('a document over the limit', () => {
    expect(reasonOf(new Uint8Array(64 * 1024 * 1024 + 1))).toBe('too-large')
  })

  it('members whose names have a meaning in objects pollute nothing', () => {
    const text =
      '{"ocid":"ocds-1-1","id":"1","tag":["tender"],"__proto__":{"polluted":true},' +
      '"constructor":{"prototype":{"polluted":true}},"tender":{"title":"T","__proto__":{"polluted":true}}}'
    parseDocument(bytesOf(text))
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    const xml = readFileSync(new URL('doffin-notice.xml', folder), 'utf8')
      .replaceAll('ORG-0001', '__proto__')
      .replaceAll('NOB', 'constructor')
    expect(reasonOf(xml)).toBe('notice of eforms')
  })
})

describe('the parser, given any bytes', () => {
  const seed = 20_241_121
  const parse = (bytes: Uint8Array): void => {
    const parts = parseDocument(bytes)
    expect(parts.length).toBeGreaterThan(0)
    for (const part of parts) {
      if ('rejection' in part) expect(part.rejection.detail).not.toBe('')
      else {
        expect(part.notice.noticeKey).toMatch(/^[a-z0-9-]+:\S/)
        expect(part.notice.title ?? part.notice.contractingAuthorities[0]).toBeDefined()
      }
    }
  }

  it(`never throws and never returns nothing: changed bytes (seed ${seed})`, () => {
    const edit = fc.record({ at: fc.nat(), length: fc.nat({ max: 40 }), insert: fc.uint8Array({ maxLength: 12 }) })
    fc.assert(
      fc.property(fc.constantFrom(...fixtures), fc.array(edit, { minLength: 1, maxLength: 4 }), (fixture, edits) => {
        let bytes: Uint8Array = fixture
        for (const { at, length, insert } of edits) {
          const start = at % bytes.length
          bytes = Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + length)])
          if (bytes.length === 0) break
        }
        parse(bytes)
      }),
      { seed, numRuns: proofCount({ share: 150, full: 15000 }) },
    )
  })

  it(`never throws and never returns nothing: well-formed documents with parts dropped, doubled and emptied (seed ${seed})`, () => {
    // A leaf, or a small group of leaves, is a unit that can be cut out without breaking the document.
    const leaf = /<([A-Za-z0-9]+:)?([A-Za-z]+)(?: [^<>]*)?>[^<]*<\/\1?\2>/g
    const values = [
      '',
      '-1',
      'unpublished',
      '0',
      '99999999999999999999',
      '2024-02-30',
      '24:61:00',
      'ORG-9999',
      '&amp;#x0;',
      ' ',
      '🂡'.repeat(50),
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...fixtures),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...values)), { minLength: 1, maxLength: 12 }),
        (fixture, changes) => {
          let text = fixture.toString('utf8')
          for (const [at, kind, value] of changes) {
            const found = [...text.matchAll(leaf)]
            const match = found[at % Math.max(1, found.length)]
            if (!match) break
            const put =
              kind === 0 ? '' : kind === 1 ? match[0] + match[0] : match[0].replace(/>[^<]*</, () => `>${value}<`)
            text = text.slice(0, match.index) + put + text.slice(match.index + match[0].length)
          }
          const parts = parseDocument(bytesOf(text))
          parse(bytesOf(text))
          for (const part of parts)
            if ('rejection' in part) expect(['missing-identity', 'missing-content']).toContain(part.rejection.reason)
        },
      ),
      { seed, numRuns: proofCount({ share: 100, full: 5000 }) },
    )
  })

  it(`never throws and never returns nothing: random bytes and random JSON (seed ${seed})`, () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), parse), {
      seed,
      numRuns: proofCount({ share: 100, full: 5000 }),
    })
    const keys = fc.constantFrom(
      'ocid',
      'id',
      'tag',
      'tender',
      'releases',
      'records',
      'compiledRelease',
      'buyer',
      'lots',
      'awards',
      '__proto__',
      'value',
      'title',
      'date',
    )
    const { tree } = fc.letrec<{ tree: unknown; node: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 1 }),
        tie('node'),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
      node: fc.dictionary(keys, tie('tree'), { maxKeys: 6 }),
    }))
    fc.assert(
      fc.property(tree, (value) => parse(bytesOf(JSON.stringify({ ocid: 'ocds-1-1', ...(value as object) })))),
      { seed, numRuns: proofCount({ share: 150, full: 10000 }) },
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { anyCharacter } from '../../test/testing/generate/any-character.ts'
import { cleanEmail, cleanField, cleanLine, cleanText, cleanUrl, decodeEntities, parseAmount, toMoney } from './text.ts'

describe('texts', () => {
  it('decodes entities twice at most and drops simple markup', () => {
    expect(decodeEntities('R&amp;#xFC;ckbau')).toBe('Rückbau')
    expect(cleanText('<p>Erste&nbsp;Zeile</p><p>zweite<br/>dritte</p>')).toBe('Erste Zeile\n\nzweite\ndritte')
    expect(cleanText('a < b and c > d')).toBe('a < b and c > d')
  })
  it('composes letters (NFC), including entities that were encoded twice', () => {
    expect(cleanLine('Bru\u0308cke')).toBe('Brücke')
    expect(cleanLine('Stra&amp;szlig;e u&amp;#776;ber den Mu&#776;hlbach')).toBe('Straße über den Mühlbach')
  })
  it('shows capitals and text between dashes as published', () => {
    for (const title of ['NEUBAU DER KITA AM ÖPNV-PLATZ, BA II', 'Hochbau – Neubau – Los 2'])
      expect(cleanLine(title)).toBe(title)
  })
  it('removes everything that breaks a database or a terminal', () => {
    expect(cleanText('a\u0000b\u202ec\ud800')).toBe('abc\ufffd')
    expect(cleanLine(' one\r\n two\u2028three ')).toBe('one two three')
  })
  it('truncates at a code point and never exceeds the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 3, max: 30 }), (text, limit) => {
        const cleaned = cleanText(text, limit)
        expect(cleaned === undefined || (cleaned.length <= limit && cleaned.isWellFormed())).toBe(true)
      }),
    )
  })
  it('drops the markup of office programs, and what pages do not show', () => {
    const pasted =
      '<!-- [if gte mso 9] --><style type="text/css">p { margin: 0 }</style><blockquote><p ' +
      'class="x">Bridge<o:p></o:p></p></blockquote><dl><dt>Lot</dt><dd>one</dd></dl><img src="a.png"/>'
    expect(
      cleanText(pasted)
        ?.split('\n')
        .filter((line) => line !== ''),
    ).toEqual(['Bridge', 'Lot', 'one'])
    expect(cleanText(`<p style="${'x'.repeat(900)}">Bridge</p>`)).toBe('Bridge')
    expect(cleanText('a < b, <dimension> and <5 mm')).toBe('a < b, <dimension> and <5 mm')
  })
  it('counts placeholders as missing', () => {
    for (const text of ['n/a', ' TBD', '-', '...', 'unpublished', '000', '', 'No Definido', 'Sin descripción'])
      expect(cleanField(text)).toBeUndefined()
    expect(cleanField('HRB 0042')).toBe('HRB 0042')
  })
})

describe('addresses', () => {
  it('keeps http and https, completes a bare host, refuses the rest', () => {
    expect(cleanUrl(' https://example.org/a?b=1 ')).toBe('https://example.org/a?b=1')
    expect(cleanUrl('www.example.org/x')).toBe('https://www.example.org/x')
    for (const text of [
      'javascript:alert(1)',
      'see our site',
      'ftp://example.org',
      'https://u:p@example.org',
      'n/a',
      'https://',
    ]) {
      expect(cleanUrl(text)).toBeUndefined()
    }
  })
  it('accepts exactly the addresses that a URL parser does, with a host of several parts and no credentials (seed 31)', () => {
    const pieces = [
      'a',
      'b-',
      '-',
      '.',
      'xn--',
      'example',
      '.org',
      '1',
      '256',
      '@',
      ':',
      '80',
      '99999',
      '/',
      '?',
      '#',
      '%',
      'é',
    ]
    pieces.push('\\', '[::1]', '_', 'A', '.example.org', 'www.')
    const address = fc.tuple(
      fc.constantFrom('http://', 'https://', 'HTTP://'),
      fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }),
    )
    fc.assert(
      fc.property(address, ([scheme, parts]) => {
        const text = scheme + parts.join('')
        const url = URL.parse(text)
        const isGood = url?.username === '' && url.password === '' && url.hostname.includes('.')
        expect(cleanUrl(text)).toBe(isGood ? text : undefined)
      }),
      { seed: 31, numRuns: proofCount({ share: 1500, full: 100000 }) },
    )
  })
  it('reads an address with two schemes as the inner one', () => {
    expect(cleanUrl('http://https://vergabe.example.org/a?b=http://c')).toBe('https://vergabe.example.org/a?b=http://c')
    expect(cleanUrl('http://http://http://www.example.org')).toBe('http://www.example.org')
  })
  it('finds the address that a sentence follows, and joins one with a blank after its last slash', () => {
    expect(cleanUrl('https://example.org/web/login.html Please read the document 2025RFI first.')).toBe(
      'https://example.org/web/login.html',
    )
    expect(cleanUrl('https://example.org/a, oder per Post')).toBe('https://example.org/a')
    expect(cleanUrl('https://example.org/ E47254142')).toBe('https://example.org/E47254142')
    expect(cleanUrl('>https://example.org/E23931768')).toBe('https://example.org/E23931768')
    expect(cleanUrl('https://u:p@example.org and more')).toBeUndefined()
    expect(cleanUrl('www.example.org and more')).toBeUndefined()
  })
  it('keeps only what has the form of an email address', () => {
    expect(cleanEmail('mailto:office@example.org')).toBe('office@example.org')
    expect(cleanEmail('office at example')).toBeUndefined()
    expect(cleanEmail('office at; example.org')).toBeUndefined()
  })
  it('uses the first of several email addresses', () => {
    expect(cleanEmail('a@example.org; b@example.org')).toBe('a@example.org')
    expect(cleanEmail('a@example.org, b@example.org')).toBe('a@example.org')
    expect(cleanEmail('a@example.org et b@example.org')).toBe('a@example.org')
  })
})

describe('amounts', () => {
  it('reads all notations that occur', () => {
    const cases: [string, number | undefined][] = [
      ['468 500', 468500],
      ['468\u202f500.50', 468500.5],
      ['1 234,50', 1234.5],
      ['1.234.567,8', 1234567.8],
      ['1,234,567.8', 1234567.8],
      ['1,234', 1234],
      ['12,34', 12.34],
      ['1234.567', 1234.567],
      ["1'234'567", 1234567],
      ['-1', -1],
      ['1e9999', undefined],
      ['EUR 5', undefined],
      ['12/13', undefined],
      ['', undefined],
    ]
    for (const [text, value] of cases) expect([text, parseAmount(text)]).toEqual([text, value])
  })
  it('never makes an amount of a sentinel, of infinity or without a currency', () => {
    for (const amount of [-1, 0, 0.01, 1, Number.POSITIVE_INFINITY, Number.NaN, 1e14])
      expect(toMoney(amount, 'EUR')).toBeUndefined()
    for (const currency of ['', undefined, 'EURO', 'XXX']) expect(toMoney(5000, currency)).toBeUndefined()
    expect(toMoney(5000.456, 'mdl')).toEqual({ value: 5000.46, currency: 'MDL' })
  })
})

it('gives the same result for ordinary text on the fast path and the slow one (seed 41)', () => {
  // A zero-width space at the end is dropped, but the text does not count as ordinary.
  const signs = fc.constantFrom(
    'a',
    'ä',
    'e\u0301',
    'Ω',
    '\u2126',
    'ж',
    'ﬁ',
    ' ',
    '\n',
    '\r',
    '\t',
    '\u00a0',
    '<b>',
    '&amp;',
    '…',
  )
  const texts = fc
    .array(fc.oneof(signs, fc.string({ unit: anyCharacter, maxLength: 2 })), { maxLength: 12 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      expect(cleanText(text, 500)).toBe(cleanText(`${text}\u200b`, 500))
      expect(cleanLine(text, 500)).toBe(cleanLine(`${text}\u200b`, 500))
    }),
    { seed: 41, numRuns: proofCount({ share: 400, full: 30000 }) },
  )
})

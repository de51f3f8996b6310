// What a redaction finds in texts as notices write them, what it leaves alone, and what it reveals about the values.
import { describe, expect, test } from 'vitest'
import { type RedactionKind, redactionId, redactionRule, redactor } from './redaction.ts'

const key = Buffer.alloc(32, 7)
const rules = (values: Partial<Record<RedactionKind, string>>) =>
  Object.entries(values).map(([kind, value]) => redactionRule(key, kind as RedactionKind, value))
const of = (values: Partial<Record<RedactionKind, string>>) => redactor(key, rules(values))

describe('a redaction', () => {
  const jane = of({ email: 'Jane.Doe@Example.org', phone: '+49 30 1234567', name: 'Jane Müller-Doe' })

  test.each([
    ['Questions: jane.doe@example.org.', 'Questions: [redacted].'],
    ['mailto:JANE.DOE@EXAMPLE.ORG?subject=x', 'mailto:[redacted]?subject=x'],
    ['jane.doe(at)example.org', '[redacted]'],
    ['jane.doe [at] example.org', '[redacted]'],
    ['?to=jane.doe%40example.org&x', '?to=[redacted]&x'],
    ['Tel. 030 1234567, Zimmer 4', 'Tel. [redacted], Zimmer 4'],
    ['Tel. +49 (0)30 123 45 67', 'Tel. [redacted]'],
    ['0049-30/1234567', '[redacted]'],
    ['Tel. 030.123.45.67', 'Tel. [redacted]'],
    ['Tel. 030 1234567 12.11.2026', 'Tel. [redacted] 12.11.2026'],
    ['Frau Jane Müller-Doe', 'Frau [redacted]'],
    ['MUELLER DOE, jane', 'MUELLER [redacted]'],
    ['Doe, Jane Müller', '[redacted]'],
  ])('removes %j', (before, after) => {
    if (before.startsWith('MUELLER')) return expect(of({ name: 'Jane Doe' }).text(before)).toBe(after)
    expect(jane.text(before)).toBe(after)
  })

  test.each([
    'max.jane.doe@example.org',
    'jane.doe@example.com',
    'jane.doe@sub.example.org',
    '030 12345678',
    '1 030 1234568',
    'Jane Doe',
    'Janet Müller-Doe',
    'Jane. Müller asked us. Doe answered.',
    '2026-11-20',
  ])('leaves %j unchanged', (text) => {
    expect(jane.text(text)).toBe(text)
  })

  test('removes members of a contact, marks texts, and leaves what links notices', () => {
    const record = {
      id: '030 1234567',
      title: 'Works for Jane Müller-Doe',
      contractingAuthority: {
        name: 'Town',
        contactName: 'Ms Jane Müller-Doe',
        email: 'jane.doe@example.org',
        city: 'X',
      },
      documentsUrl: 'https://example.org/?m=jane.doe@example.org',
      lots: [{ lotId: 'LOT-1', description: 'call 030/1234567' }],
    }
    const paths: string[] = []
    expect(jane.value(record, (path) => paths.push(path))).toEqual({
      id: '030 1234567',
      title: 'Works for [redacted]',
      contractingAuthority: { name: 'Town', city: 'X' },
      lots: [{ lotId: 'LOT-1', description: 'call [redacted]' }],
    })
    expect(paths).toEqual([
      'title',
      'contractingAuthority.contactName',
      'contractingAuthority.email',
      'documentsUrl',
      'lots.description',
    ])
    const other = { title: 'x', lots: [{ lotId: '1' }] }
    expect(jane.value(other)).toBe(other)
    expect(jane.json('{ "a": "b" }')).toBe('{ "a": "b" }')
  })

  test('removes each member of a contact as a whole, and touches none that links notices', () => {
    const said = 'jane.doe@example.org, 030 1234567'
    const membersOf = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, said]))
    const contact = membersOf(
      'contactName',
      'email',
      'phone',
      'url',
      'buyerProfileUrl',
      'documentsUrl',
      'submissionUrl',
    )
    const names = membersOf('id', 'hitId', 'noticeKey', 'noticeId', 'publicationNumber', 'procedureId', 'lotId')
    const others = membersOf('mergedInto', 'lastModified', 'submissionDate', 'references')
    expect(jane.value({ ...contact, ...names, ...others, title: said })).toEqual({
      ...names,
      ...others,
      title: '[redacted], [redacted]',
    })
  })

  test('finds names of different lengths, and leaves nothing of one within another', () => {
    const names = redactor(key, [...rules({ name: 'Anna Maria Lena Doe' }), ...rules({ name: 'Maria Lena' })])
    expect(names.text('Ask Anna Maria Lena Doe, or Lena Maria.')).toBe('Ask [redacted], or [redacted].')
  })

  test('finds values of the maximum length, and no number that is too short without its country code', () => {
    const local = 'x'.repeat(64)
    expect(of({ email: `${local}@example.org` }).text(`Mail ${local}@example.org`)).toBe('Mail [redacted]')
    expect(of({ phone: '+49 123456' }).text('Tel. 0123456')).toBe('Tel. [redacted]')
    expect(of({ phone: '+49 12345' }).text('Tel. 012345')).toBe('Tel. 012345')
  })

  test('cuts values out of a document, and withholds it where they are escaped, between tags or unreadable', () => {
    const shown = (text: string | Buffer) => {
      const clean = jane.document(Buffer.from(text))
      return clean && Buffer.from(clean).toString()
    }
    expect(shown('<a>jane.doe@example.org</a>')).toBe('<a>[redacted]</a>')
    expect(shown('<a>jane.doe&#64;example.org</a>')).toBe('<a>[redacted]</a>')
    expect(shown('<f>Jane</f><l>M&#252;ller-Doe</l>')).toBeUndefined()
    expect(shown('{"n":"Jane M\\u00fcller-Doe"}')).toBeUndefined()
    expect(jane.document(Buffer.from('Jane Müller-Doe', 'latin1'))?.toString()).toBe('[redacted]')
    expect(shown(Buffer.from('Jane Müller-Doe', 'utf16le'))).toBeUndefined()
    expect(shown('<a>nobody</a>')).toBe('<a>nobody</a>')
  })

  test('holds hashes only, and is the same for the same values in any order and form', () => {
    const once = rules({ email: 'jane@example.org', name: 'Jane Doe' })
    const text = JSON.stringify(once)
    expect(text).not.toMatch(/jane|doe|example/i)
    expect(redactionId(rules({ name: 'JANE  doe', email: ' Jane@example.ORG ' }))).toBe(redactionId(once))
    const otherKey = redactor(Buffer.alloc(32, 8), once)
    expect(otherKey.text('jane@example.org')).toBe('jane@example.org')
  })

  test.each([
    ['email', 'jane'],
    ['phone', '123'],
    ['name', 'Jane'],
  ] as const)('refuses a value that would redact nothing or too much: %s %s', (kind, value) => {
    expect(() => redactionRule(key, kind, value)).toThrow(`--${kind} takes`)
  })

  test('takes linear time for texts made to delay it', { timeout: 20_000 }, () => {
    for (const piece of ['a', 'a@', '1 ', '1', 'é ', '(', '<', '&#', '%40', ' (at) '])
      jane.document(Buffer.from(piece.repeat(30_000)))
  })
})

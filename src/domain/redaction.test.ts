// What a redaction finds in texts as notices write them, what it leaves alone, and what it reveals about the values.
import { describe, expect, test } from 'vitest'
import { type RedactionKind, redactionId, redactionRule, redactor, suspectFinder } from './redaction.ts'

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
    ['Müller-Doe, Jane', '[redacted]'],
    ['Mueller\u2011DOE,\nJANE', '[redacted]'],
    ['Ja\u00adne Mu\u0308l\u200bler\u2010Doe', '[redacted]'],
    ['Jane Müller Doe–Leiterin', '[redacted]–Leiterin'],
    ['jane.doe\uff20example\uff0eorg', '[redacted]'],
    ['jane.doe @ example.org', '[redacted]'],
    ['jane.d\u00adoe@exam\u200bple.org.Bitte', '[redacted].Bitte'],
    ['Tel. \uff10\uff13\uff10\u2011123\u201145\u201367', 'Tel. [redacted]'],
  ])('removes %j', (before, after) => {
    if (before.startsWith('MUELLER')) return expect(of({ name: 'Jane Doe' }).text(before)).toBe(after)
    expect(jane.text(before)).toBe(after)
  })

  test.each([
    'max.jane.doe@example.org',
    'jane.doe@example.com',
    'jane.doe@sub.example.org',
    'jane.doe@example.org.uk',
    'Doe, Jane Müller',
    'Jane Müller-Doe-Smith',
    'Mary-Jane Müller-Doe',
    'Max Müller-Doe; Jane Smith',
    'Max Müller-Doe\nJane Smith',
    'Max Müller-Doe. Jane Smith',
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

  test.each([
    'von der Heide, Anna Maria',
    'Heide, Anna Maria von der',
    'Maria von der Heide, Anna',
    'ANNA-MARIA VON DER HEIDE',
    'von der Heide Anna Maria',
  ])('finds a name that begins at any of its words: %j', (text) => {
    expect(of({ name: 'Anna Maria von der Heide' }).text(text)).toBe('[redacted]')
  })

  test('keeps the apostrophe of a name, however it is written', () => {
    const rule = of({ name: "Jane O'Neil" })
    for (const sign of "'\u2019\u02bc\u00b4 ")
      expect(rule.text(`Jane O${sign}Neil, O${sign}Neil, Jane`)).toBe('[redacted], [redacted]')
  })

  test('knows the host of an address in letters and in ASCII', () => {
    for (const [given, written] of [
      ['jane@müller.example', 'jane@xn--mller-kva.example'],
      ['jane@xn--mller-kva.example', 'jane@MÜLLER.example'],
    ] as const)
      expect(of({ email: given }).text(written)).toBe('[redacted]')
  })

  test('suspects where the words of a name are close to each other, in any order and in any member', () => {
    const suspects = suspectFinder(['Jane Roe-Tester', 'Anna Maria von der Heide'])
    const found = (text: string) => suspects({ lots: [{ title: text }] })
    for (const text of ['Jane M. Roe-Tester', 'Tester (Jane) roe', 'Jane, also known as Roe Tester', 'Jane Roe-Tester'])
      expect(found(`Ask ${text} now`)).toEqual([{ path: 'lots.title', text }])
    expect(found('Anna Maria Heide (von und zu der)')).toMatchObject([{ text: 'Anna Maria Heide (von und zu der' }])
    for (const text of ['Jane Roe', 'Tester for Jane', 'Jane is one of the few whom Roe calls a Tester'])
      expect(found(text)).toEqual([])
    expect(suspects({ id: 'Jane Roe-Tester' })).toEqual([])
    // twice the same word makes no whole name
    expect(found('Jane Jane Roe Roe')).toEqual([])
  })

  test('finds values of the maximum length, and no number that is too short without its country code', () => {
    const local = 'x'.repeat(64)
    expect(of({ email: `${local}@example.org` }).text(`Mail ${local}@example.org`)).toBe('Mail [redacted]')
    expect(of({ phone: '+49 123456' }).text('Tel. 0123456')).toBe('Tel. [redacted]')
    expect(of({ phone: '+49 12345' }).text('Tel. 012345')).toBe('Tel. 012345')
  })

  const label = 'd'.repeat(63)
  const tenWords = 'Anna Berta Clara Dora Emma Frida Gerda Hanna Ida Jung'
  const seventeen = '12345678901234567'

  test.each([
    ['a first part of 64 letters', { email: `${'x'.repeat(64)}@a.org` }, `y${'x'.repeat(64)}@a.org`, 'y[redacted]'],
    ['the shortest address', { email: 'a@b.co' }, 'a@b.co', '[redacted]'],
    ['labels of 63 letters', { email: `a@${label}.${label}` }, `a@${label}.${label}`, '[redacted]'],
    ['a label of 64 letters', { email: `a@${label}d.org` }, `a@${label}d.org`, undefined],
    ['nine labels', { email: 'a@b.c.d.e.f.g.h.i.org' }, 'a@b.c.d.e.f.g.h.i.org', '[redacted]'],
    ['ten labels', { email: 'a@b.c.d.e.f.g.h.i.j.org' }, 'a@b.c.d.e.f.g.h.i.j.org', undefined],
    ['17 digits after a zero', { phone: seventeen }, `Tel. 0${seventeen}`, 'Tel. [redacted]'],
    ['nine groups', { phone: '+49 30 1234567' }, 'Tel. 49 30 1 2 3 4 5 6 7', 'Tel. [redacted]'],
    ['ten groups', { phone: '+49 30 1234567' }, 'Tel. 49 3 0 1 2 3 4 5 6 7', 'Tel. 49 [redacted]'],
    ['four signs in a number', { phone: '030 1234567' }, '030 -- 1234567', '[redacted]'],
    ['five signs in a number', { phone: '030 1234567' }, '030 --- 1234567', undefined],
    ['ten words', { name: tenWords }, tenWords, '[redacted]'],
    ['20 spaces in a name', { name: 'Jane Doe' }, `Jane${' '.repeat(20)}Doe`, '[redacted]'],
    ['21 spaces in a name', { name: 'Jane Doe' }, `Jane${' '.repeat(21)}Doe`, undefined],
    ['three signs in a name', { name: 'Jane Doe' }, 'Jane_._Doe', '[redacted]'],
    ['four signs in a name', { name: 'Jane Doe' }, 'Jane_.._Doe', undefined],
  ] as const)('has a limit: %s', (_, values, before, after) => {
    expect(of(values).text(before)).toBe(after ?? before)
  })

  test('has a limit of digits, of words between suspects, and of letters in a tag', () => {
    expect(() => redactionRule(key, 'phone', `${seventeen}8`)).toThrow('--phone takes')
    const suspects = suspectFinder(['Jane Doe'])
    expect(suspects({ title: 'Jane one two three Doe' })).toHaveLength(1)
    expect(suspects({ title: 'Jane one two three four Doe' })).toEqual([])
    const withTag = (letters: number) => Buffer.from(`Jane<${'x'.repeat(letters)}>Müller-Doe`)
    expect(jane.document(withTag(2_000))).toBeUndefined()
    expect(jane.document(withTag(2_001))).toEqual(withTag(2_001))
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
    ['name', 'Roe-Tester'],
    ['name', 'a b c d e f g h i j k'],
  ] as const)('refuses a value that would redact nothing or too much: %s %s', (kind, value) => {
    expect(() => redactionRule(key, kind, value)).toThrow(`--${kind} takes`)
  })

  test('takes steps in proportion to the length of texts made to delay it', () => {
    for (const piece of ['a', 'a@', '1 ', '1', 'é ', '(', '<', '&#', '%40', ' (at) ']) {
      const [few, many] = [300, 3000].map((count) =>
        stepsOf(() => jane.document(Buffer.from(piece.repeat(count)))),
      ) as [number, number]
      expect(many, `${few} steps for 300 times ${JSON.stringify(piece)}, ${many} for 3000`).toBeLessThan(few * 12)
    }
  })
})

/** How many characters regular expressions pass, and how often they are asked. */
function stepsOf(work: () => void): number {
  const { exec } = RegExp.prototype
  let steps = 0
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0
    const found = exec.call(this, text)
    steps += 1 + (found ? found.index + found[0].length : this.sticky ? from : text.length) - from
    return found
  }
  try {
    work()
  } finally {
    RegExp.prototype.exec = exec
  }
  return steps
}

// The letter with many hits, with hostile names: short enough for Gmail, and readable as plain text.
import { expect, test } from 'vitest'
import { found, hitLetter } from './hit-letters.ts'

/** Gmail cuts what follows. */
const gmailBytes = 102 * 1024
const names = {
  plain: 'Roth & Söhne Dachbau',
  quoted: `<b>"Roth's" &amp; Söhne</b>`,
  long: 'Donaudampfschifffahrt'.repeat(15).slice(0, 300),
  rightToLeft: 'شركة البناء للطرق والجسور 123',
} as const
const said = {
  en: {
    title: /^Deadline: /,
    more: /^And (\d+) more, not listed here\.$/m,
    all: `See all ${found} on one page: https://`,
  },
  de: {
    title: /^Frist: /,
    more: /^Und (\d+) weitere, die hier nicht stehen\.$/m,
    all: `Alle ${found} auf einer Seite ansehen: https://`,
  },
} as const

test.each((['en', 'de'] as const).flatMap((language) => Object.keys(names).map((kind) => [language, kind] as const)))(
  'the letter with 47 hits is whole in Gmail, and reads well as plain text (%s, %s)',
  (language, kind) => {
    const name = names[kind as keyof typeof names]
    const { subject, html, text } = hitLetter(name, language)
    expect(Buffer.byteLength(html)).toBeLessThan(gmailBytes)
    // long names leave room for fewer
    const items = text.split('\n\n').filter((part) => /^https:.*\/tenders\//m.test(part))
    expect(items.length).toBeGreaterThanOrEqual(kind === 'long' ? 10 : 20)
    // what is not listed is counted; one of the listed has no page any more
    const rest = Number(said[language].more.exec(text)![1])
    expect([found - rest, found - rest - 1]).toContain(items.length)
    expect(text).toContain(said[language].all)
    // the subject says how many searches there are beyond the names, however long these are
    expect(subject).toMatch(language === 'de' ? /^47 neue .*, 24 weitere$/ : /^47 new .*, 24 more$/)
    for (const item of items) expect(item.split('\n').length, item).toBeLessThanOrEqual(9)

    // the name as it is: neither as HTML, nor turned around, nor in lines that it broke
    expect(text).toContain(name.slice(0, 60))
    if (kind !== 'quoted') expect(text).not.toMatch(/&(?:\w+|#\w+);|<\/?\w/)
    expect(text).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]|undefined|null|NaN|\[object/)
    // no line ends in spaces, except the one before the foot, and no two empty lines follow each other
    expect(text.replace('\n-- \n', '\n').match(/[ \t]$/m)).toBeNull()
    expect(text).not.toMatch(/\n{3}/)
  },
)

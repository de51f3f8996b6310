// A missing text does not compile; one that is no longer used is found here.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { customerTexts } from './customers/customer-texts.ts'
import { deskTexts } from './desk/desk-texts.ts'
import { sharedTexts } from './frame/shared-texts.ts'

const source = join(import.meta.dirname, '..')
/** The code that shows texts. */
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('-texts.ts'))
  .map((path) => readFileSync(join(source, path), 'utf8'))
  .filter((text) => text.includes('Texts'))
const names = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('-texts.ts'),
)
/** Texts found by the name of a member of the record, by the type of a mail, or by a code. */
const byName = ['fieldTexts', 'tokenMailTexts', 'clockTexts', 'holdTexts', 'refusalTexts']

test.each(names)('%s: each text is shown somewhere', async (name) => {
  const groups = Object.entries(
    (await import(join(import.meta.dirname, name))) as { [group: string]: { en?: object; de?: object } },
  )
  for (const [group, { en, de }] of groups) {
    if (!en || !de) continue
    expect(Object.keys(de)).toEqual(Object.keys(en))
    if (en === sharedTexts.en) continue
    const users = files.filter((text) => text.includes(group))
    const words = wordsIn(users)
    const unused = Object.keys(en).filter((key) => !words.has(key) && !(key in sharedTexts.en))
    expect(byName.includes(group) && users.length > 0 ? [] : unused, group).toEqual([])
  }
})

const wordsIn = (texts: readonly string[]) =>
  new Set(texts.flatMap((text) => [...text.matchAll(/(?<=[.'`]|[{,]\s*)\w+/g)].map(([word]) => word)))

test('each shared text is shown somewhere, and no group has its own in the place of one', async () => {
  const words = wordsIn(files)
  const keys = Object.values(sharedTexts.en).flatMap((part) => Object.keys(part))
  expect(keys.filter((key) => !words.has(key))).toEqual([])
  for (const name of names) {
    const groups = (await import(join(import.meta.dirname, name))) as { [group: string]: { en?: object } }
    for (const { en } of Object.values(groups)) if (en && 'shared' in en) expect(en, name).toMatchObject(sharedTexts.en)
  }
})

test('one thing is not counted among others, and one webhook is one', () => {
  expect(deskTexts.en.lead(1, 1, '10:00')).toBe(
    'One thing needs attention; it holds something up. Checked at 10:00 UTC.',
  )
  expect(deskTexts.de.lead(1, 1, '10:00')).toBe(
    'Ein Punkt braucht Aufmerksamkeit; er hält etwas auf. Geprüft um 10:00 UTC.',
  )
  expect(deskTexts.de.lead(3, 1, '10:00')).toBe(
    '3 Punkte brauchen Aufmerksamkeit, 1 davon hält etwas auf. Geprüft um 10:00 UTC.',
  )
  expect(customerTexts.de.counts('2', '1')).toBe('2 Suchen, 1 Webhook')
  expect(customerTexts.en.counts('1', '0')).toBe('1 search, 0 webhooks')
})

/** Texts that say the same in German although they differ in English, because the words do. */
const alike: ReadonlySet<string> = new Set([
  'Ab Punktzahl',
  'Abgeschaltet',
  'Auftraggeber',
  'Behalten',
  'Ergebnis',
  'Erneut senden',
  'Fehler',
  'Grund',
  'Parameter',
  'Passkey hinzufügen',
  'Punkte',
  'Suchen',
  'Token',
  'Treffer',
  'Verfahren',
  'Vorbei',
  'Wert',
  'nicht bekannt',
  'Änderungen',
])

test.each(names)('%s: what differs in English differs in German', async (name) => {
  const groups = (await import(join(import.meta.dirname, name))) as {
    [group: string]: { en?: object; de?: object }
  }
  const mixedUp: string[] = []
  for (const { en, de } of Object.values(groups)) {
    if (!en || !de) continue
    const german = new Map(leavesOf(de))
    const first = new Map<string, string>()
    for (const [key, text] of leavesOf(en)) {
      const said = german.get(key)!
      const before = first.get(said)
      if (before !== undefined && before.toLowerCase() !== text.toLowerCase() && !alike.has(said))
        mixedUp.push(`${said}: ${before} / ${text}`)
      first.set(said, text)
    }
  }
  expect(mixedUp).toEqual([])
})

/** The texts that are no functions, by the path of their keys. */
const leavesOf = (texts: object, at = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string'
      ? [[`${at}.${key}`, value] as [string, string]]
      : typeof value === 'object' && value !== null
        ? leavesOf(value, `${at}.${key}`)
        : [],
  )

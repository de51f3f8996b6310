// A missing text does not compile; one that nobody shows any more is found here.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../..')
/** The code that shows texts. */
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('console/text/'))
  .map((path) => readFileSync(join(source, path), 'utf8'))
  .filter((text) => text.includes('Texts'))
const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('-texts.ts'))
/** Found by the name of a member of the record, and by the kind of a mail. */
const byName = ['fieldTexts', 'tokenMailTexts']

test.each(names)('%s: each text is shown somewhere', async (name) => {
  const groups = Object.entries(
    (await import(join(import.meta.dirname, name))) as { [group: string]: { en?: object; de?: object } },
  )
  for (const [group, { en, de }] of groups) {
    if (!en || !de) continue
    expect(Object.keys(de)).toEqual(Object.keys(en))
    const users = files.filter((text) => text.includes(group))
    const words = new Set(users.flatMap((text) => [...text.matchAll(/(?<=[.'`]|[{,]\s*)\w+/g)].map(([word]) => word)))
    const unused = Object.keys(en).filter((key) => !words.has(key))
    expect(byName.includes(group) && users.length > 0 ? [] : unused, group).toEqual([])
  }
})

// The page about the sources says what their cards say.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourcesPage, withSourceTable } from '../../src/bin/source-table.ts'
import { loadSources } from '../../src/sources/registry.ts'

const page = readFileSync(sourcesPage, 'utf8')

test('docs/sources/README.md is what `npm run generate` makes of the cards', async () => {
  expect(withSourceTable(page, await loadSources()) === page, 'run: npm run generate').toBe(true)
})

test('every source has a row of six cells, with a link to its portal', async () => {
  const rows = page.split('\n').filter((line) => /^\| .* \| `/.test(line))
  const sources = [...(await loadSources()).values()]
  expect(rows).toHaveLength(sources.length)
  for (const { id, homepage } of sources) {
    const row = rows.find((each) => each.includes(`| \`${id}\` |`))
    expect(row?.split(/(?<!\\) \| /), id).toHaveLength(6)
    expect(row).toContain(`](${homepage})`)
  }
})

// The pages about the sources and their licenses say what their cards say.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { licensesPage, sourcesPage, withLicenseTable, withSourceTable } from '../../src/bin/source-table.ts'
import { loadSources } from '../../src/sources/registry.ts'

const page = readFileSync(sourcesPage, 'utf8')

test('docs/sources/README.md is what `npm run generate` makes of the cards', async () => {
  expect(withSourceTable(page, await loadSources()) === page, 'run: npm run generate').toBe(true)
})

test('docs/licenses.md is what `npm run generate` makes of the cards, with every source once', async () => {
  const licenses = readFileSync(licensesPage, 'utf8')
  const sources = await loadSources()
  expect(withLicenseTable(licenses, sources) === licenses, 'run: npm run generate').toBe(true)
  const [table, toAsk] = licenses.split('These portals state no license: ask the publisher.')
  for (const { id, license } of sources.values()) {
    const rows = table!.split('\n').filter((line) => line.includes(`\`${id}\` (`))
    const cells = rows.map((row) => row.split(/(?<!\\) \| /))
    expect(rows.length + toAsk!.split(`\`${id}\``).length - 1, id).toBe(1)
    if (cells[0]) expect(cells[0], id).toHaveLength(3)
    if (license.attribution !== undefined) expect(cells[0]?.[1], id).toContain(license.attribution)
    if (license.name === 'not stated' && cells[0]) expect(cells[0][1], id).toBe('ask')
  }
})

test('every source has an item, with a link to its portal and its key', async () => {
  const items = page.split('\n').filter((line) => /^- .* `.*\]\(/.test(line))
  const sources = [...(await loadSources()).values()]
  expect(items).toHaveLength(sources.length)
  for (const { id, homepage, access } of sources) {
    const item = items.find((each) => each.includes(` \`${id}\` [`))
    expect(item ?? '', id).toContain(`](${homepage})`)
    if (access.kind === 'key') expect(item ?? '', id).toContain(`key \`TENDERSTOCK_${access.setting}\``)
  }
})

// The page of all settings says what the tables of settings and commands say.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settingsPage, settingsText } from '../../src/bin/settings-page.ts'
import { commands } from '../../src/cli/command-table.ts'
import { settingNames } from '../../src/platform/settings.ts'
import { loadSources } from '../../src/sources/registry.ts'

const page = readFileSync(settingsPage, 'utf8')

test('docs/settings.md is what `npm run generate` makes of the tables', async () => {
  expect(page === settingsText(await loadSources()), 'run: npm run generate').toBe(true)
})

test('every setting has a row and a command that reads it', async () => {
  const rows = page.split('\n').filter((line) => /^\| `[A-Z_]+`/.test(line))
  for (const name of settingNames) {
    const cells = rows.find((row) => row.startsWith(`| \`${name}\` `))?.split(' | ')
    expect(cells, name).toHaveLength(4)
    expect(cells![3], name).toMatch(/`[a-z]/)
  }
  for (const { access } of (await loadSources()).values())
    if (access.kind === 'key') expect(page).toContain(`| \`TENDERSTOCK_${access.setting}\` |`)
  const listed: readonly string[] = settingNames
  for (const spec of Object.values(commands))
    if ('environment' in spec) for (const name of spec.environment) expect(listed).toContain(name)
})

// The page of all commands says what the table of commands says.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commandsPage, commandsText } from '../../src/bin/commands-page.ts'
import { commandNames, commands, sharedOptions } from '../../src/cli/command-table.ts'

const page = readFileSync(commandsPage, 'utf8')

test('docs/commands.md is what `npm run generate` makes of the table', () => {
  expect(page === commandsText(), 'run: npm run generate').toBe(true)
})

test('every command that is shown has a section, and names every option of it', () => {
  for (const name of commandNames) {
    const heading = [name, commands[name].operands?.name].filter(Boolean).join(' ')
    const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0]
    expect(section !== undefined, name).toBe(!commands[name].hidden)
    for (const [option, { hidden }] of Object.entries(commands[name].options))
      if (section !== undefined && !hidden)
        expect(section.includes(`\`--${option}`), `${name} ${option}`).toBe(!sharedOptions.has(option))
  }
})

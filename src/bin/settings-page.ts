// Writes docs/settings.md from the tables of settings and commands and the cards of the sources. Run by `npm run
// generate`.
import { writeFileSync } from 'node:fs'
import { type CommandName, commandNames, commands } from '../cli/command-table.ts'
import {
  fileVariable,
  keyVariable,
  type SettingName,
  type SettingSpec,
  settingNames,
  settings,
} from '../platform/settings.ts'
import { loadSources, type Sources } from '../sources/registry.ts'

export const settingsPage = new URL('../../docs/settings.md', import.meta.url)

const shownCommands = commandNames.filter((name) => !commands[name].hidden)

/** Returns the page of all settings. */
export function settingsText(sources: Sources): string {
  const keys = [...sources.values()].flatMap(({ id, access }) => (access.kind === 'key' ? [{ id, ...access }] : []))
  return `# Settings

Every setting of the environment, made by \`npm run generate\` from the table in the code; the options of commands are in
[commands.md](commands.md).

\`tenderstock config\` shows the settings in effect, where each comes from, and variables that are no setting. It asks the
service that runs on the data folder (\`--data\`); where none runs, it shows what a command that is started there would
use. It never shows secrets. A value that cannot be used ends every command with exit code 2 and a sentence.

## Secrets from files

A secret can be read from a file, as containers mount it: set \`NAME_FILE\` to its path
(\`${fileVariable('DATABASE_URL')}=/run/secrets/database-url\`), and not \`NAME\`. The file holds the value and nothing
else; a line end after it is dropped. It is read once: restart the service after a change. A file that is missing, empty
or not readable ends the command with exit code 2.

## All settings

| Setting | Means | Default | Read by |
|---|---|---|---|
${settingNames.map(settingRow).join('\n')}

## Keys of sources

A source that needs a key is off without it. \`start --live\`, \`source run\` and \`source check\` read them; each is a secret.

| Setting | Source | Where to get it |
|---|---|---|
${keys.map(({ id, setting, getItAt }) => `| \`${keyVariable(setting)}\` | \`${id}\` | ${getItAt} |`).join('\n')}

## What Node.js and the C library read

| Variable | Means |
|---|---|
| \`MALLOC_ARENA_MAX\` | \`2\` saves about 140 MB of memory ([operations](operations.md)); \`npm start\`, the container and the units set it |
| \`NO_COLOR\`, \`FORCE_COLOR\` | whether the output for people has colors |
| \`NODE_EXTRA_CA_CERTS\` | a file with certificates of your own authority, for a database, a mail server or an issuer that uses one |
`
}

function settingRow(name: SettingName): string {
  const spec: SettingSpec = settings[name]
  const means = [`${spec.meaning}`, ...(spec.details === undefined ? [] : [spec.details])]
  return `| ${[`\`${name}\`${spec.isSecret ? ' (secret)' : ''}`, means.join('. ').replace(/\.$/, ''), spec.default ?? '–', readBy(name)].join(' | ')} |`
}

/** Lists the commands that read a setting: a group as one if all of it does, the others if nearly all do. */
function readBy(name: SettingName): string {
  const isReader = (command: CommandName): boolean => commands[command].environment.includes(name)
  const readers = shownCommands.filter(isReader)
  const others = shownCommands.filter((command) => !isReader(command))
  return others.length < readers.length
    ? `all but ${listed(others, (each) => !isReader(each))}`
    : listed(readers, isReader)
}

function listed(names: readonly CommandName[], fits: (name: CommandName) => boolean): string {
  const groupOf = (name: string) => name.split(' ')[0]!
  const shown = names.map((name) => {
    const group = shownCommands.filter((each) => groupOf(each) === groupOf(name))
    return group.length > 1 && group.every(fits) ? `\`${groupOf(name)} …\`` : `\`${name}\``
  })
  return [...new Set(shown)].join(', ')
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(settingsPage, settingsText(await loadSources()))
  console.log('docs/settings.md written')
}

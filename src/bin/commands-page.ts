// Writes docs/commands.md from the table of commands. Run by `npm run generate`.
import { writeFileSync } from 'node:fs'
import {
  type CommandName,
  type CommandSpec,
  commandNames,
  commands,
  type OptionSpec,
  sharedOptions,
} from '../cli/command-table.ts'
import { wrap } from '../cli/help-text.ts'

export const commandsPage = new URL('../../docs/commands.md', import.meta.url)

/** Returns the page of all commands. */
export function commandsText(): string {
  const shown = commandNames.filter((name) => !commands[name].hidden)
  return `# All commands

Every command of \`tenderstock\` with its options. This page is made by \`npm run generate\` from the table in the code;
\`tenderstock COMMAND --help\` shows the same in the terminal, with the settings that the command reads ([all
settings](settings.md)). [The command line](command-line.md) says what programs can rely on.

Nearly all commands have these options:

${optionTable(Object.entries(commands.status.options).filter(([option]) => sharedOptions.has(option)))}
A command that cannot be undone also has \`--yes\`: it asks first, and needs \`--yes\` without a terminal.

${shown.map(section).join('\n')}`
}

function section(name: CommandName): string {
  const spec: CommandSpec = commands[name]
  const own = Object.entries(spec.options).filter(([option, { hidden }]) => !sharedOptions.has(option) && !hidden)
  const operand = spec.operands?.name ? ` ${spec.operands.name}` : ''
  const paragraphs = [
    `## ${name}`,
    paragraph(spec.summary),
    ...(spec.details ? [paragraph(spec.details.join(' '))] : []),
    ...(operand === '' ? [] : [`Usage: \`tenderstock ${name}${operand} [options]\``]),
    ...(own.length > 0 ? [optionTable(own).trimEnd()] : []),
    spec.examples.map(([example, why]) => `- \`${example}\`: ${escaped(why)}`).join('\n'),
  ]
  return `${paragraphs.join('\n\n')}\n`
}

function optionTable(options: readonly (readonly [name: string, OptionSpec])[]): string {
  const rows = options.map(([name, option]) => {
    const value = option.value === undefined ? '' : ` ${option.value}`
    const otherwise = option.default === undefined ? '' : ` Default: \`${option.default}\`.`
    return `| \`--${name}${value}\` | ${escaped(option.help)}${otherwise} |`
  })
  return `| Option | Means |\n|---|---|\n${rows.join('\n')}\n`
}

/** Signs of Markdown as text, outside of code. */
const escaped = (text: string): string =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replace(/[|<>*]/g, '\\$&') : part))
    .join('`')

const paragraph = (text: string): string => wrap(escaped(text), 120).join('\n')

if (process.argv[1] === import.meta.filename) {
  writeFileSync(commandsPage, commandsText())
  console.log('docs/commands.md written')
}

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

type Named = readonly [name: string, option: OptionSpec]

const shown = commandNames.filter((name) => !commands[name].hidden)

/** Returns the page of all commands. */
export function commandsText(): string {
  return `# All commands

Every command of \`tenderstock\` with its options, made by \`npm run generate\` from the table in the code.
\`tenderstock COMMAND --help\` says more, with examples and the [settings](settings.md) that the command reads.
[The command line](command-line.md) says what programs can rely on.

Nearly all commands have these options:

${optionList(Object.entries(commands.status.options).filter(([option]) => sharedOptions.has(option)))}

A command that asks before it does what cannot be undone also has \`--yes\`, and needs it without a terminal.

These options mean the same in every command that names them after *Also*:

${optionList([...common].map(([name, { option }]) => [name, option]))}

${shown.map(section).join('\n')}`
}

/** What an option means that several commands have: the most frequent meaning of its name, and how often it occurs. */
const common: ReadonlyMap<string, { readonly option: OptionSpec; readonly times: number }> = new Map(
  Object.entries(Object.groupBy(shown.flatMap(ownOptions), ([name]) => name)).flatMap(([name, all = []]) => {
    const times = (option: OptionSpec): number =>
      all.filter(([, other]) => line(name, other) === line(name, option)).length
    const [most] = all.map(([, option]) => ({ option, times: times(option) })).sort((a, b) => b.times - a.times)
    return most!.times > 1 ? [[name, most!] as const] : []
  }),
)

function ownOptions(name: CommandName): Named[] {
  return Object.entries<OptionSpec>(commands[name].options).filter(
    ([option, { hidden }]) => !sharedOptions.has(option) && !hidden,
  )
}

function section(name: CommandName): string {
  const spec: CommandSpec = commands[name]
  const isCommon = ([option, own]: Named): boolean => {
    const most = common.get(option)
    return most !== undefined && line(option, most.option) === line(option, own)
  }
  const own = ownOptions(name)
  const also = own.filter(isCommon).map(([option]) => `\`--${option}\``)
  const rest = own.filter((each) => !isCommon(each))
  const operand = spec.operands?.name ? ` ${spec.operands.name}` : ''
  const paragraphs = [
    `## ${name}${operand}`,
    paragraph(spec.summary),
    ...(rest.length > 0 ? [optionList(rest)] : []),
    ...(also.length > 0 ? [wrap(`Also ${also.join(', ')}.`, 120).join('\n')] : []),
  ]
  return `${paragraphs.join('\n\n')}\n`
}

const optionList = (options: readonly Named[]): string => options.map(([name, option]) => line(name, option)).join('\n')

function line(name: string, option: OptionSpec): string {
  const value = option.value === undefined ? '' : ` ${option.value}`
  const otherwise = option.default === undefined ? '' : ` Default: \`${option.default}\`.`
  return item(`\`--${name}${value}\``, `${escaped(option.help)}${otherwise}`)
}

/** An item of a list. */
function item(code: string, text: string): string {
  return wrap(`- ${code}: ${text}`, 118).join('\n  ')
}

/** Signs of Markdown as text, outside of code. */
function escaped(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replace(/[|<>*]/g, '\\$&') : part))
    .join('`')
}

const paragraph = (text: string): string => wrap(escaped(text), 120).join('\n')

if (process.argv[1] === import.meta.filename) {
  writeFileSync(commandsPage, commandsText())
  console.log('docs/commands.md written')
}

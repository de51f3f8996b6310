// The help of the program and of each command, generated from the command table. Pure; fits 80 columns.
import { styleText } from 'node:util'
import { settingHelp } from '../platform/settings.ts'
import { type CommandName, commandNames, commands, type OptionSpec, sharedOptions } from './command-table.ts'

/** A text for people is wrapped between words, to fit a usual terminal. */
export const terminalColumns = 80

/** Marks headings; `plain` leaves the text unchanged. */
export type Style = { readonly heading: (text: string) => string; readonly dim: (text: string) => string }
export const plainStyle: Style = { heading: (text) => text, dim: (text) => text }
export const colorStyle: Style = {
  heading: (text) => styleText('bold', text, { validateStream: false }),
  dim: (text) => styleText('dim', text, { validateStream: false }),
}

/** Help for a topic: nothing for the program, a group (`token`) or a command. Undefined when there is no such topic. */
export function helpText(topic: readonly string[], style: Style): string | undefined {
  const name = topic.join(' ')
  const command = commandNames.find((each) => each === name)
  if (command) return commandHelp(command, style)
  const group = commandNames.filter((each) => each.startsWith(`${name} `))
  if (name === '') return programHelp(style)
  return group.length > 0 ? groupHelp(name, group, style) : undefined
}

function programHelp(style: Style): string {
  return lines(
    'Tenderstock: public-procurement notices in, one record per tender out, over a',
    'read-only API made for delta sync.',
    '',
    style.heading('Usage'),
    '  tenderstock COMMAND [options]',
    '',
    style.heading('Commands'),
    ...commandNames.filter((name) => !commands[name].hidden).flatMap((name) => entry(name, commands[name].summary, 21)),
    '',
    style.heading('First steps'),
    `  tenderstock start            ${style.dim('the service with sample portals')}`,
    `  tenderstock COMMAND --help   ${style.dim('options and examples of a command')}`,
  )
}

function groupHelp(name: string, group: readonly CommandName[], style: Style): string {
  return lines(
    style.heading('Usage'),
    `  tenderstock ${name} COMMAND [options]`,
    '',
    style.heading('Commands'),
    ...group.flatMap((each) => entry(each, commands[each].summary, 21)),
  )
}

function commandHelp(name: CommandName, style: Style): string {
  const spec = commands[name]
  const options = Object.entries(spec.options)
    .filter(([, option]) => !option.hidden)
    .sort(([a], [b]) => Number(sharedOptions.has(a)) - Number(sharedOptions.has(b)))
  const group = commandNames.filter((each) => each.startsWith(`${name} `))
  const operand = spec.operands?.name ? ` ${spec.operands.name}` : ''
  return lines(
    spec.summary,
    ...(spec.details ? ['', ...wrap(spec.details.join(' '), terminalColumns)] : []),
    '',
    style.heading('Usage'),
    `  tenderstock ${name}${operand} [options]`,
    '',
    ...(group.length > 0
      ? [style.heading('Commands'), ...group.flatMap((each) => entry(each, commands[each].summary, 21)), '']
      : []),
    style.heading('Options'),
    ...options.flatMap(([option, each]) =>
      entry(`--${option}${each.value ? ` ${each.value}` : ''}`, optionHelp(each), 30),
    ),
    ...(spec.environment.length > 0
      ? [
          '',
          style.heading('Environment'),
          ...spec.environment.flatMap((setting) => entry(setting, settingHelp(setting), 22)),
        ]
      : []),
    '',
    style.heading('Examples'),
    ...spec.examples.flatMap(([example, explanation]) => [`  ${example}`, `      ${style.dim(explanation)}`]),
  )
}

const optionHelp = (option: OptionSpec) =>
  option.default === undefined ? option.help : `${option.help} Default: ${option.default}.`

function entry(left: string, right: string, column: number): string[] {
  const [first = '', ...rest] = wrap(right, terminalColumns - column - 2)
  const head = `  ${left.padEnd(column - 1)} `
  return left.length < column
    ? [head + first, ...rest.map((each) => ' '.repeat(column + 2) + each)]
    : [`  ${left}`, ...[first, ...rest].map((each) => ' '.repeat(column + 2) + each)]
}

/** Wraps words into lines of at most `columns`. */
export function wrap(text: string, columns: number): string[] {
  const result: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      result.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? result : [...result, line]
}

const lines = (...parts: readonly string[]) => `${parts.join('\n')}\n`

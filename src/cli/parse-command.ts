// Arguments to a command with checked options, or one sentence that says what is wrong with them. Pure.
import { parseArgs } from 'node:util'
import { parseDate } from '../domain/time.ts'
import { OperatorError } from '../platform/errors.ts'
import { wordsMeant } from '../platform/nearest-word.ts'
import { type CommandName, type CommandSpec, commandNames, commands, type OptionSpec } from './command-table.ts'

type OptionValue = string | number | boolean | readonly string[]

export type ParsedCommand =
  | {
      readonly kind: 'command'
      readonly command: CommandName
      readonly options: { readonly [name: string]: OptionValue }
      readonly operands: readonly string[]
    }
  | { readonly kind: 'help'; readonly topic: readonly string[] }
  | { readonly kind: 'version' }

const groupNames = [...new Set(commandNames.flatMap((name) => (name.includes(' ') ? [name.split(' ')[0]!] : [])))]

/** Reads the arguments after the program's name. Throws OperatorError (exit code 2) when they are wrong. */
export function parseCommand(args: readonly string[]): ParsedCommand {
  const [first, second] = args
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'help', topic: [] }
  if (first === 'help') return { kind: 'help', topic: args.slice(1).filter((each) => !each.startsWith('-')) }
  if (first === '--version' || first === '-v') return { kind: 'version' }
  if (first.startsWith('-'))
    throw new OperatorError(
      'unknown-command',
      `A command must come before ${first}; \`tenderstock --help\` lists them.`,
    )
  const group = commandNames.filter((name) => name.startsWith(`${first} `))
  // `redact --email …` is a command, and so is `redact list`
  const isAlone = second === undefined || second.startsWith('-')
  const hasBoth = commandNames.some((name) => name === first)
  if (group.length > 0 && isAlone && !hasBoth) return { kind: 'help', topic: [first] }
  const wanted = group.length > 0 && !(isAlone && hasBoth) ? `${first} ${second}` : first
  const command = commandNames.find((name) => name === wanted)
  if (!command)
    throw new OperatorError(
      'unknown-command',
      `There is no command ${quoted(wanted)}.${suggest(wanted, [...commandNames, ...groupNames])} \`tenderstock --help\` lists the commands.`,
    )
  return parseOptions(command, args.slice(wanted.split(' ').length))
}

function parseOptions(command: CommandName, args: readonly string[]): ParsedCommand {
  const spec = commands[command]
  const { tokens } = parseArgs({
    args: withImplied(spec, args),
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(
        Object.entries(spec.options).map(
          ([name, option]) => [name, { type: option.type === 'flag' ? 'boolean' : 'string' }] as const,
        ),
      ),
      help: { type: 'boolean', short: 'h' },
    },
  })
  const options: Record<string, OptionValue> = {}
  const operands: string[] = []
  let listName: string | undefined
  for (const token of tokens) {
    if (token.kind === 'positional') {
      // `--ingest a b`: words after a list option belong to it
      if (listName !== undefined) options[listName] = [...(options[listName] as readonly string[]), token.value]
      else operands.push(token.value)
    } else if (token.kind === 'option') {
      const option = spec.options[token.name]
      if (!option) throw unknownOption(command, spec, token.rawName)
      options[token.name] = readOption(token.rawName, option, token, options[token.name])
      listName = option.type === 'paths' ? token.name : undefined
    } else listName = undefined
  }
  if (options.help === true) return { kind: 'help', topic: command.split(' ') }
  checkOperands(command, spec, operands)
  for (const [name, option] of Object.entries(spec.options)) {
    if (options[name] !== undefined) continue
    if (option.required)
      throw new OperatorError('option-missing', `\`tenderstock ${command}\` needs --${name} ${option.value}.`)
    if (option.default !== undefined) options[name] = option.default
  }
  return { kind: 'command', command, options, operands }
}

/** `--deliver-open` alone means `--deliver-open=500`. */
function withImplied(spec: CommandSpec, args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const implied = arg.startsWith('--') ? spec.options[arg.slice(2)]?.implied : undefined
    return implied !== undefined && !/^\d/.test(args[index + 1] ?? '') ? `${arg}=${implied}` : arg
  })
}

type OptionToken = { readonly value: string | undefined; readonly inlineValue: boolean | undefined }

function readOption(
  rawName: string,
  option: OptionSpec,
  token: OptionToken,
  before: OptionValue | undefined,
): OptionValue {
  const { value } = token
  if (option.type === 'flag') {
    if (value !== undefined) throw new OperatorError('invalid-option', `${rawName} takes no value.`)
    return true
  }
  if (value === undefined || value.trim() === '' || (!token.inlineValue && value.startsWith('--')))
    throw new OperatorError('invalid-option', `${rawName} needs a value: ${rawName} ${option.value}.`)
  if (option.type === 'paths') return [...(Array.isArray(before) ? before : []), value]
  if (before !== undefined) throw new OperatorError('invalid-option', `${rawName} is given twice; pass it once.`)
  if (option.type === 'text') return value
  if (option.type === 'date') {
    if (!parseDate(value) || value.length !== 10)
      throw new OperatorError('invalid-option', `${rawName} must be a date like 2022-01-31, not ${quoted(value)}.`)
    return value
  }
  if (option.type === 'choice') {
    const choices = option.choices ?? []
    if (!choices.includes(value))
      throw new OperatorError(
        'invalid-option',
        `${rawName} must be one of ${choices.join(', ')}, not ${quoted(value)}.`,
      )
    return value
  }
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = option
  if (!(number >= min && number <= max) || (option.type === 'count' && !Number.isSafeInteger(number))) {
    throw new OperatorError(
      'invalid-option',
      `${rawName} must be a ${option.type === 'count' ? 'whole ' : ''}number from ${min} to ${max}, not ${quoted(value)}.`,
    )
  }
  return number
}

function checkOperands(command: CommandName, spec: CommandSpec, operands: readonly string[]): void {
  const { name, min, max, choices } = spec.operands ?? { name: '', min: 0, max: 0 }
  if (operands.length < min || operands.some((operand) => operand.trim() === ''))
    throw new OperatorError(
      'operand-missing',
      `\`tenderstock ${command}\` needs ${name}; see \`tenderstock ${command} --help\`.`,
    )
  if (operands.length > max)
    throw new OperatorError(
      'invalid-operand',
      `\`tenderstock ${command}\` does not accept ${quoted(operands[max]!)}; see \`tenderstock ${command} --help\`.`,
    )
  const strange = choices && operands.find((operand) => !choices.includes(operand))
  if (strange !== undefined)
    throw new OperatorError('invalid-operand', `${name} must be one of ${choices!.join(', ')}, not ${quoted(strange)}.`)
}

function unknownOption(command: CommandName, spec: CommandSpec, rawName: string): OperatorError {
  const known = Object.keys(spec.options).map((name) => `--${name}`)
  return new OperatorError(
    'unknown-option',
    `\`tenderstock ${command}\` has no option ${rawName}.${suggest(rawName, known)} See \`tenderstock ${command} --help\`.`,
  )
}

const quoted = (text: string) => `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`

/** ` Did you mean …?` for the known words that contain this one, else for the nearest, or nothing. */
function suggest(word: string, known: readonly string[]): string {
  const meant = wordsMeant(word, known)
  return meant.length === 0 ? '' : ` Did you mean ${meant.join(' or ')}?`
}

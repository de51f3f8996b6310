// Arguments to a checked command. Pure.
import type { SyncFilters } from '../sync/sync-filters.ts'
import { type SinkChoice, sinkChoice } from './sink-choice.ts'
import { suggestion, UsageError } from './usage-error.ts'

export const commandNames = ['run', 'watch', 'webhooks', 'mcp', 'status', 'verify', 'reset'] as const
export type CommandName = (typeof commandNames)[number]

export type Options = {
  /** Absent in commands that request nothing from the API. */
  readonly url: string | undefined
  readonly sink: SinkChoice
  readonly filters: SyncFilters
  readonly initial: 'open' | 'history'
  /** A first run comes from files of a whole edition. */
  readonly isBulk: boolean
  readonly stateFolder: string | undefined
  readonly tokenFile: string | undefined
  readonly allowHttp: boolean
  /** Total time that a request may wait for a failing API; undefined: as the procedure prescribes (C153). */
  readonly maxWaitMs: number | undefined
  readonly startsAnewOnNewFilters: boolean
  /** Path of a Prometheus textfile. */
  readonly metrics: string | undefined
  readonly isJson: boolean
  readonly isQuiet: boolean
  readonly isYes: boolean
}

export type WebhookOptions = {
  readonly sink: SinkChoice
  readonly listen: { readonly host: string; readonly port: number; readonly path: string }
  readonly secretFile: string | undefined
  readonly isJson: boolean
  readonly isQuiet: boolean
}

/** Tools over the API, or over a copy. */
export type McpOptions =
  | { readonly url: string; readonly tokenFile: string | undefined }
  | { readonly url: undefined; readonly file: string }

export type CommandLine =
  | { readonly kind: 'command'; readonly name: Exclude<CommandName, 'webhooks' | 'mcp'>; readonly options: Options }
  | { readonly kind: 'command'; readonly name: 'mcp'; readonly options: McpOptions }
  | { readonly kind: 'command'; readonly name: 'webhooks'; readonly options: WebhookOptions }
  | { readonly kind: 'help'; readonly topic: CommandName | undefined }
  | { readonly kind: 'version' }

const asking: readonly CommandName[] = ['run', 'watch', 'mcp', 'status', 'verify', 'reset']
const copying: readonly CommandName[] = ['run', 'watch', 'status', 'verify', 'reset']
type Spec = { readonly value?: string; readonly isList?: true; readonly only?: readonly CommandName[] }
const specs: { readonly [name: string]: Spec } = {
  url: { value: '<address>', only: asking },
  sink: { value: '<kind>[:<target>]' },
  option: { value: '<name>=<value>', isList: true, only: [...copying, 'webhooks'] },
  listen: { value: '<host>:<port>', only: ['webhooks'] },
  path: { value: '<path>', only: ['webhooks'] },
  'secret-file': { value: '<file>', only: ['webhooks'] },
  filter: { value: '<name>=<value>', isList: true, only: copying },
  initial: { value: 'open|history', only: copying },
  bulk: { only: ['run', 'watch'] },
  state: { value: '<folder>', only: copying },
  'token-file': { value: '<file>', only: asking },
  metrics: { value: '<file>', only: ['run', 'watch'] },
  'new-filters': { only: ['run', 'watch'] },
  'allow-http': { only: asking },
  'max-wait': { value: '<minutes>', only: copying },
  json: { only: [...copying, 'webhooks'] },
  quiet: { only: [...copying, 'webhooks'] },
  yes: { only: ['reset'] },
  help: {},
}

/** Reads the arguments after the program's name. Throws a UsageError when they are wrong. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const [first, second] = args
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'help', topic: undefined }
  if (first === '--version' || first === '-v') return { kind: 'version' }
  if (first === 'help') return { kind: 'help', topic: second === undefined ? undefined : commandNamed(second) }
  const name = commandNamed(first)
  const divider = args.indexOf('--')
  const own = args.slice(1, divider < 0 ? undefined : divider)
  const program = divider < 0 ? [] : args.slice(divider + 1)
  const given = readOptions(name, own)
  if (given.has('help')) return { kind: 'help', topic: name }
  if (name === 'mcp') return { kind: 'command', name, options: checkedMcp(given) }
  if (name === 'webhooks') return { kind: 'command', name, options: checkedWebhooks(given, program) }
  return { kind: 'command', name, options: checked(name, given, program) }
}

function commandNamed(word: string): CommandName {
  const name = commandNames.find((each) => each === word)
  if (name) return name
  if (word.startsWith('-'))
    throw new UsageError(`A command must come before ${word.split('=')[0]}: ${commandNames.join(', ')}.`)
  throw new UsageError(
    `There is no command "${word.slice(0, 40)}".${suggestion(word, commandNames)} There are ${commandNames.join(', ')}.`,
  )
}

type Given = ReadonlyMap<string, readonly string[]>

function readOptions(command: CommandName, args: readonly string[]): Given {
  const given = new Map<string, string[]>()
  for (let index = 0; index < args.length; index++) {
    const word = args[index] === '-h' ? '--help' : args[index]!
    if (!word.startsWith('--'))
      throw new UsageError(
        `"${word.slice(0, 40)}" is not an option; options begin with --. See tender-sync ${command} --help.`,
      )
    const equals = word.indexOf('=')
    const name = word.slice(2, equals < 0 ? undefined : equals)
    const inline = equals < 0 ? undefined : word.slice(equals + 1)
    if (name === 'token')
      throw new UsageError(
        'A token on the command line appears in the process list and in the shell history: set TENDER_TOKEN or pass --token-file.',
      )
    if (name === 'secret')
      throw new UsageError(
        'A secret on the command line appears in the process list and in the shell history: set TENDER_WEBHOOK_SECRET or pass --secret-file.',
      )
    const spec = Object.hasOwn(specs, name) ? specs[name]! : undefined
    if (!spec || (spec.only && !spec.only.includes(command)))
      throw new UsageError(
        `tender-sync ${command} has no option --${name}.${suggestion(name, Object.keys(specs))} See tender-sync ${command} --help.`,
      )
    if (spec.value === undefined) {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value.`)
      given.set(name, [])
      continue
    }
    const value = inline ?? args[++index]
    if (value === undefined || value === '' || (inline === undefined && value.startsWith('--')))
      throw new UsageError(`--${name} needs a value: --${name} ${spec.value}.`)
    if (given.has(name) && !spec.isList) throw new UsageError(`--${name} is given twice.`)
    given.set(name, [...(given.get(name) ?? []), value])
  }
  return given
}

function checked(command: CommandName, given: Given, program: readonly string[]): Options {
  const one = (name: string): string | undefined => given.get(name)?.[0]
  const sink = one('sink')
  if (sink === undefined) throw new UsageError(`tender-sync ${command} needs --sink, such as --sink sqlite:tenders.db.`)
  const url = one('url')
  if (url === undefined && command !== 'status' && command !== 'reset')
    throw new UsageError(`tender-sync ${command} needs --url, the address of the API without /v1.`)
  const initial = one('initial') ?? 'open'
  if (initial !== 'open' && initial !== 'history')
    throw new UsageError(`--initial must be open or history, not "${initial.slice(0, 40)}".`)
  const filters = filtersOf(pairs('filter', given.get('filter')))
  if (given.has('bulk') && Object.keys(filters).length > 0)
    throw new UsageError('--bulk loads whole editions: leave --filter away, or load the list.')
  return {
    url: url === undefined ? undefined : checkedUrl(url, given.has('allow-http')),
    sink: sinkChoice(sink, pairs('option', given.get('option')), program),
    filters,
    initial,
    isBulk: given.has('bulk'),
    stateFolder: one('state'),
    tokenFile: one('token-file'),
    allowHttp: given.has('allow-http'),
    maxWaitMs: minutes(one('max-wait')),
    startsAnewOnNewFilters: given.has('new-filters'),
    metrics: one('metrics'),
    isJson: given.has('json'),
    isQuiet: given.has('quiet'),
    isYes: given.has('yes'),
  }
}

function checkedWebhooks(given: Given, program: readonly string[]): WebhookOptions {
  const one = (name: string): string | undefined => given.get(name)?.[0]
  const sink = one('sink')
  if (sink === undefined) throw new UsageError('tender-sync webhooks needs --sink, such as --sink sqlite:tenders.db.')
  const path = one('path') ?? '/'
  if (!/^\/[^?#\s]*$/.test(path))
    throw new UsageError(`--path ${path.slice(0, 40)} is not a path; a path begins with /.`)
  return {
    sink: sinkChoice(sink, pairs('option', given.get('option')), program),
    listen: { ...listenAddress(one('listen') ?? '127.0.0.1:9000'), path },
    secretFile: one('secret-file'),
    isJson: given.has('json'),
    isQuiet: given.has('quiet'),
  }
}

function checkedMcp(given: Given): McpOptions {
  const one = (name: string): string | undefined => given.get(name)?.[0]
  const [url, sink] = [one('url'), one('sink')]
  if ((url === undefined) === (sink === undefined))
    throw new UsageError('tender-sync mcp needs --url, the address of the API without /v1, or --sink sqlite:<file>.')
  if (url !== undefined) return { url: checkedUrl(url, given.has('allow-http')), tokenFile: one('token-file') }
  const { kind, target } = sinkChoice(sink!, [], [])
  if (kind !== 'sqlite') throw new UsageError('tender-sync mcp reads a copy in SQLite: --sink sqlite:<file>.')
  return { url: undefined, file: target }
}

function listenAddress(text: string): { host: string; port: number } {
  const [, host, port] = /^(?:(\[[\da-fA-F:.]+\]|[^:\s]+):)?(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > 65_535)
    throw new UsageError(`--listen must be <host>:<port> or a port, not ${text.slice(0, 40)}.`)
  return { host: (host ?? '127.0.0.1').replace(/^\[|\]$/g, ''), port: Number(port) }
}

function minutes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+(?:\.\d+)?$/.test(text) || Number(text) > 60)
    throw new UsageError(`--max-wait must be a number of minutes from 0 to 60, not ${text.slice(0, 40)}.`)
  return Number(text) * 60_000
}

function checkedUrl(text: string, allowHttp: boolean): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new UsageError(`--url ${text.slice(0, 60)} is not a URL; write it like https://api.example.org.`)
  }
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)
  if (url.username !== '' || url.password !== '')
    throw new UsageError('--url must contain no password: it would be visible in the process list.')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new UsageError(`--url ${text.slice(0, 60)} is not a URL of the API; it must begin with https://.`)
  if (url.protocol === 'http:' && !isLoopback && !allowHttp)
    throw new UsageError(
      `--url ${text.slice(0, 60)} would send the token in plain text: use https, or --allow-http on a protected network.`,
    )
  if (url.search !== '' || url.hash !== '' || /\/v1(?:\/|$)/.test(url.pathname))
    throw new UsageError(
      '--url is the address of the API without /v1 and without parameters; use --filter for filters.',
    )
  return text.replace(/\/+$/, '')
}

function pairs(option: string, list: readonly string[] = []): [string, string][] {
  return list.map((text) => {
    const equals = text.indexOf('=')
    if (equals < 1) throw new UsageError(`--${option} ${text.slice(0, 40)} must be <name>=<value>.`)
    return [text.slice(0, equals), text.slice(equals + 1)]
  })
}

/** The notation of each filter of the API. If one is missing here, the code does not compile. */
const filterKinds: { readonly [name in keyof Required<SyncFilters>]: 'list' | 'number' | 'text' } = {
  cpv: 'list',
  nuts: 'list',
  procedure: 'list',
  value_min: 'number',
  value_max: 'number',
  published_since: 'text',
  deadline_after: 'text',
}
export const filterNames = Object.keys(filterKinds)
const kindOf = (name: string) => filterKinds[name as keyof SyncFilters]
const ownParameters = ['updated_since', 'cursor', 'limit', 'archived']

/** The API checks the values; here only those are checked that would not even reach it. */
function filtersOf(list: readonly (readonly [string, string])[]): SyncFilters {
  const filters: Record<string, string | number | string[]> = {}
  for (const [name, value] of list) {
    if (ownParameters.includes(name)) throw new UsageError(`--filter ${name}: the sync sets ${name} itself.`)
    if (!filterNames.includes(name))
      throw new UsageError(
        `There is no filter ${name.slice(0, 40)}.${suggestion(name, filterNames)} There are ${filterNames.join(', ')}.`,
      )
    if (value.trim() === '') throw new UsageError(`--filter ${name} needs a value.`)
    if (kindOf(name) === 'list') {
      const before = (filters[name] as string[] | undefined) ?? []
      filters[name] = [...before, ...value.split(',').map((each) => each.trim())]
      continue
    }
    if (Object.hasOwn(filters, name)) throw new UsageError(`--filter ${name} is given twice.`)
    if (kindOf(name) === 'text') filters[name] = value
    else if (/^\d{1,15}$/.test(value)) filters[name] = Number(value)
    else throw new UsageError(`--filter ${name} must be a whole number of euros, not ${value.slice(0, 40)}.`)
  }
  return filters as SyncFilters
}

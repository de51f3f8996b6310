// The sink that a command line names: `<kind>[:<target>]` and its own options. Pure; open-sink.ts opens it.
import { suggestion, UsageError } from './usage-error.ts'

export const sinkKinds = [
  'sqlite',
  'ndjson',
  'csv',
  'parquet',
  'postgres',
  'hubspot',
  'salesforce',
  'http',
  'exec',
] as const
export type SinkKind = (typeof sinkKinds)[number]

export type SinkChoice = {
  readonly kind: SinkKind
  /** A path, the address of a database, or a program; empty if the kind needs none. */
  readonly target: string
  /** Only for `exec`: the arguments after `--`. */
  readonly args: readonly string[]
  readonly options: { readonly [name: string]: string }
}

type KindSpec = {
  readonly needs?: string
  /** The copy is a file: lock, report and state are beside it. */
  readonly isFile?: true
  readonly example: string
  /** Names of its options, each with the values it allows, or a word for any. */
  readonly options: { readonly [name: string]: readonly string[] | string }
}

const kindSpecs: { readonly [kind in SinkKind]: KindSpec } = {
  sqlite: { needs: 'a file', isFile: true, example: 'sqlite:tenders.db', options: {} },
  ndjson: { needs: 'a file', isFile: true, example: 'ndjson:tenders.ndjson', options: {} },
  csv: {
    needs: 'a file',
    isFile: true,
    example: 'csv:tenders.csv',
    options: { lots: '<file>', delimiter: [',', ';', 'tab', '|'], formulas: ['escape', 'keep'] },
  },
  parquet: { needs: 'a file', isFile: true, example: 'parquet:tenders.parquet', options: {} },
  postgres: {
    example: 'postgres:postgres://user@host/database',
    options: { schema: '<name>', repoint: '<schema.table.column>,…' },
  },
  hubspot: { example: 'hubspot', options: { log: '<file>' } },
  salesforce: { example: 'salesforce', options: { log: '<file>' } },
  http: { needs: 'a mapping file', example: 'http:mapping.json', options: { log: '<file>' } },
  exec: { example: 'exec -- ./load.sh --fast', options: { output: ['show', 'drop'] } },
}

export const isFileKind = (kind: SinkKind): boolean => kindSpecs[kind].isFile === true

/** Throws a UsageError when the choice makes no sense. */
export function sinkChoice(
  text: string,
  given: readonly (readonly [string, string])[],
  program: readonly string[],
): SinkChoice {
  const colon = text.indexOf(':')
  const word = colon < 0 ? text : text.slice(0, colon)
  const kind = sinkKinds.find((each) => each === word)
  if (!kind)
    throw new UsageError(
      `There is no sink "${word.slice(0, 40)}".${suggestion(word, sinkKinds)} There are ${sinkKinds.join(', ')}.`,
    )
  const { needs, example } = kindSpecs[kind]
  const inline = colon < 0 ? '' : text.slice(colon + 1)
  if (kind !== 'exec' && program.length > 0) throw new UsageError('Only the sink exec takes a program after --.')
  const [target = '', ...args] = kind === 'exec' && inline === '' ? program : [inline, ...program]
  if (target === '' && (needs || kind === 'exec'))
    throw new UsageError(`The sink ${kind} needs ${needs ?? 'a program'}: --sink ${example}.`)
  if (kind === 'postgres' && /^[a-z]+:\/\/[^/@]*:[^/@]+@/i.test(target))
    throw new UsageError(
      'A password in --sink appears in the process list: omit it and set PGPASSWORD (or use ~/.pgpass).',
    )
  return { kind, target, args, options: optionsOf(kind, given) }
}

function optionsOf(kind: SinkKind, given: readonly (readonly [string, string])[]): { [name: string]: string } {
  const known = kindSpecs[kind].options
  const options: { [name: string]: string } = {}
  for (const [name, value] of given) {
    const allowed = Object.hasOwn(known, name) ? known[name]! : undefined
    if (allowed === undefined) {
      const names = Object.keys(known)
      throw new UsageError(
        `The sink ${kind} has no option ${name.slice(0, 40)}.${suggestion(name, names)} ${names.length > 0 ? `It has ${names.join(', ')}.` : 'It has none.'}`,
      )
    }
    if (typeof allowed !== 'string' && !allowed.includes(value))
      throw new UsageError(`--option ${name} must be one of ${allowed.join(' ')}, not ${value.slice(0, 40)}.`)
    options[name] = value
  }
  return options
}

/** For people: without secrets. */
export function sinkTitle({ kind, target, args }: SinkChoice): string {
  if (kind === 'postgres') return `postgres ${target.replace(/^[a-z]+:\/\//i, '').replace(/\?.*$/, '')}`.trim()
  return [kind, target, ...args].filter((word) => word !== '').join(' ')
}

// The command line: what it accepts, how it refuses, and its help.
import { describe, expect, test } from 'vitest'
import { OperatorError } from '../platform/errors.ts'
import { questionOf } from './ask.ts'
import { commandNames, commands } from './command-table.ts'
import { helpText, plainStyle } from './help-text.ts'
import { parseCommand } from './parse-command.ts'

const parse = (line: string) => parseCommand(line.split(' ').filter(Boolean))

const refusal = (line: string): string => refusalOf(line.split(' ').filter(Boolean))

function refusalOf(args: readonly string[]): string {
  try {
    parseCommand(args)
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError)
    expect((error as OperatorError).exitCode).toBe(2)
    expect((error as OperatorError).message).toMatch(/[.?]$/)
    return (error as OperatorError).message
  }
  throw new Error(`accepted: ${args.join(' ')}`)
}

describe('command line', () => {
  test('options have their declared types and defaults', () => {
    expect(parse('start --api-port 9000 --no-samples --json')).toEqual({
      kind: 'command',
      command: 'start',
      operands: [],
      options: {
        data: './data',
        'api-host': '127.0.0.1',
        'api-port': 9000,
        'console-host': '127.0.0.1',
        'max-staleness': 24,
        'metrics-host': '127.0.0.1',
        readers: 1,
        'no-samples': true,
        workers: 4,
        'publish-interval-minutes': 60,
        'log-level': 'warn',
        json: true,
      },
    })
    expect(parse('token create Acme --expires-in-days=90')).toMatchObject({
      command: 'token create',
      operands: ['Acme'],
      options: { 'expires-in-days': 90 },
    })
  })

  test('--ingest accepts several paths, and may be repeated', () => {
    expect(parse('start --ingest a b --no-samples --ingest=c')).toMatchObject({
      options: { ingest: ['a', 'b', 'c'], 'no-samples': true },
    })
  })

  test('--deliver-open has a default number', () => {
    const words = 'search resume Roads --deliver-open'
    for (const args of [
      words,
      `${words} --json`,
      'search resume --deliver-open Roads',
      `${words}=500`,
      `search resume --deliver-open 500 Roads`,
    ])
      expect(parse(args)).toMatchObject({ operands: ['Roads'], options: { 'deliver-open': 500 } })
    expect(parse(`${words} 20`)).toMatchObject({ operands: ['Roads'], options: { 'deliver-open': 20 } })
    expect(refusal(`${words} 501`)).toBe('--deliver-open must be a whole number from 1 to 500, not "501".')
  })

  test('--live names sources and a first day', () => {
    expect(parse('start --live --source ted doe --backfill-since 2022-01-01')).toMatchObject({
      options: { live: true, source: ['ted', 'doe'], 'backfill-since': '2022-01-01', workers: 4 },
    })
    for (const day of ['2022', '2022-02-30', '01.01.2022', 'yesterday', '2022-01-01Z'])
      expect(refusal(`start --live --backfill-since ${day}`)).toMatch(
        /--backfill-since must be a date like 2022-01-31, not/,
      )
  })

  test('mistakes are one sentence with a suggestion and exit code 2', () => {
    expect(refusal('strat')).toMatch(/no command "strat"\. Did you mean start\?/)
    expect(refusal('tokens list')).toMatch(/Did you mean/)
    // a word that is only a part of the right one
    expect(refusal('start --port 9000')).toMatch(/Did you mean --api-port or --console-port or --metrics-port\?/)
    expect(refusal('serve --port 9000')).toMatch(/Did you mean --api-port or --metrics-port\?/)
    expect(refusal('doctor --host ::1')).toMatch(/Did you mean --api-host or/)
    expect(refusal('export --format csv')).toMatch(/no command "export"\. Did you mean .*edition export/)
    expect(refusal('start --api-prot 1')).toMatch(/no option --api-prot\. Did you mean --api-port\?/)
    expect(refusal('start extra')).toMatch(/does not accept "extra"/)
    for (const end of ['--no-samples', '--api-port 1', '--'])
      expect(refusal(`start --ingest a ${end} extra`), end).toMatch(/does not accept "extra"/)
    expect(refusal('completion tcsh')).toBe('SHELL must be one of bash, zsh, fish, not "tcsh".')
    // pasted text is not printed in full
    expect(refusal(`start ${'x'.repeat(61)}`)).toContain(`not accept "${'x'.repeat(59)}…";`)
    expect(refusal('start --no-samples extra')).toMatch(/does not accept "extra"/)
    expect(refusal('start --api-port')).toMatch(/--api-port needs a value/)
    expect(refusal('start --data --json')).toMatch(/--data needs a value/)
    for (const port of ['-1', '65536', '1.5', '0x10', 'eighty', '1e3'])
      expect(refusal(`start --api-port=${port}`)).toMatch(/whole number from 0 to 65535/)
    expect(refusal('start --log-level loud')).toMatch(/one of debug, info/)
    expect(refusal('start --json=yes')).toMatch(/takes no value/)
    expect(refusal('publish --data a --data b')).toMatch(/given twice/)
    expect(refusal('ingest')).toMatch(/needs PATH/)
    for (const blank of ['', '  ']) {
      expect(refusalOf(['organization', 'create', blank])).toMatch(/needs NAME/)
      expect(refusalOf(['token', 'create', 'Acme', '--name', blank])).toMatch(/--name needs a value/)
    }
    expect(refusal('token revoke')).toMatch(/needs TOKEN-ID/)
    expect(refusal('--json')).toMatch(/A command must come/)
  })

  test('every command has help with its options and an example, in 80 columns', () => {
    for (const name of commandNames) {
      const spec = commands[name]
      const text = helpText(name.split(' '), plainStyle)!
      expect(text).toContain(`tenderstock ${name}`)
      expect(spec.examples.length).toBeGreaterThan(0)
      for (const [option, each] of Object.entries(spec.options)) if (!each.hidden) expect(text).toContain(`--${option}`)
      for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(90)
      for (const example of spec.examples)
        expect(parseCommand(argumentsOf(example[0])).kind, example[0]).toBe('command')
    }
  })

  test('commands that ask accept --yes, and no others do', () => {
    for (const name of commandNames) {
      const { asks, options } = commands[name]
      expect(options['yes'] !== undefined, name).toBe(asks !== undefined)
      expect(asks?.question ?? '?', name).toMatch(/\?/)
      for (const option of asks?.with ?? []) expect(options[option]?.type, `${name} --${option}`).toBe('flag')
    }
  })

  test('each question names what it is about, and nothing is asked twice', () => {
    const question = (line: string) => {
      const parsed = parse(line)
      return parsed.kind === 'command' ? questionOf(parsed) : undefined
    }
    expect(question('token revoke abc')).toMatch(/^Revoke the token abc\? /)
    expect(question('token revoke abc --yes')).toBeUndefined()
    expect(question('publish')).toBeUndefined()
    expect(question('publish --override-gate --dry-run')).toBeUndefined()
    expect(question('publish --override-gate --reason why')).toMatch(/no edition is taken back/)
    expect(question('publish --accept-future-edition')).toMatch(/no edition is taken back/)
    expect(question('webhook rotate abc')).toBeUndefined()
    expect(question('webhook rotate abc --accept-new-key')).toMatch(/new secret/)
    expect(question('database export postgres://host/empty')).toBeUndefined()
    expect(question('organization end a\u001b[2J')).toMatch(/"a\?\[2J"/)
  })

  test('a command that reads the address of a bucket names the keys of the bucket', () => {
    for (const name of commandNames) {
      const environment = new Set<string>(commands[name].environment)
      if (environment.has('TENDERSTOCK_EDITIONS') || environment.has('TENDERSTOCK_DOCUMENTS'))
        expect([...environment], name).toEqual(expect.arrayContaining(['AWS_ACCESS_KEY_ID', 'AWS_ENDPOINT_URL']))
    }
  })

  test('a command that needs the secret key names it, and doctor all that a service reads', () => {
    for (const name of ['backup', 'restore', 'drill'] as const)
      expect(commands[name].environment, name).toContain('TENDERSTOCK_SECRET_KEY')
    expect(commands.doctor.environment).toEqual(commands.start.environment)
  })

  test('the main help lists every command except those for rare use', () => {
    const text = helpText([], plainStyle)!
    for (const name of commandNames) expect(text.includes(`  ${name} `), name).toBe(!commands[name].hidden)
    expect(parse('--help')).toEqual({ kind: 'help', topic: [] })
    expect(parse('token --help')).toEqual({ kind: 'help', topic: ['token'] })
    expect(parse('help start')).toEqual({ kind: 'help', topic: ['start'] })
    expect(parse('token create -h')).toEqual({ kind: 'help', topic: ['token', 'create'] })
    expect(helpText(['nothing'], plainStyle)).toBeUndefined()
  })
})

/** Splits an example into words as a shell does, without the program and its environment. */
function argumentsOf(example: string): string[] {
  const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2]!)
  return words.slice(words.indexOf('tenderstock') + 1)
}

import { describe, expect, it } from 'vitest'
import { commandNames, filterNames, readCommandLine } from './command-line.ts'
import { helpText } from './help-text.ts'

const words = (line: string): string[] => line.split(' ')
const base = 'run --url https://api.example.org --sink sqlite:t.db'

describe('the command line', () => {
  it('reads sink, filters and options', () => {
    const line = readCommandLine([
      ...words('run --url https://api.example.org/ --sink csv:works.csv --option delimiter=; --option lots=lots.csv'),
      ...words(
        '--filter cpv=45000000,71000000 --filter cpv=90000000 --filter value_min=100000 --initial=history --json',
      ),
    ])
    expect(line).toMatchObject({
      kind: 'command',
      name: 'run',
      options: {
        url: 'https://api.example.org',
        sink: { kind: 'csv', target: 'works.csv', options: { delimiter: ';', lots: 'lots.csv' } },
        filters: { cpv: ['45000000', '71000000', '90000000'], value_min: 100000 },
        initial: 'history',
        isJson: true,
      },
    })
  })

  it('takes a program with its own options after --', () => {
    expect(readCommandLine(words('run --url http://127.0.0.1:1 --sink exec -- ./load --fast --json'))).toMatchObject({
      options: { sink: { kind: 'exec', target: './load', args: ['--fast', '--json'] }, isJson: false },
    })
    expect(readCommandLine(words('status --sink exec:./load'))).toMatchObject({
      options: { sink: { target: './load', args: [] } },
    })
  })

  const wrong: readonly (readonly [line: string, message: RegExp])[] = [
    ['rnu', /no command "rnu"\. Did you mean run\?/],
    ['--sink sqlite:x', /A command must come before --sink/],
    ['run --sink sqlite:t.db', /needs --url/],
    ['run --url https://api.example.org', /needs --sink/],
    [`${base} --sink ndjson:x`, /given twice/],
    [`${base} --token geheim`, /process list.*TENDER_TOKEN/],
    [`${base} --token=geheim`, /process list/],
    [`${base} --urll x`, /no option --urll\. Did you mean url\?/],
    [`${base} --yes`, /run has no option --yes/],
    [`${base} --json=1`, /takes no value/],
    [`${base} --state`, /--state needs a value/],
    [`${base} stray`, /"stray" is not an option/],
    [`${base} --initial all`, /open or history/],
    [`${base} --filter cpvs=1`, /no filter cpvs\. Did you mean cpv\?/],
    [`${base} --filter updated_since=2026-01-01T00:00:00Z`, /sync sets updated_since itself/],
    [`${base} --filter value_min=1.5`, /whole number of euros/],
    [`${base} --filter cpv`, /must be <name>=<value>/],
    [`${base} --max-wait soon`, /number of minutes/],
    [`${base} --option lots=x`, /sqlite has no option lots.*has none/],
    [`${base} -- ls`, /Only the sink exec/],
    ['run --url https://a.example --sink sqlit:x', /no sink "sqlit"\. Did you mean sqlite\?/],
    ['run --url https://a.example --sink sqlite', /needs a file: --sink sqlite:tenders\.db/],
    ['run --url https://a.example --sink exec', /needs a program/],
    ['run --url https://a.example --sink csv:x --option delimiter=#', /one of , ; tab \|/],
    ['run --url https://a.example --sink postgres:postgres://me:secret@db/x', /PGPASSWORD/],
    ['run --url http://api.example.org --sink sqlite:x', /in plain text/],
    ['run --url https://me:secret@api.example.org --sink sqlite:x', /no password/],
    ['run --url ftp://api.example.org --allow-http --sink sqlite:x', /must begin with https/],
    ['run --url api.example.org --sink sqlite:x', /is not a URL/],
    ['run --url https://api.example.org/v1/tenders?limit=5 --sink sqlite:x', /without \/v1/],
  ]
  it.each(wrong)('%s', (line, message) => {
    expect(() => readCommandLine(words(line))).toThrow(message)
  })

  it('never repeats a secret that was entered in the wrong place', () => {
    for (const line of [
      `${base} --token geheim`,
      'run --url https://a.example --sink postgres:postgres://me:geheim@db/x',
    ])
      expect(() => readCommandLine(words(line))).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining('geheim') }),
      )
  })
})

describe('the help', () => {
  const topics = [undefined, ...commandNames]

  it('fits into 80 columns', () => {
    for (const topic of topics)
      for (const line of helpText(topic).split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80)
  })

  it('gives examples for each command that the command line accepts', () => {
    for (const name of commandNames) {
      const examples = helpText(name)
        .split('Examples\n')[1]!
        .replaceAll(/\s*\\\n\s*/g, ' ')
        .split('\n')
      const commands = examples.map((line) => line.trim()).filter((line) => line.startsWith('tender-sync'))
      expect(commands.length).toBeGreaterThanOrEqual(2)
      for (const command of commands)
        expect(readCommandLine(words(command).slice(1)), command).toMatchObject({ kind: 'command', name })
    }
  })

  it('names every filter', () => {
    const help = helpText('run')
    for (const name of filterNames) expect(help).toContain(name)
  })

  it('names every exit code and sink', () => {
    for (const word of ['0 done', '2 wrong', '3 skipped', '4 given up', '5 the copy', 'sqlite:', 'exec --'])
      expect(helpText(undefined)).toContain(word)
  })
})

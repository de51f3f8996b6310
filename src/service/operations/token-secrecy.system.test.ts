// Who sees a token: only the person who creates it, once. The test searches everything that the programs write, at a
// terminal and without one, across restarts.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { putEmptyStock } from '../../../test/world.ts'
import { commandNames } from '../../cli/command-table.ts'
import { helpText, plainStyle } from '../../cli/help-text.ts'

const program = new URL('../../bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
const pattern = /tdr_live_[0-9A-Za-z]{36}/g
const hasTerminal = spawnSync('script', ['--version']).status === 0
if (!hasTerminal) console.log('skipped: what a terminal shows (the program `script` of util-linux is not there)')

const closers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tenderstock-secrecy-'))
  closers.push(() => rm(path, { recursive: true, force: true }))
  return path
}

type Service = {
  /** Everything it has written so far, to both streams. */
  readonly output: () => string
  /** Waits until the output has the expected text; the address of the API is in it then. */
  readonly until: (text: string) => Promise<void>
  readonly end: () => Promise<number | null>
}

/** Starts the service with one sample portal; at a terminal of 80 columns when `terminal` is true. */
function launch(data: string, more: readonly string[], terminal: boolean): Service {
  const args = [program, 'start', '--data', data, '--api-port', '0', '--log-level', 'debug', ...more]
  const child: ChildProcess = terminal
    ? spawn('script', ['-qefc', `stty cols 80; exec ${[process.execPath, ...args].join(' ')}`, '/dev/null'], {
        env: environment,
      })
    : spawn(process.execPath, args, { env: environment })
  let output = ''
  const heard: (() => void)[] = []
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      for (const each of heard.splice(0)) each()
    })
  const exited = once(child, 'close').then(() => {
    for (const each of heard.splice(0)) each()
  })
  closers.push(async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    await exited
  })
  return {
    output: () => output,
    until: async (text) => {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}`)
        await new Promise<void>((resolve) => heard.push(resolve))
      }
    },
    end: async () => {
      // Ctrl+C, as the terminal sends it
      if (terminal) child.stdin!.write('\x03')
      else child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
  }
}

function run(...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: environment }, (_, out, err) => resolve(out + err))
  })
}

const sample = ['--source', 'gb-contracts-finder']
const tokensIn = (text: string) => text.match(pattern) ?? []
const apiOf = (text: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0]
const shapes: readonly (readonly [name: string, args: readonly string[], terminal: boolean, ready: string])[] = [
  ['with --json', ['--json'], false, '"event":"ready"'],
  ['as text in a pipe', [], false, 'Stop: Ctrl+C'],
  ...(hasTerminal ? ([['at a terminal', [], true, 'Stop: Ctrl+C']] as const) : []),
]

/** Files below a folder, other than the one that may hold the token, that contain the text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && !path.endsWith('/trial-token'))
    .filter((path) => readFileSync(path).includes(text))
}

describe.each(shapes)('the first start %s', (_, args, terminal, ready) => {
  test('shows the token to a person once, later starts never; a revoked one is not replaced', async () => {
    const data = await putEmptyStock(join(await newFolder(), 'data'))
    const file = join(data, 'trial-token')
    const start = async () => {
      const service = launch(data, [...sample, ...args], terminal)
      await service.until(ready)
      return service
    }

    const first = await start()
    const token = readFileSync(file, 'utf8').trim()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(tokensIn(first.output())).toEqual(terminal ? [token] : [])
    expect(first.output()).toContain(file)
    const ask = (path: string, secret = token) =>
      fetch(apiOf(first.output()) + path, { headers: { authorization: `Bearer ${secret}`, 'x-request-id': secret } })
    expect((await ask('/v1/tenders?limit=1')).status).toBe(200)

    // other requests, with the token in every place where it does not belong
    const others: string[] = []
    for (const path of ['/v1/tenders', '/v1/nothing', '/readyz', '/access', '/openapi.json'])
      for (const context of ['', `?token=${token}`, `?cursor=${token}`, `/${token}`]) {
        const answer = await ask(path + context)
        others.push(JSON.stringify([...answer.headers]), await answer.text())
      }
    for (const command of ['status', 'organization list', 'token list Trial'])
      others.push(await run(...command.split(' '), '--data', data, ...args))
    expect(others.every((text) => text.length > 2)).toBe(true)
    expect(others.flatMap(tokensIn)).toEqual([])

    expect(await first.end()).toBe(0)
    const second = await start()
    expect(second.output()).toContain(file)
    expect(tokensIn(second.output())).toEqual([])
    expect(readFileSync(file, 'utf8').trim()).toBe(token)

    const listed = await run('token', 'list', 'Trial', '--data', data, '--json')
    const { tokenId } = JSON.parse(listed) as { tokenId: string }
    await run('token', 'revoke', tokenId, '--yes', '--data', data)
    expect(await second.end()).toBe(0)
    const third = await start()
    const command = `tenderstock token create Trial --data ${data}`
    expect(third.output().replaceAll('\r\n', '\n')).toContain(command)
    expect(tokensIn(third.output())).toEqual([])
    if (args.includes('--json')) expect(third.output()).toContain('"tokenFile":null')
    expect((await run('token', 'list', 'Trial', '--data', data, '--json')).trim().split('\n')).toHaveLength(1)
    // the command that it names creates one, and nothing shows that one again
    const made = await run(...command.split(' ').slice(1))
    const [replacement, ...more] = tokensIn(made)
    expect(more).toEqual([])
    const api = apiOf(third.output())
    const reply = await fetch(`${api}/v1/tenders?limit=1`, { headers: { authorization: `Bearer ${replacement}` } })
    expect(reply.status).toBe(200)
    expect(await third.end()).toBe(0)
    for (const service of [first, second, third]) expect(service.output()).not.toContain(replacement)
    expect(tokensIn(third.output())).toEqual([])
    for (const secret of [token, replacement!]) expect(filesWith(data, secret)).toEqual([])
  }, 600_000)
})

test('without samples there is no trial token, and a sentence says how to create one', async () => {
  const data = await putEmptyStock(join(await newFolder(), 'data'))
  const service = launch(data, ['--no-samples', '--json'], false)
  await service.until('"event":"ready"')
  expect(service.output()).toContain(`tenderstock organization create NAME --data ${data}`)
  expect(service.output()).toContain('"tokenFile":null')
  expect(existsSync(join(data, 'trial-token'))).toBe(false)
  expect(await run('organization', 'list', '--data', data, '--json')).not.toContain('Trial')
  const organization = JSON.parse(await run('organization', 'create', 'Acme', '--data', data, '--json'))
  const token = JSON.parse(await run('token', 'create', 'Acme', '--data', data, '--json'))
  expect(token).toMatchObject({ organizationId: organization.organizationId, token: expect.stringMatching(pattern) })
  expect(await service.end()).toBe(0)
  expect(tokensIn(service.output())).toEqual([])
  const again = launch(data, ['--no-samples', '--json'], false)
  await again.until('"event":"ready"')
  expect(again.output()).not.toContain('organization create')
  expect(await again.end()).toBe(0)
  const refused = await run('start', '--no-samples', '--requests-per-minute', '5', '--data', join(data, 'other'))
  expect(refused).toContain('organization update')
}, 600_000)

test('no help shows a token', () => {
  const texts = ['', ...commandNames].map((name) => helpText(name.split(' ').filter(Boolean), plainStyle))
  expect(texts.join('')).toContain('token create')
  expect(tokensIn(texts.join(''))).toEqual([])
})

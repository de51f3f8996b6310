// The first and the last lines of the program, from outside: what comes first, what is checked first, what a clean stop
// reports.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { type PrintedEvent, readPrintedEvent } from '../../test/testing/printed-event.ts'
import { putEmptyStock } from '../../test/world.ts'
import { type ErrorCode, exitCodeOf } from '../platform/error-codes.ts'

const root = join(import.meta.dirname, '../..')
const program = join(root, 'src/bin/tenderstock.cjs')
const { DATABASE_URL: _database, REDIS_URL: _redis, TENDERSTOCK_CONTACT: _contact, ...environment } = process.env
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tenderstock-starting-'))
  closers.push(() => rm(path, { recursive: true, force: true }))
  return path
}

type Running = {
  readonly child: ChildProcess
  readonly events: PrintedEvent[]
  readonly errors: () => string
  readonly until: (fits: (event: PrintedEvent) => boolean) => Promise<PrintedEvent>
}

function launch(command: string, args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...environment, ...env }, cwd: root })
  const exited = once(child, 'close')
  closers.push(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const events: PrintedEvent[] = []
  let errors = ''
  let wake = () => {}
  child.stderr.on('data', (chunk) => (errors += chunk))
  createInterface({ input: child.stdout }).on('line', (line) => {
    events.push(readPrintedEvent(line))
    wake()
  })
  void exited.then(() => wake())
  return {
    child,
    events,
    errors: () => errors,
    until: async (fits) => {
      for (;;) {
        const found = events.find(fits)
        if (found) return found
        if (child.exitCode !== null)
          throw new Error(`ended with ${child.exitCode}: ${JSON.stringify(events)} ${errors}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

const is = (name: string) => (event: PrintedEvent) => event.event === name

function run(args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ exitCode: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], { env: { ...environment, ...env } }, (error, out, err) =>
      resolve({ exitCode: error ? Number(error.code) : 0, out, err }),
    )
  })
}

test.each([['--help'], ['help', 'search', 'create'], ['--version']])('%s waits for no library', (...args) => {
  const tell = `import { registerHooks } from 'node:module'
    const load = (url, context, next) => { console.error(url); return next(url, context) }
    registerHooks({ load })`
  const hook = `data:text/javascript,${encodeURIComponent(tell)}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', hook, program, ...args], { encoding: 'utf8' })
  const loaded = stderr.split('\n')
  expect(stdout).not.toBe('')
  expect(loaded.some((url) => url.endsWith('/src/cli/main.ts'))).toBe(true)
  expect(loaded.filter((url) => url.includes('/node_modules/'))).toEqual([])
})

test('the first line does not wait for the database', async () => {
  // accepts connections and never sends anything
  const server = createServer(() => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => server.close())
  const { port } = server.address() as import('node:net').AddressInfo
  const data = join(await newFolder(), 'data')
  const service = launch(process.execPath, [program, 'start', '--data', data, '--api-port', '0', '--json'], {
    DATABASE_URL: `postgres://user:secret@127.0.0.1:${port}/name`,
  })
  expect(await service.until(is('starting'))).toMatchObject({ data, engine: 'server', time: expect.any(String) })
  expect(service.events).toHaveLength(1)
})

test('errors in the command line or the settings are reported before anything is created, with --json as an event', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => server.close())
  const { port } = server.address() as import('node:net').AddressInfo
  const mistakes: readonly (readonly [
    args: readonly string[],
    env: Record<string, string>,
    sentence: RegExp,
    code: ErrorCode,
  ])[] = [
    [['start', '--api-port', String(port)], {}, /^Port \d+ on 127\.0\.0\.1 is in use/, 'port-in-use'],
    [['serve', '--api-port', String(port)], {}, /^Port \d+ on 127\.0\.0\.1 is in use/, 'port-in-use'],
    [
      ['start', '--api-port', '0', '--api-host', 'no-such-host.invalid'],
      {},
      /^This machine has no address no-such-host/,
      'no-address',
    ],
    [['start', '--api-port', '0', '--api-host', '203.0.113.1'], {}, /^This machine has no address 203/, 'no-address'],
    [['start', '--api-port', '0', '--live'], {}, /^Portals need to know who reads them/, 'no-contact'],
    [
      ['start', '--api-port', '0', '--live'],
      { TENDERSTOCK_CONTACT: 'nobody' },
      /^TENDERSTOCK_CONTACT is not usable|^TENDERSTOCK_CONTACT is not a usable/,
      'invalid-setting',
    ],
    [
      ['start', '--api-port', '0'],
      { TENDERSTOCK_DOCUMENTS: 'folder:relative' },
      /^TENDERSTOCK_DOCUMENTS is not usable/,
      'invalid-setting',
    ],
    [['start', '--nonsense'], {}, /has no option --nonsense/, 'unknown-option'],
  ]
  const folder = await newFolder()
  for (const [args, env, sentence, code] of mistakes) {
    const exitCode = exitCodeOf(code)
    const data = join(folder, 'data')
    const outcome = await run([...args, '--data', data, '--json'], env)
    expect(outcome, args.join(' ')).toMatchObject({ exitCode, err: '' })
    const events = outcome.out
      .trimEnd()
      .split('\n')
      .map((line) => readPrintedEvent(line))
    expect(events.at(-1)).toEqual({
      event: 'error',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      code,
      message: expect.stringMatching(sentence),
      exitCode,
    })
    expect(existsSync(data), args.join(' ')).toBe(false)
  }
})

test('a limit of open files that the embedded database exceeds is an error with what to do, and creates nothing', async () => {
  const data = join(await newFolder(), 'data')
  const limited = `ulimit -n 128; exec ${process.execPath} ${program} start --data ${data} --api-port 0 --json`
  const { status, stdout } = spawnSync('sh', ['-c', limited], { encoding: 'utf8', env: environment })
  expect([status, readPrintedEvent(stdout.trimEnd().split('\n').at(-1)!)]).toMatchObject([
    1,
    { event: 'error', code: 'too-few-files', message: expect.stringContaining('ulimit -n 1024') },
  ])
  expect(existsSync(join(data, 'database'))).toBe(false)
})

test('config shows where each setting comes from, then what is wrong with them, and no secret', async () => {
  const folder = await newFolder()
  const file = join(folder, 'url')
  await writeFile(file, 'postgres://user:secret@host/name\n')
  const { exitCode, out } = await run(['config', '--data', folder, '--json'], {
    DATABASE_URL_FILE: file,
    TENDERSTOCK_SAM_API_KEY: 'secret',
    TENDERSTOCK_BASE_URL: 'https://tenders.example.org/v1',
    TENDERSTOCK_SMPT_URL: 'smtp://user:secret@host',
  })
  const events = out
    .trim()
    .split('\n')
    .map((line) => readPrintedEvent(line))
  expect(events[0]).toMatchObject({ event: 'settingsOf', isRunning: false })
  const of = (wanted: string) => events.find(({ name }) => name === wanted)
  expect(of('DATABASE_URL')).toMatchObject({ from: 'file', value: null, isSecret: true, isSet: true })
  expect(of('REDIS_URL')).toMatchObject({ from: 'default', value: null, default: null, isSet: false })
  expect(of('TENDERSTOCK_TRUSTED_HOPS')).toMatchObject({ from: 'default', default: '0' })
  expect(of('TENDERSTOCK_SAM_API_KEY')).toMatchObject({ from: 'environment', source: 'us-sam', isSecret: true })
  expect(of('TENDERSTOCK_BASE_URL')).toMatchObject({ value: 'https://tenders.example.org/v1', isSecret: false })
  expect(of('TENDERSTOCK_SMPT_URL')).toMatchObject({ event: 'unknownSetting', nearest: 'TENDERSTOCK_SMTP_URL' })
  expect(events.at(-1)).toMatchObject({ event: 'error', exitCode: 2, message: expect.stringMatching(/has a path/) })
  expect(exitCode).toBe(2)
  expect(out).not.toContain('secret@')
  expect(out).not.toContain('"secret"')
})

test.each([
  ['in the first round', 'portals'],
  ['when all is quiet', 'ready'],
])('a clean stop %s logs nothing that went wrong, and every event has its time', async (_, event) => {
  const data = await putEmptyStock(join(await newFolder(), 'data'))
  const service = launch(process.execPath, [
    program,
    'start',
    '--data',
    data,
    '--api-port',
    '0',
    '--json',
    '--log-level',
    'info',
  ])
  await service.until(is(event))
  service.child.kill('SIGTERM')
  await once(service.child, 'close')
  expect(service.child.exitCode).toBe(0)
  expect(service.events.at(-1)!.event).toBe('stopped')
  const wrong = service
    .errors()
    .split('\n')
    .filter((line) => line !== '' && !/^\{"level":"info"/.test(line))
  expect(wrong).toEqual([])
  expect(service.events.filter((each) => each.event === 'warning' || each.event === 'error')).toEqual([])
  for (const each of service.events) expect(each.time, each.event).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
})

const noNetwork = ['unshare', '--net', '--map-root-user'] as const
const canUnshare = spawnSync(noNetwork[0], [...noNetwork.slice(1), 'true']).status === 0
if (!canUnshare) console.log('skipped: live reading without a network (this user cannot make a namespace without one)')

test.skipIf(!canUnshare)(
  'live reading without a network is reported once, not once for each portal',
  async () => {
    const data = await putEmptyStock(join(await newFolder(), 'data'))
    const args = ['start', '--live', '--data', data, '--api-port', '0', '--json', '--workers', '16']
    const service = launch(noNetwork[0], [...noNetwork.slice(1), process.execPath, program, ...args], {
      TENDERSTOCK_CONTACT: 'tests@example.org',
    })
    await service.until(
      (event) => event.event === 'warning' && String(event.message).startsWith('This machine reaches no portal'),
    )
    // number of portals tried without success so far, of about 106
    const tried = async () => {
      const { out } = await run(['source', 'list', '--data', data, '--json'])
      const sources = out
        .trim()
        .split('\n')
        .map((line) => readPrintedEvent(line))
      return sources.filter(({ lastError }) => typeof lastError === 'string').length
    }
    await expect.poll(tried, { timeout: 300_000, interval: 1000 }).toBeGreaterThan(20)
    const notable = service.events.filter(({ event }) => event === 'warning' || event === 'sourceRead')
    const isOther = ({ message }: PrintedEvent) => !/first time: the API answers 503/.test(String(message))
    expect(notable.filter(isOther).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^This machine reaches no portal \(.*\): check its network/),
    ])
    service.child.kill('SIGTERM')
    await once(service.child, 'close')
  },
  600_000,
)

test('source list shows every sample portal that delivered', async () => {
  const data = await putEmptyStock(join(await newFolder(), 'data'))
  const args = ['start', '--data', data, '--api-port', '0', '--json', '--source', 'no-doffin', 'gb-contracts-finder']
  const service = launch(process.execPath, [program, ...args])
  await service.until(is('ready'))
  const delivered = service.events.filter((each) => each.event === 'ingested' && Number(each.notices) > 0)
  const { out } = await run(['source', 'list', '--data', data, '--json'])
  const shown = out
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { sourceId?: string }).sourceId)
  // one of them needs a key at the real portal, and is off there without one
  expect(delivered.length).toBe(2)
  expect(shown).toEqual(expect.arrayContaining(delivered.map(({ source }) => source)))
})

const unit = readFileSync(join(root, 'deploy/systemd/tenderstock.service'), 'utf8')

test('the systemd unit runs unchanged, and prints no token', async () => {
  const folder = await newFolder()
  expect([...unit.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name)).toEqual(['Unit', 'Service', 'Install'])
  const path = join(folder, 'tenderstock.service')
  const [command, ...args] = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(' ')
  expect(command).toBe('/usr/bin/node')
  // the machine that verifies it need not have Node there
  await writeFile(path, unit.replace('/usr/bin/node', process.execPath).replace('User=tenderstock', 'User=root'))
  const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  if (verified.error) console.log('skipped: systemd-analyze verify (it is not there)')
  else
    expect(
      `${verified.stdout}${verified.stderr}`.split('\n').filter((line) => line.includes('tenderstock.service')),
    ).toEqual([])
  const own = args.map((each) =>
    each
      .replace('/opt/tenderstock/node_modules/tenderstock', root)
      .replace('/var/lib/tenderstock', join(folder, 'data')),
  )
  const service = launch(process.execPath, [...own, '--api-port', '0'])
  const ready = await service.until(is('ready'))
  expect((await fetch(`${ready.api}/healthz`)).status).toBe(200)
  // the settings it was started with, not those that the command would use
  const shown = await run(['config', '--data', String(ready.data), '--json'], { TENDERSTOCK_CONTACT: 'a@example.org' })
  const settings = shown.out
    .trim()
    .split('\n')
    .map((line) => readPrintedEvent(line))
  expect(settings[0]).toMatchObject({ event: 'settingsOf', isRunning: true, pid: service.child.pid })
  expect(settings).toContainEqual(expect.objectContaining({ name: 'TENDERSTOCK_CONTACT', isSet: false }))
  service.child.kill('SIGTERM')
  await once(service.child, 'close')
  expect(service.child.exitCode).toBe(0)
  expect(JSON.stringify(service.events) + service.errors()).not.toMatch(/tdr_live_/)
})

test.skipIf(!existsSync('/dev/full'))('a command whose output cannot be written fails, and says so', () => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(process.execPath, [program, 'completion', 'bash'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
    env: environment,
  })
  closeSync(full)
  expect(stderr).toContain('its output is not complete (ENOSPC)')
  expect(status).toBe(1)
})

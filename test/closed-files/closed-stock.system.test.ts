// No file and no folder that a command of the service makes is open to others, whatever the umask; exports alone
// follow the umask of who asks for them. Seen from outside, with `find`.
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { simulate } from '../../src/service/operations/simulate.ts'
import { sampleDocuments } from '../../src/simulator/samples/sample-documents.ts'
import { readPrintedEvent } from '../testing/printed-event.ts'
import { type AsUser, isRoot, nobody, openTo, ownGroup, rightsIn, runAs, service, startAs } from './as-user.ts'

const hourMs = 3_600_000

function newFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-closed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, mode)
  return folder
}

function someNotices(): string {
  const folder = newFolder()
  const epoch = Math.floor(Date.now() / hourMs) * hourMs
  for (const { path, write } of sampleDocuments(epoch, 'ted', Date.now(), 'closed').slice(-5))
    writeFileSync(join(folder, path.replaceAll('/', '_')), write())
  return folder
}

async function run(args: readonly string[], how?: AsUser) {
  const { code, out, err } = await runAs([service, ...args, '--json'], how)
  const events = out.split('\n').filter(Boolean).map(readPrintedEvent)
  return { code, err, events, warnings: events.filter(({ event }) => event === 'warning') }
}

/** Starts the service, and returns a function that stops it. */
async function start(args: readonly string[], how?: AsUser) {
  const child = startAs([service, 'start', '--api-port', '0', '--console-port', '0', '--json', ...args], how)
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout! })) {
    if (readPrintedEvent(line).event !== 'ready') continue
    child.stdout!.resume()
    return async () => {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await ended
    }
  }
  throw new Error('the service ended before it was ready')
}

/** What d9d9db42 left under the usual umask: the engine's files for everybody, folders to enter. */
function openAgain(folder: string): number {
  let count = 1
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) count += openAgain(path)
    else if (entry.isFile()) {
      chmodSync(path, 0o666)
      count++
    }
  }
  return count
}

test('a stock, its documents and its backup are closed; a stock of before is closed at the next start', {
  timeout: 900_000,
}, async () => {
  const folder = newFolder()
  const [data, documents, backup] = ['a/data', 'documents', 'b/backup'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const env = { TENDERSTOCK_DOCUMENTS: `folder:${documents}` }
  expect((await run(['ingest', someNotices(), '--data', data], { umask: '0', env })).code).toBe(0)
  expect(existsSync(join(data, 'database/base'))).toBe(true)
  expect(openTo(join(folder, 'a'), documents)).toEqual([])
  expect(await run(['status', '--data', data])).toMatchObject({ code: 0, warnings: [] })

  const opened = openAgain(data) + openAgain(documents)
  const repaired = await run(['backup', backup, '--data', data], { umask: '0', env })
  expect(repaired.code).toBe(0)
  const counts = repaired.warnings.map(({ message }) =>
    Number(/^(\d+) files and folders in /.exec(String(message))?.[1]),
  )
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(opened)
  expect(openTo(join(folder, 'a'), documents, join(folder, 'b'))).toEqual([])

  // an existing, empty folder of the user, which becomes a backup or a stock
  const [second, restored] = [join(folder, 'second'), join(folder, 'restored')]
  for (const made of [second, restored]) {
    mkdirSync(made)
    chmodSync(made, 0o777)
  }
  expect((await run(['backup', second, '--data', data], { umask: '0' })).code).toBe(0)
  expect((await run(['restore', second, '--data', restored], { umask: '0' })).code).toBe(0)
  expect(openTo(second, restored)).toEqual([])
})

test('a folder that holds more than the stock is left, the stock in it is closed, and `doctor` says both', {
  timeout: 900_000,
}, async () => {
  const folder = newFolder()
  const photos = join(folder, 'photos')
  mkdirSync(photos)
  writeFileSync(join(photos, 'a.jpg'), '')
  expect((await run(['ingest', someNotices(), '--data', folder])).code).toBe(0)
  openAgain(join(folder, 'database'))
  const doctor = async () => {
    const { events } = await run(['doctor', '--data', folder, '--api-port', '0', '--console-port', '0'])
    return events.filter(({ check }) => check === 'files').map(({ state, message }) => `${state}: ${message}`)
  }
  expect(await doctor()).toEqual([
    expect.stringMatching(/^problem: \d{3,} files and folders in .* are open to other users, .*: start the service/),
    expect.stringMatching(/^warning: Others can enter .*: chmod 700 /),
  ])
  await run(['status', '--data', folder])
  expect(openTo(folder).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['d 755', 'd 755', 'f 644'])
  rmSync(photos, { recursive: true })
  await run(['status', '--data', folder])
  expect(openTo(folder)).toEqual([])
  expect(await doctor()).toEqual([expect.stringMatching(/^ok: Nothing in .* is open to other users/)])
})

test.skipIf(!isRoot)(
  'as another user in a volume that is not ours, the mount is left and only what is ours is closed',
  {
    timeout: 900_000,
  },
  async () => {
    const notices = someNotices()
    for (const [mode, group, warning] of [
      // Kubernetes with fsGroup: the group came with the volume
      [0o2770, ownGroup, undefined],
      [0o777, 0, /^warning: Others can enter/],
    ] as const) {
      const volume = newFolder()
      chownSync(volume, 0, group)
      chmodSync(volume, mode)
      const as = { uid: nobody, gid: ownGroup, env: { HOME: '/nonexistent' } }
      const made = await run(['ingest', notices, '--data', volume], as)
      expect(made).toMatchObject({ code: 0, warnings: [] })
      expect(openTo(volume)).toEqual([`d ${mode.toString(8)} ${volume}`])
      const { events } = await run(['doctor', '--data', volume, '--api-port', '0', '--console-port', '0'], as)
      const found = events.filter(({ check, state }) => check === 'files' && state !== 'ok')
      expect(found.map(({ state, message }) => `${state}: ${message}`)).toEqual(
        warning === undefined ? [] : [expect.stringMatching(warning)],
      )
    }
  },
)

test('beside a running service: exports follow the umask of the command, everything else is closed', {
  timeout: 900_000,
}, async () => {
  const folder = newFolder()
  const data = join(folder, 'data')
  // the service's own umask opens everything, and counts for nothing
  const stop = await start(['--source', 'ted', '--data', data], { umask: '0' })
  const stopped = new AbortController()
  const base = await new Promise<string>((resolve) => {
    const options = { sources: ['doe'], faults: [], port: 0, speed: 1, clock: systemClock, stop: stopped.signal }
    void simulate({ ...options, emit: (event) => event.event === 'simulating' && resolve(event.base) })
  })
  onTestFinished(() => stopped.abort())
  for (const [format, umask, file, made] of [
    ['ocds', '022', '644', '755'],
    ['ndjson', '027', '640', '750'],
    ['csv', '077', '600', '700'],
    ['parquet', '0', '666', '777'],
  ] as const) {
    const out = join(folder, 'exports', umask, format)
    const args = ['edition', 'export', '--format', format, '--out', out, '--data', data]
    expect((await run(args, { umask })).code).toBe(0)
    const { '': own, ...files } = rightsIn(out)
    expect([...new Set(Object.values(files))]).toEqual([file])
    expect(own).toBe(made)
    expect(rightsIn(join(folder, 'exports'))[umask]).toBe(made)
  }
  const report = join(folder, 'portals.md')
  const check = ['source', 'check', 'doe', '--simulator', base, '--report', report, '--record', join(folder, 'record')]
  expect((await run([...check, '--data', data], { umask: '027' })).code).toBe(0)
  expect(rightsIn(report)['']).toBe('640')
  expect((await run(['backup', join(folder, 'backup'), '--data', data], { umask: '0' })).code).toBe(0)
  expect(
    (await run(['redact', '--email', 'jane@example.org', '--reason', 'test', '--data', data], { umask: '0' })).code,
  ).toBe(0)
  const closed = [data, join(folder, 'backup'), join(folder, 'record')]
  expect(openTo(...closed)).toEqual([])
  await stop()
  expect(openTo(...closed)).toEqual([])
})

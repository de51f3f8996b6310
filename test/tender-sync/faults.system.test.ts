// tender-sync when its environment fails: a full disk, an unreachable address, a table of another program, a terminal
// without a width. The faults are real ones, outside the process.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { SinkError } from '../../client/src/sinks/faults/sink-error.ts'
import { sqliteSink } from '../../client/src/sinks/sqlite-sink.ts'
import { recordOf } from '../../client/src/testing/sink-conformance.ts'
import { startOfTests } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../world.ts'
import { type CommandWorld, openCommandWorld } from './command-world.ts'

const program = join(import.meta.dirname, '../../client/src/bin/tender-sync.ts')
const disk = mkdtempSync(join(tmpdir(), 'tender-disk-'))
const mount = (size: string, isAgain = false): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `${isAgain ? 'remount,' : ''}size=${size}`, 'tmpfs', disk]).status === 0
const hasDisk = mount('2m')
if (!hasDisk) console.log('skipped: a full disk (no right to mount a small one)')
afterAll(() => {
  if (hasDisk) spawnSync('umount', [disk])
  rmSync(disk, { recursive: true, force: true })
})

/** Runs a program as a separate process, with nothing but the given environment. */
async function end(args: readonly string[], variables: Record<string, string>, command = process.execPath) {
  const child = spawn(command, [...args], { env: { PATH: process.env.PATH ?? '', ...variables } })
  const seen = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (seen.out += chunk))
  child.stderr.on('data', (chunk) => (seen.err += chunk))
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...seen })),
  )
}
const run = ({ api, folder }: CommandWorld, sink: readonly string[], command = 'run') =>
  end([program, command, '--url', api.origin, '--sink', ...sink], { TENDER_TOKEN: api.token, HOME: folder })

describe.skipIf(!hasDisk)('SQLite on a full disk', () => {
  it('ends with exit code 4 and one sentence; with space again the next run completes', async () => {
    await using world = await openCommandWorld()
    const description = 'made up '.repeat(1000)
    world.api.editions.publish(
      startOfTests,
      Array.from({ length: 400 }, (_, number) => ({ id: plainId(number), description: description + number })),
    )
    mount('2m', true)
    const sink = `sqlite:${join(disk, 't.db')}`
    const full = await run(world, [sink])
    expect(full.err).toMatch(/The disk of \S+ is full: make space/)
    expect(full.err).not.toMatch(/^ +at /m)
    expect(full.code).toBe(4)
    mount('64m', true)
    expect(await run(world, [sink])).toMatchObject({ code: 0 })
    expect(await run(world, [sink], 'verify')).toMatchObject({ code: 0 })
  })

  it('leaves an open sink that can be used again', async () => {
    for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true })
    expect(mount('1m', true)).toBe(true)
    const sink = await sqliteSink({ file: join(disk, 'open.db') })
    const state = { schema: 1, filterHash: 'f1' } as const
    const first = { kind: 'first', filterHash: 'f1', resumed: false, keepArchived: false } as const
    const records = Array.from({ length: 300 }, (_, number) => recordOf(number, 0, { description: 'x'.repeat(9000) }))
    const fill = async () => {
      await sink.begin(first)
      await sink.upsert(records)
      await sink.commit(state, 'run')
    }
    await expect(fill()).rejects.toThrow(SinkError)
    await sink.discard().catch(() => {})
    mount('64m', true)
    await fill()
    expect((await sink.held(records.map(({ id }) => id))).size).toBe(300)
    await sink.end()
  })
})

describe('an API that cannot be reached', () => {
  it('is reported with its cause, at once if the copy was never begun', async () => {
    await using world = await openCommandWorld()
    const silent = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    await new Promise((resolve) => silent.close(resolve))
    const waits: number[] = []
    const sleep = async (ms: number) => void waits.push(ms)
    for (const [url, words] of [
      [`http://127.0.0.1:${port}`, /the connection was refused.*\(ECONNREFUSED\)/],
      ['https://no-such-host.invalid', /the name of the host cannot be resolved \(DNS\) \((?:ENOTFOUND|EAI_AGAIN)\)/],
      [world.api.origin.replace('http:', 'https:'), /TLS failed \(\w+/],
    ] as const) {
      const { code, err } = await world.sync(`run --url ${url} --sink ndjson:$t.ndjson`, { sleep })
      expect(err).toMatch(words)
      expect(err).toContain('the next run retries')
      expect(code).toBe(4)
      rmSync(join(world.folder, 't.ndjson.sync'), { recursive: true })
    }
    expect(waits.filter((ms) => ms > 5000)).toEqual([])
  })

  it('is retried if it was reached before (C153)', async () => {
    await using world = await openCommandWorld()
    world.api.editions.publish(startOfTests, [{ id: plainId(1) }])
    expect((await world.sync(`run ${world.url} --sink ndjson:$t.ndjson`)).code).toBe(0)
    const waits: number[] = []
    const gone: typeof fetch = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }))
    const sleep = async (ms: number) => void waits.push(ms)
    expect((await world.sync(`run ${world.url} --sink ndjson:$t.ndjson`, { sleep, fetch: gone })).code).toBe(4)
    expect(waits.map((ms) => ms / 60_000)).toEqual([1, 2, 4, 8, 16])
  })

  it('does not promise that the next run helps if a person must act', async () => {
    await using world = await openCommandWorld()
    world.api.editions.publish(startOfTests, [{ id: plainId(1) }])
    const refused = await world.sync(`run ${world.url} --sink ndjson:$t.ndjson`, {
      variables: { TENDER_TOKEN: 'wrong' },
    })
    expect(refused.err).toContain('The copy and its state are as they were.')
    expect(refused.err).not.toContain('the next run retries')
  })
})

describe('a table of another program', () => {
  it('with the name of ours is refused in SQLite before a byte of the file changes', async () => {
    await using world = await openCommandWorld()
    for (const name of ['tender', 'tender_lot']) {
      const file = join(world.folder, `${name}.db`)
      const db = new DatabaseSync(file)
      db.exec(`CREATE TABLE ${name} (id INTEGER, price REAL); INSERT INTO ${name} VALUES (1, 2.5)`)
      db.close()
      const hash = () => createHash('sha256').update(readFileSync(file)).digest('hex')
      const before = hash()
      const { code, err } = await run(world, [`sqlite:${file}`])
      expect(err).toMatch(new RegExp(`holds a table ${name} that this sink did not create`))
      expect(code).toBe(4)
      expect(hash()).toBe(before)
      expect([`${file}-wal`, `${file}-shm`].filter(existsSync)).toEqual([])
    }
  })

  it.skipIf(testDatabaseUrl === undefined)(
    'with the name of one of ours is refused in PostgreSQL, and nothing is created beside it',
    async () => {
      await using world = await openCommandWorld()
      await using database = await openEmptyDatabase()
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query('create schema tenderstock; create table tenderstock.tender (price numeric)')
      const url = new URL(database.url)
      const { code, err } = await end(
        [
          program,
          'run',
          '--url',
          world.api.origin,
          '--sink',
          `postgres:${url}`,
          '--state',
          join(world.folder, 'state'),
        ],
        { TENDER_TOKEN: world.api.token, HOME: world.folder },
      )
      expect(err).toMatch(/holds a table tender that this sink did not create/)
      expect(code).toBe(4)
      const { rows } = await client.query(
        "select relname from pg_class where relnamespace = 'tenderstock'::regnamespace",
      )
      expect(rows).toEqual([{ relname: 'tender' }])
      await client.end()
    },
  )
})
if (testDatabaseUrl === undefined) console.log('skipped: a foreign table in PostgreSQL (no TEST_DATABASE_URL)')

const hasPython = spawnSync('python3', ['-V']).status === 0
if (!hasPython) console.log('skipped: a terminal without a width (no python3)')
it.skipIf(!hasPython)('a terminal that reports 0 columns is treated as one with 80', async () => {
  await using world = await openCommandWorld()
  // A new pseudo-terminal has no size until one is set.
  const terminal = `import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
try:
    while chunk := os.read(terminal, 4096): sys.stdout.buffer.write(chunk)
except OSError: pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`
  const args = [process.execPath, program, 'run', '--url', world.api.origin, '--sink', `ndjson:${world.folder}/t`]
  const { code, out } = await end(['-c', terminal, ...args], { TENDER_TOKEN: 'wrong', HOME: world.folder }, 'python3')
  expect(out).toContain('  Token missing or invalid (401): ')
  expect(Math.max(...out.split(/[\r\n]+/).map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(code).toBe(4)
})

it.skipIf(!existsSync('/proc/self/environ'))('a program of the exec sink does not inherit the token', async () => {
  await using world = await openCommandWorld()
  world.api.editions.publish(startOfTests, [{ id: plainId(1) }])
  const seen = join(world.folder, 'environ')
  const state = join(world.folder, 'state')
  mkdirSync(state)
  const shell = ['--', '/bin/sh', '-c', `cat >/dev/null; tr '\\0' '\\n' </proc/$$/environ >${seen}`]
  expect(await run(world, ['exec', '--state', state, ...shell])).toMatchObject({ code: 0 })
  const environment = readFileSync(seen, 'utf8')
  expect(environment).toMatch(/^PATH=/m)
  expect(environment).not.toContain('TENDER_TOKEN')
  expect(environment).not.toContain(world.api.token)
})

// What a service does when its stages fail, seen from outside: faults are injected into the database or the disk, never
// into the program.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { type PrintedEvent, readPrintedEvent } from '../../../test/testing/printed-event.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../../../test/world.ts'
import { sampleDocuments } from '../../simulator/samples/sample-documents.ts'

const program = new URL('../../bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tenderstock-failing-'))
  closers.push(() => rm(path, { recursive: true, force: true }))
  return path
}

/** The journal's made-up notices from `from` to `to`, counted from the end, in a folder. */
async function notices(from: number, to: number): Promise<string> {
  const folder = await newFolder()
  const now = Date.now()
  const documents = sampleDocuments(Math.floor(now / 3_600_000) * 3_600_000, 'ted', now).slice(-from, -to || undefined)
  for (const { path, write } of documents) writeFileSync(join(folder, path.replaceAll('/', '_')), write())
  return folder
}

type Outcome = { readonly exitCode: number; readonly out: string; readonly err: string }

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: { ...environment, ...env } }, (error, out, err) =>
      resolve({ exitCode: error ? Number(error.code) : 0, out, err }),
    )
  })
}

type Service = {
  readonly child: ChildProcess
  /** Resolves with the next event that fits; rejects when the service ends before. */
  readonly next: (fits: (event: PrintedEvent) => boolean) => Promise<PrintedEvent>
}

function launch(args: readonly string[], env: Record<string, string> = {}): Service {
  const child = spawn(
    process.execPath,
    [program, 'start', '--api-port', '0', '--drain-seconds', '0', '--json', ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environment, ...env },
    },
  )
  const exited = once(child, 'close')
  closers.push(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  const events: PrintedEvent[] = []
  let seen = 0
  let wake = () => {}
  createInterface({ input: child.stdout }).on('line', (line) => {
    events.push(readPrintedEvent(line))
    wake()
  })
  void exited.then(() => wake())
  return {
    child,
    next: async (fits) => {
      for (;;) {
        while (seen < events.length) {
          const event = events[seen++]!
          if (fits(event)) return event
        }
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
const warns = (text: RegExp) => (event: PrintedEvent) => event.event === 'warning' && text.test(String(event.message))

type Readiness = {
  status: string
  edition: number
  isFailing: boolean
  failedRounds: number
  lastRoundAt: string | null
}

async function readiness(api: unknown): Promise<Readiness & { readonly code: number }> {
  const answer = await fetch(`${api}/readyz`)
  return { code: answer.status, ...((await answer.json()) as Readiness) }
}

test.skipIf(testDatabaseUrl === undefined)(
  'each stage may fail, in the first round and in later ones: the API continues, and the status shows it from anywhere',
  async () => {
    await using database = await openEmptyDatabase()
    const env = { DATABASE_URL: database.url }
    const admin = new pg.Client(database.url)
    await admin.connect()
    // the database is removed below it when the test fails
    admin.on('error', () => {})
    const [home, elsewhere] = [await newFolder(), await newFolder()]
    const plant = async (table: string) => {
      await admin.query(`create or replace function planted() returns trigger language plpgsql as
        $$ begin raise exception 'planted at %', tg_table_name; end $$`)
      await admin.query(`create trigger planted before insert on ${table} for each row execute function planted()`)
    }
    const heal = (table: string) => admin.query(`drop trigger planted on ${table}`)
    /** As reported by another process, which runs no rounds. */
    const status = async () => {
      const { exitCode, out } = await run(['status', '--data', elsewhere, '--json'], env)
      return { exitCode, ...readPrintedEvent(out) }
    }

    expect((await run(['ingest', await notices(6, 4), '--data', home], env)).exitCode).toBe(0)
    expect((await run(['publish', '--data', home], env)).exitCode).toBe(0)
    expect(await status()).toMatchObject({
      exitCode: 0,
      isFailing: false,
      failedRounds: 0,
      lastRoundAt: null,
      lastError: null,
    })

    await plant('notice')
    const args = ['--data', home, '--no-samples', '--publish-interval-minutes', '0']
    const service = launch([...args, '--ingest', await notices(4, 2)], env)
    const { api } = await service.next(is('ready'))
    await service.next(warns(/^Reading the given notices failed; retrying: planted at notice$/))
    await expect
      .poll(() => readiness(api), { timeout: 60_000 })
      .toMatchObject({ code: 200, status: 'degraded', edition: 1, isFailing: true })
    expect(await status()).toMatchObject({
      exitCode: 7,
      isFailing: true,
      failedRounds: expect.any(Number),
      lastError: expect.stringContaining('planted at notice'),
      editionAgeSeconds: expect.any(Number),
      lastRoundAt: null,
    })
    await plant('tender')
    await heal('notice')
    await service.next(warns(/^Consolidating failed; retrying: planted at tender$/))
    await plant('edition')
    await heal('tender')
    await service.next(warns(/^Publishing failed; retrying: planted at edition$/))
    await heal('edition')
    await service.next(is('recovered'))
    // one edition with what had been started, and perhaps one with what was found while others failed
    await expect
      .poll(() => readiness(api), { timeout: 60_000 })
      .toMatchObject({ isFailing: false, failedRounds: 0, lastRoundAt: expect.any(String) })
    expect((await readiness(api)).edition).toBeGreaterThan(1)
    expect(await status()).toMatchObject({
      exitCode: 0,
      isFailing: false,
      failedRounds: 0,
      lastRoundAt: expect.any(String),
    })

    // in a later round, and in a service that is stopped
    await plant('edition')
    expect((await run(['ingest', await notices(2, 0), '--data', home], env)).exitCode).toBe(0)
    await service.next(warns(/^Publishing failed/))
    await expect.poll(async () => (await status()).exitCode, { timeout: 60_000 }).toBe(7)
    expect((await run(['status', '--data', home], env)).exitCode).toBe(7)
    service.child.kill('SIGKILL')
    await once(service.child, 'close')
    const shown = await run(['status', '--data', elsewhere], env)
    expect(shown.exitCode).toBe(7)
    expect(shown.out).toMatch(/Failing +\d+ rounds? in a row\n +Publishing failed; retrying: planted at\s+edition/)
    for (const line of shown.out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    await heal('edition')
    const again = launch(args, env)
    await again.next(is('recovered'))
    expect((await status()).exitCode).toBe(0)
    again.child.kill('SIGTERM')
    await once(again.child, 'close')
    expect(again.child.exitCode).toBe(0)
    await admin.end()
  },
  600_000,
)

/** Divisions of the CPV that the samples are full of. */
const divisions = ['09', '30', '33', '34', '44', '45', '48', '50', '71', '72', '79', '90']

test.skipIf(testDatabaseUrl === undefined)(
  'the matching of searches may fail: editions are published nevertheless, and are matched later',
  async () => {
    await using database = await openEmptyDatabase()
    const env = { DATABASE_URL: database.url }
    const home = await newFolder()
    const tenderstock = async (...args: readonly string[]) => {
      const { exitCode, out, err } = await run([...args, '--data', home, '--json'], env)
      expect(exitCode, err).toBe(0)
      return out
        .trim()
        .split('\n')
        .map((line) => readPrintedEvent(line))
    }
    await tenderstock('organization', 'create', 'Acme')
    const words = ['--organization', 'Acme', '--name', 'All', '--threshold', '1', '--cpv', ...divisions]
    await tenderstock('search', 'create', ...words)
    const admin = new pg.Client(database.url)
    await admin.connect()
    admin.on('error', () => {})
    await admin.query(`create function planted() returns trigger language plpgsql as
      $$ begin raise exception 'planted at %', tg_table_name; end $$`)
    await admin.query('create trigger planted before update on hit_mark for each row execute function planted()')

    const service = launch(['--data', home, '--no-samples', '--ingest', await notices(60, 0)], env)
    await service.next(warns(/^Matching saved searches failed; retrying: planted at hit_mark$/))
    const { api } = await service.next(is('ready'))
    expect(await readiness(api)).toMatchObject({ status: 'degraded', edition: 1, isFailing: false })
    expect(await tenderstock('status')).toMatchObject([{ hits: { searches: 1, edition: 0, editionsBehind: 1 } }])
    await admin.query('drop trigger planted on hit_mark')
    const { hits } = await service.next(is('matched'))
    expect(hits).toBeGreaterThan(0)
    expect(await tenderstock('hit', 'list', '--search', 'All', '--limit', '1000')).toHaveLength(Number(hits))
    await expect.poll(() => readiness(api), { timeout: 60_000 }).toMatchObject({ status: 'ready' })
    expect(await tenderstock('status')).toMatchObject([{ hits: { edition: 1, editionsBehind: 0, unseen: 0 } }])
    service.child.kill('SIGTERM')
    await once(service.child, 'close')
    expect(service.child.exitCode).toBe(0)
    await admin.end()
  },
  300_000,
)

test.skipIf(testDatabaseUrl === undefined)(
  'a service that finds an interrupted publication finishes it before it changes the stock',
  async () => {
    await using database = await openEmptyDatabase()
    const env = { DATABASE_URL: database.url }
    const home = await newFolder()
    expect((await run(['ingest', await notices(6, 4), '--data', home], env)).exitCode).toBe(0)
    const admin = new pg.Client(database.url)
    await admin.connect()
    // the last transaction fails, as that of a process that dies before it
    await admin.query('alter table edition add constraint planted check (edition < 0)')
    expect((await run(['publish', '--data', home], env)).exitCode).toBe(70)
    const begun = await admin.query("select added from publication where state = 'writing'")
    await admin.query('alter table edition drop constraint planted')
    await admin.end()

    const args = ['--data', home, '--no-samples', '--publish-interval-minutes', '0', '--ingest', await notices(4, 0)]
    const service = launch(args, env)
    expect(await service.next(is('published'))).toMatchObject({ edition: 1, changes: begun.rows[0].added })
    expect(await service.next(is('published'))).toMatchObject({ edition: 2 })
  },
  120_000,
)

function mountSmallDisk(folder: string, megabytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return false
  }
  closers.push(async () => execFileSync('umount', ['-l', folder]))
  return true
}

test('a full disk: the API continues, one sentence says what to free, and the stages continue when there is room', async (context) => {
  const disk = await newFolder()
  if (!mountSmallDisk(disk, 320)) {
    console.log('skipped: a full disk (this user cannot mount a small one)')
    return context.skip()
  }
  const [data, filler] = [join(disk, 'data'), join(disk, 'filler')]
  await mkdir(data)
  expect((await run(['ingest', await notices(30, 25), '--data', data])).exitCode).toBe(0)
  expect((await run(['publish', '--data', data])).exitCode).toBe(0)
  const many = await notices(600, 30)
  const service = launch(['--data', data, '--no-samples', '--publish-interval-minutes', '0', '--ingest', many])
  const { api } = await service.next(is('ready'))
  // all the space that is left, between the start and the end of the first round
  execFileSync('sh', ['-c', `head -c 1G /dev/zero > ${filler}; true`], { stdio: 'ignore' })
  const { message } = await service.next(warns(/full/))
  expect(message).toMatch(
    /^[A-Z][a-z ]+ failed; retrying: The disk that holds \/\S+ is full \(\d+\.\d MB are left\); delete files there or enlarge it\.$/,
  )
  expect(String(message)).toContain(disk)
  await expect.poll(() => readiness(api), { timeout: 60_000 }).toMatchObject({ code: 200, edition: 1, isFailing: true })
  const shown = await run(['status', '--data', data, '--json'])
  expect(shown.exitCode).toBe(7)
  expect(JSON.parse(shown.out)).toMatchObject({ isFailing: true, lastError: message })
  rmSync(filler)
  await service.next(is('recovered'))
  expect((await run(['status', '--data', data])).exitCode).toBe(0)
  expect((await readiness(api)).edition).toBeGreaterThan(1)
  service.child.kill('SIGTERM')
  await once(service.child, 'close')
  expect(service.child.exitCode).toBe(0)
}, 600_000)

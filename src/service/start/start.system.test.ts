// The service black-box: a process, its events, its API, its commands, its end. Each test has its own data folder.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { plantingHook } from '../../../test/planted-edit.ts'
import { type PrintedEvent, readPrintedEvent } from '../../../test/testing/printed-event.ts'
import { openTestStore, putEmptyStock, testDatabaseUrl } from '../../../test/world.ts'
import { stockRules } from '../../domain/stock-rules.ts'
import { sampleDocuments } from '../../simulator/samples/sample-documents.ts'
import { inTransaction, openStore } from '../../store/database/database.ts'
import { usualSampleSources } from '../samples/sample-sources.ts'

const program = new URL('../../bin/tenderstock.ts', import.meta.url).pathname
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

// the embedded engine: these tests own their folders
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tenderstock-start-'))
  closers.push(() => rm(path, { recursive: true, force: true }))
  return path
}

type Running = {
  readonly child: ChildProcess
  readonly events: PrintedEvent[]
  /** Resolves with the first event of that name; rejects when the process ends first. */
  readonly event: (name: string) => Promise<PrintedEvent>
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
}

function launch(args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [program, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...env },
  })
  const events: PrintedEvent[] = []
  let complaint = ''
  let listeners: (() => void)[] = []
  const wake = () => {
    for (const listener of listeners.splice(0)) listener()
  }
  createInterface({ input: child.stdout! }).on('line', (line) => {
    events.push(readPrintedEvent(line))
    wake()
  })
  child.stderr!.on('data', (chunk) => {
    complaint += chunk
  })
  const exited = once(child, 'close').then(wake)
  closers.push(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    child,
    events,
    event: async (name) => {
      for (;;) {
        const found = events.find((each) => each.event === name)
        if (found) return found
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended with ${child.exitCode} before ${name}: ${complaint}`)
        await new Promise<void>((resolve) => {
          listeners = [...listeners, resolve]
        })
      }
    },
    end: async (signal) => {
      child.kill(signal)
      await exited
      return child.exitCode
    },
  }
}

type Outcome = { readonly exitCode: number; readonly out: string; readonly err: string }

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      { env: { ...environment, ...env }, timeout: 60_000, killSignal: 'SIGKILL' },
      (error, out, err) => resolve({ exitCode: error ? Number(error.code) : 0, out, err }),
    )
  })
}

const eventsOf = (outcome: Outcome) =>
  outcome.out
    .split('\n')
    .filter(Boolean)
    .map((line) => readPrintedEvent(line))

/** A folder of made-up notices, the newest `count` of the sample portals' journal. */
async function noticesFolder(count: number): Promise<string> {
  const folder = await newFolder()
  const now = Date.now()
  const epoch = Math.floor(now / 3_600_000) * 3_600_000
  for (const { path, write } of sampleDocuments(epoch, 'ted', now).slice(-count))
    await writeFile(join(folder, path.replaceAll('/', '_')), write())
  return folder
}

/** Makes an organization and a token as an operator with their own notices does. */
async function tokenFor(name: string, data: string): Promise<string> {
  await run(['organization', 'create', name, '--requests-per-minute', '500', '--data', data])
  const [token] = eventsOf(await run(['token', 'create', name, '--data', data, '--json']))
  return String(token!.token)
}

async function get(
  ready: PrintedEvent,
  query: string,
): Promise<{ status: number; body: { data: { id: string }[]; nextCursor: string | null; type?: string } }> {
  const token = ready.token ?? (await readFile(String(ready.tokenFile), 'utf8')).trim()
  const reply = await fetch(`${ready.api}/v1/tenders?${query}`, { headers: { authorization: `Bearer ${token}` } })
  return { status: reply.status, body: (await reply.json()) as { data: { id: string }[]; nextCursor: string | null } }
}

describe('start', () => {
  test('a fresh folder: samples, edition 1, a ready event, curl lines that work as printed, and SIGTERM ends with 0', async () => {
    const data = join(await newFolder(), 'made', 'data')
    const service = launch(['start', '--data', data, '--api-port', '0'])
    const ready = await service.event('ready')
    expect(ready).toMatchObject({
      event: 'ready',
      edition: 1,
      api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      tokenFile: join(data, 'trial-token'),
    })
    expect(ready.records).toBeGreaterThan(250)
    const read = service.events.filter(({ event }) => event === 'ingested')
    expect(read.map(({ source }) => source).sort()).toEqual(usualSampleSources.toSorted())
    expect(read.every(({ notices }) => Number(notices) > 0)).toBe(true)
    expect((await stat(join(data, 'trial-token'))).mode & 0o777).toBe(0o600)
    const page = await get(ready, 'limit=100')
    expect([page.status, page.body.data.length]).toEqual([200, 100])
    const reviews = eventsOf(await run(['review', 'list', '--data', data, '--json']))
    expect(reviews.map(({ event, rule }) => [event, rule])).toEqual(Array(2).fill(['review', 'uncorroborated']))
    expect(await service.end('SIGTERM')).toBe(0)

    // the second start: the same token, edition and cursor, before anything is read
    const child = spawn(process.execPath, [program, 'start', '--data', data, '--api-port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
    })
    closers.push(async () => child.kill('SIGKILL'))
    let out = ''
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        out += chunk
        if (out.includes('Stop: Ctrl+C')) resolve()
      })
    })
    expect(out).toContain(String(ready.tokenFile))
    expect(out).toContain('edition 1')
    const lines = out.split('\n').filter((line) => line.startsWith('curl '))
    expect(lines.length).toBe(3)
    for (const line of lines) {
      const answer = await new Promise<string>((resolve, reject) =>
        execFile('sh', ['-c', line], (error, stdout) => (error ? reject(error) : resolve(stdout))),
      )
      const { data: records } = JSON.parse(answer) as { data: unknown[] }
      expect(records.length, line).toBeGreaterThan(0)
    }
    const api = /http:\/\/127\.0\.0\.1:\d+/.exec(out)![0]
    const next = await get({ ...ready, api }, `limit=100&cursor=${encodeURIComponent(page.body.nextCursor!)}`)
    expect(next.status).toBe(200)
    expect(next.body.data.length).toBeGreaterThan(0)
    child.kill('SIGINT')
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
  })

  test('reads given notices: a second process is refused, commands work while it runs, tokens take effect, all in one process', async () => {
    const [data, notices] = [await putEmptyStock(await newFolder()), await noticesFolder(30)]
    const service = launch([
      'start',
      '--data',
      data,
      '--api-port',
      '0',
      '--ingest',
      notices,
      '--no-samples',
      '--trial-clock',
    ])
    const started = await service.event('ready')
    const ready: PrintedEvent = { ...started, token: await tokenFor('Acme', data) }
    const port = new URL(String(ready.api)).port

    const second = await run(['start', '--data', data, '--api-port', '0', '--no-samples'])
    expect(second).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/^The data folder .* is in use by another Tenderstock process.*\n$/),
    })
    const taken = await run(['start', '--data', await newFolder(), '--api-port', port, '--no-samples'])
    expect(taken).toMatchObject({ exitCode: 1, err: expect.stringMatching(/^Port \d+ on 127\.0\.0\.1 is in use.*\n$/) })

    const [status] = eventsOf(await run(['status', '--data', data, '--json']))
    expect(status).toMatchObject({
      event: 'status',
      documents: 30,
      waiting: 0,
      unpublished: 0,
      edition: { edition: 1, records: started.records },
    })
    expect((await run(['publish', '--data', data])).exitCode).toBe(4)

    const again = eventsOf(await run(['ingest', notices, '--data', data, '--json']))
    expect(again.find(({ event }) => event === 'ingested')).toMatchObject({ documents: 30, known: 30, notices: 0 })
    const rebuilt = eventsOf(await run(['rebuild', '--data', data, '--json'])).find(({ event }) => event === 'rebuilt')
    expect(rebuilt).toMatchObject({ isSame: true, documents: 30 })

    const [organization] = eventsOf(await run(['organization', 'list', '--data', data, '--json']))
    expect(organization).toMatchObject({ name: 'Acme', requestsPerMinute: 500, hasApiAccess: true })
    const [token] = eventsOf(await run(['token', 'create', 'Acme', '--data', data, '--json']))
    expect(token).toMatchObject({ organizationId: organization!.organizationId, token: expect.any(String) })
    expect((await get({ ...ready, token: token!.token }, 'limit=1')).status).toBe(200)
    expect(await run(['token', 'create', 'Acme', '--data', data])).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/two valid tokens/),
    })

    // a day later by the trial clock: cursors are too old, and what changed is in a new edition
    const { body } = await get(ready, 'limit=1')
    const clock = await run(['clock', 'advance', '--ms', String(24 * 3_600_000 + 60_000), '--data', data, '--json'])
    expect(clock.exitCode).toBe(0)
    const late = await get(ready, `limit=1&cursor=${encodeURIComponent(body.nextCursor!)}`)
    expect([late.status, late.body.type]).toEqual([400, expect.stringMatching(/#error-.*expired/)])
    expect(await service.end('SIGTERM')).toBe(0)
  })

  test('an empty stock says so, answers 503, and serves what is read later', async () => {
    const [data, notices] = [await putEmptyStock(await newFolder()), await noticesFolder(5)]
    const service = launch([
      'start',
      '--data',
      data,
      '--api-port',
      '0',
      '--no-samples',
      '--publish-interval-minutes',
      '0',
    ])
    const started = await service.event('ready')
    expect(started).toMatchObject({ edition: 0, records: 0, tokenFile: null })
    const ready: PrintedEvent = { ...started, token: await tokenFor('Acme', data) }
    expect(service.events.filter(({ event }) => event === 'warning').map(({ message }) => message)).toEqual([
      expect.stringMatching(/not conformant|at most one an hour/),
      expect.stringMatching(/stock is empty/),
    ])
    expect((await get(ready, 'limit=1')).status).toBe(503)
    await run(['ingest', notices, '--data', data])
    await service.event('published')
    expect((await get(ready, 'limit=1&archived=true')).status).toBe(200)
    expect(await service.end('SIGTERM')).toBe(0)
  })

  test('an error that the operator can fix is one sentence, a non-zero exit code and no stack', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'file'), '')
    const sentence = (text: RegExp) => expect.stringMatching(new RegExp(`${text.source}[^\\n]*\\n$`))
    expect(await run(['start', '--data', join(folder, 'file')])).toMatchObject({
      exitCode: 1,
      err: sentence(/^The folder .* cannot be created/),
    })
    expect(await run(['start', '--data', '/proc/tenderstock'])).toMatchObject({
      exitCode: 1,
      err: sentence(/^The folder \/proc\/tenderstock cannot be created/),
    })
    expect(await run(['start', '--data', folder], { DATABASE_URL: 'mysql://x' })).toMatchObject({
      exitCode: 2,
      err: sentence(/^DATABASE_URL is not a usable address/),
    })
    expect(
      await run(['status', '--data', folder], { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' }),
    ).toMatchObject({ exitCode: 1, err: expect.not.stringContaining('secret') })
    expect(await run(['start', '--data', join(folder, 'd'), '--api-host', '203.0.113.1'])).toMatchObject({
      exitCode: 1,
      err: sentence(/^This machine has no address/),
    })
    for (const [mistake, text, exitCode] of [
      [['--source', 'nonsense'], /^There is no source "nonsense"/, 8],
      [['--live', '--source', 'nonsense'], /^There is no source "nonsense"/, 8],
      [['--no-samples', '--ingest', join(folder, 'none')], /none cannot be read/, 1],
    ] as const)
      expect(await run(['start', '--data', join(folder, 'unmade'), ...mistake])).toMatchObject({
        exitCode,
        err: sentence(text),
      })
    expect(await run(['status', '--data', join(folder, 'unmade')])).toEqual({
      exitCode: 1,
      out: '',
      err: sentence(/^There is no stock in .*unmade/),
    })
    expect(existsSync(join(folder, 'unmade'))).toBe(false)
    await mkdir(join(folder, 'damaged', 'database'), { recursive: true })
    expect(await run(['start', '--data', join(folder, 'damaged')])).toMatchObject({
      exitCode: 1,
      err: expect.not.stringMatching(/\n {4}at /),
    })
    expect((await run(['ingest', await noticesFolder(1), '--data', join(folder, 'd')])).exitCode).toBe(0)
    await truncate(join(folder, 'd', 'database', 'global', 'pg_control'), 100)
    const damaged = await run(['start', '--data', join(folder, 'd'), '--api-port', '0'])
    expect(damaged.exitCode).toBe(1)
    expect(damaged.err).not.toMatch(/\n {4}at /)
    expect(damaged.err.trim().split('\n').length).toBe(1)
  })

  test('killed while it reads, it continues and ends with the same stock as an undisturbed run', async () => {
    const notices = await noticesFolder(250)
    const [killed, whole] = [await newFolder(), await putEmptyStock(await newFolder())]
    const args = (data: string) => ['start', '--data', data, '--api-port', '0', '--no-samples', '--ingest', notices]
    const first = launch(args(killed))
    await first.event('opened')
    // answered between two statements of the reading: it is in progress
    await run(['status', '--data', killed])
    await first.end('SIGKILL')
    const contents = []
    for (const data of [killed, whole]) {
      const service = launch(args(data))
      const ready = { ...(await service.event('ready')), token: await tokenFor('Acme', data) }
      const records: unknown[] = []
      for (let query = 'limit=100&archived=true'; ; ) {
        const { body } = await get(ready, query)
        records.push(...body.data.map(({ id, ...record }) => ({ ...record, id, checkedAt: '', lastModified: '' })))
        if (body.nextCursor === null) break
        query = `limit=100&archived=true&cursor=${encodeURIComponent(body.nextCursor)}`
      }
      contents.push(records.map((each) => JSON.stringify(each)).sort())
      expect(await service.end('SIGTERM')).toBe(0)
    }
    expect(contents[0]!.length).toBeGreaterThan(50)
    expect(contents[0]).toEqual(contents[1])
    expect(existsSync(join(killed, 'trial-token'))).toBe(false)
  })

  test('serve answers the API alone', async () => {
    const [data, notices] = [await putEmptyStock(await newFolder()), await noticesFolder(5)]
    expect((await run(['ingest', notices, '--data', data])).exitCode).toBe(0)
    expect((await run(['publish', '--data', data])).exitCode).toBe(0)
    const token = await tokenFor('Acme', data)
    const service = launch(['serve', '--data', data, '--api-port', '0'])
    const ready = await service.event('ready')
    expect((await get({ ...ready, token }, 'archived=true')).body.data.length).toBe(ready.records)
    expect(await service.end('SIGTERM')).toBe(0)
  })

  test('by a program with newer rules, it derives the stock again, and an older program leaves it so', async () => {
    const data = await newFolder()
    const rules = { file: 'src/domain/stock-rules.ts', from: `  acts: ${stockRules.acts},` }
    const older = { NODE_OPTIONS: `--import=${plantingHook({ ...rules, name: 'older', to: '  acts: 0,' })}` }
    expect((await run(['ingest', await noticesFolder(10), '--data', data], older)).exitCode).toBe(0)
    expect((await run(['publish', '--data', data], older)).exitCode).toBe(0)
    const start = async (env: Record<string, string>) => {
      const service = launch(['start', '--data', data, '--api-port', '0', '--no-samples'], env)
      await service.event('consolidated')
      await service.event('ready')
      expect(await service.end('SIGTERM')).toBe(0)
      return service.events.filter(({ event, message }) => event === 'rebuilt' || String(message).includes('rules'))
    }
    expect(await start({})).toMatchObject([
      { event: 'warning', message: expect.stringMatching(/^These rules changed since the stock was derived: acts\./) },
      { event: 'rebuilt', documents: 10, isSame: true },
    ])
    expect(await start(older)).toEqual([])
  })
})

test.skipIf(testDatabaseUrl === undefined)(
  'waits for a database server that stops during the first round; a command then says so in one sentence',
  async () => {
    await using store = await openTestStore('server')
    const [data, notices] = [await putEmptyStock(await newFolder()), await noticesFolder(5)]
    const [lock, admin] = [await openStore(store.options), await openStore(store.options)]
    closers.push(lock.close, admin.close)
    const databaseUrl = { DATABASE_URL: store.options.databaseUrl! }
    /** Cuts the connections that wait for the locked table, once there are enough, as a crashing server does. */
    const cutWaiting = async (count: number) => {
      const waiting = sql<{ pid: number }>`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      const isThere = async () => (await waiting.execute(admin.db)).rows.length
      await expect.poll(isThere, { timeout: 60_000 }).toBeGreaterThanOrEqual(count)
      await sql`select pg_terminate_backend(pid) from (${waiting}) as waiting`.execute(admin.db)
    }
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const holding = inTransaction(lock, async (trx) => {
      await sql`lock table notice in access exclusive mode`.execute(trx)
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const args = ['--data', data, '--no-samples', '--api-port', '0', '--ingest', notices]
    const service = launch(['start', '--drain-seconds', '0', ...args], databaseUrl)
    await service.event('opened')
    await cutWaiting(1)
    const command = run(['ingest', notices, '--data', await newFolder()], databaseUrl)
    await expect
      .poll(() => service.events.filter(({ event }) => event === 'warning').map(({ message }) => message), {
        timeout: 60_000,
      })
      .toContainEqual(expect.stringMatching(/^Lost the database connection; retrying/))
    await cutWaiting(2)
    const { exitCode, err } = await command
    expect(exitCode).toBe(1)
    expect(err).toMatch(/^The connection to the database was lost \([^\n]*\n$/)
    released.resolve()
    await holding
    expect(await service.event('ready')).toMatchObject({ edition: 1 })
    expect(await service.end('SIGTERM')).toBe(0)
  },
)

test('a port in use at the first start is reported before any notice is read', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => server.close())
  const { port } = server.address() as import('node:net').AddressInfo
  const outcome = await run(['start', '--data', await newFolder(), '--api-port', String(port), '--json'])
  expect(outcome.exitCode).toBe(1)
  expect(eventsOf(outcome).map(({ event }) => event)).toEqual(['starting', 'error'])
})

// `tenderstock doctor` as an operator runs it, with real faults: a folder that cannot be written, a port that is in
// use, a server that is down, one that never answers, settings that lose data, a store that evicts, a clock that is
// wrong.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createWebServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs } from '../src/domain/time.ts'
import { systemClock } from '../src/platform/clock.ts'
import { publish } from '../src/publish/publish.ts'
import { simulate } from '../src/service/operations/simulate.ts'
import { openStore } from '../src/store/database/database.ts'
import { saveLastBackup } from '../src/store/nodes/last-backup.ts'
import { startService } from './conformance/trial-process.ts'
import { fakeTimeLibrary, openWrongClock } from './database-faults/wrong-clock.ts'
import { startMailReceiver } from './digests/mail-receiver.ts'
import { freePort } from './free-port.ts'
import { putNumbered } from './numbered-tenders.ts'
import { programOf } from './proxies/proxy-process.ts'
import { madeUpCertificate } from './testing/made-up-certificate.ts'
import { type PrintedEvent, readPrintedEvent } from './testing/printed-event.ts'
import { openEmptyDatabase, putEmptyStock, testDatabaseUrl } from './world.ts'

const program = join(import.meta.dirname, '../src/bin/tenderstock.ts')
const closers: (() => unknown)[] = []
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenderstock-doctor-'))
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
  rmSync(folder, { recursive: true })
})

type Report = {
  readonly code: number | null
  /** Messages by check and state. */
  readonly of: (check: string, state: 'ok' | 'warning' | 'problem') => string[]
  readonly events: readonly PrintedEvent[]
}

const none = { DATABASE_URL: '', REDIS_URL: '', TENDERSTOCK_CONTACT: '' }

const examine = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Report> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [program, 'doctor', '--json', ...args], {
      env: { ...process.env, ...none, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk))
    child.on('close', (code) => {
      const events = text
        .split('\n')
        .filter(Boolean)
        .map((line) => readPrintedEvent(line))
      const of: Report['of'] = (check, state) =>
        events
          .filter((each) => each['check'] === check && each['state'] === state)
          .map((each) => String(each['message']))
      resolve({ code, events, of })
    })
  })

const metrics = (port: number) => ['--metrics-port', String(port)]
const freePorts = async () => ['--api-port', String(await freePort()), '--console-port', String(await freePort())]

async function listen(onConnection: () => void = () => {}): Promise<number> {
  const server: Server = createServer(onConnection)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  return (server.address() as AddressInfo).port
}

async function startStore(policy: string, memory = '50mb'): Promise<string> {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  const limits = ['--maxmemory', memory, '--maxmemory-policy', policy]
  const child = spawn(programOf('redis-server') ?? programOf('valkey-server')!, [...args, ...limits], {
    stdio: 'ignore',
  })
  closers.push(() => child.kill())
  const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 })
  redis.on('error', () => {})
  while ((await redis.ping().catch(() => '')) !== 'PONG') await delay(20)
  redis.disconnect()
  return `redis://127.0.0.1:${port}`
}

test('it finds no problem before the first start, and leaves nothing behind', async () => {
  const data = join(folder, 'not', 'made', 'yet')
  const report = await examine(['--data', data, ...(await freePorts())])
  expect(report.events.at(-1)).toMatchObject({ event: 'findings', problems: 0 })
  expect(report.code).toBe(0)
  expect(report.of('disk', 'ok').join(' ')).toContain(`where ${data} would be made`)
  expect(report.of('settings', 'warning').join(' ')).toMatch(/TENDERSTOCK_CONTACT.*TENDERSTOCK_SMTP_URL/)
  expect(readdirSync(folder)).toEqual([])
})

test('each fault is reported as a problem, with a remedy', async () => {
  const data = join(folder, 'data')
  mkdirSync(data)
  writeFileSync(join(data, 'secret-key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o644 })
  chmodSync(data, 0o777)
  const taken = await listen()
  const report = await examine(
    ['--data', data, '--api-port', String(taken), '--console-port', String(await freePort()), ...metrics(taken)],
    { DATABASE_URL: 'postgres://u:very-secret@127.0.0.1:1/x', REDIS_URL: await startStore('allkeys-lru') },
  )
  expect(report.code).toBe(1)
  expect(report.of('secret key', 'problem').join()).toContain('chmod 600')
  expect(report.of('disk', 'problem').join()).toContain('chmod o-w')
  expect(report.of('api port', 'problem').join()).toMatch(/in use; stop the program that listens there/)
  expect(report.of('console port', 'ok')).toHaveLength(1)
  expect(report.of('metrics port', 'problem').join()).toMatch(/choose another with --metrics-port/)
  expect(report.of('database', 'problem').join()).toMatch(/ECONNREFUSED.*check DATABASE_URL/)
  expect(report.of('redis', 'problem').join()).toContain('allkeys-lru')
  expect(report.of('settings', 'warning').join(' ')).toMatch(/TENDERSTOCK_SECRET_KEY.*TENDERSTOCK_BASE_URL/)
  expect(JSON.stringify(report.events)).not.toContain('very-secret')
  expect(readdirSync(data)).toEqual(['secret-key'])
})

test('it names a mail server that does not answer, mistyped settings, an old backup and addresses that lead elsewhere', async () => {
  const data = await putEmptyStock(join(folder, 'month'))
  const store = await openStore({ dataFolder: data })
  await putNumbered(store, 0, 5)
  await publish(store, { now: Date.now() - hourMs, minIntervalMs: 0, overrideGate: true })
  await saveLastBackup(store.db, Date.now() - 40 * hourMs)
  await store.close()
  const elsewhere = createWebServer((_request, response) => response.end('It works!'))
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
  closers.push(() => elsewhere.close())
  const wrong = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  const [api, consolePort] = [await freePort(), await freePort()]
  const base = `http://127.0.0.1:${api}`
  const ports = ['--api-port', String(api), '--console-port', String(consolePort)]
  const service = spawn(process.execPath, [program, 'start', '--no-samples', '--data', data, ...ports, '--json'], {
    env: { ...process.env, ...none, TENDERSTOCK_BASE_URL: base },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  closers.push(() => service.kill())
  for await (const line of createInterface({ input: service.stdout }))
    if (readPrintedEvent(line).event === 'ready') break
  const faulty = {
    TENDERSTOCK_SMTP_URL: 'smtp://127.0.0.1:1',
    TENDERSTOCK_MAIL_FROM: 'tenders@example.org',
    TENDERSTOCK_CONTAKT: 'ops@example.org',
    TENDERSTOCK_BASE_URL: wrong,
    TENDERSTOCK_CONSOLE_URL: `https://127.0.0.1:${await freePort()}`,
  }
  let report = await examine(['--data', data, ...ports], faulty)
  // on a busy machine the time limit of a check may end it
  for (let time = 0; time < 5 && report.of('service', 'ok').length === 0; time++)
    report = await examine(['--data', data, ...ports], faulty)
  expect(report.of('mail', 'problem').join()).toMatch(/cannot be reached \(.*ECONNREFUSED.*TENDERSTOCK_SMTP_URL/)
  expect(report.of('settings', 'problem').join()).toMatch(/TENDERSTOCK_CONTAKT is no setting.*TENDERSTOCK_CONTACT\?/)
  expect(report.of('service', 'problem').join()).toContain('The newest backup is 40 hours old')
  expect(report.of('service', 'warning').join()).toContain('tenderstock drill')
  expect(report.of('addresses', 'problem').join(' ')).toMatch(/BASE_URL .* does not lead here.*leads nowhere/)
  await using mails = await startMailReceiver()
  const right = {
    TENDERSTOCK_SMTP_URL: `smtp://127.0.0.1:${mails.settings.port}`,
    TENDERSTOCK_MAIL_FROM: 'tenders@example.org',
    TENDERSTOCK_BASE_URL: base,
  }
  const well = await examine(['--data', data, ...ports], right)
  expect([...well.of('mail', 'ok'), ...well.of('addresses', 'ok')]).toEqual([
    'The mail server 127.0.0.1 accepts mails from tenders@example.org.',
    'TENDERSTOCK_BASE_URL leads to this service.',
  ])
  expect(mails.received).toEqual([])
}, 240_000)

test.skipIf(programOf('openssl') === undefined)(
  'it asks the console by https, and says if its certificate is not accepted',
  async () => {
    const { key, certificate } = madeUpCertificate(folder, 'IP:127.0.0.1')
    const served = { key: readFileSync(key), cert: readFileSync(certificate) }
    const proxy = createSecureServer(served, (_request, response) => response.end('<title>Tenderstock</title>'))
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    closers.push(() => proxy.close())
    const TENDERSTOCK_CONSOLE_URL = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const args = ['--data', join(folder, 'none'), ...(await freePorts())]
    const well = await examine(args, { TENDERSTOCK_CONSOLE_URL, NODE_EXTRA_CA_CERTS: certificate })
    expect(well.of('addresses', 'ok')).toEqual(['TENDERSTOCK_CONSOLE_URL leads to this service.'])
    const untrusted = await examine(args, { TENDERSTOCK_CONSOLE_URL })
    expect(untrusted.of('addresses', 'warning').join()).toMatch(/leads nowhere \(.*certificate/i)
  },
)

test('it reports an unwritable folder, a server that never answers, and unreachable portals', async () => {
  // a folder that not even root may write to
  const stopped = new AbortController()
  const base = await new Promise<string>((resolve) => {
    const options = { sources: ['doe'], faults: [], port: 0, speed: 1, clock: systemClock, stop: stopped.signal }
    void simulate({ ...options, emit: (event) => event.event === 'simulating' && resolve(event.base) })
    closers.push(() => stopped.abort())
  })
  const portals = ['--live', '--source', 'doe', '--simulator']
  const silent = await listen()
  const report = await examine(['--data', '/proc/tenderstock', ...(await freePorts()), ...portals, base], {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${silent}/x`,
    TENDERSTOCK_CONTACT: 'ops@example.org',
  })
  expect(report.of('disk', 'problem').join(' ')).toMatch(/\/proc cannot be written/)
  expect(report.of('database', 'problem')).toHaveLength(1)
  // on a busy machine the time limit of a check may end it
  expect([...report.of('portal', 'ok'), ...report.of('portal', 'problem')]).toEqual([
    expect.stringMatching(/^The portal of doe (answers as its card says|did not answer within 5 s)/),
  ])
  const away = await examine(['--data', folder, ...(await freePorts()), ...portals, 'http://127.0.0.1:1'])
  expect(away.of('portal', 'problem')).toHaveLength(1)
  // a simulator needs no contact address
  expect(away.of('settings', 'problem')).toEqual([])
})

test('an invalid setting does not hide other problems', async () => {
  const report = await examine(['--data', folder, ...(await freePorts())], {
    TENDERSTOCK_BASE_URL: 'https://x.example/y',
  })
  expect(report.of('settings', 'problem').join()).toMatch(/^TENDERSTOCK_BASE_URL has a path/)
  expect(report.of('disk', 'ok')).toHaveLength(2)
  expect(report.code).toBe(1)
})

test('beside the running service its ports are not a problem', { timeout: 300_000 }, async () => {
  const metricsPort = await freePort()
  const service = await startService({ files: [], until: 'ready', args: metrics(metricsPort) })
  try {
    const { port } = new URL(service.api())
    const consolePort = /"console":"http:\/\/[^:]+:(\d+)"/.exec(service.output())![1]!
    const ports = ['--api-port', port, '--console-port', consolePort, ...metrics(metricsPort)]
    const report = await examine(['--data', service.data, ...ports])
    expect(report.of('service', 'ok').join()).toMatch(/^A service runs/)
    for (const check of ['api port', 'console port', 'metrics port'])
      expect(report.of(check, 'ok').join()).toMatch(/the running service/)
    expect(report.events.at(-1)).toMatchObject({ problems: 0 })
    // what another program uses is not its own
    const taken = await listen()
    const other = await examine(['--data', service.data, '--api-port', port, '--console-port', String(taken)])
    expect(other.of('console port', 'problem')).toHaveLength(1)
  } finally {
    await service.stop()
  }
})

describe.skipIf(testDatabaseUrl === undefined)('with a server', () => {
  test('it reports settings that lose data, an encoding other than UTF8, and a wrong clock', async () => {
    await using database = await openEmptyDatabase()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const name = new URL(database.url).pathname.slice(1)
    const { rows } = await client.query<{ fsync: string }>('show fsync')
    const redis = await startStore('noeviction')
    const env = { DATABASE_URL: database.url, REDIS_URL: redis }
    const well = await examine(['--data', folder, ...(await freePorts())], env)
    expect(well.of('database', 'problem')).toEqual(
      rows[0]!.fsync === 'on' ? [] : [expect.stringMatching(/^fsync or full_page_writes is off/)],
    )
    expect(well.of('database', 'ok').join(' ')).toMatch(/runs PostgreSQL \d+.*free connections.*differ by \d+ ms/)
    expect(well.of('redis', 'ok')).toHaveLength(1)
    // it would evict, and has no limit beyond which it does
    const boundless = await startStore('allkeys-lru', '0')
    const odds = await examine(['--data', folder, ...(await freePorts())], { REDIS_URL: boundless })
    expect([odds.of('redis', 'problem'), odds.of('redis', 'warning').length]).toEqual([[], 1])

    await client.query(`alter database ${name} set synchronous_commit = off`)
    await client.query(`create database ${name}_latin encoding 'LATIN1' template template0 lc_collate 'C' lc_ctype 'C'`)
    await client.query(`alter database ${name}_latin set track_activities = off`)
    const library = fakeTimeLibrary()
    expect(existsSync(library ?? ''), 'the package faketime').toBe(true)
    const clock = await openWrongClock(library!, join(folder, 'clock'), 3600)
    const latin = new URL(database.url)
    latin.pathname = `/${name}_latin`
    try {
      const off = await examine(['--data', folder, ...(await freePorts())], { ...env, ...clock.env })
      expect(off.of('database', 'problem').join(' ')).toMatch(/synchronous_commit is off.*1 h ahead of the database's/)
      const odd = await examine(['--data', folder, ...(await freePorts())], { ...env, DATABASE_URL: latin.href })
      expect(odd.of('database', 'problem').join(' ')).toMatch(/LATIN1.*pg_stat_activity/)
    } finally {
      await client.query(`drop database ${name}_latin`)
      await client.end()
    }
  })
})

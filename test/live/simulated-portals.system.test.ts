// `start --live --simulator`: the workers of production read portals on this machine, and publish; no contact address
// is sent.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { simulate } from '../../src/service/operations/simulate.ts'
import { type PrintedEvent, readPrintedEvent } from '../testing/printed-event.ts'
import { putEmptyStock } from '../world.ts'

const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Portals behind a server that records what each request says about its sender. */
async function startPortals(): Promise<{ readonly url: string; readonly senders: Set<string> }> {
  const stopped = new AbortController()
  closers.push(() => stopped.abort())
  const target = await new Promise<string>((resolve, reject) => {
    const options = { sources: ['ted', 'doe'], faults: [], port: 0, speed: 1, clock: systemClock, stop: stopped.signal }
    simulate({ ...options, emit: (event) => event.event === 'simulating' && resolve(event.base) }).catch(reject)
  })
  const senders = new Set<string>()
  const server = createServer((asked, answer) => {
    senders.add(JSON.stringify([asked.headers['user-agent'], asked.headers['from'], asked.headers['authorization']]))
    const onward = httpRequest(`${target}${asked.url}`, { method: asked.method!, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode!, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, senders }
}

function run(args: readonly string[]): {
  readonly child: ChildProcess
  readonly events: PrintedEvent[]
  readonly end: Promise<number | null>
} {
  const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '', TENDERSTOCK_CONTACT: 'anna@operator.example' }
  const child = spawn(process.execPath, [program, ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  closers.push(() => child.kill('SIGKILL'))
  const events: PrintedEvent[] = []
  createInterface({ input: child.stdout! }).on('line', (line) => void events.push(readPrintedEvent(line)))
  return { child, events, end: new Promise((done) => child.once('close', done)) }
}

test('the workers receive notices, and an edition is published', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-simulated-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  const data = await putEmptyStock(join(folder, 'data'))
  const { url, senders } = await startPortals()
  const start = ['start', '--live', '--data', data, '--api-port', '0', '--source', 'ted', 'doe']
  const since = new Date(Date.now() - 4 * 86_400_000).toISOString().slice(0, 10)
  const service = run([...start, '--backfill-since', since, '--simulator', url])
  const of = (name: string) => service.events.filter(({ event }) => event === name)
  await expect.poll(() => of('published').length, { timeout: 280_000, interval: 200 }).toBeGreaterThan(0)
  expect(of('sourcesStarted')).toMatchObject([{ running: 2 }])
  expect(new Set(of('sourceRead').map(({ source }) => source))).toEqual(new Set(['ted', 'doe']))
  expect(of('published')[0]).toMatchObject({ edition: 1, records: expect.any(Number) })
  expect(Number(of('published')[0]!['records'])).toBeGreaterThan(10)
  expect(of('warning').map(({ message }) => message)).toContainEqual(expect.stringContaining('made-up notices'))
  // a simulator receives no contact address
  expect(senders.size).toBeGreaterThan(0)
  expect([...senders].join()).not.toContain('operator.example')
  expect([...senders].every((sender) => sender.includes('simulator.invalid'))).toBe(true)
  service.child.kill('SIGTERM')
  expect(await service.end).toBe(0)

  // made-up notices and real ones never mix
  const real = run(start)
  expect(await real.end).toBe(1)
  expect(real.events.at(-1)).toMatchObject({ event: 'error', message: expect.stringContaining('made-up notices') })
})

test('an address that is not a simulator, and one without --live, are usage errors', async () => {
  const data = join(tmpdir(), 'tenderstock-never-made')
  for (const [args, text] of [
    [['--live', '--simulator', 'https://ted.europa.eu'], /the address that `tenderstock simulate` prints/],
    [['--simulator', 'http://127.0.0.1:8090'], /--simulator takes the place of the portals of --live/],
  ] as const) {
    const { events, end } = run(['start', '--data', data, '--api-port', '0', ...args])
    expect(await end).toBe(2)
    expect(events.at(-1)).toMatchObject({ event: 'error', exitCode: 2, message: expect.stringMatching(text) })
  }
})

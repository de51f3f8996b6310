// `start --live --simulator`: the workers of production read portals on this machine, and publish; no contact address
// is sent.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { putEmptyStock } from '../world.ts'
import { openPortals, runProgram } from './live-program.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Portals behind a server that records what each request says about its sender. */
async function startPortals(): Promise<{ readonly url: string; readonly senders: Set<string> }> {
  const senders = new Set<string>()
  const url = await openPortals(['ted', 'doe'], closers, ({ headers }) => {
    senders.add(JSON.stringify([headers['user-agent'], headers['from'], headers['authorization']]))
    return false
  })
  return { url, senders }
}

const run = (args: readonly string[]) => runProgram(args, closers)

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

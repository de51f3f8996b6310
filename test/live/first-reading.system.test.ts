// While the portals are read for the first time, `status` says that the first edition waits for that, and until when.
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { readPrintedEvent } from '../testing/printed-event.ts'
import { putEmptyStock } from '../world.ts'

const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')
const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '' }

test('the next edition is announced for the end of the first reading, never for now', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-first-reading-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const data = await putEmptyStock(join(folder, 'data'))
  // portals that take every request and never answer
  const portals = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((done) => portals.once('listening', done))
  onTestFinished(() => portals.closeAllConnections())
  const { port } = portals.address() as AddressInfo
  const args = ['start', '--live', '--source', 'ted', '--simulator', `http://127.0.0.1:${port}`, '--data', data]
  const startedAt = Date.now()
  const child = spawn(process.execPath, [program, ...args, '--api-port', '0', '--console-port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout! }))
    if (readPrintedEvent(line).event === 'ready') break
  const readyAt = Date.now()
  const say = (...words: readonly string[]) =>
    new Promise<string>((done) =>
      execFile(process.execPath, [program, 'status', '--data', data, ...words], { env }, (_, out) => done(out)),
    )
  const status = JSON.parse(await say('--json')) as {
    readonly nextPublication: string
    readonly firstReading: unknown
  }
  expect(status.firstReading).toMatchObject({ total: 1, read: 0, waitsFor: ['ted'] })
  const [longestMs, at] = [15 * 60_000, Date.parse(status.nextPublication)]
  expect(at).toBeGreaterThanOrEqual(startedAt + longestMs)
  expect(at).toBeLessThanOrEqual(readyAt + longestMs)
  expect(await say()).toMatch(
    /Next one +the first one at .* UTC at the latest; read 0 of 1 portal(, 1 fails)?, not yet: ted; 0 records so far/,
  )
})

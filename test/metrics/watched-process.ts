// A real service with /metrics in a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readPrintedEvent } from '../testing/printed-event.ts'
import { putEmptyStock } from '../world.ts'

const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')

export type ServiceProcess = AsyncDisposable & {
  readonly pid: number
  readonly folder: string
  readonly ready: { readonly [member: string]: unknown } & { readonly api: string; readonly metrics: string }
  /** What it has written on standard error so far: its log. */
  readonly log: () => string
  readonly scrape: () => Promise<string>
}

/** Starts `tenderstock` and waits until it is ready. `nodeArgs` come before the program. */
export async function startService(
  args: readonly string[],
  { env = {}, nodeArgs = [] }: { readonly env?: Record<string, string>; readonly nodeArgs?: readonly string[] } = {},
): Promise<ServiceProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-metrics-'))
  if (env['DATABASE_URL'] === undefined) await putEmptyStock(join(folder, 'data'))
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
  const places = ['--data', join(folder, 'data'), '--api-port', '0', '--metrics-port', '0', '--json']
  const child = spawn(process.execPath, [...nodeArgs, program, ...args, ...places], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...env },
  })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  // also if a test that waits for it is abandoned
  process.once('exit', () => child.kill('SIGKILL'))
  const closed = once(child, 'close')
  const end = async () => {
    child.kill('SIGKILL')
    await closed
    await rm(folder, { recursive: true, force: true })
  }
  const ready = Promise.withResolvers<ServiceProcess['ready']>()
  let lastLine = ''
  createInterface({ input: child.stdout }).on('line', (line) => {
    lastLine = line
    const event = readPrintedEvent(line)
    if (event.event === 'ready') ready.resolve(event as unknown as ServiceProcess['ready'])
  })
  void closed.then(([code]) =>
    ready.reject(new Error(`the service ended with ${code} before it was ready: ${lastLine}\n${log}`)),
  )
  try {
    const known = await ready.promise
    return {
      pid: child.pid!,
      folder: join(folder, 'data'),
      ready: known,
      log: () => log,
      scrape: async () => (await fetch(known.metrics)).text(),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

// A process of the service on a database server, seen from outside: its events, its log, its API, its end.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const program = new URL('../../src/bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env

type Event = { readonly event: string; readonly [member: string]: unknown }

export type NodeProcess = AsyncDisposable & {
  readonly child: ChildProcess
  readonly events: readonly Event[]
  /** Everything that it wrote to standard error: its log, a line of JSON each, and why it ended. */
  readonly log: () => string
  /** Resolves with the first event of that name; rejects if the process ends before. */
  readonly event: (name: string) => Promise<Event>
  readonly get: (path: string, token?: string) => Promise<Response>
  /**
   * Sends SIGTERM; resolves to the exit code and the milliseconds it took. Rejects if it takes longer than `limitMs`.
   */
  readonly end: (limitMs: number) => Promise<{ readonly exitCode: number | null; readonly tookMs: number }>
}

export type LaunchOptions = {
  /** Empty: the embedded engine. */
  readonly databaseUrl: string
  readonly env?: { readonly [name: string]: string }
}

export function launchNode(args: readonly string[], { databaseUrl, env = {} }: LaunchOptions): NodeProcess {
  // a stop is not to wait for load balancers, unless a test says so
  const own = [...args, '--json']
  for (const option of ['--drain-seconds', '--api-port']) if (!args.includes(option)) own.push(option, '0')
  const child = spawn(process.execPath, [program, ...own], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...env, ...(databaseUrl !== '' && { DATABASE_URL: databaseUrl }) },
  })
  const events: Event[] = []
  let log = ''
  let listeners: (() => void)[] = []
  const tell = () => {
    for (const listener of listeners.splice(0)) listener()
  }
  createInterface({ input: child.stdout! }).on('line', (line) => {
    events.push(JSON.parse(line) as Event)
    tell()
  })
  child.stderr!.on('data', (chunk) => {
    log += chunk
  })
  const exited = once(child, 'close').then(tell)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const event = async (name: string): Promise<Event> => {
    for (;;) {
      const found = events.find((each) => each.event === name)
      if (found) return found
      if (hasEnded()) throw new Error(`ended with ${child.exitCode} before ${name}: ${log}`)
      await new Promise<void>((resolve) => {
        listeners = [...listeners, resolve]
      })
    }
  }
  return {
    child,
    events,
    log: () => log,
    event,
    get: async (path, token) => {
      const ready = await event('ready')
      return fetch(`${ready.api}${path}`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
    },
    end: async (limitMs) => {
      const startedAt = performance.now()
      child.kill('SIGTERM')
      const tooLate = AbortSignal.timeout(limitMs)
      await Promise.race([exited, once(tooLate, 'abort')])
      if (!hasEnded()) throw new Error(`goes on ${limitMs} ms after SIGTERM: ${log}`)
      return { exitCode: child.exitCode, tookMs: Math.round(performance.now() - startedAt) }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

export type Outcome = { readonly exitCode: number; readonly out: string; readonly err: string }

/** Runs one command to its end. */
export function runCommand(args: readonly string[], { databaseUrl, env = {} }: LaunchOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...args],
      {
        env: { ...environment, ...env, ...(databaseUrl !== '' && { DATABASE_URL: databaseUrl }) },
        timeout: 60_000,
        killSignal: 'SIGKILL',
      },
      (error, out, err) => resolve({ exitCode: error ? Number(error.code) : 0, out, err }),
    )
  })
}

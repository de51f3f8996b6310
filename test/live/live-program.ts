// The program as an operator starts it, with simulated portals behind a server of the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '../../src/platform/clock.ts'
import { simulate } from '../../src/service/operations/simulate.ts'
import { type PrintedEvent, readPrintedEvent } from '../testing/printed-event.ts'

const program = join(import.meta.dirname, '../../src/bin/tenderstock.ts')

/** What runs until the test has ended. */
export type Closers = (() => unknown)[]

/**
 * The simulator of these sources behind a server that sees each request first: `take` returns true when it has answered
 * a request itself. Returns the server's address.
 */
export async function openPortals(
  sources: readonly string[],
  closers: Closers,
  take: (asked: IncomingMessage, answer: ServerResponse) => boolean,
): Promise<string> {
  const stopped = new AbortController()
  closers.push(() => stopped.abort())
  const target = await new Promise<string>((resolve, reject) => {
    const options = { sources, faults: [], port: 0, speed: 1, clock: systemClock, stop: stopped.signal }
    simulate({ ...options, emit: (event) => event.event === 'simulating' && resolve(event.base) }).catch(reject)
  })
  const server = createServer((asked, answer) => {
    if (take(asked, answer)) return
    const onward = httpRequest(`${target}${asked.url}`, { method: asked.method!, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode!, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * A command on the embedded engine, with the events that it prints and the code that it ends with. `node`: arguments of
 * Node.js.
 */
export function runProgram(
  args: readonly string[],
  closers: Closers,
  node: readonly string[] = [],
): { readonly child: ChildProcess; readonly events: PrintedEvent[]; readonly end: Promise<number | null> } {
  const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '', TENDERSTOCK_CONTACT: 'anna@operator.example' }
  const child = spawn(process.execPath, [...node, program, ...args, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  closers.push(() => child.kill('SIGKILL'))
  const events: PrintedEvent[] = []
  createInterface({ input: child.stdout }).on('line', (line) => void events.push(readPrintedEvent(line)))
  return { child, events, end: new Promise((done) => child.once('close', done)) }
}

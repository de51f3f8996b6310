// Runs as a separate process: sends requests at a fixed rate, regardless of the answers. A request that waits for a
// free connection counts as slow, so every stall of the service counts; this process's own lateness is reported
// separately. Run: node bench/speed/fixed-rate.ts TASK, a file. Writes one line for each answer to the file of the
// task: due (epoch ms), ms from when it was started to the end of the answer, ms from when it was due to when it was
// started. Prints each edition when an answer names it for the first time. Ends on SIGTERM, or when its time is over,
// and prints what it sent.

import { readFileSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { setPriority } from 'node:os'

export type FixedRateTask = {
  readonly port: number
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
  readonly headers: { readonly [name: string]: string }
  readonly paths: readonly string[]
  readonly file: string
}

export type EditionSeen = { readonly edition: number; readonly epochMs: number }
export type FixedRateSummary = { readonly sent: number; readonly errors: number }

type Connection = { readonly socket: Socket; asked: Asked; rest: number; head: string }
/** When a request was due, and when this process sent it. */
type Asked = { readonly dueMs: number; readonly takenMs: number }

/** Maximum bytes of one read: larger than an answer, so that a complete one is read at once. */
const readBytes = 1 << 18
const longestHead = 4096

async function run({ port, perSecond, seconds, connections, headers, paths, file }: FixedRateTask): Promise<void> {
  try {
    // on a machine without a spare core the generator has priority, or it would measure itself
    setPriority(-20)
  } catch {
    // not permitted: its lateness is reported
  }
  const common = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${common}\r\n`))
  const answers: (Asked & { readonly endMs: number })[] = []
  const free: Connection[] = []
  const waiting: Asked[] = []
  let errors = 0
  let sent = 0
  let edition = 0
  let isOver = false
  const started = performance.now()
  const send = (connection: Connection, asked: Asked): void => {
    connection.asked = asked
    connection.rest = -1
    connection.head = ''
    connection.socket.write(requests[sent++ % requests.length]!)
  }
  const done = (connection: Connection): void => {
    answers.push({ ...connection.asked, endMs: performance.now() })
    const next = waiting.shift()
    if (next === undefined) free.push(connection)
    else send(connection, next)
  }
  const readHead = (head: string): void => {
    if (!/^HTTP\/1\.1 (?:2|304)/.test(head)) errors++
    const newest = Number(/\r\nx-stock-state: (\d+)/i.exec(head)?.[1] ?? 0)
    if (newest <= edition) return
    edition = newest
    console.log(JSON.stringify({ edition, epochMs: performance.timeOrigin + performance.now() } satisfies EditionSeen))
  }
  const read = (connection: Connection, chunk: Buffer): void => {
    if (connection.rest < 0) {
      const before = connection.head.length
      // a body is not converted to a string: that would be most of this process's work
      connection.head += chunk.toString('latin1', 0, longestHead)
      const end = connection.head.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = connection.head.slice(0, end)
      readHead(head)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      connection.rest = length - (before + chunk.length - end - 4)
    } else connection.rest -= chunk.length
    if (connection.rest === 0) done(connection)
  }
  const buffer = Buffer.alloc(readBytes)
  for (let index = 0; index < connections; index++) {
    const connection: Connection = { socket: connect(), asked: { dueMs: 0, takenMs: 0 }, rest: -1, head: '' }
    function connect(): Socket {
      return createConnection({
        port,
        host: '127.0.0.1',
        noDelay: true,
        // each read is processed before the next, so all sockets may read into the same buffer
        onread: {
          buffer,
          callback: (length) => {
            read(connection, buffer.subarray(0, length))
            return true
          },
        },
      })
    }
    await new Promise<void>((resolve) => connection.socket.once('connect', resolve))
    connection.socket.on('close', () => {
      if (!isOver) errors++
    })
    free.push(connection)
  }
  const end = (): void => {
    if (isOver) return
    isOver = true
    clearInterval(timer)
    const endMs = performance.now()
    for (const asked of waiting) answers.push({ ...asked, endMs })
    const lines = answers.map(({ dueMs, takenMs, endMs }) =>
      [performance.timeOrigin + dueMs, endMs - takenMs, takenMs - dueMs].map((value) => value.toFixed(3)).join(' '),
    )
    writeFileSync(file, lines.join('\n'))
    console.log(JSON.stringify({ sent, errors } satisfies FixedRateSummary))
    process.exit(0)
  }
  let planned = 0
  const timer = setInterval(() => {
    const takenMs = performance.now()
    if (takenMs - started > seconds * 1000) return end()
    for (
      let dueMs = started + (planned * 1000) / perSecond;
      dueMs <= takenMs;
      dueMs = started + (planned * 1000) / perSecond
    ) {
      planned++
      const connection = free.shift()
      if (connection === undefined) waiting.push({ dueMs, takenMs })
      else send(connection, { dueMs, takenMs })
    }
  }, 1)
  process.once('SIGTERM', end)
}

if (import.meta.main) await run(JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as FixedRateTask)

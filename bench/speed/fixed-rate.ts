// Run as a process of its own: sends requests at a fixed rate, whatever the answers do, and times each from when it was due. A
// request that waits for a free connection, or for this process itself, counts as slow, so no stall is left out.
// Run: node bench/speed/fixed-rate.ts TASK, a file. Writes one line for each answer to the file of the task: due (epoch ms), latency ms.
// Ends on SIGTERM, or when its time is over; prints how late the process itself was.

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

export type FixedRateSummary = {
  readonly sent: number
  readonly errors: number
  /** How late requests left at the worst because this process was late, free connections at hand. */
  readonly ownLatenessMs: number
}

type Connection = { readonly socket: Socket; dueMs: number; rest: number; head: string }

async function run({ port, perSecond, seconds, connections, headers, paths, file }: FixedRateTask): Promise<void> {
  try {
    // on a machine without a core to spare the generator goes first, or it would measure itself
    setPriority(-10)
  } catch {
    // not permitted: what it was late is in the summary
  }
  const common = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${common}\r\n`))
  const dues: number[] = []
  const latencies: number[] = []
  const free: Connection[] = []
  const waiting: number[] = []
  let errors = 0
  let sent = 0
  let isOver = false
  let ownLatenessMs = 0
  const started = performance.now()
  const send = (connection: Connection, dueMs: number): void => {
    connection.dueMs = dueMs
    connection.rest = -1
    connection.head = ''
    connection.socket.write(requests[sent++ % requests.length]!)
  }
  const done = (connection: Connection): void => {
    dues.push(connection.dueMs)
    latencies.push(performance.now() - connection.dueMs)
    const next = waiting.shift()
    if (next === undefined) free.push(connection)
    else send(connection, next)
  }
  const read = (connection: Connection, chunk: Buffer): void => {
    if (connection.rest < 0) {
      connection.head += chunk.toString('latin1')
      const end = connection.head.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = connection.head.slice(0, end)
      if (!/^HTTP\/1\.1 (?:2|304)/.test(head)) errors++
      connection.rest = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) - (connection.head.length - end - 4)
    } else connection.rest -= chunk.length
    if (connection.rest === 0) done(connection)
  }
  for (let index = 0; index < connections; index++) {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    const connection: Connection = { socket, dueMs: 0, rest: -1, head: '' }
    socket.on('data', (chunk: Buffer) => read(connection, chunk))
    socket.on('close', () => {
      if (!isOver) errors++
    })
    free.push(connection)
  }
  const end = (): void => {
    if (isOver) return
    isOver = true
    clearInterval(timer)
    for (const dueMs of waiting) {
      dues.push(dueMs)
      latencies.push(performance.now() - dueMs)
    }
    writeFileSync(
      file,
      dues
        .map((due, index) => `${(performance.timeOrigin + due).toFixed(2)} ${latencies[index]!.toFixed(3)}`)
        .join('\n'),
    )
    console.log(JSON.stringify({ sent, errors, ownLatenessMs } satisfies FixedRateSummary))
    process.exit(0)
  }
  let planned = 0
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - started > seconds * 1000) return end()
    for (let due = started + (planned * 1000) / perSecond; due <= now; due = started + (planned * 1000) / perSecond) {
      planned++
      const connection = free.shift()
      if (connection === undefined) waiting.push(due)
      else {
        ownLatenessMs = Math.max(ownLatenessMs, now - due)
        send(connection, due)
      }
    }
  }, 1)
  process.once('SIGTERM', end)
}

if (import.meta.main) await run(JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as FixedRateTask)

// How many connections one address may hold: a single client must not take all that the process may open. Threads that
// share a port share the counts, each in a row of its own, so that those of a thread that ends are forgotten.
import { readdirSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import type { Clock } from './clock.ts'
import { maxOpenFiles } from './open-files.ts'

const slots = 8192
/** How often it is logged that connections are refused. */
const sayEveryMs = 60_000
/** One address may take this share of the files that the process can still open. */
const shareOfFiles = 4
const defaultLimit = 256

/** Memory for so many threads, which are numbered from 0. */
export const createConnectionMemory = (threads: number): SharedArrayBuffer =>
  new SharedArrayBuffer(threads * slots * Int32Array.BYTES_PER_ELEMENT)

/** Forgets the connections of a thread that has ended. */
export function forgetConnections(memory: SharedArrayBuffer, thread: number): void {
  new Int32Array(memory).fill(0, thread * slots, (thread + 1) * slots)
}

/**
 * The number of connections for one address: as set, by default 256, and no more than a quarter of the files that this
 * process can still open (Linux tells).
 */
export function connectionsPerAddress(set = defaultLimit): number {
  const limit = maxOpenFiles()
  if (limit === undefined) return set
  const left = limit - readdirSync('/proc/self/fd').length
  return Math.max(1, Math.min(set, Math.floor(left / shareOfFiles)))
}

export type ConnectionLimit = {
  readonly limit: number
  readonly memory: SharedArrayBuffer
  readonly thread: number
  /** A clock that only moves forwards. */
  readonly clock: Clock
  /** Called with a sentence, at most once a minute. */
  readonly warn: (message: string) => void
}

/** Closes connections to `server` above the limit at once. Call it when all its listeners are there. */
export function limitConnections(server: Server, { limit, memory, thread, clock, warn }: ConnectionLimit): void {
  const counts = new Int32Array(memory)
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  let saidAt = Number.NEGATIVE_INFINITY
  const refuse = (socket: Socket, address: string) => {
    socket.destroy()
    if (clock() - saidAt < sayEveryMs) return
    saidAt = clock()
    warn(
      `The address ${address} holds ${limit} connections; more of them are closed at once. If it is a proxy, ` +
        'set TENDERSTOCK_TRUSTED_HOPS. TENDERSTOCK_CONNECTIONS_PER_ADDRESS changes the limit, which is at most ' +
        'a quarter of the files that the process may open (ulimit -n).',
    )
  }
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const slot = slotOf(address)
    let held = 0
    for (let at = slot; at < counts.length; at += slots) held += Atomics.load(counts, at)
    if (held >= limit) return refuse(socket, address)
    Atomics.add(counts, thread * slots + slot, 1)
    socket.once('close', () => Atomics.sub(counts, thread * slots + slot, 1))
    for (const listener of listeners) listener.call(server, socket)
  })
}

/** FNV-1a. Addresses that share a slot share the limit: rare, and only for as long as both hold many. */
function slotOf(address: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < address.length; index++)
    hash = Math.imul(hash ^ address.charCodeAt(index), 0x01000193) >>> 0
  return hash % slots
}

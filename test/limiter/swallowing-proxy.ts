// A thread between processes and a server: it forwards bytes immediately, late, or not at all. It is a separate thread,
// so that a busy test delays nothing.
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

type ProxyMode =
  | { readonly kind: 'pass' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'swallow' }
  /** The existing connections swallow permanently; new ones pass. */
  | { readonly kind: 'lose' }

export type SwallowingProxy = {
  readonly port: number
  /** Applies to everything that arrives from now on; swallowed bytes never arrive. */
  readonly set: (mode: ProxyMode) => void
  /** Maximum time in ms that an answer took from here and back since the last call, or that this thread was stopped. */
  readonly slowestMs: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Listens on loopback and connects to `port` there. */
export async function startSwallowingProxy(port: number): Promise<SwallowingProxy> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port }, execArgv: [] })
  const listening = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return {
    port: listening,
    set: (mode) => worker.postMessage(mode),
    slowestMs: () => {
      const answer = new Promise<number>((resolve) => worker.once('message', resolve))
      worker.postMessage('slowest')
      return answer
    },
    close: async () => void (await worker.terminate()),
  }
}

if (!isMainThread && parentPort && workerData?.port) {
  let mode: ProxyMode = { kind: 'pass' }
  let lost = 0
  let connections = 0
  let slowestMs = 0
  let tickedMs = performance.now()
  setInterval(() => {
    slowestMs = Math.max(slowestMs, performance.now() - tickedMs)
    tickedMs = performance.now()
  }, 5)
  parentPort.on('message', (to: ProxyMode | 'slowest') => {
    if (to === 'slowest') {
      parentPort!.postMessage(slowestMs)
      slowestMs = 0
      return
    }
    mode = to
    if (to.kind === 'lose') lost = connections
  })
  /** Since when a connection waits for its answer. */
  const asked = new Map<number, number>()
  const pump = (from: Socket, to: Socket, connection: number, isAnswer: boolean): void => {
    // In order, whatever the mode was.
    let turn = Promise.resolve()
    from.on('data', (bytes) => {
      const { kind } = mode
      if (kind === 'swallow' || connection <= lost) return
      if (!isAnswer && !asked.has(connection)) asked.set(connection, performance.now())
      const due = mode.kind === 'delay' ? delay(mode.ms) : undefined
      turn = turn.then(async () => {
        await due
        to.write(bytes)
        if (!isAnswer) return
        slowestMs = Math.max(slowestMs, performance.now() - (asked.get(connection) ?? performance.now()))
        asked.delete(connection)
      })
    })
    from.on('error', () => {})
    // Bytes under way still arrive.
    from.on('close', () => void turn.then(() => to.end()))
  }
  const server = createServer((client) => {
    const upstream = connect(workerData.port, '127.0.0.1')
    client.setNoDelay(true)
    upstream.setNoDelay(true)
    const connection = ++connections
    pump(client, upstream, connection, false)
    pump(upstream, client, connection, true)
  })
  server.listen(0, '127.0.0.1', () =>
    parentPort!.postMessage((server.address() as import('node:net').AddressInfo).port),
  )
}

// A TCP proxy that swallows bytes, like a dead host, a network that forgot a flow, or a frozen machine: nobody is
// informed.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type SwallowingProxy = AsyncDisposable & {
  readonly port: number
  /** Existing connections stay open on both sides; their bytes are dropped. New ones work. */
  readonly swallowOld: () => void
  /** New connections are accepted too, but nothing more. */
  readonly swallowAll: () => void
  /** New connections work again. Those that were swallowed stay so. */
  readonly heal: () => void
  /** Connections that were made since the last fault. */
  readonly made: () => number
}

type Flow = { readonly sockets: readonly Socket[]; isSwallowed: boolean }

/** Listens in front of a server on this machine. */
export async function openSwallowingProxy(target: {
  readonly host: string
  readonly port: number
}): Promise<SwallowingProxy> {
  const flows = new Set<Flow>()
  let swallowsNew = false
  let made = 0
  const server = createServer({ allowHalfOpen: true }, (near) => {
    made++
    if (swallowsNew) {
      near.on('error', () => {}).resume()
      flows.add({ sockets: [near], isSwallowed: true })
      return
    }
    const far = connect({ ...target, allowHalfOpen: true })
    const flow: Flow = { sockets: [near, far], isSwallowed: false }
    flows.add(flow)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => {
        if (!flow.isSwallowed) to.write(bytes)
      })
      from.on('end', () => {
        if (!flow.isSwallowed) to.end()
      })
      from.on('error', () => {
        if (!flow.isSwallowed) to.destroy()
      })
      from.on('close', () => {
        if (!flow.isSwallowed) to.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const swallowOld = () => {
    made = 0
    for (const flow of flows) flow.isSwallowed = true
  }
  return {
    port: (server.address() as AddressInfo).port,
    swallowOld,
    swallowAll: () => {
      swallowsNew = true
      swallowOld()
    },
    heal: () => {
      swallowsNew = false
    },
    made: () => made,
    [Symbol.asyncDispose]: async () => {
      for (const { sockets } of flows) for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

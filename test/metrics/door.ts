// A port that leads to a server of this machine, and that a test can close: its clients see a server that is down.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

type Door = AsyncDisposable & {
  readonly port: number
  /** Cuts all connections, and accepts none until it is opened again. */
  readonly shut: () => void
  readonly open: () => void
  /** From now on everything takes so much longer, each way. */
  readonly slowDown: (ms: number) => void
}

/** A port that leads to another one of this machine. */
export async function openDoor(target: { readonly host: string; readonly port: number }): Promise<Door> {
  const sockets = new Set<Socket>()
  let isOpen = true
  let delayMs = 0
  const server = createServer((socket) => {
    if (!isOpen) return void socket.destroy()
    const other = connect(target.port, target.host)
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (bytes) => {
        if (delayMs === 0) to.write(bytes)
        else setTimeout(() => to.write(bytes), delayMs)
      })
      from.on('end', () => setTimeout(() => to.end(), delayMs))
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    shut: () => {
      isOpen = false
      cut()
    },
    open: () => {
      isOpen = true
    },
    slowDown: (ms) => {
      delayMs = ms
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

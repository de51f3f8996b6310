// V8's profilers in the threads of a running service, through Node's inspector: samples of CPU and of allocations.

export type CallFrame = { readonly functionName: string; readonly url: string; readonly lineNumber: number }
export type CpuProfile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}
export type HeapNode = {
  readonly callFrame: CallFrame
  readonly selfSize: number
  readonly children: readonly HeapNode[]
}

/** Sends one command of the inspector's protocol to one thread. */
type Send = (method: string, parameters?: object) => Promise<{ readonly [member: string]: unknown }>

export type Inspector = {
  /** The worker threads; the main thread alone when there is none. */
  readonly threads: () => readonly Send[]
  readonly close: () => void
}

type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly sessionId?: string; readonly message?: string }
  readonly result?: { readonly [member: string]: unknown }
  readonly error?: { readonly message: string }
}

/** Connects to what `--inspect` prints, `ws://…`. */
export async function openInspector(address: string): Promise<Inspector> {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`${address} does not answer`)), { once: true })
  })
  const waiting = new Map<number, (message: Message) => void>()
  const workers = new Map<string, Send>()
  let next = 0
  const through =
    (post: (text: string) => void): Send =>
    (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++next
        waiting.set(id, ({ result, error }) =>
          error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result ?? {}),
        )
        post(JSON.stringify({ id, method, params }))
      })
  const main = through((text) => socket.send(text))
  const take = (text: string): void => {
    const message = JSON.parse(text) as Message
    if (message.id !== undefined) {
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    } else if (message.method === 'NodeWorker.attachedToWorker') {
      const sessionId = message.params!.sessionId!
      workers.set(
        sessionId,
        through((inner) => void main('NodeWorker.sendMessageToWorker', { sessionId, message: inner })),
      )
    } else if (message.method === 'NodeWorker.receivedMessageFromWorker') take(message.params!.message!)
  }
  socket.addEventListener('message', ({ data }) => take(String(data)))
  await main('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return {
    threads: () => (workers.size > 0 ? [...workers.values()] : [main]),
    close: () => socket.close(),
  }
}

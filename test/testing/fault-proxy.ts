// A proxy that fails in every way in which something between a client and the API fails: the clients of all languages
// are driven through the same faults.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type FileFaults, startFileFaults } from './file-faults.ts'
import type { Random } from './generate/random.ts'

/** What the API answered, unpacked. */
type Answer = { readonly status: number; readonly headers: Headers; readonly body: Buffer }
type Fault = (reply: ServerResponse, answer: Answer, socket: Socket) => void

const html = '<!doctype html><title>Bad gateway</title>'
const later = (ms: number): string => new Date(ms).toUTCString()

/** An answer in its place. */
const instead =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Fault =>
  (reply) =>
    void reply
      .writeHead(status, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/html', ...headers })
      .end(body)
const problem = (status: number, slug: string, headers: Readonly<Record<string, string>> = {}): Fault =>
  instead(
    status,
    JSON.stringify({ type: `https://docs.test.example/access#error-${slug}`, title: slug, status }),
    headers,
  )

/** The headers and the first half of what was to come. */
function half(reply: ServerResponse, bytes: Buffer, headers: Readonly<Record<string, string>>): void {
  reply.writeHead(200, { 'content-type': 'application/json', ...headers })
  reply.write(bytes.subarray(0, bytes.length >> 1))
}
const lengthOf = (bytes: Buffer) => ({ 'content-length': String(bytes.length) })
type Changeable = { data?: Changeable[]; nextCursor?: unknown; id?: unknown; lastModified?: unknown }
const changed =
  (change: (body: Changeable) => void): Fault =>
  (reply, { status, headers, body }) => {
    const parsed = JSON.parse(body.toString()) as Changeable
    change(parsed)
    reply.writeHead(status, { 'content-type': 'application/json', ...kept(headers) }).end(JSON.stringify(parsed))
  }

/** Faults by name. A client is killed by who started it: see `onKill`. */
const faults = {
  refused: (_, __, socket) => socket.resetAndDestroy(),
  closed: (_, __, socket) => socket.destroy(),
  cut: (reply, { body }, socket) => {
    half(reply, body, lengthOf(body))
    setTimeout(() => socket.end(), 5)
  },
  'cut without a length': (reply, { body }, socket) => {
    half(reply, body, { connection: 'close' })
    setTimeout(() => socket.end(), 5)
  },
  reset: (reply, { body }, socket) => {
    half(reply, body, lengthOf(body))
    setTimeout(() => socket.resetAndDestroy(), 5)
  },
  stalled: (reply, { body }) => half(reply, body, lengthOf(body)),
  silent: () => {},
  dripping: (reply, { body }) => {
    reply.writeHead(200, { 'content-type': 'application/json', ...lengthOf(body) })
    let at = 0
    const timer = setInterval(() => {
      if (reply.destroyed || at === body.length) clearInterval(timer)
      else reply.write(body.subarray(at, ++at))
    }, 60)
  },
  'cut gzip': (reply, { body }) => {
    const packed = gzipSync(body)
    const part = packed.subarray(0, packed.length >> 1)
    reply.writeHead(200, { 'content-encoding': 'gzip', ...lengthOf(part) }).end(part)
  },
  'damaged gzip': (reply, { body }) => {
    const packed = gzipSync(body)
    packed[packed.length >> 1]! ^= 0xff
    packed[packed.length - 6]! ^= 0xff
    reply.writeHead(200, { 'content-encoding': 'gzip', ...lengthOf(packed) }).end(packed)
  },
  '429': problem(429, 'rate-limited', { 'retry-after': '7' }),
  '429 until a date': problem(429, 'rate-limited', { 'retry-after': later(1e12 + 9000), date: later(1e12) }),
  '429 of a proxy': instead(429, html),
  '503': problem(503, 'unavailable', { 'retry-after': '11' }),
  '503 for no time': problem(503, 'unavailable', { 'retry-after': '0' }),
  '503 of a proxy': instead(503, html, { 'retry-after': 'soon' }),
  '500': problem(500, 'internal-error'),
  '502 of a proxy': instead(502, html),
  '504 without a body': instead(504),
  '408': instead(408),
  empty: instead(200),
  'a page of a proxy': instead(200, html),
  'another JSON': instead(200, '{"status":"ok"}'),
  'half an answer': changed((body) => {
    if (body.data) delete body.nextCursor
    else delete body.id
  }),
  'nested without end': instead(200, '['.repeat(200_000)),
  'an expired cursor': problem(400, 'cursor-expired'),
  'a refused token': problem(401, 'unauthorized'),
  'a redirect': instead(302, '', { location: 'http://127.0.0.1:9/v1/tenders' }),
  'not sorted': changed((body) => void body.data?.reverse()),
  'a record without its time': changed((body) => {
    for (const record of body.data ?? [body]) delete record.lastModified
  }),
  killed: () => {},
} as const satisfies Record<string, Fault>

export type FaultKind = keyof typeof faults
export const faultKinds = Object.keys(faults) as readonly FaultKind[]

/** What the clients use of the answer's headers. */
const kept = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => /^(?:date|x-|content-type$|retry-after$|etag$)/.test(name)))

export type FaultProxy = Disposable & {
  readonly origin: string
  /** How often each fault struck. */
  readonly struck: Map<FaultKind, number>
  /** What happens to files of whole editions. */
  readonly files: FileFaults
  /** Probability of a fault at a request; 0 lets all through. */
  rate: number
  /** Called at each request, before it is answered. */
  onRequest: () => void
  /** Kills the client that sent the request. */
  onKill: () => void
}

/** Starts a proxy in front of an API on this machine. */
export async function startFaultProxy(target: string, random: Random): Promise<FaultProxy> {
  const server = createServer((request, reply) => {
    void answer(request, reply).catch(() => request.socket.destroy())
  })
  // as cards: each kind comes once before any comes again
  let deck: FaultKind[] = []
  const draw = (): FaultKind => {
    if (deck.length === 0) deck = [...faultKinds]
    return deck.splice(random.integer(0, deck.length - 1), 1)[0]!
  }
  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    proxy.onRequest()
    if (request.url!.startsWith('/bulk/files/')) return files.pass(target + request.url, request, reply)
    const response = await fetch(target + request.url, {
      headers: { authorization: request.headers.authorization ?? '', accept: 'application/json' },
    })
    const body = Buffer.from(await response.arrayBuffer())
    const kind = response.ok && random.chance(proxy.rate) ? draw() : undefined
    // only who sent a cursor can be told that it expired
    const isPointless = kind === 'an expired cursor' && !request.url!.includes('cursor=')
    if (isPointless) deck.push(kind)
    if (kind === undefined || isPointless) {
      const isPacked = /gzip/.test(String(request.headers['accept-encoding']))
      const bytes = isPacked ? gzipSync(body) : body
      const coding = isPacked ? { 'content-encoding': 'gzip' } : {}
      reply.writeHead(response.status, { ...kept(response.headers), ...coding, ...lengthOf(bytes) }).end(bytes)
      return
    }
    proxy.struck.set(kind, (proxy.struck.get(kind) ?? 0) + 1)
    if (kind === 'killed') proxy.onKill()
    const fault: Fault = faults[kind]
    fault(reply, { status: response.status, headers: response.headers, body }, request.socket)
  }
  server.listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const files = await startFileFaults(random)
  const proxy: FaultProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    struck: new Map(),
    files,
    rate: 0,
    onRequest: () => {},
    onKill: () => {},
    [Symbol.dispose]: () => {
      files[Symbol.dispose]()
      server.close()
      server.closeAllConnections()
    },
  }
  return proxy
}

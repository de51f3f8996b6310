// Files of whole editions between a service and a client, and what goes wrong there. Where the service redirects to a
// bucket, the files come from another origin, with the same faults.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from './generate/random.ts'

type FileAnswer = { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer }
type Next = { isRefused: boolean; ignoresRange: boolean }

function send(reply: ServerResponse, { status, headers }: FileAnswer, body: Buffer): void {
  reply.writeHead(status, { ...headers, 'content-length': body.length }).end(body)
}

/** How long the client has to store what came. */
const cutMs = 150

/** The first half of what was to come. */
function cut(reply: ServerResponse, { status, headers, body }: FileAnswer): void {
  reply.writeHead(status, { ...headers, 'content-length': body.length })
  reply.write(body.subarray(0, body.length >> 1))
  setTimeout(() => reply.destroy(), cutMs)
}

const faults = {
  'a flipped byte': (reply, answer) => {
    const body = Buffer.from(answer.body)
    body[body.length >> 1]! ^= 1
    send(reply, answer, body)
  },
  'a cut file': cut,
  'too few bytes': (reply, answer) => send(reply, answer, answer.body.subarray(0, answer.body.length >> 1)),
  'too many bytes': (reply, answer) => send(reply, answer, Buffer.concat([answer.body, Buffer.alloc(100)])),
  '503 between parts': (reply, answer, next) => {
    next.isRefused = true
    cut(reply, answer)
  },
  'an ignored range': (reply, answer, next) => {
    next.ignoresRange = true
    cut(reply, answer)
  },
  'another origin': (reply, _, __, elsewhere) => void reply.writeHead(302, { location: elsewhere }).end(),
} as const satisfies Record<string, (reply: ServerResponse, answer: FileAnswer, next: Next, elsewhere: string) => void>

type FileFault = keyof typeof faults
export const fileFaultKinds = Object.keys(faults) as readonly FileFault[]

const kept = ['content-type', 'content-range', 'etag', 'accept-ranges', 'retry-after']

export type FileFaults = Disposable & {
  /** Probability of a fault at a request; a link meets one at most. */
  rate: number
  /** How often each fault struck. */
  readonly struck: Map<FileFault, number>
  /** How often the bytes of each link were sent. */
  readonly loads: Map<string, number>
  /** Values of `authorization` in requests for files; undefined: there was none. */
  readonly tokens: Set<string | undefined>
  /** How many requests the other origin received. */
  readonly elsewhere: () => number
  /** Answers a request for the file at this address, to which that link led. */
  readonly pass: (url: string, request: IncomingMessage, reply: ServerResponse, link?: string) => Promise<void>
}

export async function startFileFaults(random: Random): Promise<FileFaults> {
  const places: { readonly url: string; readonly link: string }[] = []
  const wronged = new Set<string>()
  const counts = { elsewhere: 0 }
  let deck: FileFault[] = []
  const next: Next = { isRefused: false, ignoresRange: false }
  const placed = (url: string, link: string) =>
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/${places.push({ url, link }) - 1}`

  const draw = (): FileFault => {
    if (deck.length === 0) deck = [...fileFaultKinds]
    return deck.splice(random.integer(0, deck.length - 1), 1)[0]!
  }

  const pass: FileFaults['pass'] = async (url, request, reply, link = url) => {
    const { range, authorization } = request.headers
    passing.tokens.add(authorization)
    const { isRefused, ignoresRange } = next
    next.isRefused = false
    if (isRefused) return void reply.writeHead(503, { 'retry-after': '1' }).end()
    const response = await fetch(url, {
      headers: { ...(authorization && { authorization }), ...(range && !ignoresRange && { range }) },
      redirect: 'manual',
    })
    const location = response.headers.get('location')
    if (location !== null) return void reply.writeHead(response.status, { location: placed(location, link) }).end()
    next.ignoresRange = false
    const headers = Object.fromEntries([...response.headers].filter(([name]) => kept.includes(name)))
    const answer = { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
    const isRight = !response.ok || wronged.has(link) || !random.chance(passing.rate)
    const kind = isRight ? undefined : draw()
    if (kind !== 'another origin') passing.loads.set(link, (passing.loads.get(link) ?? 0) + 1)
    if (kind === undefined) return send(reply, answer, answer.body)
    wronged.add(link)
    passing.struck.set(kind, (passing.struck.get(kind) ?? 0) + 1)
    faults[kind](reply, answer, next, placed(url, link))
  }

  const server = createServer((request, reply) => {
    counts.elsewhere++
    const { url, link } = places[Number(request.url!.slice(1))]!
    void pass(url, request, reply, link).catch(() => request.socket.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const passing: FileFaults = {
    rate: 0,
    struck: new Map(),
    loads: new Map(),
    tokens: new Set(),
    elsewhere: () => counts.elsewhere,
    pass,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return passing
}

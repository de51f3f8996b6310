// The portals of all sources as one server on loopback: what is published by now, in every portal's own protocol, with faults.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { dayMs } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import type { Source } from '../sources/source.ts'
import type { Visible } from './card-answer.ts'
import { type FaultDice, type FaultName, type Faults, faultDice, faultTable } from './faults.ts'
import { type PortalAnswer, type PortalServer, textAnswer } from './portal-answer.ts'
import type { PortalRequest } from './request-pattern.ts'
import { challenge, serveCard } from './serve-card.ts'
import { serveDoe } from './serve-doe.ts'
import { ownServers } from './serve-own.ts'
import { serveTed } from './serve-ted.ts'
import type { Shelf } from './shelf.ts'
import { simulated } from './simulated-source.ts'

export type SimulatorOptions = {
  readonly sources: Iterable<Source>
  readonly shelf: Shelf
  readonly clock: Clock
  /** The same seed and the same requests give the same answers and the same faults. */
  readonly seed: string
  /** Epoch milliseconds at which the made-up world begins; default the present moment. */
  readonly epoch?: number
  readonly faults?: Faults
  /** Default: a free one. */
  readonly port?: number
  /** Pause of the fault `slow` between two pieces, milliseconds; default 20. */
  readonly dripMs?: number
  /** What `Retry-After` says in seconds; default 1. */
  readonly retryAfterSeconds?: number
}

/** One version of one announcement that a portal shows. `bytes` are what the card's parser reads. */
type Published = {
  readonly id: string
  readonly noticeId: string
  readonly version: number
  /** Epoch milliseconds. */
  readonly publishedAt: number
  readonly bytes: Buffer
}

type SimulatedRequest = {
  readonly at: number
  readonly method: string
  /** The real address. */
  readonly url: string
  /** Whose host it is; undefined where no portal knows it. */
  readonly sourceId: string | undefined
  /** 0 when there was no answer. */
  readonly status: number
  readonly fault?: FaultName
  /** Faults of what a good answer says. */
  readonly contentFaults?: readonly FaultName[]
}

export type Simulator = {
  /** `http://127.0.0.1:<port>` */
  readonly base: string
  /** Where a request for the real address goes: for `openHttp`. */
  readonly route: (url: URL) => URL
  /**
   * The truth for tests: what a reader of everything has at that moment, oldest first. Entries that a portal replaced by
   * a newer state and shows no more are not among them.
   */
  readonly published: (sourceId: string, until?: number) => readonly Published[]
  /** Real hosts of a source that the simulator answers for. */
  readonly hostsOf: (sourceId: string) => readonly string[]
  readonly requestCount: () => number
  /** The newest requests, at most `keptRequests`, oldest first. */
  readonly requests: () => readonly SimulatedRequest[]
  readonly faultCounts: FaultDice['counts']
  readonly setFaults: (faults: Faults) => void
  readonly close: () => Promise<void>
}

/** An answer with the faults of content that it met; more may be added. */
type Answered = { readonly answer: PortalAnswer; readonly source: Source; readonly met: FaultName[] }

const keptRequests = 20_000
/** In front of the path of an address to which a portal has moved. */
const movedPath = '/moved'
const longestBody = 4 * 1024 * 1024

/** Starts the portals on 127.0.0.1. They know nothing but their shelf, so any number may serve the same. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { shelf, clock, seed } = options
  const epoch = options.epoch ?? clock()
  const dice = faultDice(seed, options.faults ?? {})
  const sources = [...options.sources].map(simulated)
  const portals = sources.map((source) => {
    const latest = latestHours(source)
    const visible: Visible = (now) => {
      const isSilent = dice.happens('silent', source.id, '')
      return shelf.entries(source, now).filter(({ publishedAt, id }) => {
        if (isSilent && publishedAt > epoch) return false
        const hours = dice.lateHours(source.id, id, latest)
        return hours === 0 || publishedAt + hours * 3_600_000 <= now
      })
    }
    const server =
      source.id === 'ted'
        ? serveTed(visible, seed)
        : source.id === 'doe'
          ? serveDoe(visible, shelf.tables)
          : (ownServers[source.id]?.(visible) ?? serveCard(source, visible, seed))
    return { source, server }
  })
  const byHost = new Map<string, { readonly source: Source; readonly server: PortalServer }[]>()
  for (const portal of portals)
    for (const host of portal.server.hosts) byHost.set(host, [...(byHost.get(host) ?? []), portal])

  const log: SimulatedRequest[] = []
  let requestCount = 0
  const banned = new Set<string>()
  const server = createServer((incoming, reply) => {
    serve(incoming, reply).catch((error: unknown) => {
      // a bug of the simulator, not of a portal: the developer must see it
      reply.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })

  const serve = async (incoming: IncomingMessage, reply: ServerResponse) => {
    const request = await readRequest(incoming)
    const now = clock()
    const note = (
      sourceId: string | undefined,
      status: number,
      fault?: FaultName,
      contentFaults: readonly FaultName[] = [],
    ) => {
      requestCount += 1
      if (log.length >= keptRequests) log.splice(0, keptRequests / 10)
      log.push({
        at: now,
        method: request?.method ?? '',
        url: request?.url.href ?? incoming.url ?? '',
        sourceId,
        status,
        ...(fault && { fault }),
        ...(contentFaults.length > 0 && { contentFaults }),
      })
    }
    if (!request) {
      note(undefined, 404)
      return send(reply, textAnswer(404, 'expected /<host>/<path>\n'))
    }
    const known = byHost.get(request.url.host)
    if (!known) {
      note(undefined, 404)
      return send(reply, textAnswer(404, `no portal has the host ${request.url.host}\n`))
    }
    // for clients that do not ask `route` first
    if (known.some(({ source }) => dice.isGone(source.id, now))) {
      note(known[0]!.source.id, 0, 'gone')
      return reply.socket?.resetAndDestroy()
    }
    if (request.url.pathname === '/robots.txt') {
      note(known[0]!.source.id, 200)
      return send(reply, textAnswer(200, robotsOf(known.map(({ source }) => source))))
    }
    const { answer, source, met } = await answerOf(request, now, known)
    const resource = `${request.method} ${request.url.href} ${request.body === '' ? '' : hash(request.body)}`
    const happens = (name: FaultName) => {
      const isMet = dice.happens(name, source.id, resource)
      if (isMet && faultTable[name].kind === 'content') met.push(name)
      return isMet
    }
    const fault = isMoved(incoming) ? undefined : faultOf(request, resource, happens)
    const spoiled = fault && spoiledAnswer(fault, answer, request, source)
    const given = spoiled ?? withVersion(request, answer, happens)
    note(source.id, fault === 'reset' ? 0 : given.status, fault, met)
    if (fault === 'reset' || fault === 'cut-short') return breakOff(reply, given, fault === 'reset')
    if (fault === 'slow') return drip(reply, given)
    const isPacked =
      /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') && given.status === 200 && happens('gzip')
    send(reply, given, isPacked, incoming.method === 'HEAD')
  }

  const answerOf = async (
    request: PortalRequest,
    now: number,
    known: readonly { readonly source: Source; readonly server: PortalServer }[],
  ): Promise<Answered> => {
    let other: Answered | undefined
    for (const { source, server: portal } of known) {
      const resource = `${request.method} ${request.url.href} ${request.body === '' ? '' : hash(request.body)}`
      const met: FaultName[] = []
      const happens = (name: FaultName) => {
        const isMet = dice.happens(name, source.id, resource)
        if (isMet) met.push(name)
        return isMet
      }
      const answer = await portal.answer({ request, now, happens })
      if (!answer) continue
      if (answer.status < 400) return { answer, source, met }
      other ??= { answer, source, met }
    }
    return other ?? { answer: textAnswer(404, 'there is nothing at this address'), source: known[0]!.source, met: [] }
  }

  /** The fault that happens to this request, if any. */
  const faultOf = (
    request: PortalRequest,
    resource: string,
    happens: (name: FaultName) => boolean,
  ): FaultName | undefined => {
    if (banned.delete(resource)) return 'rate-limit-bare'
    if (isFurtherPage(request) && happens('failing-offset')) return 'failing-offset'
    for (const name of answerFaults) {
      if (!happens(name)) continue
      if (name === 'forbidden') banned.add(resource)
      return name
    }
    return undefined
  }

  const spoiledAnswer = (
    name: FaultName,
    answer: PortalAnswer,
    request: PortalRequest,
    source: Source,
  ): PortalAnswer | undefined => {
    switch (name) {
      case 'waf-challenge':
        return { ...textAnswer(202, ''), headers: { 'x-amzn-waf-action': 'challenge' } }
      case 'cookie-challenge':
        return challenge()
      case 'rate-limit':
        return {
          ...textAnswer(429, 'Too many requests'),
          headers: { 'retry-after': String(options.retryAfterSeconds ?? 1) },
        }
      case 'rate-limit-bare':
        return textAnswer(429, 'Too many requests')
      case 'forbidden':
        return textAnswer(403, 'Forbidden')
      case 'server-error':
      case 'failing-offset':
        return textAnswer([500, 502, 503][request.url.href.length % 3]!, 'The portal has a fault')
      case 'maintenance':
        return textAnswer(
          200,
          '<!DOCTYPE html><html><body>The portal is down for maintenance.</body></html>',
          'text/html; charset=utf-8',
        )
      case 'error-body':
        return textAnswer(200, errorBody(source), 'application/json; charset=utf-8')
      case 'empty-body':
        return answer.status === 200 ? { ...answer, body: Buffer.alloc(0) } : undefined
      case 'cut-quietly':
        return answer.status === 200 && answer.body.length > 1
          ? { ...answer, body: answer.body.subarray(0, Math.floor(answer.body.length * 0.6)) }
          : undefined
      case 'redirect': {
        const to = new URL(request.url)
        to.pathname = `${movedPath}${to.pathname}`
        const status = request.method === 'GET' ? [302, 307, 308][request.url.href.length % 3]! : 307
        return { ...textAnswer(status, ''), headers: { location: to.href } }
      }
      default:
        return undefined
    }
  }

  /** ETag and Last-Modified, and 304 where the asker has this state. */
  const withVersion = (
    request: PortalRequest,
    answer: PortalAnswer,
    happens: (name: FaultName) => boolean,
  ): PortalAnswer => {
    if (answer.status !== 200 || request.method !== 'GET') return answer
    const etag = happens('unspecific-etag') ? '"version-1"' : (answer.etag ?? `"${hash(answer.body)}"`)
    const headers: Record<string, string> = { ...answer.headers, etag }
    if (answer.modifiedAt !== undefined) headers['last-modified'] = new Date(answer.modifiedAt).toUTCString()
    const isSame =
      request.headers['if-none-match'] !== undefined
        ? request.headers['if-none-match'] === etag || happens('stale-etag')
        : request.headers['if-modified-since'] !== undefined &&
          request.headers['if-modified-since'] === headers['last-modified']
    return isSame ? { status: 304, type: answer.type, body: Buffer.alloc(0), headers } : { ...answer, headers }
  }

  const drip = async (reply: ServerResponse, answer: PortalAnswer) => {
    writeHead(reply, answer, answer.body.length)
    const size = Math.max(1, Math.ceil(answer.body.length / 8))
    for (let at = 0; at < answer.body.length && !reply.destroyed; at += size) {
      reply.write(answer.body.subarray(at, at + size))
      await delay(options.dripMs ?? 20)
    }
    reply.end()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    base,
    route: (url) => {
      const isGone = (byHost.get(url.host) ?? []).some(({ source }) => dice.isGone(source.id, clock()))
      // nothing listens on the first port: refused, as by a host that is down
      return new URL(`${isGone ? 'http://127.0.0.1:1' : base}/${url.host}${url.pathname}${url.search}`)
    },
    published: (sourceId, until = clock()) => {
      const portal = portals.find(({ source }) => source.id === sourceId)
      if (!portal) throw new Error(`the simulator has no source ${sourceId}`)
      return portal.server.shown(until).map((entry) => ({
        id: entry.id,
        noticeId: entry.noticeId,
        version: entry.version,
        publishedAt: entry.publishedAt,
        bytes: Buffer.from(entry.text()),
      }))
    },
    hostsOf: (sourceId) => [...(portals.find(({ source }) => source.id === sourceId)?.server.hosts ?? [])],
    requestCount: () => requestCount,
    requests: () => [...log],
    faultCounts: dice.counts,
    setFaults: dice.change,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** In this order: the first that happens spoils the answer. */
const answerFaults = [
  'waf-challenge',
  'cookie-challenge',
  'rate-limit',
  'rate-limit-bare',
  'forbidden',
  'server-error',
  'reset',
  'maintenance',
  'error-body',
  'empty-body',
  'cut-short',
  'cut-quietly',
  'redirect',
  'slow',
] as const satisfies readonly FaultName[]

/** Hours by which an entry may be late and is still found: the portal's days are read again, or everything is. */
function latestHours(source: Source): number {
  const most = source.channels
    .filter(({ role }) => role === undefined || role === 'current')
    .map(({ slots }) => {
      if (slots.kind === 'feed') return 0
      if (slots.kind === 'whole') return 6
      const days = Math.max(0, ...(slots.rereadDays ?? []))
      return Math.min(20, (days * dayMs) / 3_600_000)
    })
  return source.id === 'ted' ? 0 : Math.min(...most, 20)
}

function robotsOf(sources: readonly Source[]): string {
  const isExempt = sources.some(({ politeness }) => typeof politeness.robots === 'object')
  return `User-agent: *\nDisallow:${isExempt ? ' /' : ''}\n`
}

/** What the card recognizes as an error in an answer with status 200, else the usual one. */
function errorBody(source: Source): string {
  for (const { delivery } of source.channels) {
    const fault = 'fault' in delivery ? delivery.fault : undefined
    if (!fault?.at.startsWith('/')) continue
    const names = fault.at.slice(1).split('/')
    return JSON.stringify(names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), fault.is ?? 'Error'))
  }
  return JSON.stringify({ status: 500, detail: 'Internal error' })
}

function isFurtherPage({ url, body }: PortalRequest): boolean {
  const written = `${url.search}${body}`
  return /(?:page|offset|skip|start|cursor|pageno|\bos)["']?\s*[=:]\s*["']?(?!0\b|1\b)[\w-]/i.test(written)
}

const isMoved = (incoming: IncomingMessage): boolean => /^\/[^/]+\/moved\//.test(incoming.url ?? '')

/** `/<host>/<path>?<query>` as the real request; undefined when there is no host. */
async function readRequest(incoming: IncomingMessage): Promise<PortalRequest | undefined> {
  const match = /^\/([^/?]+)(\/[^?]*)?(\?.*)?$/.exec(incoming.url ?? '')
  const path = match?.[2] ?? '/'
  const url =
    match &&
    URL.parse(
      `https://${match[1]}${path.startsWith(`${movedPath}/`) ? path.slice(movedPath.length) : path}${match[3] ?? ''}`,
    )
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= longestBody) chunks.push(chunk)
  }
  if (!url) return undefined
  const headers: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  return {
    method: incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? 'GET'),
    url,
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function writeHead(reply: ServerResponse, answer: PortalAnswer, length: number, packed?: 'gzip'): void {
  reply.writeHead(answer.status, {
    'content-type': answer.type,
    ...answer.headers,
    ...(answer.status !== 304 && { 'content-length': length }),
    ...(packed && { 'content-encoding': packed }),
  })
}

function send(reply: ServerResponse, answer: PortalAnswer, isPacked = false, isHead = false): void {
  const body = isPacked ? gzipSync(answer.body) : answer.body
  writeHead(reply, answer, body.length, isPacked ? 'gzip' : undefined)
  reply.end(isHead || answer.status === 304 ? undefined : body)
}

/** Ends the connection: at once, or in the midst of the body. */
function breakOff(reply: ServerResponse, answer: PortalAnswer, isAtOnce: boolean): void {
  if (isAtOnce) {
    reply.socket?.resetAndDestroy()
    return
  }
  writeHead(reply, answer, Math.max(2, answer.body.length))
  reply.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => reply.socket?.destroy())
}

function hash(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}

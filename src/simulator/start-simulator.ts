// The portals of all sources as one server on loopback: what is published so far, in every portal's own protocol, with
// faults.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dayMs, hourMs } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import type { Source } from '../sources/source.ts'
import type { Visible } from './card-answer.ts'
import { type FaultDice, type FaultName, type Faults, faultDice, faultTable } from './faults.ts'
import { type PortalAnswer, type PortalServer, textAnswer } from './portal-answer.ts'
import { breakOff, drip, isMoved, readRequest, send } from './portal-wire.ts'
import type { PortalRequest } from './request-pattern.ts'
import { serveCard } from './serve-card.ts'
import { serveDoe } from './serve-doe.ts'
import { ownServers } from './serve-own.ts'
import { serveTed } from './serve-ted.ts'
import type { Shelf } from './shelf.ts'
import { type SimulatedSource, simulated } from './simulated-source.ts'
import { hash, spoiledAnswer, withVersion } from './spoiled-answer.ts'

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
  /** The source that has this host; undefined if no portal has it. */
  readonly sourceId: string | undefined
  /** 0 when there was no answer. */
  readonly status: number
  readonly fault?: FaultName
  /** Faults in the content of a good answer. */
  readonly contentFaults?: readonly FaultName[]
}

export type Simulator = {
  /** `http://127.0.0.1:<port>` */
  readonly base: string
  /** Where a request for the real address goes: for `openHttp`. */
  readonly route: (url: URL) => URL
  /**
   * The truth for tests: everything that a client that reads everything has at that moment, oldest first. Entries that
   * a portal replaced by a newer state and no longer shows are not among them.
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

/** Starts the portals on 127.0.0.1. They depend on nothing but their shelf, so any number may serve the same one. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const portals = new SimulatedPortals(options)
  await portals.listen(options.port ?? 0)
  return portals
}

type Portal = { readonly source: Source; readonly server: PortalServer }

class SimulatedPortals implements Simulator {
  readonly #options: SimulatorOptions
  readonly #dice: FaultDice
  readonly #portals: readonly Portal[]
  readonly #byHost = new Map<string, Portal[]>()
  readonly #server: Server
  readonly #log: SimulatedRequest[] = []
  /** Requests that were refused with 403; the next one gets 429. */
  readonly #banned = new Set<string>()
  #requestCount = 0

  constructor(options: SimulatorOptions) {
    this.#options = options
    this.#dice = faultDice(options.seed, options.faults ?? {})
    this.#portals = [...options.sources].map((source) => this.#portalOf(simulated(source)))
    for (const portal of this.#portals)
      for (const host of portal.server.hosts) this.#byHost.set(host, [...(this.#byHost.get(host) ?? []), portal])
    this.#server = createServer((incoming, reply) => {
      this.#serve(incoming, reply).catch((error: unknown) => {
        // a bug of the simulator, not of a portal: the developer must see it
        reply.destroy(error instanceof Error ? error : new Error(String(error)))
      })
    })
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, '127.0.0.1', resolve)
    })
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  readonly route = (url: URL): URL => {
    const now = this.#options.clock()
    const isGone = (this.#byHost.get(url.host) ?? []).some(({ source }) => this.#dice.isGone(source.id, now))
    // nothing listens on the first port: refused, as by a host that is down
    return new URL(`${isGone ? 'http://127.0.0.1:1' : this.base}/${url.host}${url.pathname}${url.search}`)
  }

  published(sourceId: string, until: number = this.#options.clock()): readonly Published[] {
    const portal = this.#portals.find(({ source }) => source.id === sourceId)
    if (!portal) throw new Error(`the simulator has no source ${sourceId}`)
    return portal.server.shown(until).map((entry) => ({
      id: entry.id,
      noticeId: entry.noticeId,
      version: entry.version,
      publishedAt: entry.publishedAt,
      bytes: Buffer.from(entry.text()),
    }))
  }

  hostsOf(sourceId: string): readonly string[] {
    return [...(this.#portals.find(({ source }) => source.id === sourceId)?.server.hosts ?? [])]
  }

  requestCount(): number {
    return this.#requestCount
  }

  requests(): readonly SimulatedRequest[] {
    return [...this.#log]
  }

  get faultCounts(): FaultDice['counts'] {
    return this.#dice.counts
  }

  setFaults(faults: Faults): void {
    this.#dice.change(faults)
  }

  readonly close = (): Promise<void> =>
    new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })

  #portalOf(source: SimulatedSource): Portal {
    const { shelf, seed, clock } = this.#options
    const epoch = this.#options.epoch ?? clock()
    const latest = latestHours(source)
    const visible: Visible = (now) => {
      const isSilent = this.#dice.happens('silent', source.id, '')
      return shelf.entries(source, now).filter(({ publishedAt, id }) => {
        if (isSilent && publishedAt > epoch) return false
        const hours = this.#dice.lateHours(source.id, id, latest)
        return hours === 0 || publishedAt + hours * hourMs <= now
      })
    }
    if (source.id === 'ted') return { source, server: serveTed(visible, seed) }
    if (source.id === 'doe') return { source, server: serveDoe(visible, shelf.tables) }
    return { source, server: ownServers[source.id]?.(visible) ?? serveCard(source, visible) }
  }

  async #serve(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const request = await readRequest(incoming)
    const now = this.#options.clock()
    const asked = { at: now, method: request?.method ?? '', url: request?.url.href ?? incoming.url ?? '' }
    if (!request) {
      this.#note({ ...asked, sourceId: undefined, status: 404 })
      return send(reply, textAnswer(404, 'expected /<host>/<path>\n'))
    }
    const known = this.#byHost.get(request.url.host)
    if (!known) {
      this.#note({ ...asked, sourceId: undefined, status: 404 })
      return send(reply, textAnswer(404, `no portal has the host ${request.url.host}\n`))
    }
    // for clients that do not ask `route` first
    if (known.some(({ source }) => this.#dice.isGone(source.id, now))) {
      this.#note({ ...asked, sourceId: known[0]!.source.id, status: 0, fault: 'gone' })
      incoming.socket.resetAndDestroy()
      return
    }
    if (request.url.pathname === '/robots.txt') {
      this.#note({ ...asked, sourceId: known[0]!.source.id, status: 200 })
      return send(reply, textAnswer(200, robotsOf(known.map(({ source }) => source))))
    }
    const { answer, source, met } = await this.#answerOf(request, now, known)
    const resource = resourceOf(request)
    const happens = (name: FaultName) => {
      const isMet = this.#dice.happens(name, source.id, resource)
      if (isMet && faultTable[name].kind === 'content') met.push(name)
      return isMet
    }
    const fault = isMoved(incoming) ? undefined : this.#faultOf(request, resource, happens)
    const retryAfter = this.#options.retryAfterSeconds ?? 1
    const spoiled = fault && spoiledAnswer(fault, answer, request, source, retryAfter)
    const given = spoiled ?? withVersion(request, answer, happens)
    this.#note({
      ...asked,
      sourceId: source.id,
      status: fault === 'reset' ? 0 : given.status,
      ...(fault && { fault }),
      ...(met.length > 0 && { contentFaults: met }),
    })
    if (fault === 'reset' || fault === 'cut-short') return breakOff(reply, given, fault === 'reset')
    if (fault === 'slow') return drip(reply, given, this.#options.dripMs ?? 20)
    const isPacked =
      /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') && given.status === 200 && happens('gzip')
    send(reply, given, isPacked, incoming.method === 'HEAD')
  }

  #note(request: SimulatedRequest): void {
    this.#requestCount += 1
    if (this.#log.length >= keptRequests) this.#log.splice(0, keptRequests / 10)
    this.#log.push(request)
  }

  /** The first good answer of the portals that share a host, else the first answer. */
  async #answerOf(request: PortalRequest, now: number, known: readonly Portal[]): Promise<Answered> {
    let other: Answered | undefined
    const resource = resourceOf(request)
    for (const { source, server: portal } of known) {
      const met: FaultName[] = []
      const happens = (name: FaultName) => {
        const isMet = this.#dice.happens(name, source.id, resource)
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
  #faultOf(request: PortalRequest, resource: string, happens: (name: FaultName) => boolean): FaultName | undefined {
    if (this.#banned.delete(resource)) return 'rate-limit-bare'
    if (isFurtherPage(request) && happens('failing-offset')) return 'failing-offset'
    for (const name of answerFaults) {
      if (!happens(name)) continue
      if (name === 'forbidden') this.#banned.add(resource)
      return name
    }
    return undefined
  }
}

const resourceOf = ({ method, url, body }: PortalRequest): string =>
  `${method} ${url.href} ${body === '' ? '' : hash(body)}`

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
      return Math.min(20, (days * dayMs) / hourMs)
    })
  return source.id === 'ted' ? 0 : Math.min(...most, 20)
}

function robotsOf(sources: readonly Source[]): string {
  const isExempt = sources.some(({ politeness }) => typeof politeness.robots === 'object')
  return `User-agent: *\nDisallow:${isExempt ? ' /' : ''}\n`
}

function isFurtherPage({ url, body }: PortalRequest): boolean {
  const written = `${url.search}${body}`
  return /(?:page|offset|skip|start|cursor|pageno|\bos)["']?\s*[=:]\s*["']?(?!0\b|1\b)[\w-]/i.test(written)
}

// Polite requests: one after the other, under a name, within the portal's limits and rules, with refusals reported.

import { toInstant } from '../domain/time.ts'
import type { Clock, Sleep } from '../platform/clock.ts'
import {
  type FailureReason,
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  isTimeout,
  Refused,
  Retryable,
  TooLarge,
} from '../platform/http.ts'
import { ForbiddenAddress } from '../platform/network-rule.ts'
import type { SourceReply, SourceRequest } from '../sources/fetch.ts'
import type { Politeness, Source } from '../sources/source.ts'
import { createHostQueue, defaultLimits, type HostLimits, type HostQueue, type HostSlot } from './host-queue.ts'
import { challengeOf, doorOf, peekBytes } from './refusal.ts'
import { parseHttpDate, retryAfterMs } from './retry-after.ts'
import { everythingAllowed, productToken, type RobotsRules, readRobots } from './robots-rules.ts'

/**
 * The hosts that this process reads, each with one queue and one count of requests, shared by all sources on it. Limits
 * apply within one process: the runner's leases ensure that no two processes read a host at the same time.
 */
export type PoliteHosts = {
  /** Opens a connection to the portal for one run of a source. It need not be closed; the signal ends what waits. */
  readonly openConnection: (run: PortalConnectionOptions) => PortalConnection
}

export type PortalConnectionOptions = {
  readonly source: Pick<Source, 'id' | 'politeness'>
  /** The key in addresses or headers: it is kept out of every message. */
  readonly key?: string | undefined
  readonly signal: AbortSignal
  /** Called with each address that a document is redirected to, before it is asked. */
  readonly onRedirect?: (target: URL) => void
}

export type PortalConnection = {
  /**
   * `FetchContext.send`. Waits up to `longestWaitMs` for its turn; when the host has to be left alone for longer it
   * throws with `retryAt`, and so does every connection to this host until then. Throws
   * - `Refused`: a challenge, a page instead of data, 401, 403, 429, robots.txt says no;
   * - `Retryable`: no answer after several tries, a status that is not accepted, a body that breaks off;
   * - `ForbiddenAddress`: the address or a redirect leads into a private network, or from https to http;
   * - the signal's reason, when it ends the run.
   */
  readonly send: (request: SourceRequest) => Promise<SourceReply>
  /** Number of requests so far, including robots.txt, redirects and retries. */
  readonly requests: () => number
}

export type PoliteOptions = {
  readonly http: Pick<HttpClient, 'send'>
  readonly clock: Clock
  readonly sleep: Sleep
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number
  /** Web page or email address of the operator; every request carries it. */
  readonly contact: string
  readonly version: string
  /** Maximum wait inside `send`; default 2 minutes. */
  readonly longestWaitMs?: number
  /**
   * Default true. False only for portals on this machine, which need no protection: no rates, no pauses, no crawl
   * delay, and back-offs of a second if the host names no time. The limit of connections still applies.
   */
  readonly hasLimits?: boolean
}

const defaultLongestWaitMs = 2 * 60_000
const maxTries = 4
/** How long to wait for the first byte of a host that has answered before: portals that assemble an export are slow. */
const patienceMs = 2 * 60_000
/** The same for a robots.txt, and for the first request to a host. */
const firstPatienceMs = 10_000
const firstBackoffMs = 1000
const longestBackoffMs = 30_000
const robotsAgeMs = 24 * 60 * 60_000
/** Maximum age of a robots.txt that is used while a newer one cannot be read. */
const longestRobotsAgeMs = 7 * robotsAgeMs
/** How long until an unreadable robots.txt is requested again. */
const robotsPatienceMs = 10 * 60_000
/** Maximum bytes of a robots.txt: RFC 9309 section 2.5 requires at least 500 KiB; later rules are not read. */
const robotsBytes = 500 * 1024
const plainUserAgent = 'Tenderstock/{version} (+{contact})'

/** Creates the queues and counts of all hosts. Call it once for the whole process. */
export function createPoliteHosts(options: PoliteOptions): PoliteHosts {
  const hosts = new Map<string, Host>()
  const hostOf = (url: URL): Host => {
    let host = hosts.get(url.host)
    if (!host) {
      host = { queue: createHostQueue(options), robots: new Map(), isKnown: false }
      hosts.set(url.host, host)
    }
    return host
  }
  return {
    openConnection: (run) => {
      const connection = new RunConnection(options, run, hostOf)
      return { send: (request) => connection.send(request), requests: () => connection.requests }
    },
  }
}

/** How a source names itself: by the card's template, or in the default form. */
function userAgentOf(politeness: Politeness, contact: string, version: string): string {
  return (politeness.userAgent ?? plainUserAgent).replaceAll('{contact}', contact).replaceAll('{version}', version)
}

type Host = {
  readonly queue: HostQueue
  /** By origin: http and https have separate ones. */
  readonly robots: Map<string, Robots>
  /** Whether it ever answered, or was silent to a first request: from then on it gets more time. */
  isKnown: boolean
}
type Robots = {
  readonly rules: Promise<RobotsRules>
  readonly readAt: number
  readonly askAgainAt: number
}

/** How often a request was sent, including retries. */
type Effort = { tries: number }

/** The requests of one run. */
class RunConnection {
  requests = 0
  readonly #options: PoliteOptions
  readonly #run: PortalConnectionOptions
  readonly #hostOf: (url: URL) => Host
  readonly #longestWaitMs: number

  constructor(options: PoliteOptions, run: PortalConnectionOptions, hostOf: (url: URL) => Host) {
    this.#options = options
    this.#run = run
    this.#hostOf = hostOf
    this.#longestWaitMs = options.longestWaitMs ?? defaultLongestWaitMs
  }

  async send(request: SourceRequest): Promise<SourceReply> {
    const effort: Effort = { tries: 0 }
    const answer = await this.#deliver(request, effort)
    const { status, headers } = answer
    const known = { status, headers, version: headers.etag ?? headers['last-modified'] }
    if (status === 200)
      return { ...known, bytes: () => this.#readWhole(request, answer, effort), chunks: () => answer.chunks() }
    // few callers read the body of a 304 or 404, and unread it would hold the connection
    const body = await answer.bytes()
    return { ...known, bytes: async () => body, chunks: () => once(body) }
  }

  /** A body that breaks off while it is read as a whole is requested again: the requests of a source only read. */
  async #readWhole(request: SourceRequest, first: HttpAnswer, effort: Effort): Promise<Uint8Array> {
    let answer = first
    for (;;) {
      try {
        return await answer.bytes()
      } catch (error) {
        if (!isWorthAnotherTry(error) || effort.tries >= maxTries) throw error
        await this.#backOff(effort)
        answer = await this.#deliver(request, effort)
        if (answer.status !== first.status) {
          await answer.discard()
          throw error
        }
      }
    }
  }

  /** Sends the request until there is an answer to return to the caller. */
  async #deliver(request: SourceRequest, effort: Effort): Promise<HttpAnswer> {
    const url = URL.parse(request.url)
    if (!url) throw new ForbiddenAddress(`not an address: ${this.#redact(request.url)}`)
    for (;;) {
      effort.tries += 1
      let answer: HttpAnswer
      try {
        answer = await this.#ask(this.#requestOf(request), url)
      } catch (error) {
        if (error instanceof Refused && error.retryAt === undefined) throw this.#rest(url, error.message, undefined)
        // a portal that is silent is asked again at the next visit: there it holds up no other
        if (!isWorthAnotherTry(error) || isTimeout(error) || effort.tries >= maxTries) throw error
        await this.#backOff(effort)
        continue
      }
      const verdict = await this.#judge(request, answer, effort)
      if (verdict === 'good') return answer
    }
  }

  /** Throws for an unacceptable answer, or waits if a retry makes sense. */
  async #judge(request: SourceRequest, answer: HttpAnswer, effort: Effort): Promise<'good' | 'again'> {
    const { status, headers } = answer
    const url = new URL(answer.url)
    const name = this.#redact(`${url.host}${url.pathname}`)
    const accepted = request.accept ?? (request.ifChangedFrom === undefined ? [] : [304])
    const start = status === 200 || status === 202 ? await this.#peek(answer, effort) : new Uint8Array(0)
    if (start === undefined) return 'again'
    const isWanted = status === 200 || accepted.includes(status)
    const refusal =
      challengeOf({ status, headers, start }, request.expects ?? 'data') ?? (isWanted ? undefined : doorOf(status))
    if (isWanted && refusal === undefined) {
      this.#hostOf(url).queue.delivered()
      return 'good'
    }
    await answer.discard()
    const saidMs = retryAfterMs(headers, this.#options.clock())
    if (refusal !== undefined) {
      const refused = this.#rest(url, `${name} answered ${refusal.said}`, saidMs, refusal.reason)
      const isSoon = this.#hostOf(url).queue.restUntil() - this.#options.clock() <= this.#longestWaitMs
      if (!isSoon || effort.tries >= maxTries) throw refused
      return 'again'
    }
    const reason = status === 401 ? 'refused' : 'error-status'
    const failure = `${name} answered ${status}${status === 401 ? ': it requires a key, or a different one' : ''}`
    const isPassing = status >= 500 || status === 408 || status === 425
    if (!isPassing || effort.tries >= maxTries || (saidMs ?? 0) > this.#longestWaitMs)
      throw new Retryable(failure, {
        reason,
        ...(saidMs !== undefined && { retryAt: this.#options.clock() + saidMs }),
      })
    await this.#backOff(effort, saidMs)
    return 'again'
  }

  /** Returns the beginning of the body; undefined when it broke off there and must be requested again. */
  async #peek(answer: HttpAnswer, effort: Effort): Promise<Uint8Array | undefined> {
    try {
      return await answer.peek(peekBytes)
    } catch (error) {
      if (!isWorthAnotherTry(error) || effort.tries >= maxTries) throw error
      await this.#backOff(effort)
      return undefined
    }
  }

  #requestOf(request: SourceRequest): HttpRequest {
    const { source, key, signal } = this.#run
    const version = request.ifChangedFrom
    // some portals' ETags have no quotes: anything that is not a date is sent back unchanged
    const isDate = version !== undefined && parseHttpDate(version) !== undefined
    return {
      url: request.url,
      signal,
      headers: {
        'user-agent': userAgentOf(source.politeness, this.#options.contact, this.#options.version),
        ...request.headers,
        ...(version !== undefined && { [isDate ? 'if-modified-since' : 'if-none-match']: version }),
      },
      ...(request.method && { method: request.method }),
      ...(request.body !== undefined && { body: request.body }),
      ...(request.maxBytes !== undefined && { maxBytes: request.maxBytes }),
      ...(key && { secrets: [key] }),
    }
  }

  /** One request and its redirects, each within the limits and rules of its host. */
  async #ask(request: HttpRequest, url: URL, isForRobots = false): Promise<HttpAnswer> {
    if (!isForRobots) await this.#obeyRobots(url)
    let slot = await this.#enter(url)
    const host = this.#hostOf(url)
    try {
      const answer = await this.#options.http.send({
        ...request,
        timeoutMs: isForRobots || !host.isKnown ? firstPatienceMs : patienceMs,
        beforeRedirect: async (target) => {
          slot.leave()
          if (!isForRobots) {
            this.#run.onRedirect?.(target)
            await this.#obeyRobots(target)
          }
          slot = await this.#enter(target)
        },
      })
      host.isKnown = true
      void answer.ended.then(() => slot.leave())
      return answer
    } catch (error) {
      if (!isForRobots && isTimeout(error)) host.isKnown = true
      slot.leave()
      throw error
    }
  }

  async #enter(url: URL): Promise<HostSlot> {
    const { queue } = this.#hostOf(url)
    const { politeness } = this.#run.source
    const limits = { ...defaultLimits, ...politeness }
    queue.tighten(this.#options.hasLimits === false ? { ...loosest, connections: limits.connections } : limits)
    const until = queue.restUntil()
    if (until - this.#options.clock() > this.#longestWaitMs)
      throw new Refused(`${url.host} receives no requests until ${toInstant(until)}, because it refused one`, {
        retryAt: until,
      })
    const slot = await queue.enter(this.#run.signal)
    this.requests += 1
    return slot
  }

  async #obeyRobots(url: URL): Promise<void> {
    if ((this.#run.source.politeness.robots ?? 'obey') !== 'obey') return
    const host = this.#hostOf(url)
    const rules = await this.#robotsOf(host, url)
    if (rules.crawlDelayMs > 0 && this.#options.hasLimits !== false)
      host.queue.tighten({ ...loosest, pauseMs: rules.crawlDelayMs })
    if (!rules.allows(url))
      throw new Refused(`robots.txt of ${url.host} does not allow ${this.#redact(url.pathname)} for ${productToken}`, {
        reason: 'robots',
        retryAt: (host.robots.get(url.origin)?.readAt ?? this.#options.clock()) + robotsAgeMs,
      })
  }

  async #robotsOf(host: Host, url: URL): Promise<RobotsRules> {
    const now = this.#options.clock()
    const known = host.robots.get(url.origin)
    if (known && now < known.askAgainAt) {
      try {
        return await known.rules
      } catch (error) {
        if (error instanceof Retryable) throw error
        // the run that sent the request has ended: its connection is free
        this.#run.signal.throwIfAborted()
        if (host.robots.get(url.origin) === known) host.robots.delete(url.origin)
        return this.#robotsOf(host, url)
      }
    }
    const rules = this.#readRobots(new URL('/robots.txt', url.origin))
    // stored immediately, so that others wait for this request instead of sending their own
    host.robots.set(url.origin, { rules, readAt: now, askAgainAt: now + robotsAgeMs })
    try {
      return await rules
    } catch (error) {
      const isOld = !known || now - known.readAt >= longestRobotsAgeMs
      const next = isOld ? { rules, readAt: Number.NEGATIVE_INFINITY } : known
      host.robots.set(url.origin, { ...next, askAgainAt: now + robotsPatienceMs })
      if (isOld || !(error instanceof Retryable)) throw error
      return known.rules
    }
  }

  /** Throws Retryable while the host's rules cannot be read (RFC 9309 section 2.3.1.4). */
  async #readRobots(url: URL): Promise<RobotsRules> {
    const effort: Effort = { tries: 0 }
    for (;;) {
      effort.tries += 1
      try {
        const answer = await this.#ask(this.#requestOf({ url: url.href }), url, true)
        const { status } = answer
        const text = status === 200 ? new TextDecoder().decode(await answer.peek(robotsBytes)) : ''
        await answer.discard()
        if (status === 200) return readRobots(url, text)
        if (status >= 300 && status < 500 && status !== 429) return everythingAllowed
        throw new Retryable(`answered ${status}`, { reason: 'error-status' })
      } catch (error) {
        // it is at an address that we do not visit, which counts as absent
        if (error instanceof ForbiddenAddress) return everythingAllowed
        if (!isWorthAnotherTry(error)) throw error
        if (effort.tries >= 2)
          throw new Retryable(
            `robots.txt of ${url.host} could not be read (${(error as Error).message}); no request is sent until it is`,
            {
              cause: error,
              reason: error instanceof Retryable ? error.reason : 'no-answer',
              retryAt: this.#options.clock() + robotsPatienceMs,
            },
          )
        await this.#backOff(effort)
      }
    }
  }

  /** Leaves the host alone, and throws until when. */
  #rest(url: URL, message: string, saidMs: number | undefined, reason: FailureReason = 'refused'): Refused {
    const { queue } = this.#hostOf(url)
    queue.rest(saidMs)
    return new Refused(message, { retryAt: queue.restUntil(), reason })
  }

  async #backOff(effort: Effort, minMs = 0): Promise<void> {
    const fullMs = Math.min(firstBackoffMs * 2 ** (effort.tries - 1), longestBackoffMs)
    await this.#options.sleep(Math.max(minMs, Math.round(fullMs * (0.5 + this.#options.random()))), this.#run.signal)
  }

  #redact(text: string): string {
    const { key } = this.#run
    return key ? text.replaceAll(key, '{key}').replaceAll(encodeURIComponent(key), '{key}') : text
  }
}

/** Limits nothing until other limits are combined with it. */
const loosest: HostLimits = {
  requestsPerMinute: Number.POSITIVE_INFINITY,
  pauseMs: 0,
  connections: Number.POSITIVE_INFINITY,
  restMs: 1000,
}

/** Whether an immediate retry may help: not where the host refused, named a time, or sends too much. */
function isWorthAnotherTry(error: unknown): boolean {
  return (
    error instanceof Retryable &&
    !(error instanceof Refused) &&
    !(error instanceof TooLarge) &&
    error.retryAt === undefined
  )
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

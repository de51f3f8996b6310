// The only place that opens outgoing HTTP connections: bounded in time and size, and never into a private network by
// accident.
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { Agent, buildConnector, request } from 'undici'
import { ForbiddenAddress, isInNetwork, isPublicAddress, literalOf, lookupIn, type Network } from './network-rule.ts'

/**
 * Why a portal did not deliver. `no-answer`: no name, no connection, or nothing in time; `tls`: its certificate or its
 * encryption is not accepted; `refused`: 401, 403, 429, 503, or a firewall's challenge; `robots`: its robots.txt
 * forbids the address; `error-status`: it answers with another error; `wrong-content`: it answers with something else
 * than the card expects.
 */
export type FailureReason = 'no-answer' | 'tls' | 'refused' | 'robots' | 'error-status' | 'wrong-content'

type FailureOptions = { readonly cause?: unknown; readonly retryAt?: number; readonly reason?: FailureReason }

/** The network did not deliver; trying again later may help. The data is not at fault. */
export class Retryable extends Error {
  readonly reason: FailureReason
  /** Epoch milliseconds before which trying again is pointless or impolite; absent: not known. */
  readonly retryAt?: number
  /** The default of `reason` is `wrong-content`: what reads an answer throws this where it is not as the card says. */
  constructor(message: string, options?: FailureOptions) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Retryable'
    this.reason = options?.reason ?? 'wrong-content'
    if (options?.retryAt !== undefined) this.retryAt = options.retryAt
  }
}

/**
 * The portal answered, but not with data: a firewall's challenge, a page for people, a limit. Never an empty result.
 */
export class Refused extends Retryable {
  constructor(message: string, options?: FailureOptions) {
    super(message, { reason: 'refused', ...options })
    this.name = 'Refused'
  }
}

/** The body is larger than the caller allows; trying again does not help unless the portal changes it. */
export class TooLarge extends Retryable {
  constructor(message: string) {
    super(message)
    this.name = 'TooLarge'
  }
}

export type HttpRequest = {
  readonly url: string
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /**
   * `user-agent`, `accept` and `accept-encoding` have defaults. Only harmless ones follow a redirect to another origin.
   */
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array
  /** Maximum bytes of the body, unpacked or not; default 64 MiB. */
  readonly maxBytes?: number
  /** `follow` (default): at most five. `leave`: the reply is the redirect itself. */
  readonly redirects?: 'follow' | 'leave'
  /** Replaces the client's limit for hosts that are known to be slow; the limit for the whole body grows with it. */
  readonly timeoutMs?: number
  /** Called before each redirect is followed; what it throws ends the request. */
  readonly beforeRedirect?: (target: URL) => Promise<void>
  /** Ends the request with the signal's own reason. */
  readonly signal?: AbortSignal
  /** Texts to keep out of all messages: a key that is part of the address. */
  readonly secrets?: readonly string[]
}

/** An answer whose body has to be read once: with `bytes`, `chunks` or `discard`. Until then it holds a connection. */
export type HttpAnswer = {
  readonly status: number
  /** The address that answered, after redirects. */
  readonly url: string
  /** Names in lower case; several values of one name are joined by a comma and a space. */
  readonly headers: { readonly [name: string]: string | undefined }
  /** The whole body, decoded from its content coding. Throws Retryable when it breaks off, and TooLarge. */
  readonly bytes: () => Promise<Uint8Array>
  /** The body piece by piece, decoded, with the same errors. Ending the iteration early closes the connection. */
  readonly chunks: () => AsyncIterable<Uint8Array>
  /** The first bytes of the decoded body, at most `count`; whoever reads the body receives them again. */
  readonly peek: (count: number) => Promise<Uint8Array>
  /** Resolves when the answer no longer holds a connection: it was read, discarded, broken or abandoned. */
  readonly ended: Promise<void>
  /** Frees the connection, reading the rest of the body where that is cheaper than closing it. Never throws. */
  readonly discard: () => Promise<void>
}

type HttpReply = {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: Uint8Array
}

export type HttpClient = {
  /**
   * One request, any status. Throws Retryable when no answer comes in time or the connection breaks, Refused when
   * redirects go in a circle (because a cookie is expected), ForbiddenAddress when the address or a redirect leaves the
   * allowed network or goes from https to http.
   */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>
  /** GET without following redirects, read as a whole. Like `send`, but throws Retryable on 5xx and 429. */
  readonly get: (
    url: string,
    options?: { readonly maxBytes?: number; readonly signal?: AbortSignal },
  ) => Promise<HttpReply>
  readonly close: () => Promise<void>
}

export type HttpOptions = {
  readonly network: Network
  /** Limit up to the first byte of an answer, and between two pieces of a body; default 30 s. */
  readonly timeoutMs?: number
  /**
   * Limit up to the end of a body that is read as a whole; default 4 times `timeoutMs`. Only waiting for the portal
   * counts.
   */
  readonly wholeTimeoutMs?: number
  /**
   * Limit up to the end of a body that is read piece by piece; default one hour. Only waiting for the portal counts.
   */
  readonly streamTimeoutMs?: number
  /** How long a body may stay unread before it is abandoned; default 10 minutes. */
  readonly unreadTimeoutMs?: number
  readonly userAgent?: string
  /**
   * Returns the address to use instead: the simulator's. Callers still see the real address. An address that is an IP
   * literal outside the public network is refused before it is mapped, as it would be in live use.
   */
  readonly route?: (url: URL) => URL
}

const defaultMaxBytes = 64 * 1024 * 1024
const maxRedirects = 5
/** Headers that reveal nothing to a stranger: all others are dropped when a redirect leaves the origin. */
const harmlessHeaders = new Set(['accept', 'accept-language', 'accept-encoding', 'user-agent', 'content-type'])
/** Maximum bytes to read of a discarded answer: reading more costs more than a new connection. */
const discardedBytes = 16 * 1024

/**
 * A client for one kind of network. It checks the address that it connects to, including literals, so that no name can
 * be rebound between check and use.
 */
export function openHttp(options: HttpOptions): HttpClient {
  const timeoutMs = options.timeoutMs ?? 30_000
  const limits: Limits = {
    timeoutMs,
    wholeTimeoutMs: options.wholeTimeoutMs ?? 4 * timeoutMs,
    streamTimeoutMs: options.streamTimeoutMs ?? 60 * 60_000,
    unreadTimeoutMs: options.unreadTimeoutMs ?? 10 * 60_000,
  }
  const connector = buildConnector({ timeout: timeoutMs, lookup: lookupIn(options.network), allowH2: false })
  const agent = new Agent({
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    // a simulator is one origin for all portals
    connections: options.route ? 64 : 16,
    allowH2: false,
    connect: (target, callback) => {
      // lookup is not called for literals, so they are checked here
      const literal = literalOf(target.hostname)
      if (literal && !isInNetwork(options.network, literal))
        return callback(new ForbiddenAddress(`${literal} is outside the allowed network`), null)
      connector(target, callback)
    },
  })
  const userAgent = options.userAgent ?? 'tenderstock'
  const send = (each: HttpRequest) => follow(agent, each, { limits, userAgent, route: options.route })
  return {
    send,
    get: async (url, { maxBytes, signal } = {}) => {
      const answer = await send({
        url,
        redirects: 'leave',
        ...(maxBytes !== undefined && { maxBytes }),
        ...(signal && { signal }),
      })
      const body = await answer.bytes()
      if (answer.status >= 500 || answer.status === 429) throw new Retryable(`${url} answered ${answer.status}`)
      return { status: answer.status, headers: answer.headers, body }
    },
    close: () => agent.close(),
  }
}

type Limits = {
  readonly timeoutMs: number
  readonly wholeTimeoutMs: number
  readonly streamTimeoutMs: number
  readonly unreadTimeoutMs: number
}

type Setting = {
  readonly limits: Limits
  readonly userAgent: string
  readonly route: ((url: URL) => URL) | undefined
}

async function follow(agent: Agent, first: HttpRequest, setting: Setting): Promise<HttpAnswer> {
  const redact = redactor(first.secrets ?? [])
  let url = parseAddress(first.url, redact)
  const wasPlain = url.protocol === 'http:'
  let each = first
  const seen = new Set<string>()
  for (;;) {
    seen.add(`${each.method ?? 'GET'} ${url.href}`)
    const answer = await ask(agent, url, each, setting, redact)
    const target = each.redirects === 'leave' ? undefined : redirectTarget(answer, url)
    if (!target) return answer
    await answer.discard()
    if (target.protocol !== 'http:' && target.protocol !== 'https:')
      throw new ForbiddenAddress(`${redact(url.href)} redirects to ${redact(target.protocol)} instead of https`)
    if (target.protocol === 'http:' && !wasPlain)
      throw new ForbiddenAddress(`${redact(url.href)} redirects from https to http (${redact(target.host)})`)
    each = redirected(each, answer.status, target.origin === url.origin)
    url = target
    if (seen.has(`${each.method ?? 'GET'} ${url.href}`))
      throw new Refused(`${redact(first.url)} redirects in a loop, like portals that require a cookie`)
    if (seen.size > maxRedirects) throw new Retryable(`${redact(first.url)} redirects more than ${maxRedirects} times`)
    await each.beforeRedirect?.(target)
  }
}

function parseAddress(text: string, redact: (text: string) => string): URL {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ForbiddenAddress(`not an http address: ${redact(text)}`)
  return url
}

function redirectTarget(answer: HttpAnswer, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return undefined
  const location = answer.headers.location
  return (location && URL.parse(location, from.href)) || undefined
}

/**
 * The next request after a redirect (RFC 9110 section 15.4): 303, and by convention 301 and 302, turn POST into GET.
 */
function redirected(each: HttpRequest, status: number, isSameOrigin: boolean): HttpRequest {
  const method = each.method ?? 'GET'
  const becomesGet = (status === 303 && method !== 'HEAD') || ((status === 301 || status === 302) && method === 'POST')
  const { body, headers = {}, ...rest } = each
  const kept = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase()
    return (isSameOrigin || harmlessHeaders.has(lower)) && !(becomesGet && lower.startsWith('content-'))
  })
  return {
    ...rest,
    method: becomesGet ? 'GET' : method,
    headers: Object.fromEntries(kept),
    ...(body !== undefined && !becomesGet && { body }),
  }
}

/** One request to one address. */
async function ask(
  agent: Agent,
  url: URL,
  each: HttpRequest,
  { limits, userAgent, route }: Setting,
  redact: (text: string) => string,
): Promise<HttpAnswer> {
  const name = redact(url.href)
  const target = route ? route(url) : url
  const literal = literalOf(url.hostname)
  if (target.host !== url.host && literal && !isPublicAddress(literal))
    throw new ForbiddenAddress(`${literal} is outside the allowed network`)
  const timeoutMs = each.timeoutMs ?? limits.timeoutMs
  const ending = new AbortController()
  const onAbort = () => ending.abort(each.signal?.reason)
  if (each.signal?.aborted) throw each.signal.reason
  each.signal?.addEventListener('abort', onAbort, { once: true })
  const finish = () => each.signal?.removeEventListener('abort', onAbort)
  const explain = (error: unknown): unknown => {
    if (each.signal?.aborted) return each.signal.reason
    if (error instanceof ForbiddenAddress || error instanceof Retryable) return error
    if (error instanceof Error && error.cause instanceof ForbiddenAddress) return error.cause
    return new Retryable(`${name} could not be read: ${redact(messageOf(error))}`, {
      cause: error,
      reason: reasonOf(error),
    })
  }
  try {
    const reply = await request(target, {
      dispatcher: agent,
      method: each.method ?? 'GET',
      headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'gzip, deflate, br', ...lowerCased(each) },
      signal: ending.signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      ...(each.body !== undefined && { body: each.body }),
    })
    const headers: { [name: string]: string | undefined } = {}
    for (const [key, value] of Object.entries(reply.headers))
      headers[key] = Array.isArray(value) ? value.join(', ') : value
    const maxBytes = each.maxBytes ?? defaultMaxBytes
    const wholeTimeoutMs = (limits.wholeTimeoutMs * timeoutMs) / limits.timeoutMs
    const body = new Body({
      raw: reply.body,
      headers,
      ending,
      explain,
      finish,
      limits: { ...limits, wholeTimeoutMs },
      maxBytes,
      name,
    })
    return {
      status: reply.statusCode,
      url: url.href,
      headers,
      ended: body.ended,
      peek: (count) => body.peek(count),
      bytes: () => body.bytes(),
      chunks: () => body.chunks(),
      discard: () => body.discard(),
    }
  } catch (error) {
    finish()
    throw explain(error)
  }
}

/** Codes of OpenSSL, of certificates (https://nodejs.org/api/tls.html#x509-certificate-error-codes), and of zlib. */
const tlsCodes =
  /^(?:ERR_SSL_|ERR_TLS_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|HOSTNAME_MISMATCH$)/
const codingCodes = /^(?:Z_|ERR__ERROR_|ERR_BROTLI|ERR_PADDING)/

/** What an error of the network, of encryption or of a decoder says about the portal. */
function reasonOf(error: unknown): FailureReason {
  const codes = [error, (error as Error | undefined)?.cause].map((each) =>
    String((each as { code?: unknown })?.code ?? ''),
  )
  if (codes.some((code) => tlsCodes.test(code))) return 'tls'
  return codes.some((code) => codingCodes.test(code)) ? 'wrong-content' : 'no-answer'
}

/** Whether nothing came in time: the address exists perhaps, but nobody speaks there. */
export function isTimeout(error: unknown): boolean {
  const { code } = ((error as Error | undefined)?.cause ?? {}) as { readonly code?: unknown }
  return error instanceof Retryable && /TIMEOUT|ETIMEDOUT/.test(String(code))
}

function lowerCased({ headers = {} }: HttpRequest): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

type BodyParts = {
  readonly raw: Readable & { readonly dump: (options: { limit: number }) => Promise<unknown> }
  readonly headers: { readonly [name: string]: string | undefined }
  readonly ending: AbortController
  readonly explain: (error: unknown) => unknown
  readonly finish: () => void
  readonly limits: Limits
  readonly maxBytes: number
  readonly name: string
}

/** The body of one answer: decoded, counted and timed while it is read. */
class Body {
  readonly #parts: BodyParts
  /** Bytes that `peek` read and that are not delivered yet. */
  readonly #held: Uint8Array[] = []
  #source: AsyncIterator<Uint8Array> | undefined
  #isTaken = false
  #size = 0
  #waitedMs = 0
  #unread: NodeJS.Timeout
  readonly ended: Promise<void>

  constructor(parts: BodyParts) {
    this.#parts = parts
    this.#unread = this.#waitForReader()
    this.ended = new Promise((resolve) => {
      parts.raw.once('close', () => {
        clearTimeout(this.#unread)
        parts.finish()
        resolve()
      })
    })
    // an error before anything reads is thrown to the later reader, not to the process
    parts.raw.on('error', () => {})
  }

  async peek(count: number): Promise<Uint8Array> {
    let size = this.#held.reduce((sum, chunk) => sum + chunk.length, 0)
    while (size < count) {
      const chunk = await this.#pull(this.#parts.limits.wholeTimeoutMs)
      if (!chunk) break
      this.#held.push(chunk)
      size += chunk.length
    }
    return Buffer.concat(this.#held, size).subarray(0, count)
  }

  async bytes(): Promise<Uint8Array> {
    this.#take()
    const chunks: Uint8Array[] = []
    for await (const chunk of this.#read(this.#parts.limits.wholeTimeoutMs)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  chunks(): AsyncIterable<Uint8Array> {
    this.#take()
    return this.#read(this.#parts.limits.streamTimeoutMs)
  }

  async discard(): Promise<void> {
    if (this.#isTaken) return
    this.#isTaken = true
    if (this.#source) this.#parts.raw.destroy()
    else await this.#parts.raw.dump({ limit: discardedBytes }).catch(() => {})
  }

  #take(): void {
    if (this.#isTaken) throw new Error(`the answer of ${this.#parts.name} was already read`)
    this.#isTaken = true
  }

  async *#read(longestWaitMs: number): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#held.splice(0)
      for (;;) {
        const chunk = await this.#pull(longestWaitMs)
        if (!chunk) return
        yield chunk
      }
    } finally {
      this.#parts.raw.destroy()
    }
  }

  /** The next piece; undefined at the end. */
  async #pull(longestWaitMs: number): Promise<Uint8Array | undefined> {
    const { raw, ending, explain, headers, maxBytes, name } = this.#parts
    clearTimeout(this.#unread)
    const startedAt = performance.now()
    const overdue = setTimeout(
      () =>
        ending.abort(new Retryable(`${name} did not end within ${longestWaitMs / 1000} s`, { reason: 'no-answer' })),
      Math.max(1, longestWaitMs - this.#waitedMs),
    )
    try {
      if (!this.#source) {
        const coding = headers['content-encoding']
        if (coding === undefined && Number(headers['content-length']) > maxBytes) throw tooLarge(name, maxBytes)
        this.#source = decoded(raw, coding, name, maxBytes)[Symbol.asyncIterator]()
      }
      const next = await this.#source.next()
      if (next.done) return undefined
      this.#size += next.value.length
      if (this.#size > maxBytes) throw tooLarge(name, maxBytes)
      this.#unread = this.#waitForReader()
      return next.value
    } catch (error) {
      raw.destroy()
      throw explain(error)
    } finally {
      clearTimeout(overdue)
      this.#waitedMs += performance.now() - startedAt
    }
  }

  #waitForReader(): NodeJS.Timeout {
    const { ending, limits, name } = this.#parts
    const giveUp = () =>
      ending.abort(new Retryable(`${name} was not read for ${limits.unreadTimeoutMs / 1000} s and was given up`))
    return setTimeout(giveUp, limits.unreadTimeoutMs).unref()
  }
}

function tooLarge(name: string, maxBytes: number): TooLarge {
  return new TooLarge(`${name} is larger than ${maxBytes} bytes`)
}

/** Undoes the content codings (RFC 9110 section 8.4). A coded body that ends too early is an error of its decoder. */
function decoded(
  raw: Readable,
  codings: string | undefined,
  name: string,
  maxBytes: number,
): AsyncIterable<Uint8Array> {
  const names = (codings ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '' && each !== 'identity')
  if (names.length === 0) return raw
  if (names.length > 2) throw new Retryable(`${name} has more than two content codings (${codings})`)
  let source: AsyncIterable<Uint8Array> = counted(raw, name, maxBytes)
  for (const coding of names.reverse()) {
    if (coding === 'gzip' || coding === 'x-gzip') source = through(source, createGunzip())
    else if (coding === 'br') source = through(source, createBrotliDecompress())
    else if (coding === 'deflate') source = inflated(source)
    else throw new Retryable(`${name} has the unknown content coding ${coding}`)
  }
  return source
}

/** Bounds packed bytes that unpack to nothing, too. */
async function* counted(source: AsyncIterable<Uint8Array>, name: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(name, maxBytes)
    yield chunk
  }
}

function through(source: AsyncIterable<Uint8Array>, decoder: Transform): AsyncIterable<Uint8Array> {
  // the error reaches the reader through the decoder
  pipeline(source, decoder).catch((error: unknown) => decoder.destroy(error as Error))
  return decoder
}

/**
 * `deflate` is the zlib format and, by an old mistake of servers, often bare deflate: the first byte distinguishes
 * them.
 */
async function* inflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) return
  const all = async function* () {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  yield* through(all(), ((first.value[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw())
}

function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.filter((secret) => secret !== '').flatMap((secret) => [secret, encodeURIComponent(secret)])
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, '{key}'), text)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // undici wraps the cause; Node reports connection errors of several addresses as one error without a text
  const inner = error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : ''
  return error.message || inner || ('code' in error ? String(error.code) : error.name)
}

// The read API as typed calls: pages and records, with retries, pacing and timeouts. Standard `fetch` only; no
// dependency.
import type { ClientEvent } from './client-event.ts'
import { faultText } from './fault-text.ts'
import { listenerOf } from './listener.ts'
import { Pacer } from './pacing.ts'
import { type Problem, ProblemError } from './problem-error.ts'
import { type RateLimit, readRateLimit } from './rate-limit.ts'
import { readText } from './read-text.ts'
import { checkedRecord } from './record-fault.ts'
import { maxWaitMs, type RetryWait, retryWait } from './retry.ts'
import { type SeenEdition, seeEdition } from './seen-edition.ts'
import { type Sleep, timerSleep } from './sleep.ts'
import { parseDigest } from './sync/copy-digest.ts'
import { FeedError } from './sync/feed-error.ts'
import type { TenderList, TenderRecord, TendersQuery } from './types.ts'
import { UnreachableError } from './unreachable-error.ts'
import { version } from './version.ts'

// biome-ignore lint/performance/noBarrelFile: this is the root of the package, and both are loaded by it anyway.
export { ClientError, type ClientErrorCode } from './client-error.ts'
export { ProblemError } from './problem-error.ts'
export type { SyncOutcome } from './sync/sync.ts'
export type { Lot, Organization, TenderList, TenderRecord, TendersQuery } from './types.ts'
export { UnreachableError } from './unreachable-error.ts'

/** One answer of the list, with the facts from its headers. */
export type Page = TenderList & {
  readonly rateLimit: RateLimit
  readonly requestId: string | null
  /** Number of the edition that the page comes from; missing when the answer does not say. */
  readonly edition?: number
  /**
   * Digest of that edition's records, whatever the filters (docs/sync/digest.md); missing when the answer does not say.
   */
  readonly digest?: { readonly open: string; readonly all: string }
  /** When the answer was sent (its `Date`), ISO 8601; missing when the answer does not say. */
  readonly sentAt?: string
}

export type TenderClientOptions = {
  /**
   * Where the API is, without `/v1`: `https://api.example.org`. Plain `http:` only on loopback, or with `allowHttp`.
   */
  readonly baseUrl: string
  /**
   * The organization's access token, or a function that provides it before each request: a rotation needs no restart.
   */
  readonly token: string | (() => string | Promise<string>)
  /**
   * Allows the token to be sent over plain HTTP: only where something else protects the way (a private network, a local
   * proxy).
   */
  readonly allowHttp?: boolean
  /** Maximum time for one answer with its body; default and maximum 60 s. Too slow counts as a failure (C153). */
  readonly timeoutMs?: number
  /**
   * Maximum total wait of one request for 429, 503 and failures (C152, C153) before it is abandoned; default and
   * maximum 1 hour, which covers the whole table of failures (31 minutes). 0: every fault is thrown immediately.
   */
  readonly maxWaitMs?: number
  /**
   * Like `maxWaitMs`, until the first answer of any kind has arrived: an address that was never reached is more often
   * wrong than down. Default: `maxWaitMs`.
   */
  readonly firstContactMs?: number
  readonly on?: (event: ClientEvent) => void
  readonly fetch?: typeof globalThis.fetch
  /**
   * Milliseconds that only rise; only for waits, never for anything that is sent (C149). Default: `performance.now`.
   */
  readonly clock?: () => number
  readonly sleep?: Sleep
  /** From 0 up to 1; spreads clients that wait for the same moment. */
  readonly random?: () => number
}

/** What can be set for one request. */
export type RequestOptions = {
  readonly signal?: AbortSignal
  /** As in TenderClientOptions. */
  readonly timeoutMs?: number
  /** As in TenderClientOptions; it applies to each request of `pages`, `list` and `collect`. */
  readonly maxWaitMs?: number
  /**
   * Headers sent in addition to those of the client, which they do not replace: a trace id, the header of a gateway.
   */
  readonly headers?: Readonly<Record<string, string>>
}

/** The options of a request; a signal alone means `{ signal }`. */
const optionsOf = (given: AbortSignal | RequestOptions | undefined): RequestOptions =>
  given === undefined ? {} : 'aborted' in given ? { signal: given } : given

/** Maximum number of records that `collect` takes into memory by default. */
const defaultMost = 10_000

/** Most bytes that are read of an error: its status is known already. */
const mostErrorBytes = 2 ** 20
const maxTimeoutMs = 60_000
/** A node that lags is behind for seconds; the next request may also reach a different one. */
const lagWaitMs = 5000

type Answer<Body> = { readonly body: Body; readonly headers: Headers; readonly rateLimit: RateLimit }
/** Result of one attempt: a usable answer, another answer, or none. */
type Attempt<Body> =
  | { readonly kind: 'usable'; readonly answer: Answer<Body> }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly headers: Headers }
  | { readonly kind: 'broken' | 'lagging'; readonly error: unknown }

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null
const isList = (body: unknown): body is TenderList =>
  isObject(body) && Array.isArray(body.data) && (body.nextCursor === null || typeof body.nextCursor === 'string')
/** Whether it is meant to be a record; what it lacks is said by `checkedRecord`. */
const isRecord = (body: unknown): body is TenderRecord => isObject(body) && typeof body.id === 'string'
const sentMsOf = (headers: Headers): number => Date.parse(headers.get('date') ?? '')

function editionOf(headers: Headers): number | undefined {
  const edition = Number.parseInt(headers.get('x-stock-state') ?? '', 10)
  return Number.isSafeInteger(edition) ? edition : undefined
}

/**
 * Turns an answer that is too old into a lagging attempt: a record, or its absence, as of an edition before `notBefore`
 * says nothing about the present one.
 */
function lagging<Body>(attempt: Attempt<Body>, notBefore: number): Attempt<Body> {
  if (attempt.kind === 'broken' || (attempt.kind === 'problem' && attempt.problem.status !== 404)) return attempt
  const { headers } = attempt.kind === 'usable' ? attempt.answer : (attempt as { readonly headers: Headers })
  const edition = editionOf(headers)
  if (edition === undefined || edition >= notBefore) return attempt
  return {
    kind: 'lagging',
    error: new Error(`The answer comes from edition ${edition}, ${notBefore} was seen before.`),
  }
}

/**
 * Reads tenders. A call resolves to an answer, or throws
 * - a ProblemError: the API refused (400, 401, 403, 404: immediately) or kept answering 429, 503 or 5xx;
 * - an UnreachableError: no usable answer came in six attempts over half an hour;
 * - a FeedError: a record lacks a member of the contract, or is of a time far ahead of the answer's `Date`;
 * - the reason of its `signal`.
 */
export class TenderClient {
  readonly #baseUrl: string
  readonly #token: () => string | Promise<string>
  readonly #fetch: typeof globalThis.fetch
  readonly #clock: () => number
  readonly #sleep: Sleep
  readonly #timeoutMs: number
  readonly #maxWaitMs: number
  readonly #firstContactMs: number
  #isReached = false
  readonly #emit: (event: ClientEvent) => void
  readonly #pacer: Pacer

  constructor(options: TenderClientOptions) {
    const { token, fetch = globalThis.fetch, clock = () => performance.now(), sleep = timerSleep } = options
    this.#baseUrl = checkedBaseUrl(options.baseUrl, options.allowHttp ?? false)
    this.#token = typeof token === 'string' ? () => token : token
    // Called without a receiver: edge runtimes refuse a fetch that is called as a method of another object.
    this.#fetch = (input, init) => fetch(input, init)
    this.#clock = clock
    this.#sleep = sleep
    this.#timeoutMs = atMost('timeoutMs', options.timeoutMs, maxTimeoutMs)
    this.#maxWaitMs = atMost('maxWaitMs', options.maxWaitMs, maxWaitMs)
    this.#firstContactMs = Math.min(atMost('firstContactMs', options.firstContactMs, maxWaitMs), this.#maxWaitMs)
    this.#emit = listenerOf(options.on)
    this.#pacer = new Pacer({ clock, sleep, random: options.random ?? Math.random })
  }

  /**
   * Returns one record by its ID, including archived and merged ones. Unknown: ProblemError with slug `not-found`. With
   * `seen`, answers of a node that has only older editions count like a 503: the request is repeated; a newer edition
   * is written into it.
   */
  async get(id: string, options?: AbortSignal | RequestOptions, seen?: SeenEdition): Promise<TenderRecord> {
    const path = `/v1/tenders/${encodeURIComponent(id)}`
    const { body, headers } = await this.#request(path, isRecord, optionsOf(options), seen?.edition)
    if (seen) seeEdition(seen, editionOf(headers))
    const record = checkedRecord(body, sentMsOf(headers))
    if (record.id.toLowerCase() !== id.toLowerCase())
      throw new FeedError(`The API answered record ${record.id} in place of ${id}.`)
    return record
  }

  /** Returns one page; pass the `nextCursor` of the previous page as `cursor`, with the same filters. */
  async page(query: TendersQuery = {}, options?: AbortSignal | RequestOptions): Promise<Page> {
    const parameters = new URLSearchParams()
    // An empty list is no filter; the API would refuse a parameter without a value.
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && !(Array.isArray(value) && value.length === 0)) parameters.set(name, String(value))
    const text = parameters.toString()
    const { body, headers, rateLimit } = await this.#request(
      `/v1/tenders${text && `?${text}`}`,
      isList,
      optionsOf(options),
    )
    const sentMs = sentMsOf(headers)
    for (const record of body.data) checkedRecord(record, sentMs)
    this.#emit({ type: 'page', records: body.data.length, hasMore: body.nextCursor !== null, rateLimit })
    const edition = editionOf(headers)
    const digest = parseDigest(headers.get('x-stock-digest'))
    return {
      ...body,
      rateLimit,
      requestId: headers.get('x-request-id'),
      ...(edition !== undefined && { edition }),
      ...(digest && { digest }),
      ...(!Number.isNaN(sentMs) && { sentAt: new Date(sentMs).toISOString() }),
    }
  }

  /**
   * Asks an address of the service that is beside the list, such as the manifest of files, with the same retries.
   * `isUsable`: whether the answer has the form that is expected.
   */
  async json<Body>(
    path: string,
    isUsable: (body: unknown) => body is Body,
    options?: AbortSignal | RequestOptions,
  ): Promise<Body> {
    return (await this.#request(path, isUsable, optionsOf(options))).body
  }

  /** Yields all pages from the first (or from `cursor`) to the end of the list. */
  async *pages(query: TendersQuery = {}, options?: AbortSignal | RequestOptions): AsyncGenerator<Page> {
    let cursor = query.cursor
    do {
      const page: Page = await this.page(cursor === undefined ? query : { ...query, cursor }, options)
      yield page
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
  }

  /** Yields all records of the list, in the order of `lastModified`. */
  async *list(query: TendersQuery = {}, options?: AbortSignal | RequestOptions): AsyncGenerator<TenderRecord> {
    for await (const page of this.pages(query, options)) yield* page.data
  }

  /**
   * Returns all records of the list as one array. Throws a RangeError as soon as there are more than `atMost` (default
   * 10,000), before it fills the memory: narrow the query, or use `list`, which holds one page at a time.
   */
  async collect(
    query: TendersQuery = {},
    { atMost = defaultMost, ...options }: RequestOptions & { readonly atMost?: number } = {},
  ): Promise<TenderRecord[]> {
    const records: TenderRecord[] = []
    for await (const { data } of this.pages(query, options)) {
      if (records.length + data.length > atMost) throw new RangeError(`The list has more than ${atMost} records.`)
      records.push(...data)
    }
    return records
  }

  async #request<Body>(
    path: string,
    isUsable: (body: unknown) => body is Body,
    options: RequestOptions,
    notBefore = 0,
  ): Promise<Answer<Body>> {
    const { signal } = options
    const maxMs = Math.min(this.#maxWaitMs, atMost('maxWaitMs', options.maxWaitMs, maxWaitMs))
    let failures = 0
    let waitedMs = 0
    for (let number = 1; ; number++) {
      const attempt = lagging(await this.#attempt(path, number, isUsable, options), notBefore)
      if (attempt.kind === 'usable') return attempt.answer
      const answered =
        attempt.kind === 'problem' ? { status: attempt.problem.status, headers: attempt.headers } : undefined
      const wait: RetryWait | undefined =
        attempt.kind === 'lagging' ? { reason: 'unavailable', ms: lagWaitMs } : retryWait(answered, failures + 1)
      if (wait?.reason === 'failure') failures++
      const patienceMs = this.#isReached ? maxMs : Math.min(maxMs, this.#firstContactMs)
      if (!wait || waitedMs + wait.ms > patienceMs) throw this.#giveUp(path, attempt, number)
      const cause = attempt.kind === 'problem' ? new ProblemError(attempt.problem) : attempt.error
      this.#emit({ type: 'retry', path, attempt: number, cause })
      this.#emit({ type: 'wait', path, ...wait })
      waitedMs += wait.ms
      await this.#sleep(wait.ms, signal)
    }
  }

  #giveUp(path: string, attempt: Exclude<Attempt<unknown>, { kind: 'usable' }>, attempts: number): Error {
    if (attempt.kind === 'problem') {
      this.#emit({ type: 'problem', path, problem: attempt.problem })
      return new ProblemError(attempt.problem)
    }
    const text = faultText(attempt.error)
    const times = attempts === 1 ? 'in one attempt' : `in ${attempts} attempts`
    return new UnreachableError(`No usable answer ${times}: ${text}`, attempts, attempt.error)
  }

  /** Sends one paced request. Rejects only if `signal` was aborted, or if the token is not available. */
  async #attempt<Body>(
    path: string,
    number: number,
    isUsable: (body: unknown) => body is Body,
    options: RequestOptions,
  ): Promise<Attempt<Body>> {
    const { signal } = options
    const turn = await this.#pacer.enter(signal, (ms) => this.#emit({ type: 'wait', path, reason: 'pace', ms }))
    let rateLimit: RateLimit | undefined
    let isSent = false
    try {
      const token = await this.#token()
      isSent = true
      this.#emit({ type: 'request', path, attempt: number })
      const startedAt = this.#clock()
      const { response, text } = await this.#exchange(path, token, options)
      this.#isReached = true
      rateLimit = readRateLimit(response.headers)
      this.#emit({
        type: 'response',
        path,
        attempt: number,
        status: response.status,
        elapsedMs: this.#clock() - startedAt,
        requestId: response.headers.get('x-request-id'),
        rateLimit,
      })
      if (!response.ok) return { kind: 'problem', problem: problemOf(path, response, text), headers: response.headers }
      const body: unknown = JSON.parse(text)
      if (!isUsable(body)) throw new SyntaxError('The answer is JSON, but not what the API answers.')
      return { kind: 'usable', answer: { body, headers: response.headers, rateLimit } }
    } catch (error) {
      signal?.throwIfAborted()
      if (!isSent) throw error
      return { kind: 'broken', error }
    } finally {
      this.#pacer.leave(turn, rateLimit)
    }
  }

  /** Sends the request and reads the whole body within the time limit. */
  async #exchange(path: string, token: string, { signal, headers, ...options }: RequestOptions) {
    const timeoutMs = Math.min(this.#timeoutMs, atMost('timeoutMs', options.timeoutMs, maxTimeoutMs))
    const sent = new Headers(headers)
    sent.set('authorization', `Bearer ${token}`)
    sent.set('accept', 'application/json')
    sent.set('user-agent', `tender-sync/${version}`)
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal?.reason)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    const timer = setTimeout(
      () => controller.abort(new DOMException(`No whole answer within ${timeoutMs} ms.`, 'TimeoutError')),
      timeoutMs,
    )
    const aborted = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
    })
    const inTime = <Result>(work: Promise<Result>): Promise<Result> => Promise.race([work, aborted])
    try {
      controller.signal.throwIfAborted()
      const response = await inTime(
        this.#fetch(this.#baseUrl + path, {
          headers: sent,
          // Following a redirect would send the token wherever the answer points.
          redirect: 'manual',
          signal: controller.signal,
        }),
      )
      if (response.ok) return { response, text: await inTime(readText(response)) }
      // An error's status counts even when its body broke off, or has no end.
      const text = await inTime(readText(response, mostErrorBytes)).catch(() => '')
      signal?.throwIfAborted()
      return { response, text }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }
}

/** Throws a RangeError for a value above the maximum: patience may be shortened, never extended (C152, C153). */
function atMost(name: string, value: number | undefined, most: number): number {
  if (value !== undefined && !(value >= 0 && value <= most)) throw new RangeError(`${name} must be from 0 to ${most}.`)
  return value ?? most
}

/** Throws a TypeError if the token would be sent unencrypted (C161). */
function checkedBaseUrl(text: string, allowHttp: boolean): string {
  const { protocol, hostname } = new URL(text)
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && (isLoopback || allowHttp)))
    throw new TypeError(`${text}: use https, or set allowHttp where something else protects the token.`)
  return text.replace(/\/+$/, '')
}

/** Returns the answer's problem; one in the same form if something between the client and the API answered. */
function problemOf(path: string, response: Response, text: string): Problem {
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
  const detail = isRedirect
    ? `The address redirects${response.headers.has('location') ? ` to ${response.headers.get('location')}` : ''}; set baseUrl to where the API is.`
    : 'The answer is not a problem document; something between the client and the API produced it.'
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {}
  return {
    type: 'about:blank',
    title: response.statusText || (isRedirect ? 'Redirect' : 'Error'),
    detail,
    instance: path.split('?')[0]!,
    ...(isObject(body) ? body : {}),
    // The status decides about retries, whatever the body claims.
    status: response.status,
  }
}

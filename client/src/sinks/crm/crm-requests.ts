// Requests to a CRM: paced, repeated if that helps, and sorted into what the caller can act on. Every request here may
// be sent twice: upserts by external id, lookups and moves change nothing the second time.
import { readText } from '../../read-text.ts'
import { SinkError } from '../faults/sink-error.ts'
import { crmSession, type MappedAuth, type PassingFault } from './crm-session.ts'

export type CrmRequest = { readonly method: string; readonly path: string; readonly body?: unknown }

/**
 * `refused`: the CRM understood the request and does not accept this content; fewer records or other values may be
 * accepted.
 */
type CrmAnswer =
  | { readonly result: 'ok'; readonly body: unknown }
  | { readonly result: 'refused'; readonly status: number; readonly reason: string }

export type CrmRequestsOptions = {
  /** Name for messages. */
  readonly name: string
  readonly baseUrl: string
  readonly headers: { readonly [name: string]: string }
  /** Where sessions come from; without it, `headers` let us in. */
  readonly auth?: MappedAuth | undefined
  readonly rate?: { readonly requests: number; readonly seconds: number } | undefined
  readonly fetch: typeof globalThis.fetch
  readonly sleep: (ms: number) => Promise<void>
  /** Steady clock, in milliseconds. */
  readonly clock: () => number
  readonly onWait?: (wait: { readonly waitMs: number; readonly reason: string }) => void
  /** Maximum time for one attempt. */
  readonly timeoutMs: number
}

export type CrmRequests = {
  readonly count: number
  /** @throws SinkError when the CRM cannot be reached, does not let us in, or is not where the mapping says. */
  send(request: CrmRequest): Promise<CrmAnswer>
}

/**
 * Faults that end without help: overload, locks, moves between data centers (423, 477 at HubSpot), faults of the
 * server.
 */
const passing = new Set([408, 423, 425, 429, 477, 500, 502, 503, 504, 520, 521, 522, 523, 524])
const refused = new Set([300, 400, 409, 413, 422])
const waitsSeconds = [1, 2, 4, 8, 16, 32, 60]
/**
 * How long a run waits for the CRM; a longer wait is left to the next run, because this one would only hold the lock.
 */
const longestWaitMs = 15 * 60_000

/** Seconds or an HTTP date; the date is compared with the answer's own `Date`, never with the local clock. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000
  const ms = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** The words of an error answer, in any format; never the request, which may hold secrets. */
export function reasonIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    const [found] = Array.isArray(body) ? body : [body]
    if (typeof found === 'object' && found !== null) {
      const {
        message,
        errorCode,
        category,
        error,
        error_description: description,
      } = found as { [name: string]: unknown }
      const words = [errorCode ?? category ?? (description && error), message ?? description ?? error].filter(
        (word) => typeof word === 'string',
      )
      if (words.length > 0) return words.join(': ').slice(0, 1000)
    }
  } catch {}
  return text.slice(0, 300)
}

/** Overload, locks and faults of the server: the same request may be accepted later. */
const faultOf = ({ status, headers }: Response, text: string): PassingFault | undefined =>
  passing.has(status) ? { retryMs: retryAfterMs(headers), reason: `${status} ${reasonIn(text)}` } : undefined

export function crmRequests(options: CrmRequestsOptions): CrmRequests {
  const { name, baseUrl, rate, clock, sleep, auth } = options
  const session = auth && crmSession({ ...options, auth, faultOf, reasonIn })
  const origin = new URL(baseUrl).origin
  const sent: number[] = []
  let count = 0

  async function paced(): Promise<void> {
    if (!rate) return
    const windowMs = rate.seconds * 1000
    for (;;) {
      const now = clock()
      while (sent.length > 0 && (sent[0]! <= now - windowMs || sent[0]! > now)) sent.shift()
      if (sent.length < rate.requests) break
      await sleep(Math.ceil(sent[0]! + windowMs - now))
    }
    sent.push(clock())
  }

  async function attempt(request: CrmRequest, isRenewed = false): Promise<CrmAnswer | PassingFault> {
    // The answer may name the next page: the headers with the secret go to the CRM's own origin only.
    const url = new URL(request.path.startsWith('/') ? baseUrl + request.path : request.path)
    if (url.origin !== origin)
      throw new SinkError(`${name} names an address on another host (${url.origin}); nothing is sent there.`)
    const authorization = await session?.authorization()
    if (typeof authorization === 'object') return authorization
    await paced()
    count++
    let response: Response
    let text: string
    try {
      response = await options.fetch(url, {
        method: request.method,
        headers: {
          accept: 'application/json',
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
          ...(authorization !== undefined && { authorization }),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(options.timeoutMs),
      })
      text = await readText(response)
    } catch (error) {
      return { retryMs: undefined, reason: `no answer (${error instanceof Error ? error.message : String(error)})` }
    }
    const { status } = response
    const reason = `${status} ${reasonIn(text)}`
    if (status >= 200 && status < 300) {
      if (text === '') return { result: 'ok', body: undefined }
      try {
        return { result: 'ok', body: JSON.parse(text) }
      } catch {
        return { retryMs: undefined, reason: 'an answer that is not JSON' }
      }
    }
    if (refused.has(status)) return { result: 'refused', status, reason: reasonIn(text) }
    const fault = faultOf(response, text)
    if (fault) return fault
    if (status === 401 && session && !isRenewed) {
      session.end()
      return attempt(request, true)
    }
    if (status === 401) throw new SinkError(`${name} rejects the credentials (${reason}); check them and run again.`)
    throw new SinkError(
      `${name} answers ${request.method} ${url.pathname} with ${reason}; check the mapping and the permissions of the account.`,
    )
  }

  return {
    get count() {
      return count
    },
    async send(request) {
      for (let failures = 0; ; failures++) {
        const answer = await attempt(request)
        if ('result' in answer) return answer
        const waitMs = answer.retryMs ?? waitsSeconds[failures]! * 1000
        if (failures === waitsSeconds.length - 1)
          throw new SinkError(
            `${name} failed ${waitsSeconds.length} times in a row (${answer.reason}); the next run retries.`,
          )
        if (waitMs > longestWaitMs)
          throw new SinkError(
            `${name} asks to wait ${Math.round(waitMs / 60_000)} minutes (${answer.reason}); run again then.`,
          )
        options.onWait?.({ waitMs, reason: answer.reason })
        await sleep(waitMs)
      }
    },
  }
}

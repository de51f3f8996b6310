// One attempt to deliver a message: a POST that is bounded in time and size, and never leaves the allowed network.

import type { AttemptFailure } from '../domain/attempt-failure.ts'
import { type HttpClient, openHttp } from '../platform/http.ts'
import { ForbiddenAddress, type Network } from '../platform/network-rule.ts'
import { type AttemptOutcome, retryAfterMs } from './delivery-schedule.ts'

/** Maximum time for the whole attempt: connecting, sending, and the answer. */
const attemptTimeoutMs = 20_000
/** Maximum bytes of an answer that are read, unpacked. */
const maxAnswerBytes = 64 * 1024
/** Number of bytes of an answer that are kept for the log. */
const keptAnswerBytes = 1024

export type Attempt = {
  readonly outcome: AttemptOutcome
  readonly milliseconds: number
  /** The first bytes of the answer as text; absent without an answer. */
  readonly answer?: string
}

export type SendAttempt = (request: {
  readonly url: string
  readonly network: Extract<Network, 'public' | 'loopback'>
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  readonly signal?: AbortSignal
}) => Promise<Attempt>

export type Sender = { readonly send: SendAttempt; readonly close: () => Promise<void> }

/** `now`: epoch milliseconds, for a `Retry-After` that is a date. */
export function openSender(options: {
  readonly version: string
  readonly now: () => number
  /** Shorter in tests. */
  readonly timeoutMs?: number
}): Sender {
  const { now, timeoutMs = attemptTimeoutMs } = options
  const open = (network: Network) =>
    openHttp({ network, timeoutMs, userAgent: `Tenderstock-Webhooks/${options.version}` })
  const clients = { public: open('public'), loopback: open('loopback') }
  return {
    send: ({ url, network, headers, body, signal }) =>
      attempt(clients[network], { url, headers, body, timeoutMs, ...(signal && { signal }) }, now),
    close: async () => {
      await Promise.all(Object.values(clients).map(({ close }) => close()))
    },
  }
}

type Posted = {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

async function attempt(client: HttpClient, posted: Posted, now: () => number): Promise<Attempt> {
  const { url, headers, body, timeoutMs } = posted
  const startedAt = performance.now()
  const overdue = AbortSignal.timeout(timeoutMs)
  const signal = posted.signal ? AbortSignal.any([overdue, posted.signal]) : overdue
  const took = () => Math.round(performance.now() - startedAt)
  try {
    const answer = await client.send({
      url,
      method: 'POST',
      redirects: 'leave',
      headers: { ...headers, 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body,
      signal,
      maxBytes: maxAnswerBytes,
    })
    const text = await firstBytes(answer)
    const retryAfter = retryAfterMs(answer.headers['retry-after'], now())
    return {
      outcome: {
        kind: 'answered',
        status: answer.status,
        ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
      },
      milliseconds: took(),
      answer: text,
    }
  } catch (error) {
    if (posted.signal?.aborted) throw error
    return {
      outcome: { kind: 'failed', failure: overdue.aborted ? 'timeout' : failureOf(error) },
      milliseconds: took(),
    }
  }
}

type Answer = Awaited<ReturnType<HttpClient['send']>>

/**
 * Returns the beginning of the answer. The status has arrived: nothing that happens to the rest of the answer changes
 * it.
 */
async function firstBytes(answer: Answer): Promise<string> {
  const held: Uint8Array[] = []
  try {
    let size = 0
    for await (const chunk of answer.chunks()) {
      held.push(chunk)
      size += chunk.length
      if (size >= maxAnswerBytes) break
    }
  } catch {
    // cut off, endless, too large or not what its coding says: the part that arrived is kept
  }
  // the database's text cannot hold NUL
  return Buffer.concat(held).subarray(0, keptAnswerBytes).toString('utf8').replaceAll('\0', '\uFFFD')
}

const failureOfCode: readonly (readonly [RegExp, AttemptFailure])[] = [
  [/^(?:ENOTFOUND|EAI_)/, 'dns'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)/, 'refused'],
  [/CERT|TLS|SSL|SELF_SIGNED|^EPROTO|UNABLE_TO|HOSTNAME_MISMATCH/, 'tls'],
  [/TIMEOUT|^ETIMEDOUT/, 'timeout'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|HTTPParserError)/, 'broken'],
]

/** The class of an error, by its code or those of its causes; errors without a code have a name instead. */
export function failureOf(error: unknown): AttemptFailure {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof ForbiddenAddress) return 'forbidden-address'
    const { code = each.name, errors } = each as Error & {
      readonly code?: string
      readonly errors?: readonly unknown[]
    }
    const found = failureOfCode.find(([pattern]) => pattern.test(code))
    if (found) return found[1]
    // for a name with several addresses, each address fails separately
    if (errors?.[0] !== undefined) return failureOf(errors[0])
  }
  return 'other'
}

// When the same request is sent again (C152, C153): a table that depends on neither time nor network.
import type { WaitReason } from './client-event.ts'

const minuteMs = 60_000

/** How long to wait after the first, second … failure (C153); after the sixth the request is abandoned. */
const backoffMs: readonly number[] = [1, 2, 4, 8, 16].map((minutes) => minutes * minuteMs)
/** Longest total wait of one request: it covers the whole table of failures (31 minutes). */
export const maxWaitMs = 60 * minuteMs
/** C152: the wait if the answer does not say how long to wait. */
const defaultWaitMs = minuteMs
/** `Retry-After: 0` must not become a busy loop. */
const minWaitMs = 1000

/**
 * How long the client must wait after an answer: Retry-After in seconds, or as a date compared with the answer's own
 * Date header, never with the client's clock (RFC 9110, 10.2.3). 60 s when there is no readable value.
 */
export function retryAfterMs(headers: Headers): number {
  const text = headers.get('retry-after')?.trim() ?? ''
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : Math.max(0, Date.parse(text) - Date.parse(headers.get('date') ?? ''))
  return Number.isNaN(ms) ? defaultWaitMs : Math.max(minWaitMs, ms)
}

/** Statuses after which the client waits as long as the answer says, as often as it says so. */
const isWaitStatus = (status: number): boolean => status === 429 || status === 503

/** Faults of the server or of a proxy in front: 500, 502, 504, their unusual relatives, and 408. */
const isFailureStatus = (status: number): boolean => status === 408 || (status >= 500 && status !== 503)

export type RetryWait = { readonly reason: Exclude<WaitReason, 'pace'>; readonly ms: number }

/**
 * Returns the wait before the request is sent again; undefined: it is not. `answer` is missing if none came that could
 * be read; `failures` counts this one and those before it for the same request, without waits on 429 and 503.
 */
export function retryWait(
  answer: { readonly status: number; readonly headers: Headers } | undefined,
  failures: number,
): RetryWait | undefined {
  if (answer && isWaitStatus(answer.status))
    return { reason: answer.status === 429 ? 'rate-limited' : 'unavailable', ms: retryAfterMs(answer.headers) }
  if (answer && !isFailureStatus(answer.status)) return undefined
  const ms = backoffMs[failures - 1]
  return ms === undefined ? undefined : { reason: 'failure', ms }
}

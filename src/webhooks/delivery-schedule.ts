// What an attempt to deliver means for its delivery, and when the next one is due. Pure.

import type { AttemptFailure } from '../domain/attempt-failure.ts'
import { dayMs, hourMs, minuteMs } from '../domain/time.ts'

/**
 * How long after each failed attempt the next one comes. After the last, the delivery is given up; it can be replayed.
 */
const pausesMs = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const
/** Maximum relative variation of pauses, so that deliveries that failed together are not retried together. */
const jitter = 0.1
/** Maximum wait that a receiver can ask for with `Retry-After`. */
const maxRetryAfterMs = dayMs
/** How long an endpoint may fail without one success before its Owners get a mail, and before it is disabled. */
export const warnedAfterMs = dayMs
export const disabledAfterMs = 5 * dayMs
/** Number of consecutive failures after which an endpoint receives one delivery at a time. */
export const cautiousAfter = 20

export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs?: number }
  | { readonly kind: 'failed'; readonly failure: AttemptFailure }

/** What the attempt does to the delivery: an event of its states (store/hits/delivery-states.ts). */
type NextStep =
  | { readonly event: 'success' | 'last' }
  | { readonly event: 'retry'; readonly dueAt: number }
  /** 410: the receiver is gone. The delivery waits until somebody enables the endpoint again. */
  | { readonly event: 'gone'; readonly disables: 'gone' }

/** `attempts`: how many were made, with this one. `random`: 0 to below 1. */
export function nextStep(outcome: AttemptOutcome, attempts: number, now: number, random: number): NextStep {
  if (outcome.kind === 'answered') {
    if (outcome.status >= 200 && outcome.status < 300) return { event: 'success' }
    if (outcome.status === 410) return { event: 'gone', disables: 'gone' }
  }
  const pause = pausesMs[attempts - 1]
  if (pause === undefined) return { event: 'last' }
  const spread = pause * (1 + jitter * (2 * random - 1))
  const asked =
    outcome.kind === 'answered' && (outcome.status === 429 || outcome.status === 503) ? (outcome.retryAfterMs ?? 0) : 0
  return { event: 'retry', dueAt: now + Math.round(Math.max(spread, Math.min(asked, maxRetryAfterMs))) }
}

/**
 * How many milliseconds a `Retry-After` asks to wait: seconds or a date (RFC 9110 section 10.2.3); undefined for
 * anything else.
 */
export function retryAfterMs(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

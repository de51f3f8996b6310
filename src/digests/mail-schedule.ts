// What follows from an attempt to send a mail: sent, again later, or given up. Pure.
import { hourMs, minuteMs } from '../domain/time.ts'

/** How long after each failed attempt the next one comes: two days in total. After the last, the mail is given up. */
const pausesMs = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
  12 * hourMs,
  20 * hourMs,
] as const
/** Maximum relative variation of pauses, so that mails that failed together are not retried together. */
const jitter = 0.1

export type MailAttempt =
  | { readonly kind: 'accepted' }
  /** `isFinal`: the server said that it will never accept this mail. */
  | { readonly kind: 'refused'; readonly error: string; readonly isFinal: boolean }
  /** No answer concerned this mail: no connection, no login, no answer. */
  | { readonly kind: 'unreachable'; readonly error: string }

export type MailStep =
  | { readonly state: 'sent' }
  | { readonly state: 'given-up'; readonly error: string }
  | { readonly state: 'due'; readonly error: string; readonly dueAt: number }

/** `attempts`: how many were made, with this one. `random`: 0 to below 1. */
export function nextMailStep(attempt: MailAttempt, attempts: number, now: number, random: number): MailStep {
  if (attempt.kind === 'accepted') return { state: 'sent' }
  const { error } = attempt
  const pause = pausesMs[attempts - 1]
  if (pause === undefined || (attempt.kind === 'refused' && attempt.isFinal)) return { state: 'given-up', error }
  return { state: 'due', error, dueAt: now + Math.round(pause * (1 + jitter * (2 * random - 1))) }
}

// What follows from an attempt to send a mail: sent, again later, or given up. Pure.
import { dayMs, hourMs, minuteMs } from '../domain/time.ts'

/** How long after each attempt without an answer about the mail the next one comes; the last one repeats for ever. */
const silencePausesMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs] as const
/** How long after each refusal the next attempt comes: five days in total. After the last, the mail is given up. */
const refusalPausesMs = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  ...[1, 2, 4, 8, 12, 20, 24, 24, 24].map((hours) => hours * hourMs),
]
/** Maximum refusals of the content for good: the last one comes after 15 hours. */
const maxContentRefusals = 8
/** Maximum refusals because there is no such recipient, a day apart. */
const maxGone = 3
const gonePauseMs = dayMs
/** Maximum relative variation of pauses, so that mails that failed together are not retried together. */
const jitter = 0.1

export type MailAttempt =
  | { readonly kind: 'accepted' }
  /**
   * The server refused this mail. `recipient`: there is no such recipient; `content`: it never accepts this content;
   * `later`: anything else, also by a policy against the sender.
   */
  | { readonly kind: 'refused'; readonly error: string; readonly about: 'recipient' | 'content' | 'later' }
  /** No answer concerned this mail: no connection, no login, no answer. */
  | { readonly kind: 'unreachable'; readonly error: string }

/** What an attempt says about this mail, beside what happens to others: judged once, and never again. */
export type MailVerdict =
  | Exclude<MailAttempt, { readonly kind: 'unreachable' }>
  /** Every other mail would fail too. */
  | { readonly kind: 'away'; readonly error: string }

/** How many attempts were made; how many of them were refused, and how many because there is no such recipient. */
export type MailHistory = { readonly attempts: number; readonly refusals: number; readonly gone: number }

export type MailStep =
  | { readonly state: 'sent' }
  /** `isGone`: there is no such recipient. */
  | { readonly state: 'given-up'; readonly error: string; readonly isGone: boolean }
  | { readonly state: 'due'; readonly error: string; readonly dueAt: number }

/** The history with an attempt. */
export function historyWith({ attempts, refusals, gone }: MailHistory, verdict: MailVerdict): MailHistory {
  const isRefused = verdict.kind === 'refused'
  const isGone = isRefused && verdict.about === 'recipient'
  return {
    attempts: attempts + 1,
    refusals: refusals + (isRefused && !isGone ? 1 : 0),
    gone: gone + (isGone ? 1 : 0),
  }
}

/** `history`: with this attempt. `random`: 0 to below 1. */
export function nextMailStep(verdict: MailVerdict, history: MailHistory, now: number, random: number): MailStep {
  if (verdict.kind === 'accepted') return { state: 'sent' }
  const { error } = verdict
  const pause = pauseAfter(verdict, history)
  if (pause === undefined)
    return { state: 'given-up', error, isGone: verdict.kind === 'refused' && verdict.about === 'recipient' }
  return { state: 'due', error, dueAt: now + Math.round(pause * (1 + jitter * (2 * random - 1))) }
}

/** Undefined: there is no next attempt. */
function pauseAfter(
  verdict: Exclude<MailVerdict, { readonly kind: 'accepted' }>,
  { attempts, refusals, gone }: MailHistory,
): number | undefined {
  if (verdict.kind === 'away') return silencePausesMs[Math.min(attempts, silencePausesMs.length) - 1]
  if (verdict.about === 'recipient') return gone < maxGone ? gonePauseMs : undefined
  if (verdict.about === 'content' && refusals >= maxContentRefusals) return undefined
  return refusalPausesMs[refusals - 1]
}

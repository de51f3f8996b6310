// Runs once immediately and then every hour, at a random minute, so that the clients of the world do not all send
// requests together.
import { type Sleep, timerSleep } from '../sleep.ts'
import { type SyncOptions, type SyncOutcome, sync } from './sync.ts'

const hourMs = 3_600_000
/** Maximum duration of one sleep, after which a machine that slept, or whose clock was set, is noticed. */
export const longestSleepMs = 60_000

/** The next moment after `now` that is `offsetMs` after a full hour. Pure. */
export function nextRunAt(now: number, offsetMs: number): number {
  const thisHour = Math.floor(now / hourMs) * hourMs + offsetMs
  return thisHour > now ? thisHour : thisHour + hourMs
}

export type WatchOptions = SyncOptions & {
  /** Epoch milliseconds: only for the timetable, never part of a request (C149). Default: `Date.now`. */
  readonly now?: () => number
  readonly sleep?: Sleep
  /** From 0 up to 1: the minute of the hour. */
  readonly random?: () => number
}

/**
 * Yields the outcome of each run, as it ends: `for await (const outcome of watch({ client, sink, signal }))`. Faults
 * are outcomes and do not end it; it ends when `signal` is aborted, or after an outcome that only a person can change:
 * other filters, or a state that cannot be used. Breaking out of the loop ends it too; the sink stays open.
 */
export async function* watch(options: WatchOptions): AsyncGenerator<SyncOutcome> {
  const { now = Date.now, sleep = timerSleep, random = Math.random, signal } = options
  const offsetMs = Math.floor(random() * 3600) * 1000
  while (!signal?.aborted) {
    const outcome = await sync(options)
    yield outcome
    // An interrupted run ends at the edition with which it began: the changes since then follow immediately.
    if (outcome.result === 'completed' && outcome.isResumed) continue
    if (outcome.result === 'aborted' && (outcome.reason === 'filters-changed' || outcome.reason === 'state')) return
    const next = nextRunAt(now(), offsetMs)
    try {
      while (now() < next) await sleep(Math.min(next - now(), longestSleepMs), signal)
    } catch (error) {
      if (!signal?.aborted) throw error
    }
  }
}

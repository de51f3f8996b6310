// The rate limit as an exact sliding log (operations.md 3): never more than the limit in any 60 seconds, never a denial without cause.
import type { Clock } from '../platform/clock.ts'

export const windowMs = 60_000
/** Above this limit requests are counted in buckets of a second, each counted to its end: at most 1 s on the safe side. */
export const maxExactLimit = 600
export const bucketMs = 1000

/**
 * One request's admission. `resetSeconds` is when `remaining` can rise next (1 to 61); for a denied request it is
 * Retry-After: that long from now, without other traffic, the same request is admitted (C125).
 */
export type Admission = {
  readonly isAllowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

export type Limiter = {
  /** Admits and counts one request, or denies it and does not count it. `limit` is a whole number of at least 1. */
  readonly take: (key: string, limit: number) => Admission | Promise<Admission>
  readonly close: () => Promise<void>
}

/** Seconds until `leavesAt` has passed, rounded up, at least 1. */
export const secondsUntil = (leavesAt: number, now: number): number => Math.max(1, Math.ceil((leavesAt - now) / 1000))

/** Stamps, oldest first, in a ring that grows; each is the moment from which its request no longer counts. */
class SlidingLog {
  private ring = new Float64Array(64)
  private head = 0
  count = 0

  expire(now: number): void {
    while (this.count > 0 && this.ring[this.head]! <= now) {
      this.head = (this.head + 1) % this.ring.length
      this.count--
    }
  }

  at(index: number): number {
    return this.ring[(this.head + index) % this.ring.length]!
  }

  push(leavesAt: number): void {
    if (this.count === this.ring.length) {
      const larger = new Float64Array(this.ring.length * 2)
      for (let index = 0; index < this.count; index++) larger[index] = this.at(index)
      this.ring = larger
      this.head = 0
    }
    this.ring[(this.head + this.count) % this.ring.length] = leavesAt
    this.count++
  }

  get newest(): number {
    return this.count === 0 ? 0 : this.at(this.count - 1)
  }
}

/** When a request that is counted at `now` stops to count. */
export function leavesAt(now: number, limit: number): number {
  return limit > maxExactLimit ? Math.floor(now / bucketMs) * bucketMs + bucketMs + windowMs : now + windowMs
}

export type LocalLimiter = {
  readonly take: (key: string, limit: number) => Admission
  /** Counts a request that was admitted elsewhere, so that a node that falls back to its own log knows its past. */
  readonly record: (key: string, limit: number) => void
  readonly close: () => Promise<void>
}

const sweepEvery = 10_000

/** In process: exact for one process. The clock is held from running backwards. */
export function createLocalLimiter(clock: Clock): LocalLimiter {
  const logs = new Map<string, SlidingLog>()
  let latest = 0
  let taken = 0

  function currentLog(key: string): { log: SlidingLog; now: number } {
    latest = Math.max(latest, clock())
    if (++taken % sweepEvery === 0) for (const [idle, log] of logs) if (log.newest <= latest) logs.delete(idle)
    let log = logs.get(key)
    if (!log) {
      log = new SlidingLog()
      logs.set(key, log)
    }
    log.expire(latest)
    return { log, now: latest }
  }

  return {
    take: (key, limit) => {
      const { log, now } = currentLog(key)
      const isAllowed = log.count < limit
      if (isAllowed) log.push(Math.max(log.newest, leavesAt(now, limit)))
      // After a limit was lowered more may be counted than allowed: then several must leave before one can come.
      const next = log.at(Math.max(0, log.count - limit))
      return {
        isAllowed,
        limit,
        remaining: Math.max(0, limit - log.count),
        resetSeconds: secondsUntil(next, now),
      }
    },
    record: (key, limit) => {
      const { log, now } = currentLog(key)
      // also beyond the limit: what this node admitted while the store was down may not hide what was admitted since
      log.push(Math.max(log.newest, leavesAt(now, limit)))
    },
    close: async () => {},
  }
}

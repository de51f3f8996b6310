// Holds back addresses that send wrong tokens by the hundred. Requests with a valid token never come here.
import { minuteMs } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { secondsUntil } from './limiter.ts'

const maxAddresses = 50_000

export type FloodGuard = {
  /** Counts one refused request of an address; seconds to wait when it had too many in this minute, else undefined. */
  readonly count: (address: string) => number | undefined
}

/** Whole minutes are exact enough here: this protects the service, it is nobody's quota. */
export function createFloodGuard(clock: Clock, maxPerMinute: number): FloodGuard {
  let counts = new Map<string, number>()
  let endsAt = 0
  return {
    count: (address) => {
      const now = clock()
      if (now >= endsAt || counts.size >= maxAddresses) {
        counts = new Map()
        endsAt = (Math.floor(now / minuteMs) + 1) * minuteMs
      }
      const count = (counts.get(address) ?? 0) + 1
      counts.set(address, count)
      return count > maxPerMinute ? secondsUntil(endsAt, now) : undefined
    },
  }
}

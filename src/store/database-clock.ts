// The time of the database, which all processes of an installation share: the machine's own clock and what was last
// measured.
import type { Clock } from '../platform/clock.ts'

export type DatabaseClock = {
  /**
   * The database's time as far as it is known; the machine's own before the first measurement. In whole milliseconds.
   */
  readonly now: Clock
  /** How far the database's clock is ahead of the machine's, in milliseconds. */
  readonly differenceMs: () => number
  /** Records what the database's clock showed between two moments of the machine's. */
  readonly note: (measured: {
    readonly sentAt: number
    readonly databaseMs: number
    readonly receivedAt: number
  }) => void
}

/**
 * Minimum change of the difference that counts: smaller ones are noise of the round trip and would only make the time
 * jump.
 */
const smallestChangeMs = 250

export function openDatabaseClock(own: Clock): DatabaseClock {
  let differenceMs = 0
  return {
    now: () => own() + differenceMs,
    differenceMs: () => differenceMs,
    note: ({ sentAt, databaseMs, receivedAt }) => {
      const wayMs = receivedAt - sentAt
      // the machine's clock was set back during the query
      if (wayMs < 0) return
      const measuredMs = Math.round(databaseMs - (sentAt + wayMs / 2))
      // half of the round trip is the uncertainty: a slow measurement changes nothing within that range
      if (Math.abs(measuredMs - differenceMs) > Math.max(smallestChangeMs, wayMs / 2)) differenceMs = measuredMs
    },
  }
}

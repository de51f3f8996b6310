// The time of the database, which all processes of an installation share: what was last measured, continued by the
// steady clock, so that setting the machine's clock moves nothing.
import { sql } from 'kysely'
import { type Clock, sharedTime, steadyClock } from '../../platform/clock.ts'

/** The time of the database at the moment of the statement, in whole milliseconds. */
export const nowMs = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`

export type DatabaseClock = {
  /**
   * The database's time as far as it is known; the machine's own before the first measurement. In whole milliseconds.
   */
  readonly now: Clock
  /** How far the database's clock is ahead of the machine's at this moment, in milliseconds. */
  readonly differenceMs: () => number
  /** How far it is ahead of the steady clock, in milliseconds; undefined before the first measurement. */
  readonly aheadMs: () => number | undefined
  /** Records what the database's clock showed between two moments of the steady clock. */
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
export const smallestChangeMs = 250

/** `own`: the machine's clock. */
export function openDatabaseClock(own: Clock, steady: Clock = steadyClock): DatabaseClock {
  let aheadMs: number | undefined
  const now = () => sharedTime(aheadMs, own, steady)
  return {
    now,
    differenceMs: () => (aheadMs === undefined ? 0 : now() - own()),
    aheadMs: () => aheadMs,
    note: ({ sentAt, databaseMs, receivedAt }) => {
      const wayMs = receivedAt - sentAt
      const measuredMs = databaseMs - (sentAt + wayMs / 2)
      // half of the round trip is the uncertainty: a slow measurement changes nothing within that range
      const tolerableMs = Math.max(smallestChangeMs, wayMs / 2)
      const knownMs = aheadMs ?? own() - receivedAt
      aheadMs = Math.abs(measuredMs - knownMs) > tolerableMs ? measuredMs : knownMs
    },
  }
}

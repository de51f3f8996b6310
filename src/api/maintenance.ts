// The API while an operator works on the service: 503 with the actual end (D14).
import { toInstant } from '../domain/time.ts'
import type { Problem } from './problems/problems.ts'

export type Maintenance = {
  /** Epoch milliseconds. */
  readonly until: number
  /** Seconds until then, at least 1. */
  readonly leftSeconds: number
}

/** Undefined if there is no maintenance, or it is over. `until` and `now` use the database's clock. */
export function maintenanceNow(until: number | undefined, now: number): Maintenance | undefined {
  if (until === undefined || until <= now) return undefined
  return { until, leftSeconds: Math.ceil((until - now) / 1000) }
}

export const maintenanceProblem = ({ until, leftSeconds }: Maintenance): Problem => ({
  slug: 'unavailable',
  detail: `The service is closed for maintenance until ${toInstant(until)}. Repeat the request in ${leftSeconds} seconds.`,
  retryAfter: leftSeconds,
})

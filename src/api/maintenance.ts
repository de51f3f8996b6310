// The API while an operator works on the service: 503 with the true end (D14).
import { toInstant } from '../domain/time.ts'
import type { Problem } from './problems.ts'

export type Maintenance = {
  /** Epoch milliseconds. */
  readonly until: number
  /** Until then; 1 or more. */
  readonly leftSeconds: number
}

/** Undefined without one, or when it is over. `until` and `now` by the database's clock. */
export function maintenanceNow(until: number | undefined, now: number): Maintenance | undefined {
  if (until === undefined || until <= now) return undefined
  return { until, leftSeconds: Math.ceil((until - now) / 1000) }
}

export const maintenanceProblem = ({ until, leftSeconds }: Maintenance): Problem => ({
  slug: 'unavailable',
  detail: `The service is closed for maintenance until ${toInstant(until)}. Repeat the request in ${leftSeconds} seconds.`,
  retryAfter: leftSeconds,
})

// How long a request counts. The limit is an exact sliding log (C121, C125): never more than the limit in any 60
// seconds, never a denial without cause.

export const windowMs = 60_000
/**
 * Maximum limit with exact stamps; above it, requests are counted in buckets of a second to the bucket's end, at most
 * 1 s on the safe side.
 */
export const maxExactLimit = 600
export const bucketMs = 1000

/**
 * Result for one request. `resetSeconds` is when `remaining` can rise next (1 to 61); for a denied request it is
 * Retry-After: after that time, without other traffic, the same request is admitted (C125).
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

/** Counts in this process; takes the same arguments and answers synchronously. */
export type LocalLimiter = {
  /**
   * Admits and counts one request, or denies it and does not count it. `limit` is a whole number of at least 1. Throws
   * `OperatorError` if there is no room for one more key.
   */
  readonly take: (key: string, limit: number) => Admission
  /** What `take` would answer now, without counting anything. */
  readonly look: (key: string, limit: number) => Admission
  /**
   * Counts a request that was admitted elsewhere, so that a node that falls back to its own log knows the past; if
   * there is no room, it is not counted.
   */
  readonly record: (key: string, limit: number) => void
  readonly close: () => Promise<void>
}

/** Seconds until `leavesAt` has passed, rounded up, at least 1. */
export const secondsUntil = (leavesAt: number, now: number): number => Math.max(1, Math.ceil((leavesAt - now) / 1000))

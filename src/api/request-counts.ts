// Counts answered requests by route, status and duration in memory that the main thread reads, with a few additions for
// each request. One thread writes to a memory at a time; its successor continues the counts.

/** Routes as declared, and the name that covers all other requests. */
export const countedRoutes = [
  '/v1/tenders',
  '/v1/tenders/:id',
  '/bulk/editions/latest',
  '/bulk/files/:name',
  '/access',
  '/openapi.json',
  '/healthz',
  '/readyz',
  '/unsubscribe',
  '/unsubscribe/search',
  '/unsubscribe/status',
  'none',
] as const
type CountedRoute = (typeof countedRoutes)[number]

/** Every status that the API answers; any other one counts as 500. */
export const countedStatuses = [
  200, 204, 206, 304, 400, 401, 403, 404, 405, 408, 414, 416, 429, 431, 500, 502, 503, 504,
] as const

/** Upper bounds of the durations in seconds; one more bucket has the longer ones. */
export const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Number of values before the counts: what a reader reports about itself. */
const stateLength = 8
const loopDelayAt = 0
const isSharingAt = 1
/** Number of values per route and status: a bucket for each bound, one above, and the sum of the durations. */
const stride = durationBounds.length + 2
const sumAt = stride - 1

const routeNumbers: ReadonlyMap<string, number> = new Map(countedRoutes.map((route, index) => [route, index]))
const statusNumbers = new Uint8Array(600).fill(countedStatuses.indexOf(500))
for (const [index, status] of countedStatuses.entries()) statusNumbers[status] = index

export const createCountMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(
    (stateLength + countedRoutes.length * countedStatuses.length * stride) * Float64Array.BYTES_PER_ELEMENT,
  )

/** Requests of one route with one status. */
export type CountedRequests = {
  readonly route: CountedRoute
  readonly status: number
  /** Requests in each bucket, not cumulative. */
  readonly buckets: readonly number[]
  readonly seconds: number
}

/** A view of one memory, used by the thread that writes to it or the one that reads it. */
export class RequestCounts {
  readonly #numbers: Float64Array

  constructor(memory: SharedArrayBuffer = createCountMemory()) {
    this.#numbers = new Float64Array(memory)
  }

  /** Counts a request. `route` is as declared; undefined if no route took it. */
  count(route: string | undefined, status: number, seconds: number): void {
    const routeNumber = routeNumbers.get(route ?? 'none') ?? countedRoutes.length - 1
    const numbers = this.#numbers
    const first = stateLength + (routeNumber * countedStatuses.length + (statusNumbers[status] ?? 0)) * stride
    let bucket = 0
    while (bucket < durationBounds.length && seconds > durationBounds[bucket]!) bucket++
    numbers[first + bucket]! += 1
    numbers[first + sumAt]! += seconds
  }

  /** Largest delay of the thread's event loop in the last 30 to 60 s, in seconds. */
  get loopDelaySeconds(): number {
    return this.#numbers[loopDelayAt]!
  }

  set loopDelaySeconds(seconds: number) {
    this.#numbers[loopDelayAt] = seconds
  }

  /** Whether the thread counts rate limits in a store that other processes share. */
  get isSharingLimits(): boolean {
    return this.#numbers[isSharingAt] === 1
  }

  set isSharingLimits(isSharing: boolean) {
    this.#numbers[isSharingAt] = isSharing ? 1 : 0
  }

  /** Yields the counts of route and status that are not zero. */
  *read(): Generator<CountedRequests> {
    for (const [routeNumber, route] of countedRoutes.entries())
      for (const [statusNumber, status] of countedStatuses.entries()) {
        const first = stateLength + (routeNumber * countedStatuses.length + statusNumber) * stride
        const buckets = [...this.#numbers.subarray(first, first + sumAt)]
        if (buckets.some((count) => count > 0)) yield { route, status, buckets, seconds: this.#numbers[first + sumAt]! }
      }
  }
}

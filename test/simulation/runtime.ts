// What the client takes from its runtime although it is not passed in, replaced for the process of a simulation:
// digests, which another thread would compute, slower than everything else in a run; and the timer that gives up an
// answer after 60 s, which must run in simulated time.
import { createHash } from 'node:crypto'

/** The time limit of one request (client/src/tender-client.ts); no other timer in the process has this length. */
const requestTimeoutMs = 60_000

/** A timer that only the scheduler triggers. */
export class RequestTimer {
  readonly #ring: () => void
  isCleared = false

  constructor(ring: () => void) {
    this.#ring = ring
  }

  ring(): void {
    if (!this.isCleared) this.#ring()
  }
}

let latest: RequestTimer | undefined
let isInstalled = false

/** The timer that was set last: that of the request that is just being sent. */
export function takeRequestTimer(): RequestTimer | undefined {
  const timer = latest
  latest = undefined
  return timer
}

/** Replaces them for this process; calling it again changes nothing. */
export function installRuntime(): void {
  if (isInstalled) return
  isInstalled = true
  const digest = async (algorithm: string, data: Uint8Array): Promise<ArrayBuffer> =>
    new Uint8Array(createHash(algorithm.replace('-', '').toLowerCase()).update(data).digest()).buffer
  Object.defineProperty(globalThis.crypto.subtle, 'digest', { value: digest, configurable: true, writable: true })
  const realSet = globalThis.setTimeout
  const realClear = globalThis.clearTimeout
  const set = (ring: () => void, ms?: number, ...rest: unknown[]): unknown => {
    if (ms !== requestTimeoutMs) return realSet(ring, ms, ...(rest as []))
    latest = new RequestTimer(ring)
    return latest
  }
  const clear = (timer: unknown): void => {
    if (timer instanceof RequestTimer) timer.isCleared = true
    else realClear(timer as NodeJS.Timeout)
  }
  globalThis.setTimeout = Object.assign(set, realSet) as typeof globalThis.setTimeout
  globalThis.clearTimeout = clear as typeof globalThis.clearTimeout
}

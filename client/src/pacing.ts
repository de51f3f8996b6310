// Spends the quota without overdrawing it: waits when the last answers say that the next request would be refused.
//
// The API counts exactly: a request is refused when as many as the limit were accepted in the 60 s before it. So while
// this client is alone, `remaining` of an answer is what it may send after it, and the waits here make a 429
// impossible. Other clients of the organization are seen only by what is missing between two answers; then some of the
// quota is left to them.
import type { RateLimit } from './rate-limit.ts'
import type { Sleep } from './sleep.ts'

export type PacerOptions = {
  /** Milliseconds that only rise. */
  readonly clock: () => number
  readonly sleep: Sleep
  /** From 0 up to 1; spreads clients that wait for the same moment. */
  readonly random: () => number
}

/** Timers may fire a little early. */
const marginMs = 25
/** Maximum share of the limit that is left to others. */
const maxReserved = 0.25
/** How fast the use of other clients that fell silent is forgotten, per answer. */
const forgetting = 0.95
/** The limit counts the last 60 s: no answer can rightly ask for a longer wait. */
const longestResetSeconds = 60
/** How far to spread clients that wait for the same moment. */
const spreadMs = 2000

/** A request that is permitted; give it back with what its answer said. */
export type PacedRequest = { readonly number: number }

/** One pacer per client; its requests are sent in the order in which they arrived. */
export class Pacer {
  readonly #options: PacerOptions
  /** Requests that may be sent now, beyond those in flight. Nothing is known at first: one, to learn the quota. */
  #free = 1
  #inFlight = 0
  #blockedUntil = 0
  /** Estimated requests by others between two of our answers. */
  #reserve = 0
  #sent = 0
  /** The newest request that had been sent when the last answer came: older ones overlapped with it. */
  #sentAtLastAnswer = 0
  #lastRemaining = Number.NaN
  #queue: Promise<void> = Promise.resolve()
  #wake: () => void = () => {}

  constructor(options: PacerOptions) {
    this.#options = options
  }

  /**
   * Resolves when the next request may be sent. Rejects with the signal's reason. `onWait` is called with waits for
   * quota.
   */
  async enter(signal?: AbortSignal, onWait?: (ms: number) => void): Promise<PacedRequest> {
    const before = this.#queue
    let leaveQueue = (): void => {}
    this.#queue = new Promise((resolve) => {
      leaveQueue = resolve
    })
    await before
    try {
      while (this.#free < 1) await (this.#inFlight > 0 ? this.#nextAnswer(signal) : this.#reset(signal, onWait))
      signal?.throwIfAborted()
      this.#free--
      this.#inFlight++
      return { number: ++this.#sent }
    } finally {
      leaveQueue()
    }
  }

  /** Records an answer; `rateLimit` is missing if none came. */
  leave(paced: PacedRequest, rateLimit?: RateLimit): void {
    this.#inFlight--
    if (rateLimit && Number.isFinite(rateLimit.remaining)) this.#learn(paced, rateLimit)
    else if (this.#inFlight === 0 && this.#blockedUntil <= this.#options.clock()) this.#free = Math.max(this.#free, 1)
    this.#wake()
  }

  #learn(paced: PacedRequest, { limit, remaining, resetSeconds }: RateLimit): void {
    const { clock } = this.#options
    const seconds = Number.isNaN(resetSeconds) ? 0 : Math.min(resetSeconds, longestResetSeconds)
    const blockedUntil = clock() + seconds * 1000 + marginMs
    const hasOverlap = paced.number <= this.#sentAtLastAnswer
    if (!hasOverlap) {
      const taken = this.#lastRemaining - 1 - remaining
      this.#reserve *= forgetting
      if (taken > this.#reserve) this.#reserve = Math.min(taken, limit * maxReserved)
      if (this.#reserve < 0.5) this.#reserve = 0
    }
    const free = Math.max(0, remaining - Math.ceil(this.#reserve) - this.#inFlight)
    // Of answers that overtook each other, only the lowest count is safe.
    this.#free = hasOverlap ? Math.min(this.#free, free) : free
    this.#blockedUntil = hasOverlap ? Math.max(this.#blockedUntil, blockedUntil) : blockedUntil
    this.#lastRemaining = remaining
    this.#sentAtLastAnswer = this.#sent
  }

  async #reset(signal: AbortSignal | undefined, onWait: ((ms: number) => void) | undefined): Promise<void> {
    const { clock, sleep, random } = this.#options
    const ms = this.#blockedUntil - clock() + (this.#reserve > 0 ? random() * spreadMs : 0)
    if (ms > 0) {
      onWait?.(ms)
      await sleep(ms, signal)
    }
    this.#free = 1
    this.#lastRemaining = Number.NaN
  }

  async #nextAnswer(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(signal!.reason)
      signal?.addEventListener('abort', stop, { once: true })
      this.#wake = () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
    })
  }
}

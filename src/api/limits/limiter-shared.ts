// A count shared by all processes, and what a process does while the store does not answer.
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type Admission, bucketMs, type Limiter, type LocalLimiter, secondsUntil, windowMs } from './limiter.ts'
import { createLocalLimiter } from './limiter-memory.ts'
import { LateAnswer, type Patience } from './turn-patience.ts'

/** Answer of the shared store for one request. */
export type SharedAnswer = {
  readonly isAllowed: boolean
  /** Number of requests in the last minute, including this one if it was allowed. */
  readonly count: number
  /** Milliseconds until enough requests have left that one more would be allowed, or one more than now. */
  readonly waitMs: number
  /** Changes when the store has lost its counts. */
  readonly epoch: string
  /** The request reached the store so late that it neither counted nor denied it. */
  readonly isExpired?: boolean
}

/** How long the shared store is left alone after it failed to answer. */
const breakerMs = 1000
/** Maximum time that a request counts. */
const memoryMs = windowMs + bucketMs
/** Maximum checks of the store in a row without an answer before the connection counts as dead. */
const maxUnanswered = 3
/**
 * Maximum number of times that a request is resent if it reached the store too late although its answer came in time.
 */
const maxResent = 2
/** Maximum number of organizations to remember; beyond it all are forgotten. */
const maxKnown = 16_384

/** What a process remembers of an organization, by its own clock. */
type Known = {
  /**
   * The last shared count, and when the first of its requests leaves: until then it is valid without the store, too.
   */
  count: number
  heldFrom: number
  heldUntil: number
  /** When a request that the store does not know was last admitted. */
  aloneAt: number
}

export type SharedLimiterOptions = {
  readonly takeShared: (key: string, limit: number) => Promise<SharedAnswer>
  /** Takes back the newest request of a key, which was denied here because the store's answer was late. */
  readonly giveBack: (key: string) => Promise<unknown>
  /** Sends the store any command that shows that it counts again. */
  readonly probe: () => Promise<unknown>
  readonly clock: Clock
  readonly log?: Log | undefined
  /** How long to wait for an answer; default: forever. */
  readonly patience?: Patience | undefined
  /** Returns how many processes share the limit, including this one; default: 1. */
  readonly processes?: (() => number) | undefined
  /** Count of this process, one for all its threads; default: a new one. */
  readonly local?: LocalLimiter | undefined
  /** Called when answers are missing on a connection that seems to work. */
  readonly reconnect?: (() => void) | undefined
  /** Called when it starts or stops counting alone. */
  readonly onSharing?: ((isSharing: boolean) => void) | undefined
  readonly close: () => Promise<void>
}

/**
 * Queries the shared store (`takeShared`), and continues without it if it rejects or is late: never with an error,
 * slowly, or without a limit. Alone, a process
 *
 * - continues from the last shared answer while all requests of that answer still count: a denied organization stays
 *   denied;
 * - admits the limit divided by the number of living processes, including its own requests of the last minute.
 *
 * The store never learns what the process admitted alone. Therefore, for a minute afterwards, and for a minute after
 * the store lost its counts, the share applies in addition to the shared count. In any 60 seconds all processes
 * together admit at most the limit by the shared count and the limit by their shares; entirely without the store only
 * the latter.
 */
export class SharedLimiter implements Limiter {
  readonly #options: SharedLimiterOptions
  readonly #clock: Clock
  readonly #local: LocalLimiter
  readonly #known = new Map<string, Known>()
  /** Requests that wait for the store's answer and meanwhile count towards the share. */
  readonly #asking = new Map<string, number>()
  #epoch: string | undefined
  #epochSince = Number.NEGATIVE_INFINITY
  #failedAt = Number.NEGATIVE_INFINITY
  #isFailing = false
  #probing: Promise<boolean> | undefined
  #unanswered = 0

  constructor(options: SharedLimiterOptions) {
    this.#options = options
    this.#clock = options.clock
    this.#local = options.local ?? createLocalLimiter(options.clock)
  }

  async take(key: string, limit: number): Promise<Admission> {
    if (this.#isFailing && !(await this.#countsAgain())) return this.#takeAlone(key, limit)
    return await this.#ask(key, limit)
  }

  close(): Promise<void> {
    return this.#options.close()
  }

  async #ask(key: string, limit: number): Promise<Admission> {
    const askedAt = this.#clock()
    if (this.#keepsToShare(key, askedAt)) {
      const own = this.#local.look(key, this.#shareOf(limit))
      if (!own.isAllowed || own.remaining < (this.#asking.get(key) ?? 0)) return denial(limit, own.resetSeconds)
    }
    this.#asking.set(key, (this.#asking.get(key) ?? 0) + 1)
    try {
      const answer = await this.#answerOf(key, limit)
      if ('alone' in answer) return answer.alone
      this.#hear(key, answer, askedAt)
      return this.#admissionOf(key, limit, answer)
    } finally {
      const others = this.#asking.get(key)! - 1
      if (others === 0) this.#asking.delete(key)
      else this.#asking.set(key, others)
    }
  }

  /** The store's answer, or what this process decided because it gave none in time. */
  async #answerOf(key: string, limit: number): Promise<SharedAnswer | { readonly alone: Admission }> {
    const { takeShared, giveBack } = this.#options
    let asked: Promise<SharedAnswer> | undefined
    try {
      for (let sent = 0; sent <= maxResent; sent++) {
        asked = takeShared(key, limit)
        const answer = await this.#within(asked)
        if (answer.isExpired !== true) return answer
      }
      throw new LateAnswer()
    } catch (error) {
      this.#fail(error, false)
      const alone = this.#takeAlone(key, limit)
      if (error instanceof LateAnswer)
        asked?.then((late) => (late.isAllowed && !alone.isAllowed ? giveBack(key) : undefined)).catch(() => {})
      return { alone }
    }
  }

  #admissionOf(key: string, limit: number, { isAllowed, count, waitMs }: SharedAnswer): Admission {
    let remaining = Math.max(0, limit - count)
    if (this.#keepsToShare(key, this.#clock())) {
      // The store may have lost its counts with this very answer.
      const own = this.#local.look(key, this.#shareOf(limit))
      if (isAllowed && !own.isAllowed) return denial(limit, own.resetSeconds)
      remaining = Math.min(remaining, own.remaining)
    }
    if (isAllowed) this.#local.record(key, limit)
    return { isAllowed, limit, remaining, resetSeconds: secondsUntil(waitMs, 0) }
  }

  #takeAlone(key: string, limit: number): Admission {
    const known = this.#knownOf(key)
    const now = this.#clock()
    const isHeld = isWithin(known.heldFrom, Math.min(known.heldUntil - known.heldFrom, memoryMs), now)
    const share = this.#shareOf(limit)
    if (isHeld && known.count >= limit) {
      const { isAllowed, resetSeconds } = this.#local.look(key, share)
      const heldSeconds = secondsUntil(known.heldUntil, now)
      return denial(limit, isAllowed ? heldSeconds : Math.max(heldSeconds, resetSeconds))
    }
    const admission = this.#local.take(key, share)
    if (admission.isAllowed) {
      known.aloneAt = now
      known.count++
    }
    const remaining = isHeld ? Math.min(admission.remaining, limit - known.count) : admission.remaining
    return { ...admission, limit, remaining: Math.max(0, remaining) }
  }

  /** Whether the share applies in addition to the shared count. */
  #keepsToShare(key: string, now: number): boolean {
    const known = this.#known.get(key)
    return isWithin(this.#epochSince, memoryMs, now) || (known !== undefined && isWithin(known.aloneAt, memoryMs, now))
  }

  #shareOf(limit: number): number {
    const processes = this.#options.processes?.() ?? 1
    return Math.max(1, Math.floor(limit / Math.max(1, processes)))
  }

  /** `askedAt` is before the store read its clock, so that nothing counts longer than in the store. */
  #hear(key: string, { count, waitMs, epoch }: SharedAnswer, askedAt: number): void {
    this.#unanswered = 0
    if (this.#epoch !== epoch) {
      if (this.#epoch !== undefined) {
        this.#epochSince = this.#clock()
        this.#options.log?.error(
          {},
          'the shared store has lost the rate-limit counts: each process keeps to its share for a minute',
        )
      }
      this.#epoch = epoch
    }
    const known = this.#knownOf(key)
    if (known.heldFrom > askedAt && known.heldFrom <= this.#clock()) return
    known.count = count
    known.heldFrom = askedAt
    known.heldUntil = askedAt + waitMs
  }

  #knownOf(key: string): Known {
    let known = this.#known.get(key)
    if (!known) {
      if (this.#known.size >= maxKnown) this.#known.clear()
      const never = Number.NEGATIVE_INFINITY
      known = { count: 0, heldFrom: never, heldUntil: never, aloneAt: never }
      this.#known.set(key, known)
    }
    return known
  }

  /** Checks occasionally whether the store counts again. All requests that arrive meanwhile wait for the result. */
  async #countsAgain(): Promise<boolean> {
    if (this.#probing === undefined && isWithin(this.#failedAt, breakerMs, this.#clock())) return false
    this.#probing ??= this.#lookAtStore().finally(() => {
      this.#probing = undefined
    })
    return await this.#probing
  }

  async #lookAtStore(): Promise<boolean> {
    const { probe, onSharing, log } = this.#options
    const answer = probe()
    answer.then(
      () => {
        this.#unanswered = 0
      },
      () => {},
    )
    try {
      await this.#within(answer)
    } catch (error) {
      this.#fail(error, true)
      return false
    }
    this.#isFailing = false
    onSharing?.(true)
    log?.info({}, 'rate limits are shared again')
    return true
  }

  /** Requests that waited for the same answer count as one check of the store. */
  #fail(error: unknown, isLook: boolean): void {
    const { log, onSharing, processes, reconnect } = this.#options
    const isMissed = error instanceof LateAnswer && (isLook || !this.#isFailing)
    this.#failedAt = this.#clock()
    if (!this.#isFailing)
      log?.error(
        { error: String(error), processes: processes?.() ?? 1 },
        'rate limits are counted per node: the shared store does not answer',
      )
    this.#isFailing = true
    onSharing?.(false)
    if (!isMissed || ++this.#unanswered < maxUnanswered) return
    this.#unanswered = 0
    reconnect?.()
  }

  #within<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return this.#options.patience?.within(answer) ?? answer
  }
}

// A clock that was set back must not hold anything for longer than a minute.
const isWithin = (since: number, forMs: number, now: number): boolean => now >= since && now - since < forMs

const denial = (limit: number, resetSeconds: number): Admission => ({
  isAllowed: false,
  limit,
  remaining: 0,
  resetSeconds,
})

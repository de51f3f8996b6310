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
export function createSharedLimiter(options: {
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
}): Limiter {
  const { takeShared, giveBack, probe, clock, log, reconnect, close } = options
  const within = options.patience?.within ?? ((answer) => answer)
  const local = options.local ?? createLocalLimiter(clock)
  const processes = options.processes ?? (() => 1)
  const knownKeys = new Map<string, Known>()
  /** Requests that wait for the store's answer and meanwhile count towards the share. */
  const asking = new Map<string, number>()
  let epoch: string | undefined
  let epochSince = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY
  let isFailing = false
  let probing: Promise<boolean> | undefined
  let unanswered = 0

  // A clock that was set back must not hold anything for longer than a minute.
  const isWithin = (since: number, forMs: number, now: number): boolean => now >= since && now - since < forMs
  const shareOf = (limit: number): number => Math.max(1, Math.floor(limit / Math.max(1, processes())))

  function knownOf(key: string): Known {
    let known = knownKeys.get(key)
    if (!known) {
      if (knownKeys.size >= maxKnown) knownKeys.clear()
      const never = Number.NEGATIVE_INFINITY
      known = { count: 0, heldFrom: never, heldUntil: never, aloneAt: never }
      knownKeys.set(key, known)
    }
    return known
  }

  /** `askedAt` is before the store read its clock, so that nothing counts longer than in the store. */
  function hear(key: string, { count, waitMs, epoch: heard }: SharedAnswer, askedAt: number): void {
    unanswered = 0
    if (epoch !== heard) {
      if (epoch !== undefined) {
        epochSince = clock()
        log?.error({}, 'the shared store has lost the rate-limit counts: each process keeps to its share for a minute')
      }
      epoch = heard
    }
    const known = knownOf(key)
    if (known.heldFrom > askedAt && known.heldFrom <= clock()) return
    known.count = count
    known.heldFrom = askedAt
    known.heldUntil = askedAt + waitMs
  }

  /** Requests that waited for the same answer count as one check of the store. */
  function fail(error: unknown, isLook: boolean): void {
    const isMissed = error instanceof LateAnswer && (isLook || !isFailing)
    failedAt = clock()
    if (!isFailing)
      log?.error(
        { error: String(error), processes: processes() },
        'rate limits are counted per node: the shared store does not answer',
      )
    isFailing = true
    options.onSharing?.(false)
    if (!isMissed || ++unanswered < maxUnanswered) return
    unanswered = 0
    reconnect?.()
  }

  const denial = (limit: number, resetSeconds: number): Admission => ({
    isAllowed: false,
    limit,
    remaining: 0,
    resetSeconds,
  })

  function takeAlone(key: string, limit: number): Admission {
    const known = knownOf(key)
    const now = clock()
    const isHeld = isWithin(known.heldFrom, Math.min(known.heldUntil - known.heldFrom, memoryMs), now)
    const share = shareOf(limit)
    if (isHeld && known.count >= limit) {
      const { isAllowed, resetSeconds } = local.look(key, share)
      const heldSeconds = secondsUntil(known.heldUntil, now)
      return denial(limit, isAllowed ? heldSeconds : Math.max(heldSeconds, resetSeconds))
    }
    const admission = local.take(key, share)
    if (admission.isAllowed) {
      known.aloneAt = now
      known.count++
    }
    const remaining = isHeld ? Math.min(admission.remaining, limit - known.count) : admission.remaining
    return { ...admission, limit, remaining: Math.max(0, remaining) }
  }

  /** Whether the share applies in addition to the shared count. */
  function keepsToShare(key: string, now: number): boolean {
    const known = knownKeys.get(key)
    return isWithin(epochSince, memoryMs, now) || (known !== undefined && isWithin(known.aloneAt, memoryMs, now))
  }

  async function ask(key: string, limit: number): Promise<Admission> {
    const askedAt = clock()
    if (keepsToShare(key, askedAt)) {
      const own = local.look(key, shareOf(limit))
      if (!own.isAllowed || own.remaining < (asking.get(key) ?? 0)) return denial(limit, own.resetSeconds)
    }
    asking.set(key, (asking.get(key) ?? 0) + 1)
    try {
      let asked: Promise<SharedAnswer> | undefined
      let answer: SharedAnswer
      try {
        let sent = 0
        do {
          asked = takeShared(key, limit)
          answer = await within(asked)
        } while (answer.isExpired === true && sent++ < maxResent)
        if (answer.isExpired === true) throw new LateAnswer()
      } catch (error) {
        fail(error, false)
        const alone = takeAlone(key, limit)
        if (error instanceof LateAnswer)
          asked?.then((late) => (late.isAllowed && !alone.isAllowed ? giveBack(key) : undefined)).catch(() => {})
        return alone
      }
      hear(key, answer, askedAt)
      let remaining = Math.max(0, limit - answer.count)
      if (keepsToShare(key, clock())) {
        // The store may have lost its counts with this very answer.
        const own = local.look(key, shareOf(limit))
        if (answer.isAllowed && !own.isAllowed) return denial(limit, own.resetSeconds)
        remaining = Math.min(remaining, own.remaining)
      }
      if (answer.isAllowed) local.record(key, limit)
      return { isAllowed: answer.isAllowed, limit, remaining, resetSeconds: secondsUntil(answer.waitMs, 0) }
    } finally {
      const others = asking.get(key)! - 1
      if (others === 0) asking.delete(key)
      else asking.set(key, others)
    }
  }

  /** Checks occasionally whether the store counts again. All requests that arrive meanwhile wait for the result. */
  async function countsAgain(): Promise<boolean> {
    if (probing === undefined && isWithin(failedAt, breakerMs, clock())) return false
    probing ??= lookAtStore().finally(() => {
      probing = undefined
    })
    return await probing
  }

  async function lookAtStore(): Promise<boolean> {
    const answer = probe()
    answer.then(
      () => {
        unanswered = 0
      },
      () => {},
    )
    try {
      await within(answer)
    } catch (error) {
      fail(error, true)
      return false
    }
    isFailing = false
    options.onSharing?.(true)
    log?.info({}, 'rate limits are shared again')
    return true
  }

  return {
    take: async (key, limit) => {
      if (isFailing && !(await countsAgain())) return takeAlone(key, limit)
      return await ask(key, limit)
    },
    close,
  }
}

// A count shared by all nodes, and what a node does while the store of that count is down.
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Admission, Limiter, LocalLimiter } from './limiter.ts'
import { createLocalLimiter } from './limiter-memory.ts'

/** How long the shared store is left alone after a failure. */
const breakerMs = 1000

/**
 * When the store does not answer (`takeShared` rejects), this process goes on with its own log and the full limit and asks
 * again after a second: neither an error, nor slow, nor unlimited. At worst limit × processes, and once more the limit in
 * the minute in which the store comes back, for it knows nothing of what was admitted without it.
 */
export function createSharedLimiter(options: {
  readonly takeShared: (key: string, limit: number) => Promise<Admission>
  readonly clock: Clock
  readonly log?: Log | undefined
  /** What all threads of the process fall back to; a count of its own when left out. */
  readonly local?: LocalLimiter | undefined
  readonly close: () => Promise<void>
}): Limiter {
  const { takeShared, clock, log, close } = options
  const local = options.local ?? createLocalLimiter(clock)
  let failedAt = Number.NEGATIVE_INFINITY
  let isFailing = false
  return {
    take: async (key, limit) => {
      const sinceFailureMs = clock() - failedAt
      // A clock that was set back must not keep the breaker open.
      if (sinceFailureMs >= 0 && sinceFailureMs < breakerMs) return local.take(key, limit)
      try {
        const admission = await takeShared(key, limit)
        if (admission.isAllowed) local.record(key, limit)
        if (isFailing) log?.info('rate limits are shared again')
        isFailing = false
        return admission
      } catch (error) {
        failedAt = clock()
        if (!isFailing)
          log?.error({ error: String(error) }, 'rate limits are counted per node: the shared store does not answer')
        isFailing = true
        return local.take(key, limit)
      }
    },
    close,
  }
}

// The queue for one host: how many connections, how many requests a minute, and when the host is left alone.
import type { Clock, Sleep } from '../platform/clock.ts'
import type { Politeness } from '../sources/source.ts'

export type HostLimits = Required<Pick<Politeness, 'requestsPerMinute' | 'pauseMs' | 'connections' | 'restMs'>>

/** Limits for a card that names none (source.ts). */
export const defaultLimits: HostLimits = { requestsPerMinute: 60, pauseMs: 0, connections: 1, restMs: 5 * 60_000 }

export type HostQueue = {
  /**
   * Several sources may share a host: the stricter of two limits applies to all of them, for as long as the process
   * runs.
   */
  readonly tighten: (limits: HostLimits) => void
  /**
   * Waits for a connection and for the moment at which one more request is within the limits, and counts it. The caller
   * releases the connection. Throws the signal's reason when that comes first.
   */
  readonly enter: (signal: AbortSignal) => Promise<HostSlot>
  /** Epoch milliseconds until which the host is to be left alone; in the past when it is not. */
  readonly restUntil: () => number
  /**
   * Leaves the host alone for as long as it said, otherwise for `restMs`, doubled with each consecutive refusal up to 6
   * hours.
   */
  readonly rest: (saidMs: number | undefined) => void
  /** The host delivered: the next refusal counts as the first one again. */
  readonly delivered: () => void
}

export type HostSlot = { readonly leave: () => void }

const windowMs = 60_000
const longestRestMs = 6 * 60 * 60_000
/**
 * Maximum wait that a host may ask for; a longer one is reduced to this, so that a mistake does not end a source
 * forever.
 */
const longestSaidMs = 24 * 60 * 60_000

/** One host's queue, empty and without limits at first. */
export function createHostQueue(options: { readonly clock: Clock; readonly sleep: Sleep }): HostQueue {
  const { clock: now, sleep } = options
  let limits: HostLimits | undefined
  /** Start times of the requests of the last minute. */
  const starts: number[] = []
  let lastStart = Number.NEGATIVE_INFINITY
  let open = 0
  const waiting: (() => void)[] = []
  let restUntil = 0
  let refusals = 0

  const current = () => limits ?? defaultLimits

  const untilNextMs = (): number => {
    const { requestsPerMinute, pauseMs } = current()
    const at = now()
    while (starts.length > 0 && starts[0]! <= at - windowMs) starts.shift()
    // less than one a minute means a pause
    const spacingMs = requestsPerMinute < 1 ? windowMs / requestsPerMinute : 0
    const most = Math.max(1, Math.floor(requestsPerMinute))
    const oldest = starts.length >= most ? starts[starts.length - most]! : Number.NEGATIVE_INFINITY
    return Math.max(restUntil, oldest + windowMs, lastStart + Math.max(pauseMs, spacingMs)) - at
  }

  const connect = async (signal: AbortSignal): Promise<void> => {
    while (open >= current().connections) {
      signal.throwIfAborted()
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.push(wake)
        signal.addEventListener('abort', wake, { once: true })
      })
    }
    open += 1
  }

  const leave = () => {
    open -= 1
    // wake all of them, in order: one that gave up meanwhile must not use up the turn of the next
    for (const wake of waiting.splice(0)) wake()
  }

  return {
    tighten: (other) => {
      limits = limits
        ? {
            requestsPerMinute: Math.min(limits.requestsPerMinute, other.requestsPerMinute),
            pauseMs: Math.max(limits.pauseMs, other.pauseMs),
            connections: Math.min(limits.connections, other.connections),
            restMs: Math.max(limits.restMs, other.restMs),
          }
        : other
    },
    enter: async (signal) => {
      await connect(signal)
      try {
        for (;;) {
          signal.throwIfAborted()
          const ms = untilNextMs()
          if (ms <= 0) break
          await sleep(ms, signal)
        }
      } catch (error) {
        leave()
        throw error
      }
      lastStart = now()
      starts.push(lastStart)
      let hasLeft = false
      return {
        leave: () => {
          if (!hasLeft) leave()
          hasLeft = true
        },
      }
    },
    restUntil: () => restUntil,
    rest: (saidMs) => {
      const { restMs } = current()
      const ownMs = Math.min(restMs * 2 ** refusals, Math.max(restMs, longestRestMs))
      refusals = Math.min(refusals + 1, 30)
      restUntil = Math.max(restUntil, now() + (saidMs === undefined ? ownMs : Math.min(saidMs, longestSaidMs)))
    },
    delivered: () => {
      refusals = 0
    },
  }
}

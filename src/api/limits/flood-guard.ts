// Holds back addresses that send wrong tokens by the hundred. Requests with a valid token never come here.
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { createLimiterMemory, MemoryLimiter } from './limiter-memory.ts'

/** Maximum number of addresses with refused requests in the last minute; more are not counted. */
const maxAddresses = 16_384
const exactStamps = 64
const reach = 64
const refusedPerMinute = 600

export type FloodGuard = {
  /**
   * Counts one refused request of an address; returns the seconds to wait if it had too many in the last minute, else
   * undefined.
   */
  readonly count: (address: string) => number | undefined
}

/**
 * Memory for the guards of all threads. It is separate from the organizations' memory, whose room addresses must never
 * take.
 */
export const createFloodMemory = (): SharedArrayBuffer =>
  createLimiterMemory({ organizations: maxAddresses, exactStamps, reach })

/**
 * Creates a sliding log like that of the organizations; `memory` makes it one for all threads that share it
 * (MemoryLimiter).
 */
export function createFloodGuard(
  clock: Clock,
  maxPerMinute: number = refusedPerMinute,
  { memory, thread }: { readonly memory: SharedArrayBuffer; readonly thread: number } = {
    memory: createFloodMemory(),
    thread: 0,
  },
): FloodGuard {
  const limiter = new MemoryLimiter({ memory, clock, thread })
  return {
    count: (address) => {
      try {
        const { isAllowed, resetSeconds } = limiter.take(address, maxPerMinute)
        return isAllowed ? undefined : resetSeconds
      } catch (error) {
        // No room: a flood from everywhere cannot be held back by address.
        if (error instanceof OperatorError) return undefined
        throw error
      }
    },
  }
}

// Holds back addresses that send wrong tokens by the hundred. Requests with a valid token never come here.
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { createLimiterMemory, MemoryLimiter } from './limiter-memory.ts'

/** Maximum number of addresses with refused requests in the last minute; further ones are not counted. */
const maxAddresses = 16_384
const exactStamps = 64
const reach = 64
const refusedPerMinute = 600

export type FloodGuard = {
  /**
   * Counts one refused request of an address; seconds to wait when it had too many in the last minute, else undefined.
   */
  readonly count: (address: string) => number | undefined
}

/** Memory for the guards of all threads. Not that of the organizations, whose room addresses must never take. */
export const createFloodMemory = (): SharedArrayBuffer =>
  createLimiterMemory({ organizations: maxAddresses, exactStamps, reach })

/** A sliding log as that of the organizations; with `memory` one for all threads that share it (MemoryLimiter). */
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
        // No room: a flood from everywhere is not to be held back by address.
        if (error instanceof OperatorError) return undefined
        throw error
      }
    },
  }
}

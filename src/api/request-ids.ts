// Our own request ids: UUID version 7 (RFC 9562 5.7), so that they sort by time. A client's ids are never taken over.
import type { Clock } from '../platform/clock.ts'

const poolSize = 4096
const randomLength = 10

/** A source of ids; random bytes are drawn in bulk. */
export function createRequestIds(clock: Clock, randomBytes: (count: number) => Buffer): () => string {
  let pool = randomBytes(poolSize)
  let offset = 0
  return () => {
    if (offset + randomLength > poolSize) {
      pool = randomBytes(poolSize)
      offset = 0
    }
    const time = clock().toString(16).padStart(12, '0')
    const random = pool.toString('hex', offset, offset + randomLength)
    // The variant takes two bits of one hex digit; the other two stay random.
    const variant = '89ab'[pool[offset]! & 3]!
    offset += randomLength
    return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(3, 6)}-${random.slice(6, 18)}`
  }
}

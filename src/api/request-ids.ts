// Our own request IDs: UUID version 7 (RFC 9562 5.7), so that they sort by time. A client's IDs are never used.
import type { Clock } from '../platform/clock.ts'

const poolSize = 4096
/** Number of random hex digits in an ID, one of them for the variant. */
const digits = 19

/** Creates a source of ids; random bytes are drawn in bulk. */
export function createRequestIds(clock: Clock, randomBytes: (count: number) => Buffer): () => string {
  let pool = ''
  let offset = 0
  let now = Number.NaN
  let time = ''
  return () => {
    if (offset + digits > pool.length) {
      pool = randomBytes(poolSize).toString('hex')
      offset = 0
    }
    const present = clock()
    if (present !== now) {
      now = present
      const text = present.toString(16).padStart(12, '0')
      time = `${text.slice(0, 8)}-${text.slice(8)}`
    }
    const from = offset
    offset += digits
    // The variant takes two bits of one hex digit; the other two stay random.
    const code = pool.charCodeAt(from)
    const variant = '89ab'[(code + (code >> 6)) & 3]!
    return `${time}-7${pool.slice(from + 1, from + 4)}-${variant}${pool.slice(from + 4, from + 7)}-${pool.slice(from + 7, from + digits)}`
  }
}

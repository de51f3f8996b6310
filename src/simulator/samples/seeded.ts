// Numbers that look random and are the same for the same seed, for the sample world.
import { createHash } from 'node:crypto'

export type Seeded = {
  /** In [0, 1). */
  readonly next: () => number
  /** A whole number from `low` to `high`, both included. */
  readonly whole: (low: number, high: number) => number
  readonly pick: <T>(values: readonly T[]) => T
  readonly chance: (share: number) => boolean
}

/** mulberry32 over a hash of the key. Not for secrets. */
export function seeded(key: string): Seeded {
  let state = createHash('sha256').update(key).digest().readUInt32LE(0)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return { next, whole, pick: (values) => values[whole(0, values.length - 1)]!, chance: (share) => next() < share }
}

/** A UUID (version 4 layout) that is the same for the same key. */
export function seededUuid(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

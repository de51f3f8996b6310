// Keys as numbers: eight bytes instead of thirty in an index of twenty keys for each record.

/** The bits of a hash, each spread over all. */
export function mixed(hash: number): number {
  let word = hash
  word = Math.imul(word ^ (word >>> 16), 0x21f0aaad)
  word = Math.imul(word ^ (word >>> 15), 0x735a2d97)
  return (word ^ (word >>> 15)) >>> 0
}

/**
 * A key as an integer of at most 53 bits, odd if it is weak: so its limit is known without its text. Two keys with the
 * same number (one chance in 2^52 per pair) share a block; only the keys decide that, so it does not depend on any
 * order.
 */
export function blockNumber(key: string, isWeak: boolean): number {
  let [high, low] = [0x811c9dc5, 0x9747b28c]
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index)
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low + code, 0x5bd1e995)
    low ^= low >>> 15
  }
  const top = mixed(high ^ Math.imul(low, 0x9e3779b1))
  const rest = mixed(low ^ Math.imul(high, 0x85ebca6b)) >>> 12
  return (top * 0x100000 + rest) * 2 + (isWeak ? 1 : 0)
}

export const isWeakNumber = (number: number): boolean => number % 2 === 1

// Seeded randomness for generated worlds: the same seed gives the same world on every machine.

export type Random = {
  /** Uniform in [0, 1). */
  readonly next: () => number
  /** Uniform whole number in [from, to]. */
  readonly integer: (from: number, to: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(items: readonly T[]) => T
  /** Picks by weight; the weights need not sum to one. */
  readonly weighted: <T>(items: readonly (readonly [weight: number, item: T])[]) => T
  /** Log-normal around `median`; `spread` is the standard deviation of the logarithm. */
  readonly logNormal: (median: number, spread: number) => number
}

/**
 * A generator (`splitmix32` seeds `mulberry32`) for one seed; `stream` gives independent sequences under the same seed.
 */
export function randomOf(seed: number, stream = 0): Random {
  let state = mix(mix(seed | 0) ^ Math.imul(stream + 1, 0x9e3779b9))
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let word = Math.imul(state ^ (state >>> 15), 1 | state)
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word
    return ((word ^ (word >>> 14)) >>> 0) / 4_294_967_296
  }
  const integer = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => items[integer(0, items.length - 1)]!,
    weighted: (items) => {
      let rest = next() * items.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of items) {
        rest -= weight
        if (rest < 0) return item
      }
      return items.at(-1)![1]
    },
    logNormal: (median, spread) =>
      median * Math.exp(spread * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())),
  }
}

function mix(value: number): number {
  let word = (value + 0x9e3779b9) | 0
  word = Math.imul(word ^ (word >>> 16), 0x21f0aaad)
  word = Math.imul(word ^ (word >>> 15), 0x735a2d97)
  return word ^ (word >>> 15)
}

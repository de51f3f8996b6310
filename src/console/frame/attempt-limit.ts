// Limits how often something may be tried, by key, within a sliding time. In the memory of this process.

/** Maximum number of keys to remember; beyond it, the one tried longest ago is forgotten. */
const maxKeys = 50_000

export class AttemptLimit {
  readonly #most: number
  readonly #windowMs: number
  readonly #tries = new Map<string, readonly number[]>()

  constructor(most: number, windowMs: number) {
    this.#most = most
    this.#windowMs = windowMs
  }

  /** Counts an attempt at `now`, epoch milliseconds. False, and not counted, if there were too many. */
  take(key: string, now: number): boolean {
    const recent = (this.#tries.get(key) ?? []).filter((at) => at > now - this.#windowMs)
    const isAllowed = recent.length < this.#most
    // set again, so that the first key is the one tried longest ago
    this.#tries.delete(key)
    this.#tries.set(key, isAllowed ? [...recent, now] : recent)
    const [first] = this.#tries.keys()
    if (this.#tries.size > maxKeys && first !== undefined) this.#tries.delete(first)
    return isAllowed
  }
}

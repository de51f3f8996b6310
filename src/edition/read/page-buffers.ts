// Size steps of buffers for records and for pages that are not kept. They are reused once an answer was sent:
// allocating one costs more than filling it, because the operating system provides and reclaims its memory.

const step = 64 * 1024
/** Maximum size of a buffer to keep for reuse. */
const largest = 1024 * 1024
const keptMax = 32

export class PageBuffers {
  readonly #free: Buffer[] = []

  /** Returns a buffer of at least `length` bytes with arbitrary content. */
  take(length: number): Buffer {
    for (let index = this.#free.length - 1; index >= 0; index--) {
      const buffer = this.#free[index]!
      if (buffer.length < length) continue
      this.#free[index] = this.#free[this.#free.length - 1]!
      this.#free.pop()
      return buffer
    }
    return Buffer.allocUnsafeSlow(Math.ceil(length / step) * step)
  }

  /** Called once, by the code that took the buffer, when nothing reads it any more. */
  giveBack(buffer: Buffer): void {
    if (buffer.length > largest) return
    // Larger buffers replace smaller ones, so that those that fit everything remain.
    if (this.#free.length < keptMax) this.#free.push(buffer)
    else if (this.#free[0]!.length < buffer.length) this.#free[0] = buffer
  }
}

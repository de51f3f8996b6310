// Time that passes only when everybody waits: the client's waits of minutes and hours take no real time.
import type { Sleep } from '../src/sleep.ts'

type Timer = { readonly at: number; readonly order: number; readonly run: () => void }

export class VirtualTime {
  now = 0
  #timers: Timer[] = []
  #order = 0
  /** Every wait that was requested through `sleep`, in order. */
  readonly slept: number[] = []

  readonly clock = (): number => this.now

  readonly sleep: Sleep = (ms, signal) => {
    this.slept.push(ms)
    return this.wait(ms, signal)
  }

  /** Like `sleep`, for anything but the client: latencies, other parties. */
  readonly wait: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const timer = { at: this.now + ms, order: this.#order++, run: resolve }
      this.#timers.push(timer)
      signal?.addEventListener('abort', () => {
        this.#timers = this.#timers.filter((other) => other !== timer)
        reject(signal.reason)
      })
    })

  /** Lets time pass until `work` has settled. Throws if it waits for something that will never happen. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const end = (): void => {
      isDone = true
    }
    work.then(end, end)
    for (let idle = 0; ; ) {
      // Work outside of this thread (a digest) may take a while on a busy machine.
      await new Promise((resolve) => (idle < 100 ? setImmediate(resolve) : setTimeout(resolve, 1)))
      if (isDone) return work
      const next = this.#timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0]
      if (!next) {
        if (++idle > 10_000) throw new Error('everybody waits and no timer is set')
        continue
      }
      idle = 0
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.now = Math.max(this.now, next.at)
      next.run()
    }
  }
}

// What the readers of a node count in shared memory, over all threads that ever lived: no count is lost when a reader
// dies.
import { type CountedRequests, createCountMemory, durationBounds, RequestCounts } from '../../api/request-counts.ts'

export class ReaderMeters {
  /** By thread number; the next thread with that number continues the counts. */
  readonly #memories = new Map<number, SharedArrayBuffer>()
  #threads: () => readonly number[] = () => []
  #deaths = 0

  /** The buckets of a route without requests so far. */
  readonly noRequests: readonly number[] = [...durationBounds, Number.POSITIVE_INFINITY].map(() => 0)

  memoryOf(thread: number): SharedArrayBuffer {
    const memory = this.#memories.get(thread) ?? createCountMemory()
    this.#memories.set(thread, memory)
    return memory
  }

  /** `threads` returns the numbers of those that answer requests now. */
  showThreads(threads: () => readonly number[]): void {
    this.#threads = threads
  }

  /** Counts a reader that answered requests and ended unexpectedly. */
  noteDeath(): void {
    this.#deaths++
  }

  get deaths(): number {
    return this.#deaths
  }

  /** The threads that answer requests now. */
  alive(): readonly { readonly thread: number; readonly counts: RequestCounts }[] {
    return this.#threads().map((thread) => ({ thread, counts: new RequestCounts(this.memoryOf(thread)) }))
  }

  /** What all of them have answered since the start of the node. */
  requests(): readonly CountedRequests[] {
    const sums = new Map<string, CountedRequests>()
    for (const memory of this.#memories.values())
      for (const each of new RequestCounts(memory).read()) {
        const key = `${each.route} ${each.status}`
        const before = sums.get(key)
        const buckets = each.buckets.map((count, index) => count + (before?.buckets[index] ?? 0))
        sums.set(key, { ...each, buckets, seconds: each.seconds + (before?.seconds ?? 0) })
      }
    return [...sums.values()]
  }
}

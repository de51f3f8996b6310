// The packers as the writer of the edition log sees them: threads that are there while large editions are taken over.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { NewEntry, PackedEntries } from './pack-entries.ts'
import type { PackerAnswer, PackerTask } from './packer.ts'

/** With more the writer, who reads the rows and writes what was packed, has not enough for them. */
const mostPackers = 4
/** What each has to do while the writer takes what it did. */
const tasksEach = 2

export class Packers {
  readonly #most = Math.min(mostPackers, availableParallelism())
  readonly #threads: Packer[] = []

  /** Tasks to be given before the first is waited for, so that no packer waits. */
  get ahead(): number {
    return this.#most * tasksEach
  }

  /** Rejects for entries that cannot be packed, and when `rest` is called before. */
  pack(edition: number, entries: readonly NewEntry[]): Promise<PackedEntries> {
    let chosen = this.#threads.find(({ tasks }) => tasks === 0)
    if (!chosen && this.#threads.length < this.#most) {
      chosen = new Packer()
      this.#threads.push(chosen)
    }
    chosen ??= this.#threads.reduce((least, each) => (each.tasks < least.tasks ? each : least))
    return chosen.pack({ edition, entries })
  }

  /** Ends the threads until there is something to pack again. */
  rest(): void {
    for (const thread of this.#threads.splice(0)) thread.end()
  }
}

/** A thread answers in the order in which it is asked. */
class Packer {
  readonly #worker = new Worker(new URL('./packer.ts', import.meta.url), { execArgv: [], env: {} })
  readonly #waiting: PromiseWithResolvers<PackedEntries>[] = []
  #hasEnded = false

  constructor() {
    let reason = new Error('a packer ended')
    this.#worker.on('message', (answer: PackerAnswer) => {
      const waiting = this.#waiting.shift()!
      if ('packed' in answer) waiting.resolve(answer.packed)
      else waiting.reject(new Error(answer.error))
    })
    this.#worker.on('error', (error: unknown) => {
      reason = error instanceof Error ? error : new Error(String(error))
    })
    this.#worker.on('exit', () => {
      this.#hasEnded = true
      for (const waiting of this.#waiting.splice(0)) waiting.reject(reason)
    })
  }

  get tasks(): number {
    return this.#waiting.length
  }

  async pack(task: PackerTask): Promise<PackedEntries> {
    const waiting = Promise.withResolvers<PackedEntries>()
    if (this.#hasEnded) throw new Error('a packer ended')
    this.#waiting.push(waiting)
    this.#worker.postMessage(task)
    return await waiting.promise
  }

  end(): void {
    void this.#worker.terminate()
  }
}

// The packers as the writer of the edition log sees them: one thread is kept ready for large editions; more run while a
// stock is built.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { runnable } from '../../platform/runnable.ts'
import type { NewEntry, PackedEntries } from './pack-entries.ts'
import type { PackerAnswer, PackerRoom, PackerTask } from './packer.ts'

/** Number of changes that justify one more packer, whose start costs 140 ms of CPU. */
const changesEach = 200_000
/** Maximum number of packers: the writer, which reads the rows and writes the packed pieces, cannot feed more. */
const maxPackers = 4
/** Number of tasks to queue for each packer while the writer takes its results. */
export const tasksEach = 2

/** Starts packers for an edition of this many changes. */
export function packersFor(changes: number): number {
  return Math.min(1 + Math.floor(changes / changesEach), maxPackers, availableParallelism())
}

export class Packers {
  readonly #threads: Packer[] = []
  /** Returned rooms: at most as many as there were concurrent tasks. */
  readonly #rooms: PackerRoom[] = []

  /** Gives the entries to one of up to `most` packers. Rejects for entries that cannot be packed. */
  pack(edition: number, entries: readonly NewEntry[], most: number): Promise<PackedEntries> {
    let chosen = this.#threads.find(({ tasks }) => tasks === 0)
    if (!chosen && this.#threads.length < most) chosen = this.#start()
    chosen ??= this.#threads.reduce((least, each) => (each.tasks < least.tasks ? each : least))
    return chosen.pack({ edition, entries, room: this.#rooms.pop() })
  }

  /** Returns the memory of what `pack` delivered, which was written, for reuse. */
  giveBack({ plain, gzip }: PackedEntries): void {
    this.#rooms.push({ plain: plain[0]!.buffer as ArrayBuffer, gzip: gzip[0]!.buffer as ArrayBuffer })
  }

  /** Keeps one ready: starting it during work would take cores from the threads that answer. */
  standBy(): void {
    if (this.#threads.length === 0) this.#start()
  }

  /** Ends all but one, which stays ready. */
  rest(): void {
    this.#rooms.length = 0
    for (const thread of this.#threads.splice(1)) thread.end()
  }

  /** Ends all; rejects tasks that still wait. */
  end(): void {
    for (const thread of this.#threads.splice(0)) thread.end()
  }

  #start(): Packer {
    const thread = new Packer(() => {
      const index = this.#threads.indexOf(thread)
      if (index !== -1) this.#threads.splice(index, 1)
    })
    this.#threads.push(thread)
    return thread
  }
}

/** A thread answers in the order of its requests. */
class Packer {
  readonly #worker = new Worker(runnable(new URL('./packer.ts', import.meta.url)), { execArgv: [], env: {} })
  readonly #waiting: PromiseWithResolvers<PackedEntries>[] = []

  constructor(onEnd: () => void) {
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
      onEnd()
      for (const waiting of this.#waiting.splice(0)) waiting.reject(reason)
    })
  }

  get tasks(): number {
    return this.#waiting.length
  }

  pack(task: PackerTask): Promise<PackedEntries> {
    const waiting = Promise.withResolvers<PackedEntries>()
    this.#waiting.push(waiting)
    this.#worker.postMessage(task, task.room ? [task.room.plain, task.room.gzip] : [])
    return waiting.promise
  }

  end(): void {
    void this.#worker.terminate()
  }
}

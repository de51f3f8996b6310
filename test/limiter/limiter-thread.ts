// The part of a reader thread that concerns the limit: takes as fast as it can, and records the answers.
import { parentPort, workerData } from 'node:worker_threads'
import { MemoryLimiter } from '../../src/api/limits/limiter-memory.ts'

export type LimiterThreadTask = {
  readonly memory: SharedArrayBuffer
  readonly thread: number
  /** Words: the time, whether to stop, whether to go. */
  readonly control: SharedArrayBuffer
  readonly organizations: readonly { readonly key: string; readonly limit: number }[]
} & (
  | {
      readonly job: 'hammer'
      /**
       * The number of takes, then a word for each: the time of the count * 4 + organization * 2 + 1 if it was allowed.
       */
      readonly notes: SharedArrayBuffer
      /** How long it holds a lock, in turns of a loop. */
      readonly dwell: number
      readonly seed: number
    }
  /** One request for each organization, sent on a signal. */
  | { readonly job: 'once each' }
  /** One take of the first organization. */
  | { readonly job: 'ask' }
  /** One take of each organization; at the last it ends while it holds a lock. */
  | { readonly job: 'die'; readonly how: 'waits to be ended' | 'exits' }
)

const timeWord = 0
const stopWord = 1
const goWord = 2
const never = 3

const task = workerData as LimiterThreadTask
const port = parentPort!
const { memory, thread, organizations } = task
const control = new Int32Array(task.control)
let time = 0
let onClock = (): void => {}
const clock = (): number => {
  // Known to be the time of the count: it is read under the lock and never falls.
  time = Atomics.load(control, timeWord)
  onClock()
  return time
}
const limiter = new MemoryLimiter({ memory, clock, thread })

switch (task.job) {
  case 'ask': {
    const { key, limit } = organizations[0]!
    port.postMessage('asks')
    port.postMessage(limiter.take(key, limit))
    break
  }
  case 'once each': {
    port.postMessage('ready')
    Atomics.wait(control, goWord, 0)
    // Each thread begins elsewhere: then different organizations compete for the same empty slot.
    for (const index of organizations.keys()) {
      const { key, limit } = organizations[(index + thread) % organizations.length]!
      limiter.take(key, limit)
    }
    port.postMessage('done')
    break
  }
  case 'die': {
    for (const [index, { key, limit }] of organizations.entries()) {
      if (index === organizations.length - 1) {
        onClock = () => {
          port.postMessage('holds')
          if (task.how === 'exits') process.exit()
          Atomics.wait(control, never, 0)
        }
      }
      limiter.take(key, limit)
    }
    break
  }
  case 'hammer': {
    const notes = new Int32Array(task.notes)
    let turn = 0
    onClock = () => {
      for (let round = 0; round < task.dwell; round++) turn = (turn + Atomics.load(control, timeWord)) | 0
    }
    let state = task.seed | 1
    const draw = (bound: number): number => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x3c6ef372
      return ((state ^ (state >>> 13)) >>> 0) % bound
    }
    let count = notes[0]!
    while (count + 1 < notes.length && Atomics.load(control, stopWord) === 0) {
      const index = (count + thread) % organizations.length
      const { key, limit } = organizations[index]!
      const { isAllowed } = limiter.take(key, limit)
      count++
      notes[count] = time * 4 + index * 2 + (isAllowed ? 1 : 0)
      Atomics.store(notes, 0, count)
      // A minute is about 3,000 takes of all threads, so that both limits are reached in most; sometimes it passes at
      // once.
      Atomics.add(control, timeWord, draw(5000) === 0 ? draw(90_000) : draw(40))
    }
    port.postMessage('done')
  }
}

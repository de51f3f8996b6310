// The only place that reads the wall clock. Everything else takes a Clock.
import { setTimeout as delay } from 'node:timers/promises'

/** Epoch milliseconds of the present moment. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** When this thread began to count, by the clock that all threads share. */
const threadStartMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/**
 * Milliseconds of a clock that is never set and only moves forwards, the same in all threads; for spans of time within
 * this process.
 */
export const steadyClock: Clock = () => threadStartMs + performance.now()

/**
 * The time that all machines share, in whole milliseconds; `aheadMs`: how far it is ahead of the steady clock. While
 * that is not known, the machine's own clock counts.
 */
export function sharedTime(aheadMs: number | undefined, own: Clock, steady: Clock = steadyClock): number {
  return aheadMs === undefined ? own() : Math.round(steady() + aheadMs)
}

/** A clock for trials: `base` plus everything that `advance` added. Never for production. */
export type ShiftableClock = { readonly now: Clock; readonly advance: (ms: number) => number }

/**
 * `advance` returns the new present moment; it only moves forwards, because published times never decrease (P2).
 * `shiftMs`: an array of one number, how far the clock was moved; if it is in shared memory, clocks of other threads
 * move along.
 */
export function shiftableClock(base: Clock = systemClock, shiftMs: Float64Array = new Float64Array(1)): ShiftableClock {
  const now = () => base() + shiftMs[0]!
  return {
    now,
    advance: (ms) => {
      if (!Number.isSafeInteger(ms) || ms < 0)
        throw new RangeError(`a clock moves forward by whole milliseconds: ${ms}`)
      shiftMs[0]! += ms
      return now()
    },
  }
}

const longestTimerMs = 2 ** 31 - 1

/** Resolves after this many milliseconds; rejects with the signal's reason if that comes first. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** Waits with the machine's timer, in several steps when the time is longer than the timer allows. */
export const systemSleep: Sleep = async (ms, signal) => {
  for (let left = ms; left > 0; left -= longestTimerMs) {
    await delay(Math.min(left, longestTimerMs), undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error
    })
  }
}

/** An idle thread wakes up once in this time for all that it does again and again. */
const tickMs = 1000

const works = new Set<() => void>()
let timer: NodeJS.Timeout | undefined

function eachTick(work: () => void): () => void {
  const own = () => work()
  works.add(own)
  timer ??= setInterval(() => {
    for (const each of [...works]) each()
  }, tickMs).unref()
  return () => {
    works.delete(own)
    if (works.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/**
 * Calls `work` every `everyMs`; the first time up to a second earlier. It keeps no process alive. Returns a function
 * that ends it. Only whole seconds share the clock.
 */
export function every(everyMs: number, work: () => void): () => void {
  if (everyMs % tickMs !== 0) {
    const own = setInterval(work, everyMs).unref()
    return () => clearInterval(own)
  }
  const ticks = everyMs / tickMs
  let passed = 0
  return eachTick(() => {
    if (++passed % ticks === 0) work()
  })
}

/**
 * Resolves when about `ms` have passed, whole seconds by the same clock, or when `signal` is aborted. What waits keeps
 * the process alive.
 */
export async function afterTicks(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = every(ms, resolve)
  const alive = setInterval(() => {}, longestTimerMs)
  const onAbort = () => resolve()
  signal.addEventListener('abort', onAbort)
  await promise
  signal.removeEventListener('abort', onAbort)
  clearInterval(alive)
  end()
}

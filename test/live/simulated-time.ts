// Time that passes only while nothing else happens: a month of many workers takes minutes, and no wait is cut short.
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { KyselyPlugin } from 'kysely'
import type { Sleep } from '../../src/platform/clock.ts'
import type { TestStore } from '../world.ts'

/** Turns of the event loop without any news after which nothing is under way. */
const quietTurns = 4
/** A statement that failed is never reported as done: after so long without news it is no longer waited for. */
const longestSilentMs = 500

export type SimulatedTime = {
  readonly clock: () => number
  readonly sleep: Sleep
  /** Time stands still until it is done. */
  readonly during: <Result>(work: Promise<Result>) => Promise<Result>
  /** Until then, wakes one sleeper after the other, each when everything before has been done. */
  readonly pass: (until: number) => Promise<void>
  /** The same store; time stands still during its statements and transactions. */
  readonly watched: (store: TestStore) => TestStore
}

/** `roundUp`: when a sleep of so many milliseconds ends at the latest, in place of its exact end. */
export function simulatedTime(start: number, roundUp: (at: number, ms: number) => number = (at) => at): SimulatedTime {
  let now = start
  let [busy, news] = [0, 0]
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const change = (by: number) => {
    busy = Math.max(0, busy + by)
    news += 1
  }
  const during: SimulatedTime['during'] = (work) => {
    change(1)
    return work.finally(() => change(-1))
  }
  const sleep: Sleep = (ms, signal) =>
    new Promise<void>((resolve, reject) => {
      signal.throwIfAborted()
      const end = () => {
        sleepers.delete(sleeper)
        signal.removeEventListener('abort', stop)
        news += 1
      }
      const stop = () => {
        end()
        reject(signal.reason)
      }
      const sleeper = {
        at: roundUp(now + Math.max(0, Math.ceil(ms)), ms),
        wake: () => {
          end()
          resolve()
        },
      }
      sleepers.add(sleeper)
      signal.addEventListener('abort', stop)
      news += 1
    })
  const quiet = async () => {
    let [turns, seen, since] = [0, news, performance.now()]
    while (turns < quietTurns) {
      if (busy > 0) await delay(1)
      else await turn()
      if (news !== seen) [turns, seen, since] = [0, news, performance.now()]
      else if (busy === 0) turns += 1
      else if (performance.now() - since > longestSilentMs) busy = 0
    }
  }
  const pass = async (until: number) => {
    for (;;) {
      await quiet()
      const next = [...sleepers].sort((a, b) => a.at - b.at)[0]
      if (!next || next.at > until) break
      now = Math.max(now, next.at)
      next.wake()
    }
    now = Math.max(now, until)
  }
  const watched = (store: TestStore): TestStore => {
    const plugin: KyselyPlugin = {
      transformQuery: ({ node }) => {
        change(1)
        return node
      },
      transformResult: ({ result }) => {
        change(-1)
        return Promise.resolve(result)
      },
    }
    const inner = store.db.withPlugin(plugin)
    const db = new Proxy(inner, {
      get: (target, name) => {
        if (name === 'transaction')
          return () => {
            const builder = target.transaction()
            const execute = builder.execute.bind(builder)
            return Object.assign(builder, { execute: (work: Parameters<typeof execute>[0]) => during(execute(work)) })
          }
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return { ...store, db }
  }
  return { clock: () => now, sleep, during, pass, watched }
}

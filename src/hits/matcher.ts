// The matcher as its callers see it: a thread that holds the index over all searches and answers which of them records
// match.
import { Worker } from 'node:worker_threads'
import { runnable } from '../platform/runnable.ts'
import type { LoadedProfile } from './company-profile.ts'
import type { Match } from './match-records.ts'
import type { MatcherAnswer, MatcherTask } from './matcher-worker.ts'
import type { Search } from './saved-search.ts'

export type Matcher = {
  /** Replaces all loaded searches; `serial` names the state of the new ones. */
  readonly load: (searches: readonly Search[], profiles: readonly LoadedProfile[], serial: number) => Promise<void>
  /** Serial of the searches that were loaded last; undefined before the first. */
  readonly serial: () => number | undefined
  /**
   * The matches at or above the threshold of each search, in the order of the records. `records`: JSON of entries of
   * one edition as the store holds them; `at`: when the edition was published, epoch ms. Archived records match
   * nothing.
   */
  readonly match: (records: readonly string[], at: number) => Promise<Match[]>
  /** Rejects the calls that still wait. */
  readonly close: () => Promise<void>
}

export function openMatcher(): Matcher {
  const worker = new Worker(runnable(new URL('./matcher-worker.ts', import.meta.url)), { execArgv: [], env: {} })
  const waiting: PromiseWithResolvers<MatcherAnswer>[] = []
  let reason = new Error('the matcher is closed')
  let hasEnded = false
  let loaded: number | undefined
  worker.on('message', (answer: MatcherAnswer) => waiting.shift()!.resolve(answer))
  worker.on('error', (error: unknown) => {
    reason = error instanceof Error ? error : new Error(String(error))
  })
  worker.on('exit', () => {
    hasEnded = true
    for (const each of waiting.splice(0)) each.reject(reason)
  })
  worker.unref()

  const ask = async (task: MatcherTask): Promise<readonly Match[]> => {
    if (hasEnded) throw reason
    const answer = Promise.withResolvers<MatcherAnswer>()
    waiting.push(answer)
    worker.ref()
    worker.postMessage(task)
    try {
      const done = await answer.promise
      if ('error' in done) throw new Error(done.error)
      return done.matches
    } finally {
      if (waiting.length === 0) worker.unref()
    }
  }
  return {
    load: async (searches, profiles, serial) => {
      await ask({ searches, profiles })
      loaded = serial
    },
    serial: () => loaded,
    match: async (records, at) => [...(await ask({ records, at }))],
    close: async () => {
      await worker.terminate()
    },
  }
}

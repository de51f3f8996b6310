// The thread of the matcher: it holds the loaded searches, and yields to the threads that answer requests.
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../platform/thread-priority.ts'
import type { LoadedProfile } from './company-profile.ts'
import type { LoadedSearches, Match } from './match-records.ts'
import type { Search } from './saved-search.ts'

export type MatcherTask =
  | { readonly searches: readonly Search[]; readonly profiles: readonly LoadedProfile[] }
  | { readonly records: readonly string[]; readonly at: number }
export type MatcherAnswer = { readonly matches: readonly Match[] } | { readonly error: string }

const port = parentPort
if (!port) throw new Error('a matcher is a thread of the service, not a program')
lowerThreadPriority()
const { loadSearches } = await import('./match-records.ts')
const { readFitModel } = await import('./fit/fit-model.ts')
const model = readFitModel()
/** Records that were matched; they tell the next index which clauses are rare. */
const sample: string[] = []
let loaded: LoadedSearches = loadSearches([], [], model)

port.on('message', (task: MatcherTask) => {
  try {
    if ('searches' in task) loaded = loadSearches(task.searches, task.profiles, model, sample)
    const matches = 'records' in task ? loaded.match(task.records, task.at) : []
    port.postMessage({ matches } satisfies MatcherAnswer)
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies MatcherAnswer)
  }
})

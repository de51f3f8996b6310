// A state store that forgets with the process: for tests and for runs that are always first runs.
import type { StateStore, SyncState } from '../sync/sink.ts'

/** Keeps the state in memory, optionally beginning with a given one. */
export function memoryState(initial?: SyncState): StateStore & { readonly current: SyncState | undefined } {
  let current = initial
  return {
    get current() {
      return current
    },
    load: async () => current,
    save: async (state) => {
      current = state
    },
    clear: async () => {
      current = undefined
    },
  }
}

// Stores the state in a separate file, for sinks that store none: written beside, made durable, renamed into place.
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder, readIfThere, writeWhole } from '../sinks/files/durable-files.ts'
import type { StateStore } from '../sync/sink.ts'
import { parseState, StateError } from '../sync/sync-state.ts'

/** Opens the store; the folder is created if missing. `load` throws a StateError if the file holds something else. */
export function fileState(path: string): StateStore {
  return {
    load: async () => {
      const text = await readIfThere(path)
      if (text === undefined) return undefined
      try {
        return parseState(JSON.parse(text))
      } catch (cause) {
        if (cause instanceof SyntaxError)
          throw new StateError(`${path} holds no state: restore it, or reset the state.`)
        throw cause
      }
    },
    save: async (state) => {
      await makeFolder(dirname(path), 'owner')
      await writeWhole(path, `${JSON.stringify(state)}\n`)
    },
    clear: () => rm(path, { force: true }),
  }
}

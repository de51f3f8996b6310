// The ring of keys as one API process knows it, read again when another process may have turned it.
import type { Clock } from '../platform/clock.ts'
import { loadCursorKeys } from '../store/cursor-keys.ts'
import type { Store } from '../store/database.ts'
import type { CursorKey, CursorKeyRing } from './cursor.ts'

/** At most one look at the store in this time: anybody may send cursors with made-up key numbers. */
const refreshEveryMs = 1000

/** Reads the keys (making the first one) and keeps them. Rejects when the store cannot be read at the start. */
export async function openCursorKeyRing(options: {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
}): Promise<CursorKeyRing> {
  const { store, clock, randomBytes } = options
  const read = async (): Promise<readonly CursorKey[]> => {
    const { all } = await loadCursorKeys(store.db, { now: clock(), randomBytes })
    return all.map(({ keyId, key }) => ({ keyId, key: Buffer.from(key, 'hex') }))
  }
  let known = await read()
  let readAt = clock()
  return {
    keys: () => known,
    refresh: async () => {
      if (clock() - readAt < refreshEveryMs) return
      readAt = clock()
      // With the store down the keys already known go on opening and sealing.
      known = await read().catch(() => known)
    },
  }
}

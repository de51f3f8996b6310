// The ring of keys as one API process knows it, read again when another process may have turned it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../platform/clock.ts'
import { loadCursorKeys } from '../store/cursor-keys.ts'
import type { Store } from '../store/database.ts'
import type { CursorKey, CursorKeyRing } from './cursor.ts'

/** At most one look at the store in this time: anybody may send cursors with made-up key numbers. */
const refreshEveryMs = 1000

/** How long a request waits for a store that does not answer. */
const readTimeoutMs = 2000

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
  let reading: Promise<void> | undefined

  async function readAgain(): Promise<void> {
    readAt = clock()
    try {
      known = await read()
    } catch {
      // With the store down the keys already known go on opening and sealing.
    }
    reading = undefined
  }

  return {
    keys: () => known,
    refresh: async () => {
      if (reading === undefined && clock() - readAt < refreshEveryMs) return
      reading ??= readAgain()
      await Promise.race([reading, delay(readTimeoutMs, undefined, { ref: false })])
    },
  }
}

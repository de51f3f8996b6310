// The ring of keys as one API process knows it, read again when another process may have turned it.
import { createSecretKey } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../platform/clock.ts'
import type { CursorKey as StoredCursorKey } from '../store/cursor-keys.ts'
import type { CursorKey, CursorKeyRing } from './cursor.ts'

/** Minimum time between two lookups in the store: anybody may send cursors with made-up key numbers. */
const refreshEveryMs = 1000

/** How long a request waits for a store that does not answer. */
const readTimeoutMs = 2000

/** Gives the keys that open cursors, newest first. */
export type CursorKeySource = () => Promise<readonly StoredCursorKey[]>

/** Reads the keys and keeps them. Rejects when they cannot be read at the start. */
export async function openCursorKeyRing(options: {
  readonly load: CursorKeySource
  readonly clock: Clock
}): Promise<CursorKeyRing> {
  const { load, clock } = options
  const read = async (): Promise<readonly CursorKey[]> =>
    (await load()).map(({ keyId, key }) => ({ keyId, key: createSecretKey(key, 'hex') }))
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

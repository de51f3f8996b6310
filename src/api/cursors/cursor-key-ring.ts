// The ring of keys as one API process knows it, read again when another process may have rotated it.
import { createSecretKey } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { dayMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import type { CursorKey as StoredCursorKey } from '../../store/editions/cursor-keys.ts'
import type { CursorKey, CursorKeyRing } from './cursor.ts'

/** Minimum time between two lookups in the store: anybody may send cursors with made-up key numbers. */
const refreshEveryMs = 1000

/** How long keys are used before they are read again without a reason, so that a new key comes into use. */
const reloadEveryMs = dayMs

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
    (await load()).map(({ key, ...facts }) => ({ ...facts, key: createSecretKey(key, 'hex') }))
  let known = await read()
  let readAt = clock()
  let reading: Promise<void> | undefined

  async function readAgain(): Promise<void> {
    readAt = clock()
    try {
      known = await read()
    } catch {
      // While the store is down, the known keys continue to open and seal.
    }
    reading = undefined
  }

  return {
    keys: () => {
      if (clock() - readAt >= reloadEveryMs) reading ??= readAgain()
      return known
    },
    refresh: async () => {
      if (reading === undefined && clock() - readAt < refreshEveryMs) return
      reading ??= readAgain()
      await Promise.race([reading, delay(readTimeoutMs, undefined, { ref: false })])
    },
  }
}

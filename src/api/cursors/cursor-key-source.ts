// Cursor keys as stored in the database. Separate from the ring, as token-source.ts is from the table.
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/database/database.ts'
import { loadCursorKeys } from '../../store/editions/cursor-keys.ts'
import type { CursorKeySource } from './cursor-key-ring.ts'

/** Creates the first key if there is none. */
export function cursorKeysOf(
  store: Pick<Store, 'looks'>,
  options: { readonly clock: Clock; readonly randomBytes: (count: number) => Uint8Array },
): CursorKeySource {
  const { clock, randomBytes } = options
  return async () => (await loadCursorKeys(store.looks, { now: clock(), randomBytes })).all
}

// What a node needs beside the editions to answer without a database: tokens, limits and the keys of cursors, sealed under
// TENDERSTOCK_SECRET_KEY. The same bytes stand beside `head` in a bucket, and wherever else a node keeps them.
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Sealer } from '../platform/sealing.ts'
import type { CursorKey } from '../store/cursor-keys.ts'
import type { TokenGrant } from '../store/organizations.ts'

export type SealedAccess = {
  /** Of which stock, so that the file of another one is not taken. */
  readonly stockId: string
  /** By the clock of the database, epoch milliseconds. */
  readonly writtenAt: number
  /** Serial of the tokens (store/change-signal.ts). */
  readonly tokenSerial: number
  readonly tokens: readonly TokenGrant[]
  /** Newest first. */
  readonly cursorKeys: readonly CursorKey[]
  /** The end of maintenance, epoch milliseconds; absent without one. */
  readonly maintenanceUntil?: number
}

const context = 'access 1'

export const sealAccess = (sealer: Sealer, access: SealedAccess): Buffer =>
  sealer.seal(gzipSync(JSON.stringify(access)), context)

/** Undefined when it was sealed with another key, or altered. */
export function openAccess(sealer: Sealer, sealed: Uint8Array): SealedAccess | undefined {
  const bytes = sealer.open(sealed, context)
  return bytes && (JSON.parse(gunzipSync(bytes).toString()) as SealedAccess)
}

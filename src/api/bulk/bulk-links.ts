// Links to files of whole editions: sealed with the keys of cursors, which all nodes share. A link names the token for
// which it was made, so that it ends with it, and says so to nobody else.

import { linkLifeMs } from '../../edition/bulk/bulk-state.ts'
import type { Clock } from '../../platform/clock.ts'
import { createSealer } from '../../platform/sealing.ts'
import type { CursorKeyRing } from '../cursors/cursor.ts'

export type BulkLinks = {
  /** The text that opens a file for the holder of a token, in base64url. */
  readonly seal: (sha256: string, tokenId: string) => string
  /** The token for which a link was made; undefined when it has ended, or was not made here for this file. */
  readonly open: (link: string, sha256: string) => Promise<string | undefined>
}

const keyIdLength = 4
const timeLength = 6
/** Longer than any that is made. */
const longestLink = 300

export function createBulkLinks({
  ring,
  clock,
  randomBytes,
}: {
  readonly ring: CursorKeyRing
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
}): BulkLinks {
  const contextOf = (sha256: string): string => `bulk ${sha256}`
  const keyOf = (keyId: number) => ring.keys().find((each) => each.keyId === keyId)
  return {
    seal: (sha256, tokenId) => {
      const { keyId, key } = ring.keys().reduce((newest, each) => (each.keyId > newest.keyId ? each : newest))
      const secret = Buffer.alloc(timeLength)
      secret.writeUIntBE(clock() + linkLifeMs, 0, timeLength)
      const sealed = createSealer(key, randomBytes).seal(
        Buffer.concat([secret, Buffer.from(tokenId)]),
        contextOf(sha256),
      )
      const head = Buffer.alloc(keyIdLength)
      head.writeUInt32BE(keyId)
      return Buffer.concat([head, sealed]).toString('base64url')
    },
    open: async (link, sha256) => {
      const bytes = Buffer.from(link.slice(0, longestLink), 'base64url')
      if (bytes.length <= keyIdLength || bytes.toString('base64url') !== link) return undefined
      const keyId = bytes.readUInt32BE(0)
      // another process may have made a new key
      if (!keyOf(keyId)) await ring.refresh()
      const known = keyOf(keyId)
      const secret = known && createSealer(known.key, randomBytes).open(bytes.subarray(keyIdLength), contextOf(sha256))
      if (!secret || secret.readUIntBE(0, timeLength) <= clock()) return undefined
      return secret.toString('utf8', timeLength)
    },
  }
}

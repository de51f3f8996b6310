// The ids of hits and of the messages about them: derived, so that a repeated run, a rebuild and a restored backup give
// the same.
import { createHash } from 'node:crypto'

/** What identifies a hit. */
export type HitIdentity = {
  /** Of the stock: made with its first edition, carried by backups and exports. */
  readonly stockId: string
  readonly searchId: string
  readonly tenderId: string
}

/** UUID of version 8 (RFC 9562, 5.8) from SHA-256 of `hit` and the three ids. */
export function hitId(identity: HitIdentity): string {
  const hash = hashOf(identity)
  hash[6] = (hash[6]! & 0x0f) | 0x80
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/**
 * `new`: the hit itself; else the lastModified of the entry with which its tender changed. No two entries share one.
 */
export type Occasion = 'new' | number

/**
 * The `webhook-id` of the message about a hit for one endpoint: the same for every attempt and after every repetition.
 */
export function messageId(identity: HitIdentity, endpointId: string, occasion: Occasion): string {
  return `msg_${hashOf(identity, endpointId, String(occasion)).toString('hex').slice(0, 32)}`
}

function hashOf({ stockId, searchId, tenderId }: HitIdentity, ...more: readonly string[]): Buffer {
  return createHash('sha256')
    .update(['hit', stockId, searchId, tenderId, ...more].join('|'))
    .digest()
}

// The fixed identifier of a tender, made from its founding notice (docs/decisions/0002-tender-ids.md).
import { createHash } from 'node:crypto'

/**
 * UUID of version 8 (RFC 9562, 5.8) from SHA-256 of `tender|` + the founding notice's key. The same notice gives the
 * same id on every machine and after every rebuild.
 */
export function tenderId(foundingKey: string): string {
  const hash = createHash('sha256').update(`tender|${foundingKey}`).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x80
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

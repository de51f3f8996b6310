// Short hashes of long contents, so that a million of them fit into memory.
import { createHash } from 'node:crypto'

/** The first 128 bits of SHA-256, as 22 characters. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

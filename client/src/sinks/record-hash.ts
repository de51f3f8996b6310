// The hash of a record, as the digest of a copy sums it.
import { createHash } from 'node:crypto'
import { hashedForm } from '../sync/copy-digest.ts'

/** SHA-256 of the record without `checkedAt`, as 64 hexadecimal digits. */
export const recordHash = (record: object): string => createHash('sha256').update(hashedForm(record)).digest('hex')

// The hash of a record, as the digest of a copy sums it.
import { hash } from 'node:crypto'
import { hashedForm, lostHash } from '../../sync/copy-digest.ts'
import { isLost } from '../../sync/lost-record.ts'
import { givenHash } from './record-json.ts'

/** SHA-256 of the record without `checkedAt`, as 64 hexadecimal digits. */
export const computedHash = (record: object): string => hash('sha256', hashedForm(record))

/** The hash that came with the record, else the computed one; zeros for a lost one. */
export const recordHash = (record: object): string =>
  isLost(record) ? lostHash : (givenHash(record) ?? computedHash(record))

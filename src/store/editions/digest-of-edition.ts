// The digest of the newest edition, computed from its records as they are in the tables, whatever was noted with it.
import { DigestSum, recordHash } from '../../domain/stock-digest.ts'
import type { Executor } from '../database/database.ts'
import { entriesOfEdition, newestEdition } from './editions.ts'

/** Records of one statement. */
const pageLength = 500

export type ReadDigest = {
  readonly edition: number
  readonly records: number
  readonly digest: string
  /** The one that was published with it; null when it was published without. */
  readonly published: string | null
}

/** Undefined before the first edition. Reads every record. */
export async function readNewestDigest(db: Executor): Promise<ReadDigest | undefined> {
  const newest = await newestEdition(db)
  if (newest === undefined) return undefined
  const sum = new DigestSum()
  let records = 0
  for (let after = 0; ; ) {
    const entries = await entriesOfEdition(db, newest, after, pageLength)
    for (const { body } of entries) {
      const record = JSON.parse(body) as object
      sum.add(recordHash(record), !('archiveReason' in record))
    }
    records += entries.length
    if (entries.length < pageLength) break
    after = entries.at(-1)!.lastModified
  }
  return { edition: newest.edition, records, digest: sum.digest, published: newest.checksum }
}

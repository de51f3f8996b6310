// The hash of each record's newest entry, which the publisher keeps, so that the digest of an edition follows from that
// of the previous one. It is computed from the entry as stored in the database, so an entry that was written
// incorrectly is found.
import { sql } from 'kysely'
import { type DigestSum, recordHash, recordHashLength } from '../../domain/stock-digest.ts'
import { arrayText } from '../database/array-text.ts'
import type { Executor } from '../database/database.ts'

type EntryToHash = {
  readonly tenderId: string
  /** As it is in the table. */
  readonly body: string
  /** Hash of the version that it replaced, as `storedHash` makes it; null for a new record. */
  readonly replacedHash: Uint8Array | null
}

/**
 * The hash of an entry as its column holds it: one byte longer when the record is archived, because the sum over open
 * ones does not include it.
 */
const storedHash = ({ hash, isOpen }: { readonly hash: Buffer; readonly isOpen: boolean }): string =>
  hash.toString('hex') + (isOpen ? '' : '00')

/** Subtracts a hash made by `storedHash` from a digest. */
export function subtractStored(sum: DigestSum, stored: Uint8Array): void {
  sum.subtract(stored, stored.length === recordHashLength)
}

/**
 * The entries with `from` <= lastModified <= `upTo`, all of them the newest of their records, read back as written.
 * Call it before `storeEntryHashes`.
 */
async function entriesToHash(db: Executor, from: number, upTo: number): Promise<EntryToHash[]> {
  const { rows } = await sql<EntryToHash>`
    select e.tender_id as "tenderId", e.body, p.entry_hash as "replacedHash"
    from edition_entry e join published_tender p using (tender_id)
    where e.last_modified between ${from} and ${upTo}`.execute(db)
  return rows
}

/** Published records after `afterId`, in the order of their ids, at most `limit`. */
async function publishedEntries(db: Executor, afterId: string, limit: number): Promise<EntryToHash[]> {
  const { rows } = await sql<EntryToHash>`
    select p.tender_id as "tenderId", e.body, p.entry_hash as "replacedHash"
    from published_tender p join edition_entry e on e.last_modified = p.last_modified
    where p.tender_id > ${afterId} order by p.tender_id limit ${limit}::integer`.execute(db)
  return rows
}

async function storeEntryHashes(
  db: Executor,
  hashes: readonly { readonly tenderId: string; readonly hash: Buffer; readonly isOpen: boolean }[],
): Promise<void> {
  await sql`
    update published_tender p set entry_hash = decode(h.hash, 'hex')
    from unnest(${arrayText(hashes.map(({ tenderId }) => tenderId))}::text[],
      ${arrayText(hashes.map(storedHash))}::text[]) as h (tender_id, hash)
    where p.tender_id = h.tender_id`.execute(db)
}

/**
 * Adds a batch of new entries, those with `from` <= lastModified <= `upTo`, to the digest in place of those that they
 * replace. Call it once for each entry, after it and its record's narrow row are written. Returns their number.
 */
export async function hashEntries(trx: Executor, sum: DigestSum, from: number, upTo: number): Promise<number> {
  const entries = await entriesToHash(trx, from, upTo)
  for (const { replacedHash } of entries) if (replacedHash !== null) subtractStored(sum, replacedHash)
  await addAll(trx, sum, entries)
  return entries.length
}

/**
 * Adds the next `limit` published records, in the order of their IDs after `afterId`, to the digest, and stores their
 * hashes: for a stock that was published without digests. Returns the last ID; null when there are no more.
 */
export async function hashPublished(
  trx: Executor,
  sum: DigestSum,
  afterId: string,
  limit: number,
): Promise<string | null> {
  const entries = await publishedEntries(trx, afterId, limit)
  await addAll(trx, sum, entries)
  return entries.at(-1)?.tenderId ?? null
}

async function addAll(trx: Executor, sum: DigestSum, entries: readonly EntryToHash[]): Promise<void> {
  if (entries.length === 0) return
  const hashes = entries.map(({ tenderId, body }) => {
    const record = JSON.parse(body) as object
    return { tenderId, hash: recordHash(record), isOpen: !('archiveReason' in record) }
  })
  for (const { hash, isOpen } of hashes) sum.add(hash, isOpen)
  await storeEntryHashes(trx, hashes)
}

// Checksums of editions that the bench writes by SQL, as the publisher would have written them: nodes compute and
// compare them.
import { sql } from 'kysely'
import { DigestSum, recordHash } from '../../src/domain/stock-digest.ts'
import { openStore, type Store } from '../../src/store/database/database.ts'
import { newestEdition } from '../../src/store/editions/editions.ts'
import { hashPublished, subtractStored } from '../../src/store/editions/entry-hashes.ts'

const recordsAtOnce = 5000

/** The facts of a stock that are needed here. */
type StockLocation = {
  readonly cluster: { readonly url: (database: string) => string }
  readonly database: string
  readonly data: string
}

const openDatabase = ({ cluster, database, data }: StockLocation): Promise<Store> =>
  openStore({ databaseUrl: cluster.url(database), dataFolder: data })

/** Hashes all published records, unless the newest edition already has its checksum. */
export async function addChecksum(stock: StockLocation, onProgress: (text: string) => void): Promise<void> {
  const store = await openDatabase(stock)
  try {
    if ((await newestEdition(store.db))?.checksum !== null) return
    onProgress('hashing')
    const sum = new DigestSum()
    for (let afterId: string | null = ''; afterId !== null; )
      afterId = await hashPublished(store.db, sum, afterId, recordsAtOnce)
    await sql`update edition set checksum = ${sum.digest}`.execute(store.db)
  } finally {
    await store.close()
  }
}

/** The checksum after the entries in `next_entry`, which replace entries of published records. */
export async function checksumOfNext(stock: StockLocation): Promise<string> {
  const store = await openDatabase(stock)
  try {
    const sum = new DigestSum((await newestEdition(store.db))!.checksum!)
    for (let afterId = ''; ; ) {
      const { rows } = await sql<{ tenderId: string; body: string; replaced: Uint8Array }>`
        select n.tender_id as "tenderId", n.body, p.entry_hash as replaced
        from next_entry n join published_tender p using (tender_id)
        where n.tender_id > ${afterId} order by n.tender_id limit ${recordsAtOnce}::integer`.execute(store.db)
      if (rows.length === 0) return sum.digest
      afterId = rows.at(-1)!.tenderId
      for (const { body, replaced } of rows) {
        subtractStored(sum, replaced)
        const record = JSON.parse(body) as object
        sum.add(recordHash(record), !('archiveReason' in record))
      }
    }
  } finally {
    await store.close()
  }
}

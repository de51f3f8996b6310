// Records of a list: from the edition log, from the database if this node lags, and never with redacted values.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import { upsertTenders } from '../../store/stock/tenders.ts'
import { publishedRecords } from './published-record.ts'

const [held, behind, unknown] = ['a', 'b', 'c']

describe.each(drawnEngines)('published records (%s)', (engine) => {
  test('come from the log of this node, and from the database if it does not have them yet', async () => {
    await using store = await openTestStore(engine)
    await upsertTenders(
      store.db,
      [held, behind].map((tenderId) => ({
        tenderId,
        foundingKey: tenderId,
        content: '{}',
        contentHash: '',
        archiveReason: null,
        nextTransitionMs: null,
        mergedInto: null,
        sources: '[]',
      })),
    )
    await sql`
      insert into edition (edition, published_at, last_modified, changes, records, checks)
      values (1, 1, 2, 2, 2, '{}')`.execute(store.db)
    for (const [lastModified, id] of [
      [1, held],
      [2, behind],
    ] as const) {
      await sql`
        insert into edition_entry (last_modified, edition, tender_id, body, sources)
        values (${lastModified}, 1, ${id}, ${JSON.stringify({ id, title: 'of the database' })}, '[]')`.execute(store.db)
      await sql`
        insert into published_tender (tender_id, last_modified, content_hash, first_edition, sources)
        values (${id}, ${lastModified}, '', 1, '[]')`.execute(store.db)
    }
    let released = 0
    const editions = {
      find: (id: string) => (id === held ? 7 : undefined),
      record: () => ({
        bytes: Buffer.from(JSON.stringify({ id: held, title: 'of the log' })),
        release: () => void released++,
      }),
    }
    const records = await publishedRecords({ editions, store } as never, [held, behind, unknown, held])
    expect([...records].map(([id, { title }]) => [id, title])).toEqual([
      [held, 'of the log'],
      [behind, 'of the database'],
    ])
    expect(released).toBe(1)
  })
})

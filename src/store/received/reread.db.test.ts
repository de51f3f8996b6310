// Several processes that take the documents of a rebuild from one list.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines, openTestStore, type TestStore } from '../../../test/world.ts'
import { inTransaction } from '../database/database.ts'
import { insertDocuments, packDocument } from './documents.ts'
import { beginReread, endReread, finishRereadPage, type RereadPage, takeRereadPage } from './reread.ts'

const parserVersion = 3

async function storeWithDocuments(engine: TestStore['engine'], ids: readonly string[]): Promise<TestStore> {
  const store = await openTestStore(engine)
  const packed = packDocument(Buffer.from('{}'))
  await insertDocuments(
    store.db,
    ids.map((documentId) => ({
      documentId,
      sourceId: 's',
      address: documentId,
      receivedAt: 1,
      byteSize: 2,
      parserVersion: 1,
      packed,
    })),
  )
  return store
}

async function take(store: TestStore, limit = 2): Promise<RereadPage> {
  const page = await takeRereadPage(store, { parserVersion, limit })
  if (typeof page === 'string') throw new Error(page)
  return page
}

const finish = (store: TestStore, page: RereadPage) =>
  inTransaction(store, (trx) => finishRereadPage(trx, page, { documents: 2, notices: 1, rejections: 3 }))

/** As the clock of the database shows it when the processes were silent for too long. */
const expirePages = ({ db }: TestStore) =>
  sql`update setting set value = replace(value, '"until":', '"until":-') where name = 'reread'`.execute(db)

describe.each(engines)('documents that are read again (%s)', (engine) => {
  test('are taken once each, in the order of their IDs, until all are read', async () => {
    await using store = await storeWithDocuments(engine, ['a', 'b', 'c', 'd', 'e'])
    expect(await takeRereadPage(store, { parserVersion, limit: 2 })).toBe('none')
    await beginReread(store.db, parserVersion)
    const pages = [await take(store), await take(store), await take(store)]
    expect(pages.map(({ after, upTo }) => [after, upTo])).toEqual([
      ['', 'b'],
      ['b', 'd'],
      ['d', 'e'],
    ])
    expect(await takeRereadPage(store, { parserVersion, limit: 2 })).toBe('wait')
    for (const page of pages) await finish(store, page)
    expect(await takeRereadPage(store, { parserVersion, limit: 2 })).toBe('none')
    expect(await endReread(store.db)).toEqual({ documents: 6, notices: 3, rejections: 9 })
  })

  test('are not taken by parsers of another version', async () => {
    await using store = await storeWithDocuments(engine, ['a'])
    await beginReread(store.db, parserVersion)
    expect(await takeRereadPage(store, { parserVersion: parserVersion - 1, limit: 2 })).toBe('none')
    expect(await take(store)).toMatchObject({ upTo: 'a' })
  })

  test('go to another process when theirs is silent, which then can finish nothing', async () => {
    await using store = await storeWithDocuments(engine, ['a', 'b', 'c'])
    await beginReread(store.db, parserVersion)
    const abandoned = await take(store)
    await expirePages(store)
    const again = await take(store)
    expect(again).toEqual({ ...abandoned, pageId: again.pageId })
    expect(await finish(store, abandoned)).toBeUndefined()
    expect(await finish(store, again)).toEqual({ documents: 2, notices: 1, rejections: 3 })
    expect(await finish(store, again)).toBeUndefined()
    expect(await take(store)).toMatchObject({ after: 'b', upTo: 'c' })
  })

  test('of an earlier list cannot be finished, even by a process that is only late', async () => {
    await using store = await storeWithDocuments(engine, ['a'])
    await beginReread(store.db, parserVersion)
    const late = await take(store)
    await expirePages(store)
    expect(await finish(store, late)).toMatchObject({ documents: 2 })
    await beginReread(store.db, parserVersion)
    const old = await take(store)
    await beginReread(store.db, parserVersion)
    expect(await finish(store, old)).toBeUndefined()
    await endReread(store.db)
    expect(await finish(store, old)).toBeUndefined()
  })
})

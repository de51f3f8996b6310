import { describe, expect, test } from 'vitest'
import { engines, openTestStore } from '../../../test/world.ts'
import { inTransaction } from './database.ts'

describe.each(engines)('a stock on the %s engine', (engine) => {
  test('keeps the rows of a transaction and returns bigint columns as numbers', async () => {
    await using store = await openTestStore(engine)
    await inTransaction(store, (trx) => trx.insertInto('setting').values({ name: 'a', value: 'b' }).execute())
    expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([{ name: 'a', value: 'b' }])
    const signals = await store.db.selectFrom('change_signal').selectAll().orderBy('topic').execute()
    expect(signals).toEqual([
      { topic: 'console', serial: 0 },
      { topic: 'edition', serial: 0 },
      { topic: 'tokens', serial: 0 },
    ])
  })

  test('rolls back a transaction that throws', async () => {
    await using store = await openTestStore(engine)
    const failing = inTransaction(store, async (trx) => {
      await trx.insertInto('setting').values({ name: 'a', value: 'b' }).execute()
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([])
  })
})

// The figures of the stock between two scrapes: kept for seconds, reported as stale when they are old, and never
// awaited forever.
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { openTestStore } from '../../test/world.ts'
import type { Database } from '../store/schema.ts'
import { StockFigureCache } from './stock-figure-cache.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('figures are read again after five seconds, and stale when that failed for a minute', async () => {
  await using store = await openTestStore('embedded')
  let [now, isAway] = [0, false]
  // however long a reading takes on this machine
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const context = {
    get looks() {
      if (isAway) throw new Error('it is away')
      return store.looks
    },
  }
  const reader = new StockFigureCache(context, () => 1_000_000 + now)
  expect([reader.isStale(), reader.figures]).toEqual([true, undefined])
  const hold = () => sql`insert into edition_hold values (${now + 1}, '[]')`.execute(store.db)
  const seen = async () => {
    await reader.refresh()
    return [reader.figures?.holds, reader.readAt, reader.isStale()]
  }
  expect(await seen()).toEqual([0, 1_000_000, false])
  await hold()
  now = 4_999
  expect(await seen()).toEqual([0, 1_000_000, false])
  now = 5_000
  expect(await seen()).toEqual([1, 1_005_000, false])
  isAway = true
  await hold()
  now = 65_000
  expect(await seen()).toEqual([1, 1_005_000, false])
  now = 65_001
  expect(await seen()).toEqual([1, 1_005_000, true])
  isAway = false
  expect(await seen()).toEqual([2, 1_065_001, false])
})

test('a database that does not answer delays no scrape', async () => {
  const looks = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => Object.assign(new DummyDriver(), { acquireConnection: () => new Promise<never>(() => {}) }),
    },
  })
  const reader = new StockFigureCache({ looks }, Date.now)
  await Promise.all([reader.refresh(), reader.refresh()])
  expect([reader.figures, reader.isStale()]).toEqual([undefined, true])
})

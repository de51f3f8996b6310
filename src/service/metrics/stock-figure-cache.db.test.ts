// The figures of the stock between two scrapes: kept for seconds, reported as stale when they are old, and never
// awaited forever.
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { openTestStore } from '../../../test/world.ts'
import { hourMs, minuteMs } from '../../domain/time.ts'
import type { Database } from '../../store/schema/schema.ts'
import { readStockFigures } from '../../store/screens/stock-figures.ts'
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

test('a mail is late by its age, although its next attempt is not due', async () => {
  await using store = await openTestStore('embedded')
  const now = 10 * hourMs
  for (const [id, age] of [
    ['early', 14 * minuteMs],
    ['late', 15 * minuteMs],
  ] as const)
    await sql`insert into mail (message_id, person, content, due_at, created_at)
      values (${id}, 'a@example.org', '{}', ${now + hourMs}, ${now - age})`.execute(store.db)
  expect(await readStockFigures(store.db, now)).toMatchObject({ mailsQueued: 2, mailsDue: 0, mailsLate: 1 })
})

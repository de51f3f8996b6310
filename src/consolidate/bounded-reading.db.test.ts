// A day's notices cost what they and their tenders need, however large the stock is: no table is read from end to end.
import { type CompiledQuery, type KyselyPlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { receiveNotices } from '../../test/receive-notices.ts'
import { at, notice } from '../../test/testing/generate/notices.ts'
import { engines, openTestStore } from '../../test/world.ts'
import type { Notice } from '../domain/notice.ts'
import type { Store } from '../store/database/database.ts'
import { consolidate } from './consolidate.ts'

const now = Date.parse('2026-02-20T12:00:00.000Z')

/** A word for each number, of letters only, that no other number has. */
const wordOf = (number: number): string =>
  [...(number + 10_000).toString(26)].map((digit) => 'qwrtzpsdfghjklxcvbnmaeiouy'[Number.parseInt(digit, 26)]).join('')

/** A call whose words, buyer and day no other call has: the rest of the stock must not matter to it. */
function callOf(number: number, given: Partial<Notice> = {}): Notice {
  return notice({
    noticeKey: `ted:${number}-2026`,
    publicationNumber: `${number}-2026`,
    title: { de: `Neubau ${wordOf(number * 3)}halle ${wordOf(number * 3 + 1)}weg ${wordOf(number * 3 + 2)}dorf` },
    contractingAuthorities: [{ name: `Stadt ${wordOf(number)}heim`, city: `${wordOf(number)}heim`, country: 'DE' }],
    publicationDate: at('2026-01-15'),
    submissionDate: at('2026-02-25'),
    ...given,
  })
}

/**
 * New calls, calls of the stock seen on another portal, awards of calls of the stock, and calls of the stock that
 * changed.
 */
const dayOf = (): Notice[] => [
  ...[0, 1, 2, 3, 4, 5].map((number) => callOf(90_000 + number)),
  ...[0, 1, 2].map((number) => {
    const { publicationNumber: _, ...call } = callOf(number)
    return { ...call, noticeKey: `doe:${number}`, publisher: 'doe', format: 'portal' as const }
  }),
  ...[3, 4, 5].map((number): Notice => {
    const { submissionDate: _, ...call } = callOf(number)
    return {
      ...call,
      noticeKey: `ted:${95_000 + number}-2026`,
      publicationNumber: `${95_000 + number}-2026`,
      formType: 'result',
      references: [{ kind: 'previous', publicationNumber: `${number}-2026` }],
    }
  }),
  ...[6, 7].map((number) => callOf(number, { title: { de: `Abbruch ${wordOf(50_000 + number)}turm` } })),
]

/** The same stock, with every statement and every row that comes from it counted. */
function counting(store: Store) {
  const counts = { statements: 0, rows: 0 }
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      counts.statements++
      return node
    },
    transformResult: async ({ result }) => {
      counts.rows += result.rows.length
      return result
    },
  }
  return { counts, store: { ...store, db: store.db.withPlugin(plugin) } }
}

/**
 * Rows that the database has read so far: by index, and from end to end. `publication` always has one row and is left
 * out.
 */
async function rowsRead(store: Store): Promise<{ byIndex: number; fromEndToEnd: { [table: string]: number } }> {
  const flush: CompiledQuery = sql`select pg_stat_force_next_flush()`.compile(store.db)
  await store.db.executeQuery(flush)
  const { rows } = await sql<{ name: string; scanned: number; fetched: number }>`
    select relname as name, seq_tup_read as scanned, coalesce(idx_tup_fetch, 0) as fetched
    from pg_stat_user_tables where relname not like 'kysely%' and relname <> 'publication'`.execute(store.db)
  return {
    byIndex: rows.reduce((sum, row) => sum + row.fetched, 0),
    fromEndToEnd: Object.fromEntries(rows.map((row) => [row.name, row.scanned])),
  }
}

async function costOfADay(store: Store, stockSize: number) {
  await receiveNotices(
    store,
    Array.from({ length: stockSize }, (_, number) => callOf(number)),
  )
  await consolidate(store, { now })
  await sql`vacuum analyze`.execute(store.db)
  await receiveNotices(store, dayOf())
  // Small tables are scanned even where an index would serve; with this setting only where none does.
  await sql`set enable_seqscan = off`.execute(store.db)
  await sql`set enable_bitmapscan = off`.execute(store.db)
  const before = await rowsRead(store)
  const { counts, store: counted } = counting(store)
  const summary = await consolidate(counted, { now })
  const after = await rowsRead(store)
  const scanned = Object.entries(after.fromEndToEnd).filter(([table, rows]) => rows > before.fromEndToEnd[table]!)
  return { summary, ...counts, byIndex: after.byIndex - before.byIndex, scanned }
}

describe.each(engines)('a day of notices (%s)', (engine) => {
  test('takes the same statements and rows on a stock six times as large, and reads no table from end to end', async () => {
    await using small = await openTestStore(engine)
    await using large = await openTestStore(engine)
    const [one, other] = [await costOfADay(small, 200), await costOfADay(large, 1200)]
    console.log('a day of 14 notices', one, other)
    expect(one.summary).toEqual(other.summary)
    // Three of the calls that another portal shows too receive its older name, six are new.
    expect(one.summary).toMatchObject({ notices: 14, created: 9, removed: 3 })
    expect(one.statements).toBeGreaterThan(20)
    expect({ statements: other.statements, rows: other.rows }).toEqual({ statements: one.statements, rows: one.rows })
    expect(one.byIndex).toBeGreaterThan(100)
    expect(other.byIndex).toBeLessThan(one.byIndex * 1.2)
    expect([one.scanned, other.scanned]).toEqual([[], []])
  })
})

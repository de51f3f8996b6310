// Several consolidators on one PostgreSQL: together they leave what one leaves, and nothing happens beside them that
// would not happen beside one.
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { consolidate, rebuildStock } from '../src/consolidate/consolidate.ts'
import { tenderId } from '../src/consolidate/tender-id.ts'
import type { Notice } from '../src/domain/notice.ts'
import { stockRules } from '../src/domain/stock-rules.ts'
import { hourMs } from '../src/domain/time.ts'
import { systemRandom } from '../src/platform/random.ts'
import { publish } from '../src/publish/publish.ts'
import { type Executor, openStore, type Store } from '../src/store/database/database.ts'
import { inStockTransaction } from '../src/store/editions/publication.ts'
import { asRebuild } from '../src/store/editions/rebuild-mark.ts'
import { shareStock, takeTurn } from '../src/store/stock/tenders.ts'
import { proofCount } from './proof/proof-count.ts'
import { receiveNotices } from './receive-notices.ts'
import { at, notice, noticeWorld } from './testing/generate/notices.ts'
import { randomOf } from './testing/generate/random.ts'
import { generateNotice } from './testing/generate/similar-notices.ts'
import { seed } from './testing/seed.ts'
import { wholeStock } from './whole-stock.ts'
import { openTestStore, type TestStore, testDatabaseUrl } from './world.ts'

const now = Date.parse('2026-02-20T12:00:00.000Z')
const workers = 4
const version = '1.2.0'

/** Opens further connections to the stock, as other processes have them. */
async function withOthers<Result>(
  store: TestStore,
  count: number,
  work: (others: readonly Store[]) => Promise<Result>,
): Promise<Result> {
  const others = await Promise.all(Array.from({ length: count }, () => openStore(store.options)))
  try {
    return await work(others)
  } finally {
    await Promise.all(others.map((other) => other.close()))
  }
}

/** Holds a lock of the stock while `work` runs, like another process. */
async function holding<Result>(
  store: TestStore,
  lock: (trx: Executor) => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  return withOthers(store, 1, async ([other]) => {
    const trx = await other!.db.startTransaction().execute()
    await lock(trx)
    return work().finally(() => trx.rollback().execute())
  })
}

async function asConsolidator(trx: Executor): Promise<void> {
  await shareStock(trx)
  await takeTurn(trx)
}

/** Waits until so many sessions of the database wait for a lock. */
const untilWaiting = (store: Store, sessions: number) =>
  vi.waitFor(
    async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(store.db)
      expect(rows).toHaveLength(sessions)
    },
    { timeout: 20_000, interval: 20 },
  )

const call = (key: string, given: Partial<Notice> = {}) =>
  notice({ noticeKey: key, title: { de: 'Neubau Turnhalle' }, ...given })

describe.skipIf(!testDatabaseUrl)('several consolidators', () => {
  test('leave the stock and the editions that one leaves, over seeds and orders', async () => {
    let shared = 0
    let all = 0
    for (let each = seed; each < seed + proofCount({ share: 4, full: 60 }); each++) {
      const random = randomOf(each)
      const shuffled = (notices: readonly Notice[]) =>
        notices
          .map((each) => [random.next(), each] as const)
          .sort(([a], [b]) => a - b)
          .map(([, each]) => each)
      const notices = shuffled([
        ...noticeWorld(each, 15),
        ...Array.from({ length: 60 }, (_, index) => generateNotice({ seed: each, count: 60 }, index)),
      ])
      const cuts = [0, random.integer(1, notices.length), notices.length]
      await using one = await openTestStore('server')
      await using several = await openTestStore('server')
      await withOthers(several, workers, async (others) => {
        for (const [index, end] of cuts.slice(1).entries()) {
          const portion = notices.slice(cuts[index], end)
          const at = now + index * 2 * hourMs
          await receiveNotices(one, portion)
          const alone = await consolidate(one, { now: at })
          for (const part of [shuffled(portion), portion.slice(0, 3)]) await receiveNotices(several, part)
          const batchSize = random.integer(1, 12)
          const together = await Promise.all(others.map((other) => consolidate(other, { now: at, batchSize })))
          expect(together.reduce((sum, each) => sum + each.notices, 0)).toBe(alone.notices)
          const [published, beside] = await Promise.all(
            [one, several].map((store) => publish(store, { now: at, minIntervalMs: 0, overrideGate: true })),
          )
          expect(beside, `seed ${seed}`).toEqual(published)
          expect(await wholeStock(several), `seed ${seed}`).toEqual(await wholeStock(one))
        }
        const { rows } = await sql<{ all: number; shared: number }>`
          with batch as (select t.tender_id, n.xmin::text as batch from tender_notice t join notice n using (notice_id))
          select count(*)::integer as all, count(*) filter (where exists (
            select from batch b where b.tender_id = a.tender_id and b.batch <> a.batch))::integer as shared
          from batch a`.execute(several.db)
        shared += rows[0]!.shared
        all += rows[0]!.all
      })
    }
    console.log(`seed ${seed}: ${shared} of ${all} notices are in a tender with one of another batch`)
    expect(shared / all).toBeGreaterThan(0.1)
  })

  test('rebuild a stock together, and leave what was there', async () => {
    await using store = await openTestStore('server')
    await receiveNotices(store, [
      ...noticeWorld(3, 15),
      ...Array.from({ length: 120 }, (_, index) => generateNotice({ seed: 3, count: 120 }, index)),
    ])
    const { notices } = await consolidate(store, { now })
    await publish(store, { now, minIntervalMs: 0, overrideGate: true })
    const before = await wholeStock(store)
    await store.db.updateTable('tender').set({ content: '{}' }).execute()
    await withOthers(store, workers, async (others) => {
      let helped: Promise<readonly { readonly notices: number }[]> | undefined
      const rebuilt = await asRebuild(store, { random: systemRandom, version, rules: stockRules }, ({ share }) =>
        rebuildStock(store, {
          now,
          batchSize: 5,
          onPrepared: async () => {
            await share()
            helped = Promise.all(others.map((other) => consolidate(other, { now, version, batchSize: 5 })))
          },
        }),
      )
      const byOthers = (await helped)!.map((each) => each.notices)
      expect(Math.max(...byOthers)).toBeGreaterThan(0)
      expect(byOthers.reduce((sum, each) => sum + each, rebuilt!.result.notices)).toBe(notices)
    })
    expect(await wholeStock(store)).toEqual(before)
  })

  test('use nothing that they had prepared for notices which another has meanwhile joined with theirs', async () => {
    await using store = await openTestStore('server')
    const older = call('ted:2-2026', { noticeId: 'b', publicationDate: at('2026-01-05') })
    const change = call('ted:1-2026', {
      noticeId: 'a',
      title: { de: 'Neubau Turnhalle mit Bad' },
      publicationDate: at('2026-01-10'),
      references: [{ kind: 'changes', noticeId: 'b' }],
    })
    await receiveNotices(store, [older, change])
    await withOthers(store, 2, async (others) => {
      const work: Promise<unknown>[] = []
      await holding(store, asConsolidator, async () => {
        for (const other of others) {
          work.push(consolidate(other, { now, batchSize: 1 }))
          await untilWaiting(store, work.length)
        }
      })
      await Promise.all(work)
    })
    await using one = await openTestStore('server')
    await receiveNotices(one, [older, change])
    await consolidate(one, { now })
    const { rows } = await sql<{ id: string }>`select tender_id as id from tender`.execute(store.db)
    expect(rows).toEqual([{ id: tenderId('ted:2-2026') }])
    expect(await wholeStock(store)).toEqual(await wholeStock(one))
  })

  test('end only when everything is consolidated, also what another has taken', async () => {
    await using store = await openTestStore('server')
    await receiveNotices(store, noticeWorld(1, 5))
    await withOthers(store, 2, async (others) => {
      let isDone = false
      const work: Promise<unknown>[] = []
      await holding(store, takeTurn, async () => {
        work.push(consolidate(others[0]!, { now }))
        await untilWaiting(store, 1)
        work.push(consolidate(others[1]!, { now }).then(() => (isDone = true)))
        await untilWaiting(store, 2)
        expect(isDone).toBe(false)
      })
      await Promise.all(work)
      const { rows } = await sql`select from notice where not is_consolidated`.execute(store.db)
      expect(rows).toEqual([])
    })
  })

  test('take over what another had taken whose connection ends', async () => {
    await using store = await openTestStore('server')
    await receiveNotices(store, noticeWorld(1, 5))
    await withOthers(store, 2, async (others) => {
      const work: Promise<unknown>[] = []
      await holding(store, takeTurn, async () => {
        work.push(consolidate(others[0]!, { now }).catch((error: unknown) => error))
        await untilWaiting(store, 1)
        work.push(consolidate(others[1]!, { now }))
        await untilWaiting(store, 2)
        await sql`
          select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a using (pid)
          where a.datname = current_database() and l.locktype = 'advisory' and not l.granted`.execute(store.db)
      })
      const [ended, other] = await Promise.all(work)
      expect(ended).toBeInstanceOf(Error)
      expect(other).toMatchObject({ notices: expect.any(Number) })
    })
    await using one = await openTestStore('server')
    await receiveNotices(one, noticeWorld(1, 5))
    await consolidate(one, { now })
    expect(await wholeStock(store)).toEqual(await wholeStock(one))
  })

  test('keep others out of the stock from the moment at which they take notices', async () => {
    await using store = await openTestStore('server')
    await receiveNotices(store, noticeWorld(1, 5))
    await withOthers(store, 2, async ([consolidator, other]) => {
      const ended: string[] = []
      const work: Promise<unknown>[] = []
      await holding(store, takeTurn, async () => {
        work.push(consolidate(consolidator!, { now }).then(() => ended.push('consolidated')))
        await untilWaiting(store, 1)
        const changing = inStockTransaction(other!, async (trx) => {
          const { rows } = await sql`select from notice where not is_consolidated`.execute(trx)
          ended.push(`changed with ${rows.length} waiting`)
        })
        work.push(changing)
        await untilWaiting(store, 2)
        expect(ended).toEqual([])
      })
      await Promise.all(work)
      expect(ended).toContain('changed with 0 waiting')
    })
  })

  test('try again after a deadlock with a reader that removes notices', async () => {
    await using store = await openTestStore('server')
    const [kept, removed] = [call('ted:1-2026', { noticeId: 'a' }), call('ted:2-2026', { noticeId: 'b' })]
    await receiveNotices(store, [removed])
    await consolidate(store, { now })
    await receiveNotices(store, [{ ...kept, references: [{ kind: 'changes', noticeId: 'b' }] }])
    await withOthers(store, 1, async ([reader]) => {
      const reading = await reader!.db.startTransaction().execute()
      // the consolidator is the one that finds the deadlock, and is ended
      await sql`set local deadlock_timeout = '100s'`.execute(reading)
      await sql`delete from notice where notice_key = 'ted:2-2026'`.execute(reading)
      let consolidating: Promise<unknown> | undefined
      let changing: Promise<unknown> | undefined
      await holding(store, takeTurn, async () => {
        consolidating = consolidate(store, { now })
        await untilWaiting(reader!, 1)
        // waits for the consolidator, which then waits for the removed notice
        changing = sql`update notice set content = content || ' ' where notice_key = 'ted:1-2026'`.execute(reading)
        await untilWaiting(store, 2)
      })
      await changing
      await reading.commit().execute()
      expect(await consolidating).toMatchObject({ notices: 1 })
    })
    const { rows } = await sql`select from tender_notice`.execute(store.db)
    expect(rows).toHaveLength(1)
  })
})

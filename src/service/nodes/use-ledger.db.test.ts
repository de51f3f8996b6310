// What customers read is counted once: over several processes, after answers of the database that were lost, and after
// a restart.
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { engines, openTestStore } from '../../../test/world.ts'
import { UseCounter } from '../../api/tokens/use-counter.ts'
import { minuteMs } from '../../domain/time.ts'
import { openLog } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import { pruneAdded } from '../../store/editions/edition-export.ts'
import { databaseUse, openUseLedger, type UseBatch, type UseSink } from './use-ledger.ts'

const start = Date.UTC(2026, 10, 23, 8)
const grant = { tokenId: 'one', organizationId: 'acme' } as Parameters<UseCounter['count']>[0]
const waiting = { timeout: 20_000, interval: 50 }
const origin = { address: () => '192.0.2.1', agent: 'test' }

test.each(engines)('requests, records and bytes are counted once (%s)', async (engine) => {
  await using store = await openTestStore(engine)
  let now = start
  const clock = () => now
  const added: UseBatch[] = []
  /** A process of which the database refuses some. */
  const losing = () => {
    const sink = databaseUse(store, clock)
    let count = 0
    return {
      ...sink,
      add: async (batch: UseBatch) => {
        added.push(batch)
        count++
        if (count % 4 === 1) throw new Error('lost before')
        await sink.add(batch)
      },
    }
  }
  /** A process that loses an answer after the database has written: what `addOnce` remembers is all that is left. */
  const forgetful = () => {
    const sink = databaseUse(store, clock)
    let isFirst = true
    return {
      ...sink,
      add: async (batch: UseBatch) => {
        if (!isFirst) return sink.add(batch)
        isFirst = false
        await sink.add(batch)
        await store.db.insertInto('added_use').values({ name: batch.name, added_at: now }).execute()
        throw new Error('lost after')
      },
    }
  }
  const expected = { answered: 0, refused: 0, records: 0, bytes: 0 }
  for (const sink of [losing(), forgetful(), databaseUse(store, clock)]) {
    const counter = new UseCounter(clock)
    const ledger = openUseLedger({ sink, clock, random: systemRandom, log: openLog('silent') })
    for (let minute = 0; minute < 5; minute++) {
      counter.count(grant, true, origin)
      counter.read(grant, { records: 100, bytes: 5000 }, origin)
      counter.count(grant, false, origin)
      expected.answered++
      expected.refused++
      expected.records += 100
      expected.bytes += 5000
      ledger.add(counter.take())
      now += minuteMs
    }
    // an answer that comes late belongs to its minute
    counter.read(grant, { records: 1, bytes: 7 }, origin)
    expected.records++
    expected.bytes += 7
    ledger.add(counter.take())
    now += 2 * minuteMs
    const sum = async () => {
      const { rows } = await sql<typeof expected>`
        select sum(answered)::integer as answered, sum(refused)::integer as refused, sum(records)::bigint as records,
          sum(bytes)::bigint as bytes from api_use where token_id = 'one'`.execute(store.db)
      return rows[0]
    }
    await expect.poll(sum, { timeout: 60_000, interval: 200 }).toEqual(expected)
    await ledger.close()
    expect(await sum()).toEqual(expected)
  }
  expect(added.length).toBeGreaterThan(new Set(added.map(({ name }) => name)).size)
  await pruneAdded(store.db, now + 8 * 24 * 60 * minuteMs)
  expect(await store.db.selectFrom('added_use').selectAll().execute()).toEqual([])
})

test('while the database accepts nothing, the newest two hours are kept', async () => {
  let now = start
  const clock = () => now
  const [tried, added]: [number[], number[]] = [[], []]
  let isBroken = true
  const sink: UseSink = {
    add: async ({ minuteMs: minute }) => {
      tried.push(minute)
      if (isBroken) throw new Error('no database')
      added.push(minute)
    },
    note: async () => {},
  }
  const counter = new UseCounter(clock)
  const ledger = openUseLedger({ sink, clock, random: systemRandom, log: openLog('silent') })
  onTestFinished(() => ledger.close())
  const count = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      counter.count(grant, true, origin)
      ledger.add(counter.take())
      now += minuteMs
    }
  }
  count(100)
  await expect.poll(() => tried.length, waiting).toBeGreaterThan(0)
  count(100)
  // the last minute has not ended for long
  await expect.poll(() => tried.at(-1), waiting).toBe(start + 79 * minuteMs)
  isBroken = false
  await expect.poll(() => added.length, waiting).toBeGreaterThanOrEqual(120)
  expect(added).toEqual(Array.from({ length: 120 }, (_, index) => start + (79 + index) * minuteMs))
})

test('what was written is not remembered once that is known', async () => {
  await using store = await openTestStore('embedded')
  const sink = databaseUse(store, () => start)
  const counts = { organizationId: 'acme', tokenId: 'one', answered: 1, refused: 0 }
  await sink.add({ name: 'a', minuteMs: start, minutes: [counts] })
  expect(await store.db.selectFrom('api_use').select('answered').execute()).toEqual([{ answered: 1 }])
  expect(await store.db.selectFrom('added_use').selectAll().execute()).toEqual([])
})

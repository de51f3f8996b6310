// The ledger of sources and its leases, on both engines.
import { describe, expect, test } from 'vitest'
import { engines, openTestStore } from '../../../test/world.ts'
import { inTransaction } from '../database/database.ts'
import { holdLease, LeaseLost, releaseLease, takeLease } from './source-leases.ts'
import {
  deleteOldRuns,
  findSlot,
  firstRunOf,
  insertRun,
  insertSlots,
  knownItemVersions,
  listDueSlots,
  type SourceRun,
  saveItems,
  saveSlot,
} from './source-ledger.ts'

const name = { sourceId: 's', channel: 'daily', slot: '2026-11-20' }
const dayMs = 86_400_000

const runAt = (startedAt: number, more: Partial<SourceRun> = {}): SourceRun => ({
  ...name,
  startedAt,
  endedAt: startedAt + 1000,
  outcome: 'complete',
  reason: null,
  requests: 1,
  entries: 2,
  documents: 2,
  notices: 2,
  rejections: 0,
  detail: '',
  ...more,
})

describe.each(engines)('the ledger (%s)', (engine) => {
  test('existing slots stay unchanged, and are listed when they are due', async () => {
    await using store = await openTestStore(engine)
    const { db } = store
    await insertSlots(db, 's', 'daily', [
      { slot: '2026-11-20', dueAt: 100 },
      { slot: '2026-11-21', dueAt: 200 },
    ])
    await saveSlot(db, name, { checkpoint: '{"at":"\\u0000"}', announced: 9, delivered: 4 })
    await insertSlots(db, 's', 'daily', [
      { slot: '2026-11-20', dueAt: 900 },
      { slot: '2026-11-22', dueAt: null },
    ])
    expect(await findSlot(db, name)).toMatchObject({
      dueAt: 100,
      checkpoint: '{"at":"\\u0000"}',
      announced: 9,
      delivered: 4,
    })
    expect((await listDueSlots(db, 199)).map(({ slot }) => slot)).toEqual(['2026-11-20'])
    expect((await listDueSlots(db, 200, 's')).length).toBe(2)
    expect(await listDueSlots(db, 200, 'other')).toEqual([])
  })

  test('missing documents keep the time at which they were first recorded, until none is missing', async () => {
    await using store = await openTestStore(engine)
    const { db } = store
    await insertSlots(db, 's', 'daily', [{ slot: name.slot, dueAt: 1 }])
    const short = { dueAt: 5, failures: 1, lastError: 'x'.repeat(5000) }
    await saveSlot(db, name, {}, { ...short, missing: { what: 'two', since: 1000 } })
    await saveSlot(db, name, {}, { ...short, missing: { what: 'one', since: 2000 } })
    expect(await findSlot(db, name)).toMatchObject({ missing: 'one', missingSince: 1000, completedAt: null })
    expect((await findSlot(db, name))!.lastError).toHaveLength(1000)
    await saveSlot(db, name, {}, { dueAt: null, failures: 0, lastError: null, missing: null, completedAt: 3000 })
    expect(await findSlot(db, name)).toMatchObject({
      dueAt: null,
      missing: null,
      missingSince: null,
      completedAt: 3000,
      lastError: null,
    })
  })

  test('items are found under the version that was stored last, for any keys', async () => {
    await using store = await openTestStore(engine)
    const keys = ['plain', 'with \0 nul', 'lone \ud800', `"quoted", {braced} \\ and 'more'`]
    await saveItems(
      store.db,
      's',
      keys.map((key) => ({ key, version: '1' })),
    )
    await saveItems(store.db, 's', [{ key: 'plain', version: '2\0' }])
    expect([...(await knownItemVersions(store.db, 's', ['plain', 'unknown']))]).toEqual([['plain', '2\uFFFD']])
    expect((await knownItemVersions(store.db, 's', keys)).size).toBe(keys.length)
    expect((await knownItemVersions(store.db, 'other', keys)).size).toBe(0)
  })

  test('the time of the first run of a source is stored once', async () => {
    await using store = await openTestStore(engine)
    expect(await firstRunOf(store.db, 's', 100)).toBe(100)
    expect(await firstRunOf(store.db, 's', 200)).toBe(100)
    expect(await firstRunOf(store.db, 't', 200)).toBe(200)
  })

  test('readings are removed after 90 days', async () => {
    await using store = await openTestStore(engine)
    const now = 200 * dayMs
    for (const age of [0, 89, 91, 120]) await insertRun(store.db, runAt(now - age * dayMs))
    await insertRun(store.db, runAt(now, { outcome: 'failed', detail: 'again\0' }))
    await deleteOldRuns(store.db, now)
    const rows = await store.db
      .selectFrom('source_run')
      .select(['started_at', 'outcome'])
      .orderBy('started_at')
      .execute()
    expect(rows.map(({ started_at, outcome }) => [(now - started_at) / dayMs, outcome])).toEqual([
      [89, 'complete'],
      [0, 'failed'],
    ])
  })
})

describe.each(engines)('leases (%s)', (engine) => {
  test('have one holder at a time, whose fence is higher than that of all before', async () => {
    await using store = await openTestStore(engine)
    const { db } = store
    const take = (worker: string, now: number) => takeLease(db, { lease: 'l', worker, now, untilMs: now + 100 })
    const taken = await Promise.all(['a', 'b', 'c', 'd'].map((worker) => take(worker, 0)))
    const [first] = taken.filter((lease) => lease !== undefined)
    expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1)
    expect(await take('late', 99)).toBeUndefined()
    await holdLease(db, first!, 300)
    expect(await take('late', 299)).toBeUndefined()
    const second = await take('late', 300)
    expect(second!.fence).toBeGreaterThan(first!.fence)
    await expect(holdLease(db, first!, 900)).rejects.toBeInstanceOf(LeaseLost)
    // who lost it cannot give it back either
    await releaseLease(db, first!, 0)
    const held = await db.selectFrom('source_lease').select(['lease', 'worker', 'until_ms']).execute()
    expect(held).toEqual([{ lease: 'l', worker: 'late', until_ms: 400 }])
  })

  test('that are released with a pause are free when it ends, or for a caller that overrides it', async () => {
    await using store = await openTestStore(engine)
    const { db } = store
    const take = (worker: string, now: number, endsRest = false) =>
      takeLease(db, { lease: 'l', worker, now, untilMs: now + 100, endsRest })
    await releaseLease(db, (await take('a', 0))!, 500)
    expect(await take('b', 499)).toBeUndefined()
    const byHand = await take('hand', 10, true)
    expect(byHand).toBeDefined()
    expect(await take('hand 2', 20, true)).toBeUndefined()
    await releaseLease(db, byHand!, 500)
    expect(await take('b', 500)).toBeDefined()
  })

  test('a transaction under a held lease commits before the lease can be taken; one that lost it leaves nothing', async () => {
    await using store = await openTestStore(engine)
    const { db } = store
    const lease = (await takeLease(db, { lease: 'l', worker: 'a', now: 0, untilMs: 10 }))!
    await inTransaction(store, async (trx) => {
      await holdLease(trx, lease, 20)
      await insertSlots(trx, 's', 'daily', [{ slot: 'kept', dueAt: null }])
    })
    await takeLease(db, { lease: 'l', worker: 'b', now: 20, untilMs: 50 })
    const writing = inTransaction(store, async (trx) => {
      await insertSlots(trx, 's', 'daily', [{ slot: 'lost', dueAt: null }])
      await holdLease(trx, lease, 60)
    })
    await expect(writing).rejects.toBeInstanceOf(LeaseLost)
    const rows = await db.selectFrom('source_slot').select('slot').execute()
    expect(rows).toEqual([{ slot: 'kept' }])
  })
})

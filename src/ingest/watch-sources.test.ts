import { expect, test } from 'vitest'
import { madeUpSource } from '../../test/sources/made-up-source.ts'
import { engines, openTestStore } from '../../test/world.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import type { Store } from '../store/database.ts'
import { addNames, alarmsOf, knownNames, openAlarms } from '../store/source-health.ts'
import { sourcesHealth, watchSources } from './watch-sources.ts'

const start = Date.UTC(2026, 10, 16, 12)

const source = madeUpSource
const sources = new Map([[source.id, source]])
const at = (now: number) => ({ sources, now, hasKey: () => false })

async function reading(store: Store, endedAt: number, outcome: string, documents: number): Promise<void> {
  await store.db
    .insertInto('source_run')
    .values({
      source_id: source.id,
      channel: 'all',
      slot: 'whole',
      started_at: endedAt - 1000,
      ended_at: endedAt,
      outcome,
      requests: 1,
      entries: documents,
      documents,
      notices: documents,
      rejections: 0,
      detail: outcome === 'failed' ? 'answered 500' : '',
    })
    .execute()
}

test.each(engines)(
  '%s: an alarm is raised once, updates its text, and is cleared when its cause is gone',
  async (engine) => {
    await using store = await openTestStore(engine)
    await reading(store, start, 'complete', 10)
    expect(await watchSources(store, at(start + hourMs))).toEqual({ raised: [], cleared: [] })

    for (let hour = 1; hour <= 8; hour++) await reading(store, start + hour * hourMs, 'failed', 0)
    const { raised } = await watchSources(store, at(start + 8 * hourMs))
    expect(raised).toEqual([expect.stringMatching(/^xx-example: .*8 failed in a row.*answered 500$/)])

    await reading(store, start + 9 * hourMs, 'refused', 0)
    expect(await watchSources(store, at(start + 9 * hourMs))).toEqual({ raised: [], cleared: [] })
    expect(await openAlarms(store.db)).toMatchObject([
      { kind: 'failing', raisedAt: start + 8 * hourMs, detail: expect.stringContaining('9 failed') },
    ])

    await reading(store, start + 10 * hourMs, 'unchanged', 0)
    expect(await watchSources(store, at(start + 10 * hourMs))).toEqual({ raised: [], cleared: ['xx-example: failing'] })
    expect(await openAlarms(store.db)).toEqual([])
    expect(await alarmsOf(store.db, source.id, 10)).toMatchObject([{ kind: 'failing', clearedAt: start + 10 * hourMs }])
  },
)

test.each(engines)('%s: health is read from readings, short slots and new names', async (engine) => {
  await using store = await openTestStore(engine)
  await reading(store, start, 'complete', 10)
  await store.db
    .insertInto('source_slot')
    .values({
      source_id: source.id,
      channel: 'all',
      slot: 'whole',
      due_at: start,
      checkpoint: null,
      announced: 100,
      delivered: 80,
      completed_at: null,
      missing: 'twenty',
      missing_since: start,
      last_error: null,
    })
    .execute()
  await addNames(store.db, source.id, new Map([['<Old>', -1]]), start)
  for (let day = 0; day < 3; day++) {
    const names = new Map([
      ['<Old>', 10],
      ['<New>', 10],
    ])
    await addNames(store.db, source.id, names, start + day * hourMs)
  }
  expect((await knownNames(store.db, source.id)).get('<Old>')).toBe(-1)
  const [judged] = await sourcesHealth(store, at(start + dayMs))
  expect(judged!.record).toMatchObject({ waitingSlots: 1, newByDay: { '2026-11-16': 10 }, lastNewAt: start })
  expect(judged!.health.alarms.map(({ kind, share }) => [kind, share])).toEqual([
    ['totals', 0.2],
    ['drift', 0],
  ])
})

import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { madeUpSource } from '../../test/sources/made-up-source.ts'
import { engines, openTestStore } from '../../test/world.ts'
import { dayMs, hourMs } from '../domain/time.ts'
import type { Store } from '../store/database/database.ts'
import { addNames, alarmsOf, knownNames, openAlarms } from '../store/sources/source-health.ts'
import { sourcesHealth, watchSources } from './watch-sources.ts'

const start = Date.UTC(2026, 10, 16, 12)

const source = madeUpSource
const sources = new Map([[source.id, source]])
const at = (now: number) => ({ sources, now, hasKey: () => false })

const runOf = (endedAt: number, outcome: string, documents: number) => ({
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

async function reading(store: Store, endedAt: number, outcome: string, documents: number): Promise<void> {
  await store.db
    .insertInto('source_run')
    .values(runOf(endedAt, outcome, documents))
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
    const detail: unknown = expect.stringMatching(/8 failed in a row.*answered 500$/)
    expect(raised).toEqual([{ sourceId: 'xx-example', kind: 'failing', detail }])

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

test.each(engines)(
  '%s: new documents count for the day in the zone of their source, whatever others bring',
  async (engine) => {
    await using store = await openTestStore(engine)
    // a day in Samoa begins 11 hours after one in London, and clocks of London change within the 30 days
    const zones = ['Europe/London', 'Pacific/Apia', 'Asia/Kolkata']
    const several = new Map(zones.map((zone, index) => [`xx-${index}`, { ...source, id: `xx-${index}`, zone }]))
    const now = Date.UTC(2026, 10, 10, 12)
    const minutes = [0, 29, 30, 31, 59].flatMap((minute) => [-1, 0, 1].map((second) => minute * 60 + second))
    const ends = [17, 16, 3, 1].flatMap((days) =>
      Array.from({ length: 24 }, (_, hour) => hour).flatMap((hour) =>
        minutes.map((second) => now - days * dayMs + hour * hourMs + second * 1000 - 1),
      ),
    )
    await store.db
      .insertInto('source_run')
      .values(
        [...several.keys()].flatMap((id) =>
          ends.map((endedAt, index) => ({
            ...runOf(endedAt, index % 7 === 0 ? 'failed' : 'complete', 2),
            source_id: id,
          })),
        ),
      )
      .execute()
    const judged = await sourcesHealth(store, { sources: several, now, hasKey: () => false })
    for (const [index, { record }] of judged.entries()) {
      const expected: Record<string, number> = {}
      for (const endedAt of ends) {
        const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zones[index]!, dateStyle: 'short' }).format(endedAt)
        expected[day] = (expected[day] ?? 0) + 2
      }
      expect(record.newByDay).toEqual(expected)
      expect(record.recentDocuments).toBe(2 * ends.filter((endedAt) => endedAt >= now - 7 * dayMs).length)
    }
    // the page of one source knows the same about it
    const one = await sourcesHealth(store, { sources: new Map([...several].slice(1, 2)), now, hasKey: () => false })
    expect(one).toEqual([judged[1]])
  },
)

test.each(engines.filter((engine) => engine === 'server'))(
  '%s: a month of hourly readings of 100 sources costs this process little',
  async (engine) => {
    await using store = await openTestStore(engine)
    const many = new Map(Array.from({ length: 100 }, (_, index) => [`xx-${index}`, { ...source, id: `xx-${index}` }]))
    await sql`
      insert into source_run
      select 'xx-' || s, 'all', 'whole', ${start}::bigint + h::bigint * 3600000, ${start}::bigint + h::bigint * 3600000 + 9,
        'complete', 1, 1, 1, 1, 0, '' from generate_series(0, 99) s, generate_series(1, 700) h`.execute(store.db)
    await sql`analyze source_run`.execute(store.db)
    const options = { sources: many, now: start + 30 * dayMs, hasKey: () => false }
    await sourcesHealth(store, options)
    const before = process.cpuUsage()
    const judged = await sourcesHealth(store, options)
    const { user, system } = process.cpuUsage(before)
    expect(Object.values(judged[99]!.record.newByDay).reduce((sum, count) => sum + count)).toBe(700)
    // 20 ms; reading by reading it would be 3,000
    expect((user + system) / 1000).toBeLessThan(400)
  },
)

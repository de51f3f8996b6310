// The order in which sources with something due are read: the leading ones, then news by volume, and the past by what
// people use.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { scriptedPortal, scriptedSource } from '../../test/scripted-source.ts'
import { drawnEngines, openTestStore } from '../../test/world.ts'
import { dayMs } from '../domain/time.ts'
import type { Source } from '../sources/source.ts'
import { dueBySource, planSource } from './due-slots.ts'
import type { RunOptions } from './run-options.ts'

const now = Date.UTC(2026, 10, 18, 12)
const uses = new Map([
  ['used', { searches: 0, tenders: 900 }],
  ['searched', { searches: 2, tenders: 5 }],
  ['large', { searches: 0, tenders: 0 }],
])

const sourceOf = (id: string, more: Partial<Source> = {}): Source => {
  const source = scriptedSource(scriptedPortal(), { id, channel: { slots: { kind: 'day', since: '2022-01-01' } } })
  return { ...source, ...more }
}
const large = (source: Source): Source => ({ ...source, expects: { ...source.expects, perDay: [900, 1000] } })
const sources = [
  sourceOf('unused'),
  large(sourceOf('large')),
  sourceOf('used'),
  sourceOf('searched'),
  sourceOf('leading', { leads: true }),
]

test('news are read by volume, and the past by saved searches and open tenders, each after what leads', async () => {
  await using store = await openTestStore(drawnEngines[0]!)
  const options = { clock: () => now, backfillSince: '2022-01-01' } as RunOptions
  for (const source of sources) await planSource(store, source, options)
  const order = async () =>
    (await dueBySource(store, sources, options, uses)).map(({ source, best }) => [source.id, best.urgency])
  const news = await order()
  expect(news.slice(0, 2)).toEqual([
    ['leading', 'current'],
    ['large', 'current'],
  ])
  expect(news).toHaveLength(sources.length)
  const recent = new Date(now - 5 * dayMs).toISOString().slice(0, 10)
  await sql`update source_slot set completed_at = ${now}, due_at = null where slot >= ${recent}`.execute(store.db)
  const past = ['leading', 'searched', 'used', 'large', 'unused'].map((id) => [id, 'backfill'])
  expect(await order()).toEqual(past)
  // what failed waits for what did not
  await sql`update source_slot set failures = 1 where source_id = 'searched'`.execute(store.db)
  expect((await order()).at(-1)).toEqual(['searched', 'backfill'])
})

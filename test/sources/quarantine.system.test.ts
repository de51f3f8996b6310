// A portal renames a member of its answers: the new notices of its source wait on the same day, nothing is lost, and
// they flow after a release or a rebuild.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consolidate, rebuildStock } from '../../src/consolidate/consolidate.ts'
import { dayMs } from '../../src/domain/time.ts'
import { runSource } from '../../src/ingest/run-sources.ts'
import { watchSources } from '../../src/ingest/watch-sources.ts'
import type { CommandEvent } from '../../src/service/events/command-event.ts'
import { releaseSourceNow } from '../../src/service/operations/source-operations.ts'
import { type Shelf, sampleShelf } from '../../src/simulator/shelf.ts'
import { loadSources } from '../../src/sources/registry.ts'
import type { Source } from '../../src/sources/source.ts'
import { listFill, listQuarantines } from '../../src/store/sources/source-fill.ts'
import { openAlarms } from '../../src/store/sources/source-health.ts'
import { engines, openTestStore, type TestStore } from '../world.ts'
import { type SimulatedPortals, simulatedPortals, worldStart } from './simulated-portals.ts'

const sources = await loadSources()
const card = sources.get('be-bosa')!
const source: Source = { ...card, expects: { silentAfterDays: 5, shape: [] } }
const calmDays = 7
/** The portal renames the member at this moment. */
const renamedAt = worldStart + calmDays * dayMs

/** What the portal publishes from then on has another name for its CPV codes. */
function renaming(shelf: Shelf): Shelf {
  return {
    entries: (simulated, until) =>
      shelf
        .entries(simulated, until)
        .map((entry) =>
          entry.publishedAt < renamedAt
            ? entry
            : { ...entry, text: () => entry.text().replaceAll('"cpvMainCode"', '"mainCpvCode"') },
        ),
  }
}

describe.each(engines)('quarantine (%s)', (engine) => {
  let portals: SimulatedPortals
  let store: TestStore
  beforeAll(async () => {
    const shelf = renaming(sampleShelf({ seed: 'quarantine', epoch: worldStart, base: 10, arrivalHours: 1 }))
    portals = await simulatedPortals([source], { seed: 'quarantine', shelf })
    store = await openTestStore(engine)
  })
  afterAll(async () => {
    await portals[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  })

  const readAndConsolidate = async () => {
    const results = await runSource(store, source, portals.runOptions('worker'))
    expect(results.map(({ outcome }) => outcome)).not.toContain('failed')
    await consolidate(store, { now: portals.clock() })
  }
  const states = async () => {
    const rows = await store.db.selectFrom('notice').select(['notice_id', 'is_consolidated']).execute()
    const waiting = rows.filter((row) => !row.is_consolidated).map((row) => row.notice_id)
    const assigned = await store.db.selectFrom('tender_notice').select('notice_id').execute()
    return { all: rows.length, waiting: waiting.sort(), assigned: assigned.length }
  }
  const watch = (watchedAt: number) =>
    watchSources(store, {
      sources: new Map([[source.id, source]]),
      now: portals.clock(),
      hasKey: () => true,
      watchedAt,
    })

  test('calm days hold nothing', async () => {
    for (let day = 0; day < calmDays; day++) {
      await readAndConsolidate()
      portals.advance(dayMs - (portals.clock() - worldStart - day * dayMs))
    }
    await readAndConsolidate()
    expect(await listQuarantines(store.db)).toEqual([])
    expect((await states()).waiting).toEqual([])
    expect(new Set((await listFill(store.db, source.id)).map(({ day }) => day)).size).toBeGreaterThan(5)
  })

  test('after the rename the notices of the same day wait, and the alarm says what is missing', async () => {
    const before = await states()
    portals.advance(dayMs)
    const changedAt = portals.clock()
    await readAndConsolidate()
    const after = await states()
    expect(after.all).toBeGreaterThan(before.all + 12)
    expect(after.waiting).toHaveLength(after.all - before.all)
    expect(after.assigned).toBe(before.assigned)
    const [held] = await listQuarantines(store.db)
    expect(held).toMatchObject({ sourceId: source.id, notices: after.waiting.length })
    expect(held!.since - changedAt).toBeLessThan(dayMs)
    expect(held!.detail).toMatch(/^0 of \d+ notices received since .* have a CPV code \(100 % are usual\)/)
    const { raised, cleared } = await watch(changedAt)
    expect(raised).toEqual([{ sourceId: source.id, kind: 'fill', detail: held!.detail }])
    expect(cleared).toEqual([])
    // a later look neither reports it again nor clears it
    expect(await watch(portals.clock())).toEqual({ raised: [], cleared: [] })
    expect((await openAlarms(store.db)).map(({ kind }) => kind)).toEqual(['fill'])
    // nor is it cleared when the source loses its key
    const withoutKey = { sources: new Map([[source.id, source]]), now: portals.clock(), hasKey: () => false }
    expect((await watchSources(store, withoutKey)).cleared).toEqual([])
    // other sources go on
    await store.db
      .updateTable('notice')
      .set({ source_id: 'other' })
      .where('notice_id', '=', after.waiting[0]!)
      .execute()
    await consolidate(store, { now: portals.clock() })
    expect((await states()).waiting).toEqual(after.waiting.slice(1))
  })

  test('a release lets them flow, and the next day holds nothing again', async () => {
    const { all, waiting } = await states()
    const events: CommandEvent[] = []
    const context = { store, clock: portals.clock, keyOf: () => undefined }
    const request = { command: 'source release' as const, operands: [source.id], options: { note: 'seen' } }
    await releaseSourceNow(context, request, (event) => events.push(event))
    expect(events).toMatchObject([{ event: 'sourceReleased', source: source.id, notices: waiting.length }])
    await consolidate(store, { now: portals.clock() })
    expect(await states()).toEqual({ all, waiting: [], assigned: all })
    await expect(releaseSourceNow(context, request, () => {})).rejects.toThrow('is not in quarantine')
    portals.advance(dayMs)
    await readAndConsolidate()
    expect((await states()).all).toBeGreaterThan(all)
    expect(await listQuarantines(store.db)).toEqual([])
  })

  test('a rebuild lets them flow too, and forgets what was counted since', async () => {
    const day = new Date(portals.clock()).toISOString().slice(0, 10)
    await store.db
      .insertInto('source_alarm')
      .values({
        source_id: source.id,
        kind: 'fill',
        raised_at: portals.clock(),
        cleared_at: null,
        detail: 'no CPV',
        share: 1,
      })
      .execute()
    await store.db.updateTable('notice').set({ is_consolidated: false }).execute()
    await consolidate(store, { now: portals.clock() })
    expect((await states()).waiting.length).toBeGreaterThan(0)
    await rebuildStock(store, { now: portals.clock() })
    const { all, waiting, assigned } = await states()
    expect({ waiting, assigned }).toEqual({ waiting: [], assigned: all })
    const days = (await listFill(store.db, source.id)).map((row) => row.day)
    expect(days.length).toBeGreaterThan(5)
    expect(days).not.toContain(day)
  })
})

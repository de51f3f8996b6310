import { describe, expect, it } from 'vitest'
import { madeUpRecord } from '../../test/fake-api.ts'
import { archived, syncWorld } from '../../test/sync-world.ts'
import { seeEdition } from '../seen-edition.ts'
import { memorySink } from '../sinks/memory-sink.ts'
import { memoryState } from '../state/memory-state.ts'
import { DigestSum, isOpenRecord, webRecordHash } from './copy-digest.ts'
import { type SyncEvent, sync } from './sync.ts'
import { filterHash } from './sync-filters.ts'
import type { TenderSource } from './walk-run.ts'

describe('records that are left over after a first run into a target that is not empty (G1)', () => {
  /** A target whose state is lost. It holds all as open; `late` changed after the others were archived. */
  async function leftOver(ids: readonly string[]) {
    const world = syncWorld('direct', { limit: 100 })
    world.api.publish(ids.map((id) => ({ id })))
    const held = [...world.api.stock().values()]
    const gone = world.api.publish(ids.map((id) => ({ id, ...archived('expired') })))
    world.api.publish([{ id: 'late' }])
    await world.sink.begin({ kind: 'first', filterHash: '', resumed: false, keepArchived: false })
    await world.sink.upsert([...held, world.api.stock().get('late')!])
    const last = world.api.publish([{ id: 'late', ...archived('expired') }, { id: 'new' }])
    return { world, gone, last }
  }

  it('many: the changes since the oldest of them follow, not since the latest', async () => {
    const { world } = await leftOver(Array.from({ length: 700 }, (_, number) => `r${number}`))
    expect((await world.complete()).counts.fetched).toBe(0)
    expect(world.events).toContainEqual({ type: 'left-over', records: 701 })
    world.expectEqual()
  })

  it('few, asked of a node that lags: the changes since the oldest of them follow as well', async () => {
    const { world, gone, last } = await leftOver(['a', 'b'])
    // The list comes from the newest edition, single records from one that knows nothing of their end.
    world.api.onRequest = () => {
      const isRecord = world.api.asked.at(-1)!.includes('/v1/tenders/')
      world.api.newest = isRecord ? gone - 1 : last
    }
    expect((await world.complete()).counts.fetched).toBe(3)
    world.expectEqual()
  })
})

/** An API whose answers say of what digest they are. */
function comparing() {
  let edition = 1
  let record = madeUpRecord({ id: 'a' })
  /** How the next pages name their digest. */
  let says: 'right' | 'wrong' | 'nothing' = 'right'
  let asked = 0
  const client: TenderSource = {
    page: async () => {
      asked++
      const sum = new DigestSum()
      sum.add(await webRecordHash(record), isOpenRecord(record), record.lastModified)
      const { open, all } = says === 'right' ? sum.digest : { open: 'f'.repeat(64), all: 'f'.repeat(64) }
      return { data: [record], nextCursor: null, edition, ...(says !== 'nothing' && { digest: { open, all } }) }
    },
    get: async () => record,
  }
  const sink = memorySink()
  const state = memoryState()
  return {
    publish: () => {
      edition++
      record = { ...record, lastModified: new Date(Date.parse(record.lastModified) + 3_600_000).toISOString() }
    },
    /** One run: how it ended, whether it went over everything again, and what the state notes. */
    run: async (next: typeof says) => {
      says = next
      asked = 0
      const events: SyncEvent[] = []
      const outcome = await sync({ client, sink, state, on: (event) => void events.push(event) })
      return {
        end: outcome.result === 'aborted' ? outcome.reason : outcome.result,
        repairs: events.filter(({ type }) => type === 'differs').length,
        asked,
        isDifferent: (await state.load())?.copy?.isDifferent,
      }
    },
  }
}

describe('a copy that differs from its edition (D59)', () => {
  it('is repaired once; while the difference stays it is remembered, also by runs that could not compare', async () => {
    const { run, publish } = comparing()
    expect(await run('right')).toEqual({ end: 'completed', repairs: 0, asked: 1, isDifferent: false })
    expect(await run('wrong')).toMatchObject({ end: 'differs', repairs: 1, isDifferent: true })
    for (const says of ['wrong', 'nothing', 'wrong', 'nothing', 'nothing', 'wrong'] as const) {
      publish()
      const end = says === 'wrong' ? 'differs' : 'completed'
      expect(await run(says)).toEqual({ end, repairs: 0, asked: 1, isDifferent: true })
    }
  })

  it('is forgotten when the copy is equal again, and repaired when it differs later', async () => {
    const { run, publish } = comparing()
    await run('wrong')
    publish()
    expect(await run('right')).toEqual({ end: 'completed', repairs: 0, asked: 1, isDifferent: false })
    publish()
    expect(await run('wrong')).toMatchObject({ end: 'differs', repairs: 1, isDifferent: true })
  })
})

it('what is fetched does not contradict a newer edition that a fetched record came from (C158)', async () => {
  const [merged, survivor] = [
    madeUpRecord({ id: 'a', archiveReason: 'merged', mergedInto: 'b' }),
    madeUpRecord({ id: 'b' }),
  ]
  const asked: [string, number | undefined][] = []
  const client: TenderSource = {
    page: async () => ({ data: [], nextCursor: null, edition: 1 }),
    get: async (id, _signal, seen) => {
      asked.push([id, seen?.edition])
      seeEdition(seen!, 2)
      return id === 'a' ? merged : survivor
    },
  }
  const [sink, state] = [memorySink(), memoryState()]
  await sink.begin({ kind: 'first', filterHash: '', resumed: false, keepArchived: false })
  await sink.upsert([madeUpRecord({ id: 'a' })])
  await state.save({
    schema: 1,
    filterHash: await filterHash({}),
    updatedSince: merged.lastModified,
    run: { kind: 'delta', updatedSince: merged.lastModified, cursor: 'c', merges: ['a'], edition: 1 },
  })
  expect(await sync({ client, sink, state })).toMatchObject({ result: 'completed' })
  expect(asked).toEqual([
    ['a', 1],
    ['b', 2],
  ])
})
